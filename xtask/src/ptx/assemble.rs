//! Assembles PTX by ptxas, and reads the resources of each entry from its output.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use comfy_table::Table;

use super::Ptxas;
use crate::files::{self, write_whole};
use crate::place::target_dir;
use crate::shell;

/// The resources of one entry, as ptxas reports them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct EntryUse {
    /// The kernel's name.
    pub entry: String,
    /// Registers a thread.
    pub registers: u32,
    /// Bytes of stack a thread.
    pub stack_bytes: u32,
    /// Bytes of register spills that are written.
    pub spill_store_bytes: u32,
    /// Bytes of register spills that are read.
    pub spill_load_bytes: u32,
    /// Bytes of static shared memory a block.
    pub shared_bytes: u32,
}

/// The result of one run of ptxas.
pub(crate) struct Assembled {
    /// The machine code, in a folder that later runs look in.
    pub cubin: PathBuf,
    /// The resources of each entry.
    pub uses: Vec<EntryUse>,
}

/// Assembles `ptx` for `arch`, unless the same ptxas has assembled the same text before.
pub(crate) fn assemble(root: &Path, ptxas: &Ptxas, ptx: &Path, arch: &str) -> Result<Assembled> {
    let text = std::fs::read(ptx).with_context(|| format!("cannot read {}", ptx.display()))?;
    let folder = target_dir(root).join("ptx-build/cubin");
    files::make_folder(&folder)?;
    let name = ptx.file_stem().unwrap_or_default().to_string_lossy();
    let cubin = folder.join(format!("{name}.{arch}.cubin"));
    let kept = cubin.with_extension("txt");
    let key = format!("{:016x}\n", key(&text, &ptxas.to_string(), arch));
    if let Ok(text) = std::fs::read_to_string(&kept)
        && let (true, Some(said)) = (cubin.is_file(), text.strip_prefix(&key))
    {
        return Ok(Assembled { cubin, uses: parse_resources(said) });
    }
    // Without this file the machine code beside it is not used again, also if this run is interrupted.
    let _ = std::fs::remove_file(&kept);
    let calls = has_functions(&text);
    let (program, made) = (ptxas.program.display(), if calls { cubin.with_extension("o") } else { cubin.clone() });
    let mut command = Command::new(&ptxas.program);
    command.arg(format!("-arch={arch}")).arg("-v").arg(ptx).arg("-o").arg(&made);
    if calls {
        command.arg("-c");
    }
    let output = shell::output(&mut command)?;
    let said = String::from_utf8_lossy(&output.stderr) + String::from_utf8_lossy(&output.stdout);
    if !output.status.success() {
        bail!("{program} can't assemble {} for {arch}:\n{}", ptx.display(), shell::tail(&said, 20));
    }
    if calls {
        let mut link = Command::new(ptxas.linker());
        shell::capture(link.arg(format!("-arch={arch}")).arg(&made).arg("-o").arg(&cubin)).with_context(|| {
            format!("cannot link {}, whose functions need the nvlink of the same toolkit as {program}", ptx.display())
        })?;
        let _ = std::fs::remove_file(&made);
    }
    write_whole(&kept, format!("{key}{said}").as_bytes())?;
    Ok(Assembled { cubin, uses: parse_resources(&said) })
}

/// Whether PTX has functions beside its entries. ptxas then leaves them functions only if it makes code to be linked
/// (`-c`). Otherwise it compiles each of them once more for every entry that reaches it, or into that entry: for the
/// kernels of the performance suite with all transports that takes five times as long, makes 2.8 times the machine code
/// and twice the spills.
fn has_functions(ptx: &[u8]) -> bool {
    ptx.split(|&byte| byte == b'\n').any(|line| line.starts_with(b".func"))
}

/// Returns a hash of every input of the machine code.
fn key(ptx: &[u8], ptxas: &str, arch: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    (ptx, ptxas, arch).hash(&mut hasher);
    hasher.finish()
}

/// Parses the output of `ptxas -v`; entries are sorted by name.
pub(crate) fn parse_resources(said: &str) -> Vec<EntryUse> {
    let mut uses: BTreeMap<String, EntryUse> = BTreeMap::new();
    let mut properties_of: Option<String> = None;
    let mut entry: Option<String> = None;
    for line in said.lines() {
        if let Some(name) = between(line, "Compiling entry function '", "'") {
            entry = Some(name.to_string());
            uses.insert(name.to_string(), EntryUse { entry: name.to_string(), ..EntryUse::default() });
        } else if let Some((_, name)) = line.split_once("Function properties for ") {
            properties_of = Some(name.trim().to_string());
        } else if line.contains("bytes stack frame") {
            if let Some(one) = properties_of.as_ref().and_then(|name| uses.get_mut(name)) {
                one.stack_bytes = number_before(line, "bytes stack frame");
                one.spill_store_bytes = number_before(line, "bytes spill stores");
                one.spill_load_bytes = number_before(line, "bytes spill loads");
            }
        } else if line.contains("Used ")
            && line.contains("registers")
            && let Some(one) = entry.as_ref().and_then(|name| uses.get_mut(name))
        {
            one.registers = number_before(line, "registers");
            one.shared_bytes = number_before(line, "bytes smem");
        }
    }
    uses.into_values().collect()
}

fn between<'a>(line: &'a str, before: &str, after: &str) -> Option<&'a str> {
    line.split_once(before)?.1.split_once(after).map(|(inside, _)| inside)
}

/// Returns the number in front of `unit`, or 0 if the line lacks the unit.
fn number_before(line: &str, unit: &str) -> u32 {
    let before = line.split_once(unit).map(|(before, _)| before.trim_end());
    let digits = before.and_then(|before| before.rsplit(|c: char| !c.is_ascii_digit()).next());
    digits.and_then(|digits| digits.parse().ok()).unwrap_or(0)
}

/// Returns the entries as a table.
pub(crate) fn table(uses: &[EntryUse]) -> Table {
    let mut table = Table::new();
    table.load_preset(comfy_table::presets::NOTHING);
    table.set_header(["entry", "registers", "stack B", "spill st B", "spill ld B", "shared B"]);
    for one in uses {
        let numbers = [one.registers, one.stack_bytes, one.spill_store_bytes, one.spill_load_bytes, one.shared_bytes];
        table.add_row(std::iter::once(one.entry.clone()).chain(numbers.iter().map(u32::to_string)));
    }
    table
}

#[cfg(test)]
mod tests {
    use oxshmem_raw::os::private::Scratch;

    use super::*;

    const SAID: &str = "\
ptxas info    : 16 bytes gmem
ptxas info    : Compiling entry function 'ring' for 'sm_90'
ptxas info    : Function properties for ring
    24 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads
ptxas info    : Used 34 registers, used 1 barriers, 24 bytes cumulative stack size, 1024 bytes smem
ptxas info    : Compile time = 3.1 ms
ptxas info    : Compiling entry function 'halo' for 'sm_90'
ptxas info    : Function properties for helper
    96 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Function properties for halo
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 8 registers, used 0 barriers
";

    #[test]
    fn every_entry_has_its_registers_stack_and_spills_and_a_called_function_is_not_one() {
        let uses = parse_resources(SAID);
        assert_eq!(uses.len(), 2);
        assert_eq!(uses[0], EntryUse { entry: "halo".into(), registers: 8, ..EntryUse::default() });
        assert_eq!(
            uses[1],
            EntryUse {
                entry: "ring".into(),
                registers: 34,
                stack_bytes: 24,
                spill_store_bytes: 8,
                spill_load_bytes: 12,
                shared_bytes: 1024
            }
        );
    }

    #[test]
    fn what_was_assembled_is_taken_again_for_the_same_text_architecture_and_assembler_alone() {
        let base = Scratch::new("assemble").unwrap();
        let (program, ptx) = (base.join("ptxas"), base.join("k.ptx"));
        // It appends a line to a file at each start, and creates the file that -o names.
        std::fs::write(&program, format!("#!/bin/sh\necho x >> {}/runs\n: > \"$5\"\n", base.display())).unwrap();
        std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        let ptxas = Ptxas::for_tests(&program);
        let runs = || std::fs::read_to_string(base.join("runs")).unwrap().lines().count();
        let mut seen = Vec::new();
        for (text, arch) in [("a", "sm_80"), ("a", "sm_80"), ("a", "sm_90"), ("b", "sm_80"), ("a", "sm_80")] {
            std::fs::write(&ptx, text).unwrap();
            assert!(assemble(&base, &ptxas, &ptx, arch).unwrap().cubin.is_file());
            seen.push(runs());
        }
        assert_eq!(seen, [1, 1, 2, 3, 4]);
    }

    #[test]
    fn ptx_with_functions_is_assembled_for_the_linker_and_linked() {
        let base = Scratch::new("assemble-link").unwrap();
        // Both append their arguments to a file, and create the file that -o names.
        for name in ["ptxas", "nvlink"] {
            let script = "#!/bin/sh\necho \"$(basename $0) $*\" >> FOLDER/runs\n\
                          while [ \"$1\" != -o ]; do shift; done; : > \"$2\"\n";
            std::fs::write(base.join(name), script.replace("FOLDER", &base.display().to_string())).unwrap();
            // As unpacked from a wheel, the linker may not be run.
            let mode = std::os::unix::fs::PermissionsExt::from_mode(if name == "ptxas" { 0o755 } else { 0o644 });
            std::fs::set_permissions(base.join(name), mode).unwrap();
        }
        let (ptxas, ptx) = (Ptxas::for_tests(&base.join("ptxas")), base.join("k.ptx"));
        std::fs::write(&ptx, ".visible .entry k()\n{\n}\n.func f()\n{\n}\n").unwrap();
        assert!(assemble(&base, &ptxas, &ptx, "sm_90").unwrap().cubin.is_file());
        let runs = std::fs::read_to_string(base.join("runs")).unwrap();
        let [assembled, linked]: [&str; 2] = runs.lines().collect::<Vec<_>>().try_into().unwrap();
        assert!(assembled.starts_with("ptxas -arch=sm_90 -v ") && assembled.ends_with(".o -c"), "{assembled}");
        assert!(linked.starts_with("nvlink -arch=sm_90 ") && linked.ends_with("k.sm_90.cubin"), "{linked}");
    }

    #[test]
    fn the_table_has_a_line_for_each_entry() {
        let text = table(&parse_resources(SAID)).to_string();
        assert!(text.contains("halo") && text.contains("1024"), "{text}");
    }
}

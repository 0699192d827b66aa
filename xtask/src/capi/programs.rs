//! Programs in CUDA C++, which are compiled unchanged with this library or with NVSHMEM.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result};

use super::cuda::Nvcc;
use crate::files;
use crate::parallel;
use crate::ptx::arch_number;
use crate::shell;

/// The programs that run, and the script that runs them.
const FOLDER: &str = "tests/capi/programs";
/// The folder of built programs in the folder of the C interface.
pub(crate) const FOLDER_MADE: &str = "programs";
/// The script, which lies beside the folders of built programs.
pub(crate) const SCRIPT: &str = "run.sh";
/// The words of a source with a part for the GPU that the program loads from a file.
const HAS_MODULE: &str = "defined MODULE";

/// Options for small programs, since folders for nodes have all of them.
const SMALL: [&str; 3] = ["-Xlinker=-s", "-Xfatbin=-compress-all", "-Xfatbin=-compress-mode=size"];

/// A program: its name, and its sources.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub(crate) name: String,
    pub(crate) sources: Vec<PathBuf>,
    /// Folders of headers of its own.
    pub(crate) include: Vec<PathBuf>,
    /// The oldest architecture whose instructions it has.
    pub(crate) oldest: u32,
    /// The architecture that it is built for, if not for all.
    pub(crate) only: Option<String>,
    /// Whether it is also compiled to a module, `NAME.fatbin`.
    pub(crate) has_module: bool,
}

impl Program {
    /// Returns a program without a module.
    pub(crate) fn new(name: &str, sources: Vec<PathBuf>, include: Vec<PathBuf>) -> Self {
        Self { name: name.into(), sources, include, oldest: 0, only: None, has_module: false }
    }
}

/// Returns the programs that run, by name.
pub(crate) fn all(root: &Path) -> Result<Vec<Program>> {
    let one = |file: PathBuf| {
        let text = files::read(&file)?;
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let has_module = text.contains(HAS_MODULE);
        Ok(Program { has_module, ..Program::new(&name, vec![file], Vec::new()) })
    };
    files::with_extension(&root.join(FOLDER), "cu")?.into_iter().map(one).collect()
}

/// The library that programs are built with: a folder with `include` and `lib`.
#[derive(Clone, Debug)]
pub(crate) struct Library {
    include: PathBuf,
    /// The folder of the files that the linker takes.
    lib: PathBuf,
    /// The folder in which the program looks for the host library.
    found_in: String,
}

impl Library {
    /// Returns this library at `home`. Programs look for it at `../../lib` of their own folder.
    pub(crate) fn ours(home: &Path) -> Self {
        Self { include: home.join("include"), lib: home.join("lib"), found_in: "$ORIGIN/../../lib".into() }
    }

    /// Returns NVSHMEM at `home`. Its Python package has no file of the name that the linker takes: `links` gets one.
    ///
    /// # Errors
    /// The link can't be made.
    pub(crate) fn nvshmem(home: &Path, links: &Path) -> Result<Self> {
        files::make_folder(links)?;
        // A link to a relative path would lead to another folder.
        let home = home.canonicalize().with_context(|| format!("cannot reach {}", home.display()))?;
        for (name, of) in
            [("libnvshmem_host.so", "libnvshmem_host.so.3"), ("libnvshmem_device.a", "libnvshmem_device.a")]
        {
            let _ = std::fs::remove_file(links.join(name));
            let of = home.join("lib").join(of);
            symlink(&of, links.join(name)).with_context(|| format!("cannot make a link to {}", of.display()))?;
        }
        let found_in = home.join("lib").display().to_string();
        Ok(Self { include: home.join("include"), lib: links.to_path_buf(), found_in })
    }
}

/// Compiles and links each program in `out`, for those of the architectures that it can have. One call of nvcc makes
/// the machine code of all: the headers are the same for each.
///
/// # Errors
/// nvcc's messages.
pub(crate) fn build(nvcc: &Nvcc, library: &Library, programs: &[Program], archs: &[String], out: &Path) -> Result<()> {
    files::make_folder(out)?;
    parallel::map(programs, |program| {
        let begun = Instant::now();
        let archs = program.only.as_ref().map_or(archs, std::slice::from_ref);
        let Some(code) = code_for(archs, program.oldest) else { return Ok(()) };
        let made = out.join(&program.name);
        let command = || {
            let mut command = nvcc.command();
            command.args(["-rdc=true", "-gencode", &code, "-I"]).arg(&library.include);
            program.include.iter().for_each(|folder| {
                command.arg("-I").arg(folder);
            });
            command.args(&program.sources).arg("-L").arg(&library.lib).arg("-lnvshmem_device");
            command
        };
        let mut link = command();
        link.arg("-lnvshmem_host").arg(format!("-Xlinker=-rpath={}", library.found_in));
        link.args(SMALL).arg("-o").arg(&made);
        shell::capture(&mut link)?;
        if program.has_module {
            let mut module = command();
            module.args(["-DMODULE", "-dlink", "-fatbin", "-o"]).arg(made.with_extension("fatbin"));
            shell::capture(&mut module)?;
        }
        eprintln!("{}: built in {:.1} s", made.display(), begun.elapsed().as_secs_f64());
        Ok(())
    })?;
    Ok(())
}

/// Builds the programs that run in `out`: with this library, whose folder is `home`, and with NVSHMEM if its folder is
/// given. Adds the script that runs them.
pub(crate) fn make(
    root: &Path,
    nvcc: &Nvcc,
    home: &Path,
    nvshmem: Option<&Path>,
    archs: &[String],
    out: &Path,
) -> Result<()> {
    let programs = all(root)?;
    build(nvcc, &Library::ours(home), &programs, archs, &out.join("oxshmem"))?;
    if let Some(theirs) = nvshmem {
        let links = crate::place::target_dir(root).join("capi/nvshmem");
        build(nvcc, &Library::nvshmem(theirs, &links)?, &programs, archs, &out.join("nvshmem"))?;
    }
    let script = root.join(FOLDER).join(SCRIPT);
    std::fs::copy(&script, out.join(SCRIPT)).with_context(|| format!("cannot copy {}", script.display()))?;
    Ok(())
}

/// Builds each program for one architecture that it can have, in turn, so that each of them builds a part.
pub(crate) fn share_out(programs: &mut [Program], archs: &[&str]) {
    for (place, program) in programs.iter_mut().enumerate() {
        let can_have: Vec<&&str> = archs.iter().filter(|arch| arch_number(arch) >= Some(program.oldest)).collect();
        program.only = can_have.get(place % can_have.len().max(1)).map(|arch| arch.to_string());
    }
}

/// Returns the option by which code is compiled for the first of the architectures that are not older than `oldest`,
/// and assembled for all of them; `None` if there are none.
fn code_for(archs: &[String], oldest: u32) -> Option<String> {
    let archs = archs.iter().filter(|arch| arch_number(arch) >= Some(oldest));
    let archs: Vec<&str> = archs.map(String::as_str).collect();
    let first = archs.iter().filter_map(|arch| arch_number(arch)).min()?;
    Some(format!("arch=compute_{first},code=[{}]", archs.join(",")))
}

#[cfg(test)]
mod tests {
    use oxshmem_raw::os::private::Scratch;

    use super::*;

    #[test]
    fn code_is_compiled_for_the_first_architecture_that_a_program_can_have_and_assembled_for_each() {
        let archs = ["sm_100", "sm_80", "sm_90"].map(String::from);
        assert_eq!(code_for(&archs, 0).unwrap(), "arch=compute_80,code=[sm_100,sm_80,sm_90]");
        assert_eq!(code_for(&archs, 90).unwrap(), "arch=compute_90,code=[sm_100,sm_90]");
        assert_eq!(code_for(&archs, 101), None);
    }

    #[test]
    fn programs_that_share_the_architectures_out_have_one_each_that_they_can_have() {
        let program = |name: &str, oldest| Program { oldest, ..Program::new(name, Vec::new(), Vec::new()) };
        let mut all = [program("a", 90), program("b", 0), program("c", 0), program("d", 101)];
        share_out(&mut all, &["sm_80", "sm_90", "sm_100"]);
        let of: Vec<Option<&str>> = all.iter().map(|one| one.only.as_deref()).collect();
        assert_eq!(of, [Some("sm_90"), Some("sm_90"), Some("sm_100"), None]);
    }

    #[test]
    fn a_source_with_a_part_for_a_module_is_found_and_each_program_has_one_source() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let programs = all(root).unwrap();
        let with_module: Vec<&str> =
            programs.iter().filter(|one| one.has_module).map(|one| one.name.as_str()).collect();
        assert_eq!(with_module, ["experts", "symmetric"]);
        assert!(programs.iter().all(|one| one.sources.len() == 1) && programs.len() > with_module.len());
        assert!(root.join(FOLDER).join(SCRIPT).is_file());
    }

    #[test]
    fn the_script_passes_right_programs_whose_lines_agree_and_names_every_other_one() {
        use std::os::unix::fs::PermissionsExt;
        let base = Scratch::new("run").unwrap();
        let script = base.join(SCRIPT);
        let said_by = |names: &[&str]| {
            let run = std::process::Command::new("bash").arg(&script).args(names).env("LIMIT", "30").output().unwrap();
            (run.status.success(), String::from_utf8_lossy(&run.stdout).into_owned())
        };
        for library in ["oxshmem", "nvshmem"] {
            std::fs::create_dir_all(base.join(library)).unwrap();
            let right = "echo \"$(basename $0): right, PE $PROGRAM_PE of $PROGRAM_PES, checksum";
            for (name, text) in [
                ("good", format!("{right} 1\"")),
                ("differs", format!("{right} {library}\"")),
                ("wrong", format!("[ $PROGRAM_PE = 0 ] || {{ echo 'a[3] is 4, not 5'; exit 1; }}; {right} 1\"")),
                ("silent", "true".into()),
            ] {
                let file = base.join(library).join(name);
                std::fs::write(&file, format!("#!/bin/sh\n{text}\n")).unwrap();
                std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
            }
        }
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        std::fs::copy(root.join(FOLDER).join(SCRIPT), &script).unwrap();
        let (good, all) = (said_by(&["good"]), said_by(&[]));
        assert!(good.0 && good.1.contains("1 programs right with 2 PEs, 1 of them compared"), "{}", good.1);
        for part in ["differs: not the same with NVSHMEM", "wrong: PE 1", "a[3] is 4, not 5", "silent: PE 0", "3 wrong"]
        {
            assert!(!all.0 && all.1.contains(part), "{part} in {}", all.1);
        }
    }
}

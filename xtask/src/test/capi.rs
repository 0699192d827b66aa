//! Steps for the C interface: headers, the device library, and programs that link it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result};

use crate::capi::{self, Nvcc, interface};
use crate::parallel;
use crate::place::target_dir;
use crate::ptx::{ASSEMBLED_ARCHS, arch_number};
use crate::shell;
use crate::steps::{Done, Step};
use crate::tidy::golden;

/// The folder of programs.
const PROGRAMS: &str = "tests/capi";
/// A program for NVSHMEM, which is compiled unchanged, and the part that it shares with programs for other libraries.
const PEER: [&str; 2] = ["tests/peers/nvshmem", "tests/peers/common"];
/// The variable that names a Python with Triton.
const PYTHON: &str = "OXSHMEM_TRITON_PYTHON";
/// The most bytes of the device library's forms.
const MOST_BYTES: [(&str, u64); 2] = [("liboxshmem_device.a", 5_000_000), ("liboxshmem_device.bc", 500_000)];

pub(super) fn steps(root: &Path) -> Vec<Step<'_>> {
    vec![
        Step::new("C interface: headers in C and C++", || headers(root)),
        Step::new("C interface: NVSHMEM's types and values", || types(root)),
        Step::new("C interface: orders of inline calls", || orders(root)),
        Step::new("C interface: programs for three architectures", || programs(root)),
        Step::new("C interface: a Triton kernel", || triton(root)),
    ]
}

/// Compiles a host program by each standard, without the CUDA toolkit.
fn headers(root: &Path) -> Result<Done> {
    let Some(cc) = shell::on_path("cc") else { return Ok(Done::Skipped("there is no cc".into())) };
    for (language, standard) in [("c", "c99"), ("c", "c17"), ("c++", "c++11"), ("c++", "c++20")] {
        let mut command = Command::new(&cc);
        command.args(["-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-pedantic", "-x", language]);
        command.arg(format!("-std={standard}")).arg("-I").arg(root.join("include"));
        shell::capture(command.arg(root.join(PROGRAMS).join("host.c")))?;
    }
    Ok(Done::Passed)
}

/// Compiles the assertions with our headers and, if `NVSHMEM_HOME` names them, with NVSHMEM's.
fn types(root: &Path) -> Result<Done> {
    let nvcc = match Nvcc::find(root, None) {
        Ok(nvcc) => nvcc,
        Err(why) => return Ok(Done::Skipped(format!("there is no nvcc: {why:#}"))),
    };
    interface::check(root, &nvcc, &root.join("include"))?;
    if let Some(home) = std::env::var_os("NVSHMEM_HOME") {
        interface::check(root, &nvcc, &PathBuf::from(home).join("include"))?;
    }
    Ok(Done::Passed)
}

/// Compares the PTX of inline calls with the promises of the same calls in Rust, and with those of `orders.toml`.
fn orders(root: &Path) -> Result<Done> {
    let nvcc = match Nvcc::find(root, None) {
        Ok(nvcc) => nvcc,
        Err(why) => return Ok(Done::Skipped(format!("there is no nvcc: {why:#}"))),
    };
    let (source, folder) = (root.join(PROGRAMS).join("orders.cu"), target_dir(root).join("capi/interface"));
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
    let file = folder.join("orders.ptx");
    let mut command = nvcc.command();
    command.args(["-rdc=true", "-ptx", "-arch=sm_90", "-I"]).arg(root.join("include"));
    shell::capture(command.arg(&source).arg("-o").arg(&file))?;
    let ptx = std::fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
    let of_c = golden::read(&root.join(PROGRAMS).join("orders.toml"))?;
    let mut seen = Vec::new();
    let mut findings = golden::check(&of_c, &file, &ptx, &mut seen);
    let lost = of_c.keys().find(|name| !seen.contains(name)).cloned();
    findings.extend(golden::check(&golden::read(&root.join("xtask/golden.toml"))?, &file, &ptx, &mut seen));
    Ok(match (lost, findings.as_slice()) {
        (Some(lost), _) => Done::Failed(format!("{} has no kernel `{lost}`", source.display())),
        (None, []) => Done::Passed,
        (None, [first, ..]) => Done::Failed(first.to_string()),
    })
}

/// Makes the folder of the C interface, and compiles and links programs against it for each architecture.
fn programs(root: &Path) -> Result<Done> {
    let nvcc = match Nvcc::find(root, None) {
        Ok(nvcc) => nvcc,
        Err(why) => return Ok(Done::Skipped(format!("there is no nvcc: {why:#}"))),
    };
    let tree = target_dir(root).join("capi/tree");
    capi::make(root, &capi::Options::whole(tree.clone()), &tree)?;
    for (name, most) in MOST_BYTES {
        let bytes = tree.join("lib").join(name).metadata().with_context(|| format!("no {name}"))?.len();
        if bytes > most {
            return Ok(Done::Failed(format!("{name} has {bytes} bytes, and {most} at most are wanted")));
        }
    }
    let calls = target_dir(root).join("capi/interface/calls.inc");
    std::fs::write(&calls, interface::calls()?).with_context(|| format!("cannot write {}", calls.display()))?;
    let peer = PEER.map(|folder| sources(&root.join(folder))).into_iter().collect::<Result<Vec<_>>>()?.concat();
    let programs: Vec<(&str, Vec<PathBuf>)> =
        [("ring", "ring.cu"), ("face", "face.cu"), ("every_name", "every_name.cu")]
            .map(|(name, file)| (name, vec![root.join(PROGRAMS).join(file)]))
            .into_iter()
            .chain([("peer", peer)])
            .collect();
    let mut jobs: Vec<(&str, &(&str, Vec<PathBuf>))> =
        ASSEMBLED_ARCHS.iter().flat_map(|arch| programs.iter().map(move |program| (*arch, program))).collect();
    // The peer has instructions of sm_90.
    jobs.retain(|(arch, (name, _))| *name != "peer" || arch_number(arch) >= Some(90));
    parallel::map(&jobs, |(arch, (name, files))| build(root, &nvcc, &tree, arch, name, files))?;
    Ok(Done::Passed)
}

/// Compiles and links a program. Without the host library its functions stay open.
fn build(root: &Path, nvcc: &Nvcc, tree: &Path, arch: &str, name: &str, files: &[PathBuf]) -> Result<()> {
    let folder = target_dir(root).join("capi/programs");
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
    let program = folder.join(format!("{name}.{arch}"));
    let mut compile = nvcc.command();
    compile.args(["-rdc=true", "-c", &format!("-arch={arch}"), "-I"]).arg(tree.join("include"));
    compile.arg("-I").arg(target_dir(root).join("capi/interface"));
    for folder in PEER {
        compile.arg("-I").arg(root.join(folder));
    }
    let mut objects = Vec::new();
    for file in files {
        let stem = file.file_stem().unwrap_or_default().to_string_lossy();
        let object = folder.join(format!("{name}.{stem}.{arch}.o"));
        let mut one = nvcc.command();
        one.args(compile.get_args()).arg(file).arg("-o").arg(&object);
        shell::capture(&mut one)?;
        objects.push(object);
    }
    let begun = Instant::now();
    let mut link = nvcc.command();
    link.args(["-rdc=true", &format!("-arch={arch}")]).args(&objects).arg("-L").arg(tree.join("lib"));
    link.arg("-lnvshmem_device");
    match tree.join("lib/libnvshmem_host.so").exists() {
        true => link.arg("-lnvshmem_host"),
        false => link.arg("-Xlinker=--unresolved-symbols=ignore-all"),
    };
    shell::capture(link.arg("-o").arg(&program))?;
    eprintln!("{}: linked in {:.1} s", program.display(), begun.elapsed().as_secs_f64());
    Ok(())
}

/// Compiles a Triton kernel against the bitcode, and looks for the orders of its calls in the PTX.
fn triton(root: &Path) -> Result<Done> {
    let python = std::env::var_os(PYTHON).map_or_else(|| PathBuf::from("python3"), PathBuf::from);
    if shell::capture(Command::new(&python).args(["-c", "import triton"])).is_err() {
        return Ok(Done::Skipped(format!("{PYTHON} names no Python with Triton, and python3 has none")));
    }
    let library = target_dir(root).join("capi/tree/lib/liboxshmem_device.bc");
    if !library.is_file() {
        return Ok(Done::Skipped("the bitcode was not built".into()));
    }
    let mut command = Command::new(&python);
    command.arg(root.join(PROGRAMS).join("triton_kernel.py")).arg(&library);
    // Triton would take the result of an earlier library from its cache.
    let cache = target_dir(root).join("capi/triton");
    let _ = std::fs::remove_dir_all(&cache);
    let ptx = shell::capture(command.env("TRITON_CACHE_DIR", &cache))?;
    eprintln!("Triton kernel: {}", ptx.lines().last().unwrap_or_default());
    let needed = ["st.release.sys.global.u64", "ld.acquire.sys.global.u64", "fence.sc.sys", "fence.acq_rel.sys"];
    Ok(match needed.into_iter().find(|word| !ptx.contains(word)) {
        Some(word) => Done::Failed(format!("the kernel has no `{word}`")),
        None if ptx.contains(".extern .func") => Done::Failed("a call of the kernel is open".into()),
        None => Done::Passed,
    })
}

fn sources(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let files = entries.flatten().map(|entry| entry.path());
    let mut sources: Vec<PathBuf> = files.filter(|file| file.extension().is_some_and(|end| end == "cu")).collect();
    sources.sort();
    Ok(sources)
}

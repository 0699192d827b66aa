//! Steps for the C interface: headers, the device library, and programs that link it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use super::{left_out, succeeds};
use crate::capi::programs::{self, Program};
use crate::capi::{self, Nvcc, interface};
use crate::fetch::wheels::{NVSHMEM, imports, make_executable, python_with};
use crate::files::{self, read_toml};
use crate::manifest;
use crate::place::{Place, target_dir};
use crate::ptx::{self, ASSEMBLED_ARCHS};
use crate::shell;
use crate::steps::{Done, Step};
use crate::tidy::golden::{self, Golden};

/// The folder of programs.
const PROGRAMS: &str = "tests/capi";
/// The most registers of the small kernels whose names begin so: NVSHMEM 3.8's, and of a get as many as a block of 1,024
/// threads can have.
const MOST_REGISTERS: [(&str, u32); 4] = [("put_by_thread", 40), ("put", 32), ("p_and_wait", 32), ("get", 64)];
/// A program for NVSHMEM, which is compiled unchanged, and the part that it shares with programs for other libraries.
const PEER: [&str; 2] = ["tests/peers/nvshmem", "tests/peers/common"];
/// The options by which a program is compiled for any world, and for loads and stores alone.
const REMOTE: &str = "-DOXSHMEM_REMOTE=1";
const LOAD_STORE: &str = "-DOXSHMEM_REMOTE=0";
/// The variable that names a Python with Triton.
const PYTHON: &str = "OXSHMEM_TRITON_PYTHON";
/// The packages that are fetched if no Python is named: the oldest one, and the others with `--full`.
pub(super) const TRITONS: [&str; 3] = ["triton==3.5.1", "triton==3.6.0", "triton==3.7.1"];
/// The limit of the step; the programs stop earlier by themselves.
const PROGRAMS_LIMIT: Duration = Duration::from_secs(60 * 60);
/// The limit of the test of tiles.
const TILES_LIMIT: Duration = Duration::from_secs(5 * 60);
/// The most bytes of the libraries with all transports.
const MOST_BYTES: [(&str, u64); 2] = [("liboxshmem_device.a", 5_000_000), ("liboxshmem_host.so", 5_000_000)];
const MOST_BYTES_OF_BITCODE: u64 = 500_000;
/// The time of a small program's link on an idle machine, and the limit, since other steps run beside it.
const LINK_SECONDS: (f64, f64) = (2.0, 20.0);

/// Returns the steps; with `full` programs link the libraries as clusters get them, with all transports.
pub(super) fn steps(root: &Path, full: bool) -> Vec<Step<'_>> {
    vec![
        Step::new("C interface: headers in C and C++", || headers(root)),
        Step::in_background("C interface: NVSHMEM's types and values", || with_nvcc(root, |nvcc| types(root, nvcc))),
        Step::in_background("C interface: headers by NVRTC", || {
            with_nvcc(root, |nvcc| super::nvrtc::headers(root, nvcc))
        }),
        Step::in_background("C interface: arithmetic of tiles", || with_nvcc(root, |nvcc| tiles(root, nvcc))),
        Step::in_background("C interface: orders of inline calls", || with_nvcc(root, |nvcc| orders(root, nvcc))),
        Step::in_background("C interface: registers of small kernels", || {
            with_nvcc(root, |nvcc| registers(root, nvcc))
        }),
        Step::in_background("C interface: programs for three architectures", move || {
            with_nvcc(root, |nvcc| programs(root, nvcc, full))
        }),
        Step::in_background("C interface: a Triton kernel", move || triton(root, full)),
    ]
}

/// Runs the step with nvcc. A missing compiler is a failure in CI alone.
fn with_nvcc(root: &Path, step: impl FnOnce(&Nvcc) -> Result<Done>) -> Result<Done> {
    match Nvcc::find(root, None) {
        Ok(nvcc) => step(&nvcc),
        Err(why) => Ok(left_out(format!("there is no nvcc: {why:#}"))),
    }
}

/// Compiles a host program by each standard, without the CUDA toolkit.
fn headers(root: &Path) -> Result<Done> {
    let Some(cc) = shell::on_path("cc") else { return Ok(left_out("there is no cc".into())) };
    for (language, standard) in [("c", "c99"), ("c", "c17"), ("c++", "c++11"), ("c++", "c++20")] {
        let mut command = Command::new(&cc);
        command.args(["-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-pedantic", "-x", language]);
        command.arg(format!("-std={standard}")).arg("-I").arg(root.join("include"));
        shell::capture(command.arg(root.join(PROGRAMS).join("host.c")))?;
    }
    Ok(Done::Passed)
}

/// Compiles the assertions with our headers and with NVSHMEM's, which `NVSHMEM_HOME` names or the Python package has.
fn types(root: &Path, nvcc: &Nvcc) -> Result<Done> {
    interface::check(root, nvcc, &root.join("include"))?;
    let nvshmem = match nvshmem_home(root) {
        Ok(home) => home,
        Err(why) => return Ok(left_out(format!("{why:#}"))),
    };
    interface::check(root, nvcc, &nvshmem.join("include"))?;
    Ok(Done::Passed)
}

/// Compiles the headers' arithmetic of tiles for the host, and runs its test.
fn tiles(root: &Path, nvcc: &Nvcc) -> Result<Done> {
    let folder = interface::folder(root)?;
    let made = folder.join("tile_rows");
    let mut command = nvcc.command();
    command.args(["-O1", "-I"]).arg(root.join("include")).arg(root.join(PROGRAMS).join("tile_rows.cpp"));
    shell::capture(command.arg("-o").arg(&made))?;
    succeeds(&mut Command::new(&made), root, TILES_LIMIT)
}

/// Returns the folder of NVSHMEM that `NVSHMEM_HOME` names, or that of its Python package, which is fetched if needed.
pub(super) fn nvshmem_home(root: &Path) -> Result<PathBuf> {
    if let Some(home) = std::env::var_os("NVSHMEM_HOME") {
        return Ok(home.into());
    }
    NVSHMEM.find(root)
}

/// Compares the PTX of inline calls, for any world and for loads and stores alone, with the promises of the same calls in
/// Rust, and with those of `orders.toml`.
fn orders(root: &Path, nvcc: &Nvcc) -> Result<Done> {
    let (source, folder) = (root.join(PROGRAMS).join("orders.cu"), interface::folder(root)?);
    let file = folder.join("orders.ptx");
    let of_c: Golden = read_toml(&root.join(PROGRAMS).join("orders.toml"))?;
    let of_rust: Golden = read_toml(&root.join("xtask/golden.toml"))?;
    for remote in [REMOTE, LOAD_STORE] {
        let mut command = nvcc.command();
        command.args(["-rdc=true", "-ptx", "-arch=sm_90", remote, "-I"]).arg(root.join("include"));
        shell::capture(command.arg(&source).arg("-o").arg(&file))?;
        let ptx = files::read(&file)?;
        // By the PTX ISA (`ld.volatile`, `st.volatile`) a volatile access has the semantics of a relaxed one at system
        // scope. An atomic without an order is relaxed, and nvcc writes the scope after the state space.
        let ptx = ptx.replace("ld.volatile.", "ld.relaxed.sys.").replace("st.volatile.", "st.relaxed.sys.");
        let ptx = ptx.replace("atom.global.sys.", "atom.relaxed.sys.global.");
        let mut seen = Vec::new();
        let mut findings = golden::check(&of_c, &file, &ptx, &mut seen);
        if let Some(lost) = of_c.keys().find(|name| !seen.contains(name)) {
            return Ok(Done::Failed(format!("{} has no kernel `{lost}`", source.display())));
        }
        findings.extend(golden::check(&of_rust, &file, &ptx, &mut seen));
        if let Some(first) = findings.first() {
            return Ok(Done::Failed(format!("{first} ({remote})")));
        }
    }
    Ok(Done::Passed)
}

/// Compiles small kernels, for any world and for loads and stores alone, which must not need more registers than these.
fn registers(root: &Path, nvcc: &Nvcc) -> Result<Done> {
    let folder = interface::folder(root)?;
    for remote in [REMOTE, LOAD_STORE] {
        let mut command = nvcc.command();
        command.args(["-rdc=true", "-arch=sm_90", "-Xptxas", "-v", remote, "-c", "-I"]).arg(root.join("include"));
        command.arg(root.join(PROGRAMS).join("registers.cu")).arg("-o").arg(folder.join("registers.o"));
        let said = shell::output(&mut command)?;
        let said = [said.stdout, said.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
        let uses = ptx::parse_resources(&said);
        for (name, _) in MOST_REGISTERS {
            if !uses.iter().any(|one| one.entry.starts_with(name)) {
                return Ok(Done::Failed(format!("nvcc names no kernel `{name}`: {}", shell::tail(&said, 5))));
            }
        }
        for one in &uses {
            let most = MOST_REGISTERS.iter().find(|(name, _)| one.entry.starts_with(name)).map_or(0, |(_, most)| *most);
            if one.registers > most {
                let why =
                    format!("`{}` has {} registers, {most} at most are wanted ({remote})", one.entry, one.registers);
                return Ok(Done::Failed(why));
            }
        }
    }
    Ok(Done::Passed)
}

/// Makes the folder of the C interface, and compiles and links programs against it: with `full` each for each
/// architecture, otherwise each for one in turn.
fn programs(root: &Path, nvcc: &Nvcc, full: bool) -> Result<Done> {
    let tree = target_dir(root).join("capi/tree");
    let options = if full { capi::Options::whole } else { capi::Options::to_link };
    capi::make(root, &options(tree.clone()), &tree)?;
    for (name, most) in MOST_BYTES.into_iter().filter(|_| full) {
        if let Some(why) = too_large(&tree.join("lib").join(name), most)? {
            return Ok(Done::Failed(why));
        }
    }
    let of_names = interface::folder(root)?;
    files::write(&of_names.join("calls.inc"), interface::calls()?)?;
    let library = programs::Library::ours(&tree);
    let of_peer = PEER.map(|folder| root.join(folder));
    let peer = of_peer.iter().map(|folder| files::with_extension(folder, "cu")).collect::<Result<Vec<_>>>()?.concat();
    // The peer takes longest and every name a half of that, so they are the first; and the peer has instructions of
    // sm_90.
    let every_name = Program::new("every_name", vec![root.join(PROGRAMS).join("every_name.cu")], vec![of_names]);
    let mut all = vec![Program { oldest: 90, ..Program::new("peer", peer, of_peer.into()) }];
    all.extend(programs::all(root)?);
    all.push(Program::new("face", vec![root.join(PROGRAMS).join("face.cu")], Vec::new()));
    if !full {
        programs::share_out(&mut all, &ASSEMBLED_ARCHS);
    }
    // Every name compiles for each.
    all.insert(1, every_name);
    programs::build(nvcc, &library, &all, &ASSEMBLED_ARCHS.map(String::from), &tree.join("programs/oxshmem"))?;
    // The library decides which form of the headers the programs have. Every name compiles in the other one too.
    let mut other = nvcc.command();
    other.args(["-rdc=true", "-ptx", "-arch=sm_90", if full { LOAD_STORE } else { REMOTE }, "-I"]);
    other.arg(tree.join("include")).arg("-I").arg(target_dir(root).join("capi/interface"));
    let source = root.join(PROGRAMS).join("every_name.cu");
    shell::capture(other.arg(source).arg("-o").arg(target_dir(root).join("capi/interface/every_name.ptx")))?;
    link(root, nvcc, &tree, full)
}

/// Links the smallest program, compiled before, and prints the time: users wait for it after each change. A program that
/// was compiled for another library's transports must not link, and one without relocatable code not compile. A program
/// for the host alone links the host library alone.
fn link(root: &Path, nvcc: &Nvcc, tree: &Path, full: bool) -> Result<Done> {
    let folder = target_dir(root).join("capi/interface");
    let (object, made) = (folder.join("ring.o"), folder.join("ring"));
    let command = || {
        let mut command = nvcc.command();
        command.args(["-rdc=true", "-arch=sm_90"]);
        command
    };
    let compile = |option: Option<&str>| {
        let mut compile = command();
        compile.args(option).arg("-I").arg(tree.join("include")).arg("-c");
        shell::capture(compile.arg(root.join(PROGRAMS).join("programs/ring.cu")).arg("-o").arg(&object))
    };
    let mut link = command();
    link.arg(&object).arg("-L").arg(tree.join("lib")).args(["-lnvshmem_host", "-lnvshmem_device", "-o"]).arg(&made);
    let (other, variable) = if full { (LOAD_STORE, "oxshmem_load_store_world") } else { (REMOTE, "oxshmem_world") };
    compile(Some(other))?;
    let refused = shell::output(&mut link)?;
    let said = [refused.stdout, refused.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
    if refused.status.success() || !said.contains(&format!("'{variable}'")) {
        return Ok(Done::Failed(format!("a program compiled with {other} links: {}", shell::tail(&said, 3))));
    }
    let mut whole = nvcc.command();
    whole.args(["-arch=sm_90", "-c", "-I"]).arg(tree.join("include")).arg(root.join(PROGRAMS).join("programs/ring.cu"));
    let refused = shell::capture(whole.arg("-o").arg(&object)).err().map(|why| format!("{why:#}")).unwrap_or_default();
    if !refused.contains("need_rdc_true") {
        return Ok(Done::Failed(format!(
            "a kernel without -rdc=true is not refused for it: {}",
            shell::tail(&refused, 3)
        )));
    }
    let mut of_host = nvcc.command();
    of_host.args(["-x", "cu"]).arg(root.join(PROGRAMS).join("runtime.cpp")).arg("-I").arg(tree.join("include"));
    shell::capture(of_host.arg("-L").arg(tree.join("lib")).arg("-lnvshmem_host").arg("-o").arg(&made))?;
    compile(None)?;
    let begun = Instant::now();
    shell::capture(&mut link)?;
    let (seconds, (wanted, most)) = (begun.elapsed().as_secs_f64(), LINK_SECONDS);
    // The same with one archive for host and device, and the version that programs of NVSHMEM's library ask for.
    let mut of_one = command();
    of_one.arg(&object).arg("-L").arg(tree.join("lib")).args(["-lnvshmem", "-o"]).arg(&made);
    shell::capture(&mut of_one)?;
    let library = tree.join("lib/libnvshmem_host.so.3");
    let versions = shell::capture(Command::new("nm").args(["-D", "--with-symbol-versions"]).arg(library))?;
    if !versions.contains(" T nvshmem_init@@NVSHMEM") {
        return Ok(Done::Failed("the functions of the host library do not have NVSHMEM's version".into()));
    }
    eprintln!("a small program links in {seconds:.2} s; {wanted} s are wanted on an idle machine");
    Ok(if seconds <= most { Done::Passed } else { Done::Failed(format!("a small program links in {seconds:.0} s")) })
}

/// Runs the programs as PEs on the GPUs of this machine, two at least: with this library, and with NVSHMEM if
/// `NVSHMEM_HOME` names it. A checkout builds them first; a packed folder has them if it was made with nvcc.
pub(super) fn on_gpus(place: &Place, n: u32) -> Result<Done> {
    let (root, home) = match place {
        Place::Packed(root) => (root.as_path(), root.join(manifest::C_FOLDER)),
        Place::Checkout(root) => (&**root, target_dir(root).join("capi/tree")),
    };
    let folder = home.join(programs::FOLDER_MADE);
    if let Place::Checkout(root) = place {
        let nvcc = match Nvcc::find(root, None) {
            Ok(nvcc) => nvcc,
            Err(why) => return Ok(Done::Skipped(format!("there is no nvcc: {why:#}"))),
        };
        let nvshmem = std::env::var_os("NVSHMEM_HOME").map(PathBuf::from);
        capi::make(root, &capi::Options::whole(home.clone()), &home)?;
        programs::make(root, &nvcc, &home, nvshmem.as_deref(), &ASSEMBLED_ARCHS.map(String::from), &folder)?;
    }
    let script = folder.join(programs::SCRIPT);
    if !script.is_file() {
        return Ok(Done::Skipped("the folder was packed without programs in CUDA C++".into()));
    }
    succeeds(Command::new("bash").arg(script).env("N_PES", n.max(2).to_string()), root, PROGRAMS_LIMIT)
}

/// Compiles Triton kernels against the bitcode, one of which calls every function of it, and looks for the orders of
/// their calls in the PTX.
fn triton(root: &Path, full: bool) -> Result<Done> {
    let library = capi::bitcode(root)?;
    if let Some(why) = too_large(&library, MOST_BYTES_OF_BITCODE)? {
        return Ok(Done::Failed(why));
    }
    for version in TRITONS.iter().take(if full { TRITONS.len() } else { 1 }) {
        let command = match with_triton(root, version) {
            Ok(command) => command,
            Err(why) => return Ok(left_out(format!("{why:#}"))),
        };
        if let Some(why) = by_triton(root, version, command, &library)? {
            return Ok(Done::Failed(format!("{version}: {why}")));
        }
    }
    Ok(Done::Passed)
}

/// Compiles the kernels with one Triton, and returns its defect, if there is one.
fn by_triton(root: &Path, version: &str, mut command: Command, library: &Path) -> Result<Option<String>> {
    command.arg(root.join(PROGRAMS).join("triton_kernel.py")).arg(library);
    // Triton would take the result of an earlier library from its cache.
    let cache = target_dir(root).join("capi/triton");
    let _ = std::fs::remove_dir_all(&cache);
    let ptx = shell::capture(command.env("TRITON_CACHE_DIR", &cache))?;
    eprintln!(
        "kernels by {version}, processor's time: {}",
        ptx.lines().last().unwrap_or_default().trim_start_matches("// ")
    );
    Ok(defect(&ptx, &defined(library)))
}

/// The instructions that kernels must have, each for a promise of one of its calls.
const NEEDED: [(&str, &[&str]); 2] = [
    ("ring", &["st.release.sys.global.u64", "ld.acquire.sys.global.u64", "fence.sc.sys", "fence.acq_rel.sys"]),
    (
        "collectives",
        &[
            // A meeting, and a barrier of all PEs.
            "ld.acquire.sys.global.u64",
            "fence.acq_rel.sys",
            "fence.acq_rel.gpu",
            "red.relaxed.sys.global.add.u64",
            // The turns of threads.
            "atom.acq_rel.gpu.global.add.u32",
            "st.release.gpu.global.u32",
        ],
    ),
];

/// Returns the functions that bitcode defines, by the text that it is made from; none if there is no text.
fn defined(library: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(library.with_extension("ll")).unwrap_or_default();
    let defined = text.lines().filter(|line| line.starts_with("define "));
    let name = |line: &str| Some(line.split_once(" @nvshmem")?.1.split_once('(')?.0.to_string());
    defined.filter_map(name).map(|rest| format!("nvshmem{rest}")).collect()
}

/// Returns the first defect of the compiled kernels, which follow lines with their names.
fn defect(said: &str, defined: &[String]) -> Option<String> {
    let called: BTreeSet<&str> = said.lines().filter_map(|line| line.strip_prefix("// call ")).collect();
    if let Some(name) = defined.iter().find(|name| !called.contains(name.as_str())) {
        return Some(format!("no kernel calls {name}"));
    }
    for (kernel, needed) in NEEDED {
        let ptx = said.split("// kernel ").find(|part| part.lines().next() == Some(kernel)).unwrap_or_default();
        if let Some(word) = needed.iter().find(|word| !ptx.contains(**word)) {
            return Some(format!("the kernel `{kernel}` has no `{word}`"));
        }
    }
    said.contains(".extern .func").then(|| "a call of a kernel is open".into())
}

/// Returns a message if a file has more than `most` bytes.
fn too_large(file: &Path, most: u64) -> Result<Option<String>> {
    let bytes = file.metadata().with_context(|| format!("no {}", file.display()))?.len();
    Ok((bytes > most).then(|| format!("{} has {bytes} bytes, and {most} at most are wanted", file.display())))
}

/// Returns a command of a Python with Triton: the one that the user names, or the system's, for which the package is
/// fetched.
///
/// # Errors
/// The named Python has no Triton, or the package can't be fetched.
pub(super) fn with_triton(root: &Path, version: &str) -> Result<Command> {
    if let Some(named) = std::env::var_os(PYTHON) {
        imports(Command::new(&named), "triton")
            .with_context(|| format!("the Python that {PYTHON} names has no Triton"))?;
        return Ok(Command::new(named));
    }
    let folder = target_dir(root).join("toolchain").join(version.replace("==", "-"));
    python_with(&folder, version, "triton", || {
        // Triton starts the assemblers of its own package.
        let assemblers = folder.join("triton/backends/nvidia/bin");
        let programs = std::fs::read_dir(&assemblers).into_iter().flatten().flatten();
        programs.map(|program| program.path()).try_for_each(|program| make_executable(&program))
    })
}

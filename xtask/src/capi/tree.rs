//! The parts of the folder by which build systems find the library.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::headers;
use super::library::link;
use crate::files::{self, copy_folder};
use crate::place::target_dir;
use crate::programs::WITHOUT_TASKS;
use crate::shell;

/// Version of NVSHMEM's interface, which programs ask for.
const INTERFACE: &str = "3.8.0";

/// The package of the host library, its file, and its other names.
const HOST_PACKAGE: &str = "oxshmem-capi";
const HOST_FOLDER: &str = "hal/capi";
const HOST_LIBRARY: &str = "liboxshmem_host.so";
const HOST_ARCHIVE: &str = "liboxshmem_host.a";
const HOST_NAMES: [&str; 2] = ["libnvshmem_host.so", "libnvshmem_host.so.3"];

/// The names that programs may use of it; the last one is a function of C++.
const C_NAMES: [&str; 3] = ["nvshmem*", "oxshmem_*", "_Z20nvshmemi_init_thread*"];

/// The profile of the host library, and its folder in the target folder.
const HOST_PROFILE: &str = "capi";
/// The folder of tests there.
const OF_TESTS: &str = "debug";

/// CMake's packages: NVSHMEM's, with its targets, and one of our own.
const CMAKE: &str = include_str!("table/config.cmake");
const CMAKE_VERSION: &str = include_str!("table/version.cmake");
const PKG_CONFIG: &str = include_str!("table/oxshmem.pc");

/// Copies the headers of the checkout, for a device library of these transports, and writes the files of build systems.
pub(super) fn make(root: &Path, transports: &[String], out: &Path) -> Result<()> {
    copy_folder(&root.join(headers::FOLDER), &out.join(headers::FOLDER))?;
    headers::write_paths(transports, out)?;
    let version = env!("CARGO_PKG_VERSION");
    let cmake = [("nvshmem", "NVSHMEM", INTERFACE), ("oxshmem", "oxshmem", version)];
    for (folder, package, version) in cmake {
        let folder = out.join("lib/cmake").join(folder);
        write(&folder.join(format!("{package}Config.cmake")), CMAKE, package, version)?;
        write(&folder.join(format!("{package}ConfigVersion.cmake")), CMAKE_VERSION, package, version)?;
    }
    let pkg_config = [("nvshmem", INTERFACE), ("oxshmem", version)];
    for (package, version) in pkg_config {
        write(&out.join(format!("lib/pkgconfig/{package}.pc")), PKG_CONFIG, package, version)?;
    }
    Ok(())
}

/// The host library: what programs link.
pub(super) struct HostLibrary {
    /// The shared object.
    pub(super) file: PathBuf,
    /// The same code as one object, for an archive with all of the library.
    pub(super) object: PathBuf,
}

/// Builds the host library in `lib`, with the names by which programs link it and open it. Returns `None` in a checkout
/// without the library. `to_link`: it is the tests' library, which `cargo test` has built. `to_move`: `lib` is not its last
/// place.
pub(super) fn host_library(root: &Path, to_link: bool, to_move: bool, lib: &Path) -> Result<Option<HostLibrary>> {
    if !root.join("hal/capi/Cargo.toml").is_file() {
        return Ok(None);
    }
    eprintln!("host library ...");
    let mut cargo = shell::cargo();
    cargo.current_dir(root);
    if to_link {
        cargo.args(["build", "--quiet", "--lib"]).args(WITHOUT_TASKS);
    } else {
        // The crate is also a Rust library for its tests, which would keep every function of Rust. Built as a C library
        // alone, it keeps only the functions that C programs call, and those that they need.
        cargo.args(["rustc", "--quiet", "--profile", HOST_PROFILE, "--package", HOST_PACKAGE, "--lib"]);
        cargo.args(["--crate-type", "staticlib"]);
    }
    shell::capture(&mut cargo)?;
    let built = target_dir(root).join(if to_link { OF_TESTS } else { HOST_PROFILE }).join(HOST_ARCHIVE);
    files::make_folder(lib)?;
    let made = HostLibrary { file: lib.join(HOST_LIBRARY), object: target_dir(root).join("capi/host.o") };
    shared(root, &built, &made.file)?;
    HOST_NAMES.iter().try_for_each(|name| link(name, HOST_LIBRARY, lib))?;
    one_object(root, &built, (!to_move).then_some(lib), &made.object)?;
    Ok(Some(made))
}

/// Links the shared object. Cargo would do so with a version script of its own, beside which there is no version.
fn shared(root: &Path, archive: &Path, file: &Path) -> Result<()> {
    let mut cc = cc();
    cc.args(["-shared", "-s", "-Wl,--gc-sections,-z,relro,-z,now", "-Wl,-soname,libnvshmem_host.so.3", "-o"]).arg(file);
    cc.arg(format!("-Wl,--version-script={}", root.join(HOST_FOLDER).join("nvshmem.sym").display()));
    cc.arg("-Wl,--whole-archive").arg(archive).arg("-Wl,--no-whole-archive");
    shell::capture(cc.args(["-lpthread", "-ldl", "-lm"])).map(drop)
}

/// Joins the library's objects to one, whose only global names are those of C, so that a program may have other code of
/// Rust. It finds its kernels in `lib`, if that is given.
fn one_object(root: &Path, archive: &Path, lib: Option<&Path>, object: &Path) -> Result<()> {
    let mut join = cc();
    join.args(["-r", "-nostdlib", "-o"]).arg(object);
    if let Some(lib) = lib {
        let place = object.with_file_name("place.o");
        let folder = lib.canonicalize().with_context(|| format!("cannot find {}", lib.display()))?;
        let mut compile = cc();
        compile.args(["-O2", "-fPIC", "-c"]).arg(format!("-DOXSHMEM_FOLDER=\"{}\"", folder.display()));
        shell::capture(compile.arg(root.join(HOST_FOLDER).join("place.c")).arg("-o").arg(&place))?;
        join.arg(place);
    }
    shell::capture(join.arg("-Wl,--whole-archive").arg(archive).arg("-Wl,--no-whole-archive"))?;
    let mut hide = Command::new("objcopy");
    // LLVM's plugins of the linker take the standard library's bitcode, joined, for that of a broken file.
    hide.args(["--strip-debug", "--wildcard", "--remove-section=.llvm*"]);
    hide.args(C_NAMES.map(|name| format!("--keep-global-symbol={name}")));
    shell::capture(hide.arg(object)).map(drop)
}

fn cc() -> Command {
    Command::new(std::env::var_os("CC").unwrap_or_else(|| "cc".into()))
}

fn write(file: &Path, text: &str, package: &str, version: &str) -> Result<()> {
    let folder = file.parent().context("a file is in a folder")?;
    files::make_folder(folder)?;
    let text = text.replace("@PACKAGE@", package).replace("@VERSION@", version);
    files::write(file, text)
}

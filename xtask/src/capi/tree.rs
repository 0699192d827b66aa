//! The parts of the folder by which build systems find the library.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::headers;
use crate::dist::copy_folder;
use crate::place::target_dir;
use crate::programs::WITHOUT_TASKS;
use crate::shell;

/// Version of NVSHMEM's interface, which programs ask for.
const INTERFACE: &str = "3.8.0";

/// The package of the host library, its file, and its other names.
const HOST_PACKAGE: &str = "oxshmem-capi";
const HOST_LIBRARY: &str = "liboxshmem_host.so";
const HOST_NAMES: [&str; 2] = ["libnvshmem_host.so", "libnvshmem_host.so.3"];

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

/// Builds the host library and copies it to `lib`, with the names by which programs link it and open it. Does nothing
/// in a checkout without the library. `to_link`: it is the tests' library, which `cargo test` has built.
pub(super) fn host_library(root: &Path, to_link: bool, lib: &Path) -> Result<Vec<PathBuf>> {
    if !root.join("hal/capi/Cargo.toml").is_file() {
        return Ok(Vec::new());
    }
    let mut cargo = shell::cargo();
    cargo.current_dir(root);
    if to_link {
        cargo.args(["build", "--quiet", "--lib"]).args(WITHOUT_TASKS);
    } else {
        // The crate is also a Rust library for its tests, which would keep every function of Rust. Built as a C library
        // alone, it keeps only the functions that C programs call, and those that they need.
        cargo.args(["rustc", "--quiet", "--profile", HOST_PROFILE, "--package", HOST_PACKAGE, "--lib"]);
        cargo.args(["--crate-type", "cdylib"]);
    }
    shell::capture(&mut cargo)?;
    let file = lib.join(HOST_LIBRARY);
    let built = target_dir(root).join(if to_link { OF_TESTS } else { HOST_PROFILE }).join(HOST_LIBRARY);
    std::fs::copy(&built, &file).with_context(|| format!("cannot copy {}", built.display()))?;
    for name in HOST_NAMES {
        let link = lib.join(name);
        let _ = std::fs::remove_file(&link);
        symlink(HOST_LIBRARY, &link).with_context(|| format!("cannot make the link {}", link.display()))?;
    }
    Ok(vec![file])
}

fn write(file: &Path, text: &str, package: &str, version: &str) -> Result<()> {
    let folder = file.parent().context("a file is in a folder")?;
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
    let text = text.replace("@PACKAGE@", package).replace("@VERSION@", version);
    std::fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))
}

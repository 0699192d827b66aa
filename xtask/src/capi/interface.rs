//! The test that NVSHMEM's headers and ours have one interface: a file of assertions, compiled with either.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::cuda::Nvcc;
use super::table::{self, Served};
use crate::files::make_folder;
use crate::place::target_dir;
use crate::shell;

/// The assertions.
const SOURCE: &str = "tests/capi/interface.cu";

/// Programs that include NVSHMEM's headers alone: one for the host, which needs no relocatable code as CUDA C++
/// either, and one with a kernel.
const SOURCES: [(&str, &[&str]); 3] = [
    ("tests/capi/runtime.cpp", &[]),
    ("tests/capi/runtime.cpp", &["-x", "cu"]),
    ("tests/capi/brought.cu", &["-rdc=true", "-arch=sm_90"]),
];

/// Functions of NVSHMEM 3.8 that its headers declare in another way than they define them.
const DECLARED_OTHERWISE: [&str; 2] = ["nvshmemx_broadcastmem_warp", "nvshmemx_broadcastmem_block"];

/// Returns an assertion about the type of each function.
fn signatures() -> Result<String> {
    let mut text = String::new();
    for one in table::names()? {
        if !DECLARED_OTHERWISE.contains(&one.name.as_str()) && one.served != Served::No {
            let table::Name { name, result, args, .. } = one;
            let _ = writeln!(text, "static_assert(is<decltype({name}), {result}({args})>, \"{name}\");");
        }
    }
    Ok(text)
}

/// Returns a kernel that calls each function of the device, in parts that a compiler takes at a time.
pub(crate) fn calls() -> Result<String> {
    let names = table::names()?;
    let on_device: Vec<&str> = names
        .iter()
        .filter(|one| matches!(one.served, Served::Device | Served::Both))
        .map(|one| one.name.as_str())
        .collect();
    let mut text = String::new();
    for (number, part) in on_device.chunks(100).enumerate() {
        let _ = writeln!(text, "__global__ void part{number}() {{");
        part.iter().for_each(|name| {
            let _ = writeln!(text, "    CALL({name});");
        });
        text += "}\n";
    }
    Ok(text)
}

/// Returns the folder for what tests of the interface compile, and makes it.
pub(crate) fn folder(root: &Path) -> Result<PathBuf> {
    let folder = target_dir(root).join("capi/interface");
    make_folder(&folder)?;
    Ok(folder)
}

/// Compiles the assertions, and the other programs, with the headers of `include`.
///
/// # Errors
/// nvcc's messages: an assertion fails, or a header or the program does not compile.
pub(crate) fn check(root: &Path, nvcc: &Nvcc, include: &Path) -> Result<()> {
    let folder = folder(root)?;
    std::fs::write(folder.join("signatures.inc"), signatures()?).context("cannot write the functions' types")?;
    let mut command = nvcc.command();
    command.args(["-rdc=true", "-c", "-arch=sm_90", "-o"]).arg(folder.join("interface.o"));
    for place in [include, &folder] {
        command.arg("-I").arg(place);
    }
    shell::capture(command.arg(root.join(SOURCE)))
        .with_context(|| format!("{} does not have NVSHMEM's interface", PathBuf::from(include).display()))?;
    for (source, options) in SOURCES {
        let mut command = nvcc.command();
        command.args(options).args(["-c", "-o"]).arg(folder.join("includes.o")).arg("-I").arg(include);
        shell::capture(command.arg(root.join(source)))
            .with_context(|| format!("{} does not include the headers that programs use", include.display()))?;
    }
    Ok(())
}

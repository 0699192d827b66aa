//! The test that NVSHMEM's headers and ours have one interface: a file of assertions, compiled with either.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::table::{self, Served};
use crate::place::target_dir;
use crate::shell;

/// The assertions.
const SOURCE: &str = "tests/capi/interface.cu";

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

/// Compiles the assertions with the headers of `include`.
///
/// # Errors
/// nvcc's messages: an assertion fails, or a header does not compile.
pub(super) fn check(root: &Path, nvcc: &Path, include: &Path) -> Result<()> {
    let folder = target_dir(root).join("capi/interface");
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
    std::fs::write(folder.join("signatures.inc"), signatures()?).context("cannot write the functions' types")?;
    let mut command = Command::new(nvcc);
    command.args(["-std=c++17", "-rdc=true", "-c", "-arch=sm_90", "-o"]).arg(folder.join("interface.o"));
    for place in [include, &folder] {
        command.arg("-I").arg(place);
    }
    shell::capture(command.arg(root.join(SOURCE)))
        .with_context(|| format!("{} does not have NVSHMEM's interface", PathBuf::from(include).display()))?;
    Ok(())
}

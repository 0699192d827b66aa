//! The headers that are made from the tables.

use std::fmt::Write;
use std::mem::offset_of;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use oxshmem_raw::state::team::{Member, TeamParts};
use oxshmem_raw::state::{PathSlot, WorldState};

use super::library::has_remote;
use super::table::{self, Call, Name, Served};
use crate::files;

/// The folder of the headers in a checkout.
pub(super) const FOLDER: &str = "include";

/// The header that says whether PEs can be remote.
const PATHS: &str = "oxshmem/paths.h";

/// The names by which programs include parts of NVSHMEM's interface. Most of them are the whole.
const PARTS: [&str; 16] = [
    "bootstrap_device_host/nvshmem_uniqueid.h",
    "host/nvshmem_api.h",
    "host/nvshmemx_api.h",
    "host/nvshmem_coll_api.h",
    "host/nvshmemx_coll_api.h",
    "device/nvshmem_defines.h",
    "device/nvshmem_coll_defines.cuh",
    "device/nvshmemx_defines.h",
    "device/nvshmemx_coll_defines.cuh",
    "device/nvshmemx_collective_launch_apis.h",
    "device/tile/nvshmemx_tile_api.hpp",
    "device/tile/nvshmemx_tile_api_defines.cuh",
    "device_host/nvshmem_tensor.h",
    "device_host/nvshmem_types.h",
    "device_host_transport/nvshmem_constants.h",
    "non_abi/nvshmemx_error.h",
];

/// Returns path, below the folder of the headers, and text of each header that is made.
pub(super) fn made() -> Result<Vec<(PathBuf, String)>> {
    let (names, calls) = (table::names()?, table::calls()?);
    let mut files: Vec<(PathBuf, String)> = vec![
        ("oxshmem/host.h".into(), host(&names)),
        ("oxshmem/device.h".into(), device(&names)),
        ("oxshmem/calls.h".into(), self::calls(&calls)),
        ("oxshmem/abi.h".into(), abi()),
        (PATHS.into(), paths(true)),
    ];
    for part in PARTS {
        let whole = if part.starts_with("host/") { "nvshmem_host.h" } else { "nvshmem.h" };
        let is_of_types = ["types", "constants", "uniqueid"].iter().any(|name| part.contains(name));
        let whole = match part {
            _ if part.contains("tile") => "nvshmemx.h",
            _ if part.contains("tensor") => "oxshmem/tensor.h",
            _ if part.contains("error") => "oxshmem/private.h",
            _ if is_of_types => "oxshmem/types.h",
            _ => whole,
        };
        let up = "../".repeat(part.matches('/').count());
        files.push((part.into(), format!("{MADE}#include \"{up}{whole}\"\n")));
    }
    Ok(files)
}

/// Writes the headers that are made into a checkout.
pub(super) fn write(root: &Path) -> Result<()> {
    for (file, text) in made()? {
        let file = root.join(FOLDER).join(file);
        let folder = file.parent().context("a header is in a folder")?;
        files::make_folder(folder)?;
        files::write(&file, text)?;
    }
    Ok(())
}

/// Writes the header that says for which worlds the device library beside it is.
pub(super) fn write_paths(transports: &[String], out: &Path) -> Result<()> {
    let file = out.join(FOLDER).join(PATHS);
    files::write(&file, paths(has_remote(transports)))
}

/// Checks that a checkout's headers are those that would be made.
pub(super) fn check(root: &Path) -> Result<()> {
    for (file, text) in made()? {
        let file = root.join(FOLDER).join(file);
        if std::fs::read_to_string(&file).unwrap_or_default() != text {
            bail!("{} is out of date: run `cargo xtask capi --headers`", file.display());
        }
    }
    Ok(())
}

/// Says whether the device library has transports to remote PEs.
fn paths(remote: bool) -> String {
    let text = format!(
        "/* 1: by the device library's transports. 0: it has loads and stores alone, and the headers have no call for other\n \
         * PEs, beside which the compiler would keep less in registers. */\n\
         #if !defined OXSHMEM_REMOTE\n#define OXSHMEM_REMOTE {}\n#endif\n\n\
         /* Such a library's variable has another name, so that a program links no other one. */\n\
         #if !OXSHMEM_REMOTE\n#define oxshmem_world oxshmem_load_store_world\n#endif\n",
        u8::from(remote)
    );
    guarded("PATHS", "Whether PEs can be remote.", &text)
}

const MADE: &str = "/* Made by `cargo xtask capi --headers`. */\n";

fn guarded(name: &str, about: &str, text: &str) -> String {
    format!("{MADE}/* {about} */\n#ifndef OXSHMEM_{name}_H\n#define OXSHMEM_{name}_H\n\n{text}\n#endif\n")
}

/// Returns a function's head.
fn head(result: &str, name: &str, args: &str) -> String {
    let gap = if result.ends_with('*') { "" } else { " " };
    let args = if args.is_empty() { "void" } else { args };
    format!("{result}{gap}{name}({args})")
}

/// Declares the functions of the host library. Those that the device has too are declared here for the host's pass of a
/// CUDA compiler, and defined by `device.h` in the device's.
fn host(names: &[Name]) -> String {
    let mut text = String::from("#include \"types.h\"\n\nOXSHMEM_BEGIN_C\n");
    for one in names.iter().filter(|one| one.served == Served::Host) {
        let _ = writeln!(text, "{};", head(&one.result, &one.name, &one.args));
    }
    text += "\n#if !defined __CUDA_ARCH__\n";
    for one in names.iter().filter(|one| one.served == Served::Both) {
        let _ = writeln!(text, "OXSHMEM_BOTH {};", head(&one.result, &one.name, &one.args));
    }
    text += "#endif\n#define nvshmem_sync nvshmem_team_sync\nOXSHMEM_END_C\n";
    guarded("HOST", "The functions of the host library.", &text)
}

/// Defines the functions of the device.
fn device(names: &[Name]) -> String {
    let mut text = String::from("#include \"core.h\"\n\nextern \"C\" {\n#if defined __CUDA_ARCH__\n");
    for one in names {
        let place = match one.served {
            Served::Both => "OXSHMEM_BOTH",
            Served::Device => "__device__",
            _ => continue,
        };
        let head = head(&one.result, &one.name, &one.args);
        let _ = writeln!(text, "static {place} __forceinline__ {head} {{ {}; }}", one.body);
    }
    text += "#else\n";
    for one in names.iter().filter(|one| one.served == Served::Device) {
        let _ = writeln!(text, "__device__ {};", head(&one.result, &one.name, &one.args));
    }
    text += "#endif\n}\n";
    guarded("DEVICE", "NVSHMEM's functions for the device.", &text)
}

/// Declares the device library's functions.
fn calls(calls: &[Call]) -> String {
    let mut text = String::from("extern \"C\" {\n");
    for one in calls {
        let _ = writeln!(text, "__device__ {};", head(&one.result, &one.name, &one.args));
    }
    text += "}\n";
    guarded("CALLS", "The functions of the device library.", &text)
}

/// Declares the world's state and a team, with the offsets that the library has.
fn abi() -> String {
    let mut text = String::from("#include \"platform.h\"\n");
    let mut checks = String::new();
    macro_rules! fields {
        ($type:ty, $name:literal: $($c:literal $field:ident $many:literal)*) => {
            text += "\ntypedef struct {\n";
            let _ = writeln!(checks, "static_assert(sizeof({}) == {}, \"size\");", $name, size_of::<$type>());
            $(
                let _ = writeln!(text, "    {} {}{};", $c, stringify!($field), $many);
                let _ = writeln!(
                    checks, "static_assert(offsetof({0}, {1}) == {2}, \"{1}\");",
                    $name, stringify!($field), offset_of!($type, $field)
                );
            )*
            let _ = writeln!(text, "}} {};", $name);
        };
    }
    fields! { WorldState, "oxshmem_world_t":
        "uint64_t" heap "" "uint64_t" stride "" "uint64_t" heap_bytes "" "uint64_t" own "" "uint64_t" bases ""
        "uint64_t" local "" "uint64_t" notice "" "uint64_t" fault "" "uint64_t" wait_limit_ns "" "uint32_t" my_pe ""
        "uint32_t" n_pes "" "uint64_t" paths "[3][2]" "uint64_t" path_bits "" "uint64_t" path_table ""
        "uint16_t" path_numbers "" "uint16_t" uniform "" "uint32_t" default_rows "" "uint32_t" map_by ""
        "uint32_t" reserved ""
    }
    fields! { TeamParts, "oxshmem_team_t":
        "uint64_t" members "" "uint64_t" area "" "uint32_t" n_pes "" "uint32_t" me "" "uint32_t" first ""
        "uint32_t" stride "" "uint32_t" slots "" "uint32_t" payload "" "uint32_t" flags "" "uint32_t" number ""
        "uint32_t" first_slot "" "uint32_t" slot_bytes "" "uint32_t" packets_at "" "uint32_t" half_bytes ""
    }
    const { assert!(size_of::<PathSlot>() == 16, "a path is two words in C") };
    let _ = writeln!(text, "\n#define OXSHMEM_TEAM_UNIFORM {}u", TeamParts::UNIFORM);
    let _ = writeln!(text, "#define OXSHMEM_TEAM_LOAD_STORE {}u", TeamParts::LOAD_STORE);
    let _ = writeln!(text, "#define OXSHMEM_TEAM_STARTED {}u", TeamParts::default().started(0));
    let _ = writeln!(text, "#define OXSHMEM_MEMBER_BYTES {}u", size_of::<Member>());
    // NVRTC has no `offsetof` that is a constant.
    text += "\n#if defined __cplusplus && !defined __CUDACC_RTC__\n";
    text += &checks;
    text += "#endif\n";
    let about = "The state of a world, and a team, as the host library writes them (`hal/raw/src/state`).";
    guarded("ABI", about, &text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_headers_and_the_page_of_the_checkout_are_those_that_the_tables_make() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        check(root).unwrap();
        crate::capi::page::check(root).unwrap();
    }

    #[test]
    fn a_function_without_arguments_has_void_and_a_pointer_no_blank() {
        assert_eq!(
            head("void *", "nvshmem_ptr", "const void *ptr, int pe"),
            "void *nvshmem_ptr(const void *ptr, int pe)"
        );
        assert_eq!(head("int", "nvshmem_my_pe", ""), "int nvshmem_my_pe(void)");
    }
}

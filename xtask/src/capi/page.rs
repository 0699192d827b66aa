//! The page of names: each public name of NVSHMEM, and the way in which it is served.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::table::{self, Name, Served};

/// The page in a checkout.
const PAGE: &str = "docs/nvshmem-names.md";

/// Names of one group that are served alike.
struct Row<'a> {
    group: &'a str,
    count: usize,
    host: &'static str,
    device: &'static str,
    note: &'a str,
}

fn host_of(one: &Name) -> &'static str {
    match one.served {
        Served::Host | Served::Both => "library",
        Served::Inline { .. } => "inline",
        Served::Device | Served::No => "",
    }
}

/// Returns the way in which a name is served on the device: inline where its body has no call of the library for
/// load/store PEs.
fn device_of(one: &Name) -> &'static str {
    match one.served {
        Served::Device | Served::Both if one.body.contains("oxshmem_c::") => "inline",
        Served::Device | Served::Both if one.body.contains("oxshmem_") && !one.body.contains("oxshmem_world") => "call",
        Served::Device | Served::Both | Served::Inline { on_device: true } => "inline",
        _ => "",
    }
}

/// Names that are served by doing nothing.
fn note_of(one: &Name) -> &str {
    match one.name.as_str() {
        _ if one.served == Served::No => &one.body,
        "nvshmemx_mc_ptr" => "null: there is no multicast memory",
        name if name.contains("_region_") => "a hint without effect",
        name if name.ends_with("_smem") && !name.contains("ask") => "a hint without effect",
        _ => "",
    }
}

fn page() -> Result<String> {
    let names = table::names()?;
    let mut rows: Vec<Row<'_>> = Vec::new();
    for one in &names {
        let (host, device, note) = (host_of(one), device_of(one), note_of(one));
        match rows.iter_mut().find(|row| row.group == one.group) {
            Some(row) if (row.host, row.device, row.note) == (host, device, note) => row.count += 1,
            _ => rows.push(Row { group: &one.group, count: 1, host, device, note }),
        }
    }
    let count = |is: fn(&Name) -> bool| names.iter().filter(|one| is(one)).count();
    let mut text = String::from("# NVSHMEM's names\n\n");
    let _ = write!(
        text,
        "NVSHMEM 3.8 has {} public names. oxshmem serves {} of them: {} on the host and {} on the device; {} of the device \
         functions are inline for load/store PEs. Some names are on both sides. `TYPE` and `SIZE` stand for the types and \
         sizes of NVSHMEM's lists.\n\n\
         Made by `cargo xtask capi --headers` from `xtask/src/capi/table/names.tsv`.\n\n\
         | name | names | host | device | note |\n|---|---|---|---|---|\n",
        names.len(),
        count(|one| one.served != Served::No),
        count(|one| !host_of(one).is_empty()),
        count(|one| !device_of(one).is_empty()),
        count(|one| device_of(one) == "inline"),
    );
    for Row { group, count, host, device, note } in rows {
        let _ = writeln!(text, "| `{group}` | {count} | {host} | {device} | {note} |");
    }
    Ok(text)
}

fn file(root: &Path) -> PathBuf {
    root.join(PAGE)
}

/// Writes the page into a checkout.
pub(super) fn write(root: &Path) -> Result<()> {
    std::fs::write(file(root), page()?).with_context(|| format!("cannot write {}", file(root).display()))
}

/// Checks that a checkout's page is the one that would be made.
pub(super) fn check(root: &Path) -> Result<()> {
    if std::fs::read_to_string(file(root)).unwrap_or_default() != page()? {
        bail!("{} is out of date: run `cargo xtask capi --headers`", file(root).display());
    }
    Ok(())
}

//! Each name of NVSHMEM for hosts is exported, or has a reason.

use std::collections::BTreeSet;
use std::process::Command;

use crate::programs::library;

const RMA: &str = "bfloat16 half float double char short schar int long longlong uchar ushort uint ulong ulonglong int8 \
                   int16 int32 int64 uint8 uint16 uint32 uint64 size ptrdiff";
const AMO: &str = "uint ulong ulonglong int32 uint32 int64 uint64 int long longlong size ptrdiff";
const BITWISE_AMO: &str = "uint ulong ulonglong int32 uint32 int64 uint64";
const WAIT: &str = "short int long longlong ushort uint ulong ulonglong int32 int64 uint32 uint64 size ptrdiff";
const BITWISE: &str = "uchar ushort uint ulong ulonglong int8 int16 int32 int64 uint8 uint16 uint32 uint64 size";

/// Returns the entries of a list.
fn entries(list: &str) -> Vec<String> {
    let words = match list {
        "-" => return vec![String::new()],
        "rma" => RMA.to_string(),
        "amo" => AMO.to_string(),
        "extended" => format!("{AMO} half float double"),
        "bitwise_amo" => BITWISE_AMO.to_string(),
        "float" => "half float double".to_string(),
        "wait" => WAIT.to_string(),
        "reduce" => RMA.replace(" ptrdiff", ""),
        "bitwise" => BITWISE.to_string(),
        "size" => "8 16 32 64 128".to_string(),
        list => panic!("the list {list} is not known"),
    };
    words.split_whitespace().map(str::to_string).collect()
}

/// A row of the table: the names that it stands for, whether they are declared for hosts, and why they are not served.
struct Row {
    names: Vec<String>,
    declared: bool,
    reason: Option<String>,
}

fn table() -> Vec<Row> {
    let text = include_str!("../../names.tsv");
    let rows = text.lines().filter(|line| !line.starts_with('#')).skip(1);
    rows.map(|row| {
        let columns: Vec<&str> = row.split('\t').collect();
        let named = |entry: String| columns[0].replace("TYPE", &entry).replace("SIZE", &entry);
        let names = entries(columns[1]).into_iter().map(named);
        let reason = columns.get(3).filter(|reason| !reason.is_empty()).map(|reason| reason.to_string());
        Row { names: names.collect(), declared: columns[2] == "host", reason }
    })
    .collect()
}

/// Returns the functions that the shared object exports.
fn exported() -> BTreeSet<String> {
    let nm = Command::new("nm").args(["-D", "--defined-only"]).arg(library()).output().unwrap();
    assert!(nm.status.success(), "{}", String::from_utf8_lossy(&nm.stderr));
    let text = String::from_utf8(nm.stdout).unwrap();
    text.lines().filter_map(|line| line.split_once(" T ")).map(|(_, name)| name.to_string()).collect()
}

#[test]
fn each_name_is_exported_or_has_a_reason_and_no_other_is_exported() {
    let (table, exported) = (table(), exported());
    let (mut missing, mut both) = (Vec::new(), Vec::new());
    let mut known = BTreeSet::new();
    for row in &table {
        for name in &row.names {
            assert!(known.insert(name.clone()), "{name} is twice in the table");
            match (&row.reason, exported.contains(name)) {
                (None, false) => missing.push(name),
                (Some(_), true) => both.push(name),
                _ => {}
            }
        }
    }
    assert!(missing.is_empty(), "{} names are not exported: {missing:?}", missing.len());
    assert!(both.is_empty(), "names are exported and said not to be served: {both:?}");
    let public = |name: &&String| name.starts_with("nvshmem_") || name.starts_with("nvshmemx_");
    let unknown: Vec<_> = exported.difference(&known).filter(public).collect();
    assert!(unknown.is_empty(), "names of NVSHMEM's form that it does not have: {unknown:?}");
    let count = |rows: &mut dyn Iterator<Item = &Row>| rows.map(|row| row.names.len()).sum::<usize>();
    let of_hosts = |served| count(&mut table.iter().filter(|row| row.declared && row.reason.is_none() == served));
    let extra = count(&mut table.iter().filter(|row| !row.declared));
    println!(
        "{} names for hosts served, {} not; {extra} names for kernels served too",
        of_hosts(true),
        of_hosts(false)
    );
    assert_eq!(of_hosts(true) + of_hosts(false), 2054, "NVSHMEM 3.8 declares so many names for hosts");
}

#[test]
fn the_library_has_the_name_that_programs_look_for_and_needs_no_other_than_the_systems() {
    let read = Command::new("readelf").arg("-d").arg(library()).output().unwrap();
    let text = String::from_utf8(read.stdout).unwrap();
    assert!(text.contains("soname: [libnvshmem_host.so.3]"), "{text}");
    for needed in text.lines().filter(|line| line.contains("(NEEDED)")) {
        let system = ["libc.so", "libgcc_s.so", "ld-linux", "libm.so", "libdl.so", "libpthread.so"];
        assert!(system.iter().any(|name| needed.contains(name)), "{needed}");
    }
}

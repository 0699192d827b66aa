//! The tests of pyverbs, rdma-core's Python interface, over libmlx5 and the software NIC: Debian's package, unmodified.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use oxshmem_raw::os::private::Scratch;

use super::left_out;
use super::verbs_programs::{Programs, Running};
use crate::fetch::debian;
use crate::files;
use crate::place::Place;
use crate::run::SoftNic;
use crate::run::nic::Link;
use crate::shell;
use crate::steps::{Count, Done, Step};

/// Python of the version for which the package is built.
const PYTHON: &str = "python3.11";
/// Time for all tests on one link. They take 15 s on two idle cores.
const LIMIT: Duration = Duration::from_secs(300);

/// Tests that fail for lack of something, and do not skip themselves as most others do.
const LACKING: &[(&str, &[&str])] = &[
    (
        "keys of several ranges, and entries that change them",
        &[
            "test_mkey_interleaved",
            "test_mkey_interleaved_new_api",
            "test_mkey_list",
            "test_mkey_list_bad_flow",
            "test_mkey_list_new_api",
            "test_mkey_remote_invalidate",
        ],
    ),
    (
        "memory of the NIC, and steering",
        &["test_dm_atomic_ops", "test_parallel_dm_atomic_ops", "test_packet_reformat", "test_tx_packet_reformat"],
    ),
    ("registration of pages that are not there", &["test_odp_dc_traffic", "test_prefer_obj_on_huge"]),
    ("the NIC's clock", &["test_timestamp_free_running_rc_traffic"]),
    ("a context of two processes", &["test_imported_rc_ex_rdma_write"]),
];

/// Returns the step, unless the place has no sources, from which the software NIC is built.
pub(super) fn step(place: &Place) -> Option<Step<'_>> {
    let name = "tests of pyverbs over libmlx5 and the software NIC";
    matches!(place, Place::Checkout(_)).then(|| Step::new(name, move || tests(place)))
}

/// Runs the tests on both links.
fn tests(place: &Place) -> Result<Done> {
    let found = SoftNic::libraries(place).and_then(|_| debian::PYVERBS.find(place.checkout("test")?));
    let found = match found {
        Ok(found) => found,
        Err(why) => return Ok(left_out(format!("{why:#}"))),
    };
    // The system's Python is fetched only if there is none.
    let own = found.root.join("usr/bin").join(PYTHON);
    let python = if shell::is_program(&own) { own } else { Path::new("/usr/bin").join(PYTHON) };
    if !shell::is_program(&python) {
        return Ok(left_out(format!("there is no {}", python.display())));
    }
    let scratch = Scratch::new("pyverbs")?;
    let script = unpack(&found.root.join("usr/share/doc/rdma-core/tests"), &scratch.join("tests"))?;
    let path = OsString::from(found.root.join("usr/lib/python3/dist-packages"));
    let folder = python.parent().context("a program without a folder")?.to_path_buf();
    let all = Programs { place, folder, libraries: found.libraries.clone(), env: vec![("PYTHONPATH", path)] };
    let (mut count, mut failed) = (Count::default(), Vec::new());
    for link in [Link::Ib, Link::Roce] {
        let (on_link, names) = one_link(&all, link, &script, &scratch.join(format!("{link:?}")))?;
        count.add(on_link);
        failed.extend(names.into_iter().map(|name| format!("{name} ({link:?})")));
    }
    Ok(Done::Counted(count, failed))
}

/// Copies the tests to `to`, most of which Debian has compressed. Returns the script that runs them.
fn unpack(from: &Path, to: &Path) -> Result<PathBuf> {
    files::make_folder(to)?;
    for entry in std::fs::read_dir(from).with_context(|| format!("cannot read {}", from.display()))? {
        let file = entry?.path();
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        std::fs::copy(&file, to.join(&name)).with_context(|| format!("cannot copy {}", file.display()))?;
        if name.ends_with(".gz") {
            shell::capture(Command::new("gzip").arg("-d").arg(to.join(&name)))?;
        }
    }
    Ok(to.join("run_tests.py"))
}

/// Runs the tests over one link. Returns their count, and the names of those that failed for no known reason, or passed
/// although something is known to lack.
fn one_link(all: &Programs<'_>, link: Link, script: &Path, said: &Path) -> Result<(Count, Vec<String>)> {
    // Some of them break rules of the NIC on purpose, and see the errors.
    let wire = all.wire(link)?;
    let mut command = all.command(&wire, PYTHON);
    command.arg(script).arg("-v").current_dir(said.parent().unwrap_or(Path::new("/"))).stdin(Stdio::null());
    let begun = Instant::now();
    let status = Running::start(command, said)?.wait_until(begun + LIMIT)?;
    let text = String::from_utf8_lossy(&std::fs::read(said)?).into_owned();
    if status.is_none() {
        bail!("they are not over after {} s:\n{}", LIMIT.as_secs(), shell::tail(&text, 20));
    }
    let outcome = Outcome::read(&text).with_context(|| format!("no count at the end:\n{}", shell::tail(&text, 20)))?;
    let known = || LACKING.iter().flat_map(|(_, names)| names.iter().copied());
    let unknown = outcome.failed.iter().filter(|name| !known().any(|known| known == *name));
    let passed = known().filter(|known| !outcome.failed.iter().any(|name| name == known));
    let failed: Vec<String> =
        unknown.cloned().chain(passed.map(|name| format!("{name}, which was known to fail, passes"))).collect();
    for (lacking, names) in LACKING {
        println!("skipped {} tests for lack of {lacking}", names.len());
    }
    for (why, tests) in reasons(&text) {
        println!("skipped {tests} tests by themselves: {why}");
    }
    println!("{} tests ran ({link:?}, {:.1} s)", outcome.ran, begun.elapsed().as_secs_f64());
    if !failed.is_empty() {
        println!("{text}");
    }
    let lacking = known().count() as u64;
    let passed = outcome.ran.saturating_sub(outcome.skipped + outcome.failed.len() as u64);
    Ok((Count { passed, failed: failed.len() as u64, skipped: outcome.skipped + lacking }, failed))
}

/// Returns the reasons of tests that skip themselves, each with their number.
fn reasons(text: &str) -> BTreeMap<&str, u64> {
    let mut reasons = BTreeMap::new();
    for line in text.lines() {
        if let Some((_, why)) = line.split_once("... skipped ") {
            *reasons.entry(why.trim_matches(['\'', '"'])).or_default() += 1;
        }
    }
    reasons
}

/// The outcome that Python's test runner prints.
#[derive(Debug, PartialEq, Eq)]
struct Outcome {
    ran: u64,
    skipped: u64,
    /// Names of tests with errors and failures.
    failed: Vec<String>,
}

impl Outcome {
    fn read(text: &str) -> Option<Self> {
        let ran = text.lines().rev().find_map(|line| line.strip_prefix("Ran ")?.split(' ').next()?.parse().ok())?;
        let last = text.lines().rev().find(|line| line.starts_with("OK") || line.starts_with("FAILED"))?;
        let skipped = last.split_once("skipped=").map_or("", |(_, rest)| rest);
        let skipped = skipped.split(|c: char| !c.is_ascii_digit()).next()?.parse().unwrap_or(0);
        let names = text.lines().filter_map(|line| {
            let rest = line.strip_prefix("ERROR: ").or(line.strip_prefix("FAIL: "))?;
            rest.split(' ').next().map(String::from)
        });
        Some(Self { ran, skipped, failed: names.collect() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_outcome_is_read_from_the_end_and_the_names_of_what_failed() {
        let said = "test_a (tests.x.T.test_a) ... ok\n\nERROR: test_b (tests.x.T.test_b)\ntext\nFAIL: test_c (tests.x.T.test_c)\n\
                    Ran 9 tests in 1.0s\n\nFAILED (failures=1, errors=1, skipped=4)\n";
        let failed = vec!["test_b".to_string(), "test_c".to_string()];
        assert_eq!(Outcome::read(said), Some(Outcome { ran: 9, skipped: 4, failed }));
        let well = "Ran 2 tests in 0.1s\n\nOK\n";
        assert_eq!(Outcome::read(well), Some(Outcome { ran: 2, skipped: 0, failed: Vec::new() }));
        assert_eq!(Outcome::read("Segmentation fault"), None);
    }

    #[test]
    fn reasons_of_skips_are_counted() {
        let said = "a ... skipped 'no net'\nDoc ... skipped \"it isn't\"\nb ... ok\nc ... skipped 'no net'\n";
        assert_eq!(reasons(said).into_iter().collect::<Vec<_>>(), [("it isn't", 1), ("no net", 2)]);
    }
}

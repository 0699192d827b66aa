//! The checks: the damage that is done to the PEs, and the errors that they must report.

use std::time::{Duration, Instant};

use oxshmem_hal::Pe;
use oxshmem_hal::launcher::Launcher;

use super::wire;
use crate::worlds::{End, Processes};

/// Returns a note on the check's course.
pub(super) type Check = fn() -> String;

pub(super) const CHECKS: [(&str, Check); 5] = [
    ("a wire that stays cut is a fault that names the PE behind it, to every waiter", || cut(1)),
    ("so is its own cable", || cut(0)),
    ("a wire that is mended within the retries loses nothing", mended),
    ("a PE killed in the middle of its puts is named to every waiter", || killed(1)),
    ("so is PE 0", || killed(0)),
];

/// A limit after the end of all retries and waits, also on a busy machine.
const SOON: Duration = Duration::from_secs(60);
/// The wait limit of PEs. A thread that waits for a queue gets its fault when the queue stops. A thread that waits for
/// a word over a cut wire waits until this limit, and then gets the reason why the word did not come.
const WAIT_LIMIT: (&str, &str) = ("OXSHMEM_WAIT_LIMIT", "5s");
/// A limit that no wait should reach, because a death is announced to all.
const NO_LIMIT: (&str, &str) = ("OXSHMEM_WAIT_LIMIT", "100s");
/// A packet counts as lost after 0.27 s, and a queue pair gives up after the 7th retry. (With 7 retries Soft-RoCE
/// never gives up.)
const IMPATIENT: [(&str, &str); 2] = [("OXSHMEM_IB_TIMEOUT", "16"), ("OXSHMEM_IB_RETRY_CNT", "6")];
/// A packet counts as lost after 1.1 s, and a queue pair gives up after 7.5 s.
const PATIENT: [(&str, &str); 2] = [("OXSHMEM_IB_TIMEOUT", "18"), ("OXSHMEM_IB_RETRY_CNT", "6")];

/// Starts two PEs that reach each other by proxies alone, each on a device of its own.
fn start(body: &str, limit: (&str, &str), retries: [(&str, &str); 2]) -> Processes {
    let launcher = Launcher::new(2).unwrap_or_else(|error| panic!("{error}"));
    let mut variables = vec![limit, ("OXSHMEM_DISABLE_P2P", "1"), ("OXSHMEM_REMOTE_TRANSPORT", "ibrc")];
    variables.extend(retries);
    Processes::start_with(body, 0..2, &variables, |pe, command| {
        launcher.prepare(Pe::new(pe), command);
        command.env("OXSHMEM_HCA_LIST", format!("rxe{pe}"));
    })
}

fn at_work(limit: (&str, &str), retries: [(&str, &str); 2]) -> Processes {
    let mut world = start("waiters", limit, retries);
    (0..2).for_each(|pe| world.until_said(pe, "at work"));
    world
}

/// Checks that all reports of a survivor name the other PE.
fn names_the_other(pe: u32, end: &End) {
    assert!(end.status.success(), "PE {pe} ended with {}:\n{}", end.status, end.stderr);
    let errors = &end.said[1..];
    assert_eq!(errors.len(), 5, "PE {pe} said {:#?}", end.said);
    for error in errors {
        assert!(error.contains(&format!("| PE {} |", 1 - pe)), "PE {pe} said {error}");
        assert!(!error.contains("| Timeout |"), "PE {pe} said {error}");
    }
}

fn cut(device: u32) -> String {
    let world = at_work(WAIT_LIMIT, IMPATIENT);
    wire("cut", device).unwrap();
    let cut = Instant::now();
    let ends = world.ends();
    let took = cut.elapsed();
    wire("mend", device).unwrap();
    assert!(took < SOON, "it took {took:?}: {ends:#?}");
    for (pe, end) in (0..).zip(&ends) {
        names_the_other(pe, end);
    }
    // One PE may have learned of it from the other, but at least one saw it.
    let seen = |end: &End| end.said[1..].iter().any(|error| error.contains("transport retries exceeded"));
    assert!(ends.iter().any(seen), "nobody says that retries have ended: {ends:#?}");
    format!("all have ended after {} ms", took.as_millis())
}

fn mended() -> String {
    let ends = start("patient", NO_LIMIT, PATIENT).all_succeed();
    ends[0].join(", ")
}

fn killed(victim: u32) -> String {
    let mut world = at_work(NO_LIMIT, IMPATIENT);
    world.kill(victim);
    let killed = Instant::now();
    let ends = world.ends();
    let took = killed.elapsed();
    assert!(took < SOON, "it took {took:?}: {ends:#?}");
    assert!(ends[victim as usize].was_killed(), "PE {victim} ended with {}", ends[victim as usize].status);
    let survivor = 1 - victim;
    names_the_other(survivor, &ends[survivor as usize]);
    format!("the other has ended after {} ms", took.as_millis())
}

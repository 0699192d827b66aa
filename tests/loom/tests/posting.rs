//! The unchanged protocol, over the interleavings of a few threads and a NIC.
//!
//! Each test runs in a process of its own: each execution of a model maps stacks and removes them again, and threads of
//! one process wait for each other there, so that two tests side by side took as long as one after the other.

use std::process::Command;
use std::time::Duration;

use oxshmem_loom::Work::{Get, Put, PutAndWait, Quiet};
use oxshmem_loom::{By, Model, Reads, Work};

const EACH_ONE: &[&[Work]] = &[&[Put(1)], &[Put(1)]];
const EACH_TWO: &[&[Work]] = &[&[Put(1), Put(1)], &[Put(1), Put(1)]];
const THREE: &[&[Work]] = &[&[Put(1)], &[Put(1)], &[Put(1)]];
const FOUR: &[&[Work]] = &[&[Put(1)], &[Put(1)], &[Put(1)], &[Put(1)]];
const TWO_RESERVATIONS_OF_TWO: &[&[Work]] = &[&[Put(2), Put(2)], &[Put(2), Put(2)]];
const WAITERS: &[&[Work]] = &[&[PutAndWait(1)], &[PutAndWait(1)]];
const QUIET: &[&[Work]] = &[&[PutAndWait(1)], &[Put(1), Quiet]];
const FETCHES: &[&[Work]] = &[&[Get, Get], &[Get]];

/// Returns a queue whose next block is the last of the ring and has the last index that fits in 16 bits.
fn model(threads: &'static [&'static [Work]], depth: u32, preemptions: usize) -> Model {
    Model {
        threads,
        depth,
        base: 0xffff,
        by: By::All,
        offers: false,
        reads: Reads::Doorbell,
        preemptions: Some(preemptions),
    }
}

/// Checks the model with a NIC that reads the record after the doorbell, or with one that reads the record alone.
fn check(model: Model, reads: Reads) {
    let executions = Model { reads, ..model }.check();
    println!("{:?}, {} blocks, {reads:?}: {executions} executions", model.threads, model.depth);
    // A model that tries nothing finds nothing.
    assert!(executions > 100, "{executions} executions");
}

/// Runs a test's models in a process of their own, which runs that test alone.
fn apart(models: impl FnOnce()) {
    const HERE: &str = "OXSHMEM_LOOM_HERE";
    let thread = std::thread::current();
    let name = thread.name().expect("a test's thread has its name");
    // The only thread of the tests is the program's first.
    if std::env::var_os(HERE).is_some() || name == "main" {
        return models();
    }
    let program = std::env::current_exe().expect("a test knows its program");
    let mut test = Command::new(program);
    test.args(["--exact", name, "--include-ignored", "--nocapture"]).env(HERE, "1");
    let output = test.output().expect("the program starts");
    let said = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() || !said.contains("1 passed") {
        panic!(
            "{name} in a process of its own: {}\n{said}\n{}",
            output.status,
            String::from_utf8_lossy(&output.stderr)
        );
    }
    // The rest counts the test, which counts here.
    said.lines().filter(|line| line.contains(" executions")).for_each(|line| println!("{line}"));
}

#[test]
fn two_threads_entries_are_told_once_and_in_order() {
    apart(|| {
        check(model(EACH_ONE, 4, 3), Reads::Doorbell);
        check(model(EACH_ONE, 4, 3), Reads::Record);
    });
}

#[test]
fn two_threads_that_post_again_lose_no_entry() {
    apart(|| {
        check(model(EACH_TWO, 4, 2), Reads::Record);
    });
}

#[test]
fn three_threads_hand_the_baton_on_and_lose_no_entry() {
    apart(|| {
        check(model(THREE, 4, 1), Reads::Doorbell);
        check(model(THREE, 4, 2), Reads::Record);
    });
}

#[test]
fn blocks_are_not_written_again_before_the_nic_is_done_with_them() {
    apart(|| {
        check(model(EACH_TWO, 2, 2), Reads::Record);
        check(model(TWO_RESERVATIONS_OF_TWO, 4, 1), Reads::Doorbell);
    });
}

#[test]
fn who_waits_may_write_the_source_again() {
    apart(|| {
        check(model(WAITERS, 4, 2), Reads::Doorbell);
        check(model(QUIET, 4, 2), Reads::Doorbell);
    });
}

#[test]
fn each_fetch_gets_its_own_result_before_the_place_is_used_again() {
    apart(|| {
        check(model(FETCHES, 2, 1), Reads::Doorbell);
        check(model(&[&[Get], &[Get]], 1, 2), Reads::Record);
    });
}

#[test]
fn threads_of_a_block_that_has_the_queues_words_lose_no_entry_either() {
    apart(|| {
        let block = |model: Model| Model { by: By::Block, ..model };
        check(block(model(EACH_ONE, 4, 3)), Reads::Doorbell);
        check(block(model(EACH_ONE, 4, 3)), Reads::Record);
        check(block(model(EACH_TWO, 4, 2)), Reads::Record);
        check(block(model(EACH_TWO, 2, 2)), Reads::Record);
        check(block(model(THREE, 4, 1)), Reads::Doorbell);
        check(block(model(WAITERS, 4, 2)), Reads::Doorbell);
        check(block(model(QUIET, 4, 2)), Reads::Record);
        check(block(model(FETCHES, 2, 1)), Reads::Doorbell);
    });
}

/// One thread announces another's entry, sees a third's, and offers the baton; a thread that marks later may take it.
#[test]
fn a_baton_on_offer_is_taken_once_or_kept() {
    apart(|| {
        for by in [By::All, By::Block] {
            let offers = |threads, preemptions| Model { by, offers: true, ..model(threads, 4, preemptions) };
            // All executions would take some minutes.
            for threads in [THREE, FOUR] {
                let model = Model { reads: Reads::Record, ..offers(threads, 2) };
                let (executions, _) = model.check_within(Duration::from_secs(seconds().unwrap_or(3)));
                println!("{model:?}: {executions} executions");
            }
        }
    });
}

#[test]
fn a_queue_that_was_never_used_is_posted_to_as_any_other() {
    apart(|| {
        check(Model { base: 0, ..model(WAITERS, 4, 2) }, Reads::Record);
    });
}

/// Returns the time for each large model: the seconds in `OXSHMEM_LOOM_SECONDS`.
fn seconds() -> Option<u64> {
    std::env::var("OXSHMEM_LOOM_SECONDS").ok().map(|text| text.parse().expect("OXSHMEM_LOOM_SECONDS is a number"))
}

/// Runs each model for the seconds in `OXSHMEM_LOOM_SECONDS`, or 60, with more preemptions, up to an unlimited number.
#[test]
#[ignore = "takes as long as it is given"]
fn more_preemptions_find_nothing_either() {
    apart(|| {
        let seconds = seconds().unwrap_or(60);
        type Larger = (&'static [&'static [Work]], u32, Option<usize>);
        let larger: &[Larger] = &[
            (EACH_ONE, 4, None),
            (FETCHES, 2, Some(2)),
            (TWO_RESERVATIONS_OF_TWO, 4, Some(2)),
            (THREE, 4, Some(2)),
            (WAITERS, 4, Some(4)),
            (EACH_TWO, 4, Some(3)),
            (EACH_TWO, 2, Some(3)),
            (TWO_RESERVATIONS_OF_TWO, 4, Some(3)),
            (THREE, 4, Some(3)),
            (&[&[Put(1), Put(1)], &[Put(1), Put(1)], &[Put(1), Put(1)]], 4, Some(2)),
            (&[&[PutAndWait(1)], &[PutAndWait(1)], &[PutAndWait(1)]], 2, Some(2)),
            (&[&[Get, Get], &[Get, Get]], 2, Some(2)),
            (&[&[Get], &[Get], &[Get]], 2, Some(2)),
        ];
        for &(threads, depth, preemptions) in larger {
            for reads in [Reads::Doorbell, Reads::Record] {
                let model = Model { preemptions, reads, ..model(threads, depth, 0) };
                let (executions, all) = model.check_within(Duration::from_secs(seconds));
                println!("{model:?}: {executions} executions{}", if all { ", all" } else { "" });
            }
        }
        for (by, preemptions) in [(By::All, 2), (By::Block, 2), (By::All, 3), (By::Block, 3)] {
            let model = Model { by, offers: true, reads: Reads::Record, ..model(FOUR, 4, preemptions) };
            let (executions, all) = model.check_within(Duration::from_secs(seconds));
            println!("{model:?}: {executions} executions{}", if all { ", all" } else { "" });
        }
    });
}

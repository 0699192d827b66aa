//! Requests to a proxy thread, over the interleavings of a few threads.

use std::thread;

use oxshmem_loom::rings::Work::{Fetch, Get, Put, PutAndWait, Quiet};
use oxshmem_loom::rings::{Break, Model, Work};
use oxshmem_loom::weaken::{self, How, Site};

const RACE: &str = "Causality violation";

/// Returns a ring whose next place is the last of a lap.
fn model(threads: &'static [&'static [Work]], depth: u32, preemptions: usize) -> Model {
    Model {
        threads,
        depth,
        base: depth as u64 - 1,
        batch: 2,
        broken: None,
        apart: false,
        preemptions: Some(preemptions),
    }
}

fn check(model: Model) {
    let executions = model.check();
    println!("{:?}, {} places: {executions} executions", model.threads, model.depth);
    // A model that tries nothing finds nothing.
    assert!(executions > 20, "{executions} executions");
}

#[test]
fn two_threads_requests_are_taken_once_whole_and_in_order() {
    check(model(&[&[Put], &[Put]], 4, 4));
    check(model(&[&[Put, Put], &[Put, Put]], 4, 3));
}

#[test]
fn three_threads_requests_are_taken_once_and_whole() {
    check(model(&[&[Put], &[Put], &[Put]], 4, 3));
}

#[test]
fn a_full_ring_makes_its_writers_wait_and_none_writes_over_another() {
    check(model(&[&[Put, Put], &[Put]], 2, 1));
    check(model(&[&[Put], &[Put]], 1, 2));
}

#[test]
fn laps_follow_each_other_and_none_is_taken_for_another() {
    check(model(&[&[Put, Put, Put]], 1, 2));
    check(Model { base: 0, ..model(&[&[Put, Put, Put, Put, Put]], 2, 2) });
}

#[test]
fn a_line_with_a_word_of_the_last_lap_is_no_request() {
    check(Model { apart: true, ..model(&[&[Put, Put, Put]], 1, 2) });
}

#[test]
fn who_waits_may_write_the_source_again() {
    check(model(&[&[PutAndWait], &[PutAndWait]], 4, 1));
    check(model(&[&[PutAndWait], &[Put, Quiet]], 4, 1));
}

#[test]
fn each_fetch_gets_its_own_answer_before_the_place_is_used_again() {
    check(model(&[&[Fetch], &[Fetch]], 1, 1));
    check(model(&[&[Get], &[Get]], 1, 1));
    check(Model { base: 0, ..model(&[&[Fetch, Fetch, Fetch]], 1, 2) });
}

/// Returns the report of a model with this break, or with a weakened operation of the device half.
fn said(model: Model, site: Option<Site>) -> Option<String> {
    let checked = thread::spawn(move || {
        weaken::set(site);
        model.check()
    });
    checked.join().err().map(|why| {
        let text = why.downcast_ref::<String>().cloned();
        text.or_else(|| why.downcast_ref::<&str>().map(|text| text.to_string())).unwrap_or_default()
    })
}

#[test]
fn a_proxy_that_reads_frees_or_completes_too_early_is_noticed() {
    for (broken, model, what) in [
        (Break::NotAcquired, model(&[&[Put], &[Put]], 4, 2), RACE),
        (Break::FreedEarly, model(&[&[Put], &[Put]], 1, 2), ""),
        (Break::DoneRelaxed, model(&[&[PutAndWait]], 4, 2), RACE),
        (Break::DoneEarly, model(&[&[PutAndWait]], 4, 2), RACE),
    ] {
        match said(Model { broken: Some(broken), ..model }, None) {
            None => panic!("no model notices {broken:?}"),
            Some(said) => assert!(said.contains(what), "another thing broke with {broken:?}: {said}"),
        }
    }
}

const RING: (&str, &str) = ("device/ring.rs", include_str!("../../../transport-ibrc/src/device/ring.rs"));
const QUEUE: (&str, &str) = ("device/queue.rs", include_str!("../../../transport-ibrc/src/device/queue.rs"));
const REPLY: (&str, &str) = ("device/reply.rs", include_str!("../../../transport-ibrc/src/device/reply.rs"));

const DEVICE: (&str, &str) = ("rings/device.rs", include_str!("../src/rings/device.rs"));

#[test]
fn each_order_of_the_writers_is_needed() {
    let put = model(&[&[Put], &[Put]], 4, 2);
    let waits = model(&[&[PutAndWait]], 4, 2);
    let fetches = model(&[&[Fetch], &[Fetch]], 1, 2);
    let gets = model(&[&[Get], &[Get]], 1, 1);
    for ((file, text), function, operation, nth, how, model) in [
        (RING, "write", "written_before_announced", 0, How::Dropped, put),
        // A line without some of its words is no request.
        (RING, "write", "st_relaxed_sys_v2", 0, How::Dropped, put),
        (RING, "write", "st_relaxed_sys_v2", 1, How::Dropped, put),
        (RING, "write", "st_relaxed_sys_v2", 2, How::Dropped, put),
        (RING, "write", "st_relaxed_sys_v2", 3, How::Dropped, put),
        (QUEUE, "look_at_done", "ld_acquire_sys_u64", 0, How::Relaxed, waits),
        (REPLY, "take", "atom_cas_acq_rel_gpu_u64", 0, How::Dropped, fetches),
        (REPLY, "ask", "st_release_gpu_u64", 0, How::Relaxed, gets),
        (DEVICE, "get", "reply_before_data", 0, How::Dropped, gets),
    ] {
        let site = Site::find(file, text, function, operation, nth, how);
        assert!(said(model, Some(site)).is_some(), "no model notices call {nth} of {operation} in {function} {how:?}");
    }
}

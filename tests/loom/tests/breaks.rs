//! Removes each ordering of the protocol in turn: the model must notice.
//!
//! Orderings that can't be removed at run time were removed by hand. The models of `posting.rs` notice if no thread
//! waits for room, if `posted` is read after the fence and not before it (the record goes back), and if the baton is
//! handed on before the doorbell. They do not notice if a thread accepts marks of a later lap: such a thread can't
//! claim, since the claim has moved on. They also do not notice if a completion is read before the count with which it
//! is compared: the error takes 2^15 entries between the two reads.

use std::thread;

use oxshmem_loom::Work::{Get, Put, PutAndWait};
use oxshmem_loom::weaken::{How, Site};
use oxshmem_loom::{By, Model, Reads, Work, weaken};

const POST: (&str, &str) = ("device/post.rs", include_str!("../../../transport-ibgda/src/device/post.rs"));
const QUEUE: (&str, &str) = ("device/queue.rs", include_str!("../../../transport-ibgda/src/device/queue.rs"));
const QUEUE_REF: (&str, &str) =
    ("device/queue_ref.rs", include_str!("../../../transport-ibgda/src/device/queue_ref.rs"));
const DONE: (&str, &str) = ("device/done.rs", include_str!("../../../transport-ibgda/src/device/done.rs"));
const FETCH: (&str, &str) = ("device/fetch.rs", include_str!("../../../transport-ibgda/src/device/fetch.rs"));

/// Returns the report of a model that breaks when the `nth` call of `operation` in a function is weakened; `None`: none
/// breaks.
fn broken(file: (&'static str, &str), function: &str, operation: &'static str, nth: usize, how: How) -> Option<String> {
    let site = Site::find(file.0, file.1, function, operation, nth, how);
    models(function).into_iter().find_map(|model| {
        let checked = thread::spawn(move || {
            weaken::set(Some(site));
            model.check()
        });
        checked.join().err().map(|why| {
            let text = why.downcast_ref::<String>().cloned();
            let text = text.or_else(|| why.downcast_ref::<&str>().map(|text| text.to_string())).unwrap_or_default();
            format!("{:?} {:?}: {}", model.threads, model.reads, text.trim().replace('\n', " "))
        })
    })
}

/// Returns the smallest models in which the function does everything that it can do.
fn models(function: &str) -> Vec<Model> {
    let (threads, depth): (&[&[Work]], _) = match function {
        "done" | "raise_done" | "poll" => (&[&[PutAndWait(1)], &[PutAndWait(1)]], 4),
        "take" | "give_back" => (&[&[Get], &[Get]], 1),
        _ => (&[&[Put(1)], &[Put(1)]], 4),
    };
    [Reads::Record, Reads::Doorbell]
        .map(|reads| Model { threads, depth, base: 0xffff, by: By::All, offers: false, reads, preemptions: Some(2) })
        .into()
}

/// Checks that some model breaks with a report that contains `what`.
fn breaks(file: (&'static str, &str), function: &str, operation: &'static str, nth: usize, how: How, what: &str) {
    match broken(file, function, operation, nth, how) {
        None => panic!("no model notices call {nth} of {operation} in {function} {how:?}"),
        Some(said) => assert!(said.contains(what), "another thing broke: {said}"),
    }
}

const LOST: &str = "entries that the NIC was told of, when all threads have returned";
const RACE: &str = "Causality violation";

#[test]
fn the_models_that_notice_find_nothing_to_notice_without_a_break() {
    for function in ["announce", "poll", "take"] {
        for model in models(function) {
            model.check();
        }
    }
}

#[test]
fn without_the_fence_behind_a_mark_the_baton_is_lost() {
    breaks(POST, "mark", "mine_before_theirs", 0, How::Dropped, LOST);
}

#[test]
fn without_the_fence_behind_handing_on_the_baton_is_lost() {
    breaks(POST, "give", "mine_before_theirs", 0, How::Dropped, LOST);
}

#[test]
fn a_mark_that_is_not_made_is_an_entry_that_is_not_told() {
    breaks(QUEUE, "mark", "store_mark", 0, How::Dropped, LOST);
}

#[test]
fn a_claim_that_all_win_tells_entries_twice() {
    breaks(QUEUE, "claim", "swap_acq_rel", 0, How::Dropped, "the record told");
}

#[test]
fn a_claim_that_is_not_handed_on_is_one_that_nobody_gets() {
    breaks(QUEUE, "hand_on", "store", 0, How::Dropped, LOST);
}

#[test]
fn without_the_fence_before_telling_the_nic_reads_what_is_not_there_yet() {
    // First a thread's own entries, then those that it announces with a claimed baton, and marked entries of others.
    breaks(POST, "publish", "written_before_announced", 0, How::Dropped, RACE);
    breaks(POST, "announce", "written_before_announced", 0, How::Dropped, RACE);
}

#[test]
fn without_the_fence_behind_the_record_the_doorbell_comes_first() {
    breaks(POST, "ring", "record_before_doorbell", 0, How::Dropped, "the doorbell said");
}

#[test]
fn a_doorbell_that_is_not_rung_is_noticed() {
    breaks(POST, "ring", "st_mmio_relaxed_sys_u64", 0, How::Dropped, LOST);
}

#[test]
fn without_release_of_posted_the_next_thread_is_not_behind_this_one() {
    breaks(QUEUE, "hand_on", "store_release", 0, How::Relaxed, "claim, when nobody has the baton");
}

#[test]
fn without_order_of_done_what_is_complete_is_not_seen() {
    breaks(QUEUE_REF, "done", "load_acquire", 0, How::Relaxed, RACE);
    breaks(QUEUE_REF, "raise_done", "raise_release", 0, How::Relaxed, RACE);
    breaks(DONE, "poll", "ld_acquire_sys_u32", 0, How::Relaxed, RACE);
}

#[test]
fn a_place_for_a_result_that_is_taken_too_early_is_overwritten() {
    breaks(FETCH, "take", "ld_relaxed_gpu_u64", 0, How::Dropped, RACE);
    breaks(FETCH, "take", "st_relaxed_gpu_u64", 0, How::Dropped, RACE);
    breaks(FETCH, "give_back", "st_release_gpu_u64", 0, How::Relaxed, RACE);
}

#[test]
fn the_claims_own_order_is_not_needed_between_the_fences_on_both_sides_of_it() {
    assert_eq!(broken(QUEUE, "claim", "swap_acq_rel", 0, How::Relaxed), None);
}

//! Teams, collectives, and work of streams.

use crate::programs::run_well;

#[test]
fn teams_and_collectives_of_every_type_give_what_they_say() {
    for n in [2, 3] {
        run_well("teams", n);
    }
}

#[test]
fn work_of_streams_is_done_in_order() {
    for n in [2, 3] {
        run_well("streams", n);
    }
}

#[test]
fn no_call_of_a_thread_waits_for_a_wait_or_a_collective_of_another_thread() {
    // 11 waits beside 15 calls, without those that threads make one after another.
    run_well("threads", 3).iter().for_each(|said| assert_eq!(said, "155 pairs\n"));
}

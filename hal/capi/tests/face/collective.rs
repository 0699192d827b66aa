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

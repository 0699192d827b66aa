//! Back-off of the OS thread while all its GPU threads wait for other PEs.

use std::thread;
use std::time::Duration;

/// After this many idle rounds, a round ends in a sleep instead of a yield to the system.
const YIELD_ROUNDS: u32 = 256;
/// The sleep grows by this step with each round, up to the maximum.
const SLEEP_STEP: Duration = Duration::from_micros(5);
const MAX_SLEEP: Duration = Duration::from_micros(50);

/// Backs off after the `rounds`-th idle round in a row.
pub(super) fn back_off(rounds: u32) {
    if rounds <= YIELD_ROUNDS {
        // The awaited PE may need this very core.
        thread::yield_now();
    } else {
        thread::sleep(MAX_SLEEP.min(SLEEP_STEP * (rounds - YIELD_ROUNDS).min(1 << 10)));
    }
}

//! How long the OS thread rests when all its GPU threads wait for other PEs.

use std::thread;
use std::time::Duration;

/// So many fruitless rounds end in a yield to the system; the later ones in a sleep.
const YIELD_ROUNDS: u32 = 256;
/// The sleep grows by this with each round, up to the last.
const SLEEP_STEP: Duration = Duration::from_micros(5);
const MAX_SLEEP: Duration = Duration::from_micros(50);

/// Rests after the `rounds`-th fruitless round in a row.
pub(super) fn back_off(rounds: u32) {
    if rounds <= YIELD_ROUNDS {
        // The PE that is waited for may want this very core.
        thread::yield_now();
    } else {
        thread::sleep(MAX_SLEEP.min(SLEEP_STEP * (rounds - YIELD_ROUNDS).min(1 << 10)));
    }
}

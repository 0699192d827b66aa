//! How long the OS thread rests when all its GPU threads wait for other PEs.

use std::thread;
use std::time::Duration;

/// So many fruitless rounds end in a yield to the system; the later ones in a sleep.
const YIELDS: u32 = 256;
/// The sleep grows by this with each round, up to the last.
const STEP: Duration = Duration::from_micros(5);
const LONGEST: Duration = Duration::from_micros(50);

/// Rests after the `rounds`-th fruitless round in a row.
pub(super) fn rest(rounds: u32) {
    if rounds <= YIELDS {
        // The PE that is waited for may want this very core.
        thread::yield_now();
    } else {
        thread::sleep(LONGEST.min(STEP * (rounds - YIELDS).min(1 << 10)));
    }
}

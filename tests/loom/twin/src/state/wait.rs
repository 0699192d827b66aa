//! Waits without a clock. One that never ends exceeds the checker's bound of steps, which the checker reports.

use oxshmem_core::{Fault, Pe};

use crate::state::WorldState;

/// Empty: there is no clock.
#[derive(Debug, Default)]
pub struct WaitBudget;

impl WaitBudget {
    /// Returns the empty budget.
    pub const fn new() -> Self {
        Self
    }
}

/// Polls that may find nothing before an execution is no longer branched. Such an execution differs from one in which
/// the thread polls later only by the states for which the polls came too early.
const POLLS: u32 = 1;

/// Polls until there is a value; lets the other threads run before each poll.
///
/// # Errors
/// None.
pub fn until_among<T>(
    _: &WorldState,
    _: &mut WaitBudget,
    _: usize,
    _: impl Fn(Pe) -> bool,
    mut poll: impl FnMut() -> Option<T>,
    _: impl FnOnce() -> Fault,
) -> Result<T, Fault> {
    let mut polls = 0;
    loop {
        loom::thread::yield_now();
        if let Some(value) = poll() {
            return Ok(value);
        }
        polls += 1;
        if polls == POLLS {
            loom::skip_branch();
        }
    }
}

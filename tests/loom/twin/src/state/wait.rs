//! Waits: without a clock. One that never ends exceeds the checker's bound of steps, which it reports.

use oxshmem_core::Fault;

use crate::state::WorldState;

/// Nothing: there is no clock.
#[derive(Debug, Default)]
pub struct WaitBudget;

impl WaitBudget {
    /// Nothing.
    pub const fn new() -> Self {
        Self
    }
}

/// Polls that may find nothing, before an execution is no longer worth branching in: it differs from one in which the
/// thread looked later only by what the polls were too early for.
const POLLS: u32 = 1;

/// Polls until there is a value; lets the other threads run before each poll.
///
/// # Errors
/// None.
pub fn until<T>(
    _: &WorldState,
    _: &mut WaitBudget,
    _: usize,
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

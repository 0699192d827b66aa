//! Whether a thread of the running grid has ended by a fault.

use std::cell::Cell;

thread_local! {
    /// Whether a thread of the running grid has ended by a fault.
    static ENDED_BY_FAULT: Cell<bool> = const { Cell::new(false) };
}

/// Notes that the calling GPU thread ends by a fault. The calls of groups that it leaves out are no mistake of the program.
pub fn end_by_fault() {
    ENDED_BY_FAULT.set(true);
}

pub(super) fn has_ended_by_fault() -> bool {
    ENDED_BY_FAULT.get()
}

pub(super) fn begin_grid() {
    ENDED_BY_FAULT.set(false);
}

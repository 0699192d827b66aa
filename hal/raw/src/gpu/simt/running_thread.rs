//! The GPU thread that the OS thread runs at this moment.

use std::cell::{Cell, RefCell};
use std::ptr;

use corosensei::Yielder;

use super::state::State;
use super::thread_index::ThreadIndex;

thread_local! {
    /// The running GPU thread; null outside of grids. It points into that thread's own stack.
    static RUNNING: Cell<*const RunningThread> = const { Cell::new(ptr::null()) };
}

/// A running grid, as its threads and its executor share it.
pub(super) struct RunningGrid {
    pub(super) state: RefCell<State>,
    /// If set, every coroutine unwinds when it is resumed.
    pub(super) stopping: Cell<bool>,
    pub(super) yield_one_in: u32,
}

/// A running GPU thread: its index, its grid, and the yielder that suspends it.
pub(super) struct RunningThread {
    pub(super) index: ThreadIndex,
    grid: *const RunningGrid,
    yielder: *const Yielder<(), ()>,
}

/// The panic payload that unwinds a suspended thread when its grid stops.
struct GridStopped;

impl RunningThread {
    pub(super) fn new(index: ThreadIndex, grid: &RunningGrid, yielder: &Yielder<(), ()>) -> Self {
        Self { index, grid, yielder }
    }

    pub(super) fn grid(&self) -> &RunningGrid {
        // SAFETY: a `RunningThread` lives on the stack of a coroutine, and the executor, which has the grid, outlives
        // every coroutine of it.
        unsafe { &*self.grid }
    }

    /// Makes this the OS thread's running GPU thread until `f` returns.
    pub(super) fn enter<R>(&self, f: impl FnOnce() -> R) -> R {
        RUNNING.set(self);
        let result = f();
        RUNNING.set(ptr::null());
        result
    }

    /// Returns control to the scheduler. Before it resumes this thread, the scheduler has found it on a ready list, or
    /// it stops the grid; in that case this call unwinds.
    pub(super) fn suspend(&self) {
        if !self.grid().stopping.get() {
            // SAFETY: the yielder belongs to the coroutine on whose stack this `RunningThread` lives, so it lives at
            // least as long.
            unsafe { &*self.yielder }.suspend(());
            // Other threads have run in the meantime and have set it.
            RUNNING.set(self);
        }
        if self.grid().stopping.get() {
            std::panic::resume_unwind(Box::new(GridStopped));
        }
    }
}

/// Calls `f` with the running thread, or with `None` outside of grids.
pub(super) fn with<R>(f: impl FnOnce(Option<&RunningThread>) -> R) -> R {
    let running = RUNNING.get();
    // SAFETY: if it is not null, `enter` or `suspend` of the coroutine that runs now has set it to its own
    // `RunningThread`. That value stays in place until the thread's body returns, and the body is the caller of `f`.
    f(unsafe { running.as_ref() })
}

/// Calls `f` as [`with`] does, for operations that may suspend. It also passes `None` while the thread unwinds from a
/// panic: the panic count belongs to the OS thread, so other threads must not run then, and the grid ends anyway.
pub(super) fn with_alive<R>(f: impl FnOnce(Option<&RunningThread>) -> R) -> R {
    with(|running| f(running.filter(|_| !std::thread::panicking())))
}

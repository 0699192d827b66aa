//! Which GPU thread the OS thread runs at this moment.

use std::cell::Cell;
use std::ptr;

use corosensei::Yielder;

use super::executor::Executor;
use super::thread_index::ThreadIndex;

thread_local! {
    /// The running GPU thread, null outside of grids. It points into that thread's own stack.
    static RUNNING: Cell<*const RunningThread> = const { Cell::new(ptr::null()) };
}

/// A running GPU thread: where it is in the grid, who runs it, and the way back to that.
pub(super) struct RunningThread {
    pub(super) index: ThreadIndex,
    executor: *const Executor,
    yielder: *const Yielder<(), ()>,
}

/// What a suspended thread is unwound with when its grid stops.
struct GridStopped;

impl RunningThread {
    pub(super) fn new(index: ThreadIndex, executor: &Executor, yielder: &Yielder<(), ()>) -> Self {
        Self { index, executor, yielder }
    }

    pub(super) fn executor(&self) -> &Executor {
        // SAFETY: the executor outlives every coroutine of its grid, and a `Here` lives on a coroutine's stack.
        unsafe { &*self.executor }
    }

    /// Makes this the running thread of the OS thread, until `f` is done with.
    pub(super) fn enter<R>(&self, f: impl FnOnce() -> R) -> R {
        RUNNING.set(self);
        let result = f();
        RUNNING.set(ptr::null());
        result
    }

    /// Lets the scheduler run. Whoever resumes this thread has put it on a ready list before, or
    /// stops the grid: then it unwinds.
    pub(super) fn suspend(&self) {
        if !self.executor().is_stopping() {
            // SAFETY: the yielder is the coroutine's that this `Here` lives on, and lives as long.
            unsafe { &*self.yielder }.suspend(());
            // Others ran in between and were the running thread.
            RUNNING.set(self);
        }
        if self.executor().is_stopping() {
            std::panic::resume_unwind(Box::new(GridStopped));
        }
    }
}

/// Calls `f` with the running thread, or with none outside of grids.
pub(super) fn with<R>(f: impl FnOnce(Option<&RunningThread>) -> R) -> R {
    let running = RUNNING.get();
    // SAFETY: not null, it is the `Here` that `enter` or `suspend` of the coroutine that runs now set;
    // it stays where it is until its body returns, and `f` is called by that body.
    f(unsafe { running.as_ref() })
}

/// As [`with`], for what may suspend: with none also while the thread unwinds from a panic, when it
/// must not let others run (the count of panics belongs to the OS thread), and its grid ends anyway.
pub(super) fn with_alive<R>(f: impl FnOnce(Option<&RunningThread>) -> R) -> R {
    with(|running| f(running.filter(|_| !std::thread::panicking())))
}

//! Counts the allocations of a thread.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::hint::black_box;

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

/// The system's allocator, which also counts the allocations of each thread. A program that has it as its global
/// allocator can check that calls of a device allocate nothing:
///
/// ```ignore
/// #[global_allocator]
/// static ALLOCATOR: oxshmem_kit::fabric::CountingAllocator = oxshmem_kit::fabric::CountingAllocator;
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct CountingAllocator;

fn add_one() {
    // A thread that ends has no count any more.
    let _ = COUNT.try_with(|count| count.set(count.get() + 1));
}

// SAFETY: every call is passed to the system's allocator, which keeps the contract of `GlobalAlloc`; counting neither
// allocates nor unwinds.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        add_one();
        // SAFETY: the caller keeps the contract of `alloc`, which is that of the system's allocator.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: the memory came from the system's allocator with this layout, as the caller's contract says.
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        add_one();
        // SAFETY: the memory came from the system's allocator with this layout, as the caller's contract says.
        unsafe { System.realloc(at, layout, bytes) }
    }
}

/// Runs a function. Returns its result and the number of allocations of this thread meanwhile.
pub(super) fn count<T>(act: impl FnOnce() -> T) -> (T, u64) {
    let before = COUNT.with(Cell::get);
    let result = act();
    (result, COUNT.with(Cell::get) - before)
}

/// Reports whether the program's global allocator counts.
pub(super) fn are_counted() -> bool {
    count(|| drop(black_box(Box::new(1u64)))).1 > 0
}

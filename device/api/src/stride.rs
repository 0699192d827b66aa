//! Counted loops, which leave no path to a panic.

use oxshmem_core::Group;

use crate::{thread_in_grid, threads_in_grid};

/// The indices of a loop: [`span`], [`stride`], [`grid_stride`] and [`group_stride`] return it. A loop over it compiles to
/// one addition and one comparison for each index. (One over a range has a selection besides.)
#[derive(Clone, Debug)]
pub struct Stride<T> {
    next: T,
    end: T,
    by: T,
}

/// A type of indices. The trait is sealed.
pub trait Index: Copy + PartialOrd + sealed::Sealed {
    #[doc(hidden)]
    const ONE: Self;
    #[doc(hidden)]
    fn after(self, by: Self) -> Self;
}

mod sealed {
    /// Seals [`Index`](super::Index).
    pub trait Sealed {}
}

macro_rules! indices {
    ($($t:ident)*) => { $(
        impl sealed::Sealed for $t {}
        impl Index for $t {
            const ONE: Self = 1;
            #[inline(always)]
            fn after(self, by: Self) -> Self { self.wrapping_add(by) }
        }
    )* };
}
indices! { u32 u64 usize }

impl<T: Index> Iterator for Stride<T> {
    type Item = T;

    #[inline(always)]
    fn next(&mut self) -> Option<T> {
        let index = self.next;
        // Also at the end, where nobody asks for it: else the compiler selects between the two.
        self.next = index.after(self.by);
        if index < self.end { Some(index) } else { None }
    }
}

/// Returns the indices from `from` to before `to`, as `from..to` does.
///
/// ```
/// use oxshmem_device::prelude::*;
///
/// kernel! {
///     /// Adds the elements in their order.
///     pub fn add_up(shmem: Shmem, at: SymPtr<f64>, n: usize, sum: SymPtr<f64>) {
///         let all = shmem.local(at, n);
///         let mut total = 0.0;
///         for i in span(0, n) {
///             total += all.read(i);
///         }
///         shmem.local(sum, 1).write(0, total);
///     }
/// }
/// ```
#[inline(always)]
pub fn span<T: Index>(from: T, to: T) -> Stride<T> {
    stride(from, to, T::ONE)
}

/// Returns `from`, `from + by`, `from + 2 * by` and so on, below `to`: `(from..to).step_by(by)` without a division, and
/// without a panic if `by` is 0, which is an endless loop.
///
/// `to + by` is representable in the type. Beyond it the indices wrap around, and the loop may be endless.
///
/// ```
/// use oxshmem_device::prelude::*;
///
/// kernel! {
///     /// Clears the rows of this thread's column.
///     pub fn clear(shmem: Shmem, field: SymPtr<f32>, rows: u32, columns: u32) {
///         let all = shmem.local(field, (rows * columns) as usize);
///         for at in stride(thread_idx()[0], rows * columns, columns) {
///             all.write(at as usize, 0.0);
///         }
///     }
/// }
/// assert_eq!(stride(3u32, 12, 4).collect::<Vec<_>>(), [3, 7, 11]);
/// ```
#[inline(always)]
pub fn stride<T: Index>(from: T, to: T, by: T) -> Stride<T> {
    Stride { next: from, end: to, by }
}

/// Returns the calling thread's share of `0..n` among all threads of the grid: its number in the grid, and from there on
/// each index that is the number of threads further. Neighbouring threads have neighbouring indices.
///
/// ```
/// use oxshmem_device::prelude::*;
///
/// kernel! {
///     /// Doubles each element, by a grid of any size.
///     pub fn double(shmem: Shmem, at: SymPtr<f32>, n: usize) {
///         let all = shmem.local(at, n);
///         for i in grid_stride(n) {
///             all.write(i, 2.0 * all.read(i));
///         }
///     }
/// }
/// ```
#[inline(always)]
pub fn grid_stride(n: usize) -> Stride<usize> {
    stride(thread_in_grid(), n, threads_in_grid())
}

/// Returns the calling thread's share of `0..n` among the threads of a group: its rank, and from there on each index that
/// is the group's size further.
///
/// ```
/// use oxshmem_device::prelude::*;
///
/// kernel! {
///     /// Adds one to each element of this block's row.
///     pub fn one_more(shmem: Shmem, rows: SymPtr<u64>, n: usize) {
///         let row = shmem.local(rows.add(block_idx()[0] as usize * n), n);
///         for i in group_stride(Block, n) {
///             row.write(i, row.read(i) + 1);
///         }
///     }
/// }
/// ```
#[inline(always)]
pub fn group_stride<G: Group>(group: G, n: usize) -> Stride<usize> {
    stride(group.rank() as usize, n, group.size() as usize)
}

#[cfg(test)]
mod tests {
    use oxshmem_raw::gpu::group::{Block, Thread};
    use oxshmem_raw::gpu::simt::{Grid, Schedule, run};
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    #[test]
    fn a_stride_ends_before_its_end_and_is_empty_from_there_on() {
        assert_eq!(stride(1u32, 10, 3).collect::<Vec<_>>(), [1, 4, 7]);
        assert_eq!(stride(0usize, 9, 3).collect::<Vec<_>>(), [0, 3, 6]);
        assert_eq!(stride(9u64, 9, 1).count() + stride(10u64, 9, 1).count(), 0);
        assert_eq!(span(u32::MAX - 2, u32::MAX).collect::<Vec<_>>(), [u32::MAX - 2, u32::MAX - 1]);
        assert_eq!(span(3u32, 3).count() + span(4u64, 3).count(), 0);
    }

    #[test]
    fn the_threads_of_a_grid_or_of_a_group_take_each_index_once() {
        let grid = Grid { blocks: [3, 2, 1], threads: [5, 7, 1], dynamic_shared_bytes: 0, collective: false };
        for n in [0, 1, 34, 35, 36, 210, 211, 1000] {
            let taken: Vec<[AtomicU32; 3]> = (0..n).map(|_| Default::default()).collect();
            let take = |i: usize, by: usize| {
                taken[i][by].fetch_add(1, Ordering::Relaxed);
            };
            run(&grid, &Schedule::default(), &|| {
                grid_stride(n).for_each(|i| take(i, 0));
                group_stride(Block, n).for_each(|i| take(i, 1));
                group_stride(Thread, n).for_each(|i| take(i, 2));
            })
            .unwrap();
            for (i, taken) in taken.iter().enumerate() {
                let taken = taken.each_ref().map(|times| times.load(Ordering::Relaxed));
                assert_eq!(taken, [1, 6, 210], "element {i} of {n}");
            }
        }
    }
}

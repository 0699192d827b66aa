//! Waits and tests of the host, on words of this PE's heap.
//!
//! In lists, a word whose entry in `status` is not 0 is left out; a null `status` leaves out none. Each call for any word
//! begins to look at another one, so that no satisfied word is passed over for ever.

use std::ffi::c_int;
use std::sync::atomic::Ordering;

use oxshmem_hal::{Cmp, Result, SymPtr, Waitable, first_of_any};

use crate::face::{Face, cmp};
use crate::pointers::not_null;

/// The condition that a call sets for a list of words: a value for each word, and one comparison.
struct Wanted<T> {
    words: SymPtr<T>,
    /// By word, the value to compare with; `None` for a word that is left out.
    values: Vec<Option<T>>,
    cmp: Cmp,
}

impl<T: Waitable> Wanted<T> {
    /// # Safety
    ///
    /// **pointers**, as the crate defines them, for `count` entries of `status`.
    unsafe fn new(
        face: &Face,
        (words, count): (*const T, usize),
        status: *const c_int,
        op: c_int,
        value: impl Fn(usize) -> T,
    ) -> Result<Self> {
        // Before lists of that length are read and made.
        let words = face.own_words(words, count)?;
        let wanted = |i: usize| {
            // SAFETY: **pointers** by the caller.
            let left_out = !status.is_null() && unsafe { status.add(i).read() } != 0;
            (!left_out).then(|| value(i))
        };
        Ok(Self { words, values: (0..count).map(wanted).collect(), cmp: cmp(op)? })
    }

    /// Returns whether no word is asked for.
    fn is_empty(&self) -> bool {
        self.values.iter().all(Option::is_none)
    }

    /// Returns the indices of the words that satisfy the comparison.
    fn satisfied(&self, words: &[T]) -> Vec<usize> {
        let holds = |(value, word): (&Option<T>, &T)| value.is_some_and(|value| self.cmp.holds(*word, value));
        let all = self.values.iter().zip(words).map(holds).enumerate();
        all.filter_map(|(i, holds)| holds.then_some(i)).collect()
    }

    fn count(&self) -> usize {
        self.values.iter().flatten().count()
    }

    /// Returns the indices of the words that satisfy the comparison now.
    fn test(&self, face: &Face) -> Result<Vec<usize>> {
        match self.is_empty() {
            true => Ok(Vec::new()),
            false => Ok(self.satisfied(&face.world.words(self.words, self.values.len())?)),
        }
    }

    /// Waits until `least` words satisfy the comparison, and returns the indices of those that do.
    fn wait(&self, face: &Face, least: usize) -> Result<Vec<usize>> {
        if self.is_empty() {
            return Ok(Vec::new());
        }
        face.world.wait_for(self.words, self.values.len(), |words| {
            let satisfied = self.satisfied(words);
            (satisfied.len() >= least).then_some(satisfied)
        })
    }
}

/// Returns the answer to `any` of `count` words: the first satisfied word from this call's place on, or `SIZE_MAX`.
fn any(face: &Face, count: usize, satisfied: &[usize]) -> usize {
    let start = first_of_any(face.any_calls.fetch_add(1, Ordering::Relaxed), count);
    let at = satisfied.partition_point(|index| *index < start);
    satisfied.get(at).or(satisfied.first()).copied().unwrap_or(usize::MAX)
}

/// Writes the answer to `some`, and returns its length.
///
/// # Safety
///
/// **pointers**, as the crate defines them: `indices` has room for all words.
unsafe fn list(satisfied: &[usize], indices: *mut usize) -> Result<usize> {
    if !satisfied.is_empty() {
        not_null(indices, "the list of indices")?;
        // SAFETY: **pointers** by the caller; it is not null.
        unsafe { indices.copy_from_nonoverlapping(satisfied.as_ptr(), satisfied.len()) }
    }
    Ok(satisfied.len())
}

family! { wait_types {
    fn ["nvshmem_" "_test"](word: *mut T, op: c_int, value: T) -> c_int = or_exit |face| {
        Ok(cmp(op)?.holds(face.world.words(face.sym(word)?, 1)?[0], value).into())
    };
    fn ["nvshmem_" "_wait_until"](word: *mut T, op: c_int, value: T) = or_exit |face| {
        face.world.wait_until(face.sym(word)?, cmp(op)?, value).map(drop)
    };
    fn ["nvshmem_" "_test_all"](words: *mut T, count: usize, status: *const c_int, op: c_int, value: T) -> c_int
        = or_exit |face| {
        // SAFETY: **pointers** by the caller.
        let wanted = unsafe { Wanted::new(face, (words, count), status, op, |_| value) }?;
        Ok((wanted.test(face)?.len() == wanted.count()).into())
    };
    fn ["nvshmem_" "_test_any"](words: *mut T, count: usize, status: *const c_int, op: c_int, value: T) -> usize
        = or_exit |face| {
        // SAFETY: **pointers** by the caller.
        Ok(any(face, count, &unsafe { Wanted::new(face, (words, count), status, op, |_| value) }?.test(face)?))
    };
    fn ["nvshmem_" "_test_some"](
        words: *mut T, count: usize, indices: *mut usize, status: *const c_int, op: c_int, value: T,
    ) -> usize = or_exit |face| {
        // SAFETY: **pointers** by the caller.
        unsafe { list(&Wanted::new(face, (words, count), status, op, |_| value)?.test(face)?, indices) }
    };
    fn ["nvshmem_" "_wait_until_all"](words: *mut T, count: usize, status: *const c_int, op: c_int, value: T)
        = or_exit |face| {
        // SAFETY: **pointers** by the caller.
        let wanted = unsafe { Wanted::new(face, (words, count), status, op, |_| value) }?;
        wanted.wait(face, wanted.count()).map(drop)
    };
    fn ["nvshmem_" "_wait_until_any"](words: *mut T, count: usize, status: *const c_int, op: c_int, value: T) -> usize
        = or_exit |face| {
        // SAFETY: **pointers** by the caller.
        Ok(any(face, count, &unsafe { Wanted::new(face, (words, count), status, op, |_| value) }?.wait(face, 1)?))
    };
    fn ["nvshmem_" "_wait_until_some"](
        words: *mut T, count: usize, indices: *mut usize, status: *const c_int, op: c_int, value: T,
    ) -> usize = or_exit |face| {
        // SAFETY: **pointers** by the caller.
        unsafe { list(&Wanted::new(face, (words, count), status, op, |_| value)?.wait(face, 1)?, indices) }
    };
    fn ["nvshmem_" "_test_all_vector"](
        words: *mut T, count: usize, status: *const c_int, op: c_int, values: *const T,
    ) -> c_int = or_exit |face| {
        // SAFETY: **pointers** by the caller.
        let wanted = unsafe { Wanted::new(face, (words, count), status, op, |i| values.add(i).read()) }?;
        Ok((wanted.test(face)?.len() == wanted.count()).into())
    };
    fn ["nvshmem_" "_test_any_vector"](
        words: *mut T, count: usize, status: *const c_int, op: c_int, values: *const T,
    ) -> usize = or_exit |face| {
        // SAFETY: **pointers** by the caller.
        Ok(any(face, count, &unsafe { Wanted::new(face, (words, count), status, op, |i| values.add(i).read()) }?.test(face)?))
    };
    fn ["nvshmem_" "_test_some_vector"](
        words: *mut T, count: usize, indices: *mut usize, status: *const c_int, op: c_int, values: *const T,
    ) -> usize = or_exit |face| {
        // SAFETY: **pointers** by the caller.
        unsafe { list(&Wanted::new(face, (words, count), status, op, |i| values.add(i).read())?.test(face)?, indices) }
    };
    fn ["nvshmem_" "_wait_until_all_vector"](
        words: *mut T, count: usize, status: *const c_int, op: c_int, values: *const T,
    ) = or_exit |face| {
        // SAFETY: **pointers** by the caller.
        let wanted = unsafe { Wanted::new(face, (words, count), status, op, |i| values.add(i).read()) }?;
        wanted.wait(face, wanted.count()).map(drop)
    };
    fn ["nvshmem_" "_wait_until_any_vector"](
        words: *mut T, count: usize, status: *const c_int, op: c_int, values: *const T,
    ) -> usize = or_exit |face| {
        // SAFETY: **pointers** by the caller.
        Ok(any(face, count, &unsafe { Wanted::new(face, (words, count), status, op, |i| values.add(i).read()) }?.wait(face, 1)?))
    };
    fn ["nvshmem_" "_wait_until_some_vector"](
        words: *mut T, count: usize, indices: *mut usize, status: *const c_int, op: c_int, values: *const T,
    ) -> usize = or_exit |face| {
        // SAFETY: **pointers** by the caller.
        unsafe { list(&Wanted::new(face, (words, count), status, op, |i| values.add(i).read())?.wait(face, 1)?, indices) }
    };
} }

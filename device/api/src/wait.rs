//! Point-to-point synchronisation: waits and tests on words of the calling PE.

use core::mem::offset_of;

use oxshmem_core::{Cmp, Fault, SymPtr, Waitable, first_of_any};
use oxshmem_raw::gpu::ptx;
use oxshmem_raw::queue::path::PathList;
use oxshmem_raw::state::LocalState;
use oxshmem_raw::state::wait::{self, WaitBudget};

use crate::{Local, Shmem, check};

/// The status of each word of a call over several words. The call ignores words with a status other than 0.
type Status<'a> = Option<Local<'a, i32>>;

#[inline(always)]
fn counts(status: Status<'_>, index: usize) -> bool {
    match status {
        Some(status) => status.read(index) == 0,
        None => true,
    }
}

/// Waits and tests. Data delivered before the value that satisfies a wait or test is visible after the call.
///
/// `status`, if given, has an entry for each word; words with a non-zero entry are ignored. The `_vector` forms compare
/// each word with a value of its own.
///
/// # Errors
/// A word is outside the heap. For a wait: the world's limit was reached, or a PE died. In builds that check: `status`,
/// `values` or `indices` has fewer than `count` entries.
impl<P: PathList> Shmem<'_, P> {
    /// Waits until the word satisfies `cmp` with `value`.
    #[inline(always)]
    pub fn wait_until<T: Waitable>(&self, word: SymPtr<T>, cmp: Cmp, value: T) -> Result<(), Fault> {
        self.wait_for(word, cmp, value).map(|_| ())
    }

    /// Performs [`wait_until`](Shmem::wait_until), and returns the word's value at that time.
    #[inline(always)]
    pub fn wait_until_value<T: Waitable>(&self, word: SymPtr<T>, cmp: Cmp, value: T) -> Result<T, Fault> {
        self.wait_for(word, cmp, value)
    }

    /// Waits until each word that is not ignored has satisfied `cmp` with `value` once.
    #[inline(always)]
    pub fn wait_until_all<T: Waitable>(
        &self,
        words: SymPtr<T>,
        count: usize,
        status: Status<'_>,
        cmp: Cmp,
        value: T,
    ) -> Result<(), Fault> {
        self.wait_all(words, count, status, cmp, |_| value)
    }

    /// Performs [`wait_until_all`](Shmem::wait_until_all) with each word's own value.
    #[inline(always)]
    pub fn wait_until_all_vector<T: Waitable>(
        &self,
        words: SymPtr<T>,
        count: usize,
        status: Status<'_>,
        cmp: Cmp,
        values: Local<'_, T>,
    ) -> Result<(), Fault> {
        values.has(count)?;
        self.wait_all(words, count, status, cmp, |i| values.read(i))
    }

    /// Waits until any word that is not ignored satisfies `cmp` with `value`, and returns its index; `None` if all are
    /// ignored. Each call of this PE begins to look at another word, so that no satisfied word is passed over for ever.
    #[inline(always)]
    pub fn wait_until_any<T: Waitable>(
        &self,
        words: SymPtr<T>,
        count: usize,
        status: Status<'_>,
        cmp: Cmp,
        value: T,
    ) -> Result<Option<usize>, Fault> {
        self.wait_any(words, count, status, cmp, |_| value)
    }

    /// Performs [`wait_until_any`](Shmem::wait_until_any) with each word's own value.
    #[inline(always)]
    pub fn wait_until_any_vector<T: Waitable>(
        &self,
        words: SymPtr<T>,
        count: usize,
        status: Status<'_>,
        cmp: Cmp,
        values: Local<'_, T>,
    ) -> Result<Option<usize>, Fault> {
        values.has(count)?;
        self.wait_any(words, count, status, cmp, |i| values.read(i))
    }

    /// Waits until at least one word that is not ignored satisfies `cmp` with `value`. Writes the indices of all such
    /// words into `indices` and returns their number; 0 if all words are ignored.
    #[inline(always)]
    pub fn wait_until_some<T: Waitable>(
        &self,
        words: SymPtr<T>,
        count: usize,
        indices: Local<'_, usize>,
        status: Status<'_>,
        cmp: Cmp,
        value: T,
    ) -> Result<usize, Fault> {
        indices.has(count)?;
        self.wait_some(words, count, indices, status, cmp, |_| value)
    }

    /// Performs [`wait_until_some`](Shmem::wait_until_some) with each word's own value.
    #[inline(always)]
    pub fn wait_until_some_vector<T: Waitable>(
        &self,
        words: SymPtr<T>,
        count: usize,
        indices: Local<'_, usize>,
        status: Status<'_>,
        cmp: Cmp,
        values: Local<'_, T>,
    ) -> Result<usize, Fault> {
        indices.has(count)?;
        values.has(count)?;
        self.wait_some(words, count, indices, status, cmp, |i| values.read(i))
    }

    /// Reports whether the word satisfies `cmp` with `value` now.
    #[inline(always)]
    pub fn test<T: Waitable>(&self, word: SymPtr<T>, cmp: Cmp, value: T) -> Result<bool, Fault> {
        Ok(cmp.holds(self.acquire(word)?, value))
    }

    /// Reports whether every word that is not ignored satisfies `cmp` with `value` now.
    #[inline(always)]
    pub fn test_all<T: Waitable>(
        &self,
        words: SymPtr<T>,
        count: usize,
        status: Status<'_>,
        cmp: Cmp,
        value: T,
    ) -> Result<bool, Fault> {
        self.check_some(words, count, status)?;
        Ok(self.find(0, words, count, status, |word, _| !cmp.holds(word, value)).is_none())
    }

    /// Performs [`test_all`](Shmem::test_all) with each word's own value.
    #[inline(always)]
    pub fn test_all_vector<T: Waitable>(
        &self,
        words: SymPtr<T>,
        count: usize,
        status: Status<'_>,
        cmp: Cmp,
        values: Local<'_, T>,
    ) -> Result<bool, Fault> {
        values.has(count)?;
        self.check_some(words, count, status)?;
        Ok(self.find(0, words, count, status, |word, i| !cmp.holds(word, values.read(i))).is_none())
    }

    /// Returns the index of a word that is not ignored and satisfies `cmp` with `value` now, if there is one. Each call of
    /// this PE begins to look at another word, as [`wait_until_any`](Shmem::wait_until_any) does.
    #[inline(always)]
    pub fn test_any<T: Waitable>(
        &self,
        words: SymPtr<T>,
        count: usize,
        status: Status<'_>,
        cmp: Cmp,
        value: T,
    ) -> Result<Option<usize>, Fault> {
        self.check_some(words, count, status)?;
        Ok(self.find(self.first_of_any(count), words, count, status, |word, _| cmp.holds(word, value)))
    }

    /// Performs [`test_any`](Shmem::test_any) with each word's own value.
    #[inline(always)]
    pub fn test_any_vector<T: Waitable>(
        &self,
        words: SymPtr<T>,
        count: usize,
        status: Status<'_>,
        cmp: Cmp,
        values: Local<'_, T>,
    ) -> Result<Option<usize>, Fault> {
        values.has(count)?;
        self.check_some(words, count, status)?;
        Ok(self.find(self.first_of_any(count), words, count, status, |word, i| cmp.holds(word, values.read(i))))
    }

    /// Writes the indices of the words that are not ignored and satisfy `cmp` with `value` now into `indices`, and
    /// returns their number.
    #[inline(always)]
    pub fn test_some<T: Waitable>(
        &self,
        words: SymPtr<T>,
        count: usize,
        indices: Local<'_, usize>,
        status: Status<'_>,
        cmp: Cmp,
        value: T,
    ) -> Result<usize, Fault> {
        indices.has(count)?;
        self.check_some(words, count, status)?;
        Ok(self.gather(words, count, indices, status, |word, _| cmp.holds(word, value)))
    }

    /// Performs [`test_some`](Shmem::test_some) with each word's own value.
    #[inline(always)]
    pub fn test_some_vector<T: Waitable>(
        &self,
        words: SymPtr<T>,
        count: usize,
        indices: Local<'_, usize>,
        status: Status<'_>,
        cmp: Cmp,
        values: Local<'_, T>,
    ) -> Result<usize, Fault> {
        indices.has(count)?;
        values.has(count)?;
        self.check_some(words, count, status)?;
        Ok(self.gather(words, count, indices, status, |word, i| cmp.holds(word, values.read(i))))
    }
}

impl<P: PathList> Shmem<'_, P> {
    /// Checks that the words are in the heap and that `status` has an entry for each.
    #[inline(always)]
    fn check_some<T: Waitable>(&self, words: SymPtr<T>, count: usize, status: Status<'_>) -> Result<(), Fault> {
        self.check_words(words, count)?;
        status.map_or(Ok(()), |status| status.has(count))
    }

    #[inline(always)]
    pub(crate) fn check_words<T: Waitable>(&self, words: SymPtr<T>, count: usize) -> Result<(), Fault> {
        let width = T::WIDTH.bytes();
        check::heap_range(&self.state, self.my_pe(), words.addr(), check::bytes_of(count, width), width)
    }

    /// Loads a word of this PE with acquire order.
    #[inline(always)]
    pub(crate) fn acquire<T: Waitable>(&self, word: SymPtr<T>) -> Result<T, Fault> {
        self.check_words(word, 1)?;
        Ok(self.word(word, 0))
    }

    /// Loads word `index`, which has been checked, with acquire order.
    #[inline(always)]
    pub(crate) fn word<T: Waitable>(&self, words: SymPtr<T>, index: usize) -> T {
        let at = self.state.own_address(words.add(index).addr());
        // SAFETY: **live**: by **live** of `from_state`, the checked word is aligned and in this PE's heap, which is
        // mapped.
        unsafe { wait::acquire(at) }
    }

    #[inline(always)]
    pub(crate) fn wait_for<T: Waitable>(&self, word: SymPtr<T>, cmp: Cmp, value: T) -> Result<T, Fault> {
        self.check_words(word, 1)?;
        self.wait_within(&mut WaitBudget::new(), word, cmp, value)
    }

    /// Waits for a checked word.
    #[inline(always)]
    fn wait_within<T: Waitable>(
        &self,
        budget: &mut WaitBudget,
        word: SymPtr<T>,
        cmp: Cmp,
        value: T,
    ) -> Result<T, Fault> {
        wait::until_word(
            &self.state,
            budget,
            || {
                let seen = self.word(word, 0);
                cmp.holds(seen, value).then_some(seen)
            },
            || late(word, cmp, value, self.word(word, 0)),
        )
    }

    #[inline(always)]
    fn wait_all<T: Waitable>(
        &self,
        words: SymPtr<T>,
        count: usize,
        status: Status<'_>,
        cmp: Cmp,
        value: impl Fn(usize) -> T,
    ) -> Result<(), Fault> {
        self.check_some(words, count, status)?;
        // A word is done once it has satisfied its comparison: the call waits for each word in turn, not for all at the
        // same moment.
        let (mut index, mut budget) = (0, WaitBudget::new());
        while index < count {
            if counts(status, index) {
                self.wait_within(&mut budget, words.add(index), cmp, value(index))?;
            }
            index += 1;
        }
        Ok(())
    }

    #[inline(always)]
    fn wait_any<T: Waitable>(
        &self,
        words: SymPtr<T>,
        count: usize,
        status: Status<'_>,
        cmp: Cmp,
        value: impl Fn(usize) -> T,
    ) -> Result<Option<usize>, Fault> {
        self.check_some(words, count, status)?;
        let Some(first) = (0..count).find(|&i| counts(status, i)) else { return Ok(None) };
        let start = self.first_of_any(count);
        wait::until(
            &self.state,
            &mut WaitBudget::new(),
            count,
            || self.find(start, words, count, status, |word, i| cmp.holds(word, value(i))).map(Some),
            || late(words.add(first), cmp, value(first), self.word(words, first)),
        )
    }

    #[inline(always)]
    fn wait_some<T: Waitable>(
        &self,
        words: SymPtr<T>,
        count: usize,
        indices: Local<'_, usize>,
        status: Status<'_>,
        cmp: Cmp,
        value: impl Fn(usize) -> T,
    ) -> Result<usize, Fault> {
        self.check_some(words, count, status)?;
        let Some(first) = (0..count).find(|&i| counts(status, i)) else { return Ok(0) };
        wait::until(
            &self.state,
            &mut WaitBudget::new(),
            count,
            || match self.gather(words, count, indices, status, |word, i| cmp.holds(word, value(i))) {
                0 => None,
                some => Some(some),
            },
            || late(words.add(first), cmp, value(first), self.word(words, first)),
        )
    }

    /// Returns the index at which the next call over any of `count` words begins.
    #[inline(always)]
    fn first_of_any(&self, count: usize) -> usize {
        let calls = (self.state.local + offset_of!(LocalState, any_calls) as u64) as *mut u64;
        // SAFETY: **live** of `from_state`: `local` is this PE's LocalState, which is mapped.
        first_of_any(unsafe { ptx::atom_add_relaxed_gpu_u64(calls, 1) }, count)
    }

    /// Returns the index of the first word from `start` on, and then from 0 on, that counts and satisfies `yes`.
    #[inline(always)]
    fn find<T: Waitable>(
        &self,
        start: usize,
        words: SymPtr<T>,
        count: usize,
        status: Status<'_>,
        yes: impl Fn(T, usize) -> bool,
    ) -> Option<usize> {
        let mut i = start;
        for _ in 0..count {
            if counts(status, i) && yes(self.word(words, i), i) {
                return Some(i);
            }
            i = if i + 1 == count { 0 } else { i + 1 };
        }
        None
    }

    #[inline(always)]
    fn gather<T: Waitable>(
        &self,
        words: SymPtr<T>,
        count: usize,
        indices: Local<'_, usize>,
        status: Status<'_>,
        yes: impl Fn(T, usize) -> bool,
    ) -> usize {
        let mut found = 0;
        for i in 0..count {
            if counts(status, i) && yes(self.word(words, i), i) {
                indices.write(found, i);
                found += 1;
            }
        }
        found
    }
}

#[inline(always)]
fn late<T: Waitable>(word: SymPtr<T>, cmp: Cmp, value: T, seen: T) -> Fault {
    wait::late(word.addr(), cmp, value, seen)
}

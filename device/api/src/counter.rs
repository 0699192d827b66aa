//! Counts that PEs change on either kind of route.

use oxshmem_core::{Cmp, Fault, Pe, SymPtr};
use oxshmem_raw::gpu::ptx;
use oxshmem_raw::queue::path::PathList;
use oxshmem_raw::state::wait::{self, WaitBudget};

use crate::{Atomics, Shmem};

/// A count on each PE that every PE may add to, whether it reaches that PE by loads and stores or not.
/// [`Shmem::counter`] returns it.
///
/// The atomics of a GPU and those of a NIC on one word are not atomic with each other (see [`Atomics`]). A counter
/// therefore has two words: the first for PEs that reach its PE by loads and stores, the second for remote PEs.
#[derive(Clone, Copy, Debug)]
pub struct Counter<'a, P> {
    shmem: &'a Shmem<'a, P>,
    words: SymPtr<u64>,
}

impl<P: PathList> Shmem<'_, P> {
    /// Returns the counter of the [`WORDS`](Counter::WORDS) words at `words`, which begin with 0 (`World::calloc`) and which
    /// no other calls change.
    ///
    /// ```
    /// use oxshmem_device::prelude::*;
    ///
    /// kernel! {
    ///     /// Puts a row to each PE, and returns when the rows of all PEs are here: one thread, launched collectively.
    ///     pub fn give_to_all(
    ///         shmem: Shmem, row: SymPtr<f32>, inbox: SymPtr<f32>, n: usize, arrived: SymPtr<u64>,
    ///     ) -> Result<(), Fault> {
    ///         let (arrived, mine) = (shmem.counter(arrived), inbox.add(shmem.my_pe().index() * n));
    ///         for k in span(0, shmem.n_pes()) {
    ///             let to = shmem.pe_after(k);
    ///             shmem.put(Thread, mine, row, n, to)?;
    ///             shmem.fence()?;
    ///             arrived.add(1, to)?;
    ///         }
    ///         arrived.wait_for(shmem.n_pes() as u64)?;
    ///         Ok(())
    ///     }
    /// }
    /// ```
    #[inline(always)]
    pub fn counter(&self, words: SymPtr<u64>) -> Counter<'_, P> {
        Counter { shmem: self, words }
    }
}

impl<P: PathList> Counter<'_, P> {
    /// Number of words of a counter.
    pub const WORDS: usize = 2;

    /// Adds `value` to the counter of `pe`. As every atomic it orders no other operation.
    ///
    /// # Errors
    /// As every atomic.
    #[inline(always)]
    pub fn add(&self, value: u64, pe: Pe) -> Result<(), Fault> {
        self.shmem.atomic_add(self.word(pe)?, value, pe)
    }

    /// Adds one to the counter of `pe`, and returns a number that no other call on that counter gets: an even one if this
    /// PE reaches `pe` by loads and stores, and else an odd one. The numbers of either kind begin with 0 or 1 and leave no
    /// gap, if the counter is used by this call alone.
    ///
    /// # Errors
    /// As every atomic.
    #[inline(always)]
    pub fn ticket(&self, pe: Pe) -> Result<u64, Fault> {
        let word = self.word(pe)?;
        let is_far = (word != self.words) as u64;
        Ok(2 * self.shmem.atomic_fetch_inc(word, pe)? + is_far)
    }

    /// Returns the count of this PE's own counter. Data delivered to this PE before the additions in it is visible
    /// afterwards.
    ///
    /// # Errors
    /// The words are outside the heap or misaligned.
    #[inline(always)]
    pub fn load(&self) -> Result<u64, Fault> {
        self.shmem.check_words(self.words, Self::WORDS)?;
        Ok(self.sum())
    }

    /// Waits until the count of this PE's own counter is at least `count`, and returns it. Data delivered to this PE before
    /// the additions in it is visible afterwards.
    ///
    /// # Errors
    /// The world's limit was reached, a PE died, or the words are outside the heap or misaligned.
    #[inline(always)]
    pub fn wait_for(&self, count: u64) -> Result<u64, Fault> {
        self.shmem.check_words(self.words, Self::WORDS)?;
        wait::until(
            &self.shmem.state,
            &mut WaitBudget::new(),
            Self::WORDS,
            || {
                let seen = self.sum();
                (seen >= count).then_some(seen)
            },
            || wait::late(self.words.addr(), Cmp::Ge, count, self.sum()),
        )
    }

    /// Sets this PE's own counter to `count`, after this thread's earlier writes. No PE may add to it at the same time.
    ///
    /// # Errors
    /// The words are outside the heap or misaligned.
    #[inline(always)]
    pub fn store(&self, count: u64) -> Result<(), Fault> {
        self.shmem.check_words(self.words, Self::WORDS)?;
        let set = |word: SymPtr<u64>, value| {
            let at = self.shmem.state.own_address(word.addr()).cast();
            // SAFETY: **live**: by **live** of `from_state`, the checked word is aligned and in this PE's heap, which is
            // mapped.
            unsafe { ptx::st_release_sys_u64(at, value) }
        };
        set(self.words.add(1), 0);
        set(self.words, count);
        Ok(())
    }

    /// Returns the sum of this PE's own words, which have been checked.
    #[inline(always)]
    fn sum(&self) -> u64 {
        self.shmem.word(self.words, 0).wrapping_add(self.shmem.word(self.words, 1))
    }

    /// Returns the word that this PE changes on `pe`.
    #[inline(always)]
    fn word(&self, pe: Pe) -> Result<SymPtr<u64>, Fault> {
        Ok(self.words.add(self.shmem.ptr(self.words, pe)?.is_none() as usize))
    }
}

//! Doorbells for kernels that can't reach the NIC's registers: they write to words in host memory, which the service
//! thread polls.
//!
//! Each doorbell changes its word: the word has the queue pair's number and an index that repeats only after 2^16
//! blocks. More blocks than that can't be posted before the NIC has been rung for them.

use std::ptr::with_exposed_provenance_mut;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_raw::memory::{Chunk, Memory};
use oxshmem_raw::os::mmio;

use crate::host::service_thread::{Duty, DutyGuard, ServiceThread};

/// The distance between words in bytes: one cache line, since different blocks write them.
const STRIDE: usize = 64;

/// Words that the service thread can poll.
#[derive(Debug)]
pub(in crate::host) struct DoorbellWords {
    chunk: Chunk,
    base: u64,
    taken: Mutex<Vec<bool>>,
}

/// A word that is polled while this lives.
#[derive(Debug)]
pub(in crate::host) struct DoorbellWord {
    duty: Option<DutyGuard>,
    words: Arc<DoorbellWords>,
    number: usize,
}

#[derive(Debug)]
struct WordRelay {
    words: Arc<DoorbellWords>,
    number: usize,
    register: u64,
    seen: u64,
}

impl DoorbellWords {
    /// Allocates `count` words.
    ///
    /// # Errors
    /// There is no memory.
    pub(in crate::host) fn new(memory: &Memory, count: usize) -> Result<Arc<Self>> {
        let chunk = Chunk::on_host(memory, count * STRIDE)?;
        let base = chunk.host().unwrap_or(0);
        Ok(Arc::new(Self { chunk, base, taken: Mutex::new(vec![false; count]) }))
    }

    /// Takes a free word and rings the register at `register` for each change of the word from now on.
    ///
    /// # Errors
    /// All words are taken, or the service thread can't be started.
    ///
    /// # Safety
    ///
    /// - **mapped**: `register` is an aligned doorbell register, and its page stays mapped while the returned word
    ///   lives.
    pub(in crate::host) unsafe fn watch(
        self: &Arc<Self>,
        service: &mut ServiceThread,
        register: u64,
    ) -> Result<DoorbellWord> {
        let number = {
            let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
            let free = taken.iter().position(|taken| !taken).ok_or_else(|| {
                let most = taken.len() as u64;
                Error::new(ErrorKind::Exhausted, "ring the NIC for another queue").amount(most + 1, most, "queues")
            })?;
            taken[free] = true;
            free
        };
        let ring = WordRelay { words: self.clone(), number, register, seen: 0 };
        ring.word().store(0, Ordering::Release);
        match service.add(Box::new(ring)) {
            Ok(duty) => Ok(DoorbellWord { duty: Some(duty), words: self.clone(), number }),
            Err(error) => {
                self.give_back(number);
                Err(error)
            }
        }
    }

    fn give_back(&self, number: usize) {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)[number] = false;
    }
}

impl DoorbellWord {
    /// Returns the word's address for kernels.
    pub(in crate::host) fn kernel(&self) -> u64 {
        self.words.chunk.kernel() + (self.number * STRIDE) as u64
    }
}

impl Drop for DoorbellWord {
    fn drop(&mut self) {
        // The register is not rung once the duty is gone.
        self.duty = None;
        self.words.give_back(self.number);
    }
}

impl WordRelay {
    fn word(&self) -> &AtomicU64 {
        let at = self.words.base as usize + self.number * STRIDE;
        // SAFETY: word `number` is within the chunk and aligned to its 64-byte stride; `self.words` keeps the chunk,
        // and the host and kernels access its words by atomics only.
        unsafe { AtomicU64::from_ptr(with_exposed_provenance_mut(at)) }
    }
}

impl Duty for WordRelay {
    fn look(&mut self) -> bool {
        let now = self.word().load(Ordering::Acquire);
        if now == self.seen {
            return false;
        }
        self.seen = now;
        let register = with_exposed_provenance_mut(self.register as usize);
        // SAFETY: **mapped** of `watch`: this runs only while the `DoorbellWord` lives, whose drop waits for the
        // thread.
        unsafe { mmio::store_u64(register, now) };
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    fn register() -> Box<AtomicU64> {
        Box::new(AtomicU64::new(0))
    }

    fn until(what: &str, condition: impl Fn() -> bool) {
        let end = Instant::now() + Duration::from_secs(10);
        while !condition() {
            assert!(Instant::now() < end, "{what}");
            std::thread::yield_now();
        }
    }

    fn write(word: &DoorbellWord, value: u64) {
        // SAFETY: the word keeps its chunk, in which it is aligned; the thread and this test access it by atomics only.
        unsafe { AtomicU64::from_ptr(word.kernel() as *mut u64) }.store(value, Ordering::Release);
    }

    #[test]
    fn each_word_rings_its_own_register_until_it_is_dropped() {
        let mut service = ServiceThread::default();
        let words = DoorbellWords::new(&Memory::Host, 2).unwrap();
        let registers = [register(), register()];
        // SAFETY: **mapped**: the registers are on the heap until the test ends. The last one has no word to be rung
        // for.
        let mut watch = |at: u64| unsafe { words.watch(&mut service, at) };
        let [first, second] = registers.each_ref().map(|r| watch(r.as_ptr() as u64).unwrap());
        assert_eq!(watch(0).unwrap_err().kind(), ErrorKind::Exhausted);
        for value in 1..1000 {
            write(&first, value);
            write(&second, value << 32);
            until("both were rung", || {
                registers[0].load(Ordering::Acquire) == value && registers[1].load(Ordering::Acquire) == value << 32
            });
        }
        let at = first.kernel();
        drop(first);
        // SAFETY: `words` keeps the chunk in which `at` is an aligned word; the thread and this test access it by
        // atomics only.
        unsafe { AtomicU64::from_ptr(at as *mut u64) }.store(7, Ordering::Release);
        write(&second, 5);
        until("the other one still is", || registers[1].load(Ordering::Acquire) == 5);
        assert_eq!(registers[0].load(Ordering::Acquire), 999, "what is not watched is not rung");
        let again = watch(registers[0].as_ptr() as u64).unwrap();
        assert_eq!(again.kernel(), at, "its place is used again");
        // The thread looks at all words between two changes of the second one.
        for value in [6, 9] {
            write(&second, value);
            until("the other one still is", || registers[1].load(Ordering::Acquire) == value);
        }
        assert_eq!(registers[0].load(Ordering::Acquire), 999, "what the last queue wrote there rings nothing");
        write(&again, 8);
        until("it starts anew", || registers[0].load(Ordering::Acquire) == 8);
    }
}

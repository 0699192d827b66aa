//! Waits and tests of the host on words of this PE's heap.

use std::time::Instant;

use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_core::{Cmp, Pe, SymPtr, Waitable};
use oxshmem_raw::state::wait;

use super::World;

/// Polls between two looks at the clock and at the other PEs.
const POLLS: u32 = 64;

impl World {
    /// Reads `count` words of this PE's heap, each as a whole. Data that was delivered before a word's value is visible
    /// to this thread afterwards.
    ///
    /// # Errors
    /// The range is outside the heap, or the copy failed.
    pub fn words<T: Waitable>(&self, at: SymPtr<T>, count: usize) -> Result<Vec<T>> {
        self.refuse_in_capture("read words")?;
        let start = self.own_address("read", at, count)?;
        if self.on_host() {
            // SAFETY: the range was checked, and the heap stays mapped while the world lives.
            let word = |i: usize| unsafe { wait::acquire::<T>((start as *mut u8).add(i * size_of::<T>())) };
            return Ok((0..count).map(word).collect());
        }
        let mut words = vec![T::default(); count];
        self.read(at, &mut words)?;
        Ok(words)
    }

    /// Waits on the host until `found` returns a value for `count` words of this PE's heap, and returns it.
    ///
    /// # Errors
    /// The range is outside the heap, the wait reached the world's limit, a PE died, or a kernel of this PE reported a
    /// fault.
    pub fn wait_for<T: Waitable, R>(
        &self,
        at: SymPtr<T>,
        count: usize,
        mut found: impl FnMut(&[T]) -> Option<R>,
    ) -> Result<R> {
        let action = || format!("wait for {count} words at heap offset {:#x} of {}", at.addr().offset(), self.me);
        self.poll_until(&action, || Ok(found(&self.words(at, count)?)))
    }

    /// Polls until `poll` returns a value. `action` is for errors.
    ///
    /// # Errors
    /// That of `poll`; the wait reached the world's limit, a PE died, or a kernel of this PE reported a fault.
    pub(super) fn poll_until<R>(
        &self,
        action: &dyn Fn() -> String,
        mut poll: impl FnMut() -> Result<Option<R>>,
    ) -> Result<R> {
        let (start, mut polls) = (Instant::now(), 0u32);
        loop {
            if let Some(found) = poll()? {
                return Ok(found);
            }
            polls = polls.wrapping_add(1);
            if polls.is_multiple_of(POLLS) {
                if let Err(ended) = self.may_wait(start, action) {
                    // A PE may have written the word before it died, after the last look.
                    return poll()?.ok_or(ended);
                }
                std::thread::yield_now();
            }
        }
    }

    /// Waits on the host until the word of this PE satisfies the comparison `cmp` with `value`, and returns the word.
    ///
    /// # Errors
    /// As [`wait_for`](World::wait_for).
    pub fn wait_until<T: Waitable>(&self, word: SymPtr<T>, cmp: Cmp, value: T) -> Result<T> {
        self.wait_for(word, 1, |words| words.iter().copied().find(|word| cmp.holds(*word, value)))
    }

    /// Checks that a wait that began at `start` may go on.
    fn may_wait(&self, start: Instant, action: &dyn Fn() -> String) -> Result<()> {
        self.check_fault(format_args!("{}", action()))?;
        let dead: Option<(Pe, String)> = self.control.death();
        if let Some((pe, reason)) = dead {
            return Err(Error::new(ErrorKind::PeerDied, action()).because(format!("{pe} died: {reason}")).about(pe));
        }
        match self.config.wait_limit {
            Some(limit) if start.elapsed() > limit => Err(Error::new(ErrorKind::Timeout, action())
                .because(format!("it took longer than {limit:?}"))
                .hint("set OXSHMEM_WAIT_LIMIT to allow more")),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::{Config, DeviceChoice};

    fn config() -> Config {
        Config::new().with_device(DeviceChoice::Host).with_heap_bytes(1 << 20)
    }

    #[test]
    fn a_wait_of_the_host_ends_when_another_pe_writes_the_word() {
        let seen = World::threads(2, &config(), |world| {
            let words = world.calloc::<i32>(3)?;
            if world.my_pe() == Pe::new(0) {
                world.p(words.add(2), -5, Pe::new(1))?;
                return world.barrier_all().map(|()| -5);
            }
            let index = world.wait_for(words, 3, |words| words.iter().position(|word| *word != 0))?;
            assert_eq!(index, 2);
            let seen = world.wait_until(words.add(2), Cmp::Lt, 0)?;
            world.barrier_all().map(|()| seen)
        });
        assert_eq!(seen.unwrap(), [-5, -5]);
    }

    #[test]
    fn a_wait_of_the_host_ends_at_the_limit_and_outside_the_heap_it_does_not_begin() {
        World::threads(1, &config().with_wait_limit(Duration::from_millis(50)), |world| {
            let word = world.calloc::<u64>(1)?;
            let late = world.wait_until(word, Cmp::Ne, 0).unwrap_err();
            assert_eq!(late.kind(), ErrorKind::Timeout, "{late}");
            let outside = world.wait_until(word.add(1 << 30), Cmp::Ne, 0).unwrap_err();
            assert_eq!(outside.kind(), ErrorKind::OutOfRange, "{outside}");
            Ok(())
        })
        .unwrap();
    }

    #[test]
    fn a_wait_of_the_host_looks_once_more_before_it_fails() {
        let limit = Duration::from_millis(1);
        World::threads(1, &config().with_wait_limit(limit), |world| {
            let found_at = |number| {
                let (start, mut polls) = (Instant::now(), 0);
                world.poll_until(&|| "look".into(), || {
                    polls += 1;
                    // The limit passes before the first look at the clock.
                    while polls == POLLS && start.elapsed() <= 2 * limit {}
                    Ok((polls == number).then_some(polls))
                })
            };
            assert_eq!(found_at(POLLS + 1).unwrap(), POLLS + 1);
            assert_eq!(found_at(POLLS + 2).unwrap_err().kind(), ErrorKind::Timeout);
            Ok(())
        })
        .unwrap();
    }
}

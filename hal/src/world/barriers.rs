//! Barriers on streams, one behind the other.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_raw::cuda::{self, Event};

use super::World;
use crate::compiled;
use crate::launch::{Launch, Packed};
use crate::module::{Entry, Module};
use crate::stream::Stream;

/// The kernel that every module has for a barrier on a stream.
const BARRIER: &str = "oxshmem_barrier_all";

/// The barriers on streams of one PE. All of them count rounds in the same words, so each waits for the one
/// before it, on whichever stream that is.
#[derive(Debug, Default)]
pub(super) struct Barriers {
    /// Held while one is put on its stream, so that they run in the order of their calls.
    order: Mutex<Order>,
    turns: Arc<Turns>,
}

#[derive(Debug, Default)]
struct Order {
    /// What runs a barrier on a GPU: found in the first module that is loaded.
    entry: Option<Entry>,
    /// Behind the last barrier that a GPU was given.
    last: Option<Event>,
    /// Barriers that host threads were given.
    given: u64,
}

/// Whose turn it is on host threads.
#[derive(Debug, Default)]
struct Turns {
    now: Mutex<u64>,
    passed: Condvar,
}

/// Dropped, it is the next one's turn.
struct Turn(Arc<Turns>);

impl Barriers {
    fn order(&self) -> MutexGuard<'_, Order> {
        // What the lock guards is whole between any two statements.
        self.order.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Turns {
    fn now(&self) -> MutexGuard<'_, u64> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until those before have had their turn: each ends, by its own limit at the latest.
    fn wait(self: &Arc<Self>, number: u64) -> Turn {
        let mut now = self.now();
        while *now != number {
            now = self.passed.wait(now).unwrap_or_else(PoisonError::into_inner);
        }
        drop(now);
        Turn(self.clone())
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        *self.0.now() += 1;
        self.0.passed.notify_all();
    }
}

impl World {
    /// Keeps the barrier of the first module that is loaded on a GPU.
    pub(super) fn keep_barrier(&self, module: &Module) -> Result<()> {
        if !self.on_host() {
            let entry = module.kernel(BARRIER)?.entry;
            self.barriers.order().entry.get_or_insert(entry);
        }
        Ok(())
    }

    /// Puts a barrier over all PEs on the world's own stream. As [`barrier_all_on`](World::barrier_all_on).
    ///
    /// # Errors
    /// As [`barrier_all_on`](World::barrier_all_on).
    pub fn barrier_all_on_stream(&self) -> Result<()> {
        self.barrier_all_on(&self.stream)
    }

    /// Puts a barrier over all PEs on a stream: kernels behind it start when every PE's kernels before it are
    /// done and what they put is delivered. Collective; returns at once. On GPUs every PE must have loaded a
    /// module before, whose kernel the barrier is.
    ///
    /// One barrier of a PE is in flight at a time. Those on streams wait for each other, in the order of these
    /// calls, on whichever streams they are. What the library can't see is a kernel that calls `barrier_all` or
    /// `sync_all` itself: the program must not let it run beside one on another stream.
    ///
    /// # Errors
    /// It could not be launched, or an earlier kernel has reported a fault. `InvalidArgument` on a GPU on which
    /// no module was loaded, which ends the world: the other PEs get an error that names this one.
    pub fn barrier_all_on(&self, stream: &Stream) -> Result<()> {
        self.check_stream("barrier_all", stream)?;
        self.check_fault("put a barrier on a stream")?;
        let mut order = self.barriers.order();
        match stream.gpu() {
            Some(on) => self.barrier_on_gpu(&mut order, stream, on),
            None => self.barrier_on_threads(&mut order, stream),
        }
    }

    fn barrier_on_gpu(&self, order: &mut Order, stream: &Stream, on: &cuda::Stream) -> Result<()> {
        let Some(entry) = order.entry.clone() else {
            let error = Error::new(ErrorKind::InvalidArgument, "put a barrier on a stream")
                .because("no module is loaded on this PE")
                .hint("load a module first: its barrier kernel is what runs")
                .about(self.me);
            // The others' barriers are in their streams already, and wait for this one.
            self.control.fail(&error.to_string());
            return Err(error);
        };
        let last = match order.last.take() {
            Some(last) => {
                on.wait_event(&last)?;
                last
            }
            None => Event::new(on.context())?,
        };
        let threads = self.n_pes.next_multiple_of(32).min(1024);
        let packed = Packed::new(&self.state(), &());
        let launched = self.run_entry(stream, BARRIER, &entry, Launch::new(1, threads), packed);
        // Behind what was waited for, even if nothing was launched.
        let recorded = last.record(on);
        order.last = Some(last);
        launched.and(recorded)
    }

    fn barrier_on_threads(&self, order: &mut Order, stream: &Stream) -> Result<()> {
        let (state, turns, number) = (self.state(), self.barriers.turns.clone(), order.given);
        self.run_on_threads(stream, "barrier_all", Launch::new(1, 1), move || {
            let turn = turns.wait(number);
            Box::new(move || {
                let _until_done = &turn;
                // A fault is in its slot, where synchronizing finds it.
                let _ = compiled::barrier_all(&state);
            })
        })?;
        order.given += 1;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_are_taken_by_number_whoever_comes_first() {
        let turns: Arc<Turns> = Arc::default();
        let taken = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            for number in (0..8).rev() {
                let (turns, taken) = (&turns, &taken);
                scope.spawn(move || {
                    let _turn = turns.wait(number);
                    taken.lock().unwrap().push(number);
                });
            }
        });
        assert_eq!(taken.into_inner().unwrap(), (0..8).collect::<Vec<_>>());
    }
    #[test]
    fn barriers_on_several_streams_at_once_are_passed_by_every_pe() {
        let limit = std::time::Duration::from_secs(20);
        let config = crate::Config::new().with_device(crate::DeviceChoice::Host).with_wait_limit(Some(limit));
        World::threads(3, &config, |world| {
            let streams = [world.stream()?, world.stream()?, world.stream()?];
            for round in 0..300 {
                world.barrier_all_on(&streams[(round * round) % 3])?;
            }
            world.barrier_all()
        })
        .unwrap();
    }
}

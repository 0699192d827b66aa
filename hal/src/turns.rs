//! Turns: work of host threads that runs one after another, in the order of its tickets.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// The number of the ticket whose work may run.
#[derive(Debug, Default)]
pub(crate) struct Turns {
    now: Mutex<u64>,
    passed: Condvar,
}

/// A place in the order. Tickets are numbered from 0, and each is used once.
#[derive(Clone, Debug)]
pub(crate) struct Ticket {
    pub(crate) turns: Arc<Turns>,
    pub(crate) number: u64,
}

/// The right to run. Dropping it passes the turn to the next ticket.
pub(crate) struct Turn(Arc<Turns>);

impl Turns {
    fn now(&self) -> MutexGuard<'_, u64> {
        // The number is consistent at any time.
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Ticket {
    /// Waits until the work of all earlier tickets has ended: each ends by its own limit at the latest.
    pub(crate) fn wait(&self) -> Turn {
        let mut now = self.turns.now();
        while *now != self.number {
            now = self.turns.passed.wait(now).unwrap_or_else(PoisonError::into_inner);
        }
        drop(now);
        Turn(self.turns.clone())
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        *self.0.now() += 1;
        self.0.passed.notify_all();
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
                let (ticket, taken) = (Ticket { turns: turns.clone(), number }, &taken);
                scope.spawn(move || {
                    let _turn = ticket.wait();
                    taken.lock().unwrap().push(number);
                });
            }
        });
        assert_eq!(taken.into_inner().unwrap(), (0..8).collect::<Vec<_>>());
    }
}

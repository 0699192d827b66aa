//! Work spread over the cores of this machine.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use anyhow::Result;

/// The most threads at a time. Each waits for a compiler or an assembler, which needs up to a gigabyte of memory.
const MOST: usize = 16;

/// Applies `work` to each item, to as many at a time as there are cores, and returns the results in the order of the
/// items.
///
/// # Errors
/// Returns the first error in the order of the items. After an error no further item is begun.
pub(crate) fn map<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> Result<R> + Sync) -> Result<Vec<R>> {
    let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
    let done = Mutex::new(Vec::new());
    let one_after_another = || {
        while !failed.load(Ordering::Relaxed) {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(index) else { break };
            let result = work(item);
            failed.fetch_or(result.is_err(), Ordering::Relaxed);
            done.lock().unwrap_or_else(PoisonError::into_inner).push((index, result));
        }
    };
    let cores = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        (0..cores.min(MOST).min(items.len())).for_each(|_| {
            scope.spawn(one_after_another);
        });
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_the_order_of_the_items() {
        let items: Vec<u64> = (0..100).collect();
        assert_eq!(map(&items, |item| Ok(item * 2)).unwrap(), items.iter().map(|item| item * 2).collect::<Vec<_>>());
    }

    #[test]
    fn an_error_is_returned_and_stops_the_rest() {
        let begun = AtomicUsize::new(0);
        let error = map(&[0; 1000], |_| -> Result<()> {
            begun.fetch_add(1, Ordering::Relaxed);
            anyhow::bail!("broken")
        });
        assert_eq!(error.unwrap_err().to_string(), "broken");
        assert!(begun.load(Ordering::Relaxed) <= MOST);
    }
}

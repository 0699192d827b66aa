//! Faults that were already reported, so that each is reported once.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use oxshmem_core::Pe;

/// The stopped queues whose faults were reported.
#[derive(Debug, Default)]
pub struct ReportedFaults(Mutex<HashSet<(u32, Pe)>>);

impl ReportedFaults {
    /// Records the fault of the queue of `row` toward `pe` as reported, and returns whether it was not reported before.
    pub fn is_new(&self, row: u32, pe: Pe) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert((row, pe))
    }

    /// Forgets destroyed rows, because their numbers will be used for other queues.
    pub fn forget(&self, rows: &[u32]) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).retain(|(row, _)| !rows.contains(row));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_is_new_once_and_again_when_its_row_was_destroyed() {
        let (faults, pe) = (ReportedFaults::default(), Pe::new(1));
        assert!(faults.is_new(2, pe) && faults.is_new(3, pe) && faults.is_new(2, Pe::new(0)));
        assert!(!faults.is_new(2, pe));
        faults.forget(&[2]);
        assert!(faults.is_new(2, pe) && !faults.is_new(3, pe));
    }
}

//! Held queue pairs.

use std::collections::HashSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// Queue pairs whose entries are not started, and whose completions are not written, until they are released.
#[derive(Debug, Default)]
pub(crate) struct Holds {
    held: Mutex<HashSet<u32>>,
    any: AtomicBool,
    all: AtomicBool,
}

impl Holds {
    pub(crate) fn set(&self, qpn: u32, held: bool) {
        let mut all = self.held.lock().unwrap_or_else(|e| e.into_inner());
        if held {
            all.insert(qpn)
        } else {
            all.remove(&qpn)
        };
        self.any.store(!all.is_empty(), Ordering::Release);
    }

    pub(crate) fn set_all(&self, held: bool) {
        self.all.store(held, Ordering::Release);
    }

    pub(crate) fn has(&self, qpn: u32) -> bool {
        self.all.load(Ordering::Acquire)
            || self.any.load(Ordering::Acquire) && self.held.lock().unwrap_or_else(|e| e.into_inner()).contains(&qpn)
    }
}

//! Whose NICs are used.

use std::sync::{Arc, Mutex, PoisonError};

use oxshmem_core::host::{Error, Result};
use oxshmem_raw::hca::{Found, Hca, Provider};
use oxshmem_raw::mlx5dv::Libraries;

static INSTALLED: Mutex<Option<Arc<dyn Provider>>> = Mutex::new(None);

/// Uses the NICs of `provider` in worlds that are made from now on, in place of the system's.
pub fn install(provider: Arc<dyn Provider>) {
    *INSTALLED.lock().unwrap_or_else(PoisonError::into_inner) = Some(provider);
}

/// The provider that was installed, else the system's own libraries. Where these are missing it is one that says so
/// when it is asked for NICs.
pub fn provider() -> Arc<dyn Provider> {
    if let Some(provider) = INSTALLED.lock().unwrap_or_else(PoisonError::into_inner).clone() {
        return provider;
    }
    match Libraries::open() {
        Ok(libraries) => Arc::new(libraries),
        Err(error) => Arc::new(Missing(error)),
    }
}

/// Libraries that can't be opened.
#[derive(Debug)]
struct Missing(Error);

impl Provider for Missing {
    fn describe(&self) -> String {
        format!("no libraries: {}", self.0)
    }

    fn list(&self) -> Result<Vec<Found>> {
        Err(self.0.clone())
    }

    fn open(&self, _: &str) -> Result<Arc<dyn Hca>> {
        Err(self.0.clone())
    }
}

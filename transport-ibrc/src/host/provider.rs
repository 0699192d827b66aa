//! Whose devices are used.

use std::sync::{Arc, Mutex, PoisonError};

use oxshmem_core::Pe;
use oxshmem_core::host::{Error, Result};
use oxshmem_raw::rdma::hca::Found;
use oxshmem_raw::rdma::rc::{RcDevice, RcProvider};
use oxshmem_raw::rdma::verbs::rc::LibVerbs;

type Installed = Arc<dyn Fn(Pe) -> Arc<dyn RcProvider> + Send + Sync>;

static INSTALLED: Mutex<Option<Installed>> = Mutex::new(None);

/// Uses the devices that `provider` gives each PE of this process in worlds that are made from now on.
pub fn install(provider: impl Fn(Pe) -> Arc<dyn RcProvider> + Send + Sync + 'static) {
    *INSTALLED.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(provider));
}

/// The provider that was installed; else libibverbs. Where there is none either it is one that says so when it is asked for
/// devices.
pub fn provider(me: Pe) -> Arc<dyn RcProvider> {
    if let Some(provider) = INSTALLED.lock().unwrap_or_else(PoisonError::into_inner).clone() {
        return provider(me);
    }
    match LibVerbs::open() {
        Ok(library) => Arc::new(library),
        Err(error) => Arc::new(Missing(error)),
    }
}

/// No devices, and why.
#[derive(Debug)]
pub(super) struct Missing(pub(super) Error);

impl RcProvider for Missing {
    fn describe(&self) -> String {
        "no provider of verbs".into()
    }

    fn list(&self) -> Result<Vec<Found>> {
        Err(self.0.clone())
    }

    fn open(&self, _: &str) -> Result<Arc<dyn RcDevice>> {
        Err(self.0.clone())
    }
}

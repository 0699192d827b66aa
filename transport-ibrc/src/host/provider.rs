//! Whose devices are used.

use std::sync::{Arc, Mutex, PoisonError};

use oxshmem_core::Pe;
use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_raw::hca::Found;
use oxshmem_raw::rc::{RcDevice, RcProvider};

type Installed = Arc<dyn Fn(Pe) -> Arc<dyn RcProvider> + Send + Sync>;

static INSTALLED: Mutex<Option<Installed>> = Mutex::new(None);

/// Uses the devices that `provider` gives each PE of this process in worlds that are made from now on.
pub fn install(provider: impl Fn(Pe) -> Arc<dyn RcProvider> + Send + Sync + 'static) {
    *INSTALLED.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(provider));
}

/// The provider that was installed. Where none was it is one that says so when it is asked for devices.
pub fn provider(me: Pe) -> Arc<dyn RcProvider> {
    match INSTALLED.lock().unwrap_or_else(PoisonError::into_inner).clone() {
        Some(provider) => provider(me),
        None => Arc::new(Missing),
    }
}

/// No devices.
#[derive(Debug)]
struct Missing;

impl Missing {
    fn error(&self) -> Error {
        Error::new(ErrorKind::NotFound, "list InfiniBand and RoCE devices")
            .because("this build asks no library of the system for verbs, and no other provider was installed")
    }
}

impl RcProvider for Missing {
    fn describe(&self) -> String {
        "no provider of verbs".into()
    }

    fn list(&self) -> Result<Vec<Found>> {
        Err(self.error())
    }

    fn open(&self, _: &str) -> Result<Arc<dyn RcDevice>> {
        Err(self.error())
    }
}

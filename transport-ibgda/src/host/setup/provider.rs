//! Source of NICs: a provider that a program installed, or the system's libraries.

use std::sync::{Arc, Mutex, PoisonError};

use oxshmem_core::Pe;
use oxshmem_core::host::{Error, Result};
use oxshmem_raw::memory::Memory;
use oxshmem_rdma::hca::{Found, Hca, Provider};
use oxshmem_rdma::mlx5dv::Libraries;
use oxshmem_rdma::wire::{self, Candidates, Choices};

use crate::host::config::IbgdaConfig;

static INSTALLED: Mutex<Option<Arc<dyn Provider>>> = Mutex::new(None);

/// Installs a provider: worlds that are opened from now on use its NICs in place of the system's.
pub fn install(provider: Arc<dyn Provider>) {
    *INSTALLED.lock().unwrap_or_else(PoisonError::into_inner) = Some(provider);
}

/// Returns the installed provider, else the system's libraries. If these are missing, the returned provider reports
/// that when NICs are listed.
pub fn provider() -> Arc<dyn Provider> {
    if let Some(provider) = INSTALLED.lock().unwrap_or_else(PoisonError::into_inner).clone() {
        return provider;
    }
    match Libraries::open() {
        Ok(libraries) => Arc::new(libraries),
        Err(error) => Arc::new(NoLibraries(error)),
    }
}

/// Opens the NICs of `provider` that a PE uses.
///
/// # Errors
/// No NIC can be used, or fewer than were requested; the error names the missing capability of each.
pub fn choose(config: &IbgdaConfig, provider: &dyn Provider, memory: &Memory, me: Pe) -> Result<Choices<dyn Hca>> {
    let open = |name: &str| provider.open(name);
    let candidates = Candidates { found: provider.list()?, from: provider.describe(), only_mlx5: true, open: &open };
    // More NICs than rows would be left without queue pairs.
    wire::choose((&config.nics, &config.wire), &candidates, config.rows, memory, me)
}

/// The provider for a system whose libraries can't be opened.
#[derive(Debug)]
struct NoLibraries(Error);

impl Provider for NoLibraries {
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

//! The NICs of the device files: those of the software ConnectX, created when the first is opened.

use std::sync::{Arc, Mutex};

use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_rdma::hca::{Hca, Provider};
use oxshmem_softnic::{Options, SoftProvider};

/// The provider, and the process that created it: a child of `fork` creates its own.
static PROVIDER: Mutex<Option<(u32, Arc<SoftProvider>)>> = Mutex::new(None);

/// Opens a NIC by name.
///
/// # Errors
/// The variables of the environment are invalid, or there is no such NIC.
pub(crate) fn open(name: &str) -> Result<Arc<dyn Hca>> {
    let action = || Error::new(ErrorKind::System, format!("open the software NIC {name}"));
    let mut known = PROVIDER.lock().map_err(|_| action().because("opening it failed before"))?;
    let process = std::process::id();
    let provider = match known.take() {
        Some((maker, provider)) if maker == process => provider,
        other => {
            // This process must not give back its parent's threads and place on the wire.
            std::mem::forget(other);
            Arc::new(SoftProvider::new(Options::from_env()?)?)
        }
    };
    *known = Some((process, provider.clone()));
    drop(known);
    provider.open(name)
}

/// Calls `sink` for each completion event of a queue of a NIC.
///
/// # Errors
/// There is no such NIC or queue.
pub(crate) fn watch(name: &str, cqn: u32, sink: Box<dyn Fn() + Send>) -> Result<()> {
    provider(name)?.watch(name, cqn, sink)
}

/// Calls `sink` each time that a queue pair of a NIC comes into error.
///
/// # Errors
/// There is no such NIC or queue pair.
pub(crate) fn on_error(name: &str, qpn: u32, sink: Box<dyn Fn() + Send + Sync>) -> Result<()> {
    provider(name)?.on_error(name, qpn, sink)
}

/// Calls `sink` once when fewer than `limit` entries of a NIC's shared receive queue are posted; 0: never.
///
/// # Errors
/// There is no such NIC or queue.
pub(crate) fn on_low(name: &str, number: u32, limit: u16, sink: Box<dyn Fn() + Send + Sync>) -> Result<()> {
    provider(name)?.on_low(name, number, limit, sink)
}

fn provider(name: &str) -> Result<Arc<SoftProvider>> {
    let known = PROVIDER.lock().map(|known| known.clone()).unwrap_or_default();
    known.map(|(_, provider)| provider).ok_or_else(|| Error::new(ErrorKind::NotFound, format!("open {name}")))
}

/// Calls a function on this process's NICs. Returns whether there are any.
pub(crate) fn with(ask: impl FnOnce(&SoftProvider)) -> bool {
    let known = PROVIDER.lock().map(|known| known.clone()).unwrap_or_default();
    match known {
        Some((maker, provider)) if maker == std::process::id() => {
            ask(&provider);
            true
        }
        _ => false,
    }
}

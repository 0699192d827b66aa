//! The software NIC inside this process, for worlds whose PEs it connects.

mod gpu;

use std::sync::{Arc, Mutex, PoisonError};

use oxshmem_hal::{Config, Error};
use oxshmem_raw::cuda;
use oxshmem_raw::hca::LinkLayer;
use oxshmem_softnic::{Knobs, Options, Profile, SoftProvider, Violation};

static PROVIDER: Mutex<Option<Arc<SoftProvider>>> = Mutex::new(None);

/// Lets the worlds of this process use a software NIC, as `OXSHMEM_SOFTNIC_*` say; the first call counts.
///
/// # Errors
/// A variable is wrong, or the folder of the wire can't be used.
pub fn install() -> Result<Arc<SoftProvider>, Error> {
    install_for(None)
}

/// [`install`] with so many NICs, whatever the variables say of that.
///
/// # Errors
/// As [`install`].
pub fn install_for(nics: Option<u32>) -> Result<Arc<SoftProvider>, Error> {
    if let Some(provider) = installed() {
        return Ok(provider);
    }
    install_with(variables(nics)?)
}

fn variables(nics: Option<u32>) -> Result<Options, Error> {
    let options = Options::from_env()?;
    Ok(Options { nics: nics.unwrap_or(options.nics), ..options })
}

/// Lets the worlds that are made from now on use a software NIC of this seed: it says what the NIC does with its
/// freedom, which NIC it is like, and what its wire is. The rest is as `OXSHMEM_SOFTNIC_*` say, but for the number of
/// NICs, if one is given.
///
/// # Errors
/// As [`install`].
pub fn install_seed(seed: u64, nics: Option<u32>) -> Result<Arc<SoftProvider>, Error> {
    let profiles = [Profile::ConnectX7, Profile::ConnectX6, Profile::ConnectX8];
    let links = [LinkLayer::InfiniBand, LinkLayer::Ethernet];
    install_with(Options {
        knobs: Knobs::from_seed(seed),
        profile: profiles[(seed % 3) as usize],
        link: links[(seed / 3 % 2) as usize],
        ..variables(nics)?
    })
}

/// Lets the worlds that are made from now on use a software NIC that is made like this.
///
/// # Errors
/// As [`install`].
pub fn install_with(options: Options) -> Result<Arc<SoftProvider>, Error> {
    // Where there is a driver for GPUs, memory may be theirs.
    let provider = Arc::new(match cuda::device_count() {
        Ok(1..) => SoftProvider::with_memory(options, Arc::new(gpu::AnyMemory::default()))?,
        _ => SoftProvider::new(options)?,
    });
    *PROVIDER.lock().unwrap_or_else(PoisonError::into_inner) = Some(provider.clone());
    oxshmem_transport_ibgda::host::install(provider.clone());
    Ok(provider)
}

fn installed() -> Option<Arc<SoftProvider>> {
    PROVIDER.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// The rules that were broken, as the NIC that was installed last says it; nothing where none is.
pub fn violations() -> Vec<Violation> {
    installed().map(|provider| provider.violations()).unwrap_or_default()
}

/// The configuration of a world whose PEs reach each other by a NIC alone, unless it says which are near.
pub fn by_nic(config: Config) -> Config {
    let near = config.max_p2p_gpus;
    if near.is_none() { config.with_disable_p2p(true) } else { config }
}

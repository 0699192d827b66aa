//! The software NIC inside this process, for the worlds that it connects.

mod gpu;
mod resident;

use std::sync::{Arc, Mutex, PoisonError};

use oxshmem_hal::{Config, Error, ErrorKind};
use oxshmem_raw::gpu::cuda;
use oxshmem_rdma::hca::LinkLayer;
use oxshmem_softnic::{DataPlane, HostMemory, Knobs, Memory, Options, Profile, SoftProvider, Violation};

static PROVIDER: Mutex<Option<Arc<SoftProvider>>> = Mutex::new(None);

/// Installs a software NIC for the worlds of this process, configured by `OXSHMEM_SOFTNIC_*`. Only the first call has
/// an effect.
///
/// # Errors
/// A variable is wrong, or the folder of the wire can't be used.
pub fn install() -> Result<Arc<SoftProvider>, Error> {
    install_for(None)
}

/// Installs as [`install`] does, with this many NICs, overriding the variables.
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

/// Installs a software NIC for the worlds that are made from now on. The seed chooses the NIC's orders, its model and
/// its wire. `OXSHMEM_SOFTNIC_*` configure the rest, except for the number of NICs if it is given.
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

/// Installs a software NIC with these options for the worlds that are made from now on.
///
/// # Errors
/// As [`install`].
pub fn install_with(options: Options) -> Result<Arc<SoftProvider>, Error> {
    install_engine(options, EngineKind::from_env()?)
}

/// Sets the environment that the driver for GPUs needs for kernels that run beside each other, unless it is set
/// already. Code is loaded with its module, because loading it at its first launch can wait for running kernels. A
/// GPU gets as many connections as possible, because streams that share one wait for each other.
///
/// # Safety
///
/// - **alone**: no other thread of this process runs.
pub unsafe fn prepare() {
    for (name, value) in [("CUDA_MODULE_LOADING", "EAGER"), ("CUDA_DEVICE_MAX_CONNECTIONS", "32")] {
        if std::env::var_os(name).is_none() {
            // SAFETY: **alone**: the caller promises that no other thread runs, so none reads the environment now.
            unsafe { std::env::set_var(name, value) }
        }
    }
}

/// The executor of a software NIC's queues.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EngineKind {
    /// A thread, which varies the NIC's order and reaches GPUs by the driver's copies.
    #[default]
    Thread,
    /// A kernel on the GPU of the queues, or on a host thread.
    Resident,
}

impl EngineKind {
    /// Reads `OXSHMEM_SOFTNIC_ENGINE`.
    ///
    /// # Errors
    /// The variable names no engine.
    pub fn from_env() -> Result<Self, Error> {
        match std::env::var("OXSHMEM_SOFTNIC_ENGINE").unwrap_or_default().as_str() {
            "" | "thread" => Ok(Self::Thread),
            "resident" => Ok(Self::Resident),
            other => {
                let action = format!("make a software NIC with OXSHMEM_SOFTNIC_ENGINE={other}");
                Err(Error::new(ErrorKind::InvalidArgument, action).hint("engines are thread and resident"))
            }
        }
    }
}

/// Returns the kernel that executes queues, for a software NIC of host PEs.
pub fn resident_plane() -> Arc<dyn DataPlane> {
    Arc::new(resident::Resident::new(false))
}

/// Installs as [`install_with`] does, with this engine, overriding the environment.
///
/// # Errors
/// As [`install`].
pub fn install_engine(options: Options, engine: EngineKind) -> Result<Arc<SoftProvider>, Error> {
    // If there is a driver for GPUs, memory can be a GPU's.
    let gpus = matches!(cuda::device_count(), Ok(1..));
    let memory: Arc<dyn Memory> = if gpus { Arc::new(gpu::AnyMemory::default()) } else { Arc::new(HostMemory) };
    let provider = Arc::new(match engine {
        EngineKind::Thread => SoftProvider::with_memory(options, memory)?,
        EngineKind::Resident => SoftProvider::with_plane(options, memory, Arc::new(resident::Resident::new(gpus)))?,
    });
    *PROVIDER.lock().unwrap_or_else(PoisonError::into_inner) = Some(provider.clone());
    oxshmem_transport_ibgda::host::install(provider.clone());
    Ok(provider)
}

fn installed() -> Option<Arc<SoftProvider>> {
    PROVIDER.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// Returns the rules that were broken on the NIC that was installed last; none without a NIC.
pub fn violations() -> Vec<Violation> {
    installed().map(|provider| provider.violations()).unwrap_or_default()
}

/// Returns the configuration of a world whose PEs reach each other by a NIC alone, unless it names load/store PEs.
pub fn by_nic(config: Config) -> Config {
    let near = config.max_p2p_gpus;
    if near.is_none() { config.with_disable_p2p(true) } else { config }
}

//! The software NIC inside this process, for worlds whose PEs it connects.

mod gpu;
mod resident;

use std::sync::{Arc, Mutex, PoisonError};

use oxshmem_hal::{Config, Error, ErrorKind};
use oxshmem_raw::gpu::cuda;
use oxshmem_raw::rdma::hca::LinkLayer;
use oxshmem_softnic::{DataPlane, HostMemory, Knobs, Memory, Options, Profile, SoftProvider, Violation};

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
    install_engine(options, EngineKind::from_env()?)
}

/// Sets what the driver for GPUs must be told before it starts, where kernels are to run beside each other however they
/// were launched, unless the environment says otherwise: code is loaded with its module, since loading it at its first
/// launch can wait for kernels that run; and there are as many ways to a GPU as there can be, since streams that share one
/// wait for each other.
///
/// # Safety
///
/// - **alone**: no other thread of this process runs.
pub unsafe fn prepare() {
    for (name, value) in [("CUDA_MODULE_LOADING", "EAGER"), ("CUDA_DEVICE_MAX_CONNECTIONS", "32")] {
        if std::env::var_os(name).is_none() {
            // SAFETY: **alone**.
            unsafe { std::env::set_var(name, value) }
        }
    }
}

/// What executes the queues of a software NIC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EngineKind {
    /// A thread, which takes what freedom a NIC has, and reaches GPUs by the driver's copies.
    #[default]
    Thread,
    /// A kernel on the GPU of the queues, or on a thread of the host.
    Resident,
}

impl EngineKind {
    /// What `OXSHMEM_SOFTNIC_ENGINE` says.
    ///
    /// # Errors
    /// It is neither.
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

/// The kernel that executes queues, for a software NIC of host PEs.
pub fn resident_plane() -> Arc<dyn DataPlane> {
    Arc::new(resident::Resident::new(false))
}

/// [`install_with`], with this engine, whatever the environment says.
///
/// # Errors
/// As [`install`].
pub fn install_engine(options: Options, engine: EngineKind) -> Result<Arc<SoftProvider>, Error> {
    // Where there is a driver for GPUs, memory may be theirs.
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

/// The rules that were broken, as the NIC that was installed last says it; nothing where none is.
pub fn violations() -> Vec<Violation> {
    installed().map(|provider| provider.violations()).unwrap_or_default()
}

/// The configuration of a world whose PEs reach each other by a NIC alone, unless it says which are near.
pub fn by_nic(config: Config) -> Config {
    let near = config.max_p2p_gpus;
    if near.is_none() { config.with_disable_p2p(true) } else { config }
}

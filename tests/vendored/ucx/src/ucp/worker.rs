//! The worker of a device, and the context in which it is.

use std::ffi::{CString, c_void};
use std::ptr::{null, null_mut};
use std::sync::Arc;

use oxshmem_core::host::{Error, ErrorKind, Result};

use super::ffi::{
    UCP_FEATURE_AMO32, UCP_FEATURE_AMO64, UCP_FEATURE_RMA, UCP_PARAM_FIELD_FEATURES, UCP_PARAM_FIELD_MT_WORKERS_SHARED,
    UCP_WORKER_PARAM_FIELD_THREAD_MODE, UCS_THREAD_MODE_SERIALIZED, ucp_config, ucp_context, ucp_params, ucp_worker,
    ucp_worker_params,
};
use super::library::{LEAST, Library};

/// Settings that this crate needs, and where they have a meaning: for a library of a version and a list of transports.
/// UCX warns of a setting that no transport has.
type Needed = (&'static str, &'static str, fn((u32, u32, u32), Option<&str>) -> bool);
const NEEDED: [Needed; 4] = [
    // A registration must end when its owner ends it, which a cache would put off. Transports of NICs had their own
    // cache before 1.16.
    ("RCACHE_ENABLE", "n", |_, _| true),
    ("REG_METHODS", "direct", |version, transports| version < (1, 16, 0) && has_nics(transports)),
    // Shared memory watches for the death of its peers.
    ("MM_ERROR_HANDLING", "y", |_, transports| has_shared_memory(transports)),
    // The usual 20 s are longer than a user wants to wait for the name of a dead peer.
    ("KEEPALIVE_INTERVAL", "2s", |_, _| std::env::var_os("UCX_KEEPALIVE_INTERVAL").is_none()),
];
/// The folder of the system's NICs.
const NICS: &str = "/sys/class/infiniband";
/// Names of UCX's transports through shared memory that have queues, and of groups of transports with them.
const SHARED_MEMORY: [&str; 6] = ["all", "sm", "shm", "mm", "posix", "sysv"];
/// Names of other transports without NICs.
const WITHOUT_NICS: [&str; 4] = ["tcp", "self", "cma", "xpmem"];

/// Returns the names of a list of transports.
fn names(transports: &str) -> impl Iterator<Item = &str> {
    transports.split(',').map(|name| name.split(':').next().unwrap_or(name).trim())
}

/// Reports whether transports of a list, all if there is none, may be those of a NIC.
fn has_nics(transports: Option<&str>) -> bool {
    let of_nics = |name: &str| name == "all" || !(SHARED_MEMORY.contains(&name) || WITHOUT_NICS.contains(&name));
    transports.is_none_or(|list| names(list).any(of_nics))
        && std::fs::read_dir(NICS).is_ok_and(|mut nics| nics.next().is_some())
}

/// Reports whether transports of a list, all if there is none, include shared memory.
fn has_shared_memory(transports: Option<&str>) -> bool {
    transports.is_none_or(|list| names(list).any(|name| SHARED_MEMORY.contains(&name)))
}

/// A context of UCX: transports, and registered memory.
#[derive(Debug)]
pub(crate) struct Context {
    pub(super) at: *mut ucp_context,
    pub(super) library: &'static Library,
}

// SAFETY: the context was made for use by several threads.
unsafe impl Send for Context {}
// SAFETY: as above.
unsafe impl Sync for Context {}

/// UCX's settings, from its variables and files; gone when they are dropped.
struct Config {
    at: *mut ucp_config,
    library: &'static Library,
}

impl Config {
    fn read(library: &'static Library) -> Result<Self> {
        let mut at = null_mut();
        // SAFETY: **plain**: null names the usual prefix and files, and the place of the result is alive.
        let status = unsafe { (library.ucp_config_read)(null(), null(), &mut at) };
        library.check(status, "ucp_config_read", || "read UCX's settings".into())?;
        Ok(Self { at, library })
    }

    fn set(&mut self, name: &str, value: &str) -> Result<()> {
        let action = || format!("set UCX_{name} to {value}");
        let text = |text: &str| {
            CString::new(text)
                .map_err(|_| Error::new(ErrorKind::InvalidArgument, action()).because("it has a byte of 0"))
        };
        let (name, value) = (text(name)?, text(value)?);
        // SAFETY: **live**: this value holds the settings, and both texts end with 0.
        let status = unsafe { (self.library.ucp_config_modify)(self.at, name.as_ptr(), value.as_ptr()) };
        self.library.check(status, "ucp_config_modify", action)
    }
}

impl Drop for Config {
    fn drop(&mut self) {
        // SAFETY: **live**: this value holds the settings, and ends here.
        unsafe { (self.library.ucp_config_release)(self.at) };
    }
}

impl Context {
    /// Opens a context with these settings besides those of UCX's own variables.
    ///
    /// # Errors
    /// A setting is malformed, or no transport is usable.
    pub(crate) fn open(settings: &[(&str, &str)]) -> Result<Self> {
        let library = Library::get()?;
        let mut config = Config::read(library)?;
        let variable = std::env::var("UCX_TLS").ok();
        let chosen = settings.iter().find(|(name, _)| *name == "TLS").map(|(_, transports)| *transports);
        let transports = chosen.or(variable.as_deref());
        let needed = NEEDED.iter().filter(|(_, _, has_meaning)| has_meaning(library.version(), transports));
        for (name, value) in needed.map(|(name, value, _)| (*name, *value)).chain(settings.iter().copied()) {
            config.set(name, value)?;
        }
        let params = ucp_params {
            field_mask: UCP_PARAM_FIELD_FEATURES | UCP_PARAM_FIELD_MT_WORKERS_SHARED,
            features: UCP_FEATURE_RMA | UCP_FEATURE_AMO32 | UCP_FEATURE_AMO64,
            request_size: 0,
            request_init: null(),
            request_cleanup: null(),
            tag_sender_mask: 0,
            mt_workers_shared: 1,
            estimated_num_eps: 0,
            estimated_num_ppn: 0,
            name: null(),
        };
        let (mut at, (major, minor)) = (null_mut(), LEAST);
        // SAFETY: **live**: the settings and the parameters are alive during the call.
        let status = unsafe { (library.ucp_init_version)(major, minor, &params, config.at, &mut at) };
        library.check(status, "ucp_init_version", || "open UCX".into())?;
        Ok(Self { at, library })
    }

    /// Returns the library's version.
    pub(crate) fn version(&self) -> (u32, u32, u32) {
        self.library.version()
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: **live**: this value holds the context. Workers and memory hold it, so that none is left.
        unsafe { (self.library.ucp_cleanup)(self.at) };
    }
}

/// A worker of UCX: queues, and the progress of all operations. Its owner uses it from one thread at a time.
#[derive(Debug)]
pub(crate) struct Worker {
    pub(super) at: *mut ucp_worker,
    pub(super) context: Arc<Context>,
}

// SAFETY: the worker's mode is "serialized": any thread may use it, one at a time.
unsafe impl Send for Worker {}

impl Worker {
    /// Creates a worker.
    ///
    /// # Errors
    /// UCX refuses.
    pub(crate) fn new(context: Arc<Context>) -> Result<Self> {
        let params = ucp_worker_params {
            field_mask: UCP_WORKER_PARAM_FIELD_THREAD_MODE,
            thread_mode: UCS_THREAD_MODE_SERIALIZED,
            unused: [0; 32],
        };
        let mut at = null_mut();
        // SAFETY: **live**: `context` holds the context, and the parameters are alive during the call.
        let status = unsafe { (context.library.ucp_worker_create)(context.at, &params, &mut at) };
        context.library.check(status, "ucp_worker_create", || "make a worker of UCX".into())?;
        Ok(Self { at, context })
    }

    /// Returns the address by which other workers make endpoints.
    ///
    /// # Errors
    /// UCX refuses.
    pub(crate) fn address(&self) -> Result<Vec<u8>> {
        let (mut at, mut bytes, library) = (null_mut(), 0, self.context.library);
        // SAFETY: **live**: this value holds the worker, and the places of the results are alive.
        let status = unsafe { (library.ucp_worker_get_address)(self.at, &mut at, &mut bytes) };
        library.check(status, "ucp_worker_get_address", || "name a worker of UCX".into())?;
        // SAFETY: **sized**: the address has as many bytes as the call has returned, until it is released.
        let address = unsafe { std::slice::from_raw_parts(at.cast::<u8>(), bytes) }.to_vec();
        // SAFETY: **live**: the call above has made the address, and it is not used again.
        unsafe { (library.ucp_worker_release_address)(self.at, at) };
        Ok(address)
    }

    /// Makes progress. Returns whether there was any.
    pub(crate) fn progress(&mut self) -> bool {
        // SAFETY: **live**: this value holds the worker. Operations name memory that their callers keep.
        unsafe { (self.context.library.ucp_worker_progress)(self.at) != 0 }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // SAFETY: **live**: this value holds the worker, and its endpoints were dropped before (`Endpoint::new`).
        unsafe { (self.context.library.ucp_worker_destroy)(self.at) };
    }
}

/// Memory for a packed key, made by UCX.
pub(super) struct Packed {
    pub(super) at: *mut c_void,
    pub(super) bytes: usize,
    pub(super) library: &'static Library,
}

impl Packed {
    pub(super) fn bytes(&self) -> &[u8] {
        // SAFETY: **sized**: UCX has returned the address and the number of bytes together.
        unsafe { std::slice::from_raw_parts(self.at.cast::<u8>(), self.bytes) }
    }
}

impl Drop for Packed {
    fn drop(&mut self) {
        // SAFETY: **live**: this value holds the memory, and ends here.
        unsafe { (self.library.ucp_rkey_buffer_release)(self.at) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_memory_is_set_where_a_list_of_transports_may_have_it() {
        for with in [None, Some("all"), Some("tcp,sm"), Some("posix"), Some("rc_mlx5, shm"), Some("rc,ud:aux,mm")] {
            assert!(has_shared_memory(with), "{with:?}");
        }
        for without in ["tcp", "rc_mlx5,ud_mlx5:aux", "self,cma", ""] {
            assert!(!has_shared_memory(Some(without)), "{without}");
        }
        assert!(!has_nics(Some("tcp,sm,self")), "these are not NICs', whether or not there is one");
    }
}

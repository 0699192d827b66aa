//! Queue pairs.

use oxshmem_core::QpHandle;
use oxshmem_core::host::{Error, ErrorKind, Result};

use super::World;
use super::collective::all_ok;

/// The most queue pairs that one call makes.
const MAX_QPS: u32 = 1 << 16;

impl World {
    /// Creates `count` queue pairs, each of which reaches every PE. Collective, with the same `count`.
    ///
    /// Where every peer is reached by load and store there is nothing to create: the call succeeds, and
    /// every handle is [`QpHandle::DEFAULT`].
    ///
    /// # Errors
    /// PEs differ in the count (both named), the count is 0 or too large (on every PE alike), or a PE has
    /// not enough resources (named on every PE).
    pub fn qp_create(&self, count: u32) -> Result<Vec<QpHandle>> {
        self.control.agree("qp_create", "the number of queue pairs", count.into())?;
        if count == 0 || count > MAX_QPS {
            return Err(Error::new(ErrorKind::InvalidArgument, format!("create {count} queue pairs"))
                .because(format!("one call makes 1 to {MAX_QPS}"))
                .amount(count.into(), MAX_QPS.into(), "queue pairs"));
        }
        let made = self.remote_transport(|transport| transport.create_qps(count));
        all_ok(&self.control, "create queue pairs", made)
    }

    /// Destroys queue pairs; kernels must no longer use them. Collective, with the same handles.
    ///
    /// # Errors
    /// PEs differ in the handles, or one is not a queue pair of this world.
    pub fn qp_destroy(&self, handles: &[QpHandle]) -> Result<()> {
        self.control.agree("qp_destroy", "the number of queue pairs", handles.len() as u64)?;
        let bytes: Vec<u8> = handles.iter().flat_map(|handle| handle.raw().to_le_bytes()).collect();
        let hash = oxshmem_raw::abi::fnv(oxshmem_raw::abi::FNV_START, &bytes);
        self.control.agree("qp_destroy", "the handles (their hash)", hash)?;
        self.finish_own_work()?;
        let gone = self.remote_transport(|transport| transport.destroy_qps(handles));
        all_ok(&self.control, "destroy queue pairs", gone)
    }

    /// The transport whose queues a program can create: the last, since load/store comes first.
    fn remote_transport<T>(&self, act: impl FnOnce(&mut dyn oxshmem_core::host::Transport) -> Result<T>) -> Result<T> {
        match self.transports.len().checked_sub(1) {
            Some(last) => act(self.transport_mut(last).as_mut()),
            None => Err(Error::new(ErrorKind::NotFound, "use queue pairs").because("the world has no transport")),
        }
    }
}

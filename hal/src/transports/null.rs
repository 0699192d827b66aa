//! Stands in for a transport on a PE that the transport connects to no other, in a world where it connects others.

use oxshmem_core::host::{Error, ErrorKind, HostAmo, QpRows, Reach, Result, Transport};
use oxshmem_core::{Pe, QpHandle, Remote};

/// Takes part in the collective calls, needs no device, and contributes nothing. Holds the transport's name.
#[derive(Debug)]
pub(crate) struct NullTransport(pub(crate) String);

impl NullTransport {
    fn nobody<T>(&self, pe: Pe) -> Result<T> {
        let error = Error::new(ErrorKind::Unreachable, format!("reach {pe} by {}", self.0));
        Err(error.because("this PE uses that transport for no PE").about(pe))
    }
}

// SAFETY: **state**, **mapped**, **within**, **lent**: it has no state, reaches no PE, and accesses no memory.
unsafe impl Transport for NullTransport {
    fn name(&self) -> &str {
        &self.0
    }

    fn reach(&self, _: Pe) -> Reach {
        Reach::None
    }

    fn prepare_qps(&mut self, _: QpRows) -> Result<Vec<Vec<u8>>> {
        Ok(Vec::new())
    }

    /// Returns no handles: the PE's other transport returns them.
    fn connect_qps(&mut self, _: &[Vec<u8>]) -> Result<Vec<QpHandle>> {
        Ok(Vec::new())
    }

    fn discard_qps(&mut self) {}

    fn destroy_qps(&mut self, _: &[QpHandle]) -> Result<()> {
        Ok(())
    }

    fn put(&self, to: Remote, _: &[u8]) -> Result<()> {
        self.nobody(to.pe)
    }

    fn get(&self, _: &mut [u8], from: Remote) -> Result<()> {
        self.nobody(from.pe)
    }

    fn atomic(&self, at: Remote, _: HostAmo) -> Result<u64> {
        self.nobody(at.pe)
    }

    fn quiet(&self) -> Result<()> {
        Ok(())
    }
}

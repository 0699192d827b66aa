//! The part of a PE in a transport that leads others to each other, and this PE to nobody.

use oxshmem_core::host::{Error, ErrorKind, Extent, HostAmo, Offer, QpRows, Reach, Result, Transport};
use oxshmem_core::{Pe, QpHandle, Remote};

/// It takes part in what all PEs do together, needs no device, and has nothing to say. By name.
#[derive(Debug)]
pub(super) struct Idle(pub(super) &'static str);

impl Idle {
    fn nobody<T>(&self, pe: Pe) -> Result<T> {
        let error = Error::new(ErrorKind::Unreachable, format!("reach {pe} by {}", self.0));
        Err(error.because("this PE reaches nobody so").about(pe))
    }
}

impl Transport for Idle {
    fn name(&self) -> &'static str {
        self.0
    }

    fn reach(&self, _: Pe) -> Reach {
        Reach::None
    }

    fn offer(&mut self, _: Extent) -> Result<Offer> {
        Ok(Offer::default())
    }

    fn accept(&mut self, pe: Pe, _: Extent, _: Offer) -> Result<()> {
        self.nobody(pe)
    }

    fn prepare_qps(&mut self, _: QpRows) -> Result<Vec<u8>> {
        Ok(Vec::new())
    }

    /// The other transport gives the handles.
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

//! The state that all parts of a NIC share.

use std::sync::Arc;

use oxshmem_rdma::hca::{LinkLayer, Region};

use crate::Options;
use crate::check::Violations;
use crate::faults::Faults;
use crate::holds::Holds;
use crate::memory::{Dma, Pages, Span};
use crate::plane::{Answers, Asker, DataPlane, Pinned};
use crate::wire::Port;

use super::keys::Responder;

/// The state that all parts of a NIC share.
#[derive(Debug)]
pub(crate) struct Core {
    pub(crate) name: String,
    pub(crate) options: Arc<Options>,
    pub(crate) dma: Dma,
    pub(crate) violations: Arc<Violations>,
    pub(crate) faults: Arc<Faults>,
    pub(crate) holds: Arc<Holds>,
    pub(crate) responder: Arc<Responder>,
    pub(crate) port: Port,
    /// The engine that executes queues, if it is not the NIC's own thread.
    pub(crate) plane: Option<Arc<dyn DataPlane>>,
    pub(crate) asker: Asker,
    /// Answers questions of other processes' data planes about this NIC's regions.
    pub(crate) _answers: Option<Answers>,
}

/// Objects that are kept as long as memory is registered.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    _pages: Option<Pages>,
    _pinned: Option<PinnedMemory>,
}

/// Doorbell registers at a second address; given back in this order.
#[derive(Debug)]
pub(crate) struct Alias {
    _kept: Kept,
    _pages: Pages,
}

/// Memory pinned by a data plane.
struct PinnedMemory(#[allow(dead_code)] Pinned);

impl std::fmt::Debug for PinnedMemory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("PinnedMemory")
    }
}

impl Core {
    pub(crate) fn lid(&self) -> u16 {
        self.port.lid
    }

    /// Returns the port's MTU in bytes, which is the longest datagram.
    pub(crate) fn mtu(&self) -> u64 {
        128 << self.active_mtu()
    }

    /// Returns the code of the port's MTU.
    pub(crate) fn active_mtu(&self) -> u8 {
        match self.options.link {
            LinkLayer::Ethernet => 3,
            LinkLayer::InfiniBand => 5,
        }
    }

    fn pin(&self, at: u64, bytes: u64) -> Result<Option<PinnedMemory>, (i32, String)> {
        let Some(plane) = &self.plane else { return Ok(None) };
        Ok(plane.pin(at, bytes).map_err(|why| (libc::EFAULT, why))?.map(PinnedMemory))
    }

    /// Returns a doorbell page, its second address, and the address at which the engine polls it.
    pub(crate) fn doorbell_page(&self) -> Result<(Pages, Option<Alias>, u64), (i32, String)> {
        const BYTES: u64 = 4096;
        let failed = |e: std::io::Error| (libc::ENOMEM, e.to_string());
        if self.plane.is_none() {
            let pages = Pages::new(BYTES).map_err(failed)?;
            let at = pages.at();
            return Ok((pages, None, at));
        }
        let (pages, second) = Pages::twins(BYTES).map_err(failed)?;
        let at = second.at();
        let kept = Kept { _pages: None, _pinned: self.pin(at, BYTES)? };
        Ok((pages, Some(Alias { _kept: kept, _pages: second }), at))
    }

    /// Returns the span of a region that is being registered, and the objects to keep with it.
    pub(crate) fn span_of(&self, region: Region, bytes: u64) -> Result<(Span, Kept), (i32, String)> {
        let (at, pages) = match region {
            Region::Address(at) => (at, None),
            Region::DmaBuf { .. } if !self.options.map_dma_buf => {
                return Err((libc::EOPNOTSUPP, "this software NIC takes no DMA buffers".into()));
            }
            Region::DmaBuf { fd, offset } => {
                let pages = Pages::of(fd, offset, bytes)
                    .map_err(|e| (e.raw_os_error().unwrap_or(libc::EINVAL), format!("mapping descriptor {fd}: {e}")))?;
                (pages.at(), Some(pages))
            }
        };
        // SAFETY: **mapped**: a program that registers memory keeps it mapped until the registration ends, as with any
        // NIC.
        let span = unsafe { self.dma.span(at, bytes) }.map_err(|e| (libc::EFAULT, e.0))?;
        Ok((span, Kept { _pages: pages, _pinned: self.pin(at, bytes)? }))
    }
}

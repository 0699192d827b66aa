//! Two queue pairs of one port, connected to each other.

use std::sync::Arc;

use oxshmem_core::Pe;
use oxshmem_core::host::Result;
use oxshmem_raw::memory::Memory;

use oxshmem_rdma::devx_qp::{ConnectParams, PeerPath};
use oxshmem_transport_ibgda::host::for_tests::{Doorbells, Nic, QueueMemory, QueuePair, VerbsQp};
use oxshmem_transport_ibgda::host::{Buffers, DoorbellBy, IbgdaConfig};

use super::poster::TestPoster;
use crate::report::Fine;

/// How queue pairs are made, and where their memory is.
#[derive(Clone, Debug)]
pub(super) enum QueueKind {
    /// By commands, in host memory.
    Host,
    /// By verbs, in memory of the library's choice.
    Verbs,
    /// By commands, in GPU memory if the NIC reaches it for queues; payload is in GPU memory in any case.
    Gpu(Memory),
}

impl QueueKind {
    pub(super) fn text(&self) -> &'static str {
        match self {
            Self::Host => "host memory",
            Self::Verbs => "verbs queue pair",
            Self::Gpu(_) => "GPU memory",
        }
    }

    /// Returns the memory for payload.
    pub(super) fn memory(&self) -> &Memory {
        match self {
            Self::Host | Self::Verbs => &Memory::Host,
            Self::Gpu(memory) => memory,
        }
    }
}

/// Two connected queue pairs, dropped in this order. Operations are posted to one, and the other executes them as peer.
#[derive(Debug)]
pub(super) struct ConnectedPair {
    pub(super) poster: TestPoster,
    peer: QueuePair,
    /// The parameters with which the posting queue pair was connected.
    pub(super) params: ConnectParams,
    _doorbells: Doorbells,
}

impl ConnectedPair {
    /// Makes and connects two queue pairs of at least `depth` blocks.
    ///
    /// # Errors
    /// The NIC or the driver refuses.
    pub(super) fn new(nic: &Arc<Nic>, config: &IbgdaConfig, kind: &QueueKind, depth: u32) -> Result<Self> {
        let mut doorbells = Doorbells::new(&Memory::Host, DoorbellBy::Auto, 2);
        let mut queues: Vec<QueuePair> = match kind {
            QueueKind::Verbs => {
                let pairs = [VerbsQp::new(nic, depth)?, VerbsQp::new(nic, depth)?];
                let depth = pairs[0].layout.sq_blocks.max(pairs[1].layout.sq_blocks);
                let memory = QueueMemory::new(nic, &Memory::Host, Buffers::Host, 2, depth)?;
                let made = pairs.into_iter().enumerate();
                made.map(|(index, verbs)| QueuePair::of_verbs(nic, &memory, index, verbs, &mut doorbells))
                    .collect::<Result<_>>()?
            }
            QueueKind::Host | QueueKind::Gpu(_) => {
                let buffers = if matches!(kind, QueueKind::Host) { Buffers::Host } else { Buffers::Auto };
                let memory = QueueMemory::new(nic, kind.memory(), buffers, 2, depth)?;
                let eqn = nic.hca.query_eqn()?;
                (0..2).map(|index| QueuePair::new(nic, &memory, index, depth, eqn, None)).collect::<Result<_>>()?
            }
        };
        let (peer, own) = (queues.remove(1), queues.remove(0));
        let port = nic.port_info();
        let local = nic.local_port(config);
        let path = PeerPath::find(&local, (Pe::new(0), &port), (Pe::new(1), &port))?;
        let params = path.params(&local, own.qpn(), peer.qpn());
        own.connect(config, &params)?;
        peer.connect(config, &path.params(&local, peer.qpn(), own.qpn()))?;
        let poster = match kind {
            QueueKind::Host => TestPoster::direct(own)?,
            QueueKind::Verbs | QueueKind::Gpu(_) => TestPoster::by_copies(own, kind.memory()),
        };
        Ok(Self { poster, peer, params, _doorbells: doorbells })
    }

    /// Returns the place of the queues, for people.
    pub(super) fn place(&self) -> &'static str {
        if self.poster.queue().is_on_host() { "queues on the host" } else { "queues in GPU memory" }
    }

    /// Gives both back.
    ///
    /// # Errors
    /// The NIC refuses.
    pub(super) fn destroy(self) -> Fine<()> {
        let Self { poster, peer, _doorbells, .. } = self;
        let (own, peer) = (poster.into_queue().destroy(), peer.destroy());
        own?;
        Ok(peer?)
    }
}

//! Two queue pairs of one port that are connected to each other.

use std::sync::Arc;

use oxshmem_core::Pe;
use oxshmem_core::host::Result;
use oxshmem_raw::memory::Memory;

use crate::host::bell::Bells;
use crate::host::config::{Buffers, DoorbellBy, IbgdaConfig};
use crate::host::control::Control;
use crate::host::nic::Nic;
use crate::host::queue::Queue;
use crate::host::route::{Link, Route};
use crate::host::twin::Twin;

use super::line::Line;
use super::report::Failure;

/// Who makes the queue pairs, and where they are.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    /// Commands, in memory of the host.
    Host,
    /// Verbs, where they like.
    Verbs,
    /// Commands, in a GPU's memory where the NIC reaches it for queues, and payload there in any case.
    Gpu(Memory),
}

impl Kind {
    pub(super) fn text(&self) -> &'static str {
        match self {
            Self::Host => "host memory",
            Self::Verbs => "verbs twin",
            Self::Gpu(_) => "GPU memory",
        }
    }

    /// Where payload is.
    pub(super) fn memory(&self) -> &Memory {
        match self {
            Self::Host | Self::Verbs => &Memory::Host,
            Self::Gpu(memory) => memory,
        }
    }
}

/// Two connected queues, in the order in which they are given back: what is posted to the line, the peer does.
#[derive(Debug)]
pub(super) struct Pair {
    pub(super) line: Line,
    peer: Queue,
    /// What the line was connected with.
    pub(super) link: Link,
    _bells: Bells,
}

impl Pair {
    /// Makes and connects two queues of at least `depth` blocks.
    ///
    /// # Errors
    /// The NIC or the driver refuses.
    pub(super) fn new(nic: &Arc<Nic>, config: &IbgdaConfig, kind: &Kind, depth: u32) -> Result<Self> {
        let mut bells = Bells::new(&Memory::Host, DoorbellBy::Auto, 2);
        let mut queues: Vec<Queue> = match kind {
            Kind::Verbs => {
                let twins = [Twin::new(nic, depth)?, Twin::new(nic, depth)?];
                let depth = twins[0].made.sq_blocks.max(twins[1].made.sq_blocks);
                let control = Control::new(nic, &Memory::Host, Buffers::Host, 2, depth)?;
                let made = twins.into_iter().enumerate();
                made.map(|(index, twin)| Queue::of_twin(nic, &control, index, twin, &mut bells))
                    .collect::<Result<_>>()?
            }
            Kind::Host | Kind::Gpu(_) => {
                let buffers = if matches!(kind, Kind::Host) { Buffers::Host } else { Buffers::Auto };
                let control = Control::new(nic, kind.memory(), buffers, 2, depth)?;
                let eqn = nic.hca.query_eqn()?;
                (0..2).map(|index| Queue::new(nic, &control, index, depth, eqn, None)).collect::<Result<_>>()?
            }
        };
        let (peer, own) = (queues.remove(1), queues.remove(0));
        let card = nic.card();
        let way = Route::find(nic, config, (Pe::new(0), &card), (Pe::new(1), &card))?;
        let link = way.link(own.qpn(), peer.qpn());
        own.connect(config, &link)?;
        peer.connect(config, &way.link(peer.qpn(), own.qpn()))?;
        let line = match kind {
            Kind::Host => Line::direct(own)?,
            Kind::Verbs | Kind::Gpu(_) => Line::by_copies(own, kind.memory()),
        };
        Ok(Self { line, peer, link, _bells: bells })
    }

    /// Where the queues are, for people.
    pub(super) fn place(&self) -> &'static str {
        if self.line.queue().is_on_host() { "queues on the host" } else { "queues in GPU memory" }
    }

    /// Gives both back.
    ///
    /// # Errors
    /// The NIC refuses.
    pub(super) fn destroy(self) -> Result<(), Failure> {
        let Self { line, peer, _bells, .. } = self;
        let (own, peer) = (line.into_queue().destroy(), peer.destroy());
        own?;
        Ok(peer?)
    }
}

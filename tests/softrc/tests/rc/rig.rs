//! PEs that reach each other by proxies over verbs in software.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use oxshmem_core::{Pe, Qp, Remote, SymAddr};
use oxshmem_kit::rig;
pub(crate) use oxshmem_kit::rig::pattern;
use oxshmem_raw::gpu::local::LocalAddr;
use oxshmem_raw::memory::Memory;
use oxshmem_raw::queue::path::DevicePath;
use oxshmem_raw::state::{RESERVED_BYTES, WorldState};
use oxshmem_raw::transport::{Connect, PeerMessages};
use oxshmem_softrc::{Network, Options};
use oxshmem_transport_ibrc::device::ProxyPath;
use oxshmem_transport_ibrc::host::{Ibrc, IbrcConfig};

use crate::lazy::{Mail, PostOffice};

/// Bytes of an extent of the heap.
pub(crate) const EXTENT: u64 = 1 << 20;

/// The parameters of a rig.
pub(crate) struct Made {
    pub(crate) n_pes: u32,
    pub(crate) config: IbrcConfig,
    pub(crate) options: Options,
    pub(crate) extents: u64,
    /// PEs whose settings say that their devices' fetches need no guard.
    pub(crate) careless: &'static [u32],
    /// Whether queues are connected at their first use.
    pub(crate) lazy: bool,
}

impl Default for Made {
    /// Returns the parameters of two PEs, with one row of default queues of 64 work requests and one proxy each.
    fn default() -> Self {
        let config = IbrcConfig { rows: 1, depth: 64, ring_depth: 128, spare_rows: 8, ..IbrcConfig::default() };
        Self { n_pes: 2, config, options: Options::default(), extents: 1, careless: &[], lazy: false }
    }
}

/// The PEs.
pub(crate) struct Rig {
    rig: rig::Rig<Ibrc>,
    pub(crate) network: Arc<Network>,
    pub(crate) post: Arc<PostOffice>,
}

impl Deref for Rig {
    type Target = rig::Rig<Ibrc>;

    fn deref(&self) -> &Self::Target {
        &self.rig
    }
}

impl DerefMut for Rig {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.rig
    }
}

impl Rig {
    pub(crate) fn new(made: Made) -> Self {
        let Made { n_pes, mut config, options, extents, careless, lazy } = made;
        config.connect = if lazy { Connect::Lazy } else { Connect::Bulk };
        let post = Arc::new(PostOffice::new(n_pes));
        let network = Network::new(options);
        let extents = vec![EXTENT; extents as usize];
        let rig = rig::Rig::new(n_pes, &extents, config.rows, |me, windows, far| {
            let provider = network.provider(me.number());
            let mut config = config.clone();
            if careless.contains(&me.number()) {
                config.guard_fetches = Some(false);
            }
            let mail: Arc<dyn PeerMessages> = Arc::new(Mail { post: post.clone(), me });
            Ibrc::open(&config, &provider, Memory::Host, windows, me, Some(&mail), far)
        });
        Self { rig, network, post }
    }

    pub(crate) fn get_word(&self, pe: u32, at: u64) -> u64 {
        self.word(pe, at).load(Ordering::SeqCst)
    }

    /// Returns an address in a PE's own heap, as the local end of operations.
    pub(crate) fn local(&self, pe: u32, at: u64) -> LocalAddr {
        // SAFETY: **owned**: mapped as long as the rig lives; threads of a test use ranges that do not overlap.
        unsafe { LocalAddr::new(self.address(pe, at) as *mut u8) }
    }
}

/// Returns a location in the heap of a PE. `offset` counts from the end of the library's own part.
pub(crate) fn at(pe: u32, offset: u64) -> Remote {
    Remote { pe: Pe::new(pe), at: SymAddr::new(RESERVED_BYTES + offset) }
}

/// Returns the default queues.
pub(crate) fn queues(state: &WorldState) -> Queues<'_> {
    queues_of(state, Qp::Default)
}

/// Returns the queues that `qp` names.
pub(crate) fn queues_of(state: &WorldState, qp: Qp) -> Queues<'_> {
    // SAFETY: **live**: the state is that of a rig, which outlives the threads of its tests.
    unsafe { ProxyPath::queue(state, state.paths[0], qp) }
}

/// The proxy transport's queues.
pub(crate) type Queues<'a> = <ProxyPath as DevicePath>::Queue<'a>;

/// Runs `body` as each thread of a grid, all blocks of which are resident.
pub(crate) fn grid(blocks: u32, threads: u32, seed: u64, body: impl Fn()) {
    rig::grid(blocks, threads, 0, seed, body);
}

//! What the host writes and kernels read.
//!
//! One set of `repr(C)` structs for both sides: [`WorldState`] travels as the first argument of every
//! kernel (so it is in constant memory, and an address of a peer is arithmetic on constants);
//! [`LocalState`] is in the memory of the PE's device, [`StopWord`] and [`FaultSlot`] in memory that both
//! the host and the device reach.

use core::mem::{offset_of, size_of};

#[cfg(feature = "host")]
use oxshmem_core::host::KernelView;
use oxshmem_core::{Fault, Pe, SymAddr};
use static_assertions::const_assert_eq;

use crate::gpu::ptx;

pub mod abi;
pub mod fault;
pub mod wait;

/// Bytes at the start of every symmetric heap that are the library's own.
pub const RESERVED_BYTES: u64 = 64 << 10;

/// PEs that the reserved bytes have room for.
pub const MAX_PES: u32 = 4096;

/// Remote paths that one world can have.
pub const MAX_PATHS: usize = 3;

/// The constants of a world, as one PE sees them. Set once for a launch.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct WorldState {
    /// Where the heap of PE 0 is mapped in this PE's address space.
    pub heap: u64,
    /// Bytes from the heap of one PE to that of the next.
    pub stride: u64,
    /// Bytes of each heap that are mapped, at the time of the launch.
    pub heap_bytes: u64,
    /// Where this PE's own heap is mapped.
    pub own: u64,
    /// 0, or the address of `n_pes` heap addresses where they can't lie at a fixed stride (legacy IPC).
    pub bases: u64,
    /// The [`LocalState`] of this PE.
    pub local: u64,
    /// The [`StopWord`] that the host writes, as the device sees it.
    pub notice: u64,
    /// The [`FaultSlot`] that the device writes, as the device sees it.
    pub fault: u64,
    /// The limit of every wait, 0 for none.
    pub wait_limit_ns: u64,
    /// This PE.
    pub my_pe: u32,
    /// PEs of the world.
    pub n_pes: u32,
    /// 0 where no PE is reached by a NIC's own queues; else a bit for each PE that is, in words of 64.
    pub far: u64,
    /// The first of those words: a world of up to 64 PEs needs no more.
    pub far_bits: u64,
    /// The queues to those PEs: `QueueState` number `row * n_pes + pe`. 0 without any.
    pub queues: u64,
    /// What all of those queues share: the first `NicState`. 0 without any.
    pub nic: u64,
    /// 0 where no PE is reached by proxies; else a bit for each PE that is, in words of 64. No PE has both bits.
    pub proxied: u64,
    /// The first of those words.
    pub proxied_bits: u64,
    /// The queues to those PEs: `ProxyQueue` number `row * n_pes + pe`. 0 without any.
    pub proxy_queues: u64,
    /// What all of those queues share: a `ProxyState`. 0 without any.
    pub proxies: u64,
    /// Rows of default queues, of either kind alike.
    pub default_rows: u32,
    /// What chooses among them: [`WorldState::BY_CTA`] and its likes.
    pub map_by: u32,
}
const_assert_eq!(size_of::<WorldState>(), 152);

impl WorldState {
    /// [`map_by`](Self::map_by): threads of a block use one default queue.
    pub const BY_CTA: u32 = 0;
    /// [`map_by`](Self::map_by): threads of a multiprocessor use one default queue.
    pub const BY_SM: u32 = 1;
    /// [`map_by`](Self::map_by): threads of a warp use one default queue.
    pub const BY_WARP: u32 = 2;

    /// Takes what kernels are given of a transport with queues; a transport without gives nothing.
    #[cfg(feature = "host")]
    pub fn take_view(&mut self, view: &KernelView) {
        if view.queues == 0 {
            return;
        }
        (self.default_rows, self.map_by) = (view.default_rows, view.map_by);
        if view.by_proxy {
            (self.proxied, self.proxied_bits) = (view.far, view.far_bits);
            (self.proxy_queues, self.proxies) = (view.queues, view.shared);
        } else {
            (self.far, self.far_bits) = (view.far, view.far_bits);
            (self.queues, self.nic) = (view.queues, view.shared);
        }
    }

    /// Whether there are queues, of either kind.
    #[inline(always)]
    pub const fn has_queues(&self) -> bool {
        self.queues | self.proxy_queues != 0
    }

    /// Whether a PE is reached by queues, of either kind.
    #[inline(always)]
    pub const fn some_far(&self) -> bool {
        self.far | self.proxied != 0
    }

    /// Its bytes, for a copy in the device's memory.
    #[cfg(feature = "host")]
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: `repr(C)` without padding: 9 words of 8 bytes and 2 of 4, 8 of 8 and 2 of 4, of 152.
        unsafe { core::slice::from_raw_parts((&raw const *self).cast(), size_of::<Self>()) }
    }

    /// Whether `pe` is reached by loads and stores.
    #[inline(always)]
    pub fn is_near(&self, pe: Pe) -> bool {
        !self.some_far()
            || (self.word(self.far, self.far_bits, pe) | self.proxied_word(pe)) >> (pe.number() % 64) & 1 == 0
    }

    /// Whether `pe` is reached by proxies.
    #[inline(always)]
    pub fn is_proxied(&self, pe: Pe) -> bool {
        self.proxied != 0 && self.proxied_word(pe) >> (pe.number() % 64) & 1 != 0
    }

    #[inline(always)]
    fn proxied_word(&self, pe: Pe) -> u64 {
        self.word(self.proxied, self.proxied_bits, pe)
    }

    /// The word with the bit of `pe`, of a table whose first word is `first`.
    #[inline(always)]
    fn word(&self, table: u64, first: u64, pe: Pe) -> u64 {
        if self.n_pes <= 64 {
            return first;
        }
        // SAFETY: 0, or a table of a bit for each PE, set once; `pe` exists (checked builds check).
        unsafe { ptx::word_or(0, table as *const u64, pe.number() / 64) }
    }

    /// Where `at` in the heap of `pe` is mapped in this PE's address space.
    #[inline(always)]
    pub fn address(&self, pe: Pe, at: SymAddr) -> *mut u8 {
        let computed = self.heap + self.stride * pe.number() as u64;
        // SAFETY: `bases` is 0 or a table of `n_pes` addresses, set once; `pe` exists (checked builds check).
        let base = unsafe { ptx::word_or(computed, self.bases as *const u64, pe.number()) };
        (base + at.offset()) as *mut u8
    }

    /// Where `at` in this PE's own heap is mapped.
    #[inline(always)]
    pub fn own_address(&self, at: SymAddr) -> *mut u8 {
        (self.own + at.offset()) as *mut u8
    }

    /// The word in the heap of `at` by which `from` tells of its arrival at a barrier.
    #[inline(always)]
    pub fn arrival(&self, at: Pe, from: Pe) -> *mut u64 {
        self.address(at, SymAddr::new(8 * from.number() as u64)).cast()
    }
}

/// Words that only this PE's device touches.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct LocalState {
    /// 0; 1 once a thread has claimed the fault slot.
    pub fault_claimed: u32,
    /// Blocks that have arrived at the grid barrier of this round.
    pub grid_arrived: u32,
    /// Grid barriers passed, wrapping.
    pub grid_round: u32,
    /// Barriers on streams that have ended, wrapping: what a stream waits for before the barrier of another.
    pub stream_barriers: u32,
    /// Barriers over all PEs that this PE has passed.
    pub barriers: u64,
}
const_assert_eq!(size_of::<LocalState>(), 64);

/// What the host tells kernels that wait.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct StopWord {
    /// 0, or why to stop: see [`StopWord::peer_died`] and [`StopWord::ABORT`].
    pub stop: u64,
}

impl StopWord {
    /// The host wants this PE's kernels to end.
    pub const ABORT: u64 = 1;

    /// `pe` died.
    pub const fn peer_died(pe: Pe) -> u64 {
        (1 << 32) | pe.number() as u64
    }
}

/// Where device code leaves its first fault.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct FaultSlot {
    /// 0; [`FaultSlot::WRITTEN`] once `fault` is whole.
    pub state: u64,
    /// The fault's fields as words, in the order of [`Fault`].
    pub words: [u64; 7],
}
const_assert_eq!(size_of::<FaultSlot>(), 64);

impl FaultSlot {
    /// The slot holds a fault.
    pub const WRITTEN: u64 = 1;

    /// A fault as the slot's words.
    #[inline(always)]
    pub const fn encode(fault: &Fault) -> [u64; 7] {
        let Fault { step, pe, qp, detail, at, asked, seen } = *fault;
        [step as u32 as u64, pe as u64, qp as u32 as u64, detail as u64, at, asked, seen]
    }

    /// The fault that the words spell; `None` for a step that this version doesn't know.
    #[inline(always)]
    pub const fn decode(words: [u64; 7]) -> Option<Fault> {
        let [step, pe, qp, detail, at, asked, seen] = words;
        match oxshmem_core::FaultStep::from_raw(step as u32) {
            Some(step) => {
                Some(Fault { step, pe: pe as u32, qp: qp as u32 as i32, detail: detail as u32, at, asked, seen })
            }
            None => None,
        }
    }
}

/// What a layout is made of, for [`abi`](crate::state::abi): sizes and offsets, in a fixed order.
pub(crate) const LAYOUT: [usize; 36] = [
    size_of::<WorldState>(),
    offset_of!(WorldState, heap),
    offset_of!(WorldState, stride),
    offset_of!(WorldState, heap_bytes),
    offset_of!(WorldState, own),
    offset_of!(WorldState, bases),
    offset_of!(WorldState, local),
    offset_of!(WorldState, notice),
    offset_of!(WorldState, fault),
    offset_of!(WorldState, wait_limit_ns),
    offset_of!(WorldState, my_pe),
    offset_of!(WorldState, n_pes),
    offset_of!(WorldState, far),
    offset_of!(WorldState, far_bits),
    offset_of!(WorldState, queues),
    offset_of!(WorldState, nic),
    offset_of!(WorldState, proxied),
    offset_of!(WorldState, proxied_bits),
    offset_of!(WorldState, proxy_queues),
    offset_of!(WorldState, proxies),
    offset_of!(WorldState, default_rows),
    offset_of!(WorldState, map_by),
    size_of::<LocalState>(),
    offset_of!(LocalState, fault_claimed),
    offset_of!(LocalState, grid_arrived),
    offset_of!(LocalState, grid_round),
    offset_of!(LocalState, stream_barriers),
    offset_of!(LocalState, barriers),
    size_of::<StopWord>(),
    offset_of!(StopWord, stop),
    size_of::<FaultSlot>(),
    offset_of!(FaultSlot, state),
    offset_of!(FaultSlot, words),
    size_of::<Fault>(),
    RESERVED_BYTES as usize,
    MAX_PES as usize,
];

#[cfg(test)]
mod tests {
    use super::*;
    use oxshmem_core::FaultStep;

    #[test]
    fn a_fault_survives_the_slot() {
        for raw in 0..20 {
            let Some(step) = FaultStep::from_raw(raw) else { continue };
            let fault = Fault { step, pe: u32::MAX, qp: -5, detail: 3, at: u64::MAX, asked: 7, seen: 1 << 40 };
            assert_eq!(FaultSlot::decode(FaultSlot::encode(&fault)), Some(fault));
        }
        assert_eq!(FaultSlot::decode([99, 0, 0, 0, 0, 0, 0]), None);
    }

    #[test]
    fn a_peers_address_is_its_base_and_the_offset_by_stride_or_by_table() {
        let table = [0x5000u64, 0x9000];
        let mut state = WorldState {
            heap: 0x1_0000,
            stride: 0x1000,
            heap_bytes: 0x1000,
            own: 0x1_1000,
            my_pe: 1,
            n_pes: 2,
            ..WorldState::default()
        };
        assert_eq!(state.address(Pe::new(1), SymAddr::new(8)) as u64, 0x1_1008);
        assert_eq!(state.address(Pe::new(1), SymAddr::new(8)), state.own_address(SymAddr::new(8)));
        state.bases = table.as_ptr() as u64;
        assert_eq!(state.address(Pe::new(1), SymAddr::new(8)) as u64, 0x9008);
    }

    #[test]
    fn a_pe_is_on_one_of_three_paths_in_small_worlds_and_in_large_ones() {
        let (by_nic, by_proxy) = ([1 << 3 | 1 << 63, 1 << 1], [1 << 5, 1 << 36]);
        for n_pes in [64, 101] {
            let mut state = WorldState { n_pes, ..WorldState::default() };
            assert!(state.is_near(Pe::new(3)) && !state.is_proxied(Pe::new(5)) && !state.has_queues());
            let view = |table: &[u64; 2], by_proxy| KernelView {
                far: table.as_ptr() as u64,
                far_bits: table[0],
                queues: 8,
                shared: 8,
                default_rows: 2,
                map_by: WorldState::BY_SM,
                by_proxy,
            };
            state.take_view(&view(&by_nic, false));
            assert!(!state.is_near(Pe::new(3)) && state.is_near(Pe::new(5)));
            state.take_view(&view(&by_proxy, true));
            state.take_view(&KernelView::default());
            assert_eq!((state.default_rows, state.map_by), (2, WorldState::BY_SM));
            for pe in 0..n_pes {
                let (nic, proxy) = ([3, 63, 65].contains(&pe), [5, 100].contains(&pe));
                let seen = (state.is_near(Pe::new(pe)), state.is_proxied(Pe::new(pe)));
                assert_eq!(seen, (!nic && !proxy, proxy), "PE {pe} of {n_pes}");
            }
        }
    }
}

//! The state that the host writes and kernels read.
//!
//! One set of `repr(C)` structs serves both sides. [`WorldState`] is the first argument of every kernel, so it is in
//! constant memory, and a peer's address is arithmetic on constants. [`LocalState`] is in the memory of the PE's
//! device, [`StopWord`] and [`FaultSlot`] in memory that both the host and the device reach.

use core::mem::{offset_of, size_of};

#[cfg(feature = "host")]
use oxshmem_core::host::PathView;
use oxshmem_core::{Fault, Pe, SymAddr};
use static_assertions::const_assert_eq;

use crate::gpu::ptx;

pub mod abi;
pub mod collective;
pub mod fault;
pub mod kernel;
pub mod mail;
mod notices;
pub mod on_stream;
pub mod team;
pub mod wait;

pub use notices::{ExitWord, FaultSlot, FaultThread, StopWord};

/// The unit, in bytes, of the library's part at the start of every symmetric heap.
pub const RESERVED_BYTES: u64 = 64 << 10;

/// Returns the size of the words that every PE keeps for each PE, in bytes: [`RESERVED_BYTES`], or as many times as
/// much as there must be for an arrival word and the mail of each PE.
pub const fn words_bytes(n_pes: u32) -> u64 {
    let words = (size_of::<u64>() as u64 + mail::BYTES) * n_pes as u64;
    match words.next_multiple_of(RESERVED_BYTES) {
        0 => RESERVED_BYTES,
        bytes => bytes,
    }
}

/// Maximum number of remote paths of a world.
pub const MAX_PATHS: usize = 3;

/// Number of PEs in a word of [`WorldState::path_table`].
const PES_PER_WORD: u32 = 32;

/// The constants of a world for one PE. Set once for each launch.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct WorldState {
    /// Address at which the heap of PE 0 is mapped in this PE's address space.
    pub heap: u64,
    /// Bytes from the heap of one PE to that of the next.
    pub stride: u64,
    /// Bytes of each heap that are mapped, at the time of the launch.
    pub heap_bytes: u64,
    /// Address at which this PE's own heap is mapped.
    pub own: u64,
    /// 0, or the address of a table of `n_pes` heap addresses, where heaps can't lie at a fixed stride (legacy IPC).
    pub bases: u64,
    /// The [`LocalState`] of this PE.
    pub local: u64,
    /// The device's address of the first [`StopWord`], which the host writes.
    pub notice: u64,
    /// The device's address of the [`FaultSlot`] that the device writes.
    pub fault: u64,
    /// The limit of every wait in nanoseconds; 0 for no limit.
    pub wait_limit_ns: u64,
    /// This PE.
    pub my_pe: u32,
    /// Number of PEs of the world.
    pub n_pes: u32,
    /// The remote paths. In the state that a kernel gets, these are the module's paths in the module's order.
    pub paths: [PathSlot; MAX_PATHS],
    /// The numbers of the paths of PEs 0 to 31, 2 bits each: 0 is load/store.
    pub path_bits: u64,
    /// 0 if every PE is reached by loads and stores; else the address of the path numbers of all PEs, 32 PEs in a word.
    pub path_table: u64,
    /// The number that each of `paths` has in `path_bits` and `path_table`, 2 bits each; 0 if no PE is on it.
    pub path_numbers: u16,
    /// In the state that a kernel gets: 1 if every PE is reached by loads and stores, and every heap lies at the stride.
    /// One comparison then tells that a peer's address is arithmetic on constants.
    pub uniform: u16,
    /// Number of default rows of queues, the same on each path.
    pub default_rows: u32,
    /// The rule by which a thread chooses its default row: [`WorldState::BY_CTA`], [`WorldState::BY_SM`] or
    /// [`WorldState::BY_WARP`].
    pub map_by: u32,
    /// The library's part at the start of every heap, in units of [`RESERVED_BYTES`].
    pub reserved: u32,
}
const_assert_eq!(size_of::<WorldState>(), 160);

/// The state that one remote path keeps for its queues, in memory of the PE's device. A path without queues has zeros.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct PathSlot {
    /// The address of its queues: number `row * n_pes + pe` leads to `pe`.
    pub queues: u64,
    /// The address of the state that the queues share.
    pub shared: u64,
}
const_assert_eq!(size_of::<PathSlot>(), 16);

impl WorldState {
    /// [`map_by`](Self::map_by): threads of a block use one default queue.
    pub const BY_CTA: u32 = 0;
    /// [`map_by`](Self::map_by): threads of a multiprocessor use one default queue.
    pub const BY_SM: u32 = 1;
    /// [`map_by`](Self::map_by): threads of a warp use one default queue.
    pub const BY_WARP: u32 = 2;

    /// Sets remote path `number` (1 to [`MAX_PATHS`]). A transport without queues leaves the state as it is.
    #[cfg(feature = "host")]
    pub fn set_path(&mut self, number: usize, view: &PathView) {
        if view.queues == 0 {
            return;
        }
        self.paths[number - 1] = PathSlot { queues: view.queues, shared: view.shared };
        self.path_numbers |= (number as u16) << (2 * (number - 1));
    }

    /// Returns the state for a module. `numbers` has the world's number of each of the module's remote paths, in the
    /// module's order; 0 stands for a path that the world does not use.
    #[cfg(feature = "host")]
    #[must_use]
    pub fn arranged(&self, numbers: [usize; MAX_PATHS]) -> Self {
        let uniform = u16::from(!self.has_remote() && self.bases == 0);
        let mut arranged = Self { paths: Default::default(), path_numbers: 0, uniform, ..*self };
        for (at, number) in numbers.into_iter().enumerate().filter(|(_, number)| *number != 0) {
            arranged.paths[at] = self.paths[number - 1];
            arranged.path_numbers |= (self.path_numbers >> (2 * (number - 1)) & 3) << (2 * at);
        }
        arranged
    }

    /// Returns the words of [`path_table`](Self::path_table) for the path number of each PE.
    #[cfg(feature = "host")]
    pub fn path_words(numbers: impl IntoIterator<Item = usize>) -> Vec<u64> {
        let mut words = Vec::new();
        for (pe, number) in numbers.into_iter().enumerate() {
            if pe % PES_PER_WORD as usize == 0 {
                words.push(0);
            }
            words[pe / PES_PER_WORD as usize] |= (number as u64 & 3) << (2 * (pe % PES_PER_WORD as usize));
        }
        words
    }

    /// Returns the size in bytes of the library's part at the start of every heap.
    #[inline(always)]
    pub const fn reserved_bytes(&self) -> u64 {
        self.reserved as u64 * RESERVED_BYTES
    }

    /// Reports whether any path has queues.
    #[inline(always)]
    pub const fn has_queues(&self) -> bool {
        let [a, b, c] = self.paths;
        a.queues | b.queues | c.queues != 0
    }

    /// Reports whether the world has a remote PE.
    #[inline(always)]
    pub const fn has_remote(&self) -> bool {
        self.path_table != 0
    }

    /// Returns its bytes, for a copy in the device's memory.
    #[cfg(feature = "host")]
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: the struct is `repr(C)` without padding: 9 words of 8 bytes, 2 of 4, 8 of 8, 2 of 2 and 3 of 4 are its
        // 160 bytes, all initialised.
        unsafe { core::slice::from_raw_parts((&raw const *self).cast(), size_of::<Self>()) }
    }

    /// Reports whether `pe` is reached by loads and stores.
    #[inline(always)]
    pub fn is_load_store(&self, pe: Pe) -> bool {
        !self.has_remote() || self.path_of(pe) == 0
    }

    /// Reports whether `pe`, a remote PE, is reached by the path at index `at` of [`paths`](Self::paths).
    #[inline(always)]
    pub fn is_on_path(&self, pe: Pe, at: usize) -> bool {
        self.path_of(pe) == u32::from(self.path_numbers >> (2 * at) & 3)
    }

    /// Returns the number of the path to `pe`.
    #[inline(always)]
    pub fn path_of(&self, pe: Pe) -> u32 {
        let word = if self.n_pes <= PES_PER_WORD {
            self.path_bits
        } else {
            // SAFETY: `path_table` is 0 or the address of a mapped table with 2 bits for each PE, set once; `pe`
            // exists, which the callers check.
            unsafe { ptx::word_or(0, self.path_table as *const u64, pe.number() / PES_PER_WORD) }
        };
        (word >> (2 * (pe.number() % PES_PER_WORD))) as u32 & 3
    }

    /// Returns the address, in this PE's address space, of `at` in the heap of `pe`.
    #[inline(always)]
    pub fn address(&self, pe: Pe, at: SymAddr) -> *mut u8 {
        let computed = self.heap + self.stride * pe.number() as u64;
        // SAFETY: `bases` is 0 or the address of a mapped table of `n_pes` addresses, set once; `pe` exists, which
        // the callers check.
        let base = unsafe { ptx::word_or(computed, self.bases as *const u64, pe.number()) };
        base.wrapping_add(at.offset()) as *mut u8
    }

    /// Returns the address of `at` in this PE's own heap. Of an offset that a check has refused it is any address.
    #[inline(always)]
    pub fn own_address(&self, at: SymAddr) -> *mut u8 {
        self.own.wrapping_add(at.offset()) as *mut u8
    }

    /// Reports whether an address is in the window of this PE's own heap, in which nothing else lies.
    #[inline(always)]
    pub fn is_own(&self, address: u64) -> bool {
        // A heap without a window of a fixed size does not grow.
        address.wrapping_sub(self.own) < if self.bases == 0 { self.stride } else { self.heap_bytes }
    }

    /// Returns the address of the word in the heap of `at` by which `from` announces its arrival at a barrier.
    #[inline(always)]
    pub fn arrival(&self, at: Pe, from: Pe) -> *mut u64 {
        self.address(at, SymAddr::new(8 * from.number() as u64)).cast()
    }
}

/// Words that only this PE's device accesses.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct LocalState {
    /// 0; 1 once a thread has claimed the fault slot.
    pub fault_claimed: u32,
    /// Arrivals at grid barriers. Those of one barrier add up to 2^31, so that the last one turns the highest bit.
    pub grid_arrived: u32,
    /// Number of barriers on streams that have ended, wrapping. A stream waits for this count before its barrier if the
    /// previous barrier was on another stream.
    pub stream_barriers: u32,
    /// Number of barriers over all PEs that this PE has passed.
    pub barriers: u64,
    /// Number of calls that look for any of several words. Each begins at another word.
    pub any_calls: u64,
}
const_assert_eq!(size_of::<LocalState>(), 64);

/// The sizes and offsets of the layout that [`abi`](crate::state::abi) hashes, in a fixed order.
pub(crate) const LAYOUT: [usize; 47] = [
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
    offset_of!(WorldState, paths),
    offset_of!(WorldState, path_bits),
    offset_of!(WorldState, path_table),
    offset_of!(WorldState, path_numbers),
    offset_of!(WorldState, uniform),
    size_of::<PathSlot>(),
    offset_of!(PathSlot, queues),
    offset_of!(PathSlot, shared),
    offset_of!(WorldState, default_rows),
    offset_of!(WorldState, map_by),
    offset_of!(WorldState, reserved),
    size_of::<team::TeamParts>(),
    offset_of!(team::TeamParts, members),
    offset_of!(team::TeamParts, area),
    offset_of!(team::TeamParts, n_pes),
    offset_of!(team::TeamParts, me),
    offset_of!(team::TeamParts, first),
    offset_of!(team::TeamParts, stride),
    offset_of!(team::TeamParts, slots),
    offset_of!(team::TeamParts, payload),
    offset_of!(team::TeamParts, flags),
    size_of::<LocalState>(),
    offset_of!(LocalState, fault_claimed),
    offset_of!(LocalState, grid_arrived),
    offset_of!(LocalState, stream_barriers),
    offset_of!(LocalState, barriers),
    offset_of!(LocalState, any_calls),
    size_of::<StopWord>(),
    offset_of!(StopWord, stop),
    size_of::<FaultSlot>(),
    offset_of!(FaultSlot, state),
    offset_of!(FaultSlot, words),
    size_of::<FaultThread>(),
    size_of::<Fault>(),
    RESERVED_BYTES as usize,
];

#[cfg(test)]
mod tests {
    use super::*;
    use oxshmem_core::FaultStep;

    #[test]
    fn there_is_an_arrival_word_and_mail_of_each_pe_of_any_world() {
        for n_pes in [0, 1, 910, 911, 4096, 10_000, 32_767] {
            let bytes = words_bytes(n_pes);
            let state = WorldState { heap: 1 << 40, n_pes, ..WorldState::default() };
            let last = Pe::new(n_pes.saturating_sub(1));
            let arrival = state.arrival(Pe::new(0), last) as u64 - state.heap;
            let (first_mail, last_mail) = (mail::place(n_pes, Pe::new(0), 0), mail::place(n_pes, last, 1));
            assert!(n_pes == 0 || arrival + 8 <= first_mail.offset());
            assert!(last_mail.offset() + 32 <= bytes && bytes.is_multiple_of(RESERVED_BYTES), "{n_pes}");
        }
        assert_eq!([910, 911].map(words_bytes), [RESERVED_BYTES, 2 * RESERVED_BYTES]);
    }

    #[test]
    fn a_fault_survives_the_slot() {
        for raw in 0..=FaultStep::NotLoadStore as u32 {
            let Some(step) = FaultStep::from_raw(raw) else { continue };
            let fault = Fault { step, pe: u32::MAX, qp: -5, detail: 3, at: u64::MAX, asked: 7, seen: 1 << 40 };
            let by = FaultThread { block: [0x7fff_fffe, 65_534, 65_533], thread: [1023, 1022, 63], launch: 1 << 37 };
            let words = FaultSlot::encode(&fault, by);
            assert_eq!((FaultSlot::decode(words), FaultThread::decode(words)), (Some(fault), by));
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
    fn kernels_learn_that_all_heaps_lie_at_the_stride_unless_a_pe_is_remote_or_has_its_heap_elsewhere() {
        let plain = WorldState { n_pes: 2, ..WorldState::default() };
        let uniform = |state: WorldState| state.arranged([0; MAX_PATHS]).uniform;
        assert_eq!(uniform(plain), 1);
        assert_eq!(uniform(WorldState { bases: 8, ..plain }), 0);
        assert_eq!(uniform(WorldState { path_table: 8, ..plain }), 0);
    }

    #[test]
    fn a_pe_is_on_one_of_three_paths_in_small_worlds_and_in_large_ones() {
        for n_pes in [32, 101] {
            let number = |pe: u32| match pe {
                3 | 31 | 65 => 1,
                5 | 18 | 100 => 2,
                _ => 0,
            };
            let table = WorldState::path_words((0..n_pes).map(number));
            let mut state = WorldState { n_pes, ..WorldState::default() };
            assert!(state.is_load_store(Pe::new(3)) && !state.has_queues() && !state.has_remote());
            (state.path_bits, state.path_table) = (table[0], table.as_ptr() as u64);
            let view = |queues| PathView { queues, shared: queues + 1 };
            state.set_path(1, &view(8));
            state.set_path(2, &view(16));
            state.set_path(3, &PathView::default());
            assert_eq!((state.paths[2], state.path_numbers), (PathSlot::default(), 1 | 2 << 2));
            // A module with these paths in another order, and between them a path that the world does not use.
            let other = state.arranged([2, 0, 1]);
            assert_eq!(other.paths, [state.paths[1], PathSlot::default(), state.paths[0]]);
            for pe in 0..n_pes {
                let at = Pe::new(pe);
                let seen = |state: &WorldState| [0, 1, 2].map(|path| state.is_on_path(at, path));
                let number = number(pe);
                assert_eq!((state.path_of(at) as usize, state.is_load_store(at)), (number, number == 0), "PE {pe}");
                if number != 0 {
                    assert_eq!(seen(&state), [number == 1, number == 2, false], "PE {pe} of {n_pes}");
                    assert_eq!(seen(&other), [number == 2, false, number == 1], "PE {pe} of {n_pes}");
                }
            }
        }
    }
}

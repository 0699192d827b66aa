//! The structs that host and engine share.

use oxshmem_device::KernelArg;
use oxshmem_raw::gpu::ptx;

/// A queue, by the addresses of its parts, in the memory of the engine's GPU or in pinned host memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Row {
    /// The send queue: `depth` basic blocks of 64 bytes.
    pub sq: u64,
    /// Basic blocks, a power of two.
    pub depth: u64,
    /// The first entry of the completion queue.
    pub cqe: u64,
    /// Entries of the completion queue, a power of two; 1 if it is collapsed.
    pub cqes: u64,
    /// The doorbell register of 8 bytes.
    pub doorbell: u64,
    /// Both words of the doorbell record.
    pub record: u64,
    /// Longest message, in bytes.
    pub most: u64,
    /// Bits of [`flags`].
    pub flags: u32,
    /// Number of the queue pair.
    pub qpn: u32,
    /// The queue pair's number in its completions.
    pub user_index: u32,
    /// Its NIC; the upper part of a local key's name.
    pub nic: u32,
    /// The peer's NIC; the upper part of a remote key's name.
    pub peer: u32,
    /// Its protection domain.
    pub pd: u32,
    /// The protection domain of the peer's queue pair.
    pub peer_pd: u32,
    /// Padding.
    pub unused: [u32; 11],
}
const _: () = assert!(size_of::<Row>() == 128);

/// A row in memory. Its fields are loaded on each use, since registers are few and the row is in L1. Rows do not change
/// during a slice.
#[derive(Clone, Copy)]
pub(crate) struct RowAt(*const Row);

macro_rules! fields {
    ($($name:ident: $load:ident -> $t:ty;)*) => {
        impl RowAt {
            /// Refers to a row.
            ///
            /// # Safety
            ///
            /// - **live**: the row exists as long as the value is used.
            #[inline(always)]
            pub(crate) unsafe fn new(row: *const Row) -> Self {
                Self(row)
            }
            $(
                #[inline(always)]
                pub(crate) fn $name(self) -> $t {
                    // SAFETY: **live**: as promised to `new`.
                    unsafe { ptx::$load(&raw const (*self.0).$name) }
                }
            )*
        }
    };
}
fields! {
    sq: ld_weak_u64 -> u64;
    depth: ld_weak_u64 -> u64;
    cqe: ld_weak_u64 -> u64;
    cqes: ld_weak_u64 -> u64;
    doorbell: ld_weak_u64 -> u64;
    record: ld_weak_u64 -> u64;
    most: ld_weak_u64 -> u64;
    flags: ld_weak_u32 -> u32;
    qpn: ld_weak_u32 -> u32;
    user_index: ld_weak_u32 -> u32;
    nic: ld_weak_u32 -> u32;
    peer: ld_weak_u32 -> u32;
    pd: ld_weak_u32 -> u32;
    peer_pd: ld_weak_u32 -> u32;
}

/// Bits of [`Row::flags`].
pub mod flags {
    /// The queue exists.
    pub const LIVE: u32 = 1;
    /// The completion queue is collapsed.
    pub const COLLAPSED: u32 = 2;
    /// The doorbell record announces posts, because the register is shared with other queues.
    pub const BY_RECORD: u32 = 4;
    /// The peer's queue pair responds.
    pub const READY: u32 = 8;
    /// The peer's queue pair permits writes.
    pub const WRITE: u32 = 16;
    /// The peer's queue pair permits reads.
    pub const READ: u32 = 32;
    /// The peer's queue pair permits atomics.
    pub const ATOMIC: u32 = 64;
}

/// The progress of a queue, kept between slices. The kernel owns it while a slice runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct State {
    /// [`status`]; with [`status::FAILS`] the bits from 8 on are the syndrome.
    pub status: u64,
    /// Index of the first basic block of the next entry. Indices count basic blocks, and never wrap.
    pub next: u64,
    /// Index after the last posted basic block, as far as is known.
    pub limit: u64,
    /// The doorbell word or record that announced it.
    pub seen: u64,
    /// Index after the last basic block whose completion the program has seen.
    pub visible: u64,
    /// Completions written.
    pub produced: u64,
    /// Basic blocks since the last entry that requests a completion.
    pub unsignalled: u64,
    /// Bytes of the next entry that are already moved.
    pub moved: u64,
    /// Number of executed entries.
    pub entries: u64,
    /// Padding.
    pub unused: [u64; 7],
}
const _: () = assert!(size_of::<State>() == 128);

/// Values of [`State::status`].
pub mod status {
    /// The queue is executed.
    pub const RUNS: u64 = 0;
    /// The queue waits for the host.
    pub const PARKED: u64 = 1;
    /// The next entry fails; the syndrome is in the bits from 8 on.
    pub const FAILS: u64 = 2;
    /// The queue has failed, and executes nothing more.
    pub const STOPPED: u64 = 3;

    /// Returns [`FAILS`] with this syndrome.
    pub const fn fails(syndrome: u8) -> u64 {
        FAILS | (syndrome as u64) << 8
    }
}

/// A memory key: the memory that it names, and the permitted access. A slot without an `id` is empty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct KeySlot {
    /// NIC and key: [`KeySlot::id`].
    pub id: u64,
    /// First byte, in the engine's address space.
    pub base: u64,
    /// First byte, in the owner's numbering.
    pub iova: u64,
    /// Its length.
    pub bytes: u64,
    /// Its protection domain.
    pub pd: u32,
    /// Access bits, as registered (`ibv_access_flags`).
    pub access: u32,
    /// Padding.
    pub unused: [u64; 3],
}
const _: () = assert!(size_of::<KeySlot>() == 64);

impl KeySlot {
    /// Returns the table's name of a NIC's key.
    #[inline(always)]
    pub const fn id(nic: u32, key: u32) -> u64 {
        (nic as u64) << 32 | key as u64
    }

    /// Returns the slot, in a table of `mask + 1` slots, at which the search for `id` begins.
    #[inline(always)]
    pub const fn start(id: u64, mask: u64) -> u64 {
        (id.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) & mask
    }
}

/// The engine's report on a queue, written after each time it was served.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Report {
    /// [`status`].
    pub status: u64,
    /// The reason why the queue is parked or stopped: [`reason`].
    pub reason: u64,
    /// Index of the next entry.
    pub next: u64,
    /// Index after the last known entry.
    pub limit: u64,
    /// The key in question, or the value that was found.
    pub key: u64,
    /// The address in question.
    pub at: u64,
    /// Number of bytes in question.
    pub bytes: u64,
    /// Number of executed entries.
    pub entries: u64,
}
const _: () = assert!(size_of::<Report>() == 64);

impl Report {
    /// Reads a report by `word`, which loads one of its words by number.
    pub fn load(word: impl Fn(usize) -> u64) -> Self {
        let [status, reason, next, limit, key, at, bytes, entries] = core::array::from_fn(word);
        Self { status, reason, next, limit, key, at, bytes, entries }
    }
}

/// The reason why a queue is parked or stopped: [`Report::reason`].
pub mod reason {
    /// The host requested it.
    pub const TOLD: u64 = 0;
    /// The key table does not permit reading local memory.
    pub const LOCAL_READ: u64 = 1;
    /// The key table does not permit writing local memory.
    pub const LOCAL_WRITE: u64 = 2;
    /// The key table does not permit writing the peer's memory.
    pub const REMOTE_WRITE: u64 = 3;
    /// The key table does not permit reading the peer's memory.
    pub const REMOTE_READ: u64 = 4;
    /// The key table does not permit atomics on the peer's memory.
    pub const REMOTE_ATOMIC: u64 = 5;
    /// The opcode or opmod is unknown. This and the following values are broken rules.
    pub const OPCODE: u64 = 16;
    /// The entry's size does not fit its segments.
    pub const SEGMENT_COUNT: u64 = 17;
    /// The entry carries another index.
    pub const WQE_INDEX: u64 = 18;
    /// The entry is of another queue pair.
    pub const WQE_QPN: u64 = 19;
    /// Reserved bits are set.
    pub const RESERVED_BITS: u64 = 20;
    /// The fence mode does not exist.
    pub const FENCE_MODE: u64 = 21;
    /// Inline data does not fit, or appears where an address is required.
    pub const INLINE_LENGTH: u64 = 22;
    /// The message is too long.
    pub const MESSAGE_LENGTH: u64 = 23;
    /// The place for an atomic's result has a wrong length.
    pub const RESULT_LENGTH: u64 = 24;
    /// The producer index went backward.
    pub const INDEX_BACKWARD: u64 = 25;
    /// More is posted than the queue has room for.
    pub const OVERRUN: u64 = 26;
    /// The entry extends beyond the posted basic blocks.
    pub const BEYOND_PRODUCER: u64 = 27;
    /// The doorbell record is older than the doorbell.
    pub const RECORD_FIRST: u64 = 28;
    /// The doorbell names another queue pair.
    pub const DOORBELL_QPN: u64 = 29;
    /// An entry of several basic blocks requests a completion in a collapsed queue.
    pub const MULTI_BLOCK_SIGNALLED: u64 = 30;
    /// No entry requests a completion within half the queue's depth.
    pub const SIGNAL_TOO_RARE: u64 = 31;
    /// The peer has no receive queue for an immediate value. Not a broken rule.
    pub const IMMEDIATE: u64 = 48;
}

/// The launch argument of a slice.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct ResidentJob {
    /// `queues` of [`Row`].
    pub rows: u64,
    /// `queues` of [`State`].
    pub states: u64,
    /// `queues` of [`Report`], which the host reads.
    pub reports: u64,
    /// `mask + 1` of [`KeySlot`].
    pub keys: u64,
    /// Slots of the key table, minus one: all ones in binary.
    pub mask: u64,
    /// Two words that the host also accesses. The first, if not 0, ends the slice. The second, if not 0, requests the
    /// host for a queue, and ends the slice too.
    pub words: u64,
    /// A word of the engine's own: the time of the last work.
    pub busy: u64,
    /// A slice without work ends after this time.
    pub idle_ns: u64,
    /// Any slice ends after this time.
    pub limit_ns: u64,
    /// Number of rows.
    pub queues: u64,
}

// SAFETY: **plain**: addresses and numbers, `repr(C)`, without gaps.
unsafe impl KernelArg for ResidentJob {
    const NAME: (&'static str, &'static str) = ("nic::ResidentJob", "");
}
const _: () = assert!(size_of::<ResidentJob>() == 80);

impl ResidentJob {
    /// Returns the word that ends the slice.
    #[inline(always)]
    pub(crate) fn pause(&self) -> *const u64 {
        self.words as *const u64
    }

    /// Returns the word that requests the host's attention.
    #[inline(always)]
    pub(crate) fn attention(&self) -> *mut u64 {
        (self.words as *mut u64).wrapping_add(1)
    }

    #[inline(always)]
    pub(crate) fn row(&self, queue: u64) -> *const Row {
        (self.rows as *const Row).wrapping_add(queue as usize)
    }

    #[inline(always)]
    pub(crate) fn state(&self, queue: u64) -> *mut State {
        (self.states as *mut State).wrapping_add(queue as usize)
    }

    #[inline(always)]
    pub(crate) fn report(&self, queue: u64) -> *mut Report {
        (self.reports as *mut Report).wrapping_add(queue as usize)
    }
}

//! What the host tells the engine, and what the engine tells the host.

use oxshmem_device::KernelArg;
use oxshmem_raw::gpu::ptx;

/// A queue, by the addresses of its parts: memory of the engine's GPU, or pinned memory of the host.
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
    /// Bytes of a message at most.
    pub most: u64,
    /// [`flags`].
    pub flags: u32,
    /// Number of the queue pair.
    pub qpn: u32,
    /// What its completions call it.
    pub user_index: u32,
    /// Its NIC, in front of an lkey.
    pub nic: u32,
    /// The peer's NIC, in front of an rkey.
    pub peer: u32,
    /// Its protection domain.
    pub pd: u32,
    /// The protection domain of the peer's queue pair.
    pub peer_pd: u32,
    /// Nothing.
    pub unused: [u32; 11],
}
const _: () = assert!(size_of::<Row>() == 128);

/// A row where it is: what is needed of it is loaded, and loaded again, since registers are few and it lies in L1.
/// Nobody changes a row while a slice runs.
#[derive(Clone, Copy)]
pub(crate) struct RowAt(*const Row);

macro_rules! fields {
    ($($name:ident: $load:ident -> $t:ty;)*) => {
        impl RowAt {
            /// # Safety
            ///
            /// - **live**: there is such a row for as long as this is used.
            #[inline(always)]
            pub(crate) unsafe fn new(row: *const Row) -> Self {
                Self(row)
            }
            $(
                #[inline(always)]
                pub(crate) fn $name(self) -> $t {
                    // SAFETY: **live**, by who made this.
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
    /// There is such a queue.
    pub const LIVE: u32 = 1;
    /// The completion queue is collapsed.
    pub const COLLAPSED: u32 = 2;
    /// The doorbell record says what is posted: the register is not this queue's alone.
    pub const BY_RECORD: u32 = 4;
    /// The peer's queue pair answers.
    pub const READY: u32 = 8;
    /// The peer's queue pair may be written through.
    pub const WRITE: u32 = 16;
    /// The peer's queue pair may be read through.
    pub const READ: u32 = 32;
    /// The peer's queue pair takes atomics.
    pub const ATOMIC: u32 = 64;
}

/// Where a queue is, from slice to slice. The kernel's, while one runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct State {
    /// [`status`]; of [`status::FAILS`] the bits above 8 are the syndrome.
    pub status: u64,
    /// Index of the first block of the next entry. Indices count blocks, and never wrap.
    pub next: u64,
    /// Index behind what is posted, as far as is known.
    pub limit: u64,
    /// The word by which that became known.
    pub seen: u64,
    /// Index behind what the program knows to be complete.
    pub visible: u64,
    /// Completions written.
    pub produced: u64,
    /// Blocks since the last entry that asks for a completion.
    pub unsignalled: u64,
    /// Bytes of the next entry that were moved already.
    pub moved: u64,
    /// Entries executed in all.
    pub entries: u64,
    /// Nothing.
    pub unused: [u64; 7],
}
const _: () = assert!(size_of::<State>() == 128);

/// What becomes of a queue: [`State::status`].
pub mod status {
    /// It is executed.
    pub const RUNS: u64 = 0;
    /// It waits for the host.
    pub const PARKED: u64 = 1;
    /// Its next entry fails; the syndrome is in the bits above 8.
    pub const FAILS: u64 = 2;
    /// It failed, and nothing more is executed.
    pub const STOPPED: u64 = 3;

    /// [`FAILS`] with this syndrome.
    pub const fn fails(syndrome: u8) -> u64 {
        FAILS | (syndrome as u64) << 8
    }
}

/// A memory key: what it names, and who may do what with it. Slots without an `id` are empty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct KeySlot {
    /// NIC and key: [`KeySlot::id`].
    pub id: u64,
    /// Where it is in the engine's address space.
    pub base: u64,
    /// What its owner calls the first byte.
    pub iova: u64,
    /// Its length.
    pub bytes: u64,
    /// Its protection domain.
    pub pd: u32,
    /// Access bits, as registered (`ibv_access_flags`).
    pub access: u32,
    /// Nothing.
    pub unused: [u64; 3],
}
const _: () = assert!(size_of::<KeySlot>() == 64);

impl KeySlot {
    /// The name of a NIC's key.
    #[inline(always)]
    pub const fn id(nic: u32, key: u32) -> u64 {
        (nic as u64) << 32 | key as u64
    }

    /// The slot of a table with `mask + 1` of them at which the search for `id` begins.
    #[inline(always)]
    pub const fn start(id: u64, mask: u64) -> u64 {
        (id.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) & mask
    }
}

/// What the engine tells of a queue whenever it has served it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Report {
    /// [`status`].
    pub status: u64,
    /// Why, where it is parked or stopped: [`reason`].
    pub reason: u64,
    /// The index at which it is.
    pub next: u64,
    /// Up to where it knows of entries.
    pub limit: u64,
    /// The key in question, or what was found instead of what should be there.
    pub key: u64,
    /// The address in question.
    pub at: u64,
    /// How many bytes there.
    pub bytes: u64,
    /// Entries executed in all.
    pub entries: u64,
}
const _: () = assert!(size_of::<Report>() == 64);

impl Report {
    /// Out of its words, which `word` loads by their number.
    pub fn load(word: impl Fn(usize) -> u64) -> Self {
        let [status, reason, next, limit, key, at, bytes, entries] = core::array::from_fn(word);
        Self { status, reason, next, limit, key, at, bytes, entries }
    }
}

/// Why a queue is parked or stopped: [`Report::reason`].
pub mod reason {
    /// The host said so.
    pub const TOLD: u64 = 0;
    /// Local memory can't be read, as far as the table goes.
    pub const LOCAL_READ: u64 = 1;
    /// Local memory can't be written.
    pub const LOCAL_WRITE: u64 = 2;
    /// The peer's memory can't be written.
    pub const REMOTE_WRITE: u64 = 3;
    /// The peer's memory can't be read.
    pub const REMOTE_READ: u64 = 4;
    /// The peer's memory takes no atomics.
    pub const REMOTE_ATOMIC: u64 = 5;
    /// From here on it is a rule that was broken. The opcode or opmod is not known.
    pub const OPCODE: u64 = 16;
    /// The entry's size is not the one that its segments need.
    pub const SEGMENT_COUNT: u64 = 17;
    /// The entry carries another index.
    pub const WQE_INDEX: u64 = 18;
    /// The entry is of another queue pair.
    pub const WQE_QPN: u64 = 19;
    /// Reserved bits are set.
    pub const RESERVED_BITS: u64 = 20;
    /// There is no such fence mode.
    pub const FENCE_MODE: u64 = 21;
    /// Inline data does not fit, or stands where a place is needed.
    pub const INLINE_LENGTH: u64 = 22;
    /// The message is too long.
    pub const MESSAGE_LENGTH: u64 = 23;
    /// The place for an atomic's result has another length.
    pub const RESULT_LENGTH: u64 = 24;
    /// The producer index went back.
    pub const INDEX_BACKWARD: u64 = 25;
    /// More is posted than fits.
    pub const OVERRUN: u64 = 26;
    /// The entry reaches beyond what is posted.
    pub const BEYOND_PRODUCER: u64 = 27;
    /// The doorbell record is behind the doorbell.
    pub const RECORD_FIRST: u64 = 28;
    /// The doorbell names another queue pair.
    pub const DOORBELL_QPN: u64 = 29;
    /// An entry of several blocks asks for a completion in a collapsed queue.
    pub const MULTI_BLOCK_SIGNALLED: u64 = 30;
    /// Nothing asks for a completion in half the queue's depth.
    pub const SIGNAL_TOO_RARE: u64 = 31;
    /// Not a rule: the peer has no receive queue for an immediate value.
    pub const IMMEDIATE: u64 = 48;
}

/// What a slice is launched with.
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
    /// Slots of the table of keys, less one: all ones in binary.
    pub mask: u64,
    /// Two words that the host reaches: not 0 when the slice is to end; not 0 when a queue
    /// needs the host, which ends the slice as well.
    pub words: u64,
    /// A word of the engine's own: when there was last something to do.
    pub busy: u64,
    /// A slice without anything to do ends after so long.
    pub idle_ns: u64,
    /// Any slice ends after so long.
    pub limit_ns: u64,
    /// Rows that are looked at.
    pub queues: u64,
}

// SAFETY: **plain**: addresses and numbers, `repr(C)`, without gaps.
unsafe impl KernelArg for ResidentJob {
    const NAME: (&'static str, &'static str) = ("nic::ResidentJob", "");
}
const _: () = assert!(size_of::<ResidentJob>() == 80);

impl ResidentJob {
    /// The word that ends the slice.
    #[inline(always)]
    pub(crate) fn pause(&self) -> *const u64 {
        self.words as *const u64
    }

    /// The word that calls the host.
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

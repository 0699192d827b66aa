//! Copies through shared memory that the kernel lends, driven by one thread.

use oxshmem_core::{Group, Scope};
use oxshmem_raw::gpu::ptx;

/// Shared memory of the block that a group may use for as long as one of its calls runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lent {
    /// Where it begins, aligned to 128 bytes.
    at: u32,
    /// Its size; 0 for none.
    bytes: u32,
}

/// Pieces of the lent memory that are on their way at the same time.
const STAGES: u32 = 8;

/// Of these so many are being loaded; the others are being stored.
const AHEAD: u32 = 5;

/// Bytes at the start that hold a barrier for each stage.
const BARRIERS: u32 = 128;

/// The most that one stage takes: what is more does not make it faster.
const MOST_STAGE: u32 = 16 << 10;

/// What is less is slower than without.
const LEAST_STAGE: u32 = 512;

impl Lent {
    /// Nothing is lent.
    pub const NONE: Self = Self { at: 0, bytes: 0 };

    /// Bytes `from` to `from + bytes` of the block's dynamic shared memory, as far as they exist.
    #[inline(always)]
    pub fn dynamic(from: u32, bytes: u32) -> Self {
        let (base, size) = (ptx::dynamic_shared(), ptx::dynamic_shared_bytes());
        if !ptx::HAS_BULK || from >= size {
            return Self::NONE;
        }
        let bytes = if bytes < size - from { bytes } else { size - from };
        let skip = (base + from).wrapping_neg() & 127;
        Self { at: base + from + skip, bytes: bytes.saturating_sub(skip) }
    }

    /// Bytes of a stage; 0 if too little is lent to be of use.
    #[inline(always)]
    fn stage(self) -> u32 {
        if !ptx::HAS_BULK || self.bytes < BARRIERS + STAGES * LEAST_STAGE {
            return 0;
        }
        let each = ((self.bytes - BARRIERS) / STAGES) & !127;
        if each < MOST_STAGE { each } else { MOST_STAGE }
    }

    /// Whether `bytes` between aligned ends are better copied through this memory than by the threads of `group`.
    #[inline(always)]
    pub(super) fn serves<G: Group>(self, group: G, bytes: usize) -> bool {
        let from = match G::SCOPE {
            // A thread has 128 bytes in flight, a warp 4 KiB.
            Scope::Thread => 1 << 10,
            Scope::Warp => 16 << 10,
            // Half a block's worth of threads or more does it all by itself.
            Scope::Block if group.size() < 512 => 64 << 10,
            Scope::Block => usize::MAX,
        };
        self.bytes != 0 && bytes >= from && self.stage() != 0
    }
}

/// Copies `bytes`, a multiple of 16, between ends that are aligned to 16. The group meets at the start; behind it the
/// copy is complete for its leader, who has done it.
///
/// # Safety
/// As [`copy`](super::copy); `lent` [serves](Lent::serves), and nobody else uses it meanwhile.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) unsafe fn copy<G: Group>(group: G, to: *mut u8, from: *const u8, bytes: usize, lent: Lent) {
    // What each thread wrote before, and acquired from others, is there for the copy engine.
    ptx::fence_proxy_async();
    group.sync();
    if !group.leads() {
        return;
    }
    let each = lent.stage();
    let (bars, data) = (lent.at, lent.at + BARRIERS);
    let mut stage = 0;
    while stage < STAGES {
        // SAFETY: a barrier's own 8 bytes of the lent memory.
        unsafe { ptx::mbarrier_init(bars + 8 * stage) }
        stage += 1;
    }
    ptx::fence_proxy_async();

    let size_at = |at: usize| if bytes - at < each as usize { (bytes - at) as u32 } else { each };
    // The next load and the next store: where in the copy, and in which stage.
    let (mut load, mut loading) = (0, 0);
    let (mut store, mut storing, mut parity) = (0, 0, 0);
    let begin = |at: usize, stage: u32| {
        let (size, bar) = (size_at(at), bars + 8 * stage);
        // SAFETY: `size` bytes from `at` on are in the source, and the stage is in the lent memory and free.
        unsafe {
            ptx::mbarrier_expect(bar, size);
            ptx::bulk_load(data + each * stage, from.add(at), size, bar);
        }
    };
    while load < bytes && loading < AHEAD {
        begin(load, loading);
        load += each as usize;
        loading += 1;
    }
    while store < bytes {
        // The copy engine always gets there: nothing of another PE's doing is waited for.
        // SAFETY: the barrier of this stage.
        while !unsafe { ptx::mbarrier_try_wait(bars + 8 * storing, parity) } {}
        // SAFETY: the stage holds these bytes of the source, and so many from `store` on are in the destination.
        unsafe { ptx::bulk_store(to.add(store), data + each * storing, size_at(store)) }
        store += each as usize;
        storing += 1;
        if storing == STAGES {
            (storing, parity) = (0, parity ^ 1);
        }
        if load < bytes {
            // The stage that comes next was stored STAGES - AHEAD stores before the one just begun.
            ptx::bulk_wait_read::<{ STAGES - AHEAD }>();
            if loading == STAGES {
                loading = 0;
            }
            begin(load, loading);
            load += each as usize;
            loading += 1;
        }
    }
    ptx::bulk_wait_all();
    ptx::fence_proxy_async();
    let mut stage = 0;
    while stage < STAGES {
        // SAFETY: a barrier of this call; all its phases have ended.
        unsafe { ptx::mbarrier_inval(bars + 8 * stage) }
        stage += 1;
    }
}

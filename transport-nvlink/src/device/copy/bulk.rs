//! Copies by the SM's copy engine through shared memory that the kernel lends. One thread drives the engine.

use oxshmem_core::{Group, Scope};
use oxshmem_raw::gpu::ptx;

/// Shared memory of the block that a group may use while one of its calls runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lent {
    /// Its shared-memory address, aligned to 128 bytes.
    at: u32,
    /// Its size in bytes; 0 if nothing is lent.
    bytes: u32,
}

/// Number of stages, the pieces of the lent memory that are in flight at the same time.
const STAGES: u32 = 8;

/// Number of stages that are being loaded; the others are being stored.
const AHEAD: u32 = 5;

/// Bytes at the start of the lent memory that hold a barrier for each stage.
const BARRIERS: u32 = 128;

/// Maximum bytes of a stage. Larger stages are not faster.
const MOST_STAGE: u32 = 16 << 10;

/// Minimum bytes of a stage. With smaller stages the copy is slower than one by the group's threads.
const LEAST_STAGE: u32 = 512;

impl Lent {
    /// No memory.
    pub const NONE: Self = Self { at: 0, bytes: 0 };

    /// Lends bytes `from` to `from + bytes` of the block's dynamic shared memory, as far as they exist.
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

    /// Returns the bytes of a stage; 0 if too little memory is lent to be of use.
    #[inline(always)]
    fn stage(self) -> u32 {
        if !ptx::HAS_BULK || self.bytes < BARRIERS + STAGES * LEAST_STAGE {
            return 0;
        }
        let each = ((self.bytes - BARRIERS) / STAGES) & !127;
        if each < MOST_STAGE { each } else { MOST_STAGE }
    }

    /// Reports whether a copy of `bytes` bytes between aligned ends is faster through this memory than by the threads
    /// of `group`.
    #[inline(always)]
    pub(super) fn serves<G: Group>(self, group: G, bytes: usize) -> bool {
        let from = match G::SCOPE {
            // A thread has 128 bytes in flight, a warp 4 KiB.
            Scope::Thread => 1 << 10,
            Scope::Warp => 16 << 10,
            // 512 threads or more keep the link busy without the copy engine.
            Scope::Block if group.size() < 512 => 64 << 10,
            Scope::Block => usize::MAX,
        };
        self.bytes != 0 && bytes >= from && self.stage() != 0
    }
}

/// Copies `bytes` bytes, a multiple of 16, between ends aligned to 16. The group meets at the start, and its leader
/// drives the copy. When the function returns, the copy is complete for the leader alone.
///
/// # Safety
/// As [`copy`](super::copy), for `bytes` bytes.
///
/// - **aligned**: `to`, `from` and `bytes` are multiples of 16, in global memory.
/// - **lent**: `lent` [serves](Lent::serves) the copy, and no other code uses it during the call.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) unsafe fn copy<G: Group>(group: G, to: *mut u8, from: *const u8, bytes: usize, lent: Lent) {
    // Makes the data that each thread wrote before, or acquired from other threads, visible to the copy engine.
    ptx::fence_proxy_async();
    group.sync();
    if !group.leads() {
        return;
    }
    let each = lent.stage();
    let (bars, data) = (lent.at, lent.at + BARRIERS);
    let mut stage = 0;
    while stage < STAGES {
        // SAFETY: **lent**: the barrier of each stage has 8 bytes of its own in the first [`BARRIERS`] bytes.
        unsafe { ptx::mbarrier_init(bars + 8 * stage) }
        stage += 1;
    }
    ptx::fence_proxy_async();

    let size_at = |at: usize| if bytes - at < each as usize { (bytes - at) as u32 } else { each };
    // The next load and the next store: the offset in the copy, and the stage.
    let (mut load, mut loading) = (0, 0);
    let (mut store, mut storing, mut parity) = (0, 0, 0);
    let begin = |at: usize, stage: u32| {
        let (size, bar) = (size_at(at), bars + 8 * stage);
        // SAFETY: **readable**: the `size` bytes from `at` on are in the source. **lent**: the stage lies in the lent
        // memory, and its earlier store has read it.
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
        // This wait needs no limit: the copy engine always finishes, and depends on no other PE.
        // SAFETY: **lent**: the barrier of stage `storing`, initialised above.
        while !unsafe { ptx::mbarrier_try_wait(bars + 8 * storing, parity) } {}
        // SAFETY: **writable**: the bytes from `store` on are in the destination. **lent**: the stage holds the
        // source's bytes for them.
        unsafe { ptx::bulk_store(to.add(store), data + each * storing, size_at(store)) }
        store += each as usize;
        storing += 1;
        if storing == STAGES {
            (storing, parity) = (0, parity ^ 1);
        }
        if load < bytes {
            // The stage to load next was stored STAGES - AHEAD stores before the store just begun.
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
        // SAFETY: **lent**: a barrier that this call initialised; all its phases have ended.
        unsafe { ptx::mbarrier_inval(bars + 8 * stage) }
        stage += 1;
    }
}

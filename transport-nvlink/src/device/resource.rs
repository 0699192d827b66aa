//! Load/store as a queue.

use oxshmem_core::{AmoOp, AmoType, Completion, Fault, Group, QpResource, Remote, SignalOp, SymAddr, Width};
use oxshmem_raw::gpu::local::LocalAddr;
use oxshmem_raw::gpu::ptx;
use oxshmem_raw::state::WorldState;

use super::copy::{From, Lent, copy};
use super::{atomics, strided};

/// Bytes a thread up to which the threads of a nonblocking get meet.
const MEET_UP_TO: usize = 64;

/// A queue that is the memory system: an operation is issued by being executed, in program order of
/// the thread that executes it.
///
/// A put's source may be written again once its loads are done, which they are when its stores are issued; so a
/// blocking and a nonblocking put are the same here. The threads of a group end a nonblocking get each by itself.
#[derive(Clone, Copy, Debug)]
pub struct LoadStore<'a> {
    pub(super) state: &'a WorldState,
    lent: Lent,
}

impl<'a> LoadStore<'a> {
    /// The queue of a world.
    ///
    /// # Safety
    ///
    /// - **live**: `state` is that of a world; the heaps that it names, and its `LocalState`, stay mapped while the value is
    ///   used.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub const unsafe fn new(state: &'a WorldState) -> Self {
        Self { state, lent: Lent::NONE }
    }

    /// The same, whose copies may use the memory that is lent.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub const fn lent(self, lent: Lent) -> Self {
        Self { lent, ..self }
    }

    /// A peer's memory as a source. This PE's [`LocalState`](oxshmem_raw::state::LocalState) is near.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn peer(&self) -> From {
        From::Peer(self.state.local as *const u32)
    }

    /// Where `remote` is mapped.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn at(&self, remote: Remote) -> *mut u8 {
        self.state.address(remote.pe, remote.at)
    }
}

impl QpResource for LoadStore<'_> {
    type Local = LocalAddr;

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn put<G: Group>(&self, group: G, to: Remote, from: LocalAddr, bytes: usize, _: Completion) -> Result<(), Fault> {
        // SAFETY: **writable**: the range is in the heap of `to.pe`, which is mapped. **readable**: `LocalAddr` vouches.
        // **apart**: OpenSHMEM forbids overlap; a copy onto itself moves equal bytes. **alone**: who lends vouches.
        unsafe { copy(group, self.at(to), from.ptr(), bytes, From::Own, self.lent) }
        // A source that another thread of the group may overwrite after the call has been read by all.
        group.sync();
        Ok(())
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn get<G: Group>(
        &self,
        group: G,
        to: LocalAddr,
        from: Remote,
        bytes: usize,
        when: Completion,
    ) -> Result<(), Fault> {
        // SAFETY: **readable**: the range is in the heap of `from.pe`, which is mapped. **writable**: `LocalAddr` vouches.
        // **apart**: as for `put`.
        unsafe { copy(group, to.ptr(), self.at(from), bytes, self.peer(), self.lent) }
        // What any thread of the group fetched is there for all: now, or behind the group's quiet. In a large get the
        // threads that need not meet go on to the next while others wait for their last loads; in small ones they stay
        // together, since reads that stray over many of them are slower than the meeting.
        if when == Completion::Blocking || bytes <= group.size() as usize * MEET_UP_TO {
            group.sync();
        }
        Ok(())
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn iput<G: Group>(
        &self,
        group: G,
        to: Remote,
        from: LocalAddr,
        to_stride: usize,
        from_stride: usize,
        count: usize,
        width: Width,
    ) -> Result<(), Fault> {
        // SAFETY: as for `put`, element by element; the caller checked that words are aligned.
        unsafe {
            strided::copy_strided(group, self.at(to), from.ptr(), to_stride, from_stride, count, width, From::Own)
        }
        group.sync();
        Ok(())
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn iget<G: Group>(
        &self,
        group: G,
        to: LocalAddr,
        from: Remote,
        to_stride: usize,
        from_stride: usize,
        count: usize,
        width: Width,
    ) -> Result<(), Fault> {
        // SAFETY: as for `get`, element by element; the caller checked that words are aligned.
        unsafe {
            strided::copy_strided(group, to.ptr(), self.at(from), to_stride, from_stride, count, width, self.peer())
        }
        group.sync();
        Ok(())
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn p(&self, to: Remote, width: Width, bits: u64) -> Result<(), Fault> {
        // SAFETY: an aligned word in the heap of `to.pe`, which is mapped.
        unsafe { strided::store_peer(self.at(to), width, bits) }
        Ok(())
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn g(&self, from: Remote, width: Width) -> Result<u64, Fault> {
        // SAFETY: an aligned word in the heap of `from.pe`, which is mapped.
        Ok(unsafe { strided::load_peer(self.at(from), width) })
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn amo_fetch(&self, at: Remote, op: AmoOp, of: AmoType, operand: u64, compare: u64) -> Result<u64, Fault> {
        // SAFETY: an aligned word in the heap of `at.pe`, which is mapped.
        Ok(unsafe { atomics::fetch(self.at(at), op, of, operand, compare) })
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn amo(&self, at: Remote, op: AmoOp, of: AmoType, operand: u64) -> Result<(), Fault> {
        // SAFETY: an aligned word in the heap of `at.pe`, which is mapped.
        unsafe { atomics::post(self.at(at), op, of, operand) }
        Ok(())
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn signal(&self, at: Remote, op: SignalOp, value: u64) -> Result<(), Fault> {
        let word = self.at(at).cast::<u64>();
        // SAFETY: an aligned word in the heap of `at.pe`, which is mapped.
        unsafe {
            match op {
                SignalOp::Set => ptx::st_relaxed_sys_u64(word, value),
                SignalOp::Add => ptx::red_add_relaxed_sys_u64(word, value),
            }
        }
        Ok(())
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn put_signal<G: Group>(
        &self,
        group: G,
        to: Remote,
        from: LocalAddr,
        bytes: usize,
        signal: SymAddr,
        op: SignalOp,
        value: u64,
        _: Completion,
    ) -> Result<(), Fault> {
        // Where the signal goes is computed ahead of the copy, and not behind it where the peer waits.
        let word = ptx::opaque_u64(self.at(Remote { pe: to.pe, at: signal }) as u64) as *mut u64;
        // SAFETY: as for `put`.
        unsafe { copy(group, self.at(to), from.ptr(), bytes, From::Own, self.lent) }
        // The barrier orders the group's stores before the leader's signal, and its release carries all of them.
        group.sync();
        if group.leads() {
            // SAFETY: an aligned word in the heap of `to.pe`, which is mapped.
            unsafe {
                match op {
                    SignalOp::Set => ptx::st_release_sys_u64(word, value),
                    SignalOp::Add => ptx::red_add_release_sys_u64(word, value),
                }
            }
        }
        Ok(())
    }
}

//! Load/store as a queue.

use oxshmem_core::{AmoOp, AmoType, Completion, Fault, Group, QpResource, Remote, SignalOp, SymAddr, Width};
use oxshmem_raw::gpu::local::LocalAddr;
use oxshmem_raw::gpu::ptx;
use oxshmem_raw::state::WorldState;

use super::copy::{From, Lent, copy};
use super::{atomics, strided};

/// A queue that is the memory system: executing an operation issues it, in the program order of the executing thread.
///
/// A group meets at the start of a call, since the call sends data that any of its threads wrote or waited for, and
/// writes memory that any of them may have read before. It meets again at the end. A put's source may be written again
/// once its loads are done, and they are done when its stores are issued; a get's loads are done when the group has met.
/// Blocking and nonblocking calls are therefore the same here.
#[derive(Clone, Copy, Debug)]
pub struct LoadStore<'a> {
    pub(super) state: &'a WorldState,
    lent: Lent,
}

impl<'a> LoadStore<'a> {
    /// Returns the queue of a world.
    ///
    /// # Safety
    ///
    /// - **live**: `state` belongs to a world; the heaps that it names, and its `LocalState`, stay mapped while the
    ///   value is used.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub const unsafe fn new(state: &'a WorldState) -> Self {
        Self { state, lent: Lent::NONE }
    }

    /// Returns the same queue, with copies that may use the lent memory.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub const fn lent(self, lent: Lent) -> Self {
        Self { lent, ..self }
    }

    /// Returns the address at which `remote` is mapped.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn at(&self, remote: Remote) -> *mut u8 {
        self.state.address(remote.pe, remote.at)
    }
}

impl QpResource for LoadStore<'_> {
    type Local = LocalAddr;

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn put<G: Group>(&self, group: G, to: Remote, from: LocalAddr, bytes: usize, _: Completion) -> Result<(), Fault> {
        group.begin();
        // SAFETY: **writable**: the range is in the heap of `to.pe`, which is mapped by **live**. **readable**:
        // `LocalAddr` is proof. **apart**: OpenSHMEM forbids overlap; a copy onto itself moves equal bytes. **alone**:
        // the lender's promise.
        unsafe { copy(group, self.at(to), from.ptr(), bytes, From::Own, self.lent) }
        // Another thread of the group may overwrite the source after the call, so all threads must have read it.
        group.sync();
        Ok(())
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn get<G: Group>(&self, group: G, to: LocalAddr, from: Remote, bytes: usize, _: Completion) -> Result<(), Fault> {
        group.begin();
        // SAFETY: **readable**: the range is in the heap of `from.pe`, which is mapped by **live**. **writable**:
        // `LocalAddr` is proof. **apart**, **alone**: as in `put`.
        unsafe { copy(group, to.ptr(), self.at(from), bytes, From::Peer, self.lent) }
        // Data that any thread of the group fetched is visible to all of them.
        group.sync();
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
        group.begin();
        // SAFETY: **readable**, **writable**, **apart**: as in `put`, element by element; the caller checked that
        // elements are aligned.
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
        group.begin();
        // SAFETY: **readable**, **writable**, **apart**: as in `get`, element by element; the caller checked that
        // elements are aligned.
        unsafe {
            strided::copy_strided(group, to.ptr(), self.at(from), to_stride, from_stride, count, width, From::Peer)
        }
        group.sync();
        Ok(())
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn p(&self, to: Remote, width: Width, bits: u64) -> Result<(), Fault> {
        // SAFETY: **live** maps the heap of `to.pe`, so the aligned word in it is **mapped**.
        unsafe { strided::store_peer(self.at(to), width, bits) }
        Ok(())
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn g(&self, from: Remote, width: Width) -> Result<u64, Fault> {
        // SAFETY: **live** maps the heap of `from.pe`, so the aligned word in it is **mapped**.
        Ok(unsafe { strided::load_peer(self.at(from), width) })
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn amo_fetch(&self, at: Remote, op: AmoOp, of: AmoType, operand: u64, compare: u64) -> Result<u64, Fault> {
        // SAFETY: **live** maps the heap of `at.pe`, which holds the aligned word.
        Ok(unsafe { atomics::fetch(self.at(at), op, of, operand, compare) })
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn amo(&self, at: Remote, op: AmoOp, of: AmoType, operand: u64) -> Result<(), Fault> {
        // SAFETY: **live** maps the heap of `at.pe`, which holds the aligned word.
        unsafe { atomics::post(self.at(at), op, of, operand) }
        Ok(())
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn signal(&self, at: Remote, op: SignalOp, value: u64) -> Result<(), Fault> {
        let word = self.at(at).cast::<u64>();
        // SAFETY: **live** maps the heap of `at.pe`, which holds the aligned word.
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
        // The signal's address is computed before the copy: after it, the computation would delay the waiting peer.
        let word = ptx::opaque_u64(self.at(Remote { pe: to.pe, at: signal }) as u64) as *mut u64;
        group.begin();
        // SAFETY: **readable**, **writable**, **apart**, **alone**: as in `put`.
        unsafe { copy(group, self.at(to), from.ptr(), bytes, From::Own, self.lent) }
        // The barrier orders the group's stores before the leader's signal, and its release carries all of them.
        group.sync();
        if group.leads() {
            // SAFETY: **live** maps the heap of `to.pe`, so the aligned word in it is **mapped**.
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

//! Faults of device code: the first fault of a PE is written to its slot, and every thread that fails later returns
//! that fault.
//!
//! On the GPU all of it is inlined: a call that takes the world's state by reference would move that state out of
//! constant memory onto the stack of every thread.

use core::mem::offset_of;

use oxshmem_core::{Fault, FaultStep};

use crate::gpu::ptx;
use crate::state::{ExitWord, FaultSlot, FaultThread, LocalState, WorldState};

/// Polls for the first fault while the thread that claimed the slot writes it. That thread needs only a few more
/// stores, so the bound is reached only if it was killed between them.
const LOOKS: u32 = 1 << 16;

/// Writes `fault` to the slot if it is this PE's first fault, and returns this PE's first fault.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub fn report(state: &WorldState, fault: Fault) -> Fault {
    if note(state, fault) {
        return fault;
    }
    let mut looks = 0;
    while looks < LOOKS {
        if let Some(first) = first(state) {
            return first;
        }
        ptx::poll_pause();
        looks += 1;
    }
    fault
}

/// Writes `fault` to the slot if it is this PE's first fault, and returns whether it is. Less code than [`report`].
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub fn note(state: &WorldState, fault: Fault) -> bool {
    let claim = (state.local + offset_of!(LocalState, fault_claimed) as u64) as *mut u32;
    // SAFETY: `local` is this PE's LocalState, which stays mapped while its kernels run.
    if unsafe { ptx::atom_cas_acq_rel_gpu_u32(claim, 0, 1) } != 0 {
        return false;
    }
    let words = slot_words(state);
    // Word by word: a loop over an array would put it on the stack.
    let [a, b, c, d, e, f, g] = FaultSlot::encode(&fault, FaultThread::this());
    // SAFETY: `fault` is this PE's FaultSlot, which stays mapped while its kernels run; the claim made this thread its
    // only writer.
    unsafe {
        ptx::st_relaxed_sys_u64(words, a);
        ptx::st_relaxed_sys_u64(words.add(1), b);
        ptx::st_relaxed_sys_u64(words.add(2), c);
        ptx::st_relaxed_sys_u64(words.add(3), d);
        ptx::st_relaxed_sys_u64(words.add(4), e);
        ptx::st_relaxed_sys_u64(words.add(5), f);
        ptx::st_relaxed_sys_u64(words.add(6), g);
    }
    // SAFETY: the word is in the same FaultSlot. The release makes the words visible to a host that sees `WRITTEN`.
    unsafe { ptx::st_release_sys_u64(state.fault as *mut u64, FaultSlot::WRITTEN) }
    true
}

#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn slot_words(state: &WorldState) -> *mut u64 {
    (state.fault + offset_of!(FaultSlot, words) as u64) as *mut u64
}

/// Reports whether a thread of this PE has reported a fault. Reads a word in the PE's own memory.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub fn reported(state: &WorldState) -> bool {
    let claim = (state.local + offset_of!(LocalState, fault_claimed) as u64) as *mut u32;
    // SAFETY: `local` is this PE's LocalState, which stays mapped while its kernels run.
    unsafe { ptx::ld_relaxed_gpu_u32(claim) != 0 }
}

/// Returns the first fault of this PE, once it is written completely.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub fn first(state: &WorldState) -> Option<Fault> {
    // SAFETY: `fault` is this PE's FaultSlot, which stays mapped while its kernels run.
    if unsafe { ptx::ld_acquire_sys_u64(state.fault as *const u64) } != FaultSlot::WRITTEN {
        return None;
    }
    let at = slot_words(state);
    // SAFETY: the words are in the same FaultSlot; a written slot does not change while kernels run.
    let word = |i| unsafe { ptx::ld_relaxed_sys_u64(at.add(i)) };
    FaultSlot::decode([word(0), word(1), word(2), word(3), word(4), 0, 0])
}

/// Asks the host to end the program with this exit status.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub fn ask_for_exit(state: &WorldState, status: i32) {
    let word = ExitWord::at(state.notice, state.n_pes) as *mut u64;
    // SAFETY: the word follows this PE's list of stop words, and stays mapped while its kernels run.
    unsafe { ptx::st_release_sys_u64(word, ExitWord::with(status)) }
}

/// Returns the first fault of this PE, or [`FaultStep::Aborted`] if none can be read.
#[cold]
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub fn first_or_aborted(state: &WorldState) -> Fault {
    first(state).unwrap_or(Fault::new(FaultStep::Aborted))
}

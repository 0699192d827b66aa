//! Checks of arguments: always on host PEs, and on the GPU in modules built with `checked`.

use oxshmem_core::{Fault, FaultStep, Pe, Qp, QpHandle, QpSet, Remote, SymAddr, Width};
use oxshmem_raw::gpu::ptx;
use oxshmem_raw::queue::path::PathList;
use oxshmem_raw::queue::rows::FIRST_CUSTOM;
use oxshmem_raw::state::WorldState;
use oxshmem_raw::state::fault;

/// Whether this build checks arguments.
pub(crate) const CHECKED: bool = cfg!(feature = "checked") || cfg!(not(target_arch = "nvptx64"));

/// Reports a fault and returns it as an error.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn fail<T>(state: &WorldState, fault: Fault) -> Result<T, Fault> {
    Err(fault::report(state, fault))
}

/// Reports that element `index` of memory with `len` elements was asked.
#[inline(always)]
pub(crate) fn outside(state: &WorldState, index: usize, len: usize, width: Width) {
    let (mut fault, width) = (Fault::new(FaultStep::OutOfLocal), width.bytes());
    (fault.asked, fault.seen) = ((index as u64).saturating_add(1).saturating_mul(width as u64), (len * width) as u64);
    fault::report(state, fault);
}

/// Checks that the PE exists.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn pe(state: &WorldState, pe: Pe) -> Result<(), Fault> {
    if !CHECKED || pe.number() < state.n_pes {
        return Ok(());
    }
    let mut fault = Fault::new(FaultStep::NoSuchPe);
    (fault.pe, fault.asked, fault.seen) = (pe.number(), pe.number() as u64, state.n_pes as u64);
    fail(state, fault)
}

/// Checks that `bytes` bytes at `at` are in the heap, after the library's reserved part, and aligned to `align`.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn heap_range(state: &WorldState, who: Pe, at: SymAddr, bytes: usize, align: usize) -> Result<(), Fault> {
    if !CHECKED {
        return Ok(());
    }
    let inside = match at.offset().checked_add(bytes as u64) {
        Some(end) => end <= state.heap_bytes && (at.offset() >= state.reserved_bytes() || bytes == 0),
        None => false,
    };
    if !inside {
        let mut fault = Fault::new(FaultStep::OutOfHeap);
        (fault.pe, fault.at, fault.asked, fault.seen) = (who.number(), at.offset(), bytes as u64, state.heap_bytes);
        return fail(state, fault);
    }
    if !at.offset().is_multiple_of(align as u64) {
        let mut fault = Fault::new(FaultStep::Misaligned);
        (fault.pe, fault.at, fault.asked) = (who.number(), at.offset(), align as u64);
        return fail(state, fault);
    }
    Ok(())
}

/// Checks that the PE exists, and that the range is in its heap and aligned.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn remote(state: &WorldState, to: Remote, bytes: usize, align: usize) -> Result<(), Fault> {
    pe(state, to.pe)?;
    heap_range(state, to.pe, to.at, bytes, align)
}

/// Checks as [`remote`] the target of an operation, and that a module without remote paths reaches it.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn target<P: PathList>(state: &WorldState, to: Remote, bytes: usize, align: usize) -> Result<(), Fault> {
    remote(state, to, bytes, align)?;
    reached::<P>(state, to.pe)
}

/// Checks that a module without remote paths reaches the PE.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn reached<P: PathList>(state: &WorldState, pe: Pe) -> Result<(), Fault> {
    if !CHECKED || P::SOME || state.is_load_store(pe) {
        return Ok(());
    }
    let mut fault = Fault::new(FaultStep::NotLoadStore);
    fault.pe = pe.number();
    fail(state, fault)
}

/// Checks that a module without remote paths reaches PE `pe(k)` for each `k` below `count`.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn all_reached<P: PathList>(state: &WorldState, count: u32, pe: impl Fn(u32) -> Pe) -> Result<(), Fault> {
    let mut k = 0;
    while CHECKED && !P::SOME && k < count {
        reached::<P>(state, pe(k))?;
        k += 1;
    }
    Ok(())
}

/// Checks that a kernel whose threads wait for `others` other PEs, or blocks, was launched collectively. On GPUs it is
/// not known.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn collective(state: &WorldState, others: u32) -> Result<(), Fault> {
    if !CHECKED || others == 0 || ptx::is_collective() {
        return Ok(());
    }
    fail(state, Fault::new(FaultStep::NotCollective))
}

/// Returns `count * width`. On overflow a build that checks returns the maximum, which exceeds every heap.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn bytes_of(count: usize, width: usize) -> usize {
    if CHECKED { count.saturating_mul(width) } else { count * width }
}

/// Checks that the signal word lies outside the data that it announces. Empty data contains no word.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn apart(state: &WorldState, data: Remote, bytes: usize, signal: SymAddr) -> Result<(), Fault> {
    let (from, to, word) = (data.at.offset(), data.at.offset().wrapping_add(bytes as u64), signal.offset());
    if !CHECKED || bytes == 0 || word >= to || word + 8 <= from {
        return Ok(());
    }
    let mut fault = Fault::new(FaultStep::SignalOverlap);
    (fault.pe, fault.at, fault.asked, fault.seen) = (data.pe.number(), word, bytes as u64, from);
    fail(state, fault)
}

/// Checks that a destination and a source in a heap have no byte in common.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn disjoint(
    state: &WorldState,
    (a, a_bytes): (SymAddr, usize),
    (b, b_bytes): (SymAddr, usize),
) -> Result<(), Fault> {
    let (end_a, end_b) = (a.offset().wrapping_add(a_bytes as u64), b.offset().wrapping_add(b_bytes as u64));
    if !CHECKED || a_bytes == 0 || b_bytes == 0 || end_a <= b.offset() || end_b <= a.offset() {
        return Ok(());
    }
    let mut fault = Fault::new(FaultStep::Overlap);
    (fault.at, fault.asked, fault.seen) = (a.offset(), a_bytes as u64, b.offset());
    fail(state, fault)
}

/// Checks that the queue belongs to this world.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn qp<P: PathList>(state: &WorldState, qp: Qp) -> Result<(), Fault> {
    match qp {
        Qp::Default | Qp::Any => Ok(()),
        Qp::Custom(handle) => known::<P>(state, handle),
    }
}

/// Checks that the queues belong to this world.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn qps<P: PathList>(state: &WorldState, qps: QpSet<'_>) -> Result<(), Fault> {
    if let (true, QpSet::Of(list)) = (CHECKED, qps) {
        for &handle in list {
            known::<P>(state, handle)?;
        }
    }
    Ok(())
}

/// Checks that a handle is the default one or belongs to an existing row. If every peer is a load/store PE, all handles
/// given out are the default one.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn known<P: PathList>(state: &WorldState, handle: QpHandle) -> Result<(), Fault> {
    // A module without remote paths does not know the rows of a world that has remote PEs.
    let unknown = !P::SOME && state.has_remote();
    if !CHECKED || unknown || handle == QpHandle::DEFAULT || is_row::<P>(state, handle) {
        return Ok(());
    }
    let mut fault = Fault::new(FaultStep::NoSuchQp);
    fault.qp = handle.raw();
    fail(state, fault)
}

#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn is_row<P: PathList>(state: &WorldState, handle: QpHandle) -> bool {
    let number = handle.raw().wrapping_sub(FIRST_CUSTOM) as u32;
    if handle.raw() < FIRST_CUSTOM || state.n_pes == 0 || !number.is_multiple_of(state.n_pes) {
        return false;
    }
    // SAFETY: **live**: each caller passes the state of a `Shmem`, for which **live** of `from_state` holds.
    unsafe { P::row_exists(state, 1, state.default_rows + number / state.n_pes) }
}

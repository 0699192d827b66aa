//! Checks of arguments: all of them on host PEs, and on the GPU in modules built with `checked`. Modules built with
//! `ranges` have those on which memory safety rests, but for calls through [`Unchecked`](crate::Unchecked).

use oxshmem_core::{Element, Fault, FaultStep, Pe, Qp, QpHandle, QpSet, Remote, SymAddr, Symmetric, Width};
use oxshmem_raw::gpu::ptx;
use oxshmem_raw::queue::path::PathList;
use oxshmem_raw::queue::rows::FIRST_CUSTOM;
use oxshmem_raw::state::WorldState;
use oxshmem_raw::state::fault;

use crate::{Issue, Memory};

/// Whether this build checks all of the arguments.
pub(crate) const CHECKED: bool = cfg!(feature = "checked") || cfg!(not(target_arch = "nvptx64"));

/// Whether this build checks what memory safety rests on: that PE and queue exist, and that memory is in the heap or in
/// what the caller has given. On the GPU these checks take registers, of which large kernels have none to spare.
pub(crate) const SAFE: bool = CHECKED || cfg!(feature = "ranges");

/// Returns whether calls on these queues check what memory safety rests on.
pub(crate) const fn is_safe<I: Issue + ?Sized>() -> bool {
    CHECKED || SAFE && I::CHECKS
}

/// Reports a fault and returns it as an error.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn fail<T>(state: &WorldState, fault: Fault) -> Result<T, Fault> {
    Err(fault::report(state, fault))
}

/// Reports the fault of a call that would access other memory, and returns it as an error. Less code than [`fail`]: where
/// another thread's fault came first, the call returns its own.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn refuse<T>(state: &WorldState, fault: Fault) -> Result<T, Fault> {
    core::hint::cold_path();
    if CHECKED {
        return fail(state, fault);
    }
    fault::note(state, fault);
    Err(fault)
}

/// Reports that element `index` of memory with `len` elements was asked.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn outside(state: &WorldState, index: usize, len: usize, width: Width) {
    core::hint::cold_path();
    let (mut fault, width) = (Fault::new(FaultStep::OutOfLocal), width.bytes());
    (fault.asked, fault.seen) = ((index as u64).saturating_add(1).saturating_mul(width as u64), (len * width) as u64);
    fault::note(state, fault);
}

/// Returns the fault of a PE that does not exist.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn no_such_pe(state: &WorldState, pe: Pe) -> Option<Fault> {
    if pe.number() < state.n_pes {
        return None;
    }
    let mut fault = Fault::new(FaultStep::NoSuchPe);
    (fault.pe, fault.asked, fault.seen) = (pe.number(), pe.number() as u64, state.n_pes as u64);
    Some(fault)
}

/// Returns whether `bytes` bytes at `at` are in the heap, after the library's part.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn in_heap(state: &WorldState, at: SymAddr, bytes: usize) -> bool {
    let (first, bytes) = (state.reserved_bytes(), bytes as u64);
    let room = state.heap_bytes - first;
    // One branch in the caller.
    (bytes <= room) & (at.offset().wrapping_sub(first) <= room.wrapping_sub(bytes))
}

/// Returns the fault of a range that is not in the heap after the library's part, or, in builds that check all, not
/// aligned to `align`: elsewhere the GPU stops at a misaligned access. Empty data may be at any offset.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn out_of_heap(state: &WorldState, who: Pe, at: SymAddr, bytes: usize, align: usize) -> Option<Fault> {
    if bytes != 0 && !in_heap(state, at, bytes) {
        let mut fault = Fault::new(FaultStep::OutOfHeap);
        (fault.pe, fault.at, fault.asked, fault.seen) = (who.number(), at.offset(), bytes as u64, state.heap_bytes);
        return Some(fault);
    }
    if CHECKED && !at.offset().is_multiple_of(align as u64) {
        let mut fault = Fault::new(FaultStep::Misaligned);
        (fault.pe, fault.at, fault.asked) = (who.number(), at.offset(), align as u64);
        return Some(fault);
    }
    None
}

/// Returns the fault of a PE that a module without remote paths does not reach. Elsewhere than in builds that check all
/// the GPU stops at an access there: such a PE's window has no memory.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn not_reached<P: PathList>(state: &WorldState, pe: Pe) -> Option<Fault> {
    if !CHECKED || P::SOME || state.is_load_store(pe) {
        return None;
    }
    let mut fault = Fault::new(FaultStep::NotLoadStore);
    fault.pe = pe.number();
    Some(fault)
}

/// Reports the fault, if there is one.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn none_of(state: &WorldState, fault: Option<Fault>) -> Result<(), Fault> {
    fault.map_or(Ok(()), |fault| refuse(state, fault))
}

/// Checks that the PE exists.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn pe(state: &WorldState, pe: Pe) -> Result<(), Fault> {
    if SAFE { none_of(state, no_such_pe(state, pe)) } else { Ok(()) }
}

/// Checks that `bytes` bytes at `at` are in the heap, after the library's part, and, in builds that check all, aligned
/// to `align`.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn heap_range(state: &WorldState, who: Pe, at: SymAddr, bytes: usize, align: usize) -> Result<(), Fault> {
    if SAFE { none_of(state, out_of_heap(state, who, at, bytes, align)) } else { Ok(()) }
}

/// Checks that the PE exists, and that the range is in its heap and aligned.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn remote(state: &WorldState, to: Remote, bytes: usize, align: usize) -> Result<(), Fault> {
    pe(state, to.pe)?;
    heap_range(state, to.pe, to.at, bytes, align)
}

/// Checks the target of an operation: that the PE exists and is reached, and that the range is in its heap and aligned;
/// then `more`, which returns whether the rest is right, and else its fault. A call that is right takes one branch.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn target<I: Issue + ?Sized>(
    on: &I,
    to: Remote,
    bytes: usize,
    align: usize,
    more: (bool, impl FnOnce() -> Option<Fault>),
) -> Result<(), Fault> {
    let state = &on.shmem().state;
    let is_right = (to.pe.number() < state.n_pes) & in_heap(state, to.at, bytes) & more.0;
    if !is_safe::<I>() || !CHECKED && is_right {
        return Ok(());
    }
    let fault = no_such_pe(state, to.pe)
        .or_else(|| out_of_heap(state, to.pe, to.at, bytes, align))
        .or_else(|| not_reached::<I::Paths>(state, to.pe))
        .or_else(more.1);
    none_of(state, fault)
}

/// Checks the target of an operation on one element of `width` bytes, as [`target`] does.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn element<I: Issue + ?Sized>(on: &I, to: Remote, width: usize) -> Result<(), Fault> {
    target(on, to, width, width, (true, || None))
}

/// Checks the target of an operation, as [`target`] does, and its local end of `count` elements.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn ends<I: Issue + ?Sized, T: Element>(
    on: &I,
    to: Remote,
    bytes: usize,
    local: impl Memory<T>,
    count: usize,
) -> Result<(), Fault> {
    target(on, to, bytes, T::WIDTH.bytes(), (local.fits(on, count), || local.misfit(on, count)))
}

/// Checks that the symmetric end on `pe` and the local end, where they are slices, have as many elements as the call
/// uses of them. Every build checks it, as it checks each index of a [`Local`](crate::Local): calls with pointers,
/// which have no limit, have no branch for it.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn slices<I: Issue + ?Sized, T: Element>(
    on: &I,
    pe: Pe,
    (end, used): (impl Symmetric<T>, usize),
    (local, local_used): (impl Memory<T>, usize),
) -> Result<(), Fault> {
    let state = &on.shmem().state;
    if !CHECKED && !I::CHECKS || (used <= end.limit()) & (local_used <= local.limit()) {
        return Ok(());
    }
    if used > end.limit() {
        return leaves_slice(state, pe, end, used);
    }
    refuse(state, local.leaves(state, local_used))
}

/// Reports that a call of `used` elements would leave the slice `end` of `pe`.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn leaves_slice<T: Element, R>(
    state: &WorldState,
    pe: Pe,
    end: impl Symmetric<T>,
    used: usize,
) -> Result<R, Fault> {
    refuse(state, slice_fault(pe, end, used))
}

/// Returns the fault of a call of `used` elements that would leave the slice `end` of `pe`.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn slice_fault<T: Element>(pe: Pe, end: impl Symmetric<T>, used: usize) -> Fault {
    let (mut fault, width) = (Fault::new(FaultStep::OutOfHeap), T::WIDTH.bytes());
    (fault.pe, fault.detail, fault.at) = (pe.number(), Fault::OF_SLICE, end.start().addr().offset());
    (fault.asked, fault.seen) = (used.saturating_mul(width) as u64, end.limit().saturating_mul(width) as u64);
    fault
}

/// Returns the fault of a range of this PE's own memory, as [`heap_range`] reports it.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn own_outside(state: &WorldState, at: SymAddr, bytes: usize, align: usize) -> Option<Fault> {
    out_of_heap(state, Pe::new(state.my_pe), at, bytes, align)
}

/// Checks that a module without remote paths reaches PE `pe(k)` for each `k` below `count`.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn all_reached<P: PathList>(state: &WorldState, count: u32, pe: impl Fn(u32) -> Pe) -> Result<(), Fault> {
    let mut k = 0;
    while CHECKED && !P::SOME && k < count {
        none_of(state, not_reached::<P>(state, pe(k)))?;
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

/// Returns `count * width`; on overflow the maximum, which exceeds every heap.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn bytes_of(count: usize, width: usize) -> usize {
    if SAFE { count.saturating_mul(width) } else { count.wrapping_mul(width) }
}

/// Returns the bytes of a call's data, as [`bytes_of`] does if calls on these queues check ranges.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn data_bytes<I: Issue + ?Sized>(_: &I, count: usize, width: usize) -> usize {
    if is_safe::<I>() { bytes_of(count, width) } else { count.wrapping_mul(width) }
}

/// Returns the fault of a signal word that lies inside the data that it announces, in builds that check all. Empty data
/// contains no word.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn signal_inside(data: Remote, bytes: usize, signal: SymAddr) -> Option<Fault> {
    let (from, to, word) = (data.at.offset(), data.at.offset().wrapping_add(bytes as u64), signal.offset());
    if !CHECKED || bytes == 0 || word >= to || word + 8 <= from {
        return None;
    }
    let mut fault = Fault::new(FaultStep::SignalOverlap);
    (fault.pe, fault.at, fault.asked, fault.seen) = (data.pe.number(), word, bytes as u64, from);
    Some(fault)
}

/// Returns the fault of a signal word that is not in the heap of `to`, or not aligned.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn no_word(state: &WorldState, to: Remote) -> Option<Fault> {
    out_of_heap(state, to.pe, to.at, 8, 8)
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
    if let (true, QpSet::Of(list)) = (SAFE, qps) {
        for &handle in list {
            known::<P>(state, handle)?;
        }
    }
    Ok(())
}

/// Checks that a handle is the default one or belongs to an existing row. If every peer is a load/store PE, all handles
/// given out are the default one. A module without remote paths follows no handle: it checks if the build checks all.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn known<P: PathList>(state: &WorldState, handle: QpHandle) -> Result<(), Fault> {
    // A module without remote paths does not know the rows of a world that has remote PEs.
    let unknown = !P::SOME && state.has_remote();
    let follows = CHECKED || SAFE && P::SOME;
    if !follows || unknown || handle == QpHandle::DEFAULT || is_row::<P>(state, handle) {
        return Ok(());
    }
    let mut fault = Fault::new(FaultStep::NoSuchQp);
    fault.qp = handle.raw();
    refuse(state, fault)
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

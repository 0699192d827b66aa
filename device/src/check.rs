//! Arguments, checked: always on host PEs, on the GPU in modules built with `checked`.

use core::mem::{offset_of, size_of};

use oxshmem_core::{Fault, FaultStep, Pe, Qp, QpHandle, QpSet, Remote, SymAddr};
use oxshmem_raw::gpu::ptx;
use oxshmem_raw::state::fault;
use oxshmem_raw::state::{RESERVED_BYTES, WorldState, nic, proxy};

/// Whether this build checks arguments.
pub(crate) const CHECKED: bool = cfg!(feature = "checked") || cfg!(not(target_arch = "nvptx64"));

/// Reports a fault, and is the error of it.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn fail<T>(state: &WorldState, fault: Fault) -> Result<T, Fault> {
    Err(fault::report(state, fault))
}

/// The PE exists.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn pe(state: &WorldState, pe: Pe) -> Result<(), Fault> {
    if !CHECKED || pe.number() < state.n_pes {
        return Ok(());
    }
    let mut fault = Fault::new(FaultStep::NoSuchPe);
    (fault.pe, fault.asked, fault.seen) = (pe.number(), pe.number() as u64, state.n_pes as u64);
    fail(state, fault)
}

/// `bytes` bytes at `at` are in the heap, behind what is the library's own, and aligned to `align`.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn heap_range(state: &WorldState, who: Pe, at: SymAddr, bytes: usize, align: usize) -> Result<(), Fault> {
    if !CHECKED {
        return Ok(());
    }
    let inside = match at.offset().checked_add(bytes as u64) {
        Some(end) => end <= state.heap_bytes && (at.offset() >= RESERVED_BYTES || bytes == 0),
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

/// A range in the heap of a PE that exists.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn remote(state: &WorldState, to: Remote, bytes: usize, align: usize) -> Result<(), Fault> {
    pe(state, to.pe)?;
    heap_range(state, to.pe, to.at, bytes, align)
}

/// `count * width`; what overflows is more than any heap has.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn bytes_of(count: usize, width: usize) -> usize {
    if CHECKED { count.saturating_mul(width) } else { count * width }
}

/// The signal word lies outside the data that it tells of. No data is everywhere outside.
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

/// The queue is one of this world.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn qp(state: &WorldState, qp: Qp) -> Result<(), Fault> {
    match qp {
        Qp::Default | Qp::Any => Ok(()),
        Qp::Custom(handle) => known(state, handle),
    }
}

/// The queues are of this world.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn qps(state: &WorldState, qps: QpSet<'_>) -> Result<(), Fault> {
    if let (true, QpSet::Of(list)) = (CHECKED, qps) {
        for &handle in list {
            known(state, handle)?;
        }
    }
    Ok(())
}

/// Where every peer is load/store, each handle that was ever handed out is the default one; else it is one of a row
/// that is there.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn known(state: &WorldState, handle: QpHandle) -> Result<(), Fault> {
    if !CHECKED || handle == QpHandle::DEFAULT || is_row(state, handle) {
        return Ok(());
    }
    let mut fault = Fault::new(FaultStep::NoSuchQp);
    fault.qp = handle.raw();
    fail(state, fault)
}

#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn is_row(state: &WorldState, handle: QpHandle) -> bool {
    let number = handle.raw().wrapping_sub(nic::FIRST_CUSTOM) as u32;
    if handle.raw() < nic::FIRST_CUSTOM || state.n_pes == 0 || !number.is_multiple_of(state.n_pes) {
        return false;
    }
    let row = state.default_rows + number / state.n_pes;
    // Of either kind a queue that is none has 0 in its first word.
    const { assert!(offset_of!(nic::QueueState, sq) == 0 && offset_of!(proxy::ProxyQueue, ring) == 0) };
    let (of_nic, of_proxy) = (offset_of!(nic::NicState, rows), offset_of!(proxy::ProxyState, rows));
    has_queue(state, row, state.nic, of_nic, state.queues, size_of::<nic::QueueState>())
        || has_queue(state, row, state.proxies, of_proxy, state.proxy_queues, size_of::<proxy::ProxyQueue>())
}

/// Whether some PE has a queue in this row of a table, whose `shared` part counts the rows that are there: one that was
/// given back has none.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn has_queue(state: &WorldState, row: u32, shared: u64, rows: usize, table: u64, bytes: usize) -> bool {
    if shared == 0 {
        return false;
    }
    // SAFETY: the live state of this kind of queues, which there is.
    if row >= unsafe { ptx::ld_acquire_gpu_u32((shared + rows as u64) as *const u32) } {
        return false;
    }
    let mut pe = 0;
    while pe < state.n_pes {
        let queue = table + bytes as u64 * (row * state.n_pes + pe) as u64;
        // SAFETY: the table has every queue of every row.
        if unsafe { *(queue as *const u64) } != 0 {
            return true;
        }
        pe += 1;
    }
    false
}

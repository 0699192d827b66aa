//! The values of C as those of the device API.

use oxshmem_core::{Cmp, Completion, Pe, PeSet, Qp, QpHandle, QpSet, SignalOp};

/// `NVSHMEMX_PE_ALL`.
const PE_ALL: i32 = 1 << 15;
/// `NVSHMEMX_QP_DEFAULT`.
pub(crate) const QP_DEFAULT: i32 = 1;
/// `NVSHMEMX_QP_ANY`, `NVSHMEMX_QP_ALL`.
const QP_ALL: i32 = i32::MAX;
/// `NVSHMEM_SIGNAL_ADD`; the other operation sets.
const SIGNAL_ADD: i32 = 10;

/// Returns how a call completes; `nbi` is 0 for one that blocks.
#[inline(always)]
pub(crate) fn when(nbi: i32) -> Completion {
    if nbi == 0 { Completion::Blocking } else { Completion::Nonblocking }
}

#[inline(always)]
pub(crate) fn pe(pe: i32) -> Pe {
    Pe::new(pe as u32)
}

#[inline(always)]
pub(crate) fn pes(pe: i32) -> PeSet {
    if pe == PE_ALL { PeSet::All } else { PeSet::One(self::pe(pe)) }
}

#[inline(always)]
pub(crate) fn qp(qp: i32) -> Qp {
    match qp {
        QP_DEFAULT => Qp::Default,
        QP_ALL => Qp::Any,
        custom => Qp::Custom(QpHandle::from_raw(custom)),
    }
}

/// Returns the queues of a list. The default queues and all queues are lists of one.
///
/// # Safety
///
/// **live**: `list` has `count` handles that do not change during the call.
#[inline(always)]
pub(crate) unsafe fn qps<'a>(list: *const i32, count: i32) -> QpSet<'a> {
    if count <= 0 || list.is_null() {
        return QpSet::Of(&[]);
    }
    // SAFETY: **live**; a handle has the layout of an `int`.
    let list = unsafe { core::slice::from_raw_parts(list.cast::<QpHandle>(), count as usize) };
    match list {
        [one] if one.raw() == QP_DEFAULT => QpSet::Default,
        [one] if one.raw() == QP_ALL => QpSet::All,
        list => QpSet::Of(list),
    }
}

#[inline(always)]
pub(crate) fn signal_op(op: i32) -> SignalOp {
    if op == SIGNAL_ADD { SignalOp::Add } else { SignalOp::Set }
}

#[inline(always)]
pub(crate) fn cmp(cmp: i32) -> Cmp {
    match cmp {
        0 => Cmp::Eq,
        1 => Cmp::Ne,
        2 => Cmp::Gt,
        3 => Cmp::Le,
        4 => Cmp::Lt,
        _ => Cmp::Ge,
    }
}

/// Returns the number of elements from the first to the last of `count` elements that are `stride` apart.
#[inline(always)]
pub(crate) fn spread(stride: usize, count: usize) -> usize {
    if count == 0 { 0 } else { stride.wrapping_mul(count - 1).wrapping_add(1) }
}

/// Evaluates an expression with the unsigned type of `$width` bytes under a name.
macro_rules! by_width {
    ($width:expr, $name:ident => $call:expr) => {
        match $width {
            1 => {
                type $name = u8;
                $call
            }
            2 => {
                type $name = u16;
                $call
            }
            4 => {
                type $name = u32;
                $call
            }
            _ => {
                type $name = u64;
                $call
            }
        }
    };
}
pub(crate) use by_width;

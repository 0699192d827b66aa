//! Values of libfabric's macros and enumerations.

use std::ffi::c_int;

pub const FI_MSG: u64 = 1 << 1;
pub const FI_RMA: u64 = 1 << 2;
pub const FI_ATOMIC: u64 = 1 << 4;
pub const FI_READ: u64 = 1 << 8;
pub const FI_WRITE: u64 = 1 << 9;
pub const FI_RECV: u64 = 1 << 10;
pub const FI_TRANSMIT: u64 = 1 << 11;
pub const FI_REMOTE_READ: u64 = 1 << 12;
pub const FI_REMOTE_WRITE: u64 = 1 << 13;
pub const FI_COMPLETION: u64 = 1 << 24;
pub const FI_INJECT: u64 = 1 << 25;
pub const FI_DELIVERY_COMPLETE: u64 = 1 << 28;
pub const FI_FETCH_ATOMIC: u64 = 1 << 58;
pub const FI_COMPARE_ATOMIC: u64 = 1 << 59;

pub const FI_MR_VIRT_ADDR: c_int = 1 << 4;
pub const FI_MR_ALLOCATED: c_int = 1 << 5;
pub const FI_MR_PROV_KEY: c_int = 1 << 6;

/// `enum fi_progress`: the application must call for data to move.
pub const FI_PROGRESS_MANUAL: c_int = 2;
/// `enum fi_threading`: any call from any thread.
pub const FI_THREAD_SAFE: c_int = 1;
/// `enum fi_ep_type`: reliable, without connections.
pub const FI_EP_RDM: c_int = 3;
/// `enum fi_av_type`: addresses are indices.
pub const FI_AV_TABLE: c_int = 2;
/// `enum fi_cq_format`: the context alone.
pub const FI_CQ_FORMAT_CONTEXT: c_int = 1;
/// `enum fi_wait_obj`: completions are polled.
pub const FI_WAIT_NONE: c_int = 0;
/// `fi_control`: makes an endpoint active.
pub const FI_ENABLE: c_int = 6;
/// `enum fi_datatype`.
pub const FI_UINT32: c_int = 5;
/// `enum fi_datatype`.
pub const FI_UINT64: c_int = 7;
/// `enum fi_datatype`.
pub const FI_FLOAT: c_int = 8;
/// `enum fi_datatype`.
pub const FI_DOUBLE: c_int = 9;
/// `enum fi_op`.
pub const FI_SUM: c_int = 2;
/// `enum fi_op`.
pub const FI_BOR: c_int = 6;
/// `enum fi_op`.
pub const FI_BAND: c_int = 7;
/// `enum fi_op`.
pub const FI_BXOR: c_int = 9;
/// `enum fi_op`.
pub const FI_ATOMIC_READ: c_int = 10;
/// `enum fi_op`.
pub const FI_ATOMIC_WRITE: c_int = 11;
/// `enum fi_op`.
pub const FI_CSWAP: c_int = 12;

/// `EAGAIN`, negative: a queue is full, or no completion is there.
pub const FI_EAGAIN: isize = 11;
/// Negative: the next completion is an error, which `readerr` gives.
pub const FI_EAVAIL: isize = 259;
/// A required key is not available.
pub const FI_ENOKEY: i32 = 266;
/// A message is longer than the buffer that was to receive it.
pub const FI_ETRUNC: i32 = 265;
/// The receiver is not ready: it has no buffer for a message.
pub const FI_ENORX: i32 = 269;

/// A receive takes messages of any peer.
pub const FI_ADDR_UNSPEC: u64 = u64::MAX;

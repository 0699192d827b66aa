//! The formats as types, to read segments, completions and doorbell records in memory.
//!
//! Device code stores [`Segment`]s; these are the same bytes with names. C names are those of rdma-core's `mlx5dv.h`.

use core::fmt;
use core::mem::{offset_of, size_of};

use static_assertions::const_assert_eq;

use super::Segment;

/// A big-endian number in memory.
macro_rules! big_endian {
    ($($(#[$about:meta])* $name:ident($native:ty);)*) => {$(
        $(#[$about])*
        #[derive(Clone, Copy, Default, PartialEq, Eq)]
        #[repr(transparent)]
        pub struct $name($native);

        impl $name {
            /// Converts a number in host order.
            #[inline(always)]
            pub const fn new(value: $native) -> Self {
                Self(value.to_be())
            }

            /// Returns the number in host order.
            #[inline(always)]
            pub const fn get(self) -> $native {
                <$native>::from_be(self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{:#x}", self.get())
            }
        }
    )*};
}

big_endian! {
    /// 16 bits, big-endian in memory.
    Be16(u16);
    /// 32 bits, big-endian in memory.
    Be32(u32);
    /// 64 bits, big-endian in memory.
    Be64(u64);
}

/// Types that name the bytes of a format: every pattern of bytes is valid, and there is no padding.
macro_rules! bytes {
    ($($name:ident, $bytes:literal;)*) => {$(
        const_assert_eq!(size_of::<$name>(), $bytes);

        impl $name {
            /// Takes the bytes in memory.
            pub const fn from_bytes(bytes: [u8; $bytes]) -> Self {
                // SAFETY: the type is `repr(C)` of big-endian numbers and bytes, of this size without padding, and
                // every pattern of bits is a value of each.
                unsafe { core::mem::transmute(bytes) }
            }

            /// Returns the bytes in memory.
            pub const fn to_bytes(self) -> [u8; $bytes] {
                // SAFETY: the type has this size without padding, so that each byte is initialised.
                unsafe { core::mem::transmute(self) }
            }
        }
    )*};
}

/// Types of one segment.
macro_rules! segment {
    ($($name:ident;)*) => {
        bytes! { $($name, 16;)* }
        $(
            impl From<Segment> for $name {
                fn from(Segment(first, second): Segment) -> Self {
                    let mut bytes = [0; 16];
                    bytes[..8].copy_from_slice(&first.to_ne_bytes());
                    bytes[8..].copy_from_slice(&second.to_ne_bytes());
                    Self::from_bytes(bytes)
                }
            }
        )*
    };
}

/// Control segment, the first of every WQE. C: `mlx5_wqe_ctrl_seg`.
///
/// ```text
/// byte  0      1      3   4      7     8    9     11      12    16
///       opmod | idx  | op | qpn  | ds | sig | dci | fm_ce | imm |
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct CtrlSeg {
    /// Bits 31:24 opmod, 23:8 WQE index, 7:0 opcode.
    pub opmod_idx_opcode: Be32,
    /// Bits 31:8 QP number, 5:0 segments.
    pub qpn_ds: Be32,
    /// The signature; 0 on queues without one.
    pub signature: u8,
    /// Stream of a DCI.
    pub dci_stream_channel_id: [u8; 2],
    /// Bits 7:5 [`fm`](super::fm), 3:2 [`ce`](super::ce), 1 solicited.
    pub fm_ce_se: u8,
    /// Immediate word; ignored by operations without one.
    pub imm: Be32,
}
const_assert_eq!(offset_of!(CtrlSeg, signature), 8);
const_assert_eq!(offset_of!(CtrlSeg, fm_ce_se), 11);
const_assert_eq!(offset_of!(CtrlSeg, imm), 12);

/// Remote address segment. C: `mlx5_wqe_raddr_seg`.
///
/// ```text
/// byte  0       8      12       16
///       raddr  | rkey | ignored |
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct RaddrSeg {
    /// The address as in the peer's registration.
    pub raddr: Be64,
    /// The peer's key.
    pub rkey: Be32,
    /// Ignored.
    pub reserved: Be32,
}
const_assert_eq!(offset_of!(RaddrSeg, rkey), 8);

/// Data segment. C: `mlx5_wqe_data_seg`.
///
/// ```text
/// byte  0            4      8       16
///       byte_count  | lkey | addr   |
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct DataSeg {
    /// Bytes; 0 means 2^31.
    pub byte_count: Be32,
    /// This side's key.
    pub lkey: Be32,
    /// The address as in this side's registration.
    pub addr: Be64,
}
const_assert_eq!(offset_of!(DataSeg, lkey), 4);
const_assert_eq!(offset_of!(DataSeg, addr), 8);

/// Inline data segment with as much of the payload as fits the first 16 bytes. C: `mlx5_wqe_inl_data_seg`.
///
/// ```text
/// byte  0            4                                        16
///       byte_count  | payload, continued in later segments    |
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct InlineSeg {
    /// Bit 31 set, 30:0 bytes.
    pub byte_count: Be32,
    /// Payload, as it is in memory.
    pub payload: [u8; 12],
}
const_assert_eq!(offset_of!(InlineSeg, payload), 4);

/// Atomic segment. C: `mlx5_wqe_atomic_seg`.
///
/// ```text
/// byte  0             8         16
///       swap or add  | compare |
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct AtomicSeg {
    /// The value to store, or to add.
    pub swap_add: Be64,
    /// The value to compare with; ignored by an addition.
    pub compare: Be64,
}
const_assert_eq!(offset_of!(AtomicSeg, compare), 8);

/// Masked atomic segment of 4 bytes. Of an addition `compare` is the boundary and the masks are ignored.
///
/// ```text
/// byte  0             4                     8           12             16
///       swap or add  | compare or boundary | swap mask | compare mask |
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Ext32 {
    /// The value to store, or to add.
    pub swap_add: Be32,
    /// The value to compare with, or the boundary.
    pub compare_boundary: Be32,
    /// The bits to store.
    pub swap_mask: Be32,
    /// The bits to compare.
    pub compare_mask: Be32,
}
const_assert_eq!(offset_of!(Ext32, swap_mask), 8);
const_assert_eq!(offset_of!(Ext32, compare_mask), 12);

/// Masked atomic segment of 8 bytes. Of a compare-swap there are two: values, then masks.
///
/// ```text
/// byte  0             8                     16
///       swap or add  | compare or boundary |
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Ext64 {
    /// The value to store or to add; in the second segment, the bits to store.
    pub swap_add: Be64,
    /// The value to compare with or the boundary; in the second segment, the bits to compare.
    pub compare_boundary: Be64,
}
const_assert_eq!(offset_of!(Ext64, compare_boundary), 8);

segment! { CtrlSeg; RaddrSeg; DataSeg; InlineSeg; AtomicSeg; Ext32; Ext64; }

/// Completion queue entry. C: `mlx5_cqe64`.
///
/// ```text
/// byte  0     32           36    40       44     48          56             60        62    63      64
///       ...  | srqn_uidx  | imm | ...... | bytes | timestamp | opcode, qpn | counter | sig | op_own |
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Cqe64 {
    /// For receives and Ethernet.
    pub other: [u8; 32],
    /// User index of the queue pair, or number of the shared receive queue.
    pub srqn_uidx: Be32,
    /// Immediate word of a receive.
    pub imm: Be32,
    /// For Ethernet.
    pub other2: [u8; 4],
    /// The number of bytes received, or of an atomic's or read's answer.
    pub byte_cnt: Be32,
    /// The time of the NIC's clock.
    pub timestamp: [Be32; 2],
    /// Bits 31:24 opcode of the WQE, 23:0 QP number.
    pub sop_drop_qpn: Be32,
    /// Low 16 bits of the index of the WQE's first basic block.
    pub wqe_counter: Be16,
    /// The signature; 0 on queues without one.
    pub signature: u8,
    /// Bits 7:4 opcode ([`cqe`](super::cqe)), 3:2 format, 1 solicited, 0 owner.
    pub op_own: u8,
}
const_assert_eq!(offset_of!(Cqe64, srqn_uidx), 32);
const_assert_eq!(offset_of!(Cqe64, byte_cnt), 44);
const_assert_eq!(offset_of!(Cqe64, timestamp), 48);
const_assert_eq!(offset_of!(Cqe64, sop_drop_qpn), super::cqe::QPN_OFFSET);
const_assert_eq!(offset_of!(Cqe64, wqe_counter), super::cqe::TAIL_OFFSET);
const_assert_eq!(offset_of!(Cqe64, op_own), 63);

/// Completion queue entry of a WQE that failed. C: `mlx5_err_cqe`.
///
/// ```text
/// byte  0     32     36     52        53     54       55         56             60        62    63      64
///       ...  | srqn | ... | hw synd | type | vendor | syndrome | opcode, qpn | counter | sig | op_own |
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct ErrCqe {
    /// Unused.
    pub other: [u8; 32],
    /// User index of the queue pair, or number of the shared receive queue.
    pub srqn: Be32,
    /// Unused.
    pub other2: [u8; 16],
    /// The hardware's syndrome.
    pub hw_err_synd: u8,
    /// Its type.
    pub hw_synd_type: u8,
    /// The vendor's syndrome.
    pub vendor_err_synd: u8,
    /// The syndrome; see [`words`](Self::words).
    pub syndrome: u8,
    /// Bits 31:24 opcode of the WQE, 23:0 QP number.
    pub s_wqe_opcode_qpn: Be32,
    /// Low 16 bits of the index of the WQE's first basic block.
    pub wqe_counter: Be16,
    /// The signature; 0 on queues without one.
    pub signature: u8,
    /// Bits 7:4 opcode: [`REQ_ERR`](super::cqe::REQ_ERR) or [`RESP_ERR`](super::cqe::RESP_ERR).
    pub op_own: u8,
}
const_assert_eq!(offset_of!(ErrCqe, hw_err_synd), super::cqe::ERROR_OFFSET);
const_assert_eq!(offset_of!(ErrCqe, syndrome), 55);
const_assert_eq!(offset_of!(ErrCqe, s_wqe_opcode_qpn), super::cqe::QPN_OFFSET);
const_assert_eq!(offset_of!(ErrCqe, wqe_counter), super::cqe::TAIL_OFFSET);

impl ErrCqe {
    /// Returns the description of the syndrome.
    pub const fn words(self) -> &'static str {
        super::cqe::syndrome_words(self.syndrome)
    }
}

/// Doorbell record of a queue pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct QpDbr {
    /// Receive queue: the low 16 bits of the index after the last WQE.
    pub receive: Be32,
    /// Send queue: the same.
    pub send: Be32,
}
const_assert_eq!(offset_of!(QpDbr, send), 4);

/// Doorbell record of a completion queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct CqDbr {
    /// The low 24 bits of the index after the last entry that was read.
    pub consumer: Be32,
    /// The requested event.
    pub arm: Be32,
}
const_assert_eq!(offset_of!(CqDbr, arm), 4);

/// The word that is stored to the doorbell register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Doorbell {
    /// Bits 23:8 index: of the last WQE, or after it.
    pub opmod_idx_opcode: Be32,
    /// Bits 31:8 QP number.
    pub qpn_ds: Be32,
}
const_assert_eq!(offset_of!(Doorbell, qpn_ds), 4);

bytes! { Cqe64, 64; ErrCqe, 64; QpDbr, 8; CqDbr, 8; Doorbell, 8; }

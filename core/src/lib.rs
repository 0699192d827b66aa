//! The vocabulary of oxshmem, and the contracts that a transport implements.
//!
//! Everything here compiles for the host and for the GPU. It is independent of GPUs, NICs and operating systems, with
//! which the layers above deal.
//!
//! - Vocabulary: [`Pe`], [`PeSet`], [`SymAddr`], [`SymPtr`], [`SymSlice`], [`Qp`], [`QpHandle`], [`QpSet`], [`Signal`],
//!   [`AmoOp`], [`Cmp`], the [`Element`] types, [`Fault`].
//! - Contracts: [`QpResource`] and [`OrderingDomain`] (data plane, both targets) and, with the feature `host`,
//!   [`Transport`](host::Transport) (control plane).
#![no_std]
#![deny(unsafe_code)]

#[cfg(feature = "host")]
extern crate alloc;
#[cfg(feature = "host")]
extern crate std;

mod amo;
mod call;
mod cmp;
mod element;
mod fault;
mod fp8;
mod group;
mod half;
#[cfg(feature = "host")]
pub mod host;
mod lists;
mod located;
mod packed;
mod pe;
mod qp;
mod reduce;
mod resource;
mod signal;
mod sym;
mod sym_slice;
mod symmetric;

pub use amo::{AmoOp, AmoType, AtomicAdd, AtomicInt, AtomicWord};
pub use call::{Call, CallPart, Collective};
pub use cmp::{Cmp, Waitable, first_of_any};
pub use element::{C_RMA_TYPES, Element, Width};
pub use fault::{Fault, FaultStep};
pub use fp8::{E4m3, E5m2};
pub use group::{Group, Met, Scope};
pub use half::{Bf16, F16};
#[cfg(feature = "host")]
pub use host::{Amount, Error, ErrorKind, Result};
pub use lists::Lists;
pub use located::{Comparable, ComparableType, Located};
pub use packed::{Packed, PackedOp, PackedSum, PackedType};
pub use pe::{Pe, PeSet};
pub use qp::{Qp, QpHandle, QpSet};
pub use reduce::{And, AnyOp, Bits, Max, Min, Number, NumberOp, NumberType, Or, Prod, ReduceOp, Reducible, Sum, Xor};
pub use resource::{Completion, OrderingDomain, QpResource, Remote};
pub use signal::{Signal, SignalOp};
pub use sym::{SymAddr, SymPtr};
pub use sym_slice::{Parts, SymIter, SymSlice};
pub use symmetric::{Count, Symmetric};

//! The kernels of the conformance suite.
//!
//! Bodies are generic over the element's type. Each kernel is one body for one type, and its name ends in the type's. A
//! launch varies operation, group and queue by arguments, so that one kernel serves many cases.

#![cfg_attr(target_arch = "nvptx64", no_std, feature(abi_ptx))]
pub mod amo;
pub mod barrier;
pub mod mixed;
pub mod order;
pub mod own;
pub mod paths;
pub mod place;
pub mod reach;
pub mod rma;
pub mod signal;
pub mod wait;
pub mod whole;

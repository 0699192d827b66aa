//! The kernels of the conformance suite.
//!
//! Bodies are generic over the element's type. Each kernel is one body for one type, and its name ends in the type's. A
//! launch varies operation, group and queue by arguments, so that one kernel serves many cases.
//!
//! Without the feature `kernels` only the constants remain, for a program that links kernels of the same sources with
//! other paths.

#![cfg_attr(target_arch = "nvptx64", no_std, feature(abi_ptx))]
#![cfg_attr(not(feature = "kernels"), allow(dead_code, unused_imports, reason = "bodies whose kernels are left out"))]

#[cfg(not(feature = "kernels"))]
macro_rules! leave_out {
    ($($kernels:tt)*) => {};
}
#[cfg(not(feature = "kernels"))]
use leave_out as kernel;
#[cfg(not(feature = "kernels"))]
use leave_out as launch_bounds;
#[cfg(feature = "kernels")]
use oxshmem_device::{kernel, launch_bounds};

pub mod amo;
pub mod barrier;
pub mod block;
pub mod graph;
pub mod meeting;
pub mod mixed;
pub mod order;
pub mod own;
pub mod paths;
pub mod place;
pub mod reach;
pub mod rma;
pub mod signal;
pub mod slices;
pub mod team;
pub mod team_grid;
pub mod wait;
pub mod whole;

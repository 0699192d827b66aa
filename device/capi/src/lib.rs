//! The device functions that CUDA C++ and bitcode call, each a line or two over `oxshmem-device`.
//!
//! `cargo xtask capi` builds this crate as the library that `nvcc` links and, with the feature `names`, as bitcode and
//! PTX. The library has five parts, a feature each, which are assembled for different numbers of registers: `words` has
//! the variables and the short calls, `puts` and `gets` the copies, `meetings` the barriers, `collectives` the others. The
//! headers in `include/` have NVSHMEM's interface: most of it is inline there, over the functions of this crate, which
//! have the prefix `oxshmem_`.
//!
//! C has one world a process. Its state is in constant memory ([`world`]), where the host writes it when it initialises
//! a module. A function whose fault C can't get returns as if it had succeeded: the fault is reported, and the host
//! raises it at its next call.
//!
//! # Safety of all functions
//!
//! - **initialised**: the host has written the module's state, and the world exists while the kernel runs.
//! - **symmetric**: each pointer to symmetric memory is an address in the calling PE's own heap.
//! - **live**: other memory is mapped, as large as the call says, and aligned to its elements.
#![cfg_attr(target_arch = "nvptx64", no_std)]
#![cfg_attr(target_arch = "nvptx64", feature(asm_experimental_arch, optimize_attribute))]
#![cfg_attr(
    not(all(feature = "words", feature = "puts", feature = "gets", feature = "meetings", feature = "collectives")),
    allow(dead_code, unused_imports, unused_macros, reason = "a part of the library needs a part of the helpers")
)]

#[macro_use]
mod export;

mod any_group;
mod args;
#[cfg(feature = "collectives")]
pub mod copies;
#[cfg(feature = "gets")]
pub mod gets;
#[cfg(feature = "collectives")]
pub mod maxloc;
#[cfg(feature = "meetings")]
pub mod meet;
#[cfg(feature = "words")]
pub mod members;
#[cfg(any(feature = "names", not(target_arch = "nvptx64")))]
pub mod names;
#[cfg(feature = "words")]
pub mod ordering;
#[cfg(feature = "puts")]
pub mod puts;
#[cfg(feature = "collectives")]
pub mod reduce;
mod teams;
#[cfg(any(feature = "names", not(target_arch = "nvptx64")))]
pub mod together;
#[cfg(any(feature = "names", not(target_arch = "nvptx64")))]
mod turns;
#[cfg(feature = "words")]
pub mod wait;
#[cfg(feature = "words")]
pub mod words;
pub mod world;

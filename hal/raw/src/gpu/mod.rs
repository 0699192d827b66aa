//! The GPU: its instructions with host twins, its driver, and a kernel's entry on either target.
//!
//! - [`ptx`]: one function per PTX instruction; [`order`]: barriers by their use.
//! - [`group`]: threads, warps and blocks; [`kernel`]: a kernel's entry; [`local`]: memory of the calling PE.
//! - With `host`: `simt` (the executor for kernels on the host), `cuda` (the driver, opened at run time).

#[cfg(feature = "host")]
pub mod cuda;
pub mod group;
pub mod kernel;
pub mod local;
pub mod order;
pub mod ptx;
#[cfg(feature = "host")]
pub mod simt;

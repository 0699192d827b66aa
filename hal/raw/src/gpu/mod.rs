//! The GPU: its instructions with host twins, and its driver.
//!
//! - [`ptx`]: one function per PTX instruction; [`order`]: barriers by their use.
//! - [`group`]: threads, warps and blocks; [`local`]: memory of the calling PE.
//! - With `host`: `simt` (the executor for kernels on the host), `cuda` (the driver, opened at run time).

#[cfg(feature = "host")]
pub mod cuda;
pub mod group;
pub mod local;
pub mod order;
pub mod ptx;
#[cfg(feature = "host")]
pub mod simt;

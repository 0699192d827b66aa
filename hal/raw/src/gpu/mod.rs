//! The GPU: its instructions with host twins, its driver, and what a kernel's entry is on either target.
//!
//! - [`ptx`]: one function a PTX instruction; [`order`]: barriers by their use.
//! - [`group`]: threads, warps and blocks; [`kernel`]: a kernel's entry; [`local`]: memory of the calling PE.
//! - With `host`: `simt` (the executor behind the host twins), `cuda` (the driver, opened at run time).

#[cfg(feature = "host")]
pub mod cuda;
pub mod group;
pub mod kernel;
pub mod local;
pub mod order;
pub mod ptx;
#[cfg(feature = "host")]
pub mod simt;

//! The device half, which kernels call.

/// The name of this path in a module and in messages.
pub const NAME: &str = "nvlink";

mod atomics;
mod copy;
mod ordering;
mod resource;
mod strided;

#[cfg(feature = "host")]
pub(crate) use atomics::fetch;
pub use copy::{From, Lent, copy, copy_units};
pub use resource::LoadStore;

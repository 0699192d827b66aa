//! The half that kernels call.

mod atomics;
mod copy;
mod ordering;
mod resource;
mod strided;

#[cfg(feature = "host")]
pub(crate) use atomics::fetch;
pub use copy::{From, Lent, copy};
pub use resource::LoadStore;

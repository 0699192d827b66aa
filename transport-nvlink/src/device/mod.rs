//! The half that kernels call.

mod atomics;
mod barrier;
mod copy;
mod ordering;
mod resource;
mod strided;

pub use barrier::{barrier_all, sync_all};
pub use copy::{From, Lent, copy};
pub use resource::LoadStore;

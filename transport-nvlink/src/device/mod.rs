//! The half that kernels call.

mod atomics;
mod copy;
mod ordering;
mod resource;
mod strided;

pub use copy::{From, Lent, copy};
pub use resource::LoadStore;

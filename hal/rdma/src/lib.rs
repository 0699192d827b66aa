//! InfiniBand and RoCE: the formats of a ConnectX on both targets, and on the host the libraries and the choice of
//! NICs.
#![cfg_attr(target_arch = "nvptx64", no_std)]

#[cfg(feature = "host")]
pub mod devx_qp;
#[cfg(feature = "host")]
pub mod fabric;
#[cfg(all(feature = "host", any(test, feature = "testing")))]
pub mod fake;
#[cfg(feature = "host")]
pub mod hca;
#[cfg(feature = "host")]
pub mod ibdevx;
pub mod mlx5;
#[cfg(feature = "host")]
pub mod mlx5dv;
#[cfg(feature = "host")]
pub mod rc;
#[cfg(feature = "host")]
pub mod registrar;
#[cfg(feature = "host")]
pub mod verbs;
#[cfg(feature = "host")]
pub mod wire;

/// For the macro `register_provider!`.
#[cfg(feature = "host")]
#[doc(hidden)]
pub use inventory;

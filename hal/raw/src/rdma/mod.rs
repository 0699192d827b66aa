//! InfiniBand and RoCE: the formats of a ConnectX on both targets, and on the host the libraries and the choice of
//! NICs.

#[cfg(all(feature = "host", any(test, feature = "testing")))]
pub mod fake;
#[cfg(feature = "host")]
pub mod hca;
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

//! Skeleton.

#[cfg(feature = "host")]
pub mod cuda;

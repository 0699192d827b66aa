//! Skeleton.

#[cfg(feature = "host")]
pub mod cuda;
#[cfg(feature = "host")]
pub mod shm;

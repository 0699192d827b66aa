//! Skeleton.
#[cfg(feature = "host")]
pub mod simt;

//! Skeleton.

pub mod apps;
pub mod worlds;

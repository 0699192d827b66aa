//! Skeleton.

pub mod apps;

//! Skeleton.

pub mod bootstrap;

//! Skeleton.
#![no_std]

pub mod math;

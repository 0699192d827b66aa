//! The operating system as libraries see it: C functions that replace libc's.

mod device;
mod files;
mod next;
pub(crate) mod paths;
pub(crate) mod tree;

//! The part of libfabric that this crate uses, with Rust's types. All unsafe code of the crate is here, but
//! for the calls by which `device` lends memory to libfabric.

pub(crate) mod channel;
pub(crate) mod domain;
#[allow(dead_code, reason = "tables have entries that are not called")]
pub(crate) mod ffi;
pub(crate) mod library;
pub(crate) mod memory;

//! The part of UCX that this crate uses, with Rust's types. All unsafe code of the crate is here, but for the calls by
//! which `device` lends memory to UCX.

pub(crate) mod endpoint;
pub(crate) mod ffi;
pub(crate) mod library;
pub(crate) mod memory;
pub(crate) mod request;
pub(crate) mod worker;

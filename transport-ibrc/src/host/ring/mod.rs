//! The end of a ring at which requests are taken out.

pub(in crate::host) mod consumer;
pub(in crate::host) mod reader;
pub(in crate::host) mod words;

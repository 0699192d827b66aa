//! Collectives on streams and on the host.

pub(crate) mod grids;
pub(super) mod kernels;
mod on_host;
pub(crate) mod on_stream;

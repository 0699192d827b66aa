//! libibverbs, opened at run time.
//!
//! | file | what |
//! |---|---|
//! | `ffi`, `work_ffi` | its structs and functions, byte for byte |
//! | `libibverbs` | the library and its list of devices |
//! | `base` | an opened device: ports, memory, connecting |
//! | `objects` | what was taken, so that a wrong handle is an error and nothing is left behind |
//! | `library` | how a library is opened, where it came from and which version it is |
//! | `answer`, `memlock` | what it answers, as errors with what to do |
//! | [`rc`] | reliable connected queue pairs of any device, for a proxy |
//! | `sysfs` | what the system knows of a NIC before it is opened |
//!
//! Nothing of it is needed to build. What a transport uses is [`rc`], or [`mlx5dv`](crate::rdma::mlx5dv) for a ConnectX's own
//! commands.

pub(crate) mod answer;
pub(crate) mod base;
pub(crate) mod ffi;
pub(crate) mod libibverbs;
pub(crate) mod library;
pub(crate) mod memlock;
pub(crate) mod objects;
pub mod rc;
pub mod sysfs;
pub(crate) mod work_ffi;

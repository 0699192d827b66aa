//! libibverbs, opened at run time.
//!
//! | file | contents |
//! |---|---|
//! | `ffi`, `work_ffi` | its structs and functions, byte for byte |
//! | `libibverbs` | the library and its list of devices |
//! | `base` | an opened device: ports, memory, connecting |
//! | `transitions` | the states of a queue pair that is connected |
//! | `objects` | the objects of a NIC by handle: a wrong handle is an error, and nothing is left behind |
//! | `library` | opens a library, and finds its file and version |
//! | `answer`, `memlock` | turns its answers into errors with advice |
//! | [`rc`] | reliable connected queue pairs of any device, for a proxy |
//! | `thread_domain` | doorbell registers that a queue pair does not share |
//! | `sysfs` | the system's files on a NIC that is not opened |
//!
//! No part of libibverbs is needed to build. Transports use [`rc`], or [`mlx5dv`](crate::mlx5dv) for a ConnectX's
//! own commands.

pub(crate) mod answer;
pub(crate) mod base;
pub(crate) mod ffi;
pub(crate) mod libibverbs;
pub(crate) mod library;
pub(crate) mod memlock;
pub(crate) mod objects;
pub mod rc;
pub mod sysfs;
pub(crate) mod thread_domain;
mod transitions;
pub(crate) mod work_ffi;

//! libibverbs, opened at run time.
//!
//! | file | what |
//! |---|---|
//! | `ffi` | its structs and functions, byte for byte |
//! | `library` | how a library is opened, where it came from and which version it is |
//! | `answer` | what it answers, as errors with what to do |
//! | `sysfs` | what the system knows of a NIC before it is opened |
//!
//! Nothing of it is needed to build, and [`mlx5dv`](crate::mlx5dv) is what a transport uses.

pub(crate) mod answer;
pub(crate) mod ffi;
pub(crate) mod library;
pub mod sysfs;

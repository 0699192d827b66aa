//! The client of a launcher that speaks PMIx: `libpmix`, opened at run time.
//!
//! | file | what |
//! |---|---|
//! | `ffi` | its structs and functions, byte for byte |
//! | `library` | how it is found and opened, and which version it is |
//! | [`Client`] | this process as one of a job: which one, of how many, and what the others lay out |
//!
//! Nothing of it is needed to build. Who decides when it is used is the bootstrap.

mod client;
mod ffi;
#[cfg(test)]
mod layout;
mod library;
#[cfg(test)]
mod tests;

pub use client::Client;
pub use library::Library;

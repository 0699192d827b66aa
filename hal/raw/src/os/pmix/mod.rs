//! The client of a launcher that speaks PMIx: `libpmix`, opened at run time.
//!
//! | file | content |
//! |---|---|
//! | `ffi` | its structs and functions, byte for byte |
//! | `library` | finding and opening it, and its version |
//! | [`Client`] | this process in a job: its number, the job's size, published values |
//!
//! A build does not need the library. The bootstrap decides when it is used.

mod client;
mod ffi;
#[cfg(test)]
mod layout;
mod library;
#[cfg(test)]
mod tests;

pub use client::Client;
pub use library::Library;

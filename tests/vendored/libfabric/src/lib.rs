//! Endpoints of libfabric as a provider for oxshmem's proxy transport.
//!
//! A program links it by `use oxshmem_libfabric as _;`, and `OXSHMEM_REMOTE_TRANSPORT=libfabric` chooses it. The library
//! `libfabric.so.1` is opened at run time.
//!
//! | file | contents |
//! |---|---|
//! | `provider` | which interface a PE uses |
//! | `device` | the proxy transport's device: connections and completions in order, on one channel |
//! | `libfabric` | libfabric with Rust's types |
//! | `messages` | tests of atomics as messages |
//! | `promises` | the test of the provider's promises |

mod device;
mod libfabric;
#[cfg(test)]
mod messages;
#[cfg(test)]
mod promises;
mod provider;

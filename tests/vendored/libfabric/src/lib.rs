//! Endpoints of libfabric as a provider for oxshmem's proxy transport.
//!
//! A program links it by `use oxshmem_libfabric as _;`, and `OXSHMEM_REMOTE_TRANSPORT=libfabric` chooses it. The
//! library `libfabric.so.1` is opened at run time.
//!
//! Atomics are libfabric's where its provider has compare-and-swap of 8 bytes. Elsewhere, and with
//! `OXSHMEM_LIBFABRIC_ATOMICS=messages`, they are messages, which the target executes as it polls.
//!
//! | file | contents |
//! |---|---|
//! | `provider` | the choice of a PE's interface |
//! | `device` | the proxy transport's device: connections and completions in order on one channel; messages |
//! | `libfabric` | libfabric with Rust's types |
//! | `messages` | the tests of atomics as messages |
//! | `promises` | the test of the provider's promises |

mod device;
mod libfabric;
#[cfg(test)]
mod messages;
#[cfg(test)]
mod promises;
mod provider;

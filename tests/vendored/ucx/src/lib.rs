//! Endpoints of UCX as a provider for oxshmem's proxy transport.
//!
//! A program links it by `use oxshmem_ucx as _;`, and `OXSHMEM_REMOTE_TRANSPORT=ucx` chooses it. The library
//! `libucp.so.0`, 1.13 or newer, is opened at run time.
//!
//! UCX chooses the transports by which it reaches a peer. An RDMA NIC checks the keys of requests. Over the other
//! transports the target's own [`poll`](oxshmem_rdma::fabric::FabricDevice::poll) executes requests, and UCX checks no
//! keys there. The requester therefore checks the range of each request itself; a request to memory whose registration
//! has ended is an error that only an RDMA NIC notices.
//!
//! | file | contents |
//! |---|---|
//! | `provider` | the variables, and the opening of a PE's device |
//! | `device` | the proxy transport's device: connections, operations in order, flushes |
//! | `ucp` | UCX with Rust's types |
//! | `promises` | the test of the provider's promises |

mod device;
#[cfg(test)]
mod promises;
mod provider;
mod ucp;

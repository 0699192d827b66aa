//! Queue pairs that are made and connected by commands, in memory of their user, who writes their queues: kernels
//! (IBGDA) or threads of the host ([`ibdevx`](crate::ibdevx)).
//!
//! | file | contents |
//! |---|---|
//! | `caps` | the capabilities of a NIC on which such queue pairs depend |
//! | `path` | the path to a peer's port, in the fields of commands |
//! | `connect` | the steps of a queue pair from RESET to RTS |
//! | `owned` | objects of a NIC that are given back when they are dropped |

mod caps;
mod connect;
mod owned;
mod path;

pub use caps::NicCaps;
pub use connect::{MIN_RNR_NAK, connect, context, create, stop};
pub use owned::{DoorbellRegister, OpenedNic, OwnedObject, UmemParts, register_for_cpu, umem_parts};
pub use path::{ConnectParams, LocalPort, PeerPath};

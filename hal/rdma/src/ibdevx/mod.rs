//! A fabric of a ConnectX whose queues the proxies' threads write themselves, without libibverbs' data path.
//!
//! Queues are made by commands, in host memory. Posting a list writes its entries and rings one doorbell; a single
//! entry of one block goes to the NIC with its doorbell (BlueFlame). Polling reads the completion queue's entries. The
//! NIC's masked atomics are native: all operations on integers of 4 and 8 bytes.
//!
//! | file | contents |
//! |---|---|
//! | `provider` | [`Ibdevx`]: opens NICs that libmlx5 drives |
//! | `nic` | an opened NIC: its port, its objects |
//! | `device` | the fabric's device: memory, queues, connections |
//! | `regions` | registered memory by key, for results that the NIC writes in the network's byte order |
//! | `entry` | work requests as entries |
//! | `send_queue` | the ring of entries: room, writing, ringing, completion |
//! | `doorbell` | the register, and BlueFlame |
//! | `completion` | the completion queue: its ring, and the send queues whose completions it has |
//! | `memory` | the memory of queues |

mod completion;
mod device;
mod doorbell;
mod entry;
mod memory;
mod nic;
mod provider;
mod regions;
mod send_queue;

#[cfg(test)]
mod tests;

pub use provider::{ENTRY, Ibdevx, NAME};

//! The half that the host runs.
//!
//! | file | what |
//! |---|---|
//! | `config` | settings |
//! | `provider`, `caps` | whose NICs, and what they can; which of them, their ports and addresses is `oxshmem_raw::rdma::wire`'s |
//! | `nic` | an opened NIC, and how it reaches memory |
//! | `control` | memory of queues |
//! | `devx`, `twin`, `queue`, `rows` | queue pairs, by commands and by verbs, and rows of them |
//! | `bell`, `mapper`, `helper`, `assist` | who rings them: the GPU at the register, or a thread of the host |
//! | `connect`, `route` | how rows are made and connected, and the way between two PEs as the NIC is told of it |
//! | `tables`, `keys`, `offer` | what kernels read, and the keys that PEs tell each other |
//! | `post` | the host's own puts, gets and atomics |
//! | `selftest` | whether a NIC does what all of this needs |

mod config;
mod doorbell;
mod host_ops;
mod ibgda;
mod keys;
mod queue_memory;
mod queue_pair;
mod rows;
pub mod selftest;
mod service_thread;
mod setup;
mod tables;
#[cfg(test)]
mod tests;

pub use config::{Buffers, DoorbellBy, IbgdaConfig, MapBy};
pub use ibgda::Ibgda;
pub use setup::provider::{install, provider};

use oxshmem_core::{Fault, FaultStep};
use oxshmem_raw::queue::stopped::Stopped;

/// The fault of a queue that stopped.
fn stopped_fault(stopped: Stopped) -> Fault {
    let mut fault = Fault::new(FaultStep::Completion);
    fault.detail = Fault::completion_detail(stopped.syndrome, stopped.vendor, stopped.opcode);
    fault.at = stopped.index;
    fault
}

//! The half that the host runs. Each row uses only those above it.
//!
//! | module | contents |
//! |---|---|
//! | `config` | settings; which NICs, ports and addresses are used is chosen by `oxshmem_rdma::wire` |
//! | `setup` | providers of NICs, their capabilities, opened NICs |
//! | `service_thread` | a thread that rings doorbells or copies completions for kernels |
//! | `doorbell` | how kernels ring the NIC: at the register, or through a word that the service thread watches |
//! | `queue_memory` | the memory of queue pairs |
//! | `queue_pair` | a queue pair, made by DEVX commands or by verbs, and its connection |
//! | `tables`, `keys` | the tables that kernels read; the keys of the heap and of buffers, exchanged by the PEs |
//! | `host_ops` | the host's own puts, gets and atomics |
//! | `rows` | rows of queue pairs: made, connected, published, destroyed |
//! | `ibgda`, `factory` | the transport, and how the host library opens it |

mod config;
mod doorbell;
mod factory;
mod host_ops;
mod ibgda;
mod keys;
mod queue_memory;
mod queue_pair;
mod rows;
mod service_thread;
mod setup;
mod tables;
#[cfg(test)]
mod tests;

/// The parts of which the self test of NICs (`oxshmem-kit`) is made. They are no interface for programs, and change
/// without notice.
#[doc(hidden)]
pub mod for_tests {
    pub use super::doorbell::Doorbells;
    pub use super::host_ops::HostSendQueue;
    pub use super::queue_memory::{QueueAddresses, QueueMemory};
    pub use super::queue_pair::QueuePair;
    pub use super::queue_pair::verbs_qp::VerbsQp;
    pub use super::setup::nic::{Nic, Registration};
    pub use super::setup::provider::choose;
}

pub use config::{Buffers, DoorbellBy, IbgdaConfig};
pub use factory::IbgdaFactory;
pub use ibgda::Ibgda;
pub use oxshmem_raw::transport::MapBy;
pub use setup::provider::{install, provider};

use oxshmem_core::{Fault, FaultStep};
use oxshmem_raw::queue::stopped::Stopped;

/// Returns the fault of a queue that stopped.
fn stopped_fault(stopped: Stopped) -> Fault {
    let mut fault = Fault::new(FaultStep::Completion);
    fault.detail = Fault::completion_detail(stopped.syndrome, stopped.vendor, stopped.opcode);
    fault.at = stopped.index;
    fault
}

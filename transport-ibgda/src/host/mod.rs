//! The half that the host runs.
//!
//! | file | what |
//! |---|---|
//! | `factory`, `config` | how it is opened, and its settings |
//! | `provider`, `caps` | whose NICs, and what they can; which of them, their ports and addresses is `oxshmem_raw::rdma::wire`'s |
//! | `nic` | an opened NIC, and how it reaches memory |
//! | `control` | memory of queues |
//! | `devx`, `twin`, `queue`, `rows` | queue pairs, by commands and by verbs, and rows of them |
//! | `bell`, `mapper`, `helper`, `assist` | who rings them: the GPU at the register, or a thread of the host |
//! | `connect`, `route` | how rows are made and connected, and the way between two PEs as the NIC is told of it |
//! | `tables`, `keys`, `offer` | what kernels read, and the keys that PEs tell each other |
//! | `post` | the host's own puts, gets and atomics |
//! | `selftest` | whether a NIC does what all of this needs |

mod assist;
mod bell;
mod caps;
mod config;
mod connect;
mod control;
mod devx;
mod factory;
mod helper;
mod ibgda;
mod keys;
mod mapper;
mod nic;
mod offer;
mod post;
mod provider;
mod queue;
mod route;
mod rows;
pub mod selftest;
mod tables;
#[cfg(test)]
mod tests;
mod twin;

pub use config::{Buffers, DoorbellBy, IbgdaConfig};
pub use factory::IbgdaFactory;
pub use ibgda::Ibgda;
pub use oxshmem_raw::transport::MapBy;
pub use provider::{install, provider};

use oxshmem_core::{Fault, FaultStep};
use oxshmem_raw::state::nic::Stopped;

/// The fault of a queue that stopped.
fn stopped_fault(stopped: Stopped) -> Fault {
    let mut fault = Fault::new(FaultStep::Completion);
    fault.detail = Fault::completion_detail(stopped.syndrome, stopped.vendor, stopped.opcode);
    fault.at = stopped.index;
    fault
}

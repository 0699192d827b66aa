//! The choices that all transports over NICs share: NICs, addresses, paths. Their settings are in
//! [`nic_params`](crate::nic_params).
//!
//! | file | contents |
//! |---|---|
//! | `choose`, `distance` | the NICs and ports that a PE uses |
//! | `gid` | the addresses of a port |
//! | `connect_info` | the message by which PEs connect queue pairs |
//! | `path_info` | the path between two ports, from the messages of both PEs |

mod choose;
mod connect_info;
mod distance;
mod gid;
mod path_info;

pub use crate::nic_params::{
    AddrFamily, AddrRange, HcaList, HcaMapping, MAX_NICS, Neighbours, NicCount, NicParams, RoceVersion, WireParams,
    out_of_range, within,
};
pub use crate::queue::host::Magic;
pub use choose::{ACTIVE, Candidates, Choice, Choices, choose, state_text};
pub use connect_info::{ConnectInfo, PeerConnectInfo, PortInfo};
pub use distance::{Distance, PciLocation};
pub use gid::{Candidate, Class, candidates};
pub use path_info::{PathInfo, mtu_bytes};

use oxshmem_core::host::{Error, ErrorKind, Result};

use crate::rdma::hca::{LinkLayer, Port};

/// The check that needs a port. The type itself is a layer below, where there are no ports.
impl WireParams {
    /// Checks that the values are also valid for this port of a NIC.
    ///
    /// # Errors
    /// `OutOfRange`: Ethernet has fewer priorities than InfiniBand has service levels.
    pub fn check_on(&self, nic: &str, port: &Port) -> Result<()> {
        if port.link == LinkLayer::Ethernet && self.service_level > 7 {
            return Err(Error::new(ErrorKind::OutOfRange, format!("use OXSHMEM_IB_SL = {}", self.service_level))
                .because(format!("{nic} is on Ethernet, where it is a priority"))
                .hint("it takes 0 to 7"));
        }
        Ok(())
    }
}

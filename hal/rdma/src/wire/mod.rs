//! The choices that all transports over NICs share: NICs, addresses, paths. Their settings are in
//! [`nic_params`](oxshmem_raw::nic_params).
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

pub use choose::{ACTIVE, Candidates, Choice, Choices, choose, choose_for_proxies, state_text};
pub use connect_info::{ConnectInfo, PeerConnectInfo, PortInfo};
pub use distance::{Distance, PciLocation};
pub use gid::{Candidate, Class, candidates};
pub use oxshmem_raw::nic_params::{
    AddrFamily, AddrRange, HcaList, HcaMapping, MAX_NICS, Neighbours, NicCount, NicParams, RoceVersion, WireParams,
    out_of_range, within,
};
pub use oxshmem_raw::queue::host::Magic;
pub use path_info::{PathInfo, mtu_bytes};

use oxshmem_core::host::{Error, ErrorKind, Result};

use crate::hca::{LinkLayer, Port};

impl Port {
    /// Checks that the settings are also valid for this port of a NIC.
    ///
    /// # Errors
    /// `OutOfRange`: Ethernet has fewer priorities than InfiniBand has service levels.
    pub fn check(&self, nic: &str, wire: &WireParams) -> Result<()> {
        if self.link == LinkLayer::Ethernet && wire.service_level > 7 {
            return Err(Error::new(ErrorKind::OutOfRange, format!("use OXSHMEM_IB_SL = {}", wire.service_level))
                .because(format!("{nic} is on Ethernet, where it is a priority"))
                .hint("it takes 0 to 7"));
        }
        Ok(())
    }
}

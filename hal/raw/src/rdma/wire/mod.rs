//! The settings and choices that all transports over NICs share: NICs, addresses, packet parameters.
//!
//! | file | contents |
//! |---|---|
//! | `params` | settings of packets and paths |
//! | `nics`, `hcas` | settings that choose NICs |
//! | `choose`, `distance` | the NICs and ports that a PE uses |
//! | `gid` | the addresses of a port |
//! | `connect_info` | the message by which PEs connect queue pairs |
//! | `path_info` | the path between two ports, from the messages of both PEs |

mod choose;
mod connect_info;
mod distance;
mod gid;
mod hcas;
mod nics;
mod params;
mod path_info;

pub use crate::queue::host::Magic;
pub use choose::{ACTIVE, Candidates, Choice, Choices, choose, state_text};
pub use connect_info::{ConnectInfo, PeerConnectInfo, PortInfo};
pub use distance::{Distance, PciLocation};
pub use gid::{Candidate, Class, candidates};
pub use hcas::{HcaList, HcaMapping};
pub use nics::{MAX_NICS, Neighbours, NicCount, NicParams};
pub use params::{AddrFamily, AddrRange, RoceVersion, WireParams};
pub use path_info::{PathInfo, mtu_bytes};

use std::fmt;

use oxshmem_core::host::{Error, ErrorKind, Result};

/// Checks that a setting is from `least` to `most`.
///
/// # Errors
/// `OutOfRange`, naming the variable and the range.
pub fn within(variable: &str, value: u32, least: u32, most: u32) -> Result<()> {
    if (least..=most).contains(&value) {
        return Ok(());
    }
    Err(out_of_range(variable, value).hint(format!("it takes {least} to {most}")))
}

/// Returns the error of a setting that is out of its range. The caller adds the range.
pub fn out_of_range(variable: &str, value: impl fmt::Display) -> Error {
    Error::new(ErrorKind::OutOfRange, format!("use {variable} = {value}")).because("it is out of range")
}

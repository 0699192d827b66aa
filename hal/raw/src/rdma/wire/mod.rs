//! The wire, for every transport that goes over a NIC: which NICs, by which addresses, with which parameters.
//!
//! | file | what |
//! |---|---|
//! | `params` | what can be said about packets and their way |
//! | `nics`, `hcas` | what can be said about which NICs are used |
//! | `choose`, `distance` | which NICs and ports a PE uses |
//! | `gid` | by which addresses a port may be called |
//! | `connect_info` | what PEs say to each other so that their queue pairs can be connected |
//! | `path_info` | the way between two ports, from what both have said |

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
pub use connect_info::{ConnectInfo, PortInfo};
pub use distance::{Distance, PciLocation};
pub use gid::{Candidate, Class, candidates};
pub use hcas::{HcaList, HcaMapping};
pub use nics::{MAX_NICS, Neighbours, NicCount, NicParams};
pub use params::{AddrFamily, AddrRange, RoceVersion, WireParams};
pub use path_info::{PathInfo, mtu_bytes};

use std::fmt;

use oxshmem_core::host::{Error, ErrorKind, Result};

/// A setting is from `least` to `most`.
///
/// # Errors
/// `OutOfRange`, naming the variable and the range.
pub fn within(variable: &str, value: u32, least: u32, most: u32) -> Result<()> {
    if (least..=most).contains(&value) {
        return Ok(());
    }
    Err(out_of_range(variable, value).hint(format!("it takes {least} to {most}")))
}

/// The error of a setting that is out of its range; what it takes is to be added.
pub fn out_of_range(variable: &str, value: impl fmt::Display) -> Error {
    Error::new(ErrorKind::OutOfRange, format!("use {variable} = {value}")).because("it is out of range")
}

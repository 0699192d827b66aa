//! The settings that all transports over NICs share, and the check of their ranges.
//!
//! | file | contents |
//! |---|---|
//! | `nics`, `hcas` | settings that choose NICs |
//! | `wire` | settings of packets and paths |

mod hcas;
mod nics;
mod wire;

use std::fmt;

use oxshmem_core::host::{Error, ErrorKind, Result};

pub use hcas::{HcaList, HcaMapping};
pub use nics::{MAX_NICS, Neighbours, NicCount, NicParams};
pub use wire::{AddrFamily, AddrRange, RoceVersion, WireParams};

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

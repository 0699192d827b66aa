//! The configuration of a world: typed, and checked once.
//!
//! It has three sources, in order of precedence from the lowest: the file that `OXSHMEM_CONF` names, the environment
//! (under our names and NVSHMEM's), and the program.
//!
//! ```
//! # use oxshmem_hal::config::{Config, DeviceChoice};
//! # fn main() -> Result<(), oxshmem_core::Error> {
//! let config = Config::from_env()?.with_device(DeviceChoice::Host).with_heap_bytes(64 << 20);
//! config.check()?;
//! for note in config.notes() {
//!     eprintln!("{note}");
//! }
//! # Ok(())
//! # }
//! ```
//!
//! [`Config::help`] lists the settings.

mod amount;
mod bootstrap_variables;
mod check;
mod choice;
mod duration;
mod field;
mod file;
mod names;
mod nic_variables;
mod note;
mod report;
mod size;
mod sources;
mod suggest;
mod table;
mod values;
mod variables;

#[cfg(test)]
mod tests;

pub use choice::{BootstrapChoice, DeviceChoice, HeapKind, RemoteChoice, Verbosity};
pub use duration::{duration_text, parse_duration};
pub use note::{Note, NoteKind};
pub use oxshmem_raw::nic_params::{
    AddrFamily, AddrRange, HcaList, HcaMapping, NicCount, NicParams, RoceVersion, WireParams,
};
pub use oxshmem_raw::transport::{Connect, MapBy, NicSettings};
pub use size::{parse_size, size_text};
pub use values::Config;

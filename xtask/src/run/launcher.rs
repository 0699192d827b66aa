//! What a PE finds in its environment. The words are the bootstrap's; this is the one place that
//! speaks them.

use std::process::Command;

use anyhow::Result;

use super::Device;

/// The rendezvous of one world, held open until its PEs have started.
pub(crate) struct World {
    n: u32,
}

impl World {
    /// Prepares the rendezvous of `n` PEs.
    pub(crate) fn new(n: u32) -> Result<Self> {
        Ok(Self { n })
    }

    /// Makes `command` the PE `pe` of this world.
    pub(crate) fn enlist(&self, pe: u32, command: &mut Command) {
        command.env("OXSHMEM_PE", pe.to_string()).env("OXSHMEM_N_PES", self.n.to_string());
    }
}

/// Tells the world what to run on.
pub(crate) fn set_device(device: Device, command: &mut Command) {
    let word = match device {
        Device::Auto => "auto",
        Device::Gpu => "gpu",
        Device::Host => "host",
    };
    command.env("OXSHMEM_DEVICE", word);
}

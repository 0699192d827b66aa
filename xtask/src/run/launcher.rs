//! The environment by which a PE's process joins its world. The bootstrap defines the variables.

use std::process::Command;

use anyhow::Result;
use oxshmem_core::Pe;
use oxshmem_hal::launcher::Launcher;

use super::Device;

/// A world whose PEs are being started. PE 0 inherits the socket to which the others connect.
pub struct World {
    launcher: Launcher,
    device: Device,
}

impl World {
    /// Opens the socket for a world of `n` PEs.
    pub fn new(n: u32, device: Device) -> Result<Self> {
        Ok(Self { launcher: Launcher::new(n)?, device })
    }

    /// Makes `command` the PE `pe` of this world.
    pub fn enlist(&self, pe: u32, command: &mut Command) {
        self.launcher.prepare(Pe::new(pe), command);
        // Without a choice here, the user's environment decides.
        if self.device != Device::Auto {
            command.env("OXSHMEM_DEVICE", self.device.word());
        }
    }
}

//! What a PE finds in its environment. The words are the bootstrap's; this is the one place that
//! speaks them.

use std::process::Command;

use anyhow::Result;
use oxshmem_core::Pe;
use oxshmem_hal::bootstrap::Launcher;

use super::Device;

/// A world whose PEs are being started. PE 0 takes the socket along at which they meet.
pub struct World {
    launcher: Launcher,
    device: Device,
}

impl World {
    /// Prepares the meeting of `n` PEs.
    pub fn new(n: u32, device: Device) -> Result<Self> {
        Ok(Self { launcher: Launcher::new(n)?, device })
    }

    /// Makes `command` the PE `pe` of this world.
    pub fn enlist(&self, pe: u32, command: &mut Command) {
        self.launcher.prepare(Pe::new(pe), command);
        // Left to choose, a world does as the user's environment says.
        if self.device != Device::Auto {
            command.env("OXSHMEM_DEVICE", self.device.word());
        }
    }
}

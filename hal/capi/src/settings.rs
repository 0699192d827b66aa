//! The settings of the default world.

use std::ffi::c_int;

use oxshmem_hal::{Config, DeviceChoice, Result, current_gpu};

use crate::place::kernel_folders;

/// Returns the settings, with the program's GPU: the one that it names, or the one that is current on this thread.
pub(crate) fn config(device: Option<c_int>) -> Result<Config> {
    let mut config = Config::from_env()?;
    if config.device == DeviceChoice::Auto
        && let Some(ordinal) = device.and_then(|ordinal| u32::try_from(ordinal).ok()).or_else(current_gpu)
    {
        config.device = DeviceChoice::GpuOrdinal(ordinal);
    }
    config.ptx_path.extend(kernel_folders());
    Ok(config)
}

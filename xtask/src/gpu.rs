//! The GPUs of this machine, for the tasks that run on them if there are any.

use anyhow::Result;
use oxshmem_raw::gpu::cuda;

/// How many GPUs this process sees, or why it sees none.
pub fn count() -> Result<u32> {
    Ok(cuda::device_count()?)
}

/// The version of the kernel's half of the driver, which has one of its own.
pub fn kernel_module() -> Option<String> {
    let text = std::fs::read_to_string("/proc/driver/nvidia/version").unwrap_or_default();
    let mut words = text.split_whitespace();
    let version = words.find(|word| word.contains('.') && word.starts_with(|c: char| c.is_ascii_digit()));
    version.map(str::to_string)
}

//! The GPUs of this machine.

use anyhow::Result;
use oxshmem_raw::gpu::cuda;

/// Returns the number of GPUs that this process sees, or the reason why it sees none.
pub fn count() -> Result<u32> {
    Ok(cuda::device_count()?)
}

/// Returns the version of the driver's kernel module, which can differ from that of its libraries.
pub fn kernel_module() -> Option<String> {
    let text = std::fs::read_to_string("/proc/driver/nvidia/version").unwrap_or_default();
    let mut words = text.split_whitespace();
    let version = words.find(|word| word.contains('.') && word.starts_with(|c: char| c.is_ascii_digit()));
    version.map(str::to_string)
}

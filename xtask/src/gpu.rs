//! The GPUs of this machine, for the tasks that run on them if there are any.

use anyhow::Result;

/// How many GPUs this process sees, or why it sees none.
pub(crate) fn count() -> Result<u32> {
    anyhow::bail!("no libcuda.so.1 on this machine: no NVIDIA driver is installed")
}

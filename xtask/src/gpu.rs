//! The GPUs of this machine, for the tasks that run on them if there are any.

use anyhow::Result;
use oxshmem_raw::cuda;

/// How many GPUs this process sees, or why it sees none.
pub(crate) fn count() -> Result<u32> {
    Ok(cuda::device_count()?)
}

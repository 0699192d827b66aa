//! What every module carries besides the user's kernels.

use oxshmem_raw::abi::Abi;

use crate::path::FEATURES;

/// What this module was built against; the host reads it first.
#[cfg_attr(target_arch = "nvptx64", unsafe(export_name = "OXSHMEM_ABI"), used)]
pub static ABI: Abi = Abi::this(FEATURES, cfg!(feature = "checked"));

/// Device code is written so that nothing panics, and `xtask tidy` refuses a module in which something
/// can. What remains is a trap, which the driver reports as a failed launch.
#[cfg(target_arch = "nvptx64")]
#[panic_handler]
fn trap(_: &core::panic::PanicInfo<'_>) -> ! {
    oxshmem_raw::ptx::trap()
}

crate::kernel! {
    /// A barrier over all PEs, as a kernel: what the host launches for a barrier on a stream.
    pub(crate) fn oxshmem_barrier_all(shmem: Shmem) -> Result<(), Fault> {
        shmem.barrier_all(crate::Block)
    }
}

use crate::Fault;

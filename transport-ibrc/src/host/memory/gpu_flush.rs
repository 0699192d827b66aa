//! Visibility of a NIC's writes to kernels.
//!
//! A NIC's writes to one GPU cross the bus in order (unless their registration allows otherwise, which none here does).
//! Whether kernels see them in that order depends on the GPU: they do if
//! `CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WRITES_ORDERING` is OWNER or more. A kernel that waits for a word of its memory
//! (a signal after its data) then needs nothing else. On other GPUs nothing at the target could help: no progress
//! thread is notified of arriving data.
//!
//! The NIC writes the data of a get to the GPU, and its completion to the host, which reports it to the kernel. A GPU
//! that does not order the NIC's writes before later accesses of its kernels is therefore flushed before the report.

use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_raw::gpu::cuda::{self, Context};
use oxshmem_raw::memory::Memory;

/// The action between the completion of a get and its report.
#[derive(Clone, Debug)]
pub(in crate::host) enum GpuFlush {
    /// None: kernels' memory is host memory, or the GPU keeps the order.
    Nothing,
    /// A call of the driver.
    Driver(Context),
    /// For tests. It counts, and fails if the count is [`u32::MAX`].
    #[cfg(test)]
    Fake(std::sync::Arc<std::sync::atomic::AtomicU32>),
}

/// Ordering capabilities of a GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Orders {
    /// Its kernels see a NIC's writes in order.
    own: bool,
    /// The host can flush.
    host: bool,
}

/// The decision for a GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Choice {
    Nothing,
    Driver,
    Refuse,
}

/// Decides by a GPU's capabilities.
fn choose(orders: Orders) -> Choice {
    match orders {
        Orders { own: true, .. } => Choice::Nothing,
        Orders { host: true, .. } => Choice::Driver,
        _ => Choice::Refuse,
    }
}

impl GpuFlush {
    /// Returns the action that this memory needs.
    ///
    /// # Errors
    /// `Incompatible`: its GPU neither keeps the order nor can be flushed.
    pub(in crate::host) fn of(memory: &Memory) -> Result<Self> {
        let Memory::Gpu(context) = memory else { return Ok(Self::Nothing) };
        let device = context.device();
        // A driver that does not know an attribute does not support the feature.
        let orders = Orders {
            own: device.rdma_writes_in_order().unwrap_or(false),
            host: device.can_flush_rdma_writes().unwrap_or(false),
        };
        match choose(orders) {
            Choice::Nothing => Ok(Self::Nothing),
            Choice::Driver => Ok(Self::Driver(context.clone())),
            Choice::Refuse => Err(Error::new(ErrorKind::Incompatible, format!("let a NIC write to {device}"))
                .because(
                    "it does not keep the order of a NIC's writes (GPU_DIRECT_RDMA_WRITES_ORDERING is 0), and the \
                     driver can't flush them (GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS has not HOST)",
                )
                .hint("update the NVIDIA driver, or use a GPU of Volta's generation or later")),
        }
    }

    /// Makes the data of completed gets visible to kernels.
    ///
    /// # Errors
    /// The driver's call fails.
    pub(in crate::host) fn now(&self) -> Result<()> {
        match self {
            Self::Nothing => Ok(()),
            Self::Driver(context) => cuda::flush_rdma_writes(context),
            #[cfg(test)]
            Self::Fake(count) => match count.fetch_add(1, std::sync::atomic::Ordering::Relaxed) {
                u32::MAX => Err(Error::new(ErrorKind::System, "flush a NIC's writes")),
                _ => Ok(()),
            },
        }
    }

    /// Describes the action.
    pub(in crate::host) fn text(&self) -> &'static str {
        match self {
            Self::Nothing => "none is needed",
            Self::Driver(_) => {
                "by the driver (cuFlushGPUDirectRDMAWrites), since this GPU does not promise to keep the order of a NIC's \
                 writes, and a kernel that waits for a signal may see it ahead of its data"
            }
            #[cfg(test)]
            Self::Fake(_) => "counted",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gpu_that_keeps_the_order_needs_no_flush_and_one_that_cannot_be_flushed_is_refused() {
        let choice = |own, host| choose(Orders { own, host });
        assert_eq!([choice(true, true), choice(true, false)], [Choice::Nothing; 2]);
        assert_eq!([choice(false, true), choice(false, false)], [Choice::Driver, Choice::Refuse]);
        assert!(matches!(GpuFlush::of(&Memory::Host), Ok(GpuFlush::Nothing)));
    }
}

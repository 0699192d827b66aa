//! What it takes until kernels see what a NIC wrote to their memory.
//!
//! A NIC's writes to one GPU cross the bus in their order (unless their registration allows otherwise, which none here
//! does). Whether kernels also see them so is the GPU's: `CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WRITES_ORDERING` is OWNER or
//! more where they do. With that a kernel that waits for a word of its memory (a signal behind its data) needs no more,
//! and without it nobody at the target could stand in for the GPU: no proxy is told of what arrives.
//!
//! Of a get the NIC writes the data to the GPU and its completion to the host, and the proxy's word that the get is done
//! comes to the kernel from there. A GPU that does not order the NIC's writes ahead of what its kernels do later is
//! flushed first.

use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_raw::gpu::cuda::{self, Context};
use oxshmem_raw::memory::Memory;

/// What stands between the completion of a get and telling of it.
#[derive(Clone, Debug)]
pub(in crate::host) enum GpuFlush {
    /// Nothing: kernels' memory is the host's, or the GPU keeps the order itself.
    Nothing,
    /// A call of the driver.
    Driver(Context),
    /// For tests.
    #[cfg(test)]
    Fake(std::sync::Arc<std::sync::atomic::AtomicU32>),
}

/// What can be asked of a GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Orders {
    /// It takes what a NIC writes in order, as far as its own kernels see.
    own: bool,
    /// The host can flush.
    host: bool,
}

/// What is done about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Choice {
    Nothing,
    Driver,
    Refuse,
}

/// What is to be done on a GPU like this.
fn choose(orders: Orders) -> Choice {
    match orders {
        Orders { own: true, .. } => Choice::Nothing,
        Orders { host: true, .. } => Choice::Driver,
        _ => Choice::Refuse,
    }
}

impl GpuFlush {
    /// What this memory needs.
    ///
    /// # Errors
    /// It is a GPU's that neither keeps the order nor can be asked to.
    pub(in crate::host) fn of(memory: &Memory) -> Result<Self> {
        let Memory::Gpu(context) = memory else { return Ok(Self::Nothing) };
        let device = context.device();
        // A driver that does not know a question has not what it is about.
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

    /// Makes what completed gets have brought visible to kernels.
    ///
    /// # Errors
    /// The driver's.
    pub(in crate::host) fn now(&self) -> Result<()> {
        match self {
            Self::Nothing => Ok(()),
            Self::Driver(context) => cuda::flush_rdma_writes(context),
            #[cfg(test)]
            Self::Fake(count) => {
                count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                Ok(())
            }
        }
    }

    /// For people.
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

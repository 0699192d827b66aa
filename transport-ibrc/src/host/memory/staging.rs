//! How a proxy copies between its chunks and kernels' memory that is not registered.

use std::cell::Cell;
use std::fmt;

use oxshmem_core::host::Result;
use oxshmem_raw::gpu::cuda::{self, Context, Stream};
use oxshmem_raw::memory::Memory;

/// Copies of one proxy. Chunks are memory of this process, pinned where kernels run on a GPU.
pub(in crate::host) enum Staging {
    /// Kernels' memory is this process's own.
    Host,
    /// It is a GPU's, or pinned: the driver copies, in a stream that waits for no kernel.
    Gpu {
        /// The kernels'.
        context: Context,
        /// In which copies go one behind the other.
        stream: Stream,
        /// Whether something was begun and not waited for.
        begun: Cell<bool>,
    },
    /// As late as a GPU's may be: when they are waited for. Knows all addresses but one.
    #[cfg(test)]
    Late(std::cell::RefCell<Vec<(u64, u64, u64)>>, u64),
}

impl Staging {
    /// Between chunks and the memory of these kernels.
    ///
    /// # Errors
    /// The driver has no stream left.
    pub(in crate::host) fn new(memory: &Memory) -> Result<Self> {
        Ok(match memory {
            Memory::Host => Self::Host,
            Memory::Gpu(context) => {
                Self::Gpu { context: context.clone(), stream: Stream::new(context)?, begun: Cell::new(false) }
            }
        })
    }

    /// Whether there is memory at `at`, an address of kernels, that can be copied from and to. What the driver does not
    /// know must not be touched: it may be anything in this process.
    pub(in crate::host) fn knows(&self, at: u64) -> bool {
        match self {
            Self::Host => true,
            Self::Gpu { context, .. } => {
                matches!(cuda::device_of(at), Ok(Some(_)))
                    || cuda::kernel_address(context, at).is_ok_and(|kernel| kernel == at)
            }
            #[cfg(test)]
            Self::Late(_, unknown) => at != *unknown,
        }
    }

    /// Begins to copy between a chunk and kernels' memory; it is there when [`finish`](Self::finish) has said so. Copies
    /// are done one behind the other.
    ///
    /// # Errors
    /// The driver refuses: the range is not within one allocation.
    pub(in crate::host) fn begin(&self, to: u64, from: u64, bytes: u64) -> Result<()> {
        match self {
            Self::Host => {
                by_host(to, from, bytes);
                Ok(())
            }
            Self::Gpu { stream, begun, .. } => {
                // SAFETY: one of both is a chunk, which nobody else uses until `finish`; the other is memory that the
                // driver knows, and who asked for the operation vouches for it until he knows that it is complete.
                unsafe { cuda::copy::anywhere_on(stream, to, from, bytes as usize) }?;
                begun.set(true);
                Ok(())
            }
            #[cfg(test)]
            Self::Late(begun, _) => {
                begun.borrow_mut().push((to, from, bytes));
                Ok(())
            }
        }
    }

    /// Waits until all that was begun is done.
    ///
    /// # Errors
    /// A copy failed, or the GPU did.
    pub(in crate::host) fn finish(&self) -> Result<()> {
        match self {
            Self::Gpu { stream, begun, .. } if begun.replace(false) => stream.synchronize(),
            #[cfg(test)]
            Self::Late(begun, _) => {
                begun.take().into_iter().for_each(|(to, from, bytes)| by_host(to, from, bytes));
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

impl fmt::Debug for Staging {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if matches!(self, Self::Host) { "Copies(of this process)" } else { "Copies(of the driver)" })
    }
}

/// Copies between a chunk and memory of this process.
pub(in crate::host) fn by_host(to: u64, from: u64, bytes: u64) {
    use std::ptr::{copy_nonoverlapping, with_exposed_provenance, with_exposed_provenance_mut};
    // SAFETY: one of both is a chunk of this proxy's, which nobody else uses now; who asked for the operation vouches
    // for the other, until he knows that it is complete.
    unsafe {
        copy_nonoverlapping(
            with_exposed_provenance::<u8>(from as usize),
            with_exposed_provenance_mut::<u8>(to as usize),
            bytes as usize,
        )
    }
}

//! Copies between bounce buffers and unregistered memory of kernels.

use std::cell::Cell;
use std::fmt;

use oxshmem_core::host::Result;
use oxshmem_raw::gpu::cuda::{self, Context, Stream};
use oxshmem_raw::memory::Memory;

/// The means of copying of one progress thread. Bounce buffers are host memory, pinned if kernels run on a GPU.
pub(in crate::host) enum Staging {
    /// Kernels' memory is memory of this process.
    Host,
    /// It is a GPU's, or pinned: the driver copies it, in a stream that waits for no kernel.
    Gpu {
        /// The kernels' context.
        context: Context,
        /// The stream of copies, which are executed in order.
        stream: Stream,
        /// Whether a copy was begun and not waited for.
        begun: Cell<bool>,
    },
    /// For tests: copies when they are waited for, as late as a GPU may. Knows all addresses except one.
    #[cfg(test)]
    Late(std::cell::RefCell<Vec<(u64, u64, u64)>>, u64),
}

impl Staging {
    /// Returns the means of copying to and from `memory`.
    ///
    /// # Errors
    /// The driver can't create a stream.
    pub(in crate::host) fn new(memory: &Memory) -> Result<Self> {
        Ok(match memory {
            Memory::Host => Self::Host,
            Memory::Gpu(context) => {
                Self::Gpu { context: context.clone(), stream: Stream::new(context)?, begun: Cell::new(false) }
            }
        })
    }

    /// Returns whether memory at `at`, an address of kernels, can be copied. An address that the driver does not know
    /// must not be touched: any object of this process may be there.
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

    /// Begins to copy between a bounce buffer and kernels' memory. Copies are executed in order, and are complete after
    /// [`finish`](Self::finish).
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
                // SAFETY: one range is a bounce buffer, which only this thread and the device use, and the device not
                // before `finish`. The other is memory that the driver knows; the requester keeps it valid until the
                // operation is reported complete, which is after `finish`.
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

    /// Waits until all copies that were begun are complete.
    ///
    /// # Errors
    /// A copy or the GPU failed.
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

/// Copies between a bounce buffer and memory of this process.
pub(in crate::host) fn by_host(to: u64, from: u64, bytes: u64) {
    use std::ptr::{copy_nonoverlapping, with_exposed_provenance, with_exposed_provenance_mut};
    // SAFETY: one range is a bounce buffer of this thread, which the device does not use at this time. The requester of
    // the operation keeps the other valid until the operation is reported complete, which is later.
    unsafe {
        copy_nonoverlapping(
            with_exposed_provenance::<u8>(from as usize),
            with_exposed_provenance_mut::<u8>(to as usize),
            bytes as usize,
        )
    }
}

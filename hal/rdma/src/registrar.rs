//! Registration of memory with a NIC: host memory by its address, GPU memory by a dma-buf or, where the kernel knows
//! GPU addresses (nvidia-peermem), by its address.

use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::{Mutex, PoisonError};

use oxshmem_core::host::{Error, ErrorKind, Result};

use super::hca::{Region, access};
use oxshmem_raw::gpu::cuda;
use oxshmem_raw::memory::{Memory, MemoryAddress};
use oxshmem_raw::os::shm;

/// The access rights of a heap extent: peers may do everything with it.
pub const HEAP_ACCESS: u32 = access::LOCAL_WRITE | access::REMOTE_WRITE | access::REMOTE_READ | access::REMOTE_ATOMIC;

/// The reason for not using dma-bufs that a user chose.
pub const DMA_BUF_DISABLED: &str = "OXSHMEM_IB_DISABLE_DMABUF is set";

/// Registers memory with one NIC, and records for people by which means each kind was registered.
#[derive(Debug)]
pub struct MemoryRegistrar {
    nic: String,
    /// The reason for not using dma-bufs, if there is one.
    no_dma_buf: Option<String>,
    notes: Mutex<Vec<String>>,
}

impl MemoryRegistrar {
    /// Returns the registrar of the NIC that errors call `nic`. `no_dma_buf` is the reason for not using dma-bufs, if
    /// they must not be used.
    pub fn new(nic: String, no_dma_buf: Option<String>) -> Self {
        Self { nic, no_dma_buf, notes: Mutex::default() }
    }

    /// Finds out whether `address` of kernels is in host memory, pinned or not, or in memory of their GPU.
    ///
    /// # Errors
    /// The driver can't be queried.
    pub fn locate(memory: &Memory, address: u64) -> Result<MemoryAddress> {
        Ok(match memory {
            Memory::Gpu(context) if cuda::device_of(address)?.is_some() => {
                MemoryAddress::Device(context.clone(), address)
            }
            _ => MemoryAddress::Host(address),
        })
    }

    /// Registers `bytes` bytes at `place` by `attempt`, which is called with one form of the memory after another until
    /// it succeeds. `what` names the memory in errors and notes.
    ///
    /// # Errors
    /// Each attempt failed. For GPU memory the kind is `Unreachable`, and the error has the system's answer to each.
    pub fn register<T>(
        &self,
        what: &str,
        address: &MemoryAddress,
        bytes: u64,
        attempt: impl Fn(Region) -> Result<T>,
    ) -> Result<T> {
        let (context, address) = match address {
            MemoryAddress::Host(at) => {
                let taken = attempt(Region::Address(*at))?;
                self.note(format!("{what}: host memory"));
                return Ok(taken);
            }
            MemoryAddress::Device(context, address) => (context, *address),
        };
        let (start, whole) = dma_buf_range(address, bytes);
        let dma_buf = match &self.no_dma_buf {
            Some(reason) => Err(reason.clone()),
            None => cuda::dma_buf(context, start, whole as usize).map_err(|error| error.to_string()),
        };
        let (taken, means) = register_gpu(&self.nic, what, address, dma_buf, address - start, attempt)?;
        self.note(format!("{what}: GPU memory, {means}"));
        Ok(taken)
    }

    /// Keeps a line for people, once.
    pub fn note(&self, note: String) {
        let mut notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        if !notes.contains(&note) {
            notes.push(note);
        }
    }

    /// Returns the lines that were kept.
    pub fn notes(&self) -> Vec<String> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Returns the start and the length of the dma-buf for `bytes` bytes at `address`. The driver makes dma-bufs of whole
/// pages of the host, within one allocation: a larger range could begin before the allocation or end after it.
fn dma_buf_range(address: u64, bytes: u64) -> (u64, u64) {
    let page = shm::granularity() as u64;
    let start = address - address % page;
    (start, (address - start + bytes).next_multiple_of(page))
}

/// Registers GPU memory by its dma-buf, else by its address, and returns the means that worked.
fn register_gpu<T>(
    nic: &str,
    what: &str,
    address: u64,
    dma_buf: std::result::Result<OwnedFd, String>,
    offset: u64,
    attempt: impl Fn(Region) -> Result<T>,
) -> Result<(T, String)> {
    let by_file = dma_buf
        .and_then(|file| attempt(Region::DmaBuf { fd: file.as_raw_fd(), offset }).map_err(|error| error.to_string()));
    let refused = match by_file {
        Ok(taken) => return Ok((taken, "by dma-buf".into())),
        Err(error) => format!("by dma-buf: {error}"),
    };
    match attempt(Region::Address(address)) {
        Ok(taken) => Ok((taken, format!("by its address (peermem); {refused}"))),
        // Peers write to a heap without any action of this process, so that no copy on the host can replace it.
        Err(error) => Err(Error::new(ErrorKind::Unreachable, format!("let {nic} reach {what} in GPU memory"))
            .because(format!("{refused}; by address: {error}"))
            .hint(
                "dma-bufs need the NVIDIA driver's open kernel modules, Linux 5.12 and a libibverbs of version 34 or later; \
                 else load nvidia-peermem. A device in software (rxe, siw) reaches no GPU",
            )),
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    fn refuse<T>(reason: &str) -> Result<T> {
        Err(Error::new(ErrorKind::Refused, "register").because(reason.to_string()))
    }

    fn file() -> std::result::Result<OwnedFd, String> {
        Ok(std::fs::File::open("/dev/null").unwrap().into())
    }

    #[test]
    fn a_dma_buf_covers_the_pages_of_the_host_that_the_memory_touches_and_no_others() {
        let page = shm::granularity() as u64;
        let first = 0x7f00_0000_0000 + 5 * page;
        for (address, bytes, pages) in [
            (first, 1, 1),
            (first, page, 1),
            (first, page + 1, 2),
            (first + 0x40, page - 0x40, 1),
            (first + 0x40, page, 2),
            (first + page - 1, 2, 2),
        ] {
            assert_eq!(dma_buf_range(address, bytes), (first, pages * page), "{bytes} bytes at {address:#x}");
        }
    }

    #[test]
    fn gpu_memory_is_registered_by_dma_buf_else_by_address_and_each_refusal_is_reported() {
        let tried = RefCell::new(Vec::new());
        let attempt = |dma_buf: bool, address: bool| {
            let tried = &tried;
            move |region: Region| {
                let (name, takes) = match region {
                    Region::DmaBuf { offset, .. } => (format!("dma-buf from {offset:#x}"), dma_buf),
                    Region::Address(at) => (format!("address {at:#x}"), address),
                };
                tried.borrow_mut().push(name);
                if takes { Ok(7) } else { refuse("EINVAL of the kernel") }
            }
        };
        let go = |file, takes: (bool, bool)| {
            register_gpu("mlx5_0", "the heap", 0x1_0040, file, 0x40, attempt(takes.0, takes.1))
        };

        assert_eq!(go(file(), (true, true)).unwrap(), (7, "by dma-buf".into()));
        assert_eq!(tried.take(), ["dma-buf from 0x40"]);

        let (mr, way) = go(file(), (false, true)).unwrap();
        assert!(mr == 7 && way.contains("peermem") && way.contains("EINVAL of the kernel"), "{way}");
        assert_eq!(tried.take(), ["dma-buf from 0x40", "address 0x10040"]);

        let (_, way) = go(Err("the driver has none".into()), (true, true)).unwrap();
        assert!(way.contains("peermem") && way.contains("by dma-buf: the driver has none"), "{way}");
        assert_eq!(tried.take(), ["address 0x10040"]);

        let error = go(Err("the driver has none".into()), (true, false)).unwrap_err();
        let text = error.to_string();
        assert_eq!(error.kind(), ErrorKind::Unreachable);
        for part in ["let mlx5_0 reach the heap", "the driver has none", "by address: ", "EINVAL", "nvidia-peermem"] {
            assert!(text.contains(part), "{part} is not in: {text}");
        }
    }
}

//! Ways from a device to memory: a host's by its address; a GPU's by a dma-buf, or by its address where the kernel knows
//! GPUs (peermem).

use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::{Mutex, PoisonError};

use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_raw::fabric::{MemoryRegion, MemoryRequest, Region};
use oxshmem_raw::gpu::cuda::{self, Context};
use oxshmem_raw::memory::Memory;

use crate::host::setup::nic::Nic;

/// What dma-bufs are made of: the pages that GPUs are mapped by, and a multiple of every host's.
const PAGE: u64 = 64 << 10;

/// Which ways were taken, for people.
#[derive(Debug, Default)]
pub(in crate::host) struct Ways(Mutex<Vec<String>>);

/// Memory that a device is to reach.
#[derive(Clone, Copy, Debug)]
pub(in crate::host) struct Place<'a> {
    /// What it is, for people.
    pub(in crate::host) what: &'a str,
    /// Where kernels have it.
    pub(in crate::host) address: u64,
    pub(in crate::host) bytes: u64,
    /// The base by which work requests shall address it, where the device can choose.
    pub(in crate::host) wanted_base: u64,
    /// Whether peers use it.
    pub(in crate::host) remote: bool,
}

impl Ways {
    /// Registers memory of kernels.
    ///
    /// # Errors
    /// No way worked: each that was tried, and what the system answered.
    pub(in crate::host) fn register(
        &self,
        nic: &Nic,
        memory: &Memory,
        dma_buf: bool,
        place: &Place<'_>,
    ) -> Result<MemoryRegion> {
        let Place { what, address, bytes, wanted_base, remote } = *place;
        let attempt =
            |region: Region| nic.device.register(&MemoryRequest { region, bytes, address, wanted_base, remote });
        let Some(context) = owner(memory, address)? else {
            return attempt(Region::Address(address)).inspect(|_| self.note(format!("{what}: memory of the host")));
        };
        // The driver makes dma-bufs of whole pages.
        let (from, skip) = (address - address % PAGE, address % PAGE);
        let whole = (skip + bytes).next_multiple_of(PAGE) as usize;
        let file = match (dma_buf, nic.caps.dma_buf) {
            (false, _) => Err("OXSHMEM_IB_DISABLE_DMABUF is set".into()),
            (_, false) => Err("the device takes none (verbs: the library has no ibv_reg_dmabuf_mr)".into()),
            _ => cuda::dma_buf(&context, from, whole).map_err(|error| error.to_string()),
        };
        let (mr, way) = of_gpu(nic.device.name(), what, address, file, skip, attempt)?;
        self.note(format!("{what}: memory of {}, {way}", context.device()));
        Ok(mr)
    }

    fn note(&self, note: String) {
        let mut notes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !notes.contains(&note) {
            notes.push(note);
        }
    }

    /// A line for each kind of memory.
    pub(in crate::host) fn text(&self) -> String {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).iter().map(|note| format!("\n{note}")).collect()
    }
}

/// The context whose memory is at `address` of kernels; `None` for the host's, pinned or not.
fn owner(memory: &Memory, address: u64) -> Result<Option<Context>> {
    let Memory::Gpu(context) = memory else { return Ok(None) };
    Ok(cuda::device_of(address)?.map(|_| context.clone()))
}

/// Registers a GPU's memory by one way after the other, and says which it was.
fn of_gpu<T>(
    nic: &str,
    what: &str,
    address: u64,
    file: std::result::Result<OwnedFd, String>,
    offset: u64,
    attempt: impl Fn(Region) -> Result<T>,
) -> Result<(T, String)> {
    let by_file = file
        .and_then(|file| attempt(Region::DmaBuf { fd: file.as_raw_fd(), offset }).map_err(|error| error.to_string()));
    let refused = match by_file {
        Ok(taken) => return Ok((taken, "by dma-buf".into())),
        Err(error) => format!("by dma-buf: {error}"),
    };
    match attempt(Region::Address(address)) {
        Ok(taken) => Ok((taken, format!("by its address (peermem); {refused}"))),
        // Peers write to a heap without this process's doing, so that nothing here could stand in for it.
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
    fn a_gpus_memory_goes_by_dma_buf_then_by_address_and_each_refusal_is_told() {
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
        let go =
            |file, takes: (bool, bool)| of_gpu("mlx5_0", "the heap", 0x1_0040, file, 0x40, attempt(takes.0, takes.1));

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

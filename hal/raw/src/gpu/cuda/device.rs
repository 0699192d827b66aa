//! The GPUs and their capabilities.

use core::ffi::{c_char, c_int};
use core::fmt;

use cudarc::driver::sys::{CUdevice, CUdevice_P2PAttribute, CUdevice_attribute, CUuuid};
use oxshmem_core::host::{Error, ErrorKind, Result};

use super::driver::{Driver, device_count, driver};

/// `CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_FABRIC_SUPPORTED`, which the bindings lack (CUDA 12.3).
const FABRIC_SUPPORTED: u32 = 128;

/// A GPU of this process, by its ordinal.
#[derive(Clone, Copy)]
pub struct Device {
    driver: &'static Driver,
    raw: CUdevice,
    ordinal: u32,
}

impl Device {
    /// Returns the device with this ordinal, as `CUDA_VISIBLE_DEVICES` numbers them.
    ///
    /// # Errors
    ///
    /// Those of [`available`](super::available); `OutOfRange` if there are fewer devices.
    pub fn get(ordinal: u32) -> Result<Self> {
        let driver = driver()?;
        let count = device_count()?;
        if ordinal >= count {
            return Err(Error::new(ErrorKind::OutOfRange, format!("use GPU {ordinal}"))
                .because(format!("this process sees {count} GPUs, numbered from 0"))
                .hint("check CUDA_VISIBLE_DEVICES"));
        }
        let mut raw = 0;
        // SAFETY: `raw` is a valid out pointer for a CUdevice.
        unsafe { driver.cuDeviceGet(&mut raw, ordinal as c_int) }.or_cannot(|| format!("use GPU {ordinal}"))?;
        Ok(Self { driver, raw, ordinal })
    }

    /// Returns the ordinal in this process.
    pub const fn ordinal(&self) -> u32 {
        self.ordinal
    }

    /// Returns the name, for example `NVIDIA H200`.
    pub fn name(&self) -> Result<String> {
        let mut text = [0; 256];
        // SAFETY: `text` is writable for the passed length.
        unsafe { self.driver.cuDeviceGetName(text.as_mut_ptr(), text.len() as c_int, self.raw) }
            .or_cannot(|| format!("ask {self} for its name"))?;
        Ok(string(&text))
    }

    /// Returns the identifier that is the same in every process and after every boot; for a MIG slice, that of the
    /// slice.
    pub fn uuid(&self) -> Result<[u8; 16]> {
        let mut uuid = CUuuid { bytes: [0; 16] };
        // SAFETY: `uuid` is a valid out pointer for a CUuuid.
        unsafe { self.driver.cuDeviceGetUuid_v2(&mut uuid, self.raw) }
            .or_cannot(|| format!("ask {self} for its UUID"))?;
        Ok(uuid.bytes.map(|byte| byte as u8))
    }

    /// Returns the PCI address, for example `0000:1b:00.0`.
    pub fn pci_bus_id(&self) -> Result<String> {
        let mut text = [0; 32];
        // SAFETY: `text` is writable for the passed length.
        unsafe { self.driver.cuDeviceGetPCIBusId(text.as_mut_ptr(), text.len() as c_int, self.raw) }
            .or_cannot(|| format!("ask {self} for its PCI address"))?;
        Ok(string(&text).to_lowercase())
    }

    /// Returns the total memory in bytes.
    pub fn total_memory(&self) -> Result<usize> {
        let mut bytes = 0;
        // SAFETY: `bytes` is a valid out pointer for a usize.
        unsafe { self.driver.cuDeviceTotalMem_v2(&mut bytes, self.raw) }
            .or_cannot(|| format!("ask {self} for its memory"))?;
        Ok(bytes)
    }

    /// Returns the number of streaming multiprocessors (SMs).
    pub fn sm_count(&self) -> Result<u32> {
        self.number(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)
    }

    /// Returns the compute capability, major and minor.
    pub fn compute_capability(&self) -> Result<(u32, u32)> {
        Ok((
            self.number(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
            self.number(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
        ))
    }

    /// Returns the largest number of threads in a block of any kernel.
    pub fn max_threads_per_block(&self) -> Result<u32> {
        self.number(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)
    }

    /// Returns the largest shared memory of a block in bytes, for a kernel that requested it with
    /// [`Function::set_max_dynamic_shared`](super::Function::set_max_dynamic_shared).
    pub fn max_shared_per_block(&self) -> Result<u32> {
        self.number(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)
    }

    /// Reports whether it runs kernels whose blocks are all resident at once.
    pub fn cooperative_launch(&self) -> Result<bool> {
        self.flag(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH)
    }

    /// Reports whether it supports virtual memory management (reserving, creating and mapping memory separately).
    pub fn vmm_supported(&self) -> Result<bool> {
        self.flag(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED)
    }

    /// Reports whether processes can share such memory by file descriptor.
    pub fn posix_fd_handles_supported(&self) -> Result<bool> {
        self.flag(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED)
    }

    /// Reports whether nodes of one NVLink fabric can share such memory; false if the driver does not know the
    /// attribute.
    pub fn fabric_handles_supported(&self) -> Result<bool> {
        match self.attribute(FABRIC_SUPPORTED) {
            Ok(value) => Ok(value != 0),
            Err(error) if error.kind() == ErrorKind::InvalidArgument => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Reports whether a NIC can access such memory.
    pub fn gpu_direct_rdma_with_vmm(&self) -> Result<bool> {
        self.flag(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED)
    }

    /// Reports whether its memory can be exported as a dma-buf.
    pub fn dma_buf_supported(&self) -> Result<bool> {
        self.flag(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED)
    }

    /// Reports whether a kernel that has seen one write of a NIC also sees the NIC's earlier writes without a flush.
    pub fn rdma_writes_in_order(&self) -> Result<bool> {
        // `CU_GPU_DIRECT_RDMA_WRITES_ORDERING_OWNER`: in order for this device itself.
        const OWNER: u32 = 100;
        Ok(self.number(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WRITES_ORDERING)? >= OWNER)
    }

    /// Reports whether [`flush_rdma_writes`](super::flush_rdma_writes) works.
    pub fn can_flush_rdma_writes(&self) -> Result<bool> {
        // `CU_FLUSH_GPU_DIRECT_RDMA_WRITES_OPTION_HOST`.
        const HOST: u32 = 1;
        Ok(self.number(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS)? & HOST != 0)
    }

    /// Reports whether kernels can read and write pinned host memory.
    pub fn can_map_host_memory(&self) -> Result<bool> {
        self.flag(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY)
    }

    /// Reports whether a pointer has the same meaning on the host and on every device.
    pub fn unified_addressing(&self) -> Result<bool> {
        self.flag(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING)
    }

    /// Reports whether hardware makes the host's and the device's atomics atomic with respect to each other.
    pub fn host_native_atomics(&self) -> Result<bool> {
        self.flag(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_HOST_NATIVE_ATOMIC_SUPPORTED)
    }

    /// Reports whether this device can load from and store to `other`'s memory; true for the device itself.
    pub fn can_access_peer(&self, other: &Self) -> Result<bool> {
        if self == other {
            return Ok(true);
        }
        let mut can = 0;
        // SAFETY: `can` is a valid out pointer for a c_int.
        unsafe { self.driver.cuDeviceCanAccessPeer(&mut can, self.raw, other.raw) }
            .or_cannot(|| format!("ask whether {self} reaches {other}"))?;
        Ok(can != 0)
    }

    /// Reports whether hardware executes this device's atomics on `other`'s memory.
    pub fn native_atomics_with(&self, other: &Self) -> Result<bool> {
        if self == other {
            return Ok(true);
        }
        let attribute = CUdevice_P2PAttribute::CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED;
        self.peer(attribute, other).map(|value| value != 0)
    }

    /// Returns the driver's performance rank of the link to `other`; 0 is the best.
    pub fn performance_rank_to(&self, other: &Self) -> Result<i32> {
        if self == other {
            return Ok(0);
        }
        self.peer(CUdevice_P2PAttribute::CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK, other)
    }

    pub(super) const fn driver(&self) -> &'static Driver {
        self.driver
    }

    pub(super) const fn raw(&self) -> CUdevice {
        self.raw
    }

    fn peer(&self, attribute: CUdevice_P2PAttribute, other: &Self) -> Result<i32> {
        let mut value = 0;
        // SAFETY: `value` is a valid out pointer for a c_int.
        unsafe { self.driver.cuDeviceGetP2PAttribute(&mut value, attribute, self.raw, other.raw) }
            .or_cannot(|| format!("ask for the link from {self} to {other} ({attribute:?})"))?;
        Ok(value)
    }

    fn number(&self, attribute: CUdevice_attribute) -> Result<u32> {
        self.attribute(attribute as u32).map(|value| value.max(0) as u32)
    }

    fn flag(&self, attribute: CUdevice_attribute) -> Result<bool> {
        self.attribute(attribute as u32).map(|value| value != 0)
    }

    fn attribute(&self, attribute: u32) -> Result<c_int> {
        let mut value = 0;
        // SAFETY: `value` is a valid out pointer for a c_int; an attribute that the driver does not know gives an error
        // code.
        unsafe { self.driver.cuDeviceGetAttribute(&mut value, attribute, self.raw) }
            .or_cannot(|| format!("ask {self} for attribute {attribute}"))?;
        Ok(value)
    }
}

impl PartialEq for Device {
    fn eq(&self, other: &Self) -> bool {
        self.raw == other.raw
    }
}

impl Eq for Device {}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GPU {}", self.ordinal)
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Device({})", self.ordinal)
    }
}

/// Returns the text before its NUL.
fn string(text: &[c_char]) -> String {
    let bytes: Vec<u8> = text.iter().map(|&c| c as u8).take_while(|&byte| byte != 0).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

//! Objects of a NIC that are given back when they are dropped.

use std::fmt;
use std::sync::Arc;

use oxshmem_core::host::{Error, ErrorKind, Result};

use crate::hca::{Handle, Hca, Region, Uar, UarKind, access};
use crate::mlx5::devx::InUmem;

/// The page size of memory that commands name: the smallest one.
const UMEM_PAGE: u64 = 4096;

/// The kinds of registers that a CPU rings at, in the order in which they are tried. libmlx5 itself rings at the shared
/// one.
const FOR_CPU: [UarKind; 3] = [UarKind::NonCachedDedicated, UarKind::NonCached, UarKind::BlueFlame];

/// An opened NIC, which the objects made of it keep alive.
pub trait OpenedNic: Send + Sync + fmt::Debug {
    /// Returns the NIC.
    fn hca(&self) -> &dyn Hca;
}

/// A function that gives an object back.
type Back = fn(&dyn Hca, Handle) -> Result<()>;

/// An object of a NIC, given back when it is dropped.
#[derive(Debug)]
pub struct OwnedObject<N: OpenedNic> {
    nic: Arc<N>,
    handle: Handle,
    back: Option<Back>,
}

impl<N: OpenedNic> OwnedObject<N> {
    /// Takes the object with this handle, which `back` gives back.
    pub fn new(nic: &Arc<N>, handle: Handle, back: Back) -> Self {
        Self { nic: nic.clone(), handle, back: Some(back) }
    }

    /// Returns the handle.
    pub fn handle(&self) -> Handle {
        self.handle
    }

    /// Gives the object back now.
    ///
    /// # Errors
    /// The NIC refuses. It is tried again when this value is dropped.
    pub fn give_back(&mut self) -> Result<()> {
        if let Some(back) = self.back {
            back(self.nic.hca(), self.handle)?;
            self.back = None;
        }
        Ok(())
    }
}

impl<N: OpenedNic> Drop for OwnedObject<N> {
    fn drop(&mut self) {
        // A drop can't report an error.
        let _ = self.give_back();
    }
}

/// Memory that commands can name.
#[derive(Debug)]
pub struct UmemParts<N: OpenedNic> {
    /// The places of its parts, in the order in which they were requested.
    pub places: Vec<InUmem>,
    _back: Vec<OwnedObject<N>>,
}

/// Lets commands name `bytes` bytes of `region`, and returns the place of each part (offset and length) for commands.
/// Offsets of parts are multiples of 64.
///
/// # Errors
/// The NIC refuses the memory.
pub fn umem_parts<N: OpenedNic>(
    nic: &Arc<N>,
    region: Region,
    bytes: u64,
    parts: &[(u64, u64)],
) -> Result<UmemParts<N>> {
    let umem = |region, bytes, pages| {
        let umem = nic.hca().umem_reg(region, bytes, access::LOCAL_WRITE, pages)?;
        Ok::<_, Error>((umem.id, OwnedObject::new(nic, umem.handle, |hca, umem| hca.umem_dereg(umem))))
    };
    // Offsets are multiples of 4 KiB or lie within the first page after one, so pages must not be larger.
    let error = match umem(region, bytes, Some(UMEM_PAGE)) {
        Ok((id, back)) => {
            let places = parts.iter().map(|&(offset, _)| InUmem { id, offset }).collect();
            return Ok(UmemParts { places, _back: vec![back] });
        }
        Err(error) => error,
    };
    // A library before rdma-core 35 can't limit the page size. The kernel then chooses it, and commands may name no
    // other offset than 0 (Linux, `devx_umem_find_best_pgsize`), so that each part is a umem of its own.
    let Region::Address(at) = region else { return Err(error) };
    let own = |&(offset, bytes): &(u64, u64)| umem(Region::Address(at + offset), bytes, None);
    let made: Vec<(u32, OwnedObject<N>)> =
        parts.iter().map(own).collect::<Result<_>>().map_err(|part: Error| error.hint(part.to_string()))?;
    let (places, _back) = made.into_iter().map(|(id, back)| (InUmem { id, offset: 0 }, back)).unzip();
    Ok(UmemParts { places, _back })
}

/// A doorbell register.
#[derive(Debug)]
pub struct DoorbellRegister<N: OpenedNic> {
    /// The register.
    pub uar: Uar,
    _back: OwnedObject<N>,
}

impl<N: OpenedNic> DoorbellRegister<N> {
    /// Allocates a register.
    ///
    /// # Errors
    /// libmlx5 has none of this kind, or none left.
    pub fn new(nic: &Arc<N>, kind: UarKind) -> Result<Self> {
        let uar = nic.hca().alloc_uar(kind)?;
        Ok(Self { uar, _back: OwnedObject::new(nic, uar.handle, |hca, uar| hca.free_uar(uar)) })
    }
}

/// Allocates a register that a CPU rings by stores of 8 bytes, and returns it with its kind and the reason for it in
/// words. `name` is the NIC's name in errors.
///
/// # Errors
/// There is none of any kind.
pub fn register_for_cpu<N: OpenedNic>(nic: &Arc<N>, name: &str) -> Result<(DoorbellRegister<N>, String)> {
    let mut refused: Vec<String> = Vec::new();
    for kind in FOR_CPU {
        match DoorbellRegister::new(nic, kind) {
            Ok(register) if refused.is_empty() => return Ok((register, format!("{} registers", kind.text()))),
            Ok(register) => return Ok((register, format!("{} registers ({})", kind.text(), refused.join("; ")))),
            Err(error) => refused.push(format!("{}: {error}", kind.text())),
        }
    }
    Err(Error::new(ErrorKind::Exhausted, format!("allocate a doorbell register of {name}"))
        .because(refused.join("; "))
        .hint("ask for fewer queue pairs"))
}

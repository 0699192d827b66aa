//! An opened NIC: it registers memory and maps doorbell registers.

use std::sync::Arc;

use oxshmem_core::host::{Error, Result};
use oxshmem_raw::memory::MemoryAddress;
use oxshmem_rdma::hca::{Handle, Hca, Mr, Port, Region, Uar, UarKind, access};
use oxshmem_rdma::mlx5::devx::InUmem;
use oxshmem_rdma::registrar::{DMA_BUF_DISABLED, MemoryRegistrar};
use oxshmem_rdma::wire::{self, Candidate, Choice, PortInfo, mtu_bytes};

use crate::host::config::IbgdaConfig;
use crate::host::setup::caps::{self, Caps};

/// The page size of memory that commands name: the smallest one.
const UMEM_PAGE: u64 = 4096;

/// A NIC with a protection domain.
#[derive(Debug)]
pub struct Nic {
    /// The NIC.
    pub hca: Arc<dyn Hca>,
    /// The port in use.
    pub port: Port,
    /// The capabilities of the NIC.
    pub caps: Caps,
    /// The addresses that the port may use, the best one first.
    pub gids: Vec<Candidate>,
    pub(in crate::host) pd: Handle,
    /// The protection domain's number.
    pub pdn: u32,
    is_given_back: bool,
    /// Registers memory, and keeps the notes on this NIC for people.
    pub(in crate::host) registrar: MemoryRegistrar,
}

impl Nic {
    /// Opens a chosen NIC for the transport.
    ///
    /// # Errors
    /// The NIC lacks a capability or has no usable address, or refuses a protection domain.
    pub fn new(config: &IbgdaConfig, choice: Choice<dyn Hca>) -> Result<Arc<Self>> {
        let Choice { nic: hca, port, why } = choice;
        let caps = caps::read(&*hca)?;
        caps.check(hca.name(), config)?;
        port.check(hca.name(), &config.wire)?;
        let gids = wire::candidates(&config.wire, hca.name(), &port, &hca.gids(port.number)?)?;
        let (pd, pdn) = hca.alloc_pd()?;
        let name = format!("{} port {}", hca.name(), port.number);
        let registrar = MemoryRegistrar::new(name, (!config.dmabuf).then(|| DMA_BUF_DISABLED.into()));
        registrar.note(why);
        Ok(Arc::new(Self { hca, port, caps, gids, pd, pdn, is_given_back: false, registrar }))
    }

    /// Returns the NIC, its port and its capabilities in two lines for people.
    pub(in crate::host) fn describe(&self, config: &IbgdaConfig) -> String {
        let gids: Vec<String> =
            self.gids.iter().map(|gid| format!("GID {} ({})", gid.index, gid.class.text())).collect();
        format!(
            "{} ({:?}, firmware {}), {}MTU {} bytes, {}\n{}",
            self.name(),
            self.port.link,
            self.hca.firmware(),
            self.port.lid_text(),
            mtu_bytes(config.wire.mtu.unwrap_or(self.port.active_mtu)),
            if gids.is_empty() { "no GID".into() } else { gids.join(", ") },
            self.caps.describe()
        )
    }

    /// Returns how peers address the port, and its limits.
    pub fn port_info(&self) -> PortInfo {
        let (asks, answers) = self.caps.log_rd_atomic();
        PortInfo {
            link: self.port.link,
            lid: self.port.lid,
            mtu: self.port.active_mtu,
            rd_atomic: 1 << asks,
            dest_rd_atomic: 1 << answers,
            gids: self.gids.clone(),
        }
    }

    /// Gives the NIC back.
    ///
    /// # Errors
    /// An object of the NIC is still in use.
    pub fn close(mut self) -> Result<()> {
        self.is_given_back = true;
        self.hca.dealloc_pd(self.pd)
    }

    /// Returns the name for people, such as `mlx5_0 port 1`.
    pub fn name(&self) -> String {
        format!("{} port {}", self.hca.name(), self.port.number)
    }

    /// Registers memory, which operations address from `iova` on.
    ///
    /// # Errors
    /// As [`MemoryRegistrar::register`].
    pub fn register(
        self: &Arc<Self>,
        what: &str,
        address: &MemoryAddress,
        bytes: u64,
        iova: u64,
        rights: u32,
    ) -> Result<Registration> {
        let attempt = |region| self.hca.reg_mr(self.pd, region, bytes, iova, rights);
        let mr = self.registrar.register(what, address, bytes, attempt)?;
        Ok(Registration { mr, _back: OwnedObject::new(self, mr.handle, |hca, mr| hca.dereg_mr(mr)) })
    }

    /// Registers `bytes` bytes that commands can name, and returns the place of each part (offset and length) for
    /// commands. Offsets of parts are multiples of 64.
    ///
    /// # Errors
    /// As [`MemoryRegistrar::register`].
    pub(in crate::host) fn register_umem(
        self: &Arc<Self>,
        what: &str,
        address: &MemoryAddress,
        bytes: u64,
        parts: &[(u64, u64)],
    ) -> Result<UmemParts> {
        let umem = |region, bytes, pages| {
            let umem = self.hca.umem_reg(region, bytes, access::LOCAL_WRITE, pages)?;
            Ok::<_, Error>((umem.id, OwnedObject::new(self, umem.handle, |hca, umem| hca.umem_dereg(umem))))
        };
        self.registrar.register(what, address, bytes, |region| {
            // Offsets are multiples of 4 KiB or lie within the first page after one, so pages must not be larger.
            let error = match umem(region, bytes, Some(UMEM_PAGE)) {
                Ok((id, back)) => {
                    let places = parts.iter().map(|&(offset, _)| InUmem { id, offset }).collect();
                    return Ok(UmemParts { places, _back: vec![back] });
                }
                Err(error) => error,
            };
            // A library before rdma-core 35 can't limit the page size. The kernel then chooses it, and commands may
            // name no other offset than 0 (Linux, `devx_umem_find_best_pgsize`), so that each part is a umem of its
            // own.
            let Region::Address(at) = region else { return Err(error) };
            let own = |&(offset, bytes): &(u64, u64)| umem(Region::Address(at + offset), bytes, None);
            let made: Vec<(u32, OwnedObject)> =
                parts.iter().map(own).collect::<Result<_>>().map_err(|part: Error| error.hint(part.to_string()))?;
            let (places, _back) = made.into_iter().map(|(id, back)| (InUmem { id, offset: 0 }, back)).unzip();
            Ok(UmemParts { places, _back })
        })
    }

    /// Allocates a doorbell register.
    ///
    /// # Errors
    /// libmlx5 has none of this kind, or none left.
    pub(in crate::host) fn doorbell(self: &Arc<Self>, kind: UarKind) -> Result<DoorbellRegister> {
        let uar = self.hca.alloc_uar(kind)?;
        Ok(DoorbellRegister { uar, _back: OwnedObject::new(self, uar.handle, |hca, uar| hca.free_uar(uar)) })
    }
}

impl Drop for Nic {
    fn drop(&mut self) {
        if !self.is_given_back {
            // Every object of the NIC held a reference to it, so all of them are gone.
            let _ = self.hca.dealloc_pd(self.pd);
        }
    }
}

/// A function that gives an object back.
type Back = fn(&dyn Hca, Handle) -> Result<()>;

/// An object of a NIC, given back when it is dropped.
#[derive(Debug)]
pub(in crate::host) struct OwnedObject {
    nic: Arc<Nic>,
    handle: Handle,
    back: Option<Back>,
}

impl OwnedObject {
    pub(in crate::host) fn new(nic: &Arc<Nic>, handle: Handle, back: Back) -> Self {
        Self { nic: nic.clone(), handle, back: Some(back) }
    }

    pub(in crate::host) fn handle(&self) -> Handle {
        self.handle
    }

    /// Gives the object back now.
    pub(in crate::host) fn give_back(&mut self) -> Result<()> {
        self.back.take().map_or(Ok(()), |back| back(&*self.nic.hca, self.handle))
    }
}

impl Drop for OwnedObject {
    fn drop(&mut self) {
        // A drop can't report an error.
        let _ = self.give_back();
    }
}

/// A memory region.
#[derive(Debug)]
pub struct Registration {
    /// The keys, and the handle.
    pub mr: Mr,
    _back: OwnedObject,
}

/// Memory that commands can name.
#[derive(Debug)]
pub(in crate::host) struct UmemParts {
    /// The places of its parts, in the order in which they were requested.
    pub(in crate::host) places: Vec<InUmem>,
    _back: Vec<OwnedObject>,
}

/// A doorbell register.
#[derive(Debug)]
pub(in crate::host) struct DoorbellRegister {
    pub(in crate::host) uar: Uar,
    _back: OwnedObject,
}

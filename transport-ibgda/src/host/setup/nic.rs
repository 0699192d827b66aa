//! An opened NIC: it registers memory and maps doorbell registers.

use std::sync::Arc;

use crate::state::flags;
use oxshmem_core::host::Result;
use oxshmem_raw::memory::MemoryAddress;
use oxshmem_rdma::devx_qp::{self, LocalPort, NicCaps, OpenedNic};
use oxshmem_rdma::hca::{Handle, Hca, Mr, Port, UarKind};
use oxshmem_rdma::registrar::{DMA_BUF_DISABLED, MemoryRegistrar};
use oxshmem_rdma::wire::{self, Candidate, Choice, PortInfo, mtu_bytes};

use crate::host::config::IbgdaConfig;

/// A NIC with a protection domain.
#[derive(Debug)]
pub struct Nic {
    /// The NIC.
    pub hca: Arc<dyn Hca>,
    /// The port in use.
    pub port: Port,
    /// The capabilities of the NIC.
    pub caps: NicCaps,
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
        let action = || format!("use {} from GPU threads", hca.name());
        let caps = NicCaps::read(&*hca, action)?;
        caps.check(action, config.depth.into())?;
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

    /// Returns the bits of [`flags`] that the NIC decides.
    pub fn flags(&self) -> u32 {
        let masked = |bytes, bit| if self.caps.masked(bytes) { bit } else { 0 };
        masked(4, flags::MASKED_32) | masked(8, flags::MASKED_64)
    }

    /// Returns the port, as queue pairs are connected from it.
    pub fn local_port<'a>(&'a self, config: &'a IbgdaConfig) -> LocalPort<'a> {
        LocalPort { hca: &*self.hca, pd: self.pd, caps: &self.caps, port: &self.port, wire: &config.wire }
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
            grh_required: self.port.grh_required,
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
        self.registrar.register(what, address, bytes, |region| devx_qp::umem_parts(self, region, bytes, parts))
    }

    /// Allocates a doorbell register.
    ///
    /// # Errors
    /// libmlx5 has none of this kind, or none left.
    pub(in crate::host) fn doorbell(self: &Arc<Self>, kind: UarKind) -> Result<DoorbellRegister> {
        DoorbellRegister::new(self, kind)
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

/// An object of a NIC, given back when it is dropped.
pub(in crate::host) type OwnedObject = devx_qp::OwnedObject<Nic>;
/// Memory that commands can name.
pub(in crate::host) type UmemParts = devx_qp::UmemParts<Nic>;
/// A doorbell register.
pub(in crate::host) type DoorbellRegister = devx_qp::DoorbellRegister<Nic>;

impl OpenedNic for Nic {
    fn hca(&self) -> &dyn Hca {
        &*self.hca
    }
}

/// A memory region.
#[derive(Debug)]
pub struct Registration {
    /// The keys, and the handle.
    pub mr: Mr,
    _back: OwnedObject,
}

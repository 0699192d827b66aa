//! An opened NIC of the fabric.

use std::sync::{Arc, Mutex, PoisonError};

use oxshmem_core::Pe;
use oxshmem_core::host::Result;

use super::doorbell::PostingRegister;
use super::entry::{MOST_BLOCKS, Masked};
use super::regions::Regions;
use crate::devx_qp::{DoorbellRegister, LocalPort, NicCaps, OpenedNic, register_for_cpu};
use crate::fabric::OpenRequest;
use crate::hca::{Handle, Hca, Port, UarKind};
use crate::wire::{self, Candidate, Choice, PortInfo, WireParams};

/// Bytes of an entry that goes with its doorbell.
const BLOCK: u32 = 64;

/// An opened NIC with a protection domain. All objects of it hold a reference.
#[derive(Debug)]
pub(super) struct OpenNic {
    pub(super) hca: Arc<dyn Hca>,
    pub(super) caps: NicCaps,
    pub(super) port: Port,
    pub(super) gids: Vec<Candidate>,
    pub(super) pd: Handle,
    pub(super) pdn: u32,
    pub(super) eqn: u32,
    pub(super) wire: WireParams,
    pub(super) me: Pe,
    /// The name, such as `mlx5_0 port 1`.
    pub(super) name: String,
    /// The reason for choosing this NIC, for people.
    pub(super) why: String,
    /// Whether the user wants entries to go with their doorbells.
    blue_flame: bool,
    /// How doorbells are rung, for people.
    doorbells: Mutex<Option<String>>,
    pub(super) regions: Regions,
}

impl OpenedNic for OpenNic {
    fn hca(&self) -> &dyn Hca {
        &*self.hca
    }
}

/// Checks that a NIC has the capabilities on which this fabric depends.
///
/// # Errors
/// It lacks one.
pub(super) fn usable(hca: Arc<dyn Hca>, depth: u32) -> Result<Arc<dyn Hca>> {
    read_caps(&*hca, depth)?;
    Ok(hca)
}

fn read_caps(hca: &dyn Hca, depth: u32) -> Result<NicCaps> {
    let action = || format!("write the queues of {} from threads of the host", hca.name());
    let caps = NicCaps::read(hca, action)?;
    caps.check(action, u64::from(depth) * MOST_BLOCKS)?;
    Ok(caps)
}

impl OpenNic {
    /// Takes a NIC that was chosen.
    ///
    /// # Errors
    /// The NIC refuses a call, or has no usable address.
    pub(super) fn new(request: &OpenRequest<'_>, choice: Choice<dyn Hca>, blue_flame: bool) -> Result<Arc<Self>> {
        let Choice { nic: hca, port, why } = choice;
        let (caps, wire) = (read_caps(&*hca, request.depth)?, request.wire.clone());
        port.check(hca.name(), &wire)?;
        let gids = wire::candidates(&wire, hca.name(), &port, &hca.gids(port.number)?)?;
        let eqn = hca.query_eqn()?;
        let name = format!("{} port {}", hca.name(), port.number);
        let (pd, pdn) = hca.alloc_pd()?;
        let (me, doorbells, regions) = (request.me, Mutex::default(), Regions::default());
        Ok(Arc::new(Self { hca, caps, port, gids, pd, pdn, eqn, wire, me, name, why, blue_flame, doorbells, regions }))
    }

    /// Returns the port, as queue pairs are connected from it.
    pub(super) fn local_port(&self) -> LocalPort<'_> {
        LocalPort { hca: &*self.hca, pd: self.pd, caps: &self.caps, port: &self.port, wire: &self.wire }
    }

    /// Returns how peers address the port, and its limits.
    pub(super) fn port_info(&self) -> PortInfo {
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

    /// Returns which masked atomics the NIC has.
    pub(super) fn masked(&self) -> Masked {
        Masked { of_4: self.caps.masked(4), of_8: self.caps.masked(8) }
    }

    /// Allocates a doorbell register: one that takes entries, or else one that takes plain doorbells.
    ///
    /// # Errors
    /// There is none of any kind.
    pub(super) fn doorbell(self: &Arc<Self>) -> Result<(PostingRegister, DoorbellRegister<Self>)> {
        let (half, register, text) = match self.blue_flame_register() {
            Ok((register, half)) => (Some(half), register, "BlueFlame: a single entry goes with its doorbell".into()),
            Err(why) => {
                let (register, which) = register_for_cpu(self, &self.name)?;
                (None, register, format!("plain doorbells at {which}, since {why}"))
            }
        };
        *self.doorbells.lock().unwrap_or_else(PoisonError::into_inner) = Some(text);
        // SAFETY: **mapped**: the register is the NIC's, at least as large as it says, and the caller keeps it as long as
        // the doorbell.
        let doorbell = unsafe { PostingRegister::new(register.uar.register, half) };
        Ok((doorbell, register))
    }

    fn blue_flame_register(self: &Arc<Self>) -> std::result::Result<(DoorbellRegister<Self>, u32), String> {
        if !self.blue_flame {
            return Err("OXSHMEM_IBDEVX_BLUEFLAME is 0".into());
        }
        let half = self.caps.blue_flame_half().filter(|half| *half >= BLOCK && half.is_multiple_of(BLOCK));
        let half = half.ok_or("its registers take no entries")?;
        let register = DoorbellRegister::new(self, UarKind::BlueFlame).map_err(|error| error.to_string())?;
        // Entries are copied in bursts of 64 bytes.
        match register.uar.register.is_multiple_of(BLOCK.into()) {
            true => Ok((register, half)),
            false => Err(format!("the register at {:#x} is not aligned", register.uar.register)),
        }
    }

    /// Returns how doorbells are rung, for people, if a queue was made.
    pub(super) fn doorbells(&self) -> Option<String> {
        self.doorbells.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for OpenNic {
    fn drop(&mut self) {
        // A drop can't report errors; the NIC takes all objects back when it is closed.
        for region in self.regions.handles() {
            let _ = self.hca.dereg_mr(region);
        }
        let _ = self.hca.dealloc_pd(self.pd);
    }
}

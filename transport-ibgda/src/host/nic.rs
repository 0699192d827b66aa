//! An opened NIC, and what it takes to let it reach memory.

use std::os::fd::AsRawFd;
use std::sync::{Arc, Mutex, PoisonError};

use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_raw::gpu::cuda;
use oxshmem_raw::memory::{PAGE, Place};
use oxshmem_raw::rdma::hca::{Handle, Hca, Mr, Port, Region, Uar, UarKind, Umem, access};
use oxshmem_raw::rdma::wire::{self, Candidate, Choice, PortInfo, mtu_bytes};

use super::caps::{self, Caps};
use super::config::IbgdaConfig;

/// A NIC with a protection domain.
#[derive(Debug)]
pub(super) struct Nic {
    pub(super) hca: Arc<dyn Hca>,
    pub(super) port: Port,
    pub(super) caps: Caps,
    pub(super) gids: Vec<Candidate>,
    pub(super) pd: Handle,
    /// The protection domain's number.
    pub(super) pdn: u32,
    is_given_back: bool,
    dmabuf: bool,
    /// What was chosen and why, for people.
    notes: Mutex<Vec<String>>,
}

impl Nic {
    /// Takes a NIC that was chosen.
    ///
    /// # Errors
    /// It lacks what is needed: what that is.
    pub(super) fn new(config: &IbgdaConfig, choice: Choice<dyn Hca>) -> Result<Arc<Self>> {
        let Choice { nic: hca, port, why } = choice;
        let caps = caps::read(&*hca)?;
        caps.check(hca.name(), config)?;
        config.wire.check_on(hca.name(), &port)?;
        let gids = wire::candidates(&config.wire, hca.name(), &port, &hca.gids(port.number)?)?;
        let (pd, pdn) = hca.alloc_pd()?;
        let dmabuf = config.dmabuf;
        Ok(Arc::new(Self {
            hca,
            port,
            caps,
            gids,
            pd,
            pdn,
            is_given_back: false,
            dmabuf,
            notes: Mutex::new(vec![why]),
        }))
    }

    /// What it is, in two lines for people.
    pub(super) fn describe(&self, config: &IbgdaConfig) -> String {
        let gids: Vec<String> =
            self.gids.iter().map(|gid| format!("GID {} ({})", gid.index, gid.class.text())).collect();
        format!(
            "{} ({:?}, firmware {}), LID {}, MTU {} bytes, {}\n{}",
            self.name(),
            self.port.link,
            self.hca.firmware(),
            self.port.lid,
            mtu_bytes(config.wire.mtu.unwrap_or(self.port.active_mtu)),
            if gids.is_empty() { "no GID".into() } else { gids.join(", ") },
            self.caps.describe()
        )
    }

    /// How its port is called.
    pub(super) fn card(&self) -> PortInfo {
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

    /// Gives it back.
    ///
    /// # Errors
    /// Something of it is still in use.
    pub(super) fn close(mut self) -> Result<()> {
        self.is_given_back = true;
        self.hca.dealloc_pd(self.pd)
    }

    /// As `mlx5_0 port 1`.
    pub(super) fn name(&self) -> String {
        format!("{} port {}", self.hca.name(), self.port.number)
    }

    /// Keeps something for people.
    pub(super) fn note(&self, note: String) {
        let mut notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        if !notes.contains(&note) {
            notes.push(note);
        }
    }

    /// What was kept.
    pub(super) fn notes(&self) -> Vec<String> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Registers memory, which operations then name by addresses from `iova` on.
    ///
    /// # Errors
    /// No way to it worked: each that was tried, and what the system answered.
    pub(super) fn register(
        self: &Arc<Self>,
        what: &str,
        place: &Place,
        bytes: u64,
        iova: u64,
        rights: u32,
    ) -> Result<Registered> {
        let mr = self.by_any_way(what, place, bytes, |region| self.hca.reg_mr(self.pd, region, bytes, iova, rights))?;
        Ok(Registered { mr, _back: Owned::new(self, mr.handle, |hca, mr| hca.dereg_mr(mr)) })
    }

    /// Lets commands name memory.
    ///
    /// # Errors
    /// As [`register`](Self::register).
    pub(super) fn share(self: &Arc<Self>, what: &str, place: &Place, bytes: u64) -> Result<Shared> {
        let umem = self.by_any_way(what, place, bytes, |region| {
            // Commands name places in it at multiples of 4 KiB, so pages must not be larger. Without a say in that
            // (an old library), places are what the kernel makes of them.
            let paged = self.hca.umem_reg(region, bytes, access::LOCAL_WRITE, Some(4096));
            match paged {
                Err(error) if matches!(region, Region::Address(_)) => {
                    self.hca.umem_reg(region, bytes, access::LOCAL_WRITE, None).map_err(|_| error)
                }
                other => other,
            }
        })?;
        Ok(Shared { umem, _back: Owned::new(self, umem.handle, |hca, umem| hca.umem_dereg(umem)) })
    }

    /// Maps a doorbell register, one that nothing else writes where there is such a thing.
    ///
    /// # Errors
    /// No kind of page could be mapped.
    pub(super) fn doorbell(self: &Arc<Self>) -> Result<Register> {
        let mut refused = Vec::new();
        for kind in [UarKind::NonCachedDedicated, UarKind::NonCached, UarKind::BlueFlame] {
            match self.hca.alloc_uar(kind) {
                Ok(uar) => {
                    self.note(format!("doorbell pages are {kind:?}"));
                    return Ok(Register { uar, _back: Owned::new(self, uar.handle, |hca, uar| hca.free_uar(uar)) });
                }
                Err(error) => refused.push(format!("{kind:?}: {error}")),
            }
        }
        Err(Error::new(ErrorKind::Exhausted, format!("map a doorbell page of {}", self.name()))
            .because(refused.join("; "))
            .hint("ask for fewer queue pairs"))
    }

    /// Tries the ways from the NIC to memory one after the other.
    fn by_any_way<T>(&self, what: &str, place: &Place, bytes: u64, attempt: impl Fn(Region) -> Result<T>) -> Result<T> {
        let (context, at) = match place {
            Place::Host(at) => {
                return attempt(Region::Address(*at)).inspect(|_| self.note(format!("{what}: host memory")));
            }
            Place::Device(context, at) => (context, *at),
        };
        let mut refused = Vec::new();
        if self.dmabuf {
            // The driver makes dma-bufs of whole pages.
            let from = at - at % PAGE as u64;
            let whole = (at + bytes - from).next_multiple_of(PAGE as u64);
            let made = cuda::dma_buf(context, from, whole as usize);
            let taken = made.and_then(|fd| attempt(Region::DmaBuf { fd: fd.as_raw_fd(), offset: at - from }));
            match taken {
                Ok(taken) => {
                    self.note(format!("{what}: GPU memory, by dma-buf"));
                    return Ok(taken);
                }
                Err(error) => refused.push(format!("by dma-buf: {error}")),
            }
        } else {
            refused.push("by dma-buf: OXSHMEM_IB_DISABLE_DMABUF is set".into());
        }
        match attempt(Region::Address(at)) {
            Ok(taken) => {
                self.note(format!("{what}: GPU memory, by its address (peermem); {}", refused.join("; ")));
                Ok(taken)
            }
            Err(error) => {
                refused.push(format!("by address: {error}"));
                Err(Error::new(ErrorKind::Unreachable, format!("let {} reach {what}", self.name()))
                    .because(refused.join("; "))
                    .hint("dma-bufs need the NVIDIA driver's open kernel modules and Linux 5.12; else load nvidia-peermem"))
            }
        }
    }
}

impl Drop for Nic {
    fn drop(&mut self) {
        if !self.is_given_back {
            // All that used it held this, and is gone.
            let _ = self.hca.dealloc_pd(self.pd);
        }
    }
}

/// How an object is given back.
type Back = fn(&dyn Hca, Handle) -> Result<()>;

/// An object of a NIC, given back when it is dropped.
#[derive(Debug)]
pub(super) struct Owned {
    nic: Arc<Nic>,
    handle: Handle,
    back: Option<Back>,
}

impl Owned {
    pub(super) fn new(nic: &Arc<Nic>, handle: Handle, back: Back) -> Self {
        Self { nic: nic.clone(), handle, back: Some(back) }
    }

    pub(super) fn handle(&self) -> Handle {
        self.handle
    }

    /// Gives it back now, and says whether that worked.
    pub(super) fn give_back(&mut self) -> Result<()> {
        self.back.take().map_or(Ok(()), |back| back(&*self.nic.hca, self.handle))
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        // Nobody is left to be told.
        let _ = self.give_back();
    }
}

/// Registered memory.
#[derive(Debug)]
pub(super) struct Registered {
    pub(super) mr: Mr,
    _back: Owned,
}

/// Memory that commands can name.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) umem: Umem,
    _back: Owned,
}

/// A doorbell register.
#[derive(Debug)]
pub(super) struct Register {
    pub(super) uar: Uar,
    _back: Owned,
}

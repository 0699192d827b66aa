//! One queue: its queue pair, its memory, its doorbell.

use std::sync::Arc;

use crate::state::{QueueState, flags};
use oxshmem_core::Pe;
use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_raw::memory::Memory;
use oxshmem_raw::rdma::hca::VerbsQp;
use oxshmem_raw::rdma::mlx5::devx::QpContext;
use oxshmem_raw::rdma::mlx5::{BLOCK_BYTES, Key};

use super::bell::{Bell, Bells};
use super::config::IbgdaConfig;
use super::control::{Control, Places};
use super::devx::DevxQp;
use super::keys::First;
use super::mapper::Mapped;
use super::nic::{Nic, Register};
use super::route::Link;
use super::twin::Twin;

/// Blocks that may be outstanding: fewer than half of what 16 bits tell apart.
const ROOM: u32 = (1 << 15) - 1;

/// A queue, in the order in which its parts are given back.
#[derive(Debug)]
pub(super) struct Queue {
    bell: Option<Bell>,
    /// What kernels reach of a twin's memory.
    mapped: Vec<Mapped>,
    pair: Pair,
    /// Its memory, and which of the queues there it is.
    control: Arc<Control>,
    index: usize,
    depth: u32,
    /// Where kernels find its parts.
    places: Places,
    /// The NIC that it is on.
    nic: Arc<Nic>,
}

#[derive(Debug)]
enum Pair {
    Devx(DevxQp, Register),
    Verbs(Twin),
}

/// What a queue is part of.
#[derive(Clone, Copy, Debug)]
pub(super) struct Role {
    pub(super) pe: Pe,
    /// Its handle's raw value.
    pub(super) handle: i32,
    /// The first extent of the heap, if it was shared.
    pub(super) first: Option<First>,
    /// Where kernels find the keys of its NIC and of the peer's, if those were told.
    pub(super) keys: Option<u64>,
    /// Where kernels find the world's state.
    pub(super) world: u64,
    /// Whether payload may be in memory of the host.
    pub(super) wide: bool,
}

impl Queue {
    /// Makes a queue pair in state RESET in place `index` of `control`, which kernels ring through `bells`, or the host
    /// itself where there are none.
    pub(super) fn new(
        nic: &Arc<Nic>,
        control: &Arc<Control>,
        index: usize,
        depth: u32,
        eqn: u32,
        bells: Option<&mut Bells>,
    ) -> Result<Self> {
        let register = nic.doorbell()?;
        let qp = DevxQp::new(nic, &control.parts(index), depth, register.uar.page, eqn)?;
        let bell = bells.map(|bells| bells.bell(nic, register.uar.register)).transpose()?;
        let (pair, places) = (Pair::Devx(qp, register), control.places(index));
        let (control, nic) = (control.clone(), nic.clone());
        Ok(Self { bell, mapped: Vec::new(), pair, control, index, depth, places, nic })
    }

    /// Takes a twin over, whose completions are copied to place `index` of `control`, which is on the host.
    pub(super) fn of_twin(
        nic: &Arc<Nic>,
        control: &Arc<Control>,
        index: usize,
        mut twin: Twin,
        bells: &mut Bells,
    ) -> Result<Self> {
        let mut places = control.places(index);
        let entry = control.host_places(index).map_or(places.cqe, |places| places.cqe);
        let VerbsQp { sq, sq_blocks, dbr, register, .. } = twin.made;
        // SAFETY: **mapped**: the queue pair's memory is given back after what is mapped of it.
        let (sq, sq_mapped) = unsafe { bells.map(sq, u64::from(sq_blocks) * BLOCK_BYTES as u64) }?;
        // SAFETY: **mapped**: as above.
        let (dbr, dbr_mapped) = unsafe { bells.map(dbr, 8) }?;
        // The second word of the record is the send queue's.
        (places.sq, places.dbr) = (sq, dbr + 4);
        let bell = bells.bell(nic, register)?;
        twin.copy_completions(&mut bells.helper, entry)?;
        let mapped = sq_mapped.into_iter().chain(dbr_mapped).collect();
        let (bell, pair) = (Some(bell), Pair::Verbs(twin));
        let (control, nic) = (control.clone(), nic.clone());
        Ok(Self { bell, mapped, pair, control, index, depth: sq_blocks, places, nic })
    }

    pub(super) fn qpn(&self) -> u32 {
        match &self.pair {
            Pair::Devx(qp, _) => qp.qpn,
            Pair::Verbs(twin) => twin.made.qpn,
        }
    }

    pub(super) fn depth(&self) -> u32 {
        self.depth
    }

    /// The doorbell register, for the host.
    pub(super) fn register(&self) -> u64 {
        match &self.pair {
            Pair::Devx(_, register) => register.uar.register,
            Pair::Verbs(twin) => twin.made.register,
        }
    }

    /// Where the host reaches its parts, if they are on the host.
    pub(super) fn host_places(&self) -> Option<Places> {
        self.control.host_places(self.index)
    }

    /// Whether its memory is the host's.
    pub(super) fn is_on_host(&self) -> bool {
        self.control.is_on_host()
    }

    /// Where kernels reach its parts.
    pub(super) fn places(&self) -> Places {
        self.places
    }

    /// What the NIC has of it.
    ///
    /// # Errors
    /// The NIC refuses to say.
    pub(super) fn context(&self, nic: &Nic) -> Result<QpContext> {
        match &self.pair {
            Pair::Devx(qp, _) => qp.context(nic),
            Pair::Verbs(twin) => twin.context(nic),
        }
    }

    /// Moves it to RTS.
    pub(super) fn connect(&self, config: &IbgdaConfig, link: &Link) -> Result<()> {
        let nic = &self.nic;
        match &self.pair {
            Pair::Devx(qp, _) => qp.connect(nic, config, link),
            Pair::Verbs(twin) => twin.connect(nic, link),
        }
    }

    /// What kernels read of it.
    ///
    /// # Errors
    /// The heap was not shared before.
    pub(super) fn state(&self, memory: &Memory, config: &IbgdaConfig, role: Role) -> Result<QueueState> {
        let Role { pe, handle, first, keys, world, wide } = role;
        let (first, keys) = first.zip(keys).ok_or_else(|| {
            Error::new(ErrorKind::InvalidArgument, format!("connect queue pairs with {pe}"))
                .because("no extent of the heap was exchanged with it before, or not for as many NICs as it has")
        })?;
        let Places { cqe, dbr, sq, marks, fetch, fetch_iova, fetch_lkey } = self.places;
        Ok(QueueState {
            sq,
            cqe,
            dbr,
            doorbell: self.bell.as_ref().map_or(0, Bell::kernel),
            marks,
            fetch,
            fetch_iova,
            first_end: first.end,
            lkey: first.lkey,
            rkey: first.rkey,
            fetch_lkey: Key::new(fetch_lkey).wire(),
            qpn: self.qpn(),
            depth: self.depth,
            room: self.depth.min(ROOM),
            pe: pe.number(),
            handle,
            flags: self.flags(memory, config, wide)?,
            most_served: self.depth,
            world,
            nic: keys,
            unused1: 0,
            reserved: 0,
            done: 0,
            bytes: 0,
            stalls: 0,
            posted: 0,
            claim: 0,
            doorbells: 0,
            stopped: 0,
            offered: 0,
            home: 0,
            unused2: [0; 6],
        })
    }

    /// What it can and needs: bits of [`flags`]. `wide`: payload may be in memory of the host.
    ///
    /// # Errors
    /// The GPU can't be asked.
    pub(super) fn flags(&self, memory: &Memory, config: &IbgdaConfig, wide: bool) -> Result<u32> {
        let (wide, dump) = match memory {
            Memory::Host => (true, false),
            Memory::Gpu(context) => (wide || self.control.is_on_host(), !context.device().rdma_writes_in_order()?),
        };
        let bit = |yes: bool, bit: u32| if yes { bit } else { 0 };
        Ok(self.nic.caps.flags() | bit(wide, flags::WIDE_FENCES) | bit(config.dump.unwrap_or(dump), flags::DUMP))
    }

    /// Stops it and gives all of it back.
    ///
    /// # Errors
    /// The NIC refuses; the rest is given back all the same.
    pub(super) fn destroy(self) -> Result<()> {
        let Self { bell, mapped, pair, control, nic, .. } = self;
        drop((bell, mapped));
        let gone = match pair {
            Pair::Devx(qp, register) => {
                qp.stop(&nic);
                let gone = qp.destroy();
                drop(register);
                gone
            }
            Pair::Verbs(twin) => twin.destroy(),
        };
        drop(control);
        gone
    }
}

//! A queue pair with its memory and its doorbell.

pub(in crate::host) mod devx;
pub(in crate::host) mod verbs_qp;

use std::ptr::with_exposed_provenance_mut;
use std::sync::Arc;

use crate::state::{QueueState, flags};
use oxshmem_core::Pe;
use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_raw::memory::Memory;
use oxshmem_raw::os::mmio;
use oxshmem_rdma::devx_qp::{self, ConnectParams};
use oxshmem_rdma::hca::VerbsQpLayout;
use oxshmem_rdma::mlx5::devx::QpContext;
use oxshmem_rdma::mlx5::{BLOCK_BYTES, Key};

use crate::host::config::IbgdaConfig;
use crate::host::doorbell::mapper::KernelMapping;
use crate::host::doorbell::{Doorbell, Doorbells};
use crate::host::keys::FirstExtent;
use crate::host::queue_memory::{QueueAddresses, QueueMemory};
use crate::host::setup::nic::{DoorbellRegister, Nic};
use devx::DevxQp;
use verbs_qp::VerbsQp;

/// The most blocks in flight: fewer than half of the values that 16 bits can distinguish.
const ROOM: u32 = (1 << 15) - 1;

/// A queue pair. Its fields are dropped in this order.
#[derive(Debug)]
pub struct QueuePair {
    doorbell: Option<Doorbell>,
    /// Mappings for kernels of a verbs queue pair's memory.
    mapped: Vec<KernelMapping>,
    backend: Backend,
    /// The memory, and the queue pair's index in it.
    memory: Arc<QueueMemory>,
    index: usize,
    depth: u32,
    /// The addresses of its parts for kernels.
    addresses: QueueAddresses,
    /// The NIC that has it.
    nic: Arc<Nic>,
}

#[derive(Debug)]
enum Backend {
    Devx(DevxQp, DoorbellRegister),
    Verbs(VerbsQp),
}

/// The place of a queue pair among the rows, and further data for kernels.
#[derive(Clone, Copy, Debug)]
pub(in crate::host) struct QueueRole {
    pub(in crate::host) pe: Pe,
    /// The raw value of its handle.
    pub(in crate::host) handle: i32,
    /// The first extent of the heap, if it was published.
    pub(in crate::host) first: Option<FirstExtent>,
    /// The address for kernels of the keys of its NIC and of the peer's, if the peer has offered them.
    pub(in crate::host) keys: Option<u64>,
    /// The address for kernels of the world's state.
    pub(in crate::host) world: u64,
    /// Whether payload may be in host memory although kernels run on a GPU.
    pub(in crate::host) host_payload: bool,
}

impl QueuePair {
    /// Makes a queue pair in state RESET at index `index` of `memory`. Kernels ring it through `doorbells`; without
    /// them, only the host does.
    pub fn new(
        nic: &Arc<Nic>,
        memory: &Arc<QueueMemory>,
        index: usize,
        depth: u32,
        eqn: u32,
        doorbells: Option<&mut Doorbells>,
    ) -> Result<Self> {
        // The doorbell is dropped before the register's page, here and in the queue pair.
        let (register, doorbell) = match doorbells {
            Some(doorbells) => doorbells.take(nic).map(|(register, doorbell)| (register, Some(doorbell)))?,
            None => (devx_qp::register_for_cpu(nic, &nic.name())?.0, None),
        };
        let qp = DevxQp::new(nic, &memory.places(index), depth, register.uar.page, eqn)?;
        let (backend, addresses) = (Backend::Devx(qp, register), memory.addresses(index));
        let (memory, nic) = (memory.clone(), nic.clone());
        Ok(Self { doorbell, mapped: Vec::new(), backend, memory, index, depth, addresses, nic })
    }

    /// Takes a verbs queue pair over. Its completions are copied to index `index` of `memory`, which is on the host.
    pub fn of_verbs(
        nic: &Arc<Nic>,
        memory: &Arc<QueueMemory>,
        index: usize,
        mut verbs: VerbsQp,
        doorbells: &mut Doorbells,
    ) -> Result<Self> {
        let mut addresses = memory.addresses(index);
        let entry = memory.host_addresses(index).ok_or_else(|| {
            Error::new(ErrorKind::InvalidArgument, format!("use a verbs queue pair of {}", nic.name()))
                .because("the memory for its completions is not on the host")
        })?;
        let VerbsQpLayout { sq, sq_blocks, dbr, register, shares_register, .. } = verbs.layout;
        // SAFETY: **mapped**: the send queue is the verbs queue pair's memory, and `Self` drops `mapped` before it.
        let (sq, sq_mapped) = unsafe { doorbells.map(sq, u64::from(sq_blocks) * BLOCK_BYTES as u64) }?;
        // SAFETY: **mapped**: the doorbell record is the verbs queue pair's too, and `Self` drops `mapped` before it.
        let (dbr, dbr_mapped) = unsafe { doorbells.map(dbr, 8) }?;
        // The second word of the record is the send queue's.
        (addresses.sq, addresses.dbr) = (sq, dbr + 4);
        // SAFETY: **mapped**: the register is the verbs queue pair's, and `Self` drops its doorbell before that.
        let doorbell = unsafe { doorbells.at(nic, register, shares_register) }?;
        // SAFETY: **entry**: it is the queue's place in `memory`, which `Self` keeps for longer than `verbs`, and it is
        // on the host.
        unsafe { verbs.copy_completions(&mut doorbells.service, entry.cqe) }?;
        let mapped = sq_mapped.into_iter().chain(dbr_mapped).collect();
        let (doorbell, backend) = (Some(doorbell), Backend::Verbs(verbs));
        let (memory, nic) = (memory.clone(), nic.clone());
        Ok(Self { doorbell, mapped, backend, memory, index, depth: sq_blocks, addresses, nic })
    }

    /// Returns the queue pair's number.
    pub fn qpn(&self) -> u32 {
        match &self.backend {
            Backend::Devx(qp, _) => qp.qpn,
            Backend::Verbs(verbs) => verbs.layout.qpn,
        }
    }

    /// Returns the basic blocks of the send queue.
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// Rings the NIC from the host by a store of `value` to the doorbell register, after all earlier stores.
    pub fn ring(&self, value: u64) {
        let register = match &self.backend {
            Backend::Devx(_, register) => register.uar.register,
            Backend::Verbs(verbs) => verbs.layout.register,
        };
        // SAFETY: **mapped**: the register is 8 aligned bytes of a doorbell page that is mapped while the queue pair
        // exists, and all access to it is atomic.
        unsafe { mmio::store_u64(with_exposed_provenance_mut(register as usize), value) };
    }

    /// Returns the addresses of its parts for the host; `None` if they are in GPU memory.
    pub(in crate::host) fn host_addresses(&self) -> Option<QueueAddresses> {
        self.memory.host_addresses(self.index)
    }

    /// Returns whether its memory is on the host.
    pub fn is_on_host(&self) -> bool {
        self.memory.is_on_host()
    }

    /// Returns the addresses of its parts for kernels.
    pub fn addresses(&self) -> QueueAddresses {
        self.addresses
    }

    /// Queries the queue pair's context.
    ///
    /// # Errors
    /// The NIC refuses.
    pub fn context(&self, nic: &Nic) -> Result<QpContext> {
        match &self.backend {
            Backend::Devx(qp, _) => qp.context(nic),
            Backend::Verbs(verbs) => verbs.context(nic),
        }
    }

    /// Moves the queue pair to RTS.
    pub fn connect(&self, config: &IbgdaConfig, params: &ConnectParams) -> Result<()> {
        let nic = &self.nic;
        match &self.backend {
            Backend::Devx(qp, _) => qp.connect(nic, config, params),
            Backend::Verbs(verbs) => verbs.connect(nic, params),
        }
    }

    /// Returns the queue pair's entry in the tables of kernels.
    ///
    /// # Errors
    /// The heap was not exchanged with the peer before, or the GPU can't be queried.
    pub(in crate::host) fn state(&self, kernels: &Memory, config: &IbgdaConfig, role: QueueRole) -> Result<QueueState> {
        let QueueRole { pe, handle, first, keys, world, host_payload } = role;
        let (first, keys) = first.zip(keys).ok_or_else(|| {
            Error::new(ErrorKind::InvalidArgument, format!("connect queue pairs with {pe}"))
                .because("no extent of the heap was exchanged with it before, or not for as many NICs as it has")
        })?;
        let QueueAddresses { cqe, dbr, sq, marks, fetch, fetch_iova, fetch_lkey } = self.addresses;
        Ok(QueueState {
            sq,
            cqe,
            dbr,
            doorbell: self.doorbell.as_ref().map_or(0, Doorbell::kernel),
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
            flags: self.flags(kernels, config, host_payload)?,
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

    /// Returns the capabilities and needs of the queue pair: bits of [`flags`]. `host_payload` is that of
    /// [`QueueRole`].
    ///
    /// # Errors
    /// The GPU can't be queried.
    pub(in crate::host) fn flags(&self, kernels: &Memory, config: &IbgdaConfig, host_payload: bool) -> Result<u32> {
        let (host_payload, dump) = match kernels {
            Memory::Host => (true, false),
            Memory::Gpu(context) => {
                (host_payload || self.memory.is_on_host(), !context.device().rdma_writes_in_order()?)
            }
        };
        let bit = |yes: bool, bit: u32| if yes { bit } else { 0 };
        Ok(self.nic.flags() | bit(host_payload, flags::WIDE_FENCES) | bit(config.dump.unwrap_or(dump), flags::DUMP))
    }

    /// Stops the queue pair and gives all of it back.
    ///
    /// # Errors
    /// The NIC refuses; the other parts are given back in any case.
    pub fn destroy(self) -> Result<()> {
        let Self { doorbell, mapped, backend, memory, nic, .. } = self;
        drop((doorbell, mapped));
        let gone = match backend {
            Backend::Devx(qp, register) => {
                qp.stop(&nic);
                let gone = qp.destroy();
                drop(register);
                gone
            }
            Backend::Verbs(verbs) => verbs.destroy(),
        };
        drop(memory);
        gone
    }
}

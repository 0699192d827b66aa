//! The interface between the InfiniBand transports and the driver of a NIC.
//!
//! [`Hca`] is libmlx5's own interface with Rust's types: verbs for device, protection domain and memory, DEVX for the
//! rest. Two types implement it: libibverbs with libmlx5, opened at run time, and the software NIC of the tests.

use std::fmt;
use std::sync::Arc;

use oxshmem_core::host::Result;

pub use crate::fabric::{Handle, Region};

/// Finds and opens NICs.
pub trait Provider: Send + Sync + fmt::Debug {
    /// Describes the provider: "libibverbs 1.14.44.0 from /usr/lib/...", "software NIC, seed 7".
    fn describe(&self) -> String;

    /// Lists the NICs of this machine, in the order of the system. The list is empty if there is none.
    ///
    /// # Errors
    /// The NICs can't be listed: there is no library, no driver or no permission.
    fn list(&self) -> Result<Vec<Found>>;

    /// Opens a NIC by name, with DEVX.
    ///
    /// # Errors
    /// There is no NIC of this name, no permission, or its driver refuses DEVX.
    fn open(&self, name: &str) -> Result<Arc<dyn Hca>>;
}

/// A NIC that was found, as the system describes it before it is opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The name that the system gives it: `mlx5_0`.
    pub name: String,
    /// Domain, bus, device and function on PCI; `None` if it is not on PCI.
    pub pci: Option<(u32, u8, u8, u8)>,
    /// Its NUMA node.
    pub numa_node: Option<u32>,
    /// Whether libmlx5 drives it.
    pub is_mlx5: bool,
}

/// A port of a NIC.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Port {
    /// Its number; 1 for the first.
    pub number: u8,
    /// 1 down, 2 initialising, 3 armed, 4 active: `enum ibv_port_state`.
    pub state: u8,
    /// The kind of wire.
    pub link: LinkLayer,
    /// The local identifier on InfiniBand, 0 on Ethernet.
    pub lid: u16,
    /// 1: 256 bytes to 5: 4096 bytes, `enum ibv_mtu`.
    pub active_mtu: u8,
    /// The number of entries of its GID table.
    pub gids: u32,
    /// The number of entries of its partition table.
    pub pkeys: u32,
    /// On InfiniBand, whether every packet from and to the port must have a global route header
    /// (`IBV_QPF_GRH_REQUIRED`): virtual functions can share a LID, and are then told apart by their GIDs.
    pub grh_required: bool,
}

impl Port {
    /// Returns the local identifier for a line of text, with a comma after it; on Ethernet, which has none, nothing.
    pub fn lid_text(&self) -> String {
        match self.link {
            LinkLayer::InfiniBand => format!("LID {}, ", self.lid),
            LinkLayer::Ethernet => String::new(),
        }
    }
}

/// The kind of wire at a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkLayer {
    /// InfiniBand.
    InfiniBand,
    /// Ethernet, which carries RoCE.
    Ethernet,
}

impl LinkLayer {
    /// Returns the name for people.
    pub fn text(self) -> &'static str {
        match self {
            Self::InfiniBand => "InfiniBand",
            Self::Ethernet => "Ethernet",
        }
    }
}

/// The kind of a GID.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GidKind {
    /// InfiniBand.
    InfiniBand,
    /// RoCE on Ethernet frames.
    RoceV1,
    /// RoCE on UDP.
    RoceV2,
}

/// A used entry of a GID table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gid {
    /// Its index in the table.
    pub index: u32,
    /// The address, in network order.
    pub raw: [u8; 16],
    /// Its kind.
    pub kind: GidKind,
}

/// Access rights of registered memory: bits of `enum ibv_access_flags`.
pub mod access {
    /// The NIC may write the memory for operations of this side.
    pub const LOCAL_WRITE: u32 = 1;
    /// Peers may write it.
    pub const REMOTE_WRITE: u32 = 2;
    /// Peers may read it.
    pub const REMOTE_READ: u32 = 4;
    /// Peers may change it by atomics.
    pub const REMOTE_ATOMIC: u32 = 8;
    /// Writes to it may arrive in any order.
    pub const RELAXED_ORDERING: u32 = 1 << 20;
}

/// A memory region: a registered range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mr {
    /// The handle by which it is given back.
    pub handle: Handle,
    /// The key for operations of this side.
    pub lkey: u32,
    /// The key for operations of peers.
    pub rkey: u32,
}

/// Memory that DEVX commands can name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Umem {
    /// The handle by which it is given back.
    pub handle: Handle,
    /// The number by which commands name it.
    pub id: u32,
}

/// A kind of doorbell register: flags of `mlx5dv_devx_alloc_uar`. libmlx5 hands out several registers of a page, each
/// to one user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum UarKind {
    /// A register of this user alone, mapped write-combining; it has 2 x 256 bytes.
    BlueFlame = 0,
    /// The one register that all users of the context share; not cached.
    NonCached = 1,
    /// A register of this user alone; not cached. Needs rdma-core 45.
    NonCachedDedicated = 0x8000_0000,
}

impl UarKind {
    /// Returns the name for people.
    pub fn text(self) -> &'static str {
        match self {
            Self::BlueFlame => "BlueFlame",
            Self::NonCached => "shared non-cached",
            Self::NonCachedDedicated => "dedicated non-cached",
        }
    }
}

/// A doorbell register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Uar {
    /// The handle by which it is given back.
    pub handle: Handle,
    /// The number by which commands name its page.
    pub page: u32,
    /// Its address in this process; a doorbell is a store of 8 bytes there.
    pub register: u64,
    /// The page's address in this process. Other registers may be on the same page.
    pub base: u64,
}

/// The address of a peer, for an address handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AhAttr {
    /// The port of this side.
    pub port: u8,
    /// The peer's LID (InfiniBand).
    pub dlid: u16,
    /// The service level.
    pub sl: u8,
    /// The peer's GID and the index of this side's GID, if the route is global; it always is on Ethernet.
    pub global: Option<([u8; 16], u32)>,
    /// The hop limit.
    pub hop_limit: u8,
    /// The traffic class.
    pub traffic_class: u8,
}

/// The memory of a queue pair made by verbs, as `mlx5dv_init_obj` reports it. It is in host memory, and serves as the
/// reference for queue pairs made by DEVX.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VerbsQpLayout {
    /// The handle by which it is given back, together with its CQ.
    pub handle: Handle,
    /// The number of the queue pair.
    pub qpn: u32,
    /// The address of the send queue, of `sq_blocks` basic blocks of 64 bytes.
    pub sq: u64,
    /// The number of basic blocks of the send queue.
    pub sq_blocks: u32,
    /// The address of the doorbell record: two words, the second of which is the send queue's.
    pub dbr: u64,
    /// The address of the doorbell register.
    pub register: u64,
    /// Whether other queue pairs may have the same register, because the driver has no thread domains.
    pub shares_register: bool,
    /// The address of the CQ's buffer: a ring of `cq_entries` entries of 64 bytes, not collapsed.
    pub cq: u64,
    /// The number of entries of the CQ.
    pub cq_entries: u32,
    /// The address of the CQ's doorbell record.
    pub cq_dbr: u64,
    /// The number of the CQ.
    pub cqn: u32,
}

/// The calls that every opened NIC supports, with any driver.
///
/// Calls may come from several threads. An error carries the call (`ibv_reg_mr` ...) and its code (an errno).
pub trait VerbsNic: Send + Sync + fmt::Debug {
    /// Returns the name that the system gives the NIC.
    fn name(&self) -> &str;

    /// Returns the version of the firmware, for people.
    fn firmware(&self) -> String;

    /// Returns the ports, from number 1 on.
    fn ports(&self) -> Result<Vec<Port>>;

    /// Returns the used entries of a port's GID table.
    fn gids(&self, port: u8) -> Result<Vec<Gid>>;

    /// Gives a protection domain back.
    fn dealloc_pd(&self, pd: Handle) -> Result<()>;

    /// Registers `bytes` bytes, which this side and peers address from `iova` on.
    fn reg_mr(&self, pd: Handle, region: Region, bytes: u64, iova: u64, access: u32) -> Result<Mr>;

    /// Gives a memory region back.
    fn dereg_mr(&self, mr: Handle) -> Result<()>;
}

/// An opened NIC that takes commands of the firmware.
///
/// Calls may come from several threads. An error carries the call (`ibv_reg_mr`, `mlx5dv_devx_obj_create` ...) and its
/// code (an errno). For a command that the firmware refused, the reason has its status and syndrome.
///
/// *Caller:* gives objects back in this order: queue pairs, completion queues, umems, doorbell pages, memory regions,
/// protection domain. An object in use is refused.
///
/// # Safety
///
/// Queues are written at the addresses that it returns.
///
/// - **mapped**: doorbell registers, and the memory of [verbs queue pairs](Hca::verbs_qp), are mapped in this process at
///   the addresses that it returns, until they are given back.
/// - **named**: the NIC accesses memory that is registered, as the entries of queues and the peers' keys name it, until it
///   is given back.
pub unsafe trait Hca: VerbsNic {
    /// Executes a command that makes no object (`QUERY_HCA_CAP` ...): mailbox in, mailbox out.
    fn general_cmd(&self, input: &[u8], output: &mut [u8]) -> Result<()>;

    /// Makes a protection domain and returns its handle and its number.
    fn alloc_pd(&self) -> Result<(Handle, u32)>;

    /// Registers memory that DEVX commands can name. `pgsz_bitmap` is the set of page sizes that are allowed, which
    /// matters if commands will name offsets in the memory.
    fn umem_reg(&self, region: Region, bytes: u64, access: u32, pgsz_bitmap: Option<u64>) -> Result<Umem>;

    /// Gives such memory back.
    fn umem_dereg(&self, umem: Handle) -> Result<()>;

    /// Allocates a doorbell register.
    fn alloc_uar(&self, kind: UarKind) -> Result<Uar>;

    /// Gives such a register back.
    fn free_uar(&self, uar: Handle) -> Result<()>;

    /// Returns the number of the event queue of completion vector 0.
    fn query_eqn(&self) -> Result<u32>;

    /// Creates an object by a command.
    fn obj_create(&self, input: &[u8], output: &mut [u8]) -> Result<Handle>;

    /// Modifies an object by a command.
    fn obj_modify(&self, object: Handle, input: &[u8], output: &mut [u8]) -> Result<()>;

    /// Queries an object by a command.
    fn obj_query(&self, object: Handle, input: &[u8], output: &mut [u8]) -> Result<()>;

    /// Destroys an object.
    fn obj_destroy(&self, object: Handle) -> Result<()>;

    /// Returns the Ethernet address of an address handle's destination, as the kernel resolves it.
    fn resolve_mac(&self, pd: Handle, to: &AhAttr) -> Result<[u8; 6]>;

    /// Makes an RC queue pair and its CQ by verbs, in state RESET, with at least `depth` blocks.
    fn verbs_qp(&self, pd: Handle, depth: u32, inline_bytes: u32) -> Result<VerbsQpLayout>;

    /// Moves a verbs queue pair to RTS toward a peer by verbs.
    fn verbs_connect(&self, qp: Handle, connect: &VerbsConnect) -> Result<()>;

    /// Writes the answer of `QUERY_QP` for a verbs queue pair to `output`.
    fn verbs_query(&self, qp: Handle, output: &mut [u8]) -> Result<()>;

    /// Destroys a verbs queue pair and its CQ.
    fn verbs_destroy(&self, qp: Handle) -> Result<()>;
}

/// The parameters with which a verbs queue pair is connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VerbsConnect {
    /// The address of the peer.
    pub ah: AhAttr,
    /// The number of the peer's queue pair.
    pub remote_qpn: u32,
    /// The MTU, of `enum ibv_mtu`.
    pub mtu: u8,
    /// The index into the partition table.
    pub pkey_index: u16,
    /// The local ACK timeout: 4.096 us * 2^this.
    pub timeout: u8,
    /// Retries without an ACK.
    pub retry_cnt: u8,
    /// Retries while the peer is not ready; 7: without end.
    pub rnr_retry: u8,
    /// Reads and atomics in flight, as requester and as responder.
    pub rd_atomic: u8,
    /// The code of the minimal RNR timer.
    pub min_rnr_timer: u8,
}

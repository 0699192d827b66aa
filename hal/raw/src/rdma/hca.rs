//! What a NIC's driver can be asked: the seam between the InfiniBand transport and whatever drives the NIC.
//!
//! [`Hca`] is libmlx5's own interface (verbs for device, protection domain and memory, DEVX for the rest) with Rust's
//! types. Two things implement it: libibverbs and libmlx5, opened at run time, and the software NIC of the tests.

use std::fmt;
use std::os::fd::RawFd;
use std::sync::Arc;

use oxshmem_core::host::Result;

/// What an object of an [`Hca`] is called; 0 is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Handle(pub u64);

/// Finds NICs.
pub trait Provider: Send + Sync + fmt::Debug {
    /// In words: "libibverbs 1.14.44.0 from /usr/lib/...", "software NIC, seed 7".
    fn describe(&self) -> String;

    /// The NICs of this machine, in the order of the system.
    ///
    /// # Errors
    /// They can't be listed: no library, no driver, no permission. None is an empty list.
    fn list(&self) -> Result<Vec<Found>>;

    /// Opens a NIC by name, with DEVX.
    ///
    /// # Errors
    /// There is none of this name, no permission, or its driver refuses DEVX.
    fn open(&self, name: &str) -> Result<Arc<dyn Hca>>;
}

/// A NIC that was found, and what the system says of it before it is opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// As the system calls it: `mlx5_0`.
    pub name: String,
    /// Domain, bus, device, function, where it is on PCI.
    pub pci: Option<(u32, u8, u8, u8)>,
    /// The NUMA node that it is at.
    pub numa_node: Option<u32>,
    /// Whether libmlx5 drives it.
    pub is_mlx5: bool,
}

/// A port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Port {
    /// 1 for the first.
    pub number: u8,
    /// 1 down, 2 initialising, 3 armed, 4 active: `enum ibv_port_state`.
    pub state: u8,
    /// What the wire is.
    pub link: LinkLayer,
    /// Local identifier on InfiniBand, 0 on Ethernet.
    pub lid: u16,
    /// 1: 256 bytes to 5: 4096 bytes, `enum ibv_mtu`.
    pub active_mtu: u8,
    /// Entries of its GID table.
    pub gids: u32,
    /// Entries of its partition table.
    pub pkeys: u32,
}

/// What the wire is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkLayer {
    /// InfiniBand.
    InfiniBand,
    /// Ethernet, so RoCE.
    Ethernet,
}

impl LinkLayer {
    /// In words.
    pub fn text(self) -> &'static str {
        match self {
            Self::InfiniBand => "InfiniBand",
            Self::Ethernet => "Ethernet",
        }
    }
}

/// What kind of address a GID is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GidKind {
    /// InfiniBand.
    InfiniBand,
    /// RoCE on Ethernet frames.
    RoceV1,
    /// RoCE on UDP.
    RoceV2,
}

/// An entry of a GID table that is in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gid {
    /// Its place in the table.
    pub index: u32,
    /// The address, in network order.
    pub raw: [u8; 16],
    /// Its kind.
    pub kind: GidKind,
}

/// Memory that a NIC is to reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Region {
    /// Addresses of this process: host memory, or with peermem a GPU's.
    Address(u64),
    /// A DMA buffer, from this byte on.
    DmaBuf {
        /// Stays the caller's, who may close it after the call.
        fd: RawFd,
        /// First byte of it.
        offset: u64,
    },
}

/// What is allowed with registered memory. Bits of `enum ibv_access_flags`.
pub mod access {
    /// The NIC may write it for this side's operations.
    pub const LOCAL_WRITE: u32 = 1;
    /// Others may write it.
    pub const REMOTE_WRITE: u32 = 2;
    /// Others may read it.
    pub const REMOTE_READ: u32 = 4;
    /// Others may change it atomically.
    pub const REMOTE_ATOMIC: u32 = 8;
    /// Writes to it may arrive in any order.
    pub const RELAXED_ORDERING: u32 = 1 << 20;
}

/// A registered range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mr {
    /// To give it back with.
    pub handle: Handle,
    /// Names it in this side's own operations.
    pub lkey: u32,
    /// Names it in others' operations.
    pub rkey: u32,
}

/// Memory that DEVX commands can name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Umem {
    /// To give it back with.
    pub handle: Handle,
    /// What commands call it.
    pub id: u32,
}

/// How a page of doorbell registers is mapped. `mlx5dv_devx_alloc_uar`'s flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum UarKind {
    /// Write combining, registers of 2 x 256 bytes.
    BlueFlame = 0,
    /// Not cached, shared.
    NonCached = 1,
    /// Not cached, a page of its own.
    NonCachedDedicated = 0x8000_0000,
}

/// A page of doorbell registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Uar {
    /// To give it back with.
    pub handle: Handle,
    /// What commands call it.
    pub page: u32,
    /// Where the register is mapped in this process; a doorbell is a store of 8 bytes there.
    pub register: u64,
    /// Where the page begins.
    pub base: u64,
}

/// Where a peer is, for an address handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AhAttr {
    /// This side's port.
    pub port: u8,
    /// The peer's LID (InfiniBand).
    pub dlid: u16,
    /// Service level.
    pub sl: u8,
    /// The peer's GID and this side's index, where there is a global route (always on Ethernet).
    pub global: Option<([u8; 16], u32)>,
    /// Hops.
    pub hop_limit: u8,
    /// Traffic class.
    pub traffic_class: u8,
}

/// A queue pair made by verbs, with `mlx5dv_init_obj`: the twin of one made by DEVX, in host memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VerbsQpLayout {
    /// To give it back with (its CQ goes with it).
    pub handle: Handle,
    /// Its number.
    pub qpn: u32,
    /// The send queue, `sq_blocks` basic blocks of 64 bytes.
    pub sq: u64,
    /// Basic blocks of the send queue.
    pub sq_blocks: u32,
    /// The doorbell record: two words, the second is the send queue's.
    pub dbr: u64,
    /// The doorbell register.
    pub register: u64,
    /// The CQ's buffer, `cq_entries` of 64 bytes: a ring, not collapsed.
    pub cq: u64,
    /// Entries of the CQ.
    pub cq_entries: u32,
    /// The CQ's doorbell record.
    pub cq_dbr: u64,
    /// The CQ's number.
    pub cqn: u32,
}

/// What every NIC that was opened can be asked, whoever drives it.
///
/// Calls may come from several threads. An error carries the call (`ibv_reg_mr` ...) and its code (an errno).
pub trait VerbsNic: Send + Sync + fmt::Debug {
    /// As the system calls it.
    fn name(&self) -> &str;

    /// Firmware, for people.
    fn firmware(&self) -> String;

    /// Ports, from 1.
    fn ports(&self) -> Result<Vec<Port>>;

    /// The used entries of a port's GID table.
    fn gids(&self, port: u8) -> Result<Vec<Gid>>;

    /// Gives a protection domain back.
    fn dealloc_pd(&self, pd: Handle) -> Result<()>;

    /// Registers `bytes` bytes, which others and the NIC then call by addresses from `iova` on.
    fn reg_mr(&self, pd: Handle, region: Region, bytes: u64, iova: u64, access: u32) -> Result<Mr>;

    /// Gives a registration back.
    fn dereg_mr(&self, mr: Handle) -> Result<()>;
}

/// An opened NIC that takes commands of the firmware.
///
/// Calls may come from several threads. An error carries the call (`ibv_reg_mr`, `mlx5dv_devx_obj_create` ...), its
/// code (an errno), and for a command that the firmware refused its status and syndrome in the reason.
///
/// *Caller:* gives back what it took, in the order: queue pairs, completion queues, umems, doorbell pages, memory,
/// protection domain. What is still in use is refused.
pub trait Hca: VerbsNic {
    /// A command that makes nothing (`QUERY_HCA_CAP` ...): mailbox in, mailbox out.
    fn general_cmd(&self, input: &[u8], output: &mut [u8]) -> Result<()>;

    /// Makes a protection domain; its handle and its number.
    fn alloc_pd(&self) -> Result<(Handle, u32)>;

    /// Lets DEVX commands name memory. `pgsz_bitmap`: page sizes that are fine, where offsets into it will be used.
    fn umem_reg(&self, region: Region, bytes: u64, access: u32, pgsz_bitmap: Option<u64>) -> Result<Umem>;

    /// Gives it back.
    fn umem_dereg(&self, umem: Handle) -> Result<()>;

    /// Maps a page of doorbell registers.
    fn alloc_uar(&self, kind: UarKind) -> Result<Uar>;

    /// Gives it back.
    fn free_uar(&self, uar: Handle) -> Result<()>;

    /// The event queue of completion vector 0.
    fn query_eqn(&self) -> Result<u32>;

    /// Makes an object by a command.
    fn obj_create(&self, input: &[u8], output: &mut [u8]) -> Result<Handle>;

    /// Changes an object by a command.
    fn obj_modify(&self, object: Handle, input: &[u8], output: &mut [u8]) -> Result<()>;

    /// Asks about an object by a command.
    fn obj_query(&self, object: Handle, input: &[u8], output: &mut [u8]) -> Result<()>;

    /// Destroys an object.
    fn obj_destroy(&self, object: Handle) -> Result<()>;

    /// The Ethernet address behind an address handle, as the kernel resolves it.
    fn resolve_mac(&self, pd: Handle, to: &AhAttr) -> Result<[u8; 6]>;

    /// The verbs twin: an RC queue pair with its CQ, in state RESET, of at least `depth` blocks.
    fn verbs_qp(&self, pd: Handle, depth: u32, inline_bytes: u32) -> Result<VerbsQpLayout>;

    /// Moves a verbs queue pair to RTS toward a peer, as verbs does it.
    fn verbs_connect(&self, qp: Handle, connect: &VerbsConnect) -> Result<()>;

    /// `QUERY_QP`'s answer for a verbs queue pair.
    fn verbs_query(&self, qp: Handle, output: &mut [u8]) -> Result<()>;

    /// Destroys a verbs queue pair and its CQ.
    fn verbs_destroy(&self, qp: Handle) -> Result<()>;
}

/// What a verbs queue pair is connected with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VerbsConnect {
    /// The peer.
    pub ah: AhAttr,
    /// The peer's queue pair.
    pub remote_qpn: u32,
    /// `enum ibv_mtu`.
    pub mtu: u8,
    /// Index into the partition table.
    pub pkey_index: u16,
    /// Local ACK timeout: 4.096 us * 2^this.
    pub timeout: u8,
    /// Retries when no ACK comes.
    pub retry_cnt: u8,
    /// Retries when the peer is not ready; 7: for ever.
    pub rnr_retry: u8,
    /// Reads and atomics outstanding as requester and as responder.
    pub rd_atomic: u8,
    /// Minimal RNR timer.
    pub min_rnr_timer: u8,
}

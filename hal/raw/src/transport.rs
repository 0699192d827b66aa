//! The interface by which the host finds and opens transports: the trait that a transport's crate implements, and its
//! registration.

use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use oxshmem_core::Pe;
use oxshmem_core::host::{Result, Transport};

use crate::memory::{Memory, Windows};
use crate::nic_params::{NicParams, WireParams};
use crate::queue::host_path::HostPath;
use crate::settings::{Settings, Variable};
use crate::state::WorldState;

/// Opens one kind of transport to PEs that loads and stores don't reach.
///
/// *Implementor:* one static value, linked by its crate's users and announced by
/// [`register_transport!`](crate::register_transport).
///
/// *Caller:* the host library. It asks every PE which transports it can use, and takes for each pair of PEs the best
/// that both have.
///
/// # Safety
///
/// - **halves**: [`host_path`](TransportFactory::host_path) is the device half of the transports that
///   [`open`](TransportFactory::open) returns: it reads the state at their addresses as they write it. The path of a
///   module with this name is the same.
pub unsafe trait TransportFactory: Sync {
    /// Returns the transport's name, in lower case, as `OXSHMEM_REMOTE_TRANSPORT` and messages have it.
    fn name(&self) -> &'static str;

    /// Returns the names under which the transport can be chosen, its own first. Further names choose one of several
    /// providers behind the transport; [`TransportContext::chosen`] has the name that the user chose.
    fn names(&self) -> Vec<String> {
        vec![self.name().into()]
    }

    /// Returns the place among transports that reach the same PE: the highest is taken. Naming a transport leaves out
    /// those with a higher priority.
    fn priority(&self) -> u32 {
        0
    }

    /// Returns the variables that this transport alone reads. The configuration parses and reports them as its own.
    fn settings(&self) -> &'static [Variable] {
        &[]
    }

    /// Returns its device half, for host PEs' own threads:
    /// `&HostPathOf::<MyPath>::NEW` ([`HostPathOf`](crate::queue::host_path::HostPathOf)). Its name is the transport's.
    fn host_path(&self) -> &'static dyn HostPath;

    /// Opens the transport on one PE. `peers` (by PE) selects the PEs that it must reach, never this PE itself.
    ///
    /// # Errors
    /// A setting is out of range, or a device or memory is missing. The error names the cause and the attempts.
    fn open(&self, cx: &TransportContext<'_>, peers: &[bool]) -> Result<Box<dyn Transport + Sync>>;
}

/// The parameters for opening a transport on one PE of a world.
#[derive(Clone, Copy, Debug)]
pub struct TransportContext<'a> {
    /// This PE.
    pub me: Pe,
    /// The memory in which this PE's heap and its kernels' data are.
    pub memory: &'a Memory,
    /// The mappings of this PE's heap and of the heaps that it reaches by loads and stores.
    pub windows: &'a Arc<Mutex<Windows>>,
    /// The settings that all transports over NICs share.
    pub nic: &'a NicSettings,
    /// The values of [`TransportFactory::settings`].
    pub settings: &'a Settings,
    /// The longest time that the host waits for its own operations; `None`: no limit.
    pub wait_limit: Option<Duration>,
    /// The name under which the transport was chosen: one of [`TransportFactory::names`].
    pub chosen: &'a str,
    /// Messages to the same transport on other PEs. Without them queue pairs are connected in bulk.
    pub messages: Option<&'a Arc<dyn PeerMessages>>,
}

/// Messages between the threads of one transport on two PEs, outside of collective calls.
///
/// *Implementor:* messages from one PE to another arrive in the order in which they were sent, and none is lost unless
/// a PE dies. They arrive also while the destination's program makes no call.
///
/// *Caller:* sends only to PEs on which the transport is open, after the collective step that opened it.
pub trait PeerMessages: Send + Sync + fmt::Debug {
    /// Sends a message. It may return before the message has arrived.
    ///
    /// # Errors
    /// This PE has left the world, or the message is too long.
    fn send(&self, to: Pe, message: &[u8]) -> Result<()>;

    /// Calls `act`, from now on, with each message and with each death, and the PE concerned. The calls come from one
    /// thread and must be short.
    fn receive(&self, act: Box<dyn Fn(Pe, PeerEvent<'_>) + Send + Sync>);
}

/// An event of another PE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PeerEvent<'a> {
    /// The PE sent this message.
    Message(&'a [u8]),
    /// The PE died, with the evidence.
    Died(&'a str),
}

/// The settings that all transports over NICs share. They have no effect in a world whose PEs all reach each other by
/// load and store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NicSettings {
    /// Rows of default queue pairs: queue pairs to each PE.
    pub rows: u32,
    /// Rows that `qp_create` can add. `OXSHMEM_SPARE_QPS`.
    pub spare_rows: u32,
    /// Basic blocks (64 bytes) of a send queue, a power of two; where the host posts, work requests.
    /// `OXSHMEM_QP_DEPTH`.
    pub depth: u32,
    /// The threads that share a default queue pair.
    pub map_by: MapBy,
    /// The time at which queue pairs are connected. `OXSHMEM_QP_CONNECT`.
    pub connect: Connect,
    /// The NICs that a PE uses. `OXSHMEM_HCA_LIST`, `OXSHMEM_NICS_PER_PE`, `OXSHMEM_HCA_PE_MAPPING` and others.
    pub nics: NicParams,
    /// The parameters with which queue pairs are connected. `OXSHMEM_IB_*`.
    pub wire: WireParams,
    /// Whether GPU memory may be shared with the NIC by dma-buf. `OXSHMEM_IB_DISABLE_DMABUF` says no.
    pub dmabuf: bool,
}

impl Default for NicSettings {
    fn default() -> Self {
        Self {
            rows: 2,
            spare_rows: 64,
            depth: 1024,
            map_by: MapBy::Cta,
            connect: Connect::Bulk,
            nics: NicParams::default(),
            wire: WireParams::default(),
            dmabuf: true,
        }
    }
}

/// The time at which queue pairs are connected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Connect {
    /// All of them, when they are created.
    #[default]
    Bulk,
    /// Each when it is first used.
    Lazy,
}

/// The threads that share a default queue pair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MapBy {
    /// The threads of a block.
    #[default]
    Cta,
    /// The threads of a multiprocessor.
    Sm,
    /// The threads of a warp.
    Warp,
}

impl MapBy {
    /// Returns the number of the choice in kernels: [`WorldState::BY_CTA`] and its like.
    pub const fn code(self) -> u32 {
        match self {
            Self::Cta => WorldState::BY_CTA,
            Self::Sm => WorldState::BY_SM,
            Self::Warp => WorldState::BY_WARP,
        }
    }
}

/// A transport that a linked crate announces; made by [`register_transport!`](crate::register_transport).
pub struct Registration(pub &'static dyn TransportFactory);

inventory::collect!(Registration);

/// Returns the transports that linked crates have announced, in no particular order.
pub fn registered() -> impl Iterator<Item = &'static dyn TransportFactory> {
    inventory::iter::<Registration>.into_iter().map(|registration| registration.0)
}

/// Announces a transport to every program that links the crate in which this stands (`use my_transport as _;`). It
/// takes the expression of a `&'static` [`TransportFactory`](crate::transport::TransportFactory).
#[macro_export]
macro_rules! register_transport {
    ($factory:expr) => {
        $crate::inventory::submit! { $crate::transport::Registration($factory) }
    };
}

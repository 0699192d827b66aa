//! The fabric's device: its memory, its queues and their connections.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use oxshmem_core::Pe;
use oxshmem_core::host::{Error, ErrorKind, Result};

use super::completion::{CompletionRing, SharedCompletions, SharedSendQueue};
use super::doorbell::PostingRegister;
use super::entry::MOST_BLOCKS;
use super::memory::NamedRing;
use super::nic::OpenNic;
use super::send_queue::SendQueue;
use crate::devx_qp::{self, DoorbellRegister, OwnedObject, PeerPath};
use crate::fabric::{
    Capabilities, Completion, Endpoint, EndpointRequest, FabricDevice, Handle, INLINE_BYTES, MemoryRegion,
    MemoryRequest, PeerAddress, PostError, PostErrorKind, WorkRequest,
};
use crate::hca::access;
use crate::mlx5::devx::{CreateCq, CreateQp, Receive, Service};
use crate::registrar::HEAP_ACCESS;
use crate::verbs::objects::{Object, Objects};
use crate::verbs::sysfs;
use crate::wire::{PortInfo, mtu_bytes};

const QP: &str = "a queue pair";
const CQ: &str = "a completion queue";
/// The name of posting in errors.
const POST: &str = "ibdevx: write entries";
/// The first bytes of a device's address, followed by bits that say which masked atomics it has.
const MAGIC: &[u8] = b"ibdevx1";

/// A completion queue and the doorbell register of its queue pairs, in the order in which they are dropped. One thread
/// posts on all of them, so that they share a register.
#[derive(Debug)]
struct CompletionQueue {
    completions: SharedCompletions,
    cq: Mutex<OwnedObject<OpenNic>>,
    cqn: u32,
    _memory: NamedRing,
    doorbell: PostingRegister,
    register: DoorbellRegister<OpenNic>,
}

/// A queue pair, in the order in which its parts are dropped.
#[derive(Debug)]
struct QueuePair {
    qp: Mutex<OwnedObject<OpenNic>>,
    /// Its handle at the NIC, and its number.
    named: (Handle, u32),
    _memory: NamedRing,
    queue: SharedSendQueue,
    user_index: UserIndex,
}

/// A user index of a completion queue, given back on drop.
#[derive(Debug)]
struct UserIndex {
    number: u32,
    cq: Arc<CompletionQueue>,
}

impl Drop for UserIndex {
    fn drop(&mut self) {
        self.cq.completions.release(self.number);
    }
}

#[derive(Clone, Debug)]
enum Queue {
    Qp(Arc<QueuePair>),
    Cq(Arc<CompletionQueue>),
}

impl Object for Queue {
    fn kind(&self) -> &'static str {
        match self {
            Self::Qp(_) => QP,
            Self::Cq(_) => CQ,
        }
    }

    fn rank(&self) -> u8 {
        match self {
            Self::Qp(_) => 0,
            Self::Cq(_) => 1,
        }
    }
}

/// Destroys an object of the NIC.
fn give_back(object: &Mutex<OwnedObject<OpenNic>>) -> Result<()> {
    object.lock().unwrap_or_else(PoisonError::into_inner).give_back()
}

fn qp(queue: &Queue) -> Option<Arc<QueuePair>> {
    if let Queue::Qp(qp) = queue { Some(qp.clone()) } else { None }
}

fn cq(queue: &Queue) -> Option<Arc<CompletionQueue>> {
    if let Queue::Cq(cq) = queue { Some(cq.clone()) } else { None }
}

/// A device of the fabric.
#[derive(Debug)]
pub(super) struct IbdevxDevice {
    queues: Objects<Queue>,
    /// The ports of peers' devices and the paths to them, by PE and address.
    paths: Mutex<HashMap<(Pe, Vec<u8>), PeerPath>>,
    nic: Arc<OpenNic>,
}

impl IbdevxDevice {
    pub(super) fn new(nic: Arc<OpenNic>) -> Self {
        Self { queues: Objects::default(), paths: Mutex::default(), nic }
    }

    fn make_completion_queue(&self, entries: u32) -> Result<CompletionQueue> {
        let nic = &self.nic;
        let most = nic.caps.max_completions();
        if entries == 0 || u64::from(entries) > most {
            let action = format!("make a completion queue of {entries} entries on {}", nic.name);
            return Err(Error::new(ErrorKind::OutOfRange, action).amount(entries.into(), most, "entries"));
        }
        let entries = entries.next_power_of_two();
        let (doorbell, register) = nic.doorbell()?;
        // An entry of all ones is invalid.
        let memory = NamedRing::new(nic, entries, 0xff)?;
        let (buffer, dbr) = memory.places();
        let command = CreateCq {
            buffer,
            dbr,
            log_entries: entries.trailing_zeros() as u8,
            uar_page: register.uar.page,
            eqn: nic.eqn,
            log_page_size: 0,
            page_offset: 0,
            wide: false,
            collapsed: false,
            ignore_overrun: false,
            mark_umems: true,
        };
        let (cq, cqn) = devx_qp::create(nic, &nic.name, CQ, &command.encode())?;
        let completions = SharedCompletions::new(CompletionRing::new(memory.ring.clone()));
        Ok(CompletionQueue { completions, cq: Mutex::new(cq), cqn, _memory: memory, doorbell, register })
    }

    fn make_queue_pair(&self, cq: Arc<CompletionQueue>, depth: u32) -> Result<QueuePair> {
        let nic = &self.nic;
        let action = || format!("make a queue pair of {depth} work requests on {}", nic.name);
        // As many blocks as `depth` entries of the longest kind have, so that there is room for `depth` of any kind.
        let blocks = (u64::from(depth) * MOST_BLOCKS).next_power_of_two();
        let most = nic.caps.max_blocks();
        if depth == 0 || blocks > most {
            return Err(Error::new(ErrorKind::OutOfRange, action())
                .amount(blocks, most, "basic blocks of a send queue")
                .hint("lower OXSHMEM_QP_DEPTH"));
        }
        let user_index = cq.completions.reserve().map(|number| UserIndex { number, cq: cq.clone() });
        let user_index = user_index.ok_or_else(|| {
            Error::new(ErrorKind::Exhausted, action()).because("its completion queue has too many queue pairs")
        })?;
        let memory = NamedRing::new(nic, blocks as u32, 0)?;
        let (send_queue, dbr) = memory.places();
        let command = CreateQp {
            service: Service::Rc,
            pd: nic.pdn,
            uar_page: cq.register.uar.page,
            user_index: user_index.number,
            send_queue,
            log_blocks: blocks.trailing_zeros() as u8,
            send_cqn: cq.cqn,
            receive: Receive::Nothing { cqn: cq.cqn },
            dbr,
            without_dbr: false,
            log_page_size: 0,
            page_offset: 0,
            timestamp_format: nic.caps.timestamp_format(),
            scatter_to_cqe: (0, 0),
            mark_umems: true,
        };
        let (qp, qpn) = devx_qp::create(nic, &nic.name, QP, &command.encode())?;
        let queue = Arc::new(Mutex::new(SendQueue::new(memory.ring.clone(), qpn, nic.masked())));
        cq.completions.attach(user_index.number, queue.clone());
        Ok(QueuePair { named: (qp.handle(), qpn), qp: Mutex::new(qp), _memory: memory, queue, user_index })
    }

    /// Returns the path to a peer's port, and the number of its queue pair.
    fn peer(&self, to: &PeerAddress<'_>) -> Result<(PeerPath, u32)> {
        let nic = &self.nic;
        let refused = |kind: ErrorKind, why: &str| {
            Error::new(kind, format!("connect queue pairs with {}", to.pe)).because(why).about(to.pe)
        };
        let malformed =
            || refused(ErrorKind::Malformed, "the addresses that it announced are not those of a device of `ibdevx`");
        let qpn = to.endpoint.try_into().map(u32::from_le_bytes).map_err(|_| malformed())?;
        let mut paths = self.paths.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (to.pe, to.device.to_vec());
        if let Some(path) = paths.get(&key) {
            return Ok((*path, qpn));
        }
        let rest = to.device.strip_prefix(MAGIC).ok_or_else(malformed)?;
        let (masked, port) = rest.split_first().ok_or_else(malformed)?;
        // The peer's NIC executes this one's atomics.
        if masked & nic.masked().bits() != nic.masked().bits() {
            let why = "its NIC lacks masked atomics that this PE's NIC has, and would use";
            return Err(refused(ErrorKind::Incompatible, why)
                .hint("choose NICs of one model with OXSHMEM_HCA_LIST, or OXSHMEM_REMOTE_TRANSPORT=ibrc"));
        }
        let port = PortInfo::decode(port).ok_or_else(malformed)?;
        let path = PeerPath::find(&nic.local_port(), (nic.me, &nic.port_info()), (to.pe, &port))?;
        paths.insert(key, path);
        Ok((path, qpn))
    }
}

// SAFETY:
// - **named**: the NIC checks the key and the range of every access; `Regions` those of results that the host converts.
// - **until**: the NIC completes the entries of a queue pair in order, each when its accesses are done; a result is
//   converted before its completion is returned, and only while its memory is registered.
// - **once**: the NIC writes one completion for each entry that asks for one, and for those that fail. A send queue
//   frees an entry once.
unsafe impl FabricDevice for IbdevxDevice {
    fn name(&self) -> &str {
        &self.nic.name
    }

    fn describe(&self) -> String {
        let nic = &self.nic;
        let gids: Vec<String> =
            nic.gids.iter().map(|gid| format!("GID {} ({})", gid.index, gid.class.text())).collect();
        let mut text = format!(
            "{} ({:?}, firmware {}), {}MTU {} bytes, {}\n{}\n{}",
            nic.name,
            nic.port.link,
            nic.hca.firmware(),
            nic.port.lid_text(),
            mtu_bytes(nic.wire.mtu.unwrap_or(nic.port.active_mtu)),
            if gids.is_empty() { "no GID".into() } else { gids.join(", ") },
            nic.caps.describe(),
            nic.why
        );
        if let Some(doorbells) = nic.doorbells() {
            text.push_str(&format!("\n{doorbells}"));
        }
        text
    }

    fn capabilities(&self) -> Capabilities {
        let caps = &self.nic.caps;
        let number = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
        Capabilities {
            max_endpoints: number(caps.max_qps()),
            max_depth: number(caps.max_blocks() / MOST_BLOCKS),
            max_completions: number(caps.max_completions()),
            max_message_bytes: 1 << caps.log_message(),
            atomics: self.nic.masked().atomics(),
            ordered: true,
            needs_progress: false,
            dma_buf: true,
            empty_fetches: false,
        }
    }

    fn numa_node(&self) -> Option<u32> {
        sysfs::numa_node(Path::new(&sysfs::root()), self.nic.hca.name())
    }

    fn address(&self) -> Vec<u8> {
        [MAGIC, &[self.nic.masked().bits()], &self.nic.port_info().encode()].concat()
    }

    fn register(&self, request: &MemoryRequest) -> Result<MemoryRegion> {
        let (nic, base) = (&self.nic, request.wanted_base);
        let rights = if request.remote { HEAP_ACCESS } else { access::LOCAL_WRITE };
        let mr = nic.hca.reg_mr(nic.pd, request.region, request.bytes, base, rights)?;
        // SAFETY: **until**: the caller keeps registered memory until `deregister` returns.
        unsafe { nic.regions.add(mr.lkey, mr.handle, base, request) };
        let remote_key = if request.remote { mr.rkey.to_le_bytes().to_vec() } else { Vec::new() };
        Ok(MemoryRegion {
            handle: mr.handle,
            local_key: mr.lkey.into(),
            local_base: base,
            remote_key,
            remote_base: base,
        })
    }

    fn deregister(&self, region: Handle) -> Result<()> {
        self.nic.hca.dereg_mr(region)?;
        self.nic.regions.remove(region);
        Ok(())
    }

    fn import_key(&self, peer: Pe, key: &[u8]) -> Result<u64> {
        key.try_into().map(|key| u32::from_le_bytes(key).into()).map_err(|_| {
            Error::new(ErrorKind::Malformed, format!("use a key of {peer}"))
                .because(format!("it has {} bytes, and a key of `ibdevx` has 4", key.len()))
                .about(peer)
        })
    }

    fn create_completion_queue(&self, entries: u32) -> Result<Handle> {
        Ok(self.queues.keep(Queue::Cq(Arc::new(self.make_completion_queue(entries)?))))
    }

    fn destroy_completion_queue(&self, queue: Handle) -> Result<()> {
        self.queues.destroy(queue, CQ, cq, |cq| match cq.completions.is_unused() {
            true => give_back(&cq.cq),
            false => {
                Err(Error::new(ErrorKind::InvalidArgument, format!("destroy a completion queue of {}", self.nic.name))
                    .because("it has queue pairs"))
            }
        })
    }

    fn create_endpoint(&self, queue: Handle, request: &EndpointRequest) -> Result<(Endpoint, Vec<u8>)> {
        let made = self.queues.with(queue, CQ, cq, |cq| self.make_queue_pair(cq, request.depth))?;
        let address = made.named.1.to_le_bytes().to_vec();
        let handle = self.queues.keep(Queue::Qp(Arc::new(made)));
        Ok((Endpoint { handle, depth: request.depth, inline_bytes: INLINE_BYTES as u32 }, address))
    }

    fn connect(&self, endpoint: Handle, to: &PeerAddress<'_>) -> Result<()> {
        let (path, remote_qpn) = self.peer(to)?;
        let (nic, local) = (&self.nic, self.nic.local_port());
        let connected = self.queues.with(endpoint, QP, qp, |qp| {
            let params = path.params(&local, qp.named.1, remote_qpn);
            devx_qp::connect(&local, &nic.name, qp.named, &params)
        });
        connected.map_err(|error| error.about(to.pe))
    }

    fn stop(&self, endpoint: Handle) -> Result<()> {
        let nic = &self.nic;
        self.queues.with(endpoint, QP, qp, |qp| devx_qp::stop(&*nic.hca, &nic.name, qp.named))
    }

    fn destroy_endpoint(&self, endpoint: Handle) -> Result<()> {
        // Its memory goes with the table's reference, after this.
        self.queues.destroy(endpoint, QP, qp, |qp| give_back(&qp.qp))
    }

    fn post(&self, endpoint: Handle, list: &[WorkRequest]) -> std::result::Result<(), PostError> {
        let regions = &self.nic.regions;
        let posted = self.queues.look(endpoint, |queue| {
            let Queue::Qp(qp) = queue else { return None };
            let mut queue = qp.queue.lock().unwrap_or_else(PoisonError::into_inner);
            let refused = list.iter().enumerate().find_map(|(place, wr)| Some((place, queue.add(wr, regions).err()?)));
            queue.ring(&qp.user_index.cq.doorbell);
            Some(refused)
        });
        let error = |posted, kind, code: i32| Err(PostError { posted, kind, code: code.into(), call: POST });
        match posted {
            Some(None) => Ok(()),
            Some(Some((posted, PostErrorKind::Full))) => error(posted, PostErrorKind::Full, libc::ENOMEM),
            Some(Some((posted, kind))) => error(posted, kind, libc::EINVAL),
            None => error(0, PostErrorKind::Failed, libc::EBADF),
        }
    }

    fn poll(&self, queue: Handle, out: &mut [Completion]) -> Result<usize> {
        let polled = self.queues.look(queue, |queue| {
            let Queue::Cq(cq) = queue else { return None };
            Some(cq.completions.poll(out, &self.nic.regions))
        });
        polled.ok_or_else(|| {
            Error::new(ErrorKind::InvalidArgument, format!("poll completion queue {} of {}", queue.0, self.nic.name))
                .because("there is none")
        })
    }

    fn explain(&self, completion: &Completion) -> String {
        format!("{}, vendor syndrome {:#x}", completion.status.text(), completion.code)
    }
}

//! The half that programs link: the factory and the control plane.

mod heaps;
mod server;

use std::fs::File;
use std::mem::offset_of;
use std::os::fd::{AsFd, AsRawFd};
use std::sync::Arc;

use oxshmem_core::host::{Error, ErrorKind, Extent, HostAmo, Offer, PathView, Reach, Result, Transport};
use oxshmem_core::{Pe, Remote};
use oxshmem_raw::memory::Chunk;
use oxshmem_raw::os::shm::{self, ShmChunk};
use oxshmem_raw::queue::host_path::{HostPath, HostPathOf};
use oxshmem_raw::transport::{TransportContext, TransportFactory};

use crate::device::CourierPath;
use crate::state::{DEPTH, Mailbox, Rows};
use heaps::Heaps;
use server::{Requests, Server};

const NAME: &str = "courier";

#[derive(Debug)]
struct CourierFactory;

oxshmem_raw::register_transport!(&CourierFactory);

// SAFETY: **halves**: both halves are of this crate, and have the structs of `crate::state`.
unsafe impl TransportFactory for CourierFactory {
    fn name(&self) -> &'static str {
        NAME
    }

    fn host_path(&self) -> &'static dyn HostPath {
        &HostPathOf::<CourierPath>::NEW
    }

    fn open(&self, cx: &TransportContext<'_>, peers: &[bool]) -> Result<Box<dyn Transport + Sync>> {
        Ok(Box::new(Courier::open(cx, peers)?))
    }
}

/// The courier of one PE.
#[derive(Debug)]
struct Courier {
    peers: Vec<bool>,
    heaps: Arc<Heaps>,
    server: Server,
    /// The mailboxes, by PE.
    table: Chunk,
    /// The rows that kernels see: one [`Rows`].
    rows: Chunk,
    /// The lock of this PE's heap: a file of shared memory, whose content means nothing.
    lock: ShmChunk,
}

impl Courier {
    fn open(cx: &TransportContext<'_>, peers: &[bool]) -> Result<Self> {
        let heaps = Arc::new(Heaps::new(cx.memory, cx.windows.clone(), peers.len())?);
        let requests = Requests::new(Chunk::on_host(cx.memory, Requests::bytes(peers.len()))?);
        let table = Chunk::beside(cx.memory, peers.len() * size_of::<Mailbox>())?;
        for (pe, _) in peers.iter().enumerate().filter(|(_, is_peer)| **is_peer) {
            for (field, value) in [
                (offset_of!(Mailbox, slots), requests.kernel_slots(pe)),
                (offset_of!(Mailbox, ended), requests.kernel_ended()),
                (offset_of!(Mailbox, pe), pe as u64),
            ] {
                table.write(pe * size_of::<Mailbox>() + field, &value.to_ne_bytes())?;
            }
        }
        let rows = Chunk::beside(cx.memory, size_of::<Rows>())?;
        rows.write(offset_of!(Rows, n_pes), &(peers.len() as u32).to_ne_bytes())?;
        rows.write(offset_of!(Rows, count), &(cx.nic.rows + cx.nic.spare_rows).to_ne_bytes())?;
        let lock = ShmChunk::create(shm::granularity())?;
        let server = Server::start(cx.me, requests, peers, heaps.clone())?;
        Ok(Self { peers: peers.to_vec(), heaps, server, table, rows, lock })
    }
}

// SAFETY:
// - **state**: the table and the rows are in memory that kernels reach and that this value owns. All rows of the world
//   are there from the start, since each is the same mailboxes.
// - **mapped**: it reaches no PE by loads and stores.
// - **within**: `Heaps` checks each range against the extents that are mapped.
// - **lent**: copies are done when a call returns; nothing is registered.
unsafe impl Transport for Courier {
    fn name(&self) -> &str {
        NAME
    }

    fn reach(&self, pe: Pe) -> Reach {
        if self.peers.get(pe.index()) == Some(&true) { Reach::Remote } else { Reach::None }
    }

    /// Offers the same data as the windows offer to load/store peers, and the lock as the last descriptor.
    fn offer(&mut self, extent: Extent) -> Result<Offer> {
        let mut offer = self.heaps.windows().offer(extent)?;
        let lock = self.lock.fd().try_clone_to_owned();
        offer.fds.push(lock.map_err(|error| system("share the lock of the heap", "fcntl", &error))?);
        Ok(offer)
    }

    fn accept(&mut self, pe: Pe, extent: Extent, mut offer: Offer) -> Result<()> {
        let Some(lock) = offer.fds.pop() else {
            return Err(Error::new(ErrorKind::Unreachable, format!("map the heap of {pe}"))
                .because("it is on another host")
                .hint("the courier serves the PEs of one host; choose another OXSHMEM_REMOTE_TRANSPORT")
                .about(pe));
        };
        // A file that is opened again has a lock of its own, which excludes the other PEs' locks, also of one process.
        let lock = File::open(format!("/proc/self/fd/{}", lock.as_fd().as_raw_fd()))
            .map_err(|error| system("open the lock of a heap", "open", &error).about(pe))?;
        self.heaps.windows().accept(pe, extent, offer)?;
        self.heaps.add(pe, extent, lock);
        Ok(())
    }

    /// Forgets the extent; the world unmaps it from the windows.
    fn withdraw(&mut self, extent: Extent) {
        self.heaps.remove(extent);
    }

    fn put(&self, to: Remote, from: &[u8]) -> Result<()> {
        self.heaps.write(to, from)
    }

    fn get(&self, to: &mut [u8], from: Remote) -> Result<()> {
        self.heaps.read(to, from)
    }

    fn atomic(&self, at: Remote, what: HostAmo) -> Result<u64> {
        self.heaps.atomic(at, what)
    }

    /// Does nothing: the host's operations are complete when their calls return.
    fn quiet(&self) -> Result<()> {
        Ok(())
    }

    fn path_view(&self) -> PathView {
        PathView { queues: self.table.kernel(), shared: self.rows.kernel() }
    }

    fn set_world(&mut self, address: u64) {
        for pe in 0..self.peers.len() {
            let at = pe * size_of::<Mailbox>() + offset_of!(Mailbox, world);
            self.table.write(at, &address.to_ne_bytes()).expect("the table has a mailbox for each PE");
        }
    }

    fn about_to_launch(&self) {
        self.server.wake();
    }

    fn describe(&self) -> String {
        let peers = self.peers.iter().filter(|is_peer| **is_peer).count();
        let state = self.server.failure().map_or_else(String::new, |why| format!("; it has stopped: {why}"));
        format!("a host thread copies for kernels, to {peers} PEs, with {DEPTH} requests in flight to each{state}")
    }
}

fn system(action: &str, call: &'static str, error: &std::io::Error) -> Error {
    Error::new(ErrorKind::System, action).call(call, error.raw_os_error().unwrap_or(0).into(), error.to_string())
}

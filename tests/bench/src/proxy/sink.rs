//! A verbs device that completes posted requests at once. It moves nothing, or copies everything to one place.

use std::collections::VecDeque;
use std::ptr::{copy_nonoverlapping, with_exposed_provenance, with_exposed_provenance_mut};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_raw::rdma::hca::{Found, Gid, GidKind, Handle, LinkLayer, Mr, Port, Region, VerbsConnect, VerbsNic};
use oxshmem_raw::rdma::rc::{
    Atomics, Local, PostRefused, QpState, RcCaps, RcDevice, RcProvider, RcQp, RcQpAsk, Wc, Wr, WrOp,
};

/// Number of completion queues.
const CQS: usize = 256;
/// Bytes of the copies' destination.
pub(super) const HOLE_BYTES: u64 = 16 << 20;

/// The device.
#[derive(Debug)]
pub(super) struct Sink {
    cqs: Box<[OnceLock<Cq>]>,
    numbers: AtomicU64,
    /// Address of a word that receives the number of work requests at each post; 0: none.
    tell: AtomicU64,
    copies: AtomicBool,
    /// Time spent in copies.
    copied_ns: AtomicU64,
    /// Number of posted lists until one makes its thread panic.
    panics: AtomicU64,
    /// The queue pair whose lists fail, numbered in the order of creation, and the status. 0: none.
    fails: AtomicU64,
    hole: Box<[AtomicU64]>,
}

/// A completion queue with all its queue pairs: one thread posts to them and polls it.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Cq {
    ready: Mutex<VecDeque<Wc>>,
    qps: AtomicU64,
    posted: AtomicU64,
    lists: AtomicU64,
}

impl Sink {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self {
            cqs: (0..CQS).map(|_| OnceLock::new()).collect(),
            numbers: AtomicU64::new(1),
            tell: AtomicU64::new(0),
            copies: AtomicBool::new(false),
            copied_ns: AtomicU64::new(0),
            panics: AtomicU64::new(u64::MAX),
            fails: AtomicU64::new(0),
            hole: (0..HOLE_BYTES / 8).map(|_| AtomicU64::new(0)).collect(),
        })
    }

    /// Number of posted work requests, and of lists.
    pub(super) fn posted(&self) -> (u64, u64) {
        self.cqs.iter().filter_map(OnceLock::get).fold((0, 0), |(posted, lists), cq| {
            (posted + cq.posted.load(Ordering::Relaxed), lists + cq.lists.load(Ordering::Relaxed))
        })
    }

    /// Sets the address of a word of this process that is written at each post. It must stay valid until it is 0 again.
    pub(super) fn tell(&self, at: u64) {
        self.tell.store(at, Ordering::SeqCst);
    }

    /// Whether writes are copied.
    pub(super) fn copy(&self, yes: bool) {
        self.copies.store(yes, Ordering::SeqCst);
    }

    /// Time spent in copies so far.
    pub(super) fn copied(&self) -> Duration {
        Duration::from_nanos(self.copied_ns.load(Ordering::SeqCst))
    }

    /// Makes a posting thread panic after `after` posted lists.
    #[cfg(test)]
    pub(super) fn panic_after(&self, after: u64) {
        self.panics.store(after, Ordering::SeqCst);
    }

    /// Makes the lists of the queue pair number `qp`, in the order of creation from 0, fail with this status.
    #[cfg(test)]
    pub(super) fn fail(&self, qp: u32, status: u32) {
        self.fails.store(u64::from(qp + 1) << 32 | u64::from(status), Ordering::SeqCst);
    }

    /// Copies this many bytes from this address, as for a write.
    fn swallow(&self, from: u64, bytes: u64) {
        let hole = self.hole.as_ptr().expose_provenance();
        // SAFETY: the poster promises that the source is mapped. The destination is as long, and nothing reads it; two
        // concurrent copies leave bytes of either there.
        unsafe {
            copy_nonoverlapping(
                with_exposed_provenance::<u8>(from as usize),
                with_exposed_provenance_mut::<u8>(hole),
                bytes.min(HOLE_BYTES) as usize,
            );
        }
    }

    fn cq(&self, handle: Handle) -> Result<&Cq> {
        let cq =
            (handle.0 as u32 as usize).checked_sub(1).and_then(|index| self.cqs.get(index)).and_then(OnceLock::get);
        cq.ok_or_else(|| Error::new(ErrorKind::InvalidArgument, "use the sink").because("it has no such queue"))
    }
}

impl VerbsNic for Sink {
    fn name(&self) -> &str {
        "sink"
    }

    fn firmware(&self) -> String {
        "none".into()
    }

    fn ports(&self) -> Result<Vec<Port>> {
        Ok(vec![Port { number: 1, state: 4, link: LinkLayer::Ethernet, lid: 1, active_mtu: 5, gids: 1, pkeys: 1 }])
    }

    fn gids(&self, _: u8) -> Result<Vec<Gid>> {
        Ok(vec![Gid { index: 3, raw: [0xff; 16], kind: GidKind::RoceV2 }])
    }

    fn dealloc_pd(&self, _: Handle) -> Result<()> {
        Ok(())
    }

    fn reg_mr(&self, _: Handle, _: Region, _: u64, _: u64, _: u32) -> Result<Mr> {
        let key = self.numbers.fetch_add(1, Ordering::Relaxed);
        Ok(Mr { handle: Handle(key), lkey: key as u32, rkey: key as u32 })
    }

    fn dereg_mr(&self, _: Handle) -> Result<()> {
        Ok(())
    }
}

impl RcDevice for Sink {
    fn caps(&self) -> Result<RcCaps> {
        Ok(RcCaps {
            max_qp: 1 << 16,
            max_qp_wr: 1 << 14,
            max_sge: 1,
            max_cqe: 1 << 22,
            max_rd_atom_requester: 16,
            max_rd_atom_responder: 16,
            atomics: Atomics::Device,
            max_mr_bytes: u64::MAX,
            max_message_bytes: 1 << 30,
            iova: true,
            dma_buf: false,
            empty_fetches: false,
        })
    }

    fn alloc_pd(&self) -> Result<Handle> {
        Ok(Handle(1))
    }

    fn create_cq(&self, _: u32) -> Result<Handle> {
        let free = self.cqs.iter().position(|cq| cq.set(Cq::default()).is_ok());
        let index = free.ok_or_else(|| Error::new(ErrorKind::Exhausted, "make a completion queue of the sink"))?;
        Ok(Handle(index as u64 + 1))
    }

    fn destroy_cq(&self, _: Handle) -> Result<()> {
        Ok(())
    }

    /// A queue pair has its completion queue's number, with its own number in the upper bits.
    fn create_qp(&self, _: Handle, cq: Handle, ask: &RcQpAsk) -> Result<RcQp> {
        let number = self.cq(cq)?.qps.fetch_add(1, Ordering::Relaxed);
        let qpn = self.numbers.fetch_add(1, Ordering::Relaxed) as u32;
        Ok(RcQp { handle: Handle(number << 32 | cq.0), qpn, send_wr: ask.send_wr, inline_bytes: ask.inline_bytes })
    }

    fn connect(&self, _: Handle, _: &VerbsConnect) -> Result<()> {
        Ok(())
    }

    fn fail_qp(&self, _: Handle) -> Result<()> {
        Ok(())
    }

    fn query_state(&self, _: Handle) -> Result<QpState> {
        Ok(QpState::ReadyToSend)
    }

    fn destroy_qp(&self, _: Handle) -> Result<()> {
        Ok(())
    }

    fn post(&self, qp: Handle, list: &[Wr]) -> std::result::Result<(), PostRefused> {
        let Ok(cq) = self.cq(qp) else {
            return Err(PostRefused { posted: 0, errno: libc::EINVAL, call: "ibv_post_send" });
        };
        // Only one thread posts here.
        let posted = cq.posted.load(Ordering::Relaxed) + list.len() as u64;
        cq.posted.store(posted, Ordering::Relaxed);
        cq.lists.store(cq.lists.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        if self.panics.load(Ordering::Relaxed) < cq.lists.load(Ordering::Relaxed) {
            panic!("the sink was told to");
        }
        let tell = self.tell.load(Ordering::Relaxed);
        if tell != 0 {
            // SAFETY: the word is live, as its setter promises.
            unsafe { AtomicU64::from_ptr(with_exposed_provenance_mut(tell as usize)).store(posted, Ordering::Release) }
        }
        if self.copies.load(Ordering::Relaxed) {
            for wr in list {
                if let (WrOp::Write, Local::Memory { address, bytes, .. }) = (wr.op, wr.local) {
                    let begun = Instant::now();
                    self.swallow(address, bytes.into());
                    self.copied_ns.fetch_add(begun.elapsed().as_nanos() as u64, Ordering::Relaxed);
                }
            }
        }
        let mut ready = cq.ready.lock().unwrap_or_else(PoisonError::into_inner);
        let fails = self.fails.load(Ordering::Relaxed);
        let status = if fails >> 32 == (qp.0 >> 32) + 1 { fails as u32 } else { 0 };
        ready.extend(list.iter().filter(|wr| wr.signalled).map(|wr| Wc { id: wr.id, status, ..Wc::default() }));
        Ok(())
    }

    fn poll(&self, cq: Handle, out: &mut [Wc]) -> Result<usize> {
        let mut ready = self.cq(cq)?.ready.lock().unwrap_or_else(PoisonError::into_inner);
        let count = out.len().min(ready.len());
        out.iter_mut().zip(ready.drain(..count)).for_each(|(to, wc)| *to = wc);
        Ok(count)
    }
}

/// Provides the sink.
#[derive(Debug)]
pub(super) struct Provider(pub(super) Arc<Sink>);

impl RcProvider for Provider {
    fn describe(&self) -> String {
        "a sink".into()
    }

    fn list(&self) -> Result<Vec<Found>> {
        Ok(vec![Found { name: "sink".into(), pci: None, numa_node: None, is_mlx5: false }])
    }

    fn open(&self, _: &str) -> Result<Arc<dyn RcDevice>> {
        Ok(self.0.clone())
    }
}

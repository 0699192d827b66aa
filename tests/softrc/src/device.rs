//! The device of one PE.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_raw::rdma::hca::{Gid, GidKind, Handle, LinkLayer, Mr, Port, Region, VerbsConnect, VerbsNic};
use oxshmem_raw::rdma::rc::{Atomics, PostRefused, QpState, RcCaps, RcDevice, RcQp, RcQpAsk, Wc, Wr, WrOp};

use crate::queue::{Cq, Qp};
use crate::{EmptyFetches, Network, Registered, lock};

/// A verbs device in software.
#[derive(Debug)]
pub struct Device {
    pub(crate) network: Arc<Network>,
    pub(crate) pe: u32,
    name: String,
    pub(crate) objects: Mutex<Objects>,
    handles: AtomicU64,
}

#[derive(Debug)]
pub(crate) struct Objects {
    pub(crate) qps: BTreeMap<u64, Qp>,
    pub(crate) cqs: BTreeMap<u64, Cq>,
    pub(crate) random: u64,
}

impl Objects {
    /// The next number of the seed's.
    pub(crate) fn draw(&mut self, below: u64) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random % below
    }
}

impl Device {
    pub(crate) fn new(network: Arc<Network>, pe: u32, name: &str) -> Self {
        let random = (network.options.seed ^ u64::from(pe) << 32).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let objects = Mutex::new(Objects { qps: BTreeMap::new(), cqs: BTreeMap::new(), random });
        Self { network, pe, name: name.into(), objects, handles: AtomicU64::new(1) }
    }

    fn handle(&self) -> u64 {
        self.handles.fetch_add(1, Ordering::Relaxed)
    }

    fn none(&self, what: &str) -> Error {
        Error::new(ErrorKind::InvalidArgument, format!("use {what} of {}", self.name)).because("there is no such")
    }
}

impl VerbsNic for Device {
    fn name(&self) -> &str {
        &self.name
    }

    fn firmware(&self) -> String {
        "software".into()
    }

    fn ports(&self) -> Result<Vec<Port>> {
        let lid = self.pe as u16 + 1;
        Ok(vec![Port { number: 1, state: 4, link: LinkLayer::Ethernet, lid, active_mtu: 5, gids: 1, pkeys: 1 }])
    }

    fn gids(&self, _: u8) -> Result<Vec<Gid>> {
        let mut raw = [0; 16];
        (raw[10], raw[11], raw[12]) = (0xff, 0xff, 10);
        raw[14..].copy_from_slice(&(self.pe as u16 + 1).to_be_bytes());
        Ok(vec![Gid { index: 3, raw, kind: GidKind::RoceV2 }])
    }

    fn dealloc_pd(&self, _: Handle) -> Result<()> {
        Ok(())
    }

    fn reg_mr(&self, _: Handle, region: Region, bytes: u64, iova: u64, access: u32) -> Result<Mr> {
        let Region::Address(address) = region else { return Err(self.none("a DMA buffer")) };
        if iova != address && !self.network.options.iova {
            return Err(self.none("another address for memory"));
        }
        let gpu = crate::memory::owner(address);
        self.network.gpus.meet(gpu)?;
        let key = self.network.number();
        let registered = Registered { pe: self.pe, address, gpu, bytes, iova, access };
        self.network.regions.write().unwrap_or_else(PoisonError::into_inner).insert(key, registered);
        Ok(Mr { handle: Handle(key.into()), lkey: key, rkey: key })
    }

    fn dereg_mr(&self, mr: Handle) -> Result<()> {
        let gone = self.network.regions.write().unwrap_or_else(PoisonError::into_inner).remove(&(mr.0 as u32));
        gone.map(drop).ok_or_else(|| self.none("a registration"))
    }
}

impl RcDevice for Device {
    fn caps(&self) -> Result<RcCaps> {
        let options = self.network.options;
        Ok(RcCaps {
            max_qp: 1 << 16,
            max_qp_wr: options.max_qp_wr,
            max_sge: 1,
            max_cqe: 1 << 22,
            max_rd_atom_requester: 16,
            max_rd_atom_responder: 16,
            atomics: Atomics::Device,
            max_mr_bytes: u64::MAX,
            max_message_bytes: options.max_message,
            iova: options.iova,
            dma_buf: false,
            empty_fetches: options.empty_fetches != EmptyFetches::None,
        })
    }

    fn alloc_pd(&self) -> Result<Handle> {
        Ok(Handle(self.handle()))
    }

    fn create_cq(&self, entries: u32) -> Result<Handle> {
        let handle = self.handle();
        lock(&self.objects).cqs.insert(handle, Cq { entries, ..Cq::default() });
        Ok(Handle(handle))
    }

    fn destroy_cq(&self, cq: Handle) -> Result<()> {
        let mut objects = lock(&self.objects);
        if objects.qps.values().any(|qp| qp.cq == cq.0) {
            return Err(self.none("a completion queue without queue pairs"));
        }
        objects.cqs.remove(&cq.0).map(drop).ok_or_else(|| self.none("a completion queue"))
    }

    fn create_qp(&self, _: Handle, cq: Handle, ask: &RcQpAsk) -> Result<RcQp> {
        let (handle, options) = (self.handle(), self.network.options);
        let qpn = self.network.number();
        let made = RcQp {
            handle: Handle(handle),
            qpn,
            send_wr: options.given_wr.unwrap_or(ask.send_wr).min(options.max_qp_wr),
            inline_bytes: ask.inline_bytes.min(options.inline_bytes),
        };
        let qp = Qp {
            made,
            cq: cq.0,
            state: QpState::Reset,
            peer: 0,
            remote: 0,
            queue: Default::default(),
            held: 0,
            silent: 0,
            posted: 0,
            wrote: 0,
        };
        lock(&self.objects).qps.insert(handle, qp);
        self.network.queues.write().unwrap_or_else(PoisonError::into_inner).insert(qpn, self.pe);
        Ok(made)
    }

    fn connect(&self, qp: Handle, to: &VerbsConnect) -> Result<()> {
        let peers = self.network.queues.read().unwrap_or_else(PoisonError::into_inner);
        let peer = *peers.get(&to.remote_qpn).ok_or_else(|| self.none("a peer's queue pair"))?;
        let mut objects = lock(&self.objects);
        let qp = objects.qps.get_mut(&qp.0).ok_or_else(|| self.none("a queue pair"))?;
        (qp.peer, qp.remote, qp.state) = (peer, to.remote_qpn, QpState::ReadyToSend);
        Ok(())
    }

    fn fail_qp(&self, qp: Handle) -> Result<()> {
        let mut objects = lock(&self.objects);
        objects.qps.get_mut(&qp.0).ok_or_else(|| self.none("a queue pair"))?.state = QpState::Error;
        Ok(())
    }

    fn query_state(&self, qp: Handle) -> Result<QpState> {
        lock(&self.objects).qps.get(&qp.0).map(|qp| qp.state).ok_or_else(|| self.none("a queue pair"))
    }

    fn destroy_qp(&self, qp: Handle) -> Result<()> {
        let gone = lock(&self.objects).qps.remove(&qp.0);
        let gone = gone.ok_or_else(|| self.none("a queue pair"))?;
        self.network.queues.write().unwrap_or_else(PoisonError::into_inner).remove(&gone.made.qpn);
        Ok(())
    }

    fn post(&self, qp: Handle, list: &[Wr]) -> std::result::Result<(), PostRefused> {
        let network = &self.network;
        if !lock(&network.panics).is_empty() && lock(&network.panics).remove(&self.pe) {
            panic!("the device of PE {} was told to", self.pe);
        }
        network.lists.fetch_add(1, Ordering::Relaxed);
        network.posted.fetch_add(list.len() as u64, Ordering::Relaxed);
        let mut objects = lock(&self.objects);
        let Objects { qps, cqs, .. } = &mut *objects;
        let refused = |posted, errno| Err(PostRefused { posted, errno, call: "ibv_post_send" });
        let Some(cq) = qps.get(&qp.0).map(|qp| qp.cq) else { return refused(0, libc::EINVAL) };
        let before: u32 = qps.values().filter(|qp| qp.cq == cq).map(|qp| qp.held).sum();
        let qp = qps.get_mut(&qp.0).expect("found before");
        if network.options.sink {
            let cq = cqs.get_mut(&qp.cq).expect("a queue pair's");
            let qpn = qp.made.qpn;
            cq.ready
                .extend(list.iter().filter(|wr| wr.signalled).map(|wr| (0, Wc { id: wr.id, qpn, ..Wc::default() }, 0)));
            return Ok(());
        }
        for (posted, wr) in list.iter().enumerate() {
            if qp.held >= qp.made.send_wr {
                network.overruns.fetch_add(1, Ordering::Relaxed);
                return refused(posted, libc::ENOMEM);
            }
            let bytes = match wr.local {
                oxshmem_raw::rdma::rc::Local::Inline { bytes, .. } => u32::from(bytes),
                oxshmem_raw::rdma::rc::Local::Memory { .. } => 0,
            };
            if bytes > qp.made.inline_bytes || !matches!(qp.state, QpState::ReadyToSend | QpState::Error) {
                return refused(posted, libc::EINVAL);
            }
            qp.posted += 1;
            let is_write = matches!(wr.op, WrOp::Write);
            let behind_write = !is_write
                && match network.options.empty_fetches {
                    EmptyFetches::None => false,
                    // The first that is not known to be complete is so many before this one.
                    EmptyFetches::BehindWrites => qp.wrote + u64::from(qp.held) >= qp.posted,
                    EmptyFetches::BesideWrites => qp.wrote > 0,
                };
            if is_write {
                qp.wrote = qp.posted;
            }
            qp.held += 1;
            if cqs.get(&cq).is_none_or(|cq| before as usize + posted >= cq.entries as usize) {
                network.overruns.fetch_add(1, Ordering::Relaxed);
            }
            qp.queue.push_back((*wr, behind_write));
        }
        Ok(())
    }

    fn poll(&self, cq: Handle, out: &mut [Wc]) -> Result<usize> {
        let mut objects = lock(&self.objects);
        if !self.network.options.sink {
            if objects.draw(256) < self.network.options.delay.into() || lock(&self.network.held).contains(&self.pe) {
                return Ok(0);
            }
            self.execute(&mut objects, cq.0);
        }
        let Objects { qps, cqs, .. } = &mut *objects;
        let cq = cqs.get_mut(&cq.0).ok_or_else(|| self.none("a completion queue"))?;
        if cq.lost {
            return Err(Error::new(ErrorKind::Fault, "poll a completion queue").because("it has overflowed"));
        }
        let count = out.len().min(cq.ready.len());
        for (to, (qp, wc, frees)) in out.iter_mut().zip(cq.ready.drain(..count)) {
            *to = wc;
            if let Some(qp) = qps.get_mut(&qp) {
                qp.held -= frees;
            }
        }
        Ok(count)
    }
}

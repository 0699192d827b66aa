//! A device with registered memory, and queue pairs on it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use oxshmem_rdma::fabric::{Completion, Local, Operation, Status, WorkRequest};
use oxshmem_rdma::hca::{AhAttr, Gid, GidKind, Handle, LinkLayer, Mr, Port, Region, VerbsConnect, access};
use oxshmem_rdma::rc::{RcDevice, RcProvider, RcQp, RcQpAsk};

use crate::memory::{BYTES, Shared};
use crate::report::Fine;

pub(crate) const ALL: u32 = access::LOCAL_WRITE | access::REMOTE_WRITE | access::REMOTE_READ | access::REMOTE_ATOMIC;
/// Work requests of a queue pair.
const DEPTH: u32 = 128;
/// Default number of retries.
pub(crate) const RETRIES: u8 = 6;
/// Time limit of any wait.
pub(crate) const LIMIT: Duration = Duration::from_secs(60);

/// An open device with a protection domain and registered memory.
pub(crate) struct Side {
    // The device is dropped first, because it has the memory registered.
    pub(crate) device: Arc<dyn RcDevice>,
    pub(crate) pd: Handle,
    pub(crate) mr: Mr,
    port: Port,
    gid: Option<Gid>,
    pub(crate) memory: Shared,
    /// Number of retries when no answer comes. For Soft-RoCE 7 means without limit.
    pub(crate) retries: u8,
}

/// A queue pair with a completion queue of its own.
pub(crate) struct Link {
    pub(crate) cq: Handle,
    pub(crate) qp: RcQp,
}

/// Connection data that the other side needs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Address {
    pub(crate) qpn: u32,
    lid: u16,
    gid: [u8; 16],
    pub(crate) rkey: u32,
    pub(crate) at: u64,
}

impl Address {
    pub(crate) fn line(&self) -> String {
        format!("{} {} {} {} {}", self.qpn, self.lid, u128::from_be_bytes(self.gid), self.rkey, self.at)
    }

    pub(crate) fn parse(line: &str) -> Fine<Self> {
        let mut words = line.split_whitespace();
        let mut next = || words.next().ok_or_else(|| format!("half an address: {line:?}"));
        Ok(Self {
            qpn: next()?.parse()?,
            lid: next()?.parse()?,
            gid: next()?.parse::<u128>()?.to_be_bytes(),
            rkey: next()?.parse()?,
            at: next()?.parse()?,
        })
    }
}

impl Side {
    pub(crate) fn open(verbs: &dyn RcProvider, name: &str) -> Fine<Self> {
        let device = verbs.open(name)?;
        let port = device.ports()?.into_iter().find(|port| port.state == 4).ok_or("no port is active")?;
        let gids = device.gids(port.number)?;
        // Prefers the RoCE v2 address over IPv4, which every network routes.
        let v2 = |gid: &&Gid| gid.kind == GidKind::RoceV2;
        let ipv4 = gids.iter().filter(v2).find(|gid| gid.raw[..12] == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]);
        let gid = ipv4.or_else(|| gids.iter().find(v2)).or(gids.first()).copied();
        let memory = Shared::new();
        let pd = device.alloc_pd()?;
        let mr = device.reg_mr(pd, Region::Address(memory.at()), BYTES as u64, memory.at(), ALL)?;
        let gid = gid.filter(|_| port.link == LinkLayer::Ethernet);
        Ok(Self { device, pd, mr, port, gid, memory, retries: RETRIES })
    }

    pub(crate) fn link(&self) -> Fine<Link> {
        let cq = self.device.create_cq(4 * DEPTH)?;
        let qp = self.device.create_qp(self.pd, cq, &RcQpAsk { send_wr: DEPTH, inline_bytes: 32 })?;
        Ok(Link { cq, qp })
    }

    /// Connects two queue pairs of this side with each other.
    pub(crate) fn pair(&self) -> Fine<[Link; 2]> {
        let [one, other] = [self.link()?, self.link()?];
        self.connect(&one, &self.address(&other))?;
        self.connect(&other, &self.address(&one))?;
        Ok([one, other])
    }

    pub(crate) fn address(&self, link: &Link) -> Address {
        let gid = self.gid.map_or([0; 16], |gid| gid.raw);
        Address { qpn: link.qp.qpn, lid: self.port.lid, gid, rkey: self.mr.rkey, at: self.memory.at() }
    }

    pub(crate) fn connect(&self, link: &Link, to: &Address) -> Fine<()> {
        let global = self.gid.map(|gid| (to.gid, gid.index));
        let caps = self.device.caps()?;
        let connect = VerbsConnect {
            ah: AhAttr { port: self.port.number, dlid: to.lid, sl: 0, global, hop_limit: 64, traffic_class: 0 },
            remote_qpn: to.qpn,
            mtu: self.port.active_mtu,
            pkey_index: 0,
            // 67 ms, so that a missing answer is noticed after half a second.
            timeout: 14,
            retry_cnt: self.retries,
            rnr_retry: 6,
            rd_atomic: caps.max_rd_atom_requester.min(caps.max_rd_atom_responder).min(16),
            min_rnr_timer: 12,
        };
        Ok(self.device.connect(link.qp.handle, &connect)?)
    }

    /// Returns this side's bytes from `offset` on.
    pub(crate) fn local(&self, offset: usize, bytes: u32) -> Local {
        Local::Memory { address: self.memory.at() + offset as u64, bytes, key: self.mr.lkey.into() }
    }

    /// Returns a signalled request to `to`'s memory from `offset` on.
    pub(crate) fn wr(&self, id: u64, op: Operation, local: Local, to: &Address, offset: usize) -> WorkRequest {
        WorkRequest { id, op, local, remote: to.at + offset as u64, remote_key: to.rkey.into(), signalled: true }
    }

    /// Posts all requests, or returns an error that names the refusal.
    pub(crate) fn post(&self, link: &Link, list: &[WorkRequest]) -> Fine<()> {
        Ok(self.device.post(link.qp.handle, list).map_err(|refused| refused.into_error("post"))?)
    }

    /// Returns the next `count` completions.
    pub(crate) fn wait(&self, link: &Link, count: usize) -> Fine<Vec<Completion>> {
        let mut all = vec![Completion::default(); count];
        let mut taken = 0;
        let begun = Instant::now();
        while taken < count {
            taken += self.device.poll(link.cq, &mut all[taken..])?;
            if begun.elapsed() > LIMIT {
                return Err(format!("{taken} of {count} completions after {LIMIT:?}").into());
            }
            std::thread::yield_now();
        }
        Ok(all)
    }

    /// Posts, and waits for `completions` completions, all of which must succeed.
    pub(crate) fn done(&self, link: &Link, list: &[WorkRequest], completions: usize) -> Fine<Vec<Completion>> {
        self.post(link, list)?;
        let all = self.wait(link, completions)?;
        match all.iter().find(|wc| wc.status != Status::Success) {
            Some(wc) => Err(format!("request {}: {} ({wc:?})", wc.id, wc.status.text()).into()),
            None => Ok(all),
        }
    }
}

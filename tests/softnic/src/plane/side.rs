//! The control plane's view of a queue that a data plane executes.

use std::fmt;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

use oxshmem_rdma::hca::access;

use crate::check::{Rule, Violation};
use crate::decode::Sge;
use crate::engine::Setup;
use crate::nic::{Core, Envelope, Nak, state, syndrome};
use crate::wire::Link;

use super::regions::Asked;
use super::{PlaneMemory, PlanePeer, PlaneRegion};

/// A queue's own side of the control plane.
pub struct Side {
    core: Arc<Core>,
    setup: Setup,
    link: Mutex<Option<Link>>,
}

/// The state of a queue pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It sends.
    Works,
    /// It is in error: posted entries are flushed.
    Failed,
    /// It was reset: nothing is done.
    Gone,
}

impl fmt::Debug for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Side({} QP {:#x} to {:?})", self.core.name, self.setup.qpn, self.setup.to)
    }
}

impl Side {
    pub(crate) fn new(core: Arc<Core>, setup: Setup) -> Self {
        Self { core, setup, link: Mutex::default() }
    }

    /// Returns the state of the queue pair.
    pub fn standing(&self) -> Standing {
        match self.setup.state.get() {
            state::RTS => Standing::Works,
            state::ERR => Standing::Failed,
            _ => Standing::Gone,
        }
    }

    fn link(&self) -> Option<Link> {
        let mut link = self.link.lock().unwrap_or_else(PoisonError::into_inner);
        if link.is_none() {
            *link = self.core.port.link(self.setup.to.0);
        }
        link.clone()
    }

    fn envelope(&self, at: u64, rkey: u32) -> Envelope {
        Envelope { from: (self.core.lid(), self.setup.qpn), to: self.setup.to.1, at, rkey, key: 0 }
    }

    /// Reports whether the peer is in another process.
    pub fn is_remote(&self) -> bool {
        matches!(self.link(), Some(Link::Remote(_)))
    }

    /// Reports whether the link to the peer exists; asks no question.
    pub fn is_linked(&self) -> bool {
        self.core.responder.up.load(Ordering::Acquire)
            && match self.link() {
                Some(Link::Local(peer)) => peer.strong_count() > 0,
                Some(Link::Remote(connection)) => connection.is_alive(),
                None => false,
            }
    }

    /// Returns the rights that the peer's queue pair grants; `None` if it does not respond.
    pub fn peer(&self) -> Option<PlanePeer> {
        if !self.is_linked() {
            return None;
        }
        match self.link()? {
            Link::Local(peer) => {
                let target = peer.upgrade()?.target(&self.envelope(0, 0))?;
                Some(PlanePeer { pd: target.pd, access: target.access() })
            }
            Link::Remote(_) => {
                let asked = Asked::Target;
                let answer = self.core.asker.ask(self.setup.to.0, &asked, &self.envelope(0, 0)).ok()??;
                Some(PlanePeer { pd: answer.pd, access: answer.access })
            }
        }
    }

    /// Returns the region of local data.
    ///
    /// # Errors
    /// There is none, or it does not permit the access: the syndrome. The broken rule is recorded.
    pub fn local(&self, index: u64, lkey: u32, at: u64, bytes: u64, writes: bool) -> Result<PlaneRegion, u8> {
        let region = self.core.responder.local_region(self.setup.pd, Sge { bytes, lkey, at }, writes);
        region.map(|region| region.plane(region.lkey)).map_err(|nak| self.refused(index, nak))
    }

    /// Returns the peer's region that a request names.
    ///
    /// # Errors
    /// The peer refuses, or does not respond: the syndrome. The broken rule is recorded, and the peer's queue pair
    /// stops.
    pub fn remote(&self, index: u64, rkey: u32, at: u64, bytes: u64, needs: u32) -> Result<PlaneRegion, u8> {
        let lost = |what: String| Err(Nak::fault(syndrome::RETRY_EXCEEDED, what));
        let lid = self.setup.to.0;
        let envelope = self.envelope(at, rkey);
        let region = match self.link() {
            _ if !self.core.responder.up.load(Ordering::Acquire) => lost("the link is down".into()),
            Some(Link::Local(peer)) => match peer.upgrade() {
                Some(peer) => peer.remote_region(&envelope, bytes, needs).map(|region| region.plane(region.rkey)),
                None => lost(format!("the NIC with LID {lid} is gone")),
            },
            Some(Link::Remote(connection)) if connection.is_alive() => {
                match self.core.asker.ask(lid, &Asked::Region { bytes, needs }, &envelope) {
                    Ok(Some(region)) => Ok(region),
                    Ok(None) => lost("the peer named no region".into()),
                    Err(nak) => Err(nak),
                }
            }
            Some(Link::Remote(_)) => lost(format!("the process with LID {lid} is gone")),
            None => lost(format!("there is no NIC with LID {lid}")),
        };
        region.map_err(|nak| self.refused(index, nak))
    }

    /// Returns all regions that the queue can name by an lkey, so that few questions follow.
    pub fn all_local(&self) -> Vec<PlaneRegion> {
        let all = self.core.responder.regions_of(self.setup.pd);
        all.iter().map(|region| region.plane(region.lkey)).collect()
    }

    /// Returns all regions that the peer lets this queue access, so that few questions follow.
    pub fn all_remote(&self) -> Vec<PlaneRegion> {
        match self.link() {
            Some(Link::Local(peer)) => {
                let all = peer.upgrade().map(|peer| peer.regions_for(&self.envelope(0, 0))).unwrap_or_default();
                all.iter().map(|region| region.plane(region.rkey)).collect()
            }
            Some(Link::Remote(_)) => {
                let ask = |number| self.core.asker.ask(self.setup.to.0, &Asked::Nth { number }, &self.envelope(0, 0));
                (0..).map_while(|number| ask(number).ok().flatten()).collect()
            }
            None => Vec::new(),
        }
    }

    fn refused(&self, index: u64, nak: Nak) -> u8 {
        if let Some(rule) = nak.rule {
            self.record(rule, index, nak.what);
        }
        nak.syndrome
    }

    fn record(&self, rule: Rule, index: u64, what: String) {
        let (nic, qpn, wqe) = (self.core.name.clone(), self.setup.qpn, String::new());
        self.core.violations.record(Violation { rule, nic, qpn, index, what, wqe });
    }

    /// Reports that the queue stopped with an error completion: its queue pair is in error. `rule`: the broken rule, if
    /// any.
    pub fn stopped(&self, index: u64, rule: Option<(Rule, String)>) {
        self.setup.state.fail();
        if let Some((rule, what)) = rule {
            self.record(rule, index, what);
        }
    }
}

impl crate::nic::Region {
    /// Returns the data plane's description of it, by one of its keys.
    pub(crate) fn plane(&self, key: u32) -> PlaneRegion {
        PlaneRegion {
            key,
            iova: self.iova,
            bytes: self.span.bytes(),
            pd: self.pd,
            access: self.access,
            place: PlaneMemory::Here(self.span.at()),
        }
    }

    /// Reports whether it grants other PEs any access.
    pub(crate) fn is_for_others(&self) -> bool {
        self.access & (access::REMOTE_WRITE | access::REMOTE_READ | access::REMOTE_ATOMIC) != 0
    }
}

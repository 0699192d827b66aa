//! Registered memory and access rights: the table of memory keys, and the responder's view of queue pairs.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use oxshmem_rdma::hca::access;

use crate::check::Rule;
use crate::decode::{Atomic, Service, Sge};
use crate::memory::{Dma, Span};
use crate::{Defect, Defects};

use super::nak::{Nak, syndrome};
use super::receive::{Message, Receiver};
use super::state::QpState;

/// Number of registrations for which a NIC has keys, as a power of two.
const KEYS_LOG: u32 = 16;

/// A registered range.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Region {
    pub(crate) pd: u32,
    pub(crate) lkey: u32,
    pub(crate) rkey: u32,
    pub(crate) iova: u64,
    pub(crate) span: Span,
    pub(crate) access: u32,
}

/// A queue pair as the responder sees it.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    pub(crate) pd: u32,
    pub(crate) service: Service,
    /// Its only requester, if it is connected: address and queue pair.
    pub(crate) from: (u16, u32),
    pub(crate) read: bool,
    pub(crate) write: bool,
    pub(crate) atomic: bool,
    pub(crate) state: Arc<QpState>,
    /// Its receive queue, if there is one.
    pub(crate) receiver: Option<Arc<Receiver>>,
    /// The key that requests to it must have, if it is not connected; a datagram's is the upper half.
    pub(crate) key: u64,
    /// The code of the time after which a requester repeats a message for which there was no entry.
    pub(crate) min_rnr_nak: u8,
}

#[derive(Debug, Default)]
struct Tables {
    /// First key index: no two NICs of a provider have the same keys.
    first: u32,
    regions: Vec<Option<Region>>,
    /// The last key of each index.
    variants: Vec<u8>,
    targets: HashMap<u32, Target>,
    /// Whether keys of requests are left unchecked.
    no_keys: bool,
}

/// Executes other NICs' requests, and looks up local keys.
#[derive(Debug)]
pub(crate) struct Responder {
    pub(crate) dma: Dma,
    /// Whether its NIC's link is up.
    pub(crate) up: AtomicBool,
    /// Whether registrations are refused, as when the limit of locked memory is reached.
    pub(crate) refuses: AtomicBool,
    tables: Mutex<Tables>,
}

/// A request to a responder.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Ask<'a> {
    Write { data: &'a [u8] },
    Atomic { what: Atomic },
}

/// Requester, target and address of a request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Envelope {
    pub(crate) from: (u16, u32),
    pub(crate) to: u32,
    pub(crate) at: u64,
    pub(crate) rkey: u32,
    /// The key of a target that is not connected.
    pub(crate) key: u64,
}

impl Responder {
    /// Returns the responder of NIC number `nic` of its provider.
    pub(crate) fn new(dma: Dma, nic: u32, defects: Defects) -> Self {
        let (up, refuses) = (AtomicBool::new(true), AtomicBool::new(false));
        // Index 0 stays unused, so that no key is small.
        let first = 1 + (nic << KEYS_LOG);
        let tables = Tables { first, no_keys: defects.has(Defect::Keys), ..Tables::default() };
        Self { dma, up, refuses, tables: Mutex::new(tables) }
    }

    fn is_up(&self) -> bool {
        self.up.load(Ordering::Acquire)
    }

    fn tables(&self) -> MutexGuard<'_, Tables> {
        self.tables.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// Registers a range. Its lkey and rkey differ from each other and from earlier ones.
    pub(crate) fn register(&self, pd: u32, iova: u64, span: Span, access: u32) -> (u32, u32) {
        let mut tables = self.tables();
        let index = tables.regions.iter().position(Option::is_none).unwrap_or(tables.regions.len());
        if index == tables.regions.len() {
            tables.regions.push(None);
            tables.variants.push(0x10);
        }
        let variant = tables.variants[index].wrapping_add(2) & !1;
        tables.variants[index] = variant;
        assert!(index < 1 << KEYS_LOG, "more registrations than a software NIC has keys for");
        let lkey = (tables.first + index as u32) << 8 | u32::from(variant);
        let rkey = lkey | 1;
        tables.regions[index] = Some(Region { pd, lkey, rkey, iova, span, access });
        (lkey, rkey)
    }

    pub(crate) fn deregister(&self, lkey: u32) {
        let mut tables = self.tables();
        if let Some(index) = tables.index(lkey) {
            tables.regions[index] = None;
        }
    }

    pub(crate) fn set_target(&self, qpn: u32, target: Option<Target>) {
        let mut tables = self.tables();
        match target {
            Some(target) => tables.targets.insert(qpn, target),
            None => tables.targets.remove(&qpn),
        };
    }

    /// Checks that local data exists.
    #[inline]
    pub(crate) fn check_local(&self, pd: u32, sge: Sge, writes: bool) -> Result<(), Nak> {
        self.tables().local(pd, sge, writes).map(drop)
    }

    /// Reads local data, from `offset` bytes into it on. The region can't be deregistered meanwhile.
    #[inline]
    pub(crate) fn read_local(&self, pd: u32, sge: Sge, offset: u64, to: &mut [u8]) -> Result<(), Nak> {
        let tables = self.tables();
        let span = tables.local(pd, sge, false)?;
        let Some(part) = span.part(offset, to.len() as u64) else { return Ok(()) };
        self.dma.read(part, to).map_err(|e| Nak::fault(syndrome::LOCAL_PROTECTION, e.0))
    }

    /// Writes local data, from `offset` bytes into it on. The region can't be deregistered meanwhile.
    #[inline]
    pub(crate) fn write_local(&self, pd: u32, sge: Sge, offset: u64, from: &[u8]) -> Result<(), Nak> {
        let tables = self.tables();
        let span = tables.local(pd, sge, true)?;
        let Some(part) = span.part(offset, from.len() as u64) else { return Ok(()) };
        self.dma.write(part, from).map_err(|e| Nak::fault(syndrome::LOCAL_PROTECTION, e.0))
    }

    /// Reports whether writes to this region may overtake each other.
    pub(crate) fn is_relaxed(&self, rkey: u32) -> bool {
        self.tables().region(rkey).is_some_and(|region| region.access & access::RELAXED_ORDERING != 0)
    }

    /// Returns the region of a key.
    pub(crate) fn region_of(&self, key: u32) -> Option<Region> {
        self.tables().region(key).copied()
    }

    /// Returns all regions of a protection domain.
    pub(crate) fn regions_of(&self, pd: u32) -> Vec<Region> {
        self.tables().regions.iter().flatten().filter(|region| region.pd == pd).copied().collect()
    }

    /// Returns the region of local data.
    pub(crate) fn local_region(&self, pd: u32, sge: Sge, writes: bool) -> Result<Region, Nak> {
        let tables = self.tables();
        tables.local(pd, sge, writes)?;
        tables.region(sge.lkey).copied().ok_or_else(|| Nak::fault(syndrome::LOCAL_PROTECTION, "no such region"))
    }

    /// Returns the region that a request names.
    pub(crate) fn remote_region(&self, envelope: &Envelope, bytes: u64, needs: u32) -> Result<Region, Nak> {
        let tables = self.tables();
        tables.remote(self.is_up(), envelope, bytes, needs)?;
        let region = tables.region(envelope.rkey).copied();
        region.ok_or_else(|| Nak::fault(syndrome::REMOTE_ACCESS, "no such region"))
    }

    /// Returns the target queue pair of a request, if it responds.
    pub(crate) fn target(&self, envelope: &Envelope) -> Option<Target> {
        let tables = self.tables();
        let target = tables.targets.get(&envelope.to)?;
        (self.is_up() && target.state.responds() && target.from == envelope.from).then(|| target.clone())
    }

    /// Returns the regions that requests to this queue pair may name.
    pub(crate) fn regions_for(&self, envelope: &Envelope) -> Vec<Region> {
        let Some(target) = self.target(envelope) else { return Vec::new() };
        let tables = self.tables();
        let all = tables.regions.iter().flatten();
        all.filter(|region| region.pd == target.pd && region.is_for_others()).copied().collect()
    }

    /// Checks a request for `bytes` bytes without executing it.
    pub(crate) fn check(&self, envelope: &Envelope, bytes: u64, needs: u32) -> Result<(), Nak> {
        self.tables().remote(self.is_up(), envelope, bytes, needs).map(drop)
    }

    /// Executes a read.
    pub(crate) fn read(&self, envelope: &Envelope, to: &mut [u8]) -> Result<(), Nak> {
        let tables = self.tables();
        let Some(span) = tables.remote(self.is_up(), envelope, to.len() as u64, access::REMOTE_READ)? else {
            return Ok(());
        };
        self.dma.read(span, to).map_err(|e| Nak::fault(syndrome::REMOTE_OPERATION, e.0))
    }

    /// Takes a part of a message for a receive queue.
    pub(crate) fn receive(&self, envelope: &Envelope, message: &Message<'_>) -> Result<(), Nak> {
        let tables = self.tables();
        let target = tables.target(self.is_up(), envelope)?;
        let Some(receiver) = &target.receiver else {
            return Err(Nak::fault(syndrome::RNR_EXCEEDED, "the peer has no receive queue"));
        };
        let pd = receiver.queue.pd;
        let taken = receiver.take(&self.dma, envelope.from, message, |sge, offset, data| {
            let span = tables.local(pd, sge, true)?;
            let Some(part) = span.part(offset, data.len() as u64) else { return Ok(()) };
            self.dma.write(part, data).map_err(|e| Nak::fault(syndrome::LOCAL_PROTECTION, e.0))
        });
        match taken {
            Err(nak) if nak.not_ready.is_some() => Err(Nak { not_ready: Some(target.min_rnr_nak), ..nak }),
            Err(nak) => target.refuse(nak),
            Ok(()) => Ok(()),
        }
    }

    /// Executes a write, or an atomic, whose former value it returns.
    pub(crate) fn execute(&self, envelope: &Envelope, ask: Ask<'_>) -> Result<u64, Nak> {
        let failed = |e: crate::MemoryFailed| Nak::fault(syndrome::REMOTE_OPERATION, e.0);
        // Held while memory is accessed, so that no region is deregistered meanwhile.
        let (tables, up) = (self.tables(), self.is_up());
        match ask {
            Ask::Write { data } => {
                let Some(span) = tables.remote(up, envelope, data.len() as u64, access::REMOTE_WRITE)? else {
                    return Ok(0);
                };
                self.dma.write(span, data).map_err(failed)?;
                Ok(0)
            }
            Ask::Atomic { what } => {
                let Some(span) = tables.remote(up, envelope, what.bytes().into(), access::REMOTE_ATOMIC)? else {
                    return Ok(0);
                };
                self.dma.update(span, &mut |was| what.apply(was)).map_err(failed)
            }
        }
    }
}

impl Target {
    /// Returns its access bits.
    pub(crate) fn access(&self) -> u32 {
        let bit = |yes: bool, bit: u32| if yes { bit } else { 0 };
        bit(self.read, access::REMOTE_READ)
            | bit(self.write, access::REMOTE_WRITE)
            | bit(self.atomic, access::REMOTE_ATOMIC)
    }

    /// Fails a request. A reliable responder that refuses one stops its queue pair; others drop it.
    fn refuse<T>(&self, nak: Nak) -> Result<T, Nak> {
        // (That of a DCT is not its requesters' own.)
        if self.service == Service::Rc {
            self.state.fail();
        }
        Err(nak)
    }
}

impl Tables {
    /// Returns the span of local data.
    #[inline]
    fn local(&self, pd: u32, sge: Sge, writes: bool) -> Result<Span, Nak> {
        let broken = |rule, what| Err(Nak::broken(syndrome::LOCAL_PROTECTION, rule, what));
        let region = match self.region(sge.lkey) {
            Some(region) if region.lkey == sge.lkey => *region,
            Some(region) if region.rkey == sge.lkey => {
                return broken(Rule::LocalKey, format!("{:#x} is an rkey, its lkey is {:#x}", sge.lkey, region.lkey));
            }
            _ => return broken(Rule::LocalKey, format!("lkey {:#x} is not registered", sge.lkey)),
        };
        if region.pd != pd {
            let (has, is) = (region.pd, pd);
            return broken(Rule::LocalKey, format!("lkey {:#x} is of domain {has}, the QP of {is}", sge.lkey));
        }
        if writes && region.access & access::LOCAL_WRITE == 0 {
            return broken(Rule::LocalAccess, format!("the region of lkey {:#x} is not for writing", sge.lkey));
        }
        let span = sge.at.checked_sub(region.iova).and_then(|offset| region.span.part(offset, sge.bytes));
        span.map_or_else(|| broken(Rule::LocalBounds, outside(sge.at, sge.bytes, &region)), Ok)
    }

    /// Returns the queue pair that answers a request.
    fn target(&self, up: bool, envelope: &Envelope) -> Result<&Target, Nak> {
        let lost = |what: String| Err(Nak::fault(syndrome::RETRY_EXCEEDED, what));
        if !up {
            return lost("the peer's link is down".into());
        }
        let Some(target) = self.targets.get(&envelope.to) else {
            return lost(format!("the peer has no QP {:#x} that is ready", envelope.to));
        };
        if !target.state.responds() {
            return lost(format!("the peer's QP {:#x} is in error", envelope.to));
        }
        let is_keyed = matches!(target.service, Service::Ud | Service::Dct);
        if is_keyed && target.key != envelope.key {
            return Err(Nak::fault(syndrome::REMOTE_ACCESS, "the request has another key than its target"));
        }
        if !is_keyed && target.from != envelope.from {
            let ((lid, qpn), (from_lid, from_qpn)) = (target.from, envelope.from);
            let to = envelope.to;
            return lost(format!(
                "the peer's QP {to:#x} is connected to QP {qpn:#x} of LID {lid}, not to {from_qpn:#x} of {from_lid}"
            ));
        }
        Ok(target)
    }

    /// Returns the span that a request names, if it is permitted; `None` for an access of no bytes.
    fn remote(&self, up: bool, envelope: &Envelope, bytes: u64, needs: u32) -> Result<Option<Span>, Nak> {
        let target = self.target(up, envelope)?;
        let allowed = match needs {
            access::REMOTE_READ => target.read,
            access::REMOTE_ATOMIC => target.atomic,
            _ => target.write,
        };
        if !allowed {
            let what = format!("the peer's QP {:#x} was made without the right (access bit {needs})", envelope.to);
            return target.refuse(Nak::broken(syndrome::REMOTE_INVALID, Rule::RemoteAccess, what));
        }
        if needs == access::REMOTE_ATOMIC && !envelope.at.is_multiple_of(bytes) {
            let what = format!("an atomic of {bytes} bytes at {:#x}", envelope.at);
            return target.refuse(Nak::broken(syndrome::REMOTE_INVALID, Rule::AtomicAlignment, what));
        }
        let broken = |rule, what| target.refuse(Nak::broken(syndrome::REMOTE_ACCESS, rule, what));
        if bytes == 0 {
            // An access of no bytes needs no key.
            return Ok(None);
        }
        let region = match self.region(envelope.rkey) {
            Some(region) if region.rkey == envelope.rkey => region,
            Some(region) if region.lkey == envelope.rkey => {
                return broken(Rule::RemoteKey, format!("{:#x} is an lkey, not an rkey", envelope.rkey));
            }
            _ if self.no_keys => return Ok(None),
            _ => return broken(Rule::RemoteKey, format!("rkey {:#x} is not registered at the peer", envelope.rkey)),
        };
        if region.pd != target.pd {
            let (has, is) = (region.pd, target.pd);
            return broken(Rule::RemoteKey, format!("rkey {:#x} is of domain {has}, the QP of {is}", envelope.rkey));
        }
        if region.access & needs == 0 {
            let what = format!("the region of rkey {:#x} does not allow it (access bit {needs})", envelope.rkey);
            return broken(Rule::RemoteAccess, what);
        }
        let span = envelope.at.checked_sub(region.iova).and_then(|offset| region.span.part(offset, bytes));
        span.map_or_else(|| broken(Rule::RemoteBounds, outside(envelope.at, bytes, region)), |span| Ok(Some(span)))
    }

    #[inline]
    fn region(&self, key: u32) -> Option<&Region> {
        self.regions[self.index(key)?].as_ref()
    }

    /// Returns the index of a key's region, if it belongs to this NIC.
    #[inline]
    fn index(&self, key: u32) -> Option<usize> {
        let index = (key >> 8).checked_sub(self.first)? as usize;
        (index < self.regions.len()).then_some(index)
    }
}

fn outside(at: u64, bytes: u64, region: &Region) -> String {
    let (start, end) = (region.iova, region.iova.wrapping_add(region.span.bytes()));
    format!("{bytes} bytes at {at:#x} are not within the region's {start:#x}..{end:#x}")
}

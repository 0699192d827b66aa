//! The keys of heap extents, this PE's and its peers', and of registered buffers: each NIC has its own.

use std::sync::Arc;

use crate::state::{ExtentKeys, LocalKeys, MAX_EXTENTS, MAX_LOCALS};
use oxshmem_core::Pe;
use oxshmem_core::host::{Error, ErrorKind, Extent, Result};
use oxshmem_raw::memory::Place;
use oxshmem_raw::rdma::hca::access;
use oxshmem_raw::rdma::mlx5::Key;

use super::nic::{Nic, Registered};
use super::offer::Told;
use super::tables::Tables;

/// Everything registered, in the order of the heap.
#[derive(Debug, Default)]
pub(super) struct Keys {
    extents: Vec<OwnExtent>,
    /// Extents that every peer has told its keys of, and that kernels may use.
    published: usize,
    locals: Vec<Option<Local>>,
}

#[derive(Debug)]
struct OwnExtent {
    extent: Extent,
    /// By NIC of this PE.
    own: Vec<Registered>,
    /// By PE, then by NIC of it; `None`: not yet told.
    rkeys: Vec<Option<Vec<u32>>>,
}

#[derive(Debug)]
struct Local {
    start: u64,
    end: u64,
    /// By NIC of this PE.
    _own: Vec<Registered>,
}

/// The first extent, as each queue has it at hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct First {
    pub(super) end: u64,
    pub(super) lkey: u32,
    pub(super) rkey: u32,
}

impl Keys {
    /// Registers an extent of this PE's heap, which is at `place`, with every NIC; what its peers are told.
    ///
    /// # Errors
    /// There are too many, it does not follow the one before, or a NIC can't reach it. Then nothing is registered.
    pub(super) fn offer(
        &mut self,
        nics: &[Arc<Nic>],
        tables: &mut Tables,
        place: &Place,
        extent: Extent,
        relaxed: bool,
        far: &[bool],
    ) -> Result<Told> {
        let action = || format!("register {} bytes of the symmetric heap at offset {:#x}", extent.bytes, extent.offset);
        let count = self.extents.len() as u64;
        if count >= MAX_EXTENTS.into() {
            return Err(Error::new(ErrorKind::Exhausted, action())
                .amount(count + 1, MAX_EXTENTS.into(), "extents")
                .hint("start with a larger heap: OXSHMEM_SYMMETRIC_SIZE"));
        }
        let end = self.extents.last().map_or(0, |last| last.extent.offset + last.extent.bytes);
        if extent.offset != end {
            return Err(Error::new(ErrorKind::InvalidArgument, action())
                .because(format!("the heap that is registered ends at offset {end:#x}")));
        }
        let rights = access::LOCAL_WRITE | access::REMOTE_WRITE | access::REMOTE_READ | access::REMOTE_ATOMIC;
        let rights = rights | if relaxed { access::RELAXED_ORDERING } else { 0 };
        let register = |nic: &Arc<Nic>| nic.register("heap", place, extent.bytes, extent.offset, rights);
        let own = nics.iter().map(register).collect::<Result<Vec<_>>>()?;
        for (local, own) in own.iter().enumerate() {
            let keys = ExtentKeys { end: extent.offset + extent.bytes, lkey: Key::new(own.mr.lkey).wire(), unused: 0 };
            tables.set_extent(local, count as u32, &keys)?;
        }
        let rkeys = own.iter().map(|own| own.mr.rkey).collect();
        self.extents.push(OwnExtent { extent, own, rkeys: vec![None; far.len()] });
        let published = self.publish(tables, far);
        published.inspect_err(|_| self.withdraw(tables, extent))?;
        Ok(Told { relaxed, rkeys })
    }

    /// Takes the keys of a peer's extent, and lets kernels use the extent when all of `far` have told theirs.
    ///
    /// # Errors
    /// This PE has no such extent, or the peer has another number of NICs than it told before.
    pub(super) fn accept(
        &mut self,
        tables: &mut Tables,
        pe: Pe,
        extent: Extent,
        told: Told,
        far: &[bool],
    ) -> Result<()> {
        let before = self.extents.first().and_then(|first| first.rkeys[pe.index()].as_ref()).map(Vec::len);
        let Some((index, own)) = self.extents.iter_mut().enumerate().find(|(_, own)| own.extent == extent) else {
            return Err(Error::new(ErrorKind::Mismatch, format!("reach the heap of {pe}"))
                .because(format!("this PE has no extent of {} bytes at offset {:#x}", extent.bytes, extent.offset))
                .about(pe));
        };
        let Told { relaxed, rkeys } = told;
        if let Some(before) = before.filter(|before| *before != rkeys.len()) {
            return Err(Error::new(ErrorKind::Malformed, format!("reach the heap of {pe}"))
                .because(format!("it told the keys of {before} NICs before, and now of {}", rkeys.len()))
                .about(pe));
        }
        tables.make_sides(rkeys.len())?;
        for (side, rkey) in rkeys.iter().enumerate() {
            tables.set_rkey(index as u32, pe, side, Key::new(*rkey).wire())?;
        }
        if relaxed {
            // What this PE writes there arrives in any order, whatever its own heap is like.
            tables.set_relaxed()?;
        }
        own.rkeys[pe.index()] = Some(rkeys);
        self.publish(tables, far)
    }

    /// Forgets the extent, and what came behind it, which no kernel has used: the heap of some PE did not grow.
    pub(super) fn withdraw(&mut self, tables: &mut Tables, extent: Extent) {
        let kept = self.extents.iter().take_while(|own| own.extent.offset < extent.offset).count();
        if kept < self.extents.len() {
            self.published = self.published.min(kept);
            // Also where it was not published: that may have failed half way. The world has an error to tell already.
            let _ = tables.publish_extents(self.published as u32);
        }
        self.extents.truncate(kept);
    }

    /// Lets kernels use the extents that all of `far` have told their keys of.
    fn publish(&mut self, tables: &mut Tables, far: &[bool]) -> Result<()> {
        let told = |own: &OwnExtent| own.rkeys.iter().zip(far).all(|(rkeys, far)| rkeys.is_some() || !far);
        while self.extents.get(self.published).is_some_and(told) {
            tables.publish_extents(self.published as u32 + 1)?;
            self.published += 1;
        }
        Ok(())
    }

    /// The first extent, as a queue from NIC `local` of this PE to NIC `side` of `pe` has it.
    pub(super) fn first(&self, pe: Pe, local: usize, side: usize) -> Option<First> {
        let first = self.extents[..self.published].first()?;
        Some(First {
            end: first.extent.offset + first.extent.bytes,
            lkey: Key::new(first.own.get(local)?.mr.lkey).wire(),
            rkey: Key::new(*first.rkeys[pe.index()].as_ref()?.get(side)?).wire(),
        })
    }

    /// The key that heap offset `at` of `pe` has on its first NIC, and the bytes from there on that it is good for.
    pub(super) fn remote(&self, pe: Pe, at: u64) -> Option<(u32, u64)> {
        let of = |extent: &Extent| (extent.offset..extent.offset + extent.bytes).contains(&at);
        let own = self.extents[..self.published].iter().find(|own| of(&own.extent))?;
        Some((*own.rkeys[pe.index()].as_ref()?.first()?, own.extent.offset + own.extent.bytes - at))
    }

    /// Registers a buffer of the program with every NIC.
    ///
    /// # Errors
    /// It is empty, overlaps one that is registered, there are too many, or a NIC can't reach it. Then it is registered
    /// with none.
    pub(super) fn add_local(
        &mut self,
        nics: &[Arc<Nic>],
        tables: &mut Tables,
        place: &Place,
        bytes: u64,
    ) -> Result<()> {
        let (Place::Host(start) | Place::Device(_, start)) = *place;
        let action = || format!("register {bytes} bytes at address {start:#x}");
        let Some(end) = start.checked_add(bytes).filter(|_| bytes > 0) else {
            return Err(Error::new(ErrorKind::InvalidArgument, action())
                .because("a buffer has at least one byte, and ends within the address space"));
        };
        if let Some(other) = self.locals.iter().flatten().find(|other| start < other.end && other.start < end) {
            return Err(Error::new(ErrorKind::InvalidArgument, action()).because(format!(
                "{} bytes at address {:#x} are registered already",
                other.end - other.start,
                other.start
            )));
        }
        let slot = self.locals.iter().position(Option::is_none).unwrap_or(self.locals.len());
        if slot >= MAX_LOCALS as usize {
            return Err(Error::new(ErrorKind::Exhausted, action())
                .amount(slot as u64 + 1, MAX_LOCALS.into(), "buffers")
                .hint("register fewer, larger buffers, or unregister what is no longer used"));
        }
        let register = |nic: &Arc<Nic>| nic.register("registered buffer", place, bytes, start, access::LOCAL_WRITE);
        let own = nics.iter().map(register).collect::<Result<Vec<_>>>()?;
        let write = |(local, own): (usize, &Registered)| {
            let keys = LocalKeys { start, end, lkey: Key::new(own.mr.lkey).wire(), unused: 0, iova: start };
            tables.set_local(local, slot as u32, &keys)
        };
        let mut written = own.iter().enumerate().try_for_each(write);
        if slot == self.locals.len() {
            written = written.and_then(|()| tables.publish_locals(slot as u32 + 1));
        }
        if written.is_err() {
            // No kernel may find keys of what is given back.
            let _ = tables.clear_local(slot as u32);
            return written;
        }
        if slot == self.locals.len() {
            self.locals.push(None);
        }
        self.locals[slot] = Some(Local { start, end, _own: own });
        Ok(())
    }

    /// Gives a buffer's registrations back; kernels must no longer use it.
    ///
    /// # Errors
    /// None begins at `address`.
    pub(super) fn remove_local(&mut self, tables: &Tables, address: u64) -> Result<()> {
        let slot = self.locals.iter().position(|local| local.as_ref().is_some_and(|local| local.start == address));
        let Some(slot) = slot else {
            return Err(Error::new(
                ErrorKind::InvalidArgument,
                format!("unregister the buffer at address {address:#x}"),
            )
            .because("no registered buffer begins there"));
        };
        tables.clear_local(slot as u32)?;
        self.locals[slot] = None;
        Ok(())
    }
}

//! The keys of heap extents, this PE's and its peers', and of registered buffers.

use std::sync::Arc;

use oxshmem_core::Pe;
use oxshmem_core::host::{Error, ErrorKind, Extent, Result};
use oxshmem_raw::hca::access;
use oxshmem_raw::mlx5::Key;
use oxshmem_raw::state::nic::{ExtentKeys, LocalKeys, MAX_EXTENTS, MAX_LOCALS};

use super::memory::Place;
use super::nic::{Nic, Registered};
use super::tables::Tables;

/// Everything registered, in the order of the heap.
#[derive(Debug, Default)]
pub(super) struct Keys {
    extents: Vec<OwnExtent>,
    /// Extents that every peer has told its key of, and that kernels may use.
    published: usize,
    locals: Vec<Option<Local>>,
}

#[derive(Debug)]
struct OwnExtent {
    extent: Extent,
    own: Registered,
    /// By PE; `None`: not yet told.
    rkeys: Vec<Option<u32>>,
}

#[derive(Debug)]
struct Local {
    start: u64,
    end: u64,
    _own: Registered,
}

/// The first extent, as each queue has it at hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct First {
    pub(super) end: u64,
    pub(super) lkey: u32,
    pub(super) rkey: u32,
}

impl Keys {
    /// Registers an extent of this PE's heap, which is at `place`; its key for others.
    ///
    /// # Errors
    /// There are too many, it does not follow the one before, or the NIC can't reach it.
    pub(super) fn offer(
        &mut self,
        nic: &Arc<Nic>,
        tables: &Tables,
        place: &Place,
        extent: Extent,
        relaxed: bool,
        far: &[bool],
    ) -> Result<u32> {
        // What is offered again was given back by the world, since another PE could not make or take its own.
        let kept = self.extents.iter().take_while(|own| own.extent.offset < extent.offset).count();
        if kept < self.published {
            tables.publish_extents(kept as u32)?;
            self.published = kept;
        }
        self.extents.truncate(kept);
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
        let own = nic.register("heap", place, extent.bytes, extent.offset, rights)?;
        let keys = ExtentKeys { end: extent.offset + extent.bytes, lkey: Key::new(own.mr.lkey).wire(), unused: 0 };
        tables.set_extent(count as u32, &keys)?;
        let rkey = own.mr.rkey;
        self.extents.push(OwnExtent { extent, own, rkeys: vec![None; far.len()] });
        self.publish(tables, far)?;
        Ok(rkey)
    }

    /// Takes the key of a peer's extent, and lets kernels use the extent when all of `far` have told theirs.
    ///
    /// # Errors
    /// This PE has no such extent.
    pub(super) fn accept(&mut self, tables: &Tables, pe: Pe, extent: Extent, rkey: u32, far: &[bool]) -> Result<()> {
        let Some((index, own)) = self.extents.iter_mut().enumerate().find(|(_, own)| own.extent == extent) else {
            return Err(Error::new(ErrorKind::Mismatch, format!("reach the heap of {pe}"))
                .because(format!("this PE has no extent of {} bytes at offset {:#x}", extent.bytes, extent.offset))
                .about(pe));
        };
        tables.set_rkey(index as u32, pe, Key::new(rkey).wire())?;
        own.rkeys[pe.index()] = Some(rkey);
        self.publish(tables, far)
    }

    /// Lets kernels use the extents that all of `far` have told their keys of.
    fn publish(&mut self, tables: &Tables, far: &[bool]) -> Result<()> {
        let told = |own: &OwnExtent| own.rkeys.iter().zip(far).all(|(rkey, far)| rkey.is_some() || !far);
        while self.extents.get(self.published).is_some_and(told) {
            tables.publish_extents(self.published as u32 + 1)?;
            self.published += 1;
        }
        Ok(())
    }

    /// The first extent, as a queue to `pe` has it.
    pub(super) fn first(&self, pe: Pe) -> Option<First> {
        let first = self.extents[..self.published].first()?;
        Some(First {
            end: first.extent.offset + first.extent.bytes,
            lkey: Key::new(first.own.mr.lkey).wire(),
            rkey: Key::new(first.rkeys[pe.index()]?).wire(),
        })
    }

    /// The key for heap offset `at` of `pe`, and the bytes from there on that it is good for.
    pub(super) fn remote(&self, pe: Pe, at: u64) -> Option<(u32, u64)> {
        let of = |extent: &Extent| (extent.offset..extent.offset + extent.bytes).contains(&at);
        let own = self.extents[..self.published].iter().find(|own| of(&own.extent))?;
        Some((own.rkeys[pe.index()]?, own.extent.offset + own.extent.bytes - at))
    }

    /// Registers a buffer of the program.
    ///
    /// # Errors
    /// It is empty, overlaps one that is registered, there are too many, or the NIC can't reach it.
    pub(super) fn add_local(&mut self, nic: &Arc<Nic>, tables: &Tables, place: &Place, bytes: u64) -> Result<()> {
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
        let own = nic.register("registered buffer", place, bytes, start, access::LOCAL_WRITE)?;
        tables.set_local(
            slot as u32,
            &LocalKeys { start, end, lkey: Key::new(own.mr.lkey).wire(), unused: 0, iova: start },
        )?;
        if slot == self.locals.len() {
            tables.publish_locals(slot as u32 + 1)?;
            self.locals.push(None);
        }
        self.locals[slot] = Some(Local { start, end, _own: own });
        Ok(())
    }

    /// Gives a buffer's registration back; kernels must no longer use it.
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

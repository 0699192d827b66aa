//! The objects that a program has created through one open file, by handle.

use std::collections::BTreeMap;
use std::os::fd::RawFd;
use std::sync::Arc;

use oxshmem_rdma::hca::{Handle, Hca, Uar};

use super::attrs::{Answer, Call, Errno, Filled};
use super::channel::{Channel, Events};
use super::dct::Dct;

/// Bytes of a doorbell page.
pub(crate) const PAGE_BYTES: i64 = 4096;
/// Offsets of the doorbell pages in the device file, as the kernel's driver encodes them: a command above the index.
const PAGES_BEGIN: i64 = (9 << 16) * PAGE_BYTES;
/// See [`PAGES_BEGIN`].
pub(crate) const PAGES_END: i64 = (10 << 16) * PAGE_BYTES;

/// Memory registered by the driver for a queue.
#[derive(Clone, Copy, Debug)]
pub(crate) struct QueueMemory {
    /// Its handle, to give it back.
    pub(crate) umem: Handle,
    /// Its number in commands.
    pub(crate) id: u32,
    /// Offset of the program's address in it, in bytes.
    pub(crate) offset: u64,
}

/// A completion queue of verbs.
#[derive(Debug)]
pub(crate) struct Cq {
    pub(crate) object: Handle,
    pub(crate) number: u32,
    pub(crate) memory: [QueueMemory; 2],
    /// Queue pairs that complete into it.
    pub(crate) users: u32,
    /// Its events, if it has a channel.
    pub(crate) events: Option<Events>,
}

/// A shared receive queue of verbs.
#[derive(Debug)]
pub(crate) struct Srq {
    pub(crate) object: Handle,
    pub(crate) number: u32,
    pub(crate) memory: [QueueMemory; 2],
    /// Queue pairs that receive from it.
    pub(crate) users: u32,
    /// Entries that a program can post.
    pub(crate) entries: u32,
    /// Segments of an entry.
    pub(crate) sges: u32,
    pub(crate) limit: u32,
    /// The event of its limit.
    pub(crate) events: Option<Events>,
}

/// The service of a queue pair, as the QP context encodes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Service {
    Rc = 0,
    Uc = 1,
    Ud = 2,
    /// The requesting side of dynamic connections.
    Dci = 5,
}

/// A queue pair of verbs, with the state that the kernel keeps of it.
#[derive(Debug)]
pub(crate) struct Qp {
    pub(crate) object: Handle,
    pub(crate) number: u32,
    pub(crate) memory: [QueueMemory; 2],
    /// The handles of its completion queues.
    pub(crate) cqs: [u32; 2],
    /// The handle of its shared receive queue.
    pub(crate) srq: Option<u32>,
    pub(crate) pd: u32,
    pub(crate) service: Service,
    /// `enum ibv_qp_state`.
    pub(crate) state: u8,
    /// `enum ibv_access_flags`: the peers' rights.
    pub(crate) access: u32,
    pub(crate) port: u8,
    pub(crate) pkey_index: u16,
    /// Reads and atomics as responder.
    pub(crate) responder_depth: u8,
    pub(crate) cap: [u32; 5],
    pub(crate) signal_all: bool,
    /// Its event, if it shares its receives.
    pub(crate) events: Option<Events>,
}

/// The object of a handle.
#[derive(Debug)]
pub(crate) enum Object {
    /// With its number in commands.
    Pd {
        pd: Handle,
        number: u32,
    },
    Mr {
        mr: Handle,
    },
    Ah,
    Cq(Cq),
    Srq(Srq),
    Qp(Qp),
    Dct(Dct),
    Devx(Handle),
    Umem(Handle),
    Uar(Uar),
}

/// All objects of an open file.
#[derive(Debug, Default)]
pub(crate) struct Objects {
    by_handle: BTreeMap<u32, Object>,
    next: u32,
    uars: i64,
    /// Channels of asynchronous events, by the program's descriptor.
    pub(crate) async_events: Vec<(RawFd, Arc<Channel>)>,
    /// Channels of completion events and of DEVX's events, by the program's descriptor.
    pub(crate) channels: BTreeMap<RawFd, Arc<Channel>>,
}

impl Objects {
    /// Returns an object's events of one kind: on the channel that the attribute `on` of its creation names, or on the
    /// first. `None` if there is none. `object`: the program's name of it.
    pub(super) fn asynchronous(&self, call: &Call<'_>, on: u16, object: u64, event: u32) -> Option<Events> {
        let named = call.number(on).ok().map(|fd| fd as RawFd);
        let mut channels = self.async_events.iter();
        let (_, channel) = channels.find(|(fd, _)| named.is_none_or(|named| named == *fd))?;
        Some(Events::new(channel.clone(), Filled::default().u64(object).u32(event).u32(0).0))
    }

    /// Adds an object. Returns its handle.
    pub(crate) fn add(&mut self, object: Object) -> u32 {
        let handle = self.next;
        self.next += 1;
        self.by_handle.insert(handle, object);
        handle
    }

    /// Returns the offset at which a new doorbell page will be mapped, beyond the offsets with a meaning of their own.
    pub(crate) fn next_offset(&mut self) -> Answer<i64> {
        let offset = PAGES_BEGIN + self.uars * PAGE_BYTES;
        if offset >= PAGES_END {
            return Err(Errno(libc::ENOMEM));
        }
        self.uars += 1;
        Ok(offset)
    }

    /// Returns the number of the doorbell page whose low 16 bits a structure contains.
    pub(crate) fn uar_page(&self, low: u16) -> Option<u32> {
        self.by_handle.values().find_map(|object| match object {
            Object::Uar(uar) if uar.page as u16 == low => Some(uar.page),
            _ => None,
        })
    }

    /// Returns the object of a handle. Fails with the kernel's `ENOENT` if there is none.
    pub(crate) fn get(&self, handle: u32) -> Answer<&Object> {
        self.by_handle.get(&handle).ok_or(Errno(libc::ENOENT))
    }

    /// Performs [`get`](Self::get) for changes.
    pub(crate) fn get_mut(&mut self, handle: u32) -> Answer<&mut Object> {
        self.by_handle.get_mut(&handle).ok_or(Errno(libc::ENOENT))
    }

    /// Removes an object.
    pub(crate) fn remove(&mut self, handle: u32) {
        self.by_handle.remove(&handle);
    }

    /// Returns a protection domain, and its number in commands.
    pub(crate) fn pd(&self, handle: u32) -> Answer<(Handle, u32)> {
        match self.get(handle)? {
            Object::Pd { pd, number } => Ok((*pd, *number)),
            _ => Err(Errno(libc::EINVAL)),
        }
    }

    pub(crate) fn cq(&mut self, handle: u32) -> Answer<&mut Cq> {
        match self.get_mut(handle)? {
            Object::Cq(cq) => Ok(cq),
            _ => Err(Errno(libc::EINVAL)),
        }
    }

    pub(crate) fn srq(&mut self, handle: u32) -> Answer<&mut Srq> {
        match self.get_mut(handle)? {
            Object::Srq(srq) => Ok(srq),
            _ => Err(Errno(libc::EINVAL)),
        }
    }

    pub(crate) fn qp(&mut self, handle: u32) -> Answer<&mut Qp> {
        match self.get_mut(handle)? {
            Object::Qp(qp) => Ok(qp),
            _ => Err(Errno(libc::EINVAL)),
        }
    }

    /// Returns the command object of a handle: of DEVX, or of a queue of verbs.
    pub(crate) fn command_object(&self, handle: u32) -> Answer<Handle> {
        match self.get(handle)? {
            Object::Devx(object) => Ok(*object),
            Object::Cq(cq) => Ok(cq.object),
            Object::Srq(srq) => Ok(srq.object),
            Object::Qp(qp) => Ok(qp.object),
            Object::Dct(dct) => dct.made.map(|(object, _)| object).ok_or(Errno(libc::EINVAL)),
            _ => Err(Errno(libc::EINVAL)),
        }
    }

    /// Gives all objects back, as the kernel does when a file is closed, in an order in which none is in use.
    pub(crate) fn give_all_back(&mut self, hca: &dyn Hca) {
        // An object that another still uses is destroyed in a later round.
        for _ in 0..4 {
            let handles: Vec<u32> = self.by_handle.keys().rev().copied().collect();
            for handle in handles {
                let done = match &self.by_handle[&handle] {
                    Object::Pd { pd, .. } => hca.dealloc_pd(*pd),
                    Object::Mr { mr } => hca.dereg_mr(*mr),
                    Object::Ah => Ok(()),
                    Object::Cq(cq) => hca.obj_destroy(cq.object).map(|()| give_back(hca, &cq.memory)),
                    Object::Srq(srq) => hca.obj_destroy(srq.object).map(|()| give_back(hca, &srq.memory)),
                    Object::Qp(qp) => hca.obj_destroy(qp.object).map(|()| give_back(hca, &qp.memory)),
                    Object::Dct(dct) => dct.made.map_or(Ok(()), |(object, _)| hca.obj_destroy(object)),
                    Object::Devx(object) => hca.obj_destroy(*object),
                    Object::Umem(umem) => hca.umem_dereg(*umem),
                    Object::Uar(uar) => hca.free_uar(uar.handle),
                };
                if done.is_ok() {
                    self.by_handle.remove(&handle);
                }
            }
            if self.by_handle.is_empty() {
                return;
            }
        }
    }
}

/// Gives back the memory of a queue that no longer exists.
pub(crate) fn give_back(hca: &dyn Hca, memory: &[QueueMemory; 2]) {
    for part in memory {
        // No object of the program depends on it, so that a failure concerns nothing.
        drop(hca.umem_dereg(part.umem));
    }
}

//! An opened device.

use core::ffi::c_int;
use std::fmt;
use std::mem::MaybeUninit;
use std::ptr::{self, NonNull};
use std::sync::Arc;

use oxshmem_core::host::{Error, ErrorKind, Result};

use super::queue::{Completions, PostingQueuePair};
use crate::fabric::{Completion, INLINE_BYTES, PostError, PostErrorKind, WorkRequest};
use crate::hca::{Gid, Handle, Mr, Port, Region, VerbsConnect, VerbsNic};
use crate::rc::{Atomics, RcCaps, RcDevice, RcQp, RcQpAsk};
use crate::verbs::base::VerbsDevice;
use crate::verbs::ffi::{self, IbvPd, IbvQpAttr, IbvQpCap, IbvQpInitAttr, atomic_cap, attr_mask, qp_state};
use crate::verbs::objects::{Object, Objects};

const PD: &str = "a protection domain";
const MR: &str = "a memory registration";
const CQ: &str = "a completion queue";
const QP: &str = "a queue pair";

/// An object of posting: a queue pair or a completion queue.
#[derive(Clone)]
enum Posting {
    Qp(Arc<PostingQueuePair>),
    Cq(Arc<Completions>),
}

impl Object for Posting {
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

/// An object of registration: memory or a protection domain.
#[derive(Clone, Copy)]
enum MemoryObject {
    Mr(NonNull<ffi::IbvMr>),
    Pd(NonNull<IbvPd>),
}

// SAFETY: verbs objects may be used from any thread (the libraries take the locks), and the table destroys no object in
// use.
unsafe impl Send for MemoryObject {}
// SAFETY: verbs objects may be used from several threads at the same time, and the pointers are never changed.
unsafe impl Sync for MemoryObject {}

impl Object for MemoryObject {
    fn kind(&self) -> &'static str {
        match self {
            Self::Mr(_) => MR,
            Self::Pd(_) => PD,
        }
    }

    fn rank(&self) -> u8 {
        match self {
            Self::Mr(_) => 0,
            Self::Pd(_) => 1,
        }
    }
}

/// Returns the object if it is of one kind.
macro_rules! pick {
    ($table:ident::$kind:ident) => {
        |object: &$table| match object {
            $table::$kind(inner) => Some(inner.clone()),
            _ => None,
        }
    };
}

fn domain(object: &MemoryObject) -> Option<NonNull<IbvPd>> {
    if let MemoryObject::Pd(pd) = object { Some(*pd) } else { None }
}

/// A device that libibverbs opened. Objects that were not given back are destroyed when it is dropped.
pub(super) struct LibVerbsDevice {
    // Two tables with a lock each: registering memory can take long, and posting must not wait for it.
    postings: Objects<Posting>,
    memory: Objects<MemoryObject>,
    base: VerbsDevice,
}

impl LibVerbsDevice {
    pub(super) fn new(base: VerbsDevice) -> Self {
        Self { postings: Objects::every(2, 1), memory: Objects::every(2, 2), base }
    }

    /// Destroys a queue that is not in use. Returns the call and its answer.
    fn release_posting(&self, object: &Posting) -> (&'static str, c_int) {
        let verbs = self.base.verbs();
        match object {
            Posting::Qp(queue) => {
                // SAFETY: the queue pair is in the table, which removes it if this succeeds, and no call uses it now.
                ("ibv_destroy_qp", unsafe { (verbs.ibv_destroy_qp)(queue.raw().as_ptr()) })
            }
            Posting::Cq(cq) => {
                // SAFETY: the completion queue is in the table, which removes it if this succeeds, and no call uses it
                // now.
                ("ibv_destroy_cq", unsafe { (verbs.ibv_destroy_cq)(cq.raw().as_ptr()) })
            }
        }
    }

    /// Destroys a registration or domain that is not in use. Returns the call and its answer.
    fn release_memory(&self, object: &MemoryObject) -> (&'static str, c_int) {
        let verbs = self.base.verbs();
        match object {
            MemoryObject::Mr(mr) => {
                // SAFETY: the registration is in the table, which removes it if this succeeds, and no call uses it now.
                ("ibv_dereg_mr", unsafe { (verbs.ibv_dereg_mr)(mr.as_ptr()) })
            }
            MemoryObject::Pd(pd) => {
                // SAFETY: the domain is in the table, which removes it if this succeeds, and no call uses it now.
                ("ibv_dealloc_pd", unsafe { (verbs.ibv_dealloc_pd)(pd.as_ptr()) })
            }
        }
    }

    fn give_back_posting(&self, handle: Handle, what: &str, is: fn(&Posting) -> bool) -> Result<()> {
        let pick = |object: &Posting| is(object).then(|| object.clone());
        self.postings.destroy(handle, what, pick, |object| {
            let (call, answered) = self.release_posting(&object);
            self.base.done(|| format!("give back {what}"), call, answered)
        })
    }

    fn give_back_memory(&self, handle: Handle, what: &str, is: fn(&MemoryObject) -> bool) -> Result<()> {
        self.memory.destroy(
            handle,
            what,
            |object| is(object).then_some(*object),
            |object| {
                let (call, answered) = self.release_memory(&object);
                self.base.done(|| format!("give back {what}"), call, answered)
            },
        )
    }

    /// Converts a limit of the device. A negative one counts as 0.
    fn limit(limit: c_int) -> u32 {
        u32::try_from(limit).unwrap_or(0)
    }
}

impl fmt::Debug for LibVerbsDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (firmware {})", self.base.name, self.base.firmware())
    }
}

impl Drop for LibVerbsDevice {
    fn drop(&mut self) {
        // A drop can't report errors; the kernel takes back all objects when the device is closed.
        for object in self.postings.drain() {
            let _ = self.release_posting(&object);
        }
        for object in self.memory.drain() {
            let _ = self.release_memory(&object);
        }
    }
}

impl VerbsNic for LibVerbsDevice {
    fn name(&self) -> &str {
        &self.base.name
    }

    fn firmware(&self) -> String {
        self.base.firmware()
    }

    fn ports(&self) -> Result<Vec<Port>> {
        self.base.ports()
    }

    fn gids(&self, port: u8) -> Result<Vec<Gid>> {
        self.base.gids(port)
    }

    fn dealloc_pd(&self, pd: Handle) -> Result<()> {
        self.give_back_memory(pd, PD, |object| matches!(object, MemoryObject::Pd(_)))
    }

    fn reg_mr(&self, pd: Handle, region: Region, bytes: u64, iova: u64, access: u32) -> Result<Mr> {
        let register = |pd| self.base.register(pd, region, bytes, iova, access);
        let mr = self.memory.with(pd, PD, domain, register)?;
        // SAFETY: `ibv_reg_mr` just returned the structure, and it is not deregistered yet.
        let ffi::IbvMr { lkey, rkey, .. } = unsafe { mr.as_ptr().read() };
        Ok(Mr { handle: self.memory.keep(MemoryObject::Mr(mr)), lkey, rkey })
    }

    fn dereg_mr(&self, mr: Handle) -> Result<()> {
        self.give_back_memory(mr, MR, |object| matches!(object, MemoryObject::Mr(_)))
    }
}

// SAFETY:
// - **named**: the NIC checks the key and the range of every access.
// - **until**, **once**: it completes the requests of a queue pair in order, each when its accesses are done.
unsafe impl RcDevice for LibVerbsDevice {
    fn caps(&self) -> Result<RcCaps> {
        let attr = &self.base.attr;
        let most = |limit: c_int| u8::try_from(limit.max(0)).unwrap_or(u8::MAX);
        Ok(RcCaps {
            max_qp: Self::limit(attr.max_qp),
            max_qp_wr: Self::limit(attr.max_qp_wr),
            max_cqe: Self::limit(attr.max_cqe),
            max_rd_atom_requester: most(attr.max_qp_init_rd_atom),
            max_rd_atom_responder: most(attr.max_qp_rd_atom),
            atomics: match attr.atomic_cap {
                atomic_cap::HCA => Atomics::Device,
                atomic_cap::GLOB => Atomics::System,
                _ => Atomics::None,
            },
            max_message_bytes: self.base.max_message_bytes()?,
            iova: self.base.verbs().ibv_reg_mr_iova2.is_some(),
            dma_buf: self.base.verbs().ibv_reg_dmabuf_mr.is_some(),
            empty_fetches: self.base.is_soft_roce(),
        })
    }

    fn alloc_pd(&self) -> Result<Handle> {
        // SAFETY: the context is open until `base` is dropped.
        let pd = unsafe { (self.base.verbs().ibv_alloc_pd)(self.base.context.as_ptr()) };
        let pd = self.base.made(|| "make a protection domain".into(), "ibv_alloc_pd", pd)?;
        Ok(self.memory.keep(MemoryObject::Pd(pd)))
    }

    fn create_cq(&self, entries: u32) -> Result<Handle> {
        let action = || format!("make a completion queue of {entries} entries");
        let most = Self::limit(self.base.attr.max_cqe);
        if entries == 0 || entries > most {
            return Err(Error::new(ErrorKind::OutOfRange, self.base.on(action())).amount(
                entries.into(),
                most.into(),
                "entries",
            ));
        }
        let none = ptr::null_mut();
        // SAFETY: the context is open until `base` is dropped; null is allowed for the user's context and the channel,
        // and vector 0 always exists.
        let cq = unsafe {
            let create = self.base.verbs().ibv_create_cq;
            create(self.base.context.as_ptr(), entries as c_int, none, ptr::null_mut(), 0)
        };
        let cq = self.base.made(action, "ibv_create_cq", cq)?;
        // SAFETY: **live**: the table keeps the completion queue, and destroys it when it is not in use.
        Ok(self.postings.keep(Posting::Cq(Arc::new(unsafe { Completions::new(cq) }))))
    }

    fn destroy_cq(&self, cq: Handle) -> Result<()> {
        self.give_back_posting(cq, CQ, |object| matches!(object, Posting::Cq(_)))
    }

    fn create_qp(&self, pd: Handle, cq: Handle, ask: &RcQpAsk) -> Result<RcQp> {
        let action =
            || format!("make a queue pair of {} work requests, {} bytes inline", ask.send_wr, ask.inline_bytes);
        if ask.send_wr == 0 || ask.inline_bytes as usize > INLINE_BYTES {
            return Err(Error::new(ErrorKind::InvalidArgument, self.base.on(action()))
                .because(format!("it must have at least 1 work request, and at most {INLINE_BYTES} bytes inline")));
        }
        let make = |pd: NonNull<IbvPd>, cq: Arc<Completions>| {
            let mut attr = IbvQpInitAttr {
                qp_context: ptr::null_mut(),
                send_cq: cq.raw().as_ptr(),
                recv_cq: cq.raw().as_ptr(),
                srq: ptr::null_mut(),
                cap: IbvQpCap {
                    max_send_wr: ask.send_wr,
                    max_recv_wr: 0,
                    max_send_sge: 1,
                    max_recv_sge: 0,
                    max_inline_data: ask.inline_bytes,
                },
                qp_type: ffi::QPT_RC,
                sq_sig_all: 0,
            };
            // SAFETY: the tables lend the domain and the completion queue for this call; `attr` is a live structure of
            // the type that the call takes.
            let qp = unsafe { (self.base.verbs().ibv_create_qp)(pd.as_ptr(), &mut attr) };
            Ok((self.base.made(action, "ibv_create_qp", qp)?, attr.cap))
        };
        let (qp, cap) =
            self.memory.with(pd, PD, domain, |pd| self.postings.with(cq, CQ, pick!(Posting::Cq), |cq| make(pd, cq)))?;
        // SAFETY: `ibv_create_qp` just returned the structure, and it is not destroyed yet.
        let qpn = unsafe { (*qp.as_ptr()).qp_num };
        let inline_bytes = cap.max_inline_data.min(INLINE_BYTES as u32);
        let send_wr = cap.max_send_wr;
        // SAFETY: **live**: the table keeps the queue pair, and destroys it when it is not in use.
        let queue = unsafe { PostingQueuePair::new(qp, inline_bytes, send_wr) };
        Ok(RcQp { handle: self.postings.keep(Posting::Qp(Arc::new(queue))), qpn, send_wr, inline_bytes })
    }

    fn connect(&self, qp: Handle, to: &VerbsConnect) -> Result<()> {
        self.postings.with(qp, QP, pick!(Posting::Qp), |queue| {
            // SAFETY: **live**: the table lends the queue pair for this call.
            unsafe { self.base.connect(queue.raw(), to, QP) }
        })
    }

    fn fail_qp(&self, qp: Handle) -> Result<()> {
        // SAFETY: every field is a number or an array of numbers, for which zeros are a value.
        let mut attr: IbvQpAttr = unsafe { MaybeUninit::zeroed().assume_init() };
        attr.qp_state = qp_state::ERR;
        self.postings.with(qp, QP, pick!(Posting::Qp), |queue| {
            let modify = self.base.verbs().ibv_modify_qp;
            // SAFETY: the table lends the queue pair for this call; `attr` is a live structure of the type that the
            // call takes.
            let answered = unsafe { modify(queue.raw().as_ptr(), &mut attr, attr_mask::STATE) };
            self.base.done(|| "move a queue pair to the error state".into(), "ibv_modify_qp", answered)
        })
    }

    fn destroy_qp(&self, qp: Handle) -> Result<()> {
        self.give_back_posting(qp, QP, |object| matches!(object, Posting::Qp(_)))
    }

    fn post(&self, qp: Handle, list: &[WorkRequest]) -> std::result::Result<(), PostError> {
        let posted = self.postings.look(qp, |posting| {
            let Posting::Qp(queue) = posting else { return None };
            // SAFETY: **live**: the table lends the queue pair for this call.
            Some(unsafe { queue.post(list) })
        });
        posted.unwrap_or(Err(PostError {
            posted: 0,
            kind: PostErrorKind::Failed,
            code: libc::EBADF.into(),
            call: "ibv_post_send",
        }))
    }

    fn poll(&self, cq: Handle, out: &mut [Completion]) -> Result<usize> {
        self.postings.with(cq, CQ, pick!(Posting::Cq), |cq| {
            // SAFETY: **live**: the table lends the completion queue for this call.
            let polled = unsafe { cq.poll(out) };
            polled.map_err(|answered| {
                Error::new(ErrorKind::System, self.base.on("poll a completion queue".into()))
                    .call("ibv_poll_cq", answered.into(), "the queue is lost")
                    .hint("more completions than it has entries, or the device is gone: see dmesg")
            })
        })
    }
}

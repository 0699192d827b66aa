//! An opened device, as a proxy uses it.

use core::ffi::c_int;
use std::fmt;
use std::mem::MaybeUninit;
use std::ptr::{self, NonNull};
use std::sync::Arc;

use oxshmem_core::host::{Error, ErrorKind, Result};

use super::queue::{Completions, Queue};
use crate::hca::{Gid, Handle, Mr, Port, Region, VerbsConnect, VerbsNic};
use crate::rc::{Atomics, INLINE_BYTES, PostRefused, QpState, RcCaps, RcDevice, RcQp, RcQpAsk, Wc, Wr};
use crate::verbs::base::Base;
use crate::verbs::ffi::{self, Pd, QpAttr, QpCap, QpInitAttr, atomic_cap, attr_mask, qp_state};
use crate::verbs::objects::{self, Objects};

const PD: &str = "a protection domain";
const MR: &str = "a memory registration";
const CQ: &str = "a completion queue";
const QP: &str = "a queue pair";

/// What was taken from a device.
#[derive(Clone)]
enum Object {
    Qp(Arc<Queue>),
    Cq(Arc<Completions>),
    Mr(NonNull<ffi::Mr>),
    Pd(NonNull<Pd>),
}

// SAFETY: verbs objects may be used from any thread (the libraries lock what they must), and the table sees to it that
// none is used when it is destroyed.
unsafe impl Send for Object {}
// SAFETY: as above; an `Object` itself is never changed.
unsafe impl Sync for Object {}

impl objects::Object for Object {
    fn kind(&self) -> &'static str {
        match self {
            Self::Qp(_) => QP,
            Self::Cq(_) => CQ,
            Self::Mr(_) => MR,
            Self::Pd(_) => PD,
        }
    }

    fn rank(&self) -> u8 {
        match self {
            Self::Qp(_) => 0,
            Self::Cq(_) => 1,
            Self::Mr(_) => 2,
            Self::Pd(_) => 3,
        }
    }
}

/// Takes an object of one kind out of the others.
macro_rules! pick {
    ($kind:ident) => {
        |object: &Object| match object {
            Object::$kind(inner) => Some(inner.clone()),
            _ => None,
        }
    };
}

/// A device that libibverbs opened. What was not given back goes when it is dropped.
pub(super) struct Device {
    // In this order: the objects go first.
    objects: Objects<Object>,
    base: Base,
}

impl Device {
    pub(super) fn new(base: Base) -> Self {
        Self { objects: Objects::default(), base }
    }

    /// Gives back one object that nobody uses any more.
    fn release(&self, object: &Object) -> (&'static str, c_int) {
        let verbs = self.base.verbs();
        // SAFETY: the object is of the table, which forgets it if this succeeds; nobody else uses it meanwhile.
        unsafe {
            match object {
                Object::Qp(queue) => ("ibv_destroy_qp", (verbs.ibv_destroy_qp)(queue.raw().as_ptr())),
                Object::Cq(cq) => ("ibv_destroy_cq", (verbs.ibv_destroy_cq)(cq.raw().as_ptr())),
                Object::Mr(mr) => ("ibv_dereg_mr", (verbs.ibv_dereg_mr)(mr.as_ptr())),
                Object::Pd(pd) => ("ibv_dealloc_pd", (verbs.ibv_dealloc_pd)(pd.as_ptr())),
            }
        }
    }

    fn give_back(&self, handle: Handle, what: &str, is: fn(&Object) -> bool) -> Result<()> {
        let pick = |object: &Object| is(object).then(|| object.clone());
        self.objects.destroy(handle, what, pick, |object| {
            let (call, answered) = self.release(&object);
            self.base.done(|| format!("give back {what}"), call, answered)
        })
    }

    /// The device's limit, in the numbers of this interface.
    fn limit(limit: c_int) -> u32 {
        u32::try_from(limit).unwrap_or(0)
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (firmware {})", self.base.name, self.base.firmware())
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        for object in self.objects.drain() {
            // There is nobody to tell; the kernel takes back what is left when the device is closed.
            let _ = self.release(&object);
        }
    }
}

impl VerbsNic for Device {
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
        self.give_back(pd, PD, |object| matches!(object, Object::Pd(_)))
    }

    fn reg_mr(&self, pd: Handle, region: Region, bytes: u64, iova: u64, access: u32) -> Result<Mr> {
        let register = |pd| self.base.register(pd, region, bytes, iova, access);
        let mr = self.objects.with(pd, PD, pick!(Pd), register)?;
        // SAFETY: the library's structure of a registration, which is live.
        let ffi::Mr { lkey, rkey, .. } = unsafe { mr.as_ptr().read() };
        Ok(Mr { handle: self.objects.keep(Object::Mr(mr)), lkey, rkey })
    }

    fn dereg_mr(&self, mr: Handle) -> Result<()> {
        self.give_back(mr, MR, |object| matches!(object, Object::Mr(_)))
    }
}

impl RcDevice for Device {
    fn caps(&self) -> Result<RcCaps> {
        let attr = &self.base.attr;
        let most = |limit: c_int| u8::try_from(limit.max(0)).unwrap_or(u8::MAX);
        Ok(RcCaps {
            max_qp: Self::limit(attr.max_qp),
            max_qp_wr: Self::limit(attr.max_qp_wr),
            max_sge: Self::limit(attr.max_sge),
            max_cqe: Self::limit(attr.max_cqe),
            max_rd_atom_requester: most(attr.max_qp_init_rd_atom),
            max_rd_atom_responder: most(attr.max_qp_rd_atom),
            atomics: match attr.atomic_cap {
                atomic_cap::HCA => Atomics::Device,
                atomic_cap::GLOB => Atomics::System,
                _ => Atomics::None,
            },
            max_mr_bytes: attr.max_mr_size,
            max_message_bytes: self.base.max_message_bytes()?,
            iova: self.base.verbs().ibv_reg_mr_iova2.is_some(),
            dma_buf: self.base.verbs().ibv_reg_dmabuf_mr.is_some(),
        })
    }

    fn alloc_pd(&self) -> Result<Handle> {
        // SAFETY: the context is open.
        let pd = unsafe { (self.base.verbs().ibv_alloc_pd)(self.base.context.as_ptr()) };
        let pd = self.base.made(|| "make a protection domain".into(), "ibv_alloc_pd", pd)?;
        Ok(self.objects.keep(Object::Pd(pd)))
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
        // SAFETY: the context is open; there is no context of ours and no channel, and vector 0 is always there.
        let cq = unsafe {
            let create = self.base.verbs().ibv_create_cq;
            create(self.base.context.as_ptr(), entries as c_int, none, ptr::null_mut(), 0)
        };
        let cq = self.base.made(action, "ibv_create_cq", cq)?;
        // SAFETY: **live**: the table keeps it, and destroys it when nobody uses it.
        Ok(self.objects.keep(Object::Cq(Arc::new(unsafe { Completions::new(cq) }))))
    }

    fn destroy_cq(&self, cq: Handle) -> Result<()> {
        self.give_back(cq, CQ, |object| matches!(object, Object::Cq(_)))
    }

    fn create_qp(&self, pd: Handle, cq: Handle, ask: &RcQpAsk) -> Result<RcQp> {
        let action =
            || format!("make a queue pair of {} work requests, {} bytes inline", ask.send_wr, ask.inline_bytes);
        if ask.send_wr == 0 || ask.inline_bytes as usize > INLINE_BYTES {
            return Err(Error::new(ErrorKind::InvalidArgument, self.base.on(action()))
                .because(format!("it must have at least 1 work request, and at most {INLINE_BYTES} bytes inline")));
        }
        let made = self.objects.with_both((pd, PD, pick!(Pd)), (cq, CQ, pick!(Cq)), |pd, cq| {
            let mut attr = QpInitAttr {
                qp_context: ptr::null_mut(),
                send_cq: cq.raw().as_ptr(),
                recv_cq: cq.raw().as_ptr(),
                srq: ptr::null_mut(),
                cap: QpCap {
                    max_send_wr: ask.send_wr,
                    max_recv_wr: 0,
                    max_send_sge: 1,
                    max_recv_sge: 0,
                    max_inline_data: ask.inline_bytes,
                },
                qp_type: ffi::QPT_RC,
                sq_sig_all: 0,
            };
            // SAFETY: domain and completion queue are live, and `attr` is a live structure of its type.
            let qp = unsafe { (self.base.verbs().ibv_create_qp)(pd.as_ptr(), &mut attr) };
            Ok((self.base.made(action, "ibv_create_qp", qp)?, attr.cap))
        });
        let (qp, cap) = made?;
        // SAFETY: the library's structure of a queue pair, which is live.
        let qpn = unsafe { (*qp.as_ptr()).qp_num };
        let inline_bytes = cap.max_inline_data.min(INLINE_BYTES as u32);
        let send_wr = cap.max_send_wr;
        // SAFETY: **live**: the table keeps it, and destroys it when nobody uses it.
        let queue = unsafe { Queue::new(qp, inline_bytes, send_wr) };
        Ok(RcQp { handle: self.objects.keep(Object::Qp(Arc::new(queue))), qpn, send_wr, inline_bytes })
    }

    fn connect(&self, qp: Handle, to: &VerbsConnect) -> Result<()> {
        self.objects.with(qp, QP, pick!(Qp), |queue| {
            // SAFETY: **live**: the table keeps it for as long.
            unsafe { self.base.connect(queue.raw(), to, QP) }
        })
    }

    fn fail_qp(&self, qp: Handle) -> Result<()> {
        // SAFETY: every field is a number or an array of numbers, for which zeros are a value.
        let mut attr: QpAttr = unsafe { MaybeUninit::zeroed().assume_init() };
        attr.qp_state = qp_state::ERR;
        self.objects.with(qp, QP, pick!(Qp), |queue| {
            let modify = self.base.verbs().ibv_modify_qp;
            // SAFETY: the queue pair is in use, and `attr` is a live structure of its type.
            let answered = unsafe { modify(queue.raw().as_ptr(), &mut attr, attr_mask::STATE) };
            self.base.done(|| "move a queue pair to the error state".into(), "ibv_modify_qp", answered)
        })
    }

    fn query_state(&self, qp: Handle) -> Result<QpState> {
        // SAFETY: every field is a number or an array of numbers, for which zeros are a value.
        let mut attr: QpAttr = unsafe { MaybeUninit::zeroed().assume_init() };
        // SAFETY: every field is a number or a pointer, for which zeros are a value.
        let mut init: QpInitAttr = unsafe { MaybeUninit::zeroed().assume_init() };
        let action = || "ask for the state of a queue pair".to_string();
        self.objects.with(qp, QP, pick!(Qp), |queue| {
            let query = self.base.verbs().ibv_query_qp;
            // SAFETY: the queue pair is in use, and both structures are live and of their types.
            let answered = unsafe { query(queue.raw().as_ptr(), &mut attr, attr_mask::STATE, &mut init) };
            self.base.done(action, "ibv_query_qp", answered)
        })?;
        Ok(match attr.qp_state {
            qp_state::RESET => QpState::Reset,
            qp_state::INIT => QpState::Init,
            qp_state::RTR => QpState::ReadyToReceive,
            qp_state::RTS => QpState::ReadyToSend,
            qp_state::SQD => QpState::Draining,
            qp_state::SQE => QpState::SendError,
            qp_state::ERR => QpState::Error,
            other => {
                let error = Error::new(ErrorKind::System, self.base.on(action()));
                return Err(error.because(format!("it answered state {other}, which there is not")));
            }
        })
    }

    fn destroy_qp(&self, qp: Handle) -> Result<()> {
        self.give_back(qp, QP, |object| matches!(object, Object::Qp(_)))
    }

    fn post(&self, qp: Handle, list: &[Wr]) -> std::result::Result<(), PostRefused> {
        // SAFETY: **live**: the table keeps it for as long.
        let posted = self.objects.with(qp, QP, pick!(Qp), |queue| Ok(unsafe { queue.post(list) }));
        posted.unwrap_or(Err(PostRefused { posted: 0, errno: libc::EBADF, call: "ibv_post_send" }))
    }

    fn poll(&self, cq: Handle, out: &mut [Wc]) -> Result<usize> {
        self.objects.with(cq, CQ, pick!(Cq), |cq| {
            // SAFETY: **live**: the table keeps it for as long.
            let polled = unsafe { cq.poll(out) };
            polled.map_err(|answered| {
                Error::new(ErrorKind::System, self.base.on("poll a completion queue".into()))
                    .call("ibv_poll_cq", answered.into(), "the queue is lost")
                    .hint("more completions than it has entries, or the device is gone: see dmesg")
            })
        })
    }
}

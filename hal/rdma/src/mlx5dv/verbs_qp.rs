//! Queue pairs made by verbs, whose memory libmlx5 describes: the reference for queue pairs made by DEVX. Also address
//! handles, which the kernel resolves.

use core::ffi::{c_int, c_void};
use std::mem::MaybeUninit;
use std::ptr::{self, NonNull};

use oxshmem_core::host::{Error, ErrorKind, Result};

use super::device::Mlx5Hca;
use super::ffi::{DvAh, DvCq, DvQp, InOut, Obj, obj_type};
use super::mailbox;
use super::objects::{Mlx5Object, pick};
use crate::hca::{self, Handle, VerbsConnect, VerbsQpLayout};
use crate::verbs::ffi::{self, IbvCq, IbvPd, IbvQp, IbvQpCap, IbvQpInitAttr};

const QUERY_QP: u16 = 0x50b;
/// Bytes of a basic block of a send queue, and of an entry of a completion queue.
const BLOCK: u32 = 64;
/// The number of basic blocks that a work request of verbs may need: with all segments it is larger than one.
const BLOCKS_A_REQUEST: u32 = 4;

const PD: &str = "a protection domain";
const QP: &str = "a verbs queue pair";

impl<I, O> InOut<I, O> {
    const fn none() -> Self {
        Self { input: ptr::null_mut(), output: ptr::null_mut() }
    }
}

impl Obj {
    /// Returns an empty argument.
    pub(super) const fn none() -> Self {
        Self {
            qp: InOut::none(),
            cq: InOut::none(),
            srq: InOut::none(),
            rwq: InOut::none(),
            dm: InOut::none(),
            ah: InOut::none(),
            pd: InOut::none(),
        }
    }
}

impl Mlx5Hca {
    pub(super) fn make_verbs_qp(&self, pd: Handle, depth: u32, inline_bytes: u32) -> Result<VerbsQpLayout> {
        let action = || self.base.on(format!("make a verbs queue pair of {depth} blocks"));
        if depth == 0 {
            return Err(Error::new(ErrorKind::InvalidArgument, action()).because("a queue of nothing"));
        }
        let entries = depth.saturating_mul(BLOCKS_A_REQUEST).min(self.most_cqes());
        // SAFETY: the context is open. There is no user context and no channel, and completion vector 0 always exists.
        let cq = unsafe {
            let none = ptr::null_mut();
            (self.base.verbs().ibv_create_cq)(self.base.context.as_ptr(), entries as c_int, none, ptr::null_mut(), 0)
        };
        let cq = self.base.made(|| format!("make a completion queue of {entries} entries"), "ibv_create_cq", cq)?;
        let made = self.objects.with(pd, PD, pick!(Pd), |pd| {
            // SAFETY: **live**: a protection domain with objects can't be given back, and the queue pair's thread
            // domain is one until it is destroyed with the queue pair.
            let domain = unsafe { self.base.thread_domain(pd) }?;
            let within = domain.map_or(pd, |domain| domain.pd);
            let qp = self.qp_of(within, cq, depth, inline_bytes).inspect_err(|_| {
                domain.map(|domain| self.release(Mlx5Object::Domain(domain)));
            })?;
            Ok((qp, domain))
        });
        let (qp, domain) = match made {
            Ok(made) => made,
            Err(error) => {
                let kept = self.objects.keep(Mlx5Object::Cq(cq));
                let _ = self.give_back(kept, "a verbs completion queue", is_cq);
                return Err(error);
            }
        };
        let handle = self.objects.keep(Mlx5Object::Qp { qp, cq, domain });
        let described = self.describe_verbs_qp(handle, qp, cq, depth).inspect_err(|_| {
            let _ = self.destroy_verbs_qp(handle);
        })?;
        Ok(VerbsQpLayout { shares_register: domain.is_none(), ..described })
    }

    /// Makes a queue pair whose send queue has at least `depth` blocks. libmlx5 counts several blocks for a request, so
    /// `depth` requests may exceed the NIC's limit; then fewer are requested.
    fn qp_of(&self, pd: NonNull<IbvPd>, cq: NonNull<IbvCq>, depth: u32, inline_bytes: u32) -> Result<NonNull<IbvQp>> {
        let mut requests = depth;
        loop {
            let mut attr = IbvQpInitAttr {
                qp_context: ptr::null_mut(),
                send_cq: cq.as_ptr(),
                recv_cq: cq.as_ptr(),
                srq: ptr::null_mut(),
                cap: IbvQpCap {
                    max_send_wr: requests,
                    max_recv_wr: 0,
                    max_send_sge: 1,
                    max_recv_sge: 0,
                    max_inline_data: inline_bytes,
                },
                qp_type: ffi::QPT_RC,
                sq_sig_all: 0,
            };
            // SAFETY: the domain is in use by this call and not destroyed, the completion queue was just made, and
            // `attr` is a live structure of its type.
            let qp = unsafe { (self.base.verbs().ibv_create_qp)(pd.as_ptr(), &mut attr) };
            let made = self.base.made(|| format!("make a verbs queue pair of {depth} blocks"), "ibv_create_qp", qp);
            match made {
                Err(error) if requests > depth / BLOCKS_A_REQUEST && requests > 1 && is_too_large(&error) => {
                    requests /= 2
                }
                made => return made,
            }
        }
    }

    fn describe_verbs_qp(
        &self,
        handle: Handle,
        qp: NonNull<IbvQp>,
        cq: NonNull<IbvCq>,
        depth: u32,
    ) -> Result<VerbsQpLayout> {
        // SAFETY: every field is a number or a pointer, for which zeros are a value.
        let mut dv_qp: DvQp = unsafe { MaybeUninit::zeroed().assume_init() };
        // SAFETY: every field is a number or a pointer, for which zeros are a value.
        let mut dv_cq: DvCq = unsafe { MaybeUninit::zeroed().assume_init() };
        let mut obj = Obj::none();
        (obj.qp.input, obj.qp.output) = (qp.as_ptr(), &mut dv_qp);
        (obj.cq.input, obj.cq.output) = (cq.as_ptr(), &mut dv_cq);
        // SAFETY: both objects were just made and are not shared yet, and `obj` has both pointers of the kinds that are
        // named.
        let answered = unsafe { (self.api.mlx5dv.mlx5dv_init_obj)(&mut obj, obj_type::QP | obj_type::CQ) };
        self.base.done(|| "ask where the queues of a verbs queue pair are".into(), "mlx5dv_init_obj", answered)?;
        let wrong = |what: &str, is: u32, must: u32| {
            Error::new(ErrorKind::Incompatible, self.base.on("use a verbs queue pair".into()))
                .because(format!("{what} is {is} bytes, and must be {must}"))
                .hint("unset MLX5_CQE_SIZE")
        };
        if dv_cq.cqe_size != BLOCK {
            return Err(wrong("an entry of its completion queue", dv_cq.cqe_size, BLOCK));
        }
        if dv_qp.sq.stride != BLOCK {
            return Err(wrong("a block of its send queue", dv_qp.sq.stride, BLOCK));
        }
        if dv_qp.sq.wqe_cnt < depth {
            return Err(Error::new(ErrorKind::Exhausted, self.base.on("make a verbs queue pair".into())).amount(
                u64::from(depth),
                u64::from(dv_qp.sq.wqe_cnt),
                "blocks",
            ));
        }
        // SAFETY: `qp` points to the library's structure of a queue pair, which was just made and is not shared yet.
        let qpn = unsafe { (*qp.as_ptr()).qp_num };
        Ok(VerbsQpLayout {
            handle,
            qpn,
            sq: dv_qp.sq.buf as u64,
            sq_blocks: dv_qp.sq.wqe_cnt,
            dbr: dv_qp.dbrec as u64,
            register: dv_qp.bf.reg as u64,
            shares_register: true,
            cq: dv_cq.buf as u64,
            cq_entries: dv_cq.cqe_cnt,
            cq_dbr: dv_cq.dbrec as u64,
            cqn: dv_cq.cqn,
        })
    }

    pub(super) fn connect_verbs_qp(&self, qp: Handle, to: &VerbsConnect) -> Result<()> {
        self.objects.with(qp, QP, qp_and_cq, |(qp, _)| {
            // SAFETY: **live**: the table's read lock is held during the call, so that the queue pair is not destroyed.
            unsafe { self.base.connect(qp, to, QP) }
        })
    }

    pub(super) fn query_verbs_qp(&self, qp: Handle, output: &mut [u8]) -> Result<()> {
        let Some(query) = self.api.mlx5dv.mlx5dv_devx_qp_query else {
            return Err(self.api.too_old(self.base.on("query a verbs queue pair".into()), "mlx5dv_devx_qp_query", 22));
        };
        mailbox::clear(output);
        self.objects.with(qp, QP, qp_and_cq, |(qp, _)| {
            // SAFETY: the library's structure of a queue pair, which is in use.
            let qpn = unsafe { (*qp.as_ptr()).qp_num };
            let mut input = [0; 16];
            input[..2].copy_from_slice(&QUERY_QP.to_be_bytes());
            input[8..12].copy_from_slice(&qpn.to_be_bytes());
            let (bytes, room) = (output.as_mut_ptr().cast::<c_void>(), output.len());
            // SAFETY: the queue pair is in use, and both mailboxes are live for the lengths given.
            let answered = unsafe { query(qp.as_ptr(), input.as_ptr().cast::<c_void>(), input.len(), bytes, room) };
            self.answered("mlx5dv_devx_qp_query", answered, &input, output)
        })
    }

    /// Destroys the queue pair, then its completion queue and its thread domain. In between, the table has these alone:
    /// if destroying one fails, its handle stays valid.
    pub(super) fn destroy_verbs_qp(&self, handle: Handle) -> Result<()> {
        let mut left = None;
        self.give_back(handle, QP, |object| {
            left = match object {
                Mlx5Object::Qp { cq, domain, .. } => Some((*cq, *domain)),
                _ => None,
            };
            left.map(|_| *object)
        })?;
        let Some((cq, domain)) = left else { return Ok(()) };
        let gone = self.give_back(self.objects.keep(Mlx5Object::Cq(cq)), "a verbs completion queue", is_cq);
        let Some(domain) = domain else { return gone };
        let kept = self.objects.keep(Mlx5Object::Domain(domain));
        gone.and(
            self.give_back(kept, "a thread domain", |object| {
                matches!(object, Mlx5Object::Domain(_)).then_some(*object)
            }),
        )
    }

    pub(super) fn mac_behind(&self, pd: Handle, to: &hca::AhAttr) -> Result<[u8; 6]> {
        let mut attr = self.base.ah_attr(to)?;
        self.objects.with(pd, PD, pick!(Pd), |pd| {
            // SAFETY: the domain is in use, and `attr` is a live structure of its type.
            let ah = unsafe { (self.base.verbs().ibv_create_ah)(pd.as_ptr(), &mut attr) };
            let ah = self.base.made(|| "resolve the peer's Ethernet address".into(), "ibv_create_ah", ah)?;
            let mut described = DvAh { av: ptr::null_mut(), comp_mask: 0 };
            let mut obj = Obj::none();
            (obj.ah.input, obj.ah.output) = (ah.as_ptr(), &mut described);
            // SAFETY: the address handle was just made, and `obj` has both pointers of the kind that is named.
            let answered = unsafe { (self.api.mlx5dv.mlx5dv_init_obj)(&mut obj, obj_type::AH) };
            let read = self.base.done(|| "read an address handle".into(), "mlx5dv_init_obj", answered).map(|()| {
                // SAFETY: after success the vector is within the address handle, which is destroyed below.
                unsafe { described.av.as_ref() }.map_or([0; 6], |vector| vector.rmac)
            });
            // SAFETY: the address handle was made here, and no pointer into it is used after this.
            let destroyed = unsafe { (self.base.verbs().ibv_destroy_ah)(ah.as_ptr()) };
            let mac = read?;
            self.base.done(|| "give back an address handle".into(), "ibv_destroy_ah", destroyed)?;
            Ok(mac)
        })
    }
}

fn is_too_large(error: &Error) -> bool {
    [libc::ENOMEM, libc::EINVAL].iter().any(|&errno| error.code() == Some(i64::from(errno)))
}

fn is_cq(object: &Mlx5Object) -> Option<Mlx5Object> {
    matches!(object, Mlx5Object::Cq(_)).then_some(*object)
}

fn qp_and_cq(object: &Mlx5Object) -> Option<(NonNull<IbvQp>, NonNull<IbvCq>)> {
    match object {
        Mlx5Object::Qp { qp, cq, .. } => Some((*qp, *cq)),
        _ => None,
    }
}

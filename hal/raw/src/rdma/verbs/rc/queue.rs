//! Posting and polling: what is asked in Rust's types, told in C's.

use core::ffi::c_int;
use std::mem::MaybeUninit;
use std::ptr::{self, NonNull};
use std::sync::{Mutex, PoisonError};

use crate::rdma::rc::{Local, PostRefused, Wc, Wr, WrOp, wc_status};
use crate::rdma::verbs::ffi::{IbvCq, IbvQp};
use crate::rdma::verbs::work_ffi::{
    IbvAtomicWr, IbvRdmaWr, IbvRemoteWr, IbvSendWr, IbvSge, IbvWc, send_flags, wr_opcode,
};

const POST: &str = "ibv_post_send";
/// Completions that are taken in one call.
const AT_ONCE: usize = 32;

/// A queue pair, with room to write work requests in.
pub(super) struct Queue {
    qp: NonNull<IbvQp>,
    inline_bytes: u32,
    requests: Mutex<Requests>,
}

/// As C has them, for the length of a call. What is here before a call means nothing.
struct Requests {
    wrs: Vec<IbvSendWr>,
    sges: Vec<IbvSge>,
}

// SAFETY: the pointers in it are written and followed within one call, under the lock.
unsafe impl Send for Requests {}
// SAFETY: verbs may be called from any thread.
unsafe impl Send for Queue {}
// SAFETY: as above; who posts has the lock.
unsafe impl Sync for Queue {}

impl Queue {
    /// # Safety
    ///
    /// - **live**: the queue pair is destroyed when nobody uses this any more.
    pub(super) unsafe fn new(qp: NonNull<IbvQp>, inline_bytes: u32, send_wr: u32) -> Self {
        let room = send_wr.min(256) as usize;
        let requests = Requests { wrs: Vec::with_capacity(room), sges: Vec::with_capacity(room) };
        Self { qp, inline_bytes, requests: Mutex::new(requests) }
    }

    pub(super) fn raw(&self) -> NonNull<IbvQp> {
        self.qp
    }

    /// # Safety
    ///
    /// - **live**: the queue pair is not destroyed meanwhile.
    pub(super) unsafe fn post(&self, list: &[Wr]) -> Result<(), PostRefused> {
        // What is wrong and could hang or be misread on some device goes no further.
        let fine = list.iter().position(|wr| !self.is_fine(wr)).unwrap_or(list.len());
        // SAFETY: **live** by the caller.
        unsafe { self.post_fine(&list[..fine]) }?;
        match fine == list.len() {
            true => Ok(()),
            false => Err(PostRefused { posted: fine, errno: libc::EINVAL, call: POST }),
        }
    }

    fn is_fine(&self, wr: &Wr) -> bool {
        match (wr.op, wr.local) {
            (WrOp::Write, Local::Inline { bytes, .. }) => u32::from(bytes) <= self.inline_bytes,
            (_, Local::Inline { .. }) => false,
            (WrOp::Write | WrOp::Read, Local::Memory { .. }) => true,
            (WrOp::FetchAdd { .. } | WrOp::CompareSwap { .. }, Local::Memory { bytes, .. }) => {
                bytes == 8 && wr.remote.is_multiple_of(8)
            }
        }
    }

    /// # Safety
    ///
    /// - **live**: as for [`post`](Self::post).
    unsafe fn post_fine(&self, list: &[Wr]) -> Result<(), PostRefused> {
        if list.is_empty() {
            return Ok(());
        }
        let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        let Requests { wrs, sges } = &mut *requests;
        sges.clear();
        sges.extend(list.iter().map(sge));
        wrs.clear();
        wrs.extend(list.iter().map(request));
        let (first, first_sge) = (wrs.as_mut_ptr(), sges.as_mut_ptr());
        for index in 0..list.len() {
            // SAFETY: both have as many entries as the list, and nothing else refers to them.
            let wr = unsafe { &mut *first.add(index) };
            if wr.num_sge != 0 {
                // SAFETY: as above.
                wr.sg_list = unsafe { first_sge.add(index) };
            }
            if index + 1 < list.len() {
                // SAFETY: as above: there is one more.
                wr.next = unsafe { first.add(index + 1) };
            }
        }
        // SAFETY: the library's structures of a queue pair that is **live**, and of its context, which is open.
        let post = unsafe { (*(*self.qp.as_ptr()).context).ops.post_send };
        let Some(post) = post else {
            return Err(PostRefused { posted: 0, errno: libc::ENOSYS, call: POST });
        };
        let mut bad: *mut IbvSendWr = ptr::null_mut();
        // SAFETY: **live**, and the requests are a list that ends with null, whose entries, segments and inline bytes
        // (in the caller's list) all live until the call is over.
        let answered = unsafe { post(self.qp.as_ptr(), first, &mut bad) };
        match answered {
            0 => Ok(()),
            answered => {
                let errno = crate::rdma::verbs::answer::errno_of(answered);
                // Where a library does not say which, none is known to be taken.
                let posted = (bad as usize).wrapping_sub(first as usize) / size_of::<IbvSendWr>();
                Err(PostRefused { posted: if posted < list.len() { posted } else { 0 }, errno, call: POST })
            }
        }
    }
}

/// The one segment of a work request.
fn sge(wr: &Wr) -> IbvSge {
    match &wr.local {
        Local::Memory { address, bytes, lkey } => IbvSge { addr: *address, length: *bytes, lkey: *lkey },
        Local::Inline { data, bytes } => IbvSge { addr: data.as_ptr() as u64, length: u32::from(*bytes), lkey: 0 },
    }
}

/// A work request, without its place in a list and its segment.
fn request(wr: &Wr) -> IbvSendWr {
    let (rkey, remote_addr) = (wr.rkey, wr.remote);
    let rdma = IbvRemoteWr { rdma: IbvRdmaWr { remote_addr, rkey } };
    let atomic = |compare_add, swap| IbvRemoteWr { atomic: IbvAtomicWr { remote_addr, compare_add, swap, rkey } };
    let (opcode, remote) = match wr.op {
        WrOp::Write => (wr_opcode::RDMA_WRITE, rdma),
        WrOp::Read => (wr_opcode::RDMA_READ, rdma),
        WrOp::FetchAdd { add } => (wr_opcode::ATOMIC_FETCH_AND_ADD, atomic(add, 0)),
        WrOp::CompareSwap { compare, swap } => (wr_opcode::ATOMIC_CMP_AND_SWP, atomic(compare, swap)),
    };
    let is_inline = matches!(wr.local, Local::Inline { .. });
    let flags = [(wr.signalled, send_flags::SIGNALED), (wr.fenced, send_flags::FENCE), (is_inline, send_flags::INLINE)];
    IbvSendWr {
        wr_id: wr.id,
        next: ptr::null_mut(),
        sg_list: ptr::null_mut(),
        // A segment of no bytes would mean 2 GiB to some devices.
        num_sge: c_int::from(sge(wr).length != 0),
        opcode,
        send_flags: flags.into_iter().filter(|(is, _)| *is).map(|(_, flag)| flag).sum(),
        imm_data: 0,
        wr: remote,
        qp_type: 0,
        bind_mw: [ptr::null_mut(); 6],
    }
}

/// A completion queue.
pub(super) struct Completions(NonNull<IbvCq>);

// SAFETY: verbs may be called from any thread; the library locks the queue while it is polled.
unsafe impl Send for Completions {}
// SAFETY: as above.
unsafe impl Sync for Completions {}

impl Completions {
    /// # Safety
    ///
    /// - **live**: the completion queue is destroyed when nobody uses this any more.
    pub(super) unsafe fn new(cq: NonNull<IbvCq>) -> Self {
        Self(cq)
    }

    pub(super) fn raw(&self) -> NonNull<IbvCq> {
        self.0
    }

    /// How many completions there were, or what the library answered in place of it.
    ///
    /// # Safety
    ///
    /// - **live**: the completion queue is not destroyed meanwhile.
    pub(super) unsafe fn poll(&self, out: &mut [Wc]) -> Result<usize, c_int> {
        // SAFETY: the library's structures of a completion queue that is **live**, and of its context, which is open.
        let poll = unsafe { (*(*self.0.as_ptr()).context).ops.poll_cq }.ok_or(-libc::ENOSYS)?;
        let mut taken = 0;
        while taken < out.len() {
            let room = (out.len() - taken).min(AT_ONCE);
            // SAFETY: every field is a number, for which zero is a value; those that the library leaves stay so.
            let mut there: [IbvWc; AT_ONCE] = unsafe { MaybeUninit::zeroed().assume_init() };
            // SAFETY: **live**, and there is room for `room` completions.
            let answered = unsafe { poll(self.0.as_ptr(), room as c_int, there.as_mut_ptr()) };
            let Ok(count) = usize::try_from(answered) else {
                // What came before is the caller's; the next call will say it again.
                return if taken > 0 { Ok(taken) } else { Err(answered) };
            };
            for (out, wc) in out[taken..].iter_mut().zip(&there[..count.min(room)]) {
                *out = completion(wc);
            }
            taken += count.min(room);
            if count < room {
                break;
            }
        }
        Ok(taken)
    }
}

fn completion(wc: &IbvWc) -> Wc {
    let of_success = |value| if wc.status == wc_status::SUCCESS { value } else { 0 };
    Wc {
        id: wc.wr_id,
        status: wc.status,
        vendor: wc.vendor_err,
        qpn: wc.qp_num,
        opcode: of_success(wc.opcode),
        bytes: of_success(wc.byte_len),
    }
}

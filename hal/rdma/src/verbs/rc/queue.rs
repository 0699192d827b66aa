//! Posting and polling: work requests and completions are converted to and from the C structures.

use core::ffi::c_int;
use std::mem::MaybeUninit;
use std::ptr::{self, NonNull};
use std::sync::{Mutex, PoisonError};

use oxshmem_core::AmoOp;

use crate::fabric::{
    AtomicRequest, AtomicSet, Completion, Local, Operation, PostError, PostErrorKind, Status, WorkRequest,
};
use crate::verbs::ffi::{IbvCq, IbvQp};
use crate::verbs::work_ffi::{
    IbvAtomicWr, IbvRdmaWr, IbvRemoteWr, IbvSendWr, IbvSge, IbvWc, send_flags, wc_status, wr_opcode,
};

const POST: &str = "ibv_post_send";
/// Completions that one call polls at most.
const AT_ONCE: usize = 32;

/// A queue pair, with memory for the C structures of work requests.
pub(super) struct PostingQueuePair {
    qp: NonNull<IbvQp>,
    inline_bytes: u32,
    requests: Mutex<Requests>,
}

/// C structures of work requests. Their contents are valid during a call only.
struct Requests {
    wrs: Vec<IbvSendWr>,
    sges: Vec<IbvSge>,
}

// SAFETY: its pointers are written and used within one call, under the lock of `PostingQueuePair::requests`.
unsafe impl Send for Requests {}
// SAFETY: verbs functions may be called from any thread.
unsafe impl Send for PostingQueuePair {}
// SAFETY: verbs functions may be called from several threads; `requests`, the only changing field, has a lock.
unsafe impl Sync for PostingQueuePair {}

impl PostingQueuePair {
    /// Wraps a queue pair that takes at most `inline_bytes` bytes inline, with room for `send_wr` requests.
    ///
    /// # Safety
    ///
    /// - **live**: the queue pair is not destroyed while this value is used.
    pub(super) unsafe fn new(qp: NonNull<IbvQp>, inline_bytes: u32, send_wr: u32) -> Self {
        let room = send_wr.min(256) as usize;
        let requests = Requests { wrs: Vec::with_capacity(room), sges: Vec::with_capacity(room) };
        Self { qp, inline_bytes, requests: Mutex::new(requests) }
    }

    pub(super) fn raw(&self) -> NonNull<IbvQp> {
        self.qp
    }

    /// Posts the requests before the first invalid one, and returns an error if there is an invalid one.
    ///
    /// # Safety
    ///
    /// - **live**: the queue pair is not destroyed during the call.
    pub(super) unsafe fn post(&self, list: &[WorkRequest]) -> Result<(), PostError> {
        // Invalid requests, on which some devices hang or which they misread, are not passed on.
        let fine = list.iter().position(|wr| !self.is_fine(wr)).unwrap_or(list.len());
        // SAFETY: **live**: the caller keeps the queue pair during this call.
        unsafe { self.post_fine(&list[..fine]) }?;
        match fine == list.len() {
            true => Ok(()),
            false => {
                Err(PostError { posted: fine, kind: PostErrorKind::Failed, code: libc::EINVAL.into(), call: POST })
            }
        }
    }

    fn is_fine(&self, wr: &WorkRequest) -> bool {
        match (wr.op, wr.local) {
            (Operation::Write, Local::Inline { bytes, .. }) => u32::from(bytes) <= self.inline_bytes,
            (_, Local::Inline { .. }) => false,
            (Operation::Write | Operation::Read, Local::Memory { .. }) => true,
            (Operation::Atomic(atomic), Local::Memory { bytes, .. }) => {
                AtomicSet::VERBS.has(atomic.op, atomic.of) && bytes == 8 && wr.remote.is_multiple_of(8)
            }
        }
    }

    /// Posts valid requests.
    ///
    /// # Safety
    ///
    /// - **live**: as for [`post`](Self::post).
    unsafe fn post_fine(&self, list: &[WorkRequest]) -> Result<(), PostError> {
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
            // SAFETY: `wrs` has as many entries as the list, `index` is below that, and no other reference to the entry
            // exists.
            let wr = unsafe { &mut *first.add(index) };
            if wr.num_sge != 0 {
                // SAFETY: `sges` has as many entries as the list, and `index` is below that.
                wr.sg_list = unsafe { first_sge.add(index) };
            }
            if index + 1 < list.len() {
                // SAFETY: `index + 1` is below the number of entries of `wrs`.
                wr.next = unsafe { first.add(index + 1) };
            }
        }
        // SAFETY: **live**: the queue pair's structure exists, and its context is open as long as the queue pair
        // exists.
        let post = unsafe { (*(*self.qp.as_ptr()).context).ops.post_send };
        let Some(post) = post else {
            return Err(PostError { posted: 0, kind: PostErrorKind::Failed, code: libc::ENOSYS.into(), call: POST });
        };
        let mut bad: *mut IbvSendWr = ptr::null_mut();
        // SAFETY: **live**: the caller keeps the queue pair. `first` begins a list that ends with null, and its
        // entries, segments and inline bytes (those in the caller's list) outlive the call.
        let answered = unsafe { post(self.qp.as_ptr(), first, &mut bad) };
        match answered {
            0 => Ok(()),
            answered => {
                let errno = crate::verbs::answer::errno_of(answered);
                // If the library does not name the refused request, none counts as taken.
                let posted = (bad as usize).wrapping_sub(first as usize) / size_of::<IbvSendWr>();
                let posted = if posted < list.len() { posted } else { 0 };
                let kind = if errno == libc::ENOMEM { PostErrorKind::Full } else { PostErrorKind::Failed };
                Err(PostError { posted, kind, code: errno.into(), call: POST })
            }
        }
    }
}

/// Returns the one segment of a work request.
fn sge(wr: &WorkRequest) -> IbvSge {
    match &wr.local {
        Local::Memory { address, bytes, key } => IbvSge { addr: *address, length: *bytes, lkey: *key as u32 },
        Local::Inline { data, bytes } => IbvSge { addr: data.as_ptr() as u64, length: u32::from(*bytes), lkey: 0 },
    }
}

/// Returns the C structure of a work request, without its link and its segment.
fn request(wr: &WorkRequest) -> IbvSendWr {
    let (rkey, remote_addr) = (wr.remote_key as u32, wr.remote);
    let rdma = IbvRemoteWr { rdma: IbvRdmaWr { remote_addr, rkey } };
    let atomic = |compare_add, swap| IbvRemoteWr { atomic: IbvAtomicWr { remote_addr, compare_add, swap, rkey } };
    let (opcode, remote) = match wr.op {
        Operation::Write => (wr_opcode::RDMA_WRITE, rdma),
        Operation::Read => (wr_opcode::RDMA_READ, rdma),
        Operation::Atomic(AtomicRequest { op: AmoOp::CompareSwap, operand, compare, .. }) => {
            (wr_opcode::ATOMIC_CMP_AND_SWP, atomic(compare, operand))
        }
        Operation::Atomic(AtomicRequest { operand, .. }) => (wr_opcode::ATOMIC_FETCH_AND_ADD, atomic(operand, 0)),
    };
    let is_inline = matches!(wr.local, Local::Inline { .. });
    let flags = [(wr.signalled, send_flags::SIGNALED), (is_inline, send_flags::INLINE)];
    IbvSendWr {
        wr_id: wr.id,
        next: ptr::null_mut(),
        sg_list: ptr::null_mut(),
        // Some devices take a segment of 0 bytes for 2 GiB.
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

// SAFETY: verbs functions may be called from any thread.
unsafe impl Send for Completions {}
// SAFETY: the library locks the queue while it is polled.
unsafe impl Sync for Completions {}

impl Completions {
    /// Wraps a completion queue.
    ///
    /// # Safety
    ///
    /// - **live**: the completion queue is not destroyed while this value is used.
    pub(super) unsafe fn new(cq: NonNull<IbvCq>) -> Self {
        Self(cq)
    }

    pub(super) fn raw(&self) -> NonNull<IbvCq> {
        self.0
    }

    /// Polls completions into `out`. Returns their number, or the library's answer if it is an error.
    ///
    /// # Safety
    ///
    /// - **live**: the completion queue is not destroyed during the call.
    pub(super) unsafe fn poll(&self, out: &mut [Completion]) -> Result<usize, c_int> {
        // SAFETY: **live**: the queue's structure exists, and its context is open as long as the queue exists.
        let poll = unsafe { (*(*self.0.as_ptr()).context).ops.poll_cq }.ok_or(-libc::ENOSYS)?;
        let mut taken = 0;
        while taken < out.len() {
            let room = (out.len() - taken).min(AT_ONCE);
            // SAFETY: every field is a number, for which zero is a value. Fields that the library does not write stay
            // zero.
            let mut there: [IbvWc; AT_ONCE] = unsafe { MaybeUninit::zeroed().assume_init() };
            // SAFETY: **live**: the caller keeps the completion queue, and `there` has room for `room` completions.
            let answered = unsafe { poll(self.0.as_ptr(), room as c_int, there.as_mut_ptr()) };
            let Ok(count) = usize::try_from(answered) else {
                // Earlier completions are returned; the next call will report the error.
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

fn completion(wc: &IbvWc) -> Completion {
    Completion { id: wc.wr_id, status: status(wc.status), code: wc.vendor_err }
}

/// Converts `enum ibv_wc_status` to a fabric's status.
fn status(status: u32) -> Status {
    match status {
        wc_status::SUCCESS => Status::Success,
        wc_status::LOCAL_LENGTH => Status::Length,
        wc_status::LOCAL_QP_OPERATION => Status::Endpoint,
        wc_status::LOCAL_PROTECTION => Status::LocalProtection,
        wc_status::FLUSHED => Status::Flushed,
        wc_status::WINDOW_BIND => Status::WindowBind,
        wc_status::BAD_RESPONSE => Status::BadResponse,
        wc_status::LOCAL_ACCESS => Status::LocalAccess,
        wc_status::REMOTE_INVALID_REQUEST => Status::RemoteRequest,
        wc_status::REMOTE_ACCESS => Status::RemoteAccess,
        wc_status::REMOTE_OPERATION => Status::RemoteOperation,
        wc_status::RETRIES_EXCEEDED => Status::PeerGone,
        wc_status::RNR_RETRIES_EXCEEDED => Status::NotReady,
        wc_status::REMOTE_ABORTED => Status::PeerAborted,
        _ => Status::Device,
    }
}

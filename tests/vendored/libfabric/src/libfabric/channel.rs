//! A channel: an endpoint, its completion queue and its table of addresses.

use std::ffi::{CStr, c_int, c_void};
use std::ptr::null_mut;
use std::sync::Arc;

use oxshmem_core::host::Result;

use super::domain::{Domain, Object};
use super::ffi::{
    FI_ADDR_UNSPEC, FI_AV_TABLE, FI_COMPLETION, FI_CQ_FORMAT_CONTEXT, FI_DELIVERY_COMPLETE, FI_EAGAIN, FI_EAVAIL,
    FI_ENABLE, FI_RECV, FI_TRANSMIT, FI_WAIT_NONE, fi_av_attr, fi_cq_attr, fi_cq_entry, fi_cq_err_entry, fi_msg_rma,
    fi_rma_iov, fid_av, fid_cq, fid_ep,
};
use super::library::Library;

/// Bytes of the longest address that a provider may have.
pub(crate) const ADDRESS_BYTES: usize = 256;

/// An active endpoint that may call any peer.
#[derive(Debug)]
pub(crate) struct Channel {
    // In the order in which they are closed.
    ep: Object<fid_ep>,
    cq: Object<fid_cq>,
    av: Object<fid_av>,
    _domain: Arc<Domain>,
}

/// This side's end of an operation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Near {
    pub(crate) at: *mut c_void,
    pub(crate) bytes: usize,
    pub(crate) descriptor: *mut c_void,
}

/// The peer's end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Far {
    pub(crate) peer: u64,
    pub(crate) at: u64,
    pub(crate) key: u64,
}

/// An operation that was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotPosted {
    /// The queue is full, or a connection is being made: try again after a poll.
    Again,
    /// It failed, with this error number.
    Failed(i32),
}

/// An operation that ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ended {
    /// The context that it was posted with.
    pub(crate) context: usize,
    /// The reason of a failure: an error number, the provider's number, and its text.
    pub(crate) error: Option<(i32, i32, String)>,
}

fn posted(answer: isize) -> std::result::Result<(), NotPosted> {
    match -answer {
        0 => Ok(()),
        FI_EAGAIN => Err(NotPosted::Again),
        errno => Err(NotPosted::Failed(errno as i32)),
    }
}

impl Channel {
    /// Creates an active endpoint, whose completion queue has room for `entries` completions.
    ///
    /// # Errors
    /// The provider refuses.
    pub(crate) fn open(domain: Arc<Domain>, entries: usize) -> Result<Self> {
        let library = Library::get()?;
        let action = || format!("make an endpoint on {}", domain.facts.domain);
        let at = domain.ptr();
        let mut av_attr = fi_av_attr {
            av_type: FI_AV_TABLE,
            rx_ctx_bits: 0,
            count: 0,
            ep_per_node: 0,
            name: std::ptr::null(),
            map_addr: null_mut(),
            flags: 0,
        };
        let mut cq_attr = fi_cq_attr {
            size: entries,
            flags: 0,
            format: FI_CQ_FORMAT_CONTEXT,
            wait_obj: FI_WAIT_NONE,
            signaling_vector: 0,
            wait_cond: 0,
            wait_set: null_mut(),
        };
        let (mut av, mut cq, mut ep) = (null_mut(), null_mut(), null_mut());
        // SAFETY: **live**: `domain` keeps the domain open, and the attributes are completely initialised.
        let answer = unsafe { ((*(*at).ops).av_open)(at, &mut av_attr, &mut av, null_mut()) };
        library.check(answer, "fi_av_open", action)?;
        // SAFETY: **owned**: the call has just created it, and no other code has it. **nested**: the endpoint is
        // dropped before it.
        let av = unsafe { Object::new(av)? };
        // SAFETY: **live**: `domain` keeps the domain open, and the attributes are completely initialised.
        let answer = unsafe { ((*(*at).ops).cq_open)(at, &mut cq_attr, &mut cq, null_mut()) };
        library.check(answer, "fi_cq_open", action)?;
        // SAFETY: **owned**: the call has just created it, and no other code has it. **nested**: the endpoint is
        // dropped before it.
        let cq = unsafe { Object::new(cq)? };
        // SAFETY: **live**: `domain` keeps the domain open, and the description is the domain's own.
        let answer = unsafe { ((*(*at).ops).endpoint)(at, domain.info(), &mut ep, null_mut()) };
        library.check(answer, "fi_endpoint", action)?;
        // SAFETY: **owned**: the call has just created it, and no other code has it. **nested**: no object is made of
        // it.
        let ep = unsafe { Object::new(ep)? };
        for (object, flags) in [(av.fid(), 0), (cq.fid(), FI_TRANSMIT | FI_RECV)] {
            // SAFETY: **live**: the endpoint, the table and the queue are open, and belong to one domain.
            library.check(unsafe { ((*(*ep.fid()).ops).bind)(ep.fid(), object, flags) }, "fi_ep_bind", action)?;
        }
        // SAFETY: **bound**: the endpoint was bound to its table and its queue above.
        let answer = unsafe { ((*(*ep.fid()).ops).control)(ep.fid(), FI_ENABLE, null_mut()) };
        library.check(answer, "fi_enable", action)?;
        Ok(Self { ep, cq, av, _domain: domain })
    }

    /// Returns the address by which peers reach this endpoint.
    pub(crate) fn address(&self) -> Result<Vec<u8>> {
        let mut bytes = vec![0u8; ADDRESS_BYTES];
        let mut length = bytes.len();
        // SAFETY: **room**: `length` is the number of bytes in `bytes`.
        let answer = unsafe { ((*(*self.ep.ptr()).cm).getname)(self.ep.fid(), bytes.as_mut_ptr().cast(), &mut length) };
        Library::get()?.check(answer, "fi_getname", || "name an endpoint".into())?;
        bytes.truncate(length);
        Ok(bytes)
    }

    /// Adds a peer's address to the table and returns its number there.
    pub(crate) fn insert(&self, address: &[u8]) -> Result<u64> {
        // Providers read an address as its structure: aligned, and as long as the longest.
        let mut aligned = [0u64; ADDRESS_BYTES / 8];
        let fits = address.len().min(ADDRESS_BYTES);
        // SAFETY: **room**: `fits` is at most the number of bytes in both.
        unsafe { std::ptr::copy_nonoverlapping(address.as_ptr(), aligned.as_mut_ptr().cast(), fits) };
        let mut number = u64::MAX;
        // SAFETY: **live**: the table is open, and the call copies the address.
        let answer = unsafe {
            ((*(*self.av.ptr()).ops).insert)(self.av.ptr(), aligned.as_ptr().cast(), 1, &mut number, 0, null_mut())
        };
        let library = Library::get()?;
        library.check(answer, "fi_av_insert", || "enter the address of a peer".into())?;
        if answer != 1 {
            return Err(library.error(libc::EINVAL, "fi_av_insert", "enter the address of a peer".into()));
        }
        Ok(number)
    }

    /// Posts a write (`near` to `far`) or a read (`far` to `near`), complete when it is done at the target.
    ///
    /// # Safety
    ///
    /// - **stays**: the memory at `near` stays as it is (a read's: nobody uses it) until the operation has ended.
    pub(crate) unsafe fn transfer(
        &self,
        is_write: bool,
        near: Near,
        far: Far,
        context: usize,
    ) -> std::result::Result<(), NotPosted> {
        let iov = libc::iovec { iov_base: near.at, iov_len: near.bytes };
        let rma = fi_rma_iov { addr: far.at, len: near.bytes, key: far.key };
        let mut descriptor = near.descriptor;
        let message = fi_msg_rma {
            msg_iov: &iov,
            desc: &mut descriptor,
            iov_count: 1,
            addr: far.peer,
            rma_iov: &rma,
            rma_iov_count: 1,
            context: context as *mut c_void,
            data: 0,
        };
        let ep = self.ep.ptr();
        // SAFETY: **stays** is the caller's promise; the message and its vectors are read before the call returns.
        posted(unsafe {
            match is_write {
                true => ((*(*ep).rma).writemsg)(ep, &message, FI_COMPLETION | FI_DELIVERY_COMPLETE),
                false => ((*(*ep).rma).readmsg)(ep, &message, FI_COMPLETION),
            }
        })
    }

    /// Posts an atomic on one word of type `datatype`, whose previous value comes to `result`. With `compare` it is a
    /// compare-and-swap, else `op`.
    ///
    /// # Safety
    ///
    /// - **stays**: `operand`, `compare` and `result` are words of that type that nobody else uses until the operation
    ///   has ended.
    pub(crate) unsafe fn atomic(
        &self,
        (datatype, op): (c_int, c_int),
        (operand, compare): (*const u64, Option<*const u64>),
        (result, descriptor): (*mut c_void, *mut c_void),
        far: Far,
        context: usize,
    ) -> std::result::Result<(), NotPosted> {
        let (ep, context, operand, none) = (self.ep.ptr(), context as *mut c_void, operand.cast(), null_mut());
        let Far { peer, at, key } = far;
        // SAFETY: **stays** is the caller's promise; an endpoint with FI_ATOMIC has the table.
        posted(unsafe {
            let ops = &*(*ep).atomic;
            match compare {
                Some(compare) => (ops.compwrite)(
                    ep,
                    operand,
                    1,
                    none,
                    compare.cast(),
                    none,
                    result,
                    descriptor,
                    peer,
                    at,
                    key,
                    datatype,
                    op,
                    context,
                ),
                None => (ops.readwrite)(ep, operand, 1, none, result, descriptor, peer, at, key, datatype, op, context),
            }
        })
    }

    /// Posts a message, which a receive of the peer takes.
    ///
    /// # Safety
    ///
    /// - **stays**: the memory at `near` stays as it is until the message has ended.
    pub(crate) unsafe fn send(&self, near: Near, peer: u64, context: usize) -> std::result::Result<(), NotPosted> {
        let (ep, context) = (self.ep.ptr(), context as *mut c_void);
        // SAFETY: **stays** is the caller's promise; an endpoint with FI_MSG has the table.
        posted(unsafe { ((*(*ep).msg).send)(ep, near.at, near.bytes, near.descriptor, peer, context) })
    }

    /// Posts a receive of one message from any peer.
    ///
    /// # Safety
    ///
    /// - **stays**: nobody uses the memory at `near` until the receive has ended.
    pub(crate) unsafe fn receive(&self, near: Near, context: usize) -> std::result::Result<(), NotPosted> {
        let (ep, context) = (self.ep.ptr(), context as *mut c_void);
        // SAFETY: **stays** is the caller's promise; an endpoint with FI_MSG has the table.
        posted(unsafe { ((*(*ep).msg).recv)(ep, near.at, near.bytes, near.descriptor, FI_ADDR_UNSPEC, context) })
    }

    /// Takes completed operations, and moves data if the provider has no thread of its own.
    ///
    /// # Errors
    /// The completion queue is lost.
    pub(crate) fn poll(&self, ended: &mut Vec<Ended>) -> Result<()> {
        let library = Library::get()?;
        let mut entries = [fi_cq_entry { op_context: null_mut() }; 32];
        let cq = self.cq.ptr();
        // SAFETY: **room**: `entries` has this many entries, in the format with which the queue was made.
        let answer = unsafe { ((*(*cq).ops).read)(cq, entries.as_mut_ptr().cast(), entries.len()) };
        match -answer {
            FI_EAGAIN => Ok(()),
            FI_EAVAIL => {
                // SAFETY: all fields are numbers and pointers, for which zeros are a value.
                let mut error: fi_cq_err_entry = unsafe { std::mem::zeroed() };
                // SAFETY: **live**: the queue is open, and `error` is an entry of its type.
                let answer = unsafe { ((*(*cq).ops).readerr)(cq, &mut error, 0) };
                if answer > 0 {
                    let text = self.text(&error, library);
                    ended.push(Ended {
                        context: error.op_context as usize,
                        error: Some((error.err, error.prov_errno, text)),
                    });
                }
                Ok(())
            }
            _ if answer >= 0 => {
                let taken = entries.iter().take(answer as usize);
                ended.extend(taken.map(|entry| Ended { context: entry.op_context as usize, error: None }));
                Ok(())
            }
            errno => Err(library.error(errno as i32, "fi_cq_read", "take completions".into())),
        }
    }

    fn text(&self, error: &fi_cq_err_entry, library: &Library) -> String {
        let cq = self.cq.ptr();
        // SAFETY: **live**: the queue is open; the text is the provider's, and is copied at once.
        let own = unsafe {
            (*(*cq).ops).strerror.map(|strerror| strerror(cq, error.prov_errno, error.err_data, null_mut(), 0))
        };
        match own.filter(|text| !text.is_null()) {
            Some(text) => {
                // SAFETY: **text**: a string that ends with a zero byte.
                let own = unsafe { CStr::from_ptr(text) }.to_string_lossy();
                format!("{} ({own})", library.text(error.err))
            }
            None => library.text(error.err),
        }
    }
}

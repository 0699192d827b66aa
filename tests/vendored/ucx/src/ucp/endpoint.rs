//! Endpoints, the keys that they use, and operations.

use std::ffi::{c_int, c_void};
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicI8, Ordering};

use oxshmem_core::host::Result;

use super::ffi::{
    UCP_EP_CLOSE_FLAG_FORCE, UCP_EP_PARAM_FIELD_ERR_HANDLER, UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE,
    UCP_EP_PARAM_FIELD_REMOTE_ADDRESS, UCP_ERR_HANDLING_MODE_PEER, UCP_OP_ATTR_FIELD_DATATYPE, UCP_OP_ATTR_FIELD_FLAGS,
    UCP_OP_ATTR_FIELD_MEMH, UCP_OP_ATTR_FIELD_MEMORY_TYPE, UCP_OP_ATTR_FIELD_REPLY_BUFFER, UCS_MEMORY_TYPE_HOST,
    UCS_OK, ucp_dt_make_contig, ucp_ep, ucp_ep_params, ucp_mem, ucp_request_param, ucp_rkey, ucs_sock_addr,
    ucs_status_t,
};
use super::library::Library;
use super::memory::Registered;
use super::request::Progress;
use super::worker::Worker;

/// An endpoint to one worker. It must be closed before it is dropped, or UCX keeps it until its worker ends.
#[derive(Debug)]
pub(crate) struct Endpoint {
    at: *mut ucp_ep,
    library: &'static Library,
    /// The status of the loss of the peer, which UCX stores while its worker makes progress; `UCS_OK` until then. UCX
    /// has its address until the worker ends.
    lost: &'static AtomicI8,
}

// SAFETY: the endpoint belongs to a worker of the mode "serialized", which any thread may use, one at a time.
unsafe impl Send for Endpoint {}

/// A peer's key as one endpoint uses it.
#[derive(Debug)]
pub(crate) struct RemoteKey {
    at: *mut ucp_rkey,
    library: &'static Library,
}

// SAFETY: as of `Endpoint`.
unsafe impl Send for RemoteKey {}

impl Drop for RemoteKey {
    fn drop(&mut self) {
        // SAFETY: **live**: this value holds the key, and ends here. Its endpoint's operations have ended, as
        // `Endpoint::key` states.
        unsafe { (self.library.ucp_rkey_destroy)(self.at) };
    }
}

/// The bytes of this side in an operation, and their registration if there is one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Near<'a> {
    pub(crate) at: *mut c_void,
    pub(crate) bytes: usize,
    pub(crate) region: Option<&'a Registered>,
}

/// The peer's bytes in an operation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Far<'a> {
    pub(crate) at: u64,
    pub(crate) key: &'a RemoteKey,
}

/// The parameters of an operation without any.
const PLAIN: ucp_request_param = ucp_request_param {
    op_attr_mask: 0,
    flags: 0,
    request: null_mut(),
    cb: null(),
    datatype: 0,
    user_data: null_mut(),
    reply_buffer: null_mut(),
    memory_type: UCS_MEMORY_TYPE_HOST,
    recv_info: null_mut(),
    memh: null_mut::<ucp_mem>(),
};

/// Stores the status of a loss at `arg`.
unsafe extern "C" fn lose(arg: *mut c_void, _: *mut ucp_ep, status: ucs_status_t) {
    // SAFETY: **live** of `Endpoint::new`: the argument is a word that stays for the life of the process.
    let lost = unsafe { &*arg.cast::<AtomicI8>() };
    lost.store(status, Ordering::Release);
}

impl Endpoint {
    /// Creates an endpoint to the worker of an address. It may be used before the peer is ready.
    ///
    /// # Errors
    /// No transport reaches it.
    ///
    /// # Safety
    ///
    /// - **whole**: a worker has made the address, and all of its bytes are there.
    /// - **nested**: the endpoint is used while `worker` lives, and dropped before it.
    pub(crate) unsafe fn new(worker: &mut Worker, address: &[u8]) -> Result<Self> {
        let library = worker.context.library;
        // A few bytes for each peer of the process: UCX may call the handler until the worker ends.
        let lost: &'static AtomicI8 = Box::leak(Box::new(AtomicI8::new(UCS_OK)));
        let none = || ucs_sock_addr { addr: null(), addrlen: 0 };
        let params = ucp_ep_params {
            field_mask: UCP_EP_PARAM_FIELD_REMOTE_ADDRESS
                | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE
                | UCP_EP_PARAM_FIELD_ERR_HANDLER,
            address: address.as_ptr().cast(),
            err_mode: UCP_ERR_HANDLING_MODE_PEER,
            err_handler: Some(lose),
            err_handler_arg: (&raw const *lost).cast_mut().cast(),
            user_data: null_mut(),
            flags: 0,
            sockaddr: none(),
            conn_request: null_mut(),
            name: null(),
            local_sockaddr: none(),
        };
        let mut at = null_mut();
        // SAFETY: **whole** of this function; `worker` is alive, and so are the parameters.
        let status = unsafe { (library.ucp_ep_create)(worker.at, &params, &mut at) };
        library.check(status, "ucp_ep_create", || "make an endpoint of UCX".into())?;
        Ok(Self { at, library, lost })
    }

    /// Returns the status of the loss of the peer, if UCX has noticed it.
    pub(crate) fn lost(&self) -> Option<ucs_status_t> {
        Some(self.lost.load(Ordering::Acquire)).filter(|status| *status != UCS_OK)
    }

    /// Takes a key of the peer, which is dropped after the operations that use it.
    ///
    /// # Errors
    /// The key is of no transport that this endpoint has.
    ///
    /// # Safety
    ///
    /// - **whole**: the peer has packed the key, and all of its bytes are there.
    pub(crate) unsafe fn key(&mut self, packed: &[u8]) -> std::result::Result<RemoteKey, ucs_status_t> {
        let mut at = null_mut();
        // SAFETY: **whole** of this function; this value holds the endpoint.
        match unsafe { (self.library.ucp_ep_rkey_unpack)(self.at, packed.as_ptr().cast(), &mut at) } {
            UCS_OK => Ok(RemoteKey { at, library: self.library }),
            status => Err(status),
        }
    }

    /// Starts a write or a read. A write that is done has been copied or sent, and need not have arrived.
    ///
    /// # Safety
    ///
    /// - **stays**: the near bytes stay mapped and are used by no other code until the operation has ended.
    pub(crate) unsafe fn transfer(&mut self, write: bool, near: Near<'_>, far: Far<'_>) -> Progress {
        let mut param = ucp_request_param { op_attr_mask: UCP_OP_ATTR_FIELD_MEMORY_TYPE, ..PLAIN };
        if let Some(region) = near.region {
            param.op_attr_mask |= UCP_OP_ATTR_FIELD_MEMH;
            param.memh = region.at;
        }
        let Far { at, key } = far;
        let result = if write {
            // SAFETY: **stays** of this function; this value holds the endpoint, and the key is one of its own.
            unsafe { (self.library.ucp_put_nbx)(self.at, near.at, near.bytes, at, key.at, &param) }
        } else {
            // SAFETY: **stays** of this function; this value holds the endpoint, and the key is one of its own.
            unsafe { (self.library.ucp_get_nbx)(self.at, near.at, near.bytes, at, key.at, &param) }
        };
        // SAFETY: **fresh**: a nonblocking call has just returned it.
        unsafe { Progress::of(result, self.library) }
    }

    /// Starts an atomic on a word of `bytes` bytes, which fetches the previous value to `reply`. A compare-and-swap
    /// compares with `operand`, and takes the new value from `reply`.
    ///
    /// # Safety
    ///
    /// - **stays**: both words stay mapped and are used by no other code until the operation has ended.
    pub(crate) unsafe fn atomic(
        &mut self,
        op: c_int,
        bytes: u32,
        operand: *const u64,
        reply: *mut u64,
        far: Far<'_>,
    ) -> Progress {
        let param = ucp_request_param {
            op_attr_mask: UCP_OP_ATTR_FIELD_DATATYPE | UCP_OP_ATTR_FIELD_REPLY_BUFFER,
            datatype: ucp_dt_make_contig(bytes.into()),
            reply_buffer: reply.cast(),
            ..PLAIN
        };
        let Far { at, key } = far;
        // SAFETY: **stays** of this function; this value holds the endpoint, and the key is one of its own.
        let result = unsafe { (self.library.ucp_atomic_op_nbx)(self.at, op, operand.cast(), 1, at, key.at, &param) };
        // SAFETY: **fresh**: a nonblocking call has just returned it.
        unsafe { Progress::of(result, self.library) }
    }

    /// Starts a flush, which is done when all operations before it are done at the peer.
    pub(crate) fn flush(&mut self) -> Progress {
        // SAFETY: **live**: this value holds the endpoint, and the parameters are alive.
        let result = unsafe { (self.library.ucp_ep_flush_nbx)(self.at, &PLAIN) };
        // SAFETY: **fresh**: a nonblocking call has just returned it.
        unsafe { Progress::of(result, self.library) }
    }

    /// Closes the endpoint without the peer. All of its operations end; the close ends after them.
    pub(crate) fn close(self) -> Progress {
        let param =
            ucp_request_param { op_attr_mask: UCP_OP_ATTR_FIELD_FLAGS, flags: UCP_EP_CLOSE_FLAG_FORCE, ..PLAIN };
        // SAFETY: **live**: this value holds the endpoint, and ends here.
        let result = unsafe { (self.library.ucp_ep_close_nbx)(self.at, &param) };
        // SAFETY: **fresh**: a nonblocking call has just returned it.
        unsafe { Progress::of(result, self.library) }
    }
}

//! The ioctls of the device file.

mod attrs;
mod channel;
mod context;
mod dct;
mod devx;
mod objects;
mod qpstate;
mod queues;
mod srq;
mod write;

use std::ffi::c_void;
use std::os::fd::RawFd;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

use oxshmem_core::host::{Error, ErrorKind};
use oxshmem_rdma::hca::Hca;

pub(crate) use attrs::Errno;
use attrs::{Answer, Call};
use objects::Objects;

use crate::shim::tree::Device;

/// The kernel's errno for a command that the firmware refused; status and syndrome are in the answer.
const FIRMWARE_REFUSED: i32 = libc::EREMOTEIO;

/// The device file, opened once: a context of verbs.
pub(crate) struct File {
    device: Device,
    /// Its descriptor, by which the program maps doorbell pages.
    fd: RawFd,
    context: OnceLock<Context>,
}

/// The context of a file, after `GET_CONTEXT`.
pub(crate) struct Context {
    hca: Arc<dyn Hca>,
    /// Whether DEVX was requested and granted.
    devx: bool,
    objects: Mutex<Objects>,
}

impl File {
    /// Returns a device's file, without a context.
    pub(crate) fn new(device: Device, fd: RawFd) -> Self {
        Self { device, fd, context: OnceLock::new() }
    }

    fn context(&self) -> Answer<&Context> {
        // The kernel's answer for a file without a context.
        self.context.get().ok_or(Errno(libc::EINVAL))
    }
}

impl Drop for File {
    fn drop(&mut self) {
        if let Some(context) = self.context.get() {
            context.objects().give_all_back(&*context.hca);
        }
    }
}

impl Context {
    fn objects(&self) -> MutexGuard<'_, Objects> {
        self.objects.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

/// Returns the errno of a failed call.
fn errno(error: &Error) -> Errno {
    if let Some(code) = error.code()
        && let Ok(code @ 1..4096) = i32::try_from(code)
    {
        return Errno(code);
    }
    Errno(match error.kind() {
        ErrorKind::InvalidArgument | ErrorKind::OutOfRange | ErrorKind::Mismatch | ErrorKind::Malformed => libc::EINVAL,
        ErrorKind::Exhausted => libc::ENOMEM,
        ErrorKind::NotFound => libc::ENOENT,
        ErrorKind::Incompatible => libc::EOPNOTSUPP,
        ErrorKind::Refused => libc::EPERM,
        ErrorKind::Timeout => libc::ETIMEDOUT,
        _ => libc::EIO,
    })
}

/// Turns a call's result into an answer; prints an error if the environment requests it.
fn told<T>(result: oxshmem_core::host::Result<T>) -> Answer<T> {
    result.map_err(|error| {
        if std::env::var_os("OXSHMEM_SOFTNIC_TALK").is_some() {
            eprintln!("oxshmem software NIC: {error}");
        }
        errno(&error)
    })
}

/// Objects of the ioctls. C: `enum uverbs_default_objects`, `enum mlx5_ib_objects`.
mod object {
    pub(super) const DEVICE: u16 = 0;
    pub(super) const PD: u16 = 1;
    pub(super) const CQ: u16 = 3;
    pub(super) const QP: u16 = 4;
    pub(super) const SRQ: u16 = 5;
    pub(super) const AH: u16 = 6;
    pub(super) const MR: u16 = 7;
    pub(super) const ASYNC_EVENT: u16 = 16;
    pub(super) const DEVX: u16 = 0x1000;
    pub(super) const DEVX_OBJ: u16 = 0x1001;
    pub(super) const DEVX_UMEM: u16 = 0x1002;
    pub(super) const DEVX_ASYNC_EVENT: u16 = 0x1005;
    pub(super) const UAR: u16 = 0x1008;
}

/// Answers an ioctl.
///
/// # Safety
/// - **laid out**: `argument` is the argument that a program passes to `RDMA_VERBS_IOCTL`.
pub(crate) unsafe fn ioctl(file: &File, argument: *mut c_void) -> Answer<()> {
    // SAFETY: **laid out** is the caller's promise, and the same clause.
    let mut call = unsafe { Call::read(argument) }?;
    let call = &mut call;
    let answer = match (call.object, call.method) {
        (object::DEVICE, 0) => write::invoke(file, call),
        (object::DEVICE, 2) => context::query_port(file.context()?, call),
        (object::DEVICE, 3) => context::get(file, call),
        (object::DEVICE, 5) => context::gid_table(file.context()?, call),
        (object::DEVICE, 6) => context::gid_entry(file.context()?, call),
        (object::PD, 0) => write::dealloc_pd(file.context()?, call.word(0)?),
        (object::CQ, 0) => queues::create_cq(file.context()?, call),
        (object::CQ, 1) => queues::destroy_cq(file.context()?, call),
        (object::QP, 0) => queues::create_qp(file.context()?, call),
        (object::QP, 1) => queues::destroy_qp(file.context()?, call),
        (object::SRQ, 0) => srq::create(file.context()?, call),
        (object::SRQ, 1) => srq::destroy(file.context()?, call),
        (object::AH, 0) => write::destroy_ah(file.context()?, call.word(0)?),
        (object::MR, 1) => write::dereg_mr(file.context()?, call.word(0)?),
        (object::MR, 4) => devx::reg_dmabuf_mr(file.context()?, call),
        (object::ASYNC_EVENT, 0) => context::async_event(file.context()?, call),
        (object::DEVX, 0x1000) => devx::general(file.context()?, call),
        (object::DEVX, 0x1002) => devx::query_eqn(file.context()?, call),
        (object::DEVX, 0x1003) => devx::subscribe(file.context()?, call),
        (object::DEVX_ASYNC_EVENT, 0x1000) => devx::event_channel(file.context()?, call),
        (object::DEVX_OBJ, 0x1000) => devx::obj_create(file.context()?, call),
        (object::DEVX_OBJ, 0x1001) => devx::obj_destroy(file.context()?, call),
        (object::DEVX_OBJ, 0x1002) => devx::obj_modify(file.context()?, call),
        (object::DEVX_OBJ, 0x1003) => devx::obj_query(file.context()?, call),
        (object::DEVX_UMEM, 0x1000) => devx::umem_reg(file.context()?, call),
        (object::DEVX_UMEM, 0x1001) => devx::umem_dereg(file.context()?, call),
        (object::UAR, 0x1000) => devx::uar_alloc(file, call),
        (object::UAR, 0x1001) => devx::uar_destroy(file.context()?, call),
        // The kernel's answer for a method that it does not have; libibverbs then tries an older one.
        _ => Err(Errno(libc::EPROTONOSUPPORT)),
    };
    if std::env::var_os("OXSHMEM_SOFTNIC_TALK").is_some() {
        eprintln!("oxshmem software NIC: ioctl object {:#x} method {:#x}: {answer:?}", call.object, call.method);
    }
    answer
}

/// Raises an event in a file's program. Returns whether it has a context.
pub(crate) fn raise(file: &File, event: u32, element: u64) -> bool {
    file.context().map(|context| context.raise(event, element)).is_ok()
}

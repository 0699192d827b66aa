//! The device file: its replacement, and ioctls and close on it.

use std::collections::HashMap;
use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use crate::shim::files::Request;
use crate::shim::next::{next, set_errno};
use crate::shim::tree::Device;
use crate::uverbs::{self, File};

/// Descriptors above this are not used for the device.
const DESCRIPTORS: usize = 4096;
/// `RDMA_VERBS_IOCTL`: read and write, 24 bytes, type 0x1b, number 1.
const VERBS_IOCTL: u32 = 0xc018_1b01;

/// The process that opened a descriptor as the device's; 0 for others. Checked before anything is locked, since these
/// functions run everywhere, also in a child of fork whose parent may have held the lock.
static OPENER: [AtomicU32; DESCRIPTORS] = [const { AtomicU32::new(0) }; DESCRIPTORS];
/// The open files by descriptor.
static FILES: Mutex<Option<HashMap<c_int, Arc<File>>>> = Mutex::new(None);

fn opener(fd: c_int) -> Option<&'static AtomicU32> {
    OPENER.get(usize::try_from(fd).ok()?)
}

/// Returns the open file of a descriptor, for the process that opened it.
fn file(fd: c_int) -> Option<Arc<File>> {
    let opener = opener(fd)?.load(Ordering::Acquire);
    // A child of fork has the descriptor, but neither the NIC's threads nor its locks in a known state.
    if opener == 0 || opener != std::process::id() {
        return None;
    }
    FILES.lock().ok()?.as_ref()?.get(&fd).cloned()
}

/// Opens a device.
pub(super) fn open(device: Device, flags: c_int) -> c_int {
    // libibverbs checks that it has opened a character device.
    // SAFETY: the path is a C string, and these flags need no third argument.
    let fd = unsafe { libc::open(c"/dev/null".as_ptr(), flags & !(libc::O_CREAT | libc::O_TRUNC | libc::O_EXCL)) };
    if fd < 0 {
        return fd;
    }
    let Some(opener) = opener(fd) else {
        // SAFETY: the descriptor was opened above, and nothing else owns it.
        unsafe { libc::close(fd) };
        set_errno(libc::EMFILE);
        return -1;
    };
    let process = std::process::id();
    let replaced = FILES.lock().ok().and_then(|mut files| {
        let files = files.get_or_insert_with(HashMap::new);
        files.insert(fd, Arc::new(File::new(device, fd)))
    });
    if opener.swap(process, Ordering::AcqRel) != process {
        // The file is the parent's, and this process must not give back the parent's NIC.
        std::mem::forget(replaced);
    }
    fd
}

/// Replaces libc's `close`.
///
/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
pub(in crate::shim) unsafe extern "C" fn close(fd: c_int) -> c_int {
    if let Some(gone) = file(fd) {
        if let Some(opener) = opener(fd) {
            opener.store(0, Ordering::Release);
        }
        if let Ok(mut files) = FILES.lock() {
            files.as_mut().and_then(|files| files.remove(&fd));
        }
        // The last holder, here or in another thread's ioctl, gives back the program's remaining objects.
        drop(gone);
    }
    next!(fn(c_int) -> c_int, c"close", fd; else -1)
}

/// Replaces libc's `ioctl`.
///
/// # Safety
/// As libc's. It is variadic there; on this ABI a third word has the place of a variadic one.
#[unsafe(no_mangle)]
pub(in crate::shim) unsafe extern "C" fn ioctl(fd: c_int, request: Request, argument: *mut c_void) -> c_int {
    if request as u32 == VERBS_IOCTL
        && let Some(file) = file(fd)
    {
        // SAFETY: the caller made this ioctl, whose argument is its header followed by the attributes.
        return match unsafe { uverbs::ioctl(&file, argument) } {
            Ok(()) => 0,
            Err(errno) => {
                set_errno(errno.0);
                -1
            }
        };
    }
    next!(variadic fn(c_int, Request) -> c_int, c"ioctl", fd, request, argument; else -1)
}

/// Raises an event in the contexts of this process, as the kernel would: `enum ibv_event_type`, and libibverbs' name of
/// the object (its own pointer, or a port number). For tests of programs that handle events. Returns the number of
/// contexts.
#[unsafe(no_mangle)]
pub(in crate::shim) extern "C" fn oxshmem_softnic_raise_event(event: u32, element: u64) -> c_int {
    let ours = (0..DESCRIPTORS as c_int).filter_map(file);
    ours.map(|file| c_int::from(uverbs::raise(&file, event, element))).sum()
}

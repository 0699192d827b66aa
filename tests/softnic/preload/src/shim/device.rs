//! The device file: its replacement, and ioctls, mappings and close on it.

use std::collections::HashMap;
use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
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
/// Doorbell pages that a program has mapped. They are the NIC's, and stay when the program unmaps them. A list without
/// a lock, since an allocator may call `munmap`.
static PAGES: [AtomicUsize; 4096] = [const { AtomicUsize::new(0) }; 4096];
/// Entries of [`PAGES`] from this index on were never used.
static PAGES_USED: AtomicUsize = AtomicUsize::new(0);

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
        files.insert(fd, Arc::new(File::new(device)))
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

/// Records a mapped page.
fn keep(page: usize) {
    for (at, slot) in PAGES.iter().enumerate() {
        if slot.compare_exchange(0, page, Ordering::AcqRel, Ordering::Relaxed).is_ok() {
            PAGES_USED.fetch_max(at + 1, Ordering::AcqRel);
            return;
        }
    }
}

/// Removes a mapped page. Returns whether it was one.
fn forget(page: usize) -> bool {
    let used = PAGES_USED.load(Ordering::Acquire);
    page != 0
        && PAGES[..used].iter().any(|slot| slot.compare_exchange(page, 0, Ordering::AcqRel, Ordering::Relaxed).is_ok())
}

/// Returns the page of the device at this offset.
fn map(file: &File, bytes: usize, offset: i64) -> *mut c_void {
    match uverbs::page_at(file, bytes, offset) {
        Ok(page) => {
            keep(page as usize);
            page as *mut c_void
        }
        Err(errno) => {
            set_errno(errno.0);
            libc::MAP_FAILED
        }
    }
}

/// Raises an event in the contexts of this process, as the kernel would: `enum ibv_event_type`, and libibverbs' name of
/// the object (its own pointer, or a port number). For tests of programs that handle events. Returns the number of
/// contexts.
#[unsafe(no_mangle)]
pub(in crate::shim) extern "C" fn oxshmem_softnic_raise_event(event: u32, element: u64) -> c_int {
    let ours = (0..DESCRIPTORS as c_int).filter_map(file);
    ours.map(|file| c_int::from(uverbs::raise(&file, event, element))).sum()
}

macro_rules! maps {
    ($($name:ident $literal:literal),*) => {$(
        /// Replaces libc's function of this name.
        ///
        /// # Safety
        /// As libc's.
        #[unsafe(no_mangle)]
        pub(in crate::shim) unsafe extern "C" fn $name(
            at: *mut c_void, bytes: usize, protection: c_int, flags: c_int, fd: c_int, offset: i64,
        ) -> *mut c_void {
            if let Some(file) = file(fd) {
                return map(&file, bytes, offset);
            }
            next!(fn(*mut c_void, usize, c_int, c_int, c_int, i64) -> *mut c_void, $literal, at, bytes, protection,
                flags, fd, offset; else libc::MAP_FAILED)
        }
    )*};
}
maps!(mmap c"mmap", mmap64 c"mmap64");

/// Replaces libc's `munmap`.
///
/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
pub(in crate::shim) unsafe extern "C" fn munmap(at: *mut c_void, bytes: usize) -> c_int {
    if forget(at as usize) {
        return 0;
    }
    next!(fn(*mut c_void, usize) -> c_int, c"munmap", at, bytes; else -1)
}

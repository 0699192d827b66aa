//! Memory mapped by the NIC's side: doorbell pages, queues made by verbs, DMA buffers.

use std::io;
use std::os::fd::{FromRawFd, RawFd};

/// Pages that are unmapped when dropped.
#[derive(Debug)]
pub(crate) struct Pages {
    at: u64,
    bytes: u64,
}

const PAGE: u64 = 4096;

impl Pages {
    /// Maps at least `bytes` zeroed bytes.
    pub(crate) fn new(bytes: u64) -> io::Result<Self> {
        Self::map(bytes.next_multiple_of(PAGE), libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1, 0)
    }

    /// Maps one zeroed page at two addresses.
    pub(crate) fn twins(bytes: u64) -> io::Result<(Self, Self)> {
        // SAFETY: the name is a C string.
        let fd = unsafe { libc::memfd_create(c"softnic".as_ptr(), libc::MFD_CLOEXEC) };
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the descriptor was just created, and nothing else owns it.
        let file = unsafe { std::fs::File::from_raw_fd(fd) };
        file.set_len(bytes.next_multiple_of(PAGE))?;
        Ok((Self::of(fd, 0, bytes.next_multiple_of(PAGE))?, Self::of(fd, 0, bytes.next_multiple_of(PAGE))?))
    }

    /// Maps `bytes` bytes of a descriptor's object, from `offset` on.
    pub(crate) fn of(fd: RawFd, offset: u64, bytes: u64) -> io::Result<Self> {
        Self::map(bytes, libc::MAP_SHARED, fd, offset)
    }

    fn map(bytes: u64, flags: i32, fd: RawFd, offset: u64) -> io::Result<Self> {
        let (protection, length) = (libc::PROT_READ | libc::PROT_WRITE, bytes as usize);
        // SAFETY: the call creates a mapping at an address that the system chooses.
        let at = unsafe { libc::mmap(std::ptr::null_mut(), length, protection, flags, fd, offset as libc::off_t) };
        if at == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        Ok(Self { at: at as u64, bytes })
    }

    pub(crate) fn at(&self) -> u64 {
        self.at
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: it is this value's mapping; users of its address have given the object back that owns it.
        unsafe { libc::munmap(self.at as *mut libc::c_void, self.bytes as usize) };
    }
}

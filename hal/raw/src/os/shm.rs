//! Shared memory of host PEs: the twin of [`cuda`](crate::gpu::cuda)'s reservations and chunks.
//!
//! A chunk is an anonymous file in memory. It has no name that could be left behind or opened by a stranger, and it
//! starts zero-filled. Its size is sealed, so that no process that received it can shrink it while others use it (which
//! would kill them with SIGBUS).

mod mapped;

use core::fmt;
use core::num::NonZeroUsize;
use core::ptr::NonNull;
use core::sync::atomic::AtomicU32;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::{Arc, OnceLock};

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, SealFlag, fcntl};
use nix::sys::memfd::{MFdFlags, memfd_create};
use nix::sys::mman::{MapFlags, ProtFlags, mmap, mmap_anonymous, munmap};
use nix::sys::resource::{Resource, getrlimit};
use nix::sys::stat::fstat;
use nix::unistd::{SysconfVar, ftruncate, sysconf};
use oxshmem_core::host::{Error, ErrorKind, Result};

/// Returns the granularity, in bytes, in which memory is shared and mapped: the system's page size.
pub fn granularity() -> usize {
    static PAGE: OnceLock<usize> = OnceLock::new();
    *PAGE.get_or_init(|| match sysconf(SysconfVar::PAGE_SIZE) {
        Ok(Some(bytes)) if bytes > 0 => bytes as usize,
        _ => 4096,
    })
}

/// The seals of a chunk: its size can't change, and no seal can be added.
const SEALS: SealFlag = SealFlag::F_SEAL_SHRINK.union(SealFlag::F_SEAL_GROW).union(SealFlag::F_SEAL_SEAL);

/// Zero-filled memory that processes share by its file descriptor.
///
/// It lives while a clone of it, a descriptor or a mapping does.
#[derive(Clone)]
pub struct ShmChunk(Arc<SealedFile>);

struct SealedFile {
    fd: OwnedFd,
    bytes: usize,
}

impl ShmChunk {
    /// Creates `bytes` of memory, a positive multiple of [`granularity`]. A page occupies memory once it is touched.
    pub fn create(bytes: usize) -> Result<Self> {
        let action = || format!("create {bytes} bytes of shared memory");
        whole_pages(bytes, action)?;
        // The system counts the memory as a file, and ends a process that makes a larger one than its limit by SIGXFSZ.
        if let Ok((limit, _)) = getrlimit(Resource::RLIMIT_FSIZE)
            && bytes as u64 > limit
        {
            return Err(Error::new(ErrorKind::Exhausted, action())
                .because("it counts as a file, whose size the process's limit excludes")
                .amount(bytes as u64, limit, "bytes")
                .hint("raise `ulimit -f`"));
        }
        let flags = MFdFlags::MFD_CLOEXEC | MFdFlags::MFD_ALLOW_SEALING;
        let fd = memfd_create(c"oxshmem", flags).map_err(|errno| os(action(), "memfd_create", errno))?;
        ftruncate(&fd, bytes as i64).map_err(|errno| os(action(), "ftruncate", errno))?;
        fcntl(&fd, FcntlArg::F_ADD_SEALS(SEALS)).map_err(|errno| os(action(), "fcntl", errno))?;
        Ok(Self(Arc::new(SealedFile { fd, bytes })))
    }

    /// Takes over the memory of a descriptor from another process, which stated its size as `bytes`.
    ///
    /// # Errors
    ///
    /// `Mismatch` if it has another size; `Refused` if its owner could still shrink it.
    pub fn from_fd(fd: OwnedFd, bytes: usize) -> Result<Self> {
        let action = || format!("take over {bytes} bytes of shared memory");
        whole_pages(bytes, action)?;
        let status = fstat(&fd).map_err(|errno| os(action(), "fstat", errno))?;
        if u64::try_from(status.st_size) != Ok(bytes as u64) {
            return Err(Error::new(ErrorKind::Mismatch, action())
                .because(format!("the file descriptor has {} bytes", status.st_size)));
        }
        // A descriptor of another kind has no seals, and the system returns EINVAL.
        let seals = fcntl(&fd, FcntlArg::F_GET_SEALS).map_or(SealFlag::empty(), SealFlag::from_bits_truncate);
        if !seals.contains(SealFlag::F_SEAL_SHRINK) {
            return Err(Error::new(ErrorKind::Refused, action())
                .because("the file descriptor is not sealed against shrinking, so its owner could take it away"));
        }
        Ok(Self(Arc::new(SealedFile { fd, bytes })))
    }

    /// Returns the descriptor to pass to other processes.
    pub fn fd(&self) -> BorrowedFd<'_> {
        self.0.fd.as_fd()
    }

    /// Returns the size in bytes.
    pub fn bytes(&self) -> usize {
        self.0.bytes
    }
}

impl fmt::Debug for ShmChunk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ShmChunk({} bytes)", self.0.bytes)
    }
}

/// A range of addresses of this process, into which chunks are mapped. An access to a part without a chunk fails with
/// SIGSEGV.
///
/// Dropping it unmaps everything and frees the addresses.
pub struct HostReservation {
    base: NonNull<u8>,
    bytes: usize,
    /// Offset and bytes of each mapping. A mapping keeps its memory, so that no descriptor stays open for it: a process
    /// that maps the memory of many others has few descriptors.
    maps: Vec<(usize, usize)>,
}

// SAFETY: it owns a range of addresses, which are valid on every thread; changes go through `&mut self`.
unsafe impl Send for HostReservation {}
// SAFETY: methods with `&self` access no memory through the pointer, and change nothing.
unsafe impl Sync for HostReservation {}

impl HostReservation {
    /// Reserves `bytes` of addresses, a positive multiple of [`granularity`], without memory.
    ///
    /// # Errors
    ///
    /// `Exhausted`, with the amount that the process has left, if there is no such range.
    pub fn reserve(bytes: usize) -> Result<Self> {
        let action = || format!("reserve {bytes} bytes of addresses");
        let length = whole_pages(bytes, action)?;
        let flags = MapFlags::MAP_PRIVATE | MapFlags::MAP_NORESERVE;
        // SAFETY: a new mapping at an address of the system's choice affects no existing mapping.
        let base = unsafe { mmap_anonymous(None, length, ProtFlags::PROT_NONE, flags) };
        match base {
            Ok(base) => Ok(Self { base: base.cast(), bytes, maps: Vec::new() }),
            Err(Errno::ENOMEM) => Err(os(action(), "mmap", Errno::ENOMEM)
                .because("the process has no such range of addresses left")
                .amount(bytes as u64, address_limit().saturating_sub(addresses_in_use()), "bytes")
                .hint("ask for less, or raise `ulimit -v`")),
            Err(errno) => Err(os(action(), "mmap", errno)),
        }
    }

    /// Returns the first address.
    pub fn base(&self) -> NonNull<u8> {
        self.base
    }

    /// Returns the size in bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns the number of its bytes with memory mapped.
    pub fn mapped_bytes(&self) -> usize {
        self.maps.iter().map(|(_, bytes)| bytes).sum()
    }

    /// Maps `chunk` at `offset` for reading and writing, and returns the first address.
    ///
    /// # Errors
    ///
    /// `InvalidArgument` if `offset` is not a multiple of [`granularity`] or the range has memory already; `OutOfRange`
    /// if it leaves the reservation.
    pub fn map(&mut self, offset: usize, chunk: &ShmChunk) -> Result<NonNull<u8>> {
        let bytes = chunk.bytes();
        let action = || format!("map {bytes} bytes at offset {offset:#x} of a reservation");
        if !offset.is_multiple_of(granularity()) {
            return Err(Error::new(ErrorKind::InvalidArgument, action())
                .because(format!("the offset is not a multiple of {} bytes", granularity())));
        }
        let end = offset.checked_add(bytes).filter(|&end| end <= self.bytes);
        let Some(end) = end else {
            return Err(Error::new(ErrorKind::OutOfRange, action())
                .because(format!("the reservation has {} bytes", self.bytes))
                .amount(bytes as u64, self.bytes.saturating_sub(offset) as u64, "bytes"));
        };
        if let Some((at, other)) = self.maps.iter().find(|(at, other)| offset < at + other && *at < end) {
            return Err(Error::new(ErrorKind::InvalidArgument, action())
                .because(format!("{other} bytes at offset {at:#x} have memory already")));
        }
        let length = whole_pages(bytes, action)?;
        let flags = MapFlags::MAP_SHARED | MapFlags::MAP_FIXED | MapFlags::MAP_NORESERVE;
        let access = ProtFlags::PROT_READ | ProtFlags::PROT_WRITE;
        // SAFETY: the range is inside this reservation and has no memory, so the mapping replaces only empty pages of
        // this reservation.
        let at = unsafe { mmap(Some(self.address(offset)), length, access, flags, chunk.fd(), 0) }
            .map_err(|errno| os(action(), "mmap", errno))?;
        self.maps.push((offset, bytes));
        Ok(at.cast())
    }

    /// Unmaps the memory that was mapped at `offset`; the addresses stay reserved.
    ///
    /// # Safety
    ///
    /// - **unused**: no code in this process uses an address of that mapping any more.
    ///
    /// # Errors
    ///
    /// `InvalidArgument` if no mapping starts there.
    pub unsafe fn unmap(&mut self, offset: usize) -> Result<()> {
        let action = || format!("unmap offset {offset:#x} of a reservation");
        let Some(index) = self.maps.iter().position(|(at, _)| *at == offset) else {
            return Err(Error::new(ErrorKind::InvalidArgument, action()).because("no mapping starts there"));
        };
        let length = whole_pages(self.maps[index].1, action)?;
        let flags = MapFlags::MAP_PRIVATE | MapFlags::MAP_NORESERVE | MapFlags::MAP_FIXED;
        // SAFETY: the range is one whole mapping of this reservation, and **unused** by the caller.
        unsafe { mmap_anonymous(Some(self.address(offset)), length, ProtFlags::PROT_NONE, flags) }
            .map_err(|errno| os(action(), "mmap", errno))?;
        self.maps.swap_remove(index);
        Ok(())
    }

    /// Returns an address inside the range, which is therefore not null.
    fn address(&self, offset: usize) -> NonZeroUsize {
        self.base.addr().saturating_add(offset)
    }
}

impl Drop for HostReservation {
    fn drop(&mut self) {
        // SAFETY: the range is the whole reservation, mappings and gaps, and this value alone owns it. Its owner must
        // ensure that no address of it is used any more, as for all raw memory.
        let _ = unsafe { munmap(self.base.cast(), self.bytes) };
    }
}

impl fmt::Debug for HostReservation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HostReservation({} bytes at {:p}, {} mappings)", self.bytes, self.base, self.maps.len())
    }
}

/// Memory of a chunk as words, which the threads of all processes that have the chunk access atomically. It keeps no
/// descriptor.
#[derive(Debug)]
pub struct SharedWords {
    base: NonNull<AtomicU32>,
    bytes: usize,
}

// SAFETY: it owns a mapping, which is valid on every thread and accessed by atomics alone.
unsafe impl Send for SharedWords {}
// SAFETY: shared references access the words as atomics alone.
unsafe impl Sync for SharedWords {}

impl SharedWords {
    /// Maps the chunk.
    ///
    /// # Errors
    ///
    /// The system refuses the mapping.
    pub fn map(chunk: &ShmChunk) -> Result<Self> {
        let bytes = chunk.bytes();
        let action = || format!("map {bytes} bytes of shared memory");
        let access = ProtFlags::PROT_READ | ProtFlags::PROT_WRITE;
        // SAFETY: a new mapping at an address of the system's choice affects no existing mapping.
        let base = unsafe { mmap(None, whole_pages(bytes, action)?, access, MapFlags::MAP_SHARED, chunk.fd(), 0) }
            .map_err(|errno| os(action(), "mmap", errno))?;
        Ok(Self { base: base.cast(), bytes })
    }

    /// Returns the words. They are 0 until a process stores to them.
    pub fn words(&self) -> &[AtomicU32] {
        // SAFETY: the mapping has these bytes and lives while `self` is borrowed, and the chunk can't shrink; a page is
        // aligned for words, of which any value is valid; all access in this process is by these atomics.
        unsafe { std::slice::from_raw_parts(self.base.as_ptr(), self.bytes / size_of::<AtomicU32>()) }
    }
}

impl Drop for SharedWords {
    fn drop(&mut self) {
        // SAFETY: the range is this value's own mapping, and no borrow of its words is left.
        let _ = unsafe { munmap(self.base.cast(), self.bytes) };
    }
}

fn whole_pages(bytes: usize, action: impl FnOnce() -> String) -> Result<NonZeroUsize> {
    let page = granularity();
    NonZeroUsize::new(bytes).filter(|_| bytes.is_multiple_of(page) && bytes <= isize::MAX as usize).ok_or_else(|| {
        Error::new(ErrorKind::InvalidArgument, action())
            .because(format!("the size must be a positive multiple of {page} bytes below 2^63"))
    })
}

/// Returns the largest number of bytes of addresses that this process may have.
fn address_limit() -> u64 {
    /// The lower half of four-level page tables, from which mmap allocates unless asked for more.
    const USER_HALF: u64 = 1 << 47;
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: `limit` is a valid out pointer for an rlimit.
    match unsafe { libc::getrlimit(libc::RLIMIT_AS, &mut limit) } {
        0 => limit.rlim_cur.min(USER_HALF),
        _ => USER_HALF,
    }
}

/// Returns the bytes of addresses that the process has in use; 0 if the system does not report them.
fn addresses_in_use() -> u64 {
    let sizes = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = sizes.split(' ').next().and_then(|pages| pages.parse().ok()).unwrap_or(0_u64);
    pages.saturating_mul(granularity() as u64)
}

fn os(action: String, call: &'static str, errno: Errno) -> Error {
    let (kind, hint) = match errno {
        Errno::ENOMEM | Errno::ENOSPC => (ErrorKind::Exhausted, None),
        Errno::EMFILE | Errno::ENFILE => (ErrorKind::Exhausted, Some("raise `ulimit -n`")),
        Errno::EPERM | Errno::EACCES => (ErrorKind::Refused, None),
        _ => (ErrorKind::System, None),
    };
    let error = Error::new(kind, action).call(call, errno as i64, errno.desc());
    match hint {
        Some(hint) => error.hint(hint),
        None => error,
    }
}

#[cfg(test)]
mod tests;

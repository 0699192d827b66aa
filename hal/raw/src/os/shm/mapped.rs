//! Finds the file of memory that this process has mapped.

use std::fs::{File, OpenOptions};
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::sync::Arc;

use nix::fcntl::{FcntlArg, SealFlag, fcntl};
use oxshmem_core::host::{Error, ErrorKind, Result};

use super::{SealedFile, ShmChunk, os, whole_pages};

/// The seals without which the owner of a file could take its memory away.
const NEEDED: SealFlag = SealFlag::F_SEAL_SHRINK.union(SealFlag::F_SEAL_GROW);

/// A line of `/proc/self/maps`.
#[derive(Debug, PartialEq, Eq)]
struct Mapping {
    start: u64,
    end: u64,
    is_shared: bool,
    is_writable: bool,
    /// The offset in the file.
    offset: u64,
    inode: u64,
    /// The path, as the system has it.
    name: String,
}

impl Mapping {
    /// Reads `START-END PERMISSIONS OFFSET DEVICE INODE [PATH]`. Source: proc_pid_maps(5).
    fn parse(line: &str) -> Option<Self> {
        let mut rest = line;
        let mut field = || {
            let (field, after) = rest.split_once(' ').unwrap_or((rest, ""));
            rest = after.trim_ascii_start();
            (!field.is_empty()).then_some(field)
        };
        let (start, end) = field()?.split_once('-')?;
        let (permissions, offset, _device) = (field()?, field()?, field()?);
        let inode = field()?.parse().ok()?;
        let hex = |text: &str| u64::from_str_radix(text, 16).ok();
        Some(Self {
            start: hex(start)?,
            end: hex(end)?,
            is_shared: permissions.ends_with('s'),
            is_writable: permissions.starts_with("rw"),
            offset: hex(offset)?,
            inode,
            name: rest.into(),
        })
    }
}

impl ShmChunk {
    /// Finds the memfd that this process has mapped at `address` with `bytes` bytes, which are all of its bytes, and
    /// seals its size. A descriptor of the file must be open.
    ///
    /// # Errors
    ///
    /// `InvalidArgument` if the range is not one shared mapping of a whole file; `NotFound` if no descriptor of the file
    /// is open; `Refused` if its size can't be sealed.
    pub fn mapped_at(address: u64, bytes: usize) -> Result<Self> {
        let action = || format!("share {bytes} bytes at address {address:#x} with other processes");
        let refuse = |reason: String| Err(Error::new(ErrorKind::InvalidArgument, action()).because(reason));
        whole_pages(bytes, action)?;
        let maps = std::fs::read_to_string("/proc/self/maps").map_err(|error| {
            Error::new(ErrorKind::System, action()).because(format!("/proc/self/maps can't be read: {error}"))
        })?;
        let there = |map: &Mapping| (map.start..map.end).contains(&address);
        let Some(map) = maps.lines().filter_map(Mapping::parse).find(there) else {
            return refuse("no memory is mapped there".into());
        };
        if !map.is_shared || !map.is_writable || map.inode == 0 {
            return refuse(format!(
                "the memory there is {} of this process alone",
                if map.name.is_empty() { "private memory" } else { &map.name }
            ))
            .map_err(|error| error.hint("map a memfd (memfd_create) with MAP_SHARED, for reading and writing"));
        }
        let mapped = map.end - map.start;
        if map.start != address || mapped != bytes as u64 || map.offset != 0 {
            return refuse(format!(
                "the mapping there has {mapped} bytes from {:#x} on, from offset {:#x} of {}",
                map.start, map.offset, map.name
            ))
            .map_err(|error| error.hint("register a file that is mapped as a whole"));
        }
        let file = open_descriptor(map.inode, &map.name).ok_or_else(|| {
            Error::new(ErrorKind::NotFound, action())
                .because(format!("this process has no open descriptor of {}", map.name))
                .hint("close the descriptor after the registration")
        })?;
        let size = file.metadata().map_or(0, |status| status.len());
        if size != bytes as u64 {
            return refuse(format!("{} has {size} bytes", map.name))
                .map_err(|error| error.hint("register a file that is mapped as a whole"));
        }
        let fd = OwnedFd::from(file);
        seal(&fd).map_err(|errno| {
            os(action(), "fcntl", errno)
                .because(format!("the size of {} can't be sealed", map.name))
                .hint("create the memfd with MFD_ALLOW_SEALING, so that no process can take the memory away")
        })?;
        Ok(Self(Arc::new(SealedFile { fd, bytes })))
    }
}

fn seal(fd: &OwnedFd) -> nix::Result<()> {
    let seals = fcntl(fd, FcntlArg::F_GET_SEALS).map(SealFlag::from_bits_truncate)?;
    if seals.contains(SealFlag::F_SEAL_SHRINK) { Ok(()) } else { fcntl(fd, FcntlArg::F_ADD_SEALS(NEEDED)).map(drop) }
}

/// Opens the file with this inode and path anew, through a descriptor of this process.
fn open_descriptor(inode: u64, name: &str) -> Option<File> {
    let is_it = |file: &File| file.metadata().is_ok_and(|status| status.ino() == inode);
    let entries = std::fs::read_dir("/proc/self/fd").ok()?.flatten().map(|entry| entry.path());
    // Inodes of different file systems can have the same number.
    let named = entries.filter(|path| std::fs::read_link(path).is_ok_and(|link| link.as_os_str() == name));
    named.filter_map(|path| OpenOptions::new().read(true).write(true).open(path).ok()).find(is_it)
}

#[cfg(test)]
mod tests {
    use super::super::HostReservation;
    use super::*;

    const PAGE: usize = 4096;

    #[test]
    fn a_line_of_the_systems_list_is_read_with_or_without_a_path() {
        let map =
            Mapping::parse("7f00000-7f02000 rw-s 00001000 00:01 1057                 /memfd:a  b (deleted)").unwrap();
        assert_eq!((map.start, map.end, map.offset, map.inode), (0x7f00000, 0x7f02000, 0x1000, 1057));
        assert!(map.is_shared && map.is_writable && map.name == "/memfd:a  b (deleted)", "{map:?}");
        let map = Mapping::parse("1000-2000 r-xp 00000000 00:00 0").unwrap();
        assert!(!map.is_shared && !map.is_writable && map.name.is_empty());
        assert_eq!(Mapping::parse("1000-2000 r-xp"), None);
    }

    #[test]
    fn memory_that_is_mapped_is_found_and_is_the_same_memory() {
        let chunk = ShmChunk::create(2 * PAGE).unwrap();
        let mut space = HostReservation::reserve(4 * PAGE).unwrap();
        let at = space.map(PAGE, &chunk).unwrap().as_ptr() as u64;
        let found = ShmChunk::mapped_at(at, 2 * PAGE).unwrap();
        let second = space.map(3 * PAGE, &ShmChunk::create(PAGE).unwrap());
        assert!(second.is_ok());
        let mut other = HostReservation::reserve(2 * PAGE).unwrap();
        let seen = other.map(0, &found).unwrap();
        // SAFETY: both are mapped, and nothing else uses them.
        unsafe {
            (at as *mut u8).add(5000).write(7);
            assert_eq!(seen.as_ptr().add(5000).read(), 7);
        }
        for (from, bytes, reason) in [
            (at, PAGE, "has 8192 bytes from"),
            (at + PAGE as u64, PAGE, "has 8192 bytes from"),
            (at, 100, "positive multiple of 4096"),
            (at - PAGE as u64, PAGE, "private memory of this process alone"),
            (0, PAGE, "no memory is mapped there"),
        ] {
            let error = ShmChunk::mapped_at(from, bytes).unwrap_err();
            assert!(error.kind() == ErrorKind::InvalidArgument && error.to_string().contains(reason), "{error}");
        }
        drop((chunk, found));
        let error = ShmChunk::mapped_at(at, 2 * PAGE).unwrap_err();
        assert!(error.kind() == ErrorKind::NotFound && error.to_string().contains("no open descriptor"), "{error}");
    }

    #[test]
    fn memory_that_its_owner_could_take_away_is_refused() {
        use nix::sys::memfd::{MFdFlags, memfd_create};
        let map = |flags| {
            let fd = memfd_create(c"of a test", flags).unwrap();
            nix::unistd::ftruncate(&fd, PAGE as i64).unwrap();
            let chunk = ShmChunk(Arc::new(SealedFile { fd, bytes: PAGE }));
            let mut space = HostReservation::reserve(PAGE).unwrap();
            let at = space.map(0, &chunk).unwrap().as_ptr() as u64;
            (space, chunk, at)
        };
        let (_space, _chunk, at) = map(MFdFlags::MFD_CLOEXEC);
        let error = ShmChunk::mapped_at(at, PAGE).unwrap_err();
        assert!(error.kind() == ErrorKind::Refused && error.to_string().contains("MFD_ALLOW_SEALING"), "{error}");
        let (_space, chunk, at) = map(MFdFlags::MFD_CLOEXEC | MFdFlags::MFD_ALLOW_SEALING);
        ShmChunk::mapped_at(at, PAGE).unwrap();
        assert!(nix::unistd::ftruncate(chunk.fd(), 0).is_err(), "its size is sealed");
    }
}

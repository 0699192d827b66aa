//! Memory of other devices and processes, mapped for the engine.

use std::fs;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::MetadataExt;

use oxshmem_raw::gpu::cuda::{Context, PhysicalChunk, Reservation, granularity};
use oxshmem_raw::memory::Memory;

/// A mapping, which lives as long as this.
#[derive(Debug)]
pub(super) enum Mapping {
    Host { at: u64, bytes: usize },
    Gpu(#[allow(dead_code, reason = "kept")] Reservation),
}

const PAGE: u64 = 4096;

impl Mapping {
    /// Maps `bytes` bytes at `offset` of a descriptor's memory. Returns their address.
    pub(super) fn of(memory: &Memory, fd: &OwnedFd, offset: u64, bytes: u64) -> Result<(Self, u64), String> {
        match memory {
            Memory::Gpu(context) => {
                let whole = rounded(context, offset + bytes)?;
                let chunk = PhysicalChunk::import_fd(context, fd.as_fd(), whole).map_err(|error| error.to_string())?;
                Self::chunk(context, &chunk, whole, offset)
            }
            Memory::Host => {
                let start = offset - offset % PAGE;
                let length = (offset + bytes - start).next_multiple_of(PAGE) as usize;
                let (protection, fd) = (libc::PROT_READ | libc::PROT_WRITE, fd.as_raw_fd());
                // SAFETY: the call creates a mapping at an address that the system chooses.
                let at = unsafe {
                    libc::mmap(std::ptr::null_mut(), length, protection, libc::MAP_SHARED, fd, start as libc::off_t)
                };
                if at == libc::MAP_FAILED {
                    return Err(format!("mmap: {}", std::io::Error::last_os_error()));
                }
                let at = at as u64;
                Ok((Self::Host { at, bytes: length }, at + (offset - start)))
            }
        }
    }

    /// Maps memory of another device of this process.
    ///
    /// # Safety
    ///
    /// - **mapped**: it stays mapped there while this function runs.
    pub(super) unsafe fn of_device(
        context: &Context,
        owner: &Context,
        at: u64,
        bytes: u64,
    ) -> Result<(Self, u64), String> {
        let whole = rounded(context, bytes)?;
        // SAFETY: **mapped**: the caller keeps the memory mapped. Memory of a GPU that others reach is an extent of the
        // heap, which is one whole mapping.
        let chunk = unsafe { PhysicalChunk::mapped_at(owner, at, whole) }.map_err(|error| error.to_string())?;
        Self::chunk(context, &chunk, whole, 0)
    }

    fn chunk(context: &Context, chunk: &PhysicalChunk, bytes: usize, offset: u64) -> Result<(Self, u64), String> {
        let words = |error: oxshmem_hal::Error| error.to_string();
        let mut space = Reservation::reserve(context, rounded(context, bytes as u64)?, 0).map_err(words)?;
        let at = space.map(0, chunk).map_err(words)?;
        Ok((Self::Gpu(space), at + offset))
    }
}

fn rounded(context: &Context, bytes: u64) -> Result<usize, String> {
    let step = granularity(&context.device()).map_err(|error| error.to_string())? as u64;
    Ok(bytes.next_multiple_of(step) as usize)
}

impl Drop for Mapping {
    fn drop(&mut self) {
        if let Self::Host { at, bytes } = *self {
            // SAFETY: this value owns the mapping, and no key names it any more.
            unsafe { libc::munmap(at as *mut libc::c_void, bytes) };
        }
    }
}

/// Returns a descriptor of the file that is mapped at `at` for `bytes` bytes, and the offset in it.
pub(super) fn descriptor_of(at: u64, bytes: u64) -> Result<(OwnedFd, u64), String> {
    let maps = fs::read_to_string("/proc/self/maps").map_err(|error| format!("/proc/self/maps: {error}"))?;
    let (offset, inode) = (maps.lines().filter_map(line))
        .find_map(|(start, end, offset, inode)| {
            (start <= at && at + bytes <= end && inode != 0).then_some((offset + (at - start), inode))
        })
        .ok_or("it is not of a file that could be shared")?;
    let entries = fs::read_dir("/proc/self/fd").map_err(|error| format!("/proc/self/fd: {error}"))?;
    for entry in entries.flatten() {
        let same = fs::metadata(entry.path()).is_ok_and(|file| file.ino() == inode && file.file_type().is_file());
        let number = entry.file_name().to_str().and_then(|name| name.parse().ok());
        if let (true, Some(number)) = (same, number) {
            // SAFETY: it was open a moment ago. If it is closed now, its duplication fails or is another file's,
            // which the comparison below finds.
            let found = unsafe { BorrowedFd::borrow_raw(number) };
            let file: fs::File = found.try_clone_to_owned().map_err(|error| error.to_string())?.into();
            if file.metadata().is_ok_and(|file| file.ino() == inode) {
                return Ok((file.into(), offset));
            }
        }
    }
    Err("its file is not open any more".into())
}

/// Returns start, end, offset and inode of a line of `/proc/self/maps`.
fn line(text: &str) -> Option<(u64, u64, u64, u64)> {
    let mut parts = text.split_whitespace();
    let (start, end) = parts.next()?.split_once('-')?;
    let hex = |text: &str| u64::from_str_radix(text, 16).ok();
    let offset = hex(parts.nth(1)?)?;
    Some((hex(start)?, hex(end)?, offset, parts.nth(1)?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_the_maps_says_where_which_file_begins() {
        let text = "7f00-8f00 rw-s 00001000 00:01 4711       /memfd:oxshmem (deleted)";
        assert_eq!(line(text), Some((0x7f00, 0x8f00, 0x1000, 4711)));
    }
}

//! Strided copies.

use oxshmem_core::{Group, Width};
use oxshmem_raw::gpu::ptx;

use super::copy::From;

/// Copies `count` elements, `to_stride` and `from_stride` elements apart, with the threads of `group`.
///
/// # Safety
///
/// - **readable**, **writable**: every source element is mapped for reading, every destination element for writing, and
///   all are aligned to `width`.
/// - **apart**: no element of the source is one of the destination.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
#[allow(clippy::too_many_arguments, reason = "OpenSHMEM's own list, and whose memory it is")]
pub(super) unsafe fn copy_strided<G: Group>(
    group: G,
    to: *mut u8,
    from: *const u8,
    to_stride: usize,
    from_stride: usize,
    count: usize,
    width: Width,
    whose: From,
) {
    let (mut at, step) = (group.rank() as usize, group.size() as usize);
    while at < count {
        let (to, from) =
            (to.wrapping_add(at * to_stride * width.bytes()), from.wrapping_add(at * from_stride * width.bytes()));
        // SAFETY: **readable**, **writable**: `at < count`, so element `at` is mapped and aligned at both ends, which
        // is **mapped**.
        unsafe {
            let bits = match whose {
                From::Own => load_own(from, width),
                From::Peer => load_peer(from, width),
            };
            store(to, width, bits);
        }
        at += step;
    }
}

/// Loads an element of this PE's memory.
///
/// # Safety
/// - **mapped**: `at` is mapped for reading and aligned to `width`.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
unsafe fn load_own(at: *const u8, width: Width) -> u64 {
    // SAFETY: **mapped**, with the instruction for `width`.
    unsafe {
        match width {
            Width::B1 => ptx::ld_weak_u8(at) as u64,
            Width::B2 => ptx::ld_weak_u16(at.cast()) as u64,
            Width::B4 => ptx::ld_weak_u32(at.cast()) as u64,
            Width::B8 => ptx::ld_weak_u64(at.cast()),
        }
    }
}

/// Loads an element of a peer's memory.
///
/// # Safety
/// - **mapped**: `at` is mapped for reading and aligned to `width`.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) unsafe fn load_peer(at: *const u8, width: Width) -> u64 {
    // SAFETY: **mapped**, with the instruction for `width`.
    unsafe {
        match width {
            Width::B1 => ptx::ld_relaxed_sys_u8(at) as u64,
            Width::B2 => ptx::ld_relaxed_sys_u16(at.cast()) as u64,
            Width::B4 => ptx::ld_relaxed_sys_u32(at.cast()) as u64,
            Width::B8 => ptx::ld_relaxed_sys_u64(at.cast()),
        }
    }
}

/// Stores an element in this PE's memory.
///
/// # Safety
/// - **mapped**: `at` is mapped for writing and aligned to `width`.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
unsafe fn store(at: *mut u8, width: Width, bits: u64) {
    // SAFETY: **mapped**, with the instruction for `width`.
    unsafe {
        match width {
            Width::B1 => ptx::st_weak_u8(at, bits as u8),
            Width::B2 => ptx::st_weak_u16(at.cast(), bits as u16),
            Width::B4 => ptx::st_weak_u32(at.cast(), bits as u32),
            Width::B8 => ptx::st_weak_u64(at.cast(), bits),
        }
    }
}

/// Stores an element in a peer's memory.
///
/// # Safety
/// - **mapped**: `at` is mapped for writing and aligned to `width`.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) unsafe fn store_peer(at: *mut u8, width: Width, bits: u64) {
    // SAFETY: **mapped**, with the instruction for `width`.
    unsafe {
        match width {
            Width::B1 => ptx::st_relaxed_sys_u8(at, bits as u8),
            Width::B2 => ptx::st_relaxed_sys_u16(at.cast(), bits as u16),
            Width::B4 => ptx::st_relaxed_sys_u32(at.cast(), bits as u32),
            Width::B8 => ptx::st_relaxed_sys_u64(at.cast(), bits),
        }
    }
}

//! Regions: hints on the operations between two calls. They change no result, and have no effect here.
//!
//! A PE has at most one region at a time, which ends with its world at the latest.

use std::ffi::c_int;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{MutexGuard, PoisonError};

use oxshmem_hal::{Error, ErrorKind, Result};

use crate::face::{Face, Region};
use crate::pointers::{give, not_null};

/// `nvshmemx_region_attrs_t`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
struct Attributes {
    hints: u32,
    reserved: [u8; 60],
}
const _: () = assert!(size_of::<Attributes>() == 64);

/// `NVSHMEMX_REGION_HINT_BATCH_RMA`, the only hint.
const HINTS: u32 = 1;

/// The handle of the latest region of this process: that of an earlier world opens nothing in a later one.
static LAST: AtomicU64 = AtomicU64::new(0);

fn open(face: &Face) -> MutexGuard<'_, Option<Region>> {
    // The region is consistent between any two calls on it.
    face.region.lock().unwrap_or_else(PoisonError::into_inner)
}

fn wrong(action: String, reason: &str) -> Error {
    Error::new(ErrorKind::InvalidArgument, action).because(reason)
}

fn check(hints: u32, action: &str) -> Result<()> {
    match hints & !HINTS {
        0 => Ok(()),
        _ => Err(wrong(
            format!("{action} with hints {hints:#x}"),
            "the hint is NVSHMEMX_REGION_HINT_BATCH_RMA (1) or none (0)",
        )),
    }
}

export! {
    fn nvshmemx_region_start(handle: *mut u64, attributes: *const Attributes) -> c_int = status |face| {
        not_null(handle, "the place for the handle")?;
        // SAFETY: **pointers** by the caller.
        let hints = if attributes.is_null() { 0 } else { unsafe { attributes.read() }.hints };
        check(hints, "start a region")?;
        let mut open = open(face);
        if let Some(Region { handle, .. }) = *open {
            return Err(wrong("start a region".into(), &format!("region {handle} is open, and regions do not nest")));
        }
        let started = LAST.fetch_add(1, Ordering::Relaxed) + 1;
        *open = Some(Region { handle: started, hints });
        // SAFETY: **pointers** by the caller.
        unsafe { give(handle, started) };
        Ok(())
    };
    fn nvshmemx_region_stop(handle: u64) -> c_int = status |face| {
        let mut open = open(face);
        if open.is_none_or(|region| region.handle != handle) {
            return Err(wrong(format!("stop region {handle}"), "it is not open"));
        }
        *open = None;
        Ok(())
    };
    /// Gives 1 if a region with all of these hints is open.
    fn nvshmemx_region_is_active(hints: u32, active: *mut c_int) -> c_int = status |face| {
        not_null(active, "the place for the answer")?;
        check(hints, "look for a region")?;
        let is_active = open(face).is_some_and(|region| region.hints & hints == hints);
        // SAFETY: **pointers** by the caller.
        unsafe { give(active, is_active.into()) };
        Ok(())
    };
}

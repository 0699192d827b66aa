//! Regions: hints on the operations between two calls. They change no result, and have no effect here.

use std::collections::BTreeMap;
use std::ffi::c_int;
use std::sync::{Mutex, PoisonError};

use oxshmem_hal::{Error, ErrorKind};

use crate::pointers::give;

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

/// The open regions of this process: the hints of each, by handle.
#[derive(Debug)]
struct Regions {
    open: BTreeMap<u64, u32>,
    last: u64,
}

static REGIONS: Mutex<Regions> = Mutex::new(Regions { open: BTreeMap::new(), last: 0 });

fn with<R>(act: impl FnOnce(&mut Regions) -> R) -> R {
    // The regions are consistent between any two calls on them.
    act(&mut REGIONS.lock().unwrap_or_else(PoisonError::into_inner))
}

export! {
    fn nvshmemx_region_start(handle: *mut u64, attributes: *const Attributes) -> c_int = status |_| {
        // SAFETY: **pointers** by the caller.
        let hints = if attributes.is_null() { 0 } else { unsafe { attributes.read() }.hints };
        if handle.is_null() || hints & !HINTS != 0 {
            return Err(Error::new(ErrorKind::InvalidArgument, format!("start a region with hints {hints:#x}"))
                .because("the hint is NVSHMEMX_REGION_HINT_BATCH_RMA (1) or none, and the handle is not null"));
        }
        let started = with(|regions| {
            regions.last += 1;
            regions.open.insert(regions.last, hints);
            regions.last
        });
        // SAFETY: **pointers** by the caller.
        unsafe { give(handle, started) };
        Ok(())
    };
    fn nvshmemx_region_stop(handle: u64) -> c_int = status |_| {
        with(|regions| regions.open.remove(&handle)).map(drop).ok_or_else(|| {
            Error::new(ErrorKind::InvalidArgument, format!("stop region {handle}")).because("it is not open")
        })
    };
    /// Gives 1 if a region with all of these hints is open.
    fn nvshmemx_region_is_active(hints: u32, active: *mut c_int) -> c_int = status |_| {
        let is_active = with(|regions| regions.open.values().any(|open| open & hints == hints));
        // SAFETY: **pointers** by the caller.
        unsafe { give(active, is_active.into()) };
        Ok(())
    };
}

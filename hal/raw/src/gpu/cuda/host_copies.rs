//! Copies and fills that are complete on return, on a stream of their own.
//!
//! The default stream would wait for the program's streams, and a kernel there may be waiting for this very copy. Each
//! way between host and device was chosen by its time on an H200 (8 bytes to a peer, p50): two writes of words by the
//! stream, of which the host sees the second, 4.8 us; a copy on a stream and a wait for the stream 5.7 us; a copy by
//! `cuMemcpyHtoD` and a wait for the default stream 8.1 us. To the host: through pinned memory 7.7 us, by
//! `cuMemcpyDtoH` 9.4 us.

use core::ffi::c_void;
use core::ptr::{self, NonNull};
use core::sync::atomic::{AtomicU64, Ordering};
use core::{hint, slice};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use cudarc::driver::sys::{
    CU_MEMHOSTALLOC_DEVICEMAP, CU_MEMHOSTALLOC_PORTABLE, CUstream, CUstream_flags, CUstreamBatchMemOpParams,
};
use oxshmem_core::host::{Error, ErrorKind, Result};

use super::call_result::CallResult;
use super::driver::Driver;

/// Bytes of pinned memory: the word that the stream writes last, and room for small copies to the host.
const PINNED_BYTES: usize = 8192;
const ROOM_AT: usize = 64;
/// The time for which the host looks for the stream's word before it asks the driver, which reports errors.
const LOOK_FOR: Duration = Duration::from_millis(1);

/// A memory operation of a stream: `CUstreamBatchMemOpParams` of `cuda.h` for a write of one word.
#[derive(Clone, Copy)]
#[repr(C)]
struct WriteWord {
    operation: u64,
    address: u64,
    value: u64,
    flags: u64,
    alias: u64,
    reserved: u64,
}

const _: () = assert!(size_of::<WriteWord>() == size_of::<CUstreamBatchMemOpParams>());

/// `CU_STREAM_MEM_OP_WRITE_VALUE_32` and `_64` of `cuda.h`.
const WRITE_32: u64 = 2;
const WRITE_64: u64 = 5;

impl WriteWord {
    /// Builds a write with the default flags: a fence for the whole system precedes it.
    const fn new(operation: u64, address: u64, value: u64) -> Self {
        Self { operation, address, value, flags: 0, alias: 0, reserved: 0 }
    }
}

/// A stream of one context, and pinned memory.
pub(super) struct HostCopies {
    stream: CUstream,
    host: NonNull<u8>,
    device: u64,
    /// The last value of the word that the stream writes. One copy at a time uses the pinned memory.
    told: Mutex<u64>,
}

// SAFETY: the pointers name a stream, which the driver accepts from any thread, and pinned memory, which is used under
// the lock alone.
unsafe impl Send for HostCopies {}
// SAFETY: shared references use the stream through the driver, and the pinned memory under the lock alone.
unsafe impl Sync for HostCopies {}

impl HostCopies {
    /// Creates stream and memory.
    ///
    /// # Safety
    ///
    /// - **current**: a context is current. [`destroy`](Self::destroy) and all copies are called with the same one.
    pub(super) unsafe fn new(driver: &Driver) -> Result<Self> {
        let (mut stream, mut host, mut device) = (ptr::null_mut(), ptr::null_mut(), 0);
        let (mut least, mut greatest) = (0, 0);
        let flags = CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP;
        let action = || "prepare copies between the host and the device".to_owned();
        // SAFETY: `host` is a valid out pointer, and by **current** a context is current.
        unsafe { driver.cuMemHostAlloc(&mut host, PINNED_BYTES, flags) }.or_cannot(action)?;
        let Some(pinned) = NonNull::new(host.cast::<u8>()) else {
            return Err(Error::new(ErrorKind::System, action()).because("the driver gave a null pointer"));
        };
        // SAFETY: the memory was just allocated with this size.
        unsafe { pinned.write_bytes(0, PINNED_BYTES) };
        // The stream has the greatest priority, so that it shares no queue of the hardware with a program's streams of
        // the usual one, which may be full of waiting work.
        let made = (|| {
            // SAFETY: `device` is a valid out pointer; the memory was just allocated with DEVICEMAP.
            unsafe { driver.cuMemHostGetDevicePointer_v2(&mut device, host, 0) }.or_cannot(action)?;
            // SAFETY: both are valid out pointers, and by **current** a context is current.
            unsafe { driver.cuCtxGetStreamPriorityRange(&mut least, &mut greatest) }.or_cannot(action)?;
            let flags = CUstream_flags::CU_STREAM_NON_BLOCKING as u32;
            // SAFETY: `stream` is a valid out pointer, and by **current** a context is current.
            unsafe { driver.cuStreamCreateWithPriority(&mut stream, flags, greatest) }.or_cannot(action)
        })();
        if let Err(error) = made {
            // SAFETY: the memory was allocated above, and nothing uses it.
            unsafe { driver.cuMemFreeHost(host) }.ignore();
            return Err(error);
        }
        Ok(Self { stream, host: pinned, device, told: Mutex::new(0) })
    }

    /// Destroys stream and memory.
    ///
    /// # Safety
    ///
    /// - **current**: the context of [`new`](Self::new) is current.
    /// - **last**: no call follows.
    pub(super) unsafe fn destroy(&mut self, driver: &Driver) {
        // SAFETY: `new` created both in this context, which is current by **current**, and `self` alone owns them.
        // Every copy has waited for its work, and by **last** none follows.
        unsafe {
            driver.cuStreamDestroy_v2(self.stream).ignore();
            driver.cuMemFreeHost(self.host.as_ptr().cast()).ignore();
        }
    }

    /// Copies from the host to a device address. An aligned word of 4 or 8 bytes is written whole.
    ///
    /// # Safety
    ///
    /// - **current**: the context of [`new`](Self::new) is current.
    /// - **mapped**: `to` is mapped for the context's device for the length of `from`.
    pub(super) unsafe fn write(
        &self,
        driver: &Driver,
        to: u64,
        from: &[u8],
        action: impl Fn() -> String,
    ) -> Result<()> {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        let word = match *from {
            [a, b, c, d] if to.is_multiple_of(4) => Some((WRITE_32, u32::from_ne_bytes([a, b, c, d]).into())),
            [a, b, c, d, e, f, g, h] if to.is_multiple_of(8) => {
                Some((WRITE_64, u64::from_ne_bytes([a, b, c, d, e, f, g, h])))
            }
            _ => None,
        };
        if let Some((operation, value)) = word {
            // Also if the driver refuses: no value is awaited twice.
            *told += 1;
            let mut words = [WriteWord::new(operation, to, value), WriteWord::new(WRITE_64, self.device, *told)];
            // SAFETY: **current** and **mapped** by the caller; the second address is the pinned word; `words` are two
            // operations in the driver's layout.
            let given = unsafe { driver.cuStreamBatchMemOp_v2(self.stream, 2, words.as_mut_ptr().cast(), 0) };
            if given.is_some_and(|given| given.or_cannot(&action).is_ok()) {
                return self.wait_for(driver, *told, action);
            }
        }
        // SAFETY: **current** and **mapped** by the caller; `from` stays until the stream is done, below.
        unsafe { driver.cuMemcpyHtoDAsync_v2(to, from.as_ptr().cast(), from.len(), self.stream) }.or_cannot(&action)?;
        self.synchronize(driver).or_cannot(action)
    }

    /// Copies from a device address to the host.
    ///
    /// # Safety
    ///
    /// - **current**, **mapped**: as for [`write`](Self::write).
    pub(super) unsafe fn read(
        &self,
        driver: &Driver,
        to: &mut [u8],
        from: u64,
        action: impl Fn() -> String,
    ) -> Result<()> {
        let _one_at_a_time = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        let is_small = to.len() <= PINNED_BYTES - ROOM_AT;
        // SAFETY: the room lies inside the pinned memory.
        let room = unsafe { self.host.add(ROOM_AT) };
        let at: *mut c_void = if is_small { room.as_ptr().cast() } else { to.as_mut_ptr().cast() };
        // SAFETY: **current** and **mapped** by the caller; the destination has that many bytes, and stays until the
        // stream is done, below.
        unsafe { driver.cuMemcpyDtoHAsync_v2(at, from, to.len(), self.stream) }.or_cannot(&action)?;
        self.synchronize(driver).or_cannot(action)?;
        if is_small {
            // SAFETY: the copy has filled that many bytes of the room, and the lock keeps other copies away.
            to.copy_from_slice(unsafe { slice::from_raw_parts(room.as_ptr(), to.len()) });
        }
        Ok(())
    }

    /// Runs work that `enqueue` puts on the stream, and waits for it.
    pub(super) fn run(
        &self,
        driver: &Driver,
        enqueue: impl FnOnce(CUstream) -> CallResult,
        action: impl Fn() -> String,
    ) -> Result<()> {
        enqueue(self.stream).or_cannot(&action)?;
        self.synchronize(driver).or_cannot(action)
    }

    /// Waits until the stream has written `value` to the pinned word, after the word before it.
    fn wait_for(&self, driver: &Driver, value: u64, action: impl FnOnce() -> String) -> Result<()> {
        // SAFETY: the first word of the pinned memory is aligned, lives as long as `self`, and is accessed by whole
        // words alone.
        let word = unsafe { AtomicU64::from_ptr(self.host.as_ptr().cast()) };
        let start = Instant::now();
        let mut looks = 0_u32;
        while word.load(Ordering::Acquire) != value {
            hint::spin_loop();
            looks += 1;
            if looks.is_multiple_of(1024) && start.elapsed() > LOOK_FOR {
                return self.synchronize(driver).or_cannot(action);
            }
        }
        Ok(())
    }

    fn synchronize(&self, driver: &Driver) -> CallResult {
        // SAFETY: `self` keeps the stream alive; its context is current, by **current** of every caller.
        unsafe { driver.cuStreamSynchronize(self.stream) }
    }
}

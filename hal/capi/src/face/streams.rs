//! Streams as C names them, and copies on them.
//!
//! On GPUs a stream is a `cudaStream_t`. Host PEs have no CUDA: there null names a stream that the library makes for it,
//! and `oxshmem_stream_create` makes others. Neither null is the world's own stream, whose work calls of the host wait for.
//!
//! This PE's end of a copy is memory of its device. If it is memory of the host, the call waits for the stream and
//! copies at once, since neither kernels nor the copy engine may use any such memory.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ffi::{c_int, c_void};
use std::slice;
use std::sync::{Mutex, MutexGuard, PoisonError};

use oxshmem_hal::{DetachedStream, DevicePtr, Element, Error, ErrorKind, Pe, Result, Signal, Stream};

use super::{Face, SignalAt, Strides};
use crate::pointers::not_null;

/// The most GPU streams that are remembered.
const MOST_KNOWN: usize = 64;

/// The name of the way by loads and stores.
const LOAD_STORE: &str = "nvlink";

/// The streams that C has passed, by the driver's id on GPUs, by address on host PEs.
#[derive(Debug, Default)]
pub(crate) struct Streams(Mutex<BTreeMap<u64, DetachedStream>>);

impl Streams {
    pub(crate) fn known(&self) -> MutexGuard<'_, BTreeMap<u64, DetachedStream>> {
        // The map is consistent between any two calls on it.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Face {
    /// Runs a call on the stream that C names.
    ///
    /// # Safety
    ///
    /// **stream**, as the crate defines it.
    #[inline(always)]
    pub(crate) unsafe fn on(&self, raw: *mut c_void, mut call: impl FnMut(&Stream<'_>) -> Result<()>) -> Result<()> {
        // SAFETY: **stream** by the caller.
        unsafe { self.with_stream(raw, &mut call) }
    }

    /// # Safety
    ///
    /// **stream**, as the crate defines it.
    #[inline(never)]
    unsafe fn with_stream(&self, raw: *mut c_void, call: &mut dyn FnMut(&Stream<'_>) -> Result<()>) -> Result<()> {
        if self.world.on_host() {
            return self.on_host_stream(raw, call);
        }
        // SAFETY: **stream** by the caller.
        let Some(id) = (unsafe { self.world.stream_id(raw) })? else {
            // SAFETY: **stream** by the caller.
            return call(&unsafe { self.world.adopt_stream(raw) }?);
        };
        let known = self.streams.known().get(&id).cloned();
        let stream = match known {
            Some(stream) => self.world.attach_stream(stream)?,
            None => {
                // SAFETY: **stream** by the caller. An entry of a stream that is gone is never used: no other stream
                // gets its id.
                let stream = unsafe { self.world.adopt_stream(raw) }?;
                let mut known = self.streams.known();
                if known.len() >= MOST_KNOWN {
                    known.clear();
                }
                known.insert(id, stream.detached());
                stream
            }
        };
        call(&stream)
    }

    fn on_host_stream(&self, raw: *mut c_void, call: &mut dyn FnMut(&Stream<'_>) -> Result<()>) -> Result<()> {
        let known = match self.streams.known().entry(raw as u64) {
            Entry::Vacant(null) if raw.is_null() => Some(null.insert(self.world.stream()?.detached()).clone()),
            Entry::Vacant(_) => None,
            Entry::Occupied(known) => Some(known.get().clone()),
        };
        let known = known.ok_or_else(|| {
            Error::new(ErrorKind::InvalidArgument, format!("use {raw:p} as a stream"))
                .because("this world runs on host threads, and oxshmem_stream_create did not make it")
        })?;
        call(&self.world.attach_stream(known)?)
    }

    /// Returns whether a copy from or to `here` is made by the host at once, and then waits for the stream's earlier
    /// work.
    fn at_once<T>(&self, stream: &Stream<'_>, here: *const T) -> Result<bool> {
        // The driver takes longer to answer than the world.
        let here = here as u64;
        if self.world.symmetric(here).is_some() || self.world.is_device_memory(here)? {
            return Ok(false);
        }
        stream.synchronize()?;
        Ok(true)
    }

    /// Provides the kernels of signals, waits and single elements, for a program that has loaded none.
    pub(crate) fn kernels(&self) -> Result<()> {
        if self.world.on_host() { Ok(()) } else { self.world.modules().load_collectives() }
    }

    /// Provides them for a copy, if a kernel and not the copy engine reaches the PE.
    fn kernels_toward(&self, pe: Pe) -> Result<()> {
        if self.world.transport_to(pe)? == LOAD_STORE { Ok(()) } else { self.kernels() }
    }

    /// # Safety
    ///
    /// **pointers** and **unshared**, as the crate defines them, for `source`.
    pub(crate) unsafe fn put_on<T: Element>(
        &self,
        stream: &Stream<'_>,
        dest: *mut T,
        source: *const T,
        count: usize,
        pe: c_int,
    ) -> Result<()> {
        let pe = self.pe(pe)?;
        if count == 0 {
            return Ok(());
        }
        let (dest, bytes) = (self.sym(dest)?, local_bytes(source, count)?);
        if self.at_once(stream, source)? {
            // SAFETY: **pointers** and **unshared** by the caller, for memory of the host.
            return self.world.put(dest.cast(), unsafe { slice::from_raw_parts(source.cast::<u8>(), bytes) }, pe);
        }
        self.kernels_toward(pe)?;
        // SAFETY: **mapped** and **unshared** by the caller's **pointers** and **unshared**.
        let source = unsafe { DevicePtr::new(source as u64) };
        stream.put(dest, source, count, pe)
    }

    /// # Safety
    ///
    /// **pointers** and **unshared**, as the crate defines them, for `dest`.
    pub(crate) unsafe fn get_on<T: Element>(
        &self,
        stream: &Stream<'_>,
        dest: *mut T,
        source: *const T,
        count: usize,
        pe: c_int,
    ) -> Result<()> {
        let pe = self.pe(pe)?;
        if count == 0 {
            return Ok(());
        }
        let (source, bytes) = (self.sym(source)?, local_bytes(dest, count)?);
        if self.at_once(stream, dest)? {
            // SAFETY: **pointers** and **unshared** by the caller, for memory of the host.
            return self.world.get(unsafe { slice::from_raw_parts_mut(dest.cast::<u8>(), bytes) }, source.cast(), pe);
        }
        self.kernels_toward(pe)?;
        // SAFETY: **mapped** and **unshared** by the caller's **pointers** and **unshared**.
        let dest = unsafe { DevicePtr::new(dest as u64) };
        stream.get(dest, source, count, pe)
    }

    /// # Safety
    ///
    /// **pointers** and **unshared**, as the crate defines them, for `source`.
    pub(crate) unsafe fn iput_on<T: Element>(
        &self,
        stream: &Stream<'_>,
        dest: *mut T,
        source: *const T,
        strides: Strides,
        count: usize,
        pe: c_int,
    ) -> Result<()> {
        let (pe, (dst, sst)) = (self.pe(pe)?, positive(strides)?);
        if count == 0 {
            return Ok(());
        }
        let dest = self.sym(dest)?;
        local_bytes(source, count)?;
        if self.at_once(stream, source)? {
            return (0..count).try_for_each(|i| {
                // SAFETY: **pointers** by the caller, for memory of the host.
                let value = unsafe { source.add(i * sst).read_unaligned() };
                self.world.p(dest.add(i * dst), value, pe)
            });
        }
        self.kernels()?;
        // SAFETY: **mapped** and **unshared** by the caller's **pointers** and **unshared**.
        let source = unsafe { DevicePtr::new(source as u64) };
        stream.iput(dest, source, dst, sst, count, pe)
    }

    /// # Safety
    ///
    /// **pointers** and **unshared**, as the crate defines them, for `dest`.
    pub(crate) unsafe fn iget_on<T: Element>(
        &self,
        stream: &Stream<'_>,
        dest: *mut T,
        source: *const T,
        strides: Strides,
        count: usize,
        pe: c_int,
    ) -> Result<()> {
        let (pe, (dst, sst)) = (self.pe(pe)?, positive(strides)?);
        if count == 0 {
            return Ok(());
        }
        let source = self.sym(source)?;
        local_bytes(dest, count)?;
        if self.at_once(stream, dest)? {
            return (0..count).try_for_each(|i| {
                let value = self.world.g(source.add(i * sst), pe)?;
                // SAFETY: **pointers** by the caller, for memory of the host.
                unsafe { dest.add(i * dst).write_unaligned(value) };
                Ok(())
            });
        }
        self.kernels()?;
        // SAFETY: **mapped** and **unshared** by the caller's **pointers** and **unshared**.
        let dest = unsafe { DevicePtr::new(dest as u64) };
        stream.iget(dest, source, dst, sst, count, pe)
    }

    /// # Safety
    ///
    /// **pointers** and **unshared**, as the crate defines them, for `source`.
    pub(crate) unsafe fn put_signal_on<T: Element>(
        &self,
        stream: &Stream<'_>,
        dest: *mut T,
        source: *const T,
        count: usize,
        (word, value, op): SignalAt,
        pe: c_int,
    ) -> Result<()> {
        let (pe, word) = (self.pe(pe)?, self.sym(word)?);
        self.kernels()?;
        if count == 0 {
            return stream.signal(Signal { word, value, op }, pe);
        }
        let (dest, bytes) = (self.sym(dest)?, local_bytes(source, count)?);
        if self.at_once(stream, source)? {
            // SAFETY: **pointers** and **unshared** by the caller, for memory of the host.
            self.world.put(dest.cast(), unsafe { slice::from_raw_parts(source.cast::<u8>(), bytes) }, pe)?;
            self.world.quiet()?;
            return stream.signal(Signal { word, value, op }, pe);
        }
        // SAFETY: **mapped** and **unshared** by the caller's **pointers** and **unshared**.
        let source = unsafe { DevicePtr::new(source as u64) };
        stream.put_signal(dest, source, count, Signal { word, value, op }, pe)
    }
}

/// Returns the size of the program's end of a copy, which may have any alignment: C passes many by `void *`.
fn local_bytes<T>(at: *const T, count: usize) -> Result<usize> {
    not_null(at, "this PE's end of the copy")?;
    let bytes = count.checked_mul(size_of::<T>()).filter(|bytes| isize::try_from(*bytes).is_ok());
    bytes.ok_or_else(|| {
        Error::new(ErrorKind::OutOfRange, format!("copy {count} elements of {} bytes", size_of::<T>()))
            .because("there is no memory of that size")
    })
}

/// Returns strides as numbers of elements.
fn positive((dst, sst): Strides) -> Result<(usize, usize)> {
    match (usize::try_from(dst), usize::try_from(sst)) {
        (Ok(dst @ 1..), Ok(sst @ 1..)) => Ok((dst, sst)),
        _ => Err(Error::new(ErrorKind::InvalidArgument, format!("copy with strides {dst} and {sst}"))
            .because("a stride is at least 1 element")),
    }
}

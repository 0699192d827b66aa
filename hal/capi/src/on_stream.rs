//! Copies, signals and waits as work of streams.
//!
//! A wait for several words has a list of those that it leaves out, and one of values. A list in memory of kernels
//! (symmetric, or of a GPU) is read when the stream reaches the wait, one in memory of the host before the call returns.

use std::ffi::{c_int, c_void};

use oxshmem_hal::{DevicePtr, Element, Result, Stream, Waitable};

use crate::face::{Face, cmp, each_part, signal_op};

export! {
    fn nvshmemx_putmem_on_stream(dest: *mut c_void, source: *const c_void, bytes: usize, pe: c_int, stream: *mut c_void)
        = or_exit |face| {
        // SAFETY: **pointers**, **unshared** and **stream** by the caller.
        unsafe { face.on(stream, |stream| face.put_on(stream, dest.cast::<u8>(), source.cast(), bytes, pe)) }
    };
    fn nvshmemx_putmem_nbi_on_stream(
        dest: *mut c_void, source: *const c_void, bytes: usize, pe: c_int, stream: *mut c_void,
    ) = or_exit |face| {
        // SAFETY: **pointers**, **unshared** and **stream** by the caller.
        unsafe { face.on(stream, |stream| face.put_on(stream, dest.cast::<u8>(), source.cast(), bytes, pe)) }
    };
    fn nvshmemx_getmem_on_stream(dest: *mut c_void, source: *const c_void, bytes: usize, pe: c_int, stream: *mut c_void)
        = or_exit |face| {
        // SAFETY: **pointers**, **unshared** and **stream** by the caller.
        unsafe { face.on(stream, |stream| face.get_on(stream, dest.cast::<u8>(), source.cast(), bytes, pe)) }
    };
    fn nvshmemx_getmem_nbi_on_stream(
        dest: *mut c_void, source: *const c_void, bytes: usize, pe: c_int, stream: *mut c_void,
    ) = or_exit |face| {
        // SAFETY: **pointers**, **unshared** and **stream** by the caller.
        unsafe { face.on(stream, |stream| face.get_on(stream, dest.cast::<u8>(), source.cast(), bytes, pe)) }
    };
    fn nvshmemx_putmem_signal_on_stream(
        dest: *mut c_void, source: *const c_void, bytes: usize, word: *mut u64, signal: u64, op: c_int, pe: c_int,
        stream: *mut c_void,
    ) = or_exit |face| {
        let signal = (word, signal, signal_op(op)?);
        let (dest, source) = (dest.cast::<u8>(), source.cast());
        // SAFETY: **pointers**, **unshared** and **stream** by the caller.
        unsafe { face.on(stream, |stream| face.put_signal_on(stream, dest, source, bytes, signal, pe)) }
    };
    fn nvshmemx_putmem_signal_nbi_on_stream(
        dest: *mut c_void, source: *const c_void, bytes: usize, word: *mut u64, signal: u64, op: c_int, pe: c_int,
        stream: *mut c_void,
    ) = or_exit |face| {
        let signal = (word, signal, signal_op(op)?);
        let (dest, source) = (dest.cast::<u8>(), source.cast());
        // SAFETY: **pointers**, **unshared** and **stream** by the caller.
        unsafe { face.on(stream, |stream| face.put_signal_on(stream, dest, source, bytes, signal, pe)) }
    };
    fn nvshmemx_signal_op_on_stream(word: *mut u64, signal: u64, op: c_int, pe: c_int, stream: *mut c_void)
        = or_exit |face| {
        let signal = (word, signal, signal_op(op)?);
        // SAFETY: **stream** by the caller; no elements are copied.
        unsafe { face.on(stream, |stream| face.put_signal_on(stream, word.cast::<u8>(), word.cast(), 0, signal, pe)) }
    };
    fn nvshmemx_signal_wait_until_on_stream(word: *mut u64, op: c_int, value: u64, stream: *mut c_void)
        = or_exit |face| {
        // SAFETY: **stream** by the caller.
        unsafe { face.wait_on(stream, word, 1, std::ptr::null(), op, Values::Same(value)) }
    };
    fn nvshmemx_quiet_on_stream(stream: *mut c_void) = or_exit |face| {
        face.kernels()?;
        // SAFETY: **stream** by the caller.
        unsafe { face.on(stream, |stream| stream.quiet()) }
    };
    /// Completes more than the reuse of sources, which NVSHMEM allows.
    fn nvshmemx_flush_on_stream(stream: *mut c_void) = or_exit |face| {
        face.kernels()?;
        // SAFETY: **stream** by the caller.
        unsafe { face.on(stream, |stream| stream.quiet()) }
    };
}

family! { rma_types {
    fn ["nvshmemx_" "_p_on_stream"](dest: *mut T, value: T, pe: c_int, stream: *mut c_void) = or_exit |face| {
        face.kernels()?;
        // SAFETY: **stream** by the caller.
        unsafe { face.on(stream, |stream| stream.p(face.sym(dest)?, value, face.pe(pe)?)) }
    };
    fn ["nvshmemx_" "_g_on_stream"](source: *const T, pe: c_int, stream: *mut c_void) -> T = or_exit |face| {
        // SAFETY: **stream** by the caller.
        unsafe { face.on(stream, |stream| stream.synchronize()) }?;
        face.world.g(face.sym(source)?, face.pe(pe)?)
    };
    fn ["nvshmemx_" "_put_on_stream"](
        dest: *mut T, source: *const T, count: usize, pe: c_int, stream: *mut c_void,
    ) = or_exit |face| {
        // SAFETY: **pointers**, **unshared** and **stream** by the caller.
        unsafe { face.on(stream, |stream| face.put_on(stream, dest, source, count, pe)) }
    };
    fn ["nvshmemx_" "_put_nbi_on_stream"](
        dest: *mut T, source: *const T, count: usize, pe: c_int, stream: *mut c_void,
    ) = or_exit |face| {
        // SAFETY: **pointers**, **unshared** and **stream** by the caller.
        unsafe { face.on(stream, |stream| face.put_on(stream, dest, source, count, pe)) }
    };
    fn ["nvshmemx_" "_get_on_stream"](
        dest: *mut T, source: *const T, count: usize, pe: c_int, stream: *mut c_void,
    ) = or_exit |face| {
        // SAFETY: **pointers**, **unshared** and **stream** by the caller.
        unsafe { face.on(stream, |stream| face.get_on(stream, dest, source, count, pe)) }
    };
    fn ["nvshmemx_" "_get_nbi_on_stream"](
        dest: *mut T, source: *const T, count: usize, pe: c_int, stream: *mut c_void,
    ) = or_exit |face| {
        // SAFETY: **pointers**, **unshared** and **stream** by the caller.
        unsafe { face.on(stream, |stream| face.get_on(stream, dest, source, count, pe)) }
    };
    fn ["nvshmemx_" "_iput_on_stream"](
        dest: *mut T, source: *const T, dst: isize, sst: isize, count: usize, pe: c_int, stream: *mut c_void,
    ) = or_exit |face| {
        // SAFETY: **pointers**, **unshared** and **stream** by the caller.
        unsafe { face.on(stream, |stream| face.iput_on(stream, dest, source, (dst, sst), count, pe)) }
    };
    fn ["nvshmemx_" "_iget_on_stream"](
        dest: *mut T, source: *const T, dst: isize, sst: isize, count: usize, pe: c_int, stream: *mut c_void,
    ) = or_exit |face| {
        // SAFETY: **pointers**, **unshared** and **stream** by the caller.
        unsafe { face.on(stream, |stream| face.iget_on(stream, dest, source, (dst, sst), count, pe)) }
    };
    fn ["nvshmemx_" "_put_signal_on_stream"](
        dest: *mut T, source: *const T, count: usize, word: *mut u64, signal: u64, op: c_int, pe: c_int,
        stream: *mut c_void,
    ) = or_exit |face| {
        let signal = (word, signal, signal_op(op)?);
        // SAFETY: **pointers**, **unshared** and **stream** by the caller.
        unsafe { face.on(stream, |stream| face.put_signal_on(stream, dest, source, count, signal, pe)) }
    };
    fn ["nvshmemx_" "_put_signal_nbi_on_stream"](
        dest: *mut T, source: *const T, count: usize, word: *mut u64, signal: u64, op: c_int, pe: c_int,
        stream: *mut c_void,
    ) = or_exit |face| {
        let signal = (word, signal, signal_op(op)?);
        // SAFETY: **pointers**, **unshared** and **stream** by the caller.
        unsafe { face.on(stream, |stream| face.put_signal_on(stream, dest, source, count, signal, pe)) }
    };
} }

family! { sizes {
    fn ["nvshmemx_put" "_on_stream"](
        dest: *mut c_void, source: *const c_void, count: usize, pe: c_int, stream: *mut c_void,
    ) = or_exit |face| {
        let (dest, source, count) = (dest.cast::<T>(), source.cast(), count.saturating_mul(PARTS));
        // SAFETY: **pointers**, **unshared** and **stream** by the caller.
        unsafe { face.on(stream, |stream| face.put_on(stream, dest, source, count, pe)) }
    };
    fn ["nvshmemx_put" "_nbi_on_stream"](
        dest: *mut c_void, source: *const c_void, count: usize, pe: c_int, stream: *mut c_void,
    ) = or_exit |face| {
        let (dest, source, count) = (dest.cast::<T>(), source.cast(), count.saturating_mul(PARTS));
        // SAFETY: **pointers**, **unshared** and **stream** by the caller.
        unsafe { face.on(stream, |stream| face.put_on(stream, dest, source, count, pe)) }
    };
    fn ["nvshmemx_get" "_on_stream"](
        dest: *mut c_void, source: *const c_void, count: usize, pe: c_int, stream: *mut c_void,
    ) = or_exit |face| {
        let (dest, source, count) = (dest.cast::<T>(), source.cast(), count.saturating_mul(PARTS));
        // SAFETY: **pointers**, **unshared** and **stream** by the caller.
        unsafe { face.on(stream, |stream| face.get_on(stream, dest, source, count, pe)) }
    };
    fn ["nvshmemx_get" "_nbi_on_stream"](
        dest: *mut c_void, source: *const c_void, count: usize, pe: c_int, stream: *mut c_void,
    ) = or_exit |face| {
        let (dest, source, count) = (dest.cast::<T>(), source.cast(), count.saturating_mul(PARTS));
        // SAFETY: **pointers**, **unshared** and **stream** by the caller.
        unsafe { face.on(stream, |stream| face.get_on(stream, dest, source, count, pe)) }
    };
    fn ["nvshmemx_put" "_signal_on_stream"](
        dest: *mut c_void, source: *const c_void, count: usize, word: *mut u64, signal: u64, op: c_int, pe: c_int,
        stream: *mut c_void,
    ) = or_exit |face| {
        let (dest, source, count) = (dest.cast::<T>(), source.cast(), count.saturating_mul(PARTS));
        let signal = (word, signal, signal_op(op)?);
        // SAFETY: **pointers**, **unshared** and **stream** by the caller.
        unsafe { face.on(stream, |stream| face.put_signal_on(stream, dest, source, count, signal, pe)) }
    };
    fn ["nvshmemx_put" "_signal_nbi_on_stream"](
        dest: *mut c_void, source: *const c_void, count: usize, word: *mut u64, signal: u64, op: c_int, pe: c_int,
        stream: *mut c_void,
    ) = or_exit |face| {
        let (dest, source, count) = (dest.cast::<T>(), source.cast(), count.saturating_mul(PARTS));
        let signal = (word, signal, signal_op(op)?);
        // SAFETY: **pointers**, **unshared** and **stream** by the caller.
        unsafe { face.on(stream, |stream| face.put_signal_on(stream, dest, source, count, signal, pe)) }
    };
    fn ["nvshmemx_iput" "_on_stream"](
        dest: *mut c_void, source: *const c_void, dst: isize, sst: isize, count: usize, pe: c_int, stream: *mut c_void,
    ) = or_exit |face| each_part::<T>(PARTS, dest, source, (dst, sst), |dest, source, strides| {
        // SAFETY: **pointers**, **unshared** and **stream** by the caller.
        unsafe { face.on(stream, |stream| face.iput_on(stream, dest, source, strides, count, pe)) }
    });
    fn ["nvshmemx_iget" "_on_stream"](
        dest: *mut c_void, source: *const c_void, dst: isize, sst: isize, count: usize, pe: c_int, stream: *mut c_void,
    ) = or_exit |face| each_part::<T>(PARTS, dest, source, (dst, sst), |dest, source, strides| {
        // SAFETY: **pointers**, **unshared** and **stream** by the caller.
        unsafe { face.on(stream, |stream| face.iget_on(stream, dest, source, strides, count, pe)) }
    });
} }

family! { wait_types {
    fn ["nvshmemx_" "_wait_until_on_stream"](word: *mut T, op: c_int, value: T, stream: *mut c_void) = or_exit |face| {
        // SAFETY: **stream** by the caller.
        unsafe { face.wait_on(stream, word, 1, std::ptr::null(), op, Values::Same(value)) }
    };
    fn ["nvshmemx_" "_wait_until_all_on_stream"](
        words: *mut T, count: usize, status: *const c_int, op: c_int, value: T, stream: *mut c_void,
    ) = or_exit |face| {
        // SAFETY: **pointers** and **stream** by the caller.
        unsafe { face.wait_on(stream, words, count, status, op, Values::Same(value)) }
    };
    fn ["nvshmemx_" "_wait_until_all_vector_on_stream"](
        words: *mut T, count: usize, status: *const c_int, op: c_int, values: *mut T, stream: *mut c_void,
    ) = or_exit |face| {
        // SAFETY: **pointers** and **stream** by the caller.
        unsafe { face.wait_on(stream, words, count, status, op, Values::Listed(values.cast_const())) }
    };
} }

impl Face {
    /// Waits for each word whose entry in `status` is 0; a null `status` leaves out none.
    ///
    /// # Safety
    ///
    /// **pointers** for `status`, and **stream**, as the crate defines them.
    unsafe fn wait_on<T: Waitable>(
        &self,
        stream: *mut c_void,
        words: *mut T,
        count: usize,
        status: *const c_int,
        op: c_int,
        values: Values<T>,
    ) -> Result<()> {
        let cmp = cmp(op)?;
        // Before lists of that length are read and made.
        self.own_words(words.cast_const(), count)?;
        let status = match status.is_null() {
            true => List::Now(vec![0; count]),
            // SAFETY: **pointers** by the caller.
            false => unsafe { self.list(status, count) }?,
        };
        let values = match values {
            Values::Same(value) => List::Now(vec![value; count]),
            // SAFETY: **pointers** by the caller.
            Values::Listed(values) => unsafe { self.list(values, count) }?,
        };
        self.kernels()?;
        let wait = |stream: &Stream<'_>, i| {
            let word = self.sym(words.wrapping_add(i).cast_const())?;
            // SAFETY: **pointers** by the caller, until the stream has done the wait.
            let ((left_out, left_out_at), (value, value_at)) = unsafe { (status.entry(i), values.entry(i)) };
            match left_out {
                0 => stream.wait_until_listed(word, cmp, value, value_at, left_out_at),
                _ => Ok(()),
            }
        };
        // SAFETY: **stream** by the caller.
        unsafe { self.on(stream, |stream| (0..count).try_for_each(|i| wait(stream, i))) }
    }

    /// Reads a list that the program passes if it is in memory of the host.
    ///
    /// # Safety
    ///
    /// **pointers**, as the crate defines them.
    unsafe fn list<T: Element>(&self, at: *const T, count: usize) -> Result<List<T>> {
        let of_kernels = self.world.symmetric(at as u64).is_some()
            || (!self.world.on_host() && self.world.is_device_memory(at as u64)?);
        if of_kernels {
            return Ok(List::Later(at));
        }
        let mut list = vec![T::default(); count];
        // SAFETY: **pointers** by the caller, for memory of the host.
        unsafe { list.as_mut_ptr().copy_from_nonoverlapping(at, count) }
        Ok(List::Now(list))
    }
}

/// The values with which a wait compares its words.
enum Values<T> {
    Same(T),
    Listed(*const T),
}

/// A list of the program: its entries as they were at the call, or where kernels read them.
enum List<T> {
    Now(Vec<T>),
    Later(*const T),
}

impl<T: Element> List<T> {
    /// Returns the entry with this number, or 0 and the entry's place.
    ///
    /// # Safety
    ///
    /// **pointers**, as the crate defines them, until the stream has read the entry.
    unsafe fn entry(&self, i: usize) -> (T, Option<DevicePtr<T>>) {
        match self {
            Self::Now(list) => (list[i], None),
            // SAFETY: **mapped** and **unshared** by the caller's **pointers**.
            Self::Later(at) => (T::default(), Some(unsafe { DevicePtr::new(at.wrapping_add(i) as u64) })),
        }
    }
}

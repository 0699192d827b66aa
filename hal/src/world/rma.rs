//! Remote memory access from the host.

use oxshmem_core::host::{Error, ErrorKind, Reach, Result};
use oxshmem_core::{Element, Pe, Remote, SymAddr, SymPtr, SymSlice, Symmetric};
use oxshmem_raw::gpu::cuda;
use oxshmem_raw::memory::Memory;

use super::World;
use crate::plain::{bytes_of, bytes_of_mut};

impl World {
    /// Writes `source` to `dest` on `pe`, from the host. [`quiet`](World::quiet) completes it.
    ///
    /// # Errors
    /// There is no such PE, the range is outside the heap or longer than the slice `dest`, the PE died, or the
    /// transport failed.
    pub fn put<T: Element>(&self, dest: impl Symmetric<T>, source: &[T], pe: Pe) -> Result<()> {
        self.refuse_in_capture("put")?;
        let to = self.remote("put", dest, source.len(), pe)?;
        if source.is_empty() {
            return Ok(());
        }
        let put = self.toward(pe).put(to, bytes_of(source));
        put.map_err(|error| self.failed_call_to(pe, error))
    }

    /// Reads `source` on `pe` into `dest`, on the host.
    ///
    /// # Errors
    /// As [`put`](World::put).
    pub fn get<T: Element>(&self, dest: &mut [T], source: impl Symmetric<T>, pe: Pe) -> Result<()> {
        self.refuse_in_capture("get")?;
        let from = self.remote("get", source, dest.len(), pe)?;
        if dest.is_empty() {
            return Ok(());
        }
        let got = self.toward(pe).get(bytes_of_mut(dest), from);
        got.map_err(|error| self.failed_call_to(pe, error))
    }

    /// Reads all of the slice `source` on `pe`, on the host.
    ///
    /// # Errors
    /// As [`put`](World::put).
    pub fn get_vec<T: Element>(&self, source: SymSlice<T>, pe: Pe) -> Result<Vec<T>> {
        // Before the memory is allocated, since a slice may have any length.
        self.remote("get", source, source.len(), pe)?;
        let mut all = vec![T::default(); source.len()];
        self.get(&mut all, source, pe)?;
        Ok(all)
    }

    /// Writes one element to `dest` on `pe`, from the host.
    ///
    /// # Errors
    /// As [`put`](World::put).
    pub fn p<T: Element>(&self, dest: SymPtr<T>, value: T, pe: Pe) -> Result<()> {
        self.put(dest, &[value], pe)
    }

    /// Reads one element from `source` on `pe`, on the host.
    ///
    /// # Errors
    /// As [`put`](World::put).
    pub fn g<T: Element>(&self, source: SymPtr<T>, pe: Pe) -> Result<T> {
        let mut value = [T::default()];
        self.get(&mut value, source, pe)?;
        Ok(value[0])
    }

    /// Writes to this PE's own part of symmetric memory.
    ///
    /// # Errors
    /// The range is outside the heap or longer than the slice `dest`, or the copy failed.
    pub fn write<T: Element>(&self, dest: impl Symmetric<T>, source: &[T]) -> Result<()> {
        self.put(dest, source, self.me)
    }

    /// Reads from this PE's own part of symmetric memory.
    ///
    /// # Errors
    /// The range is outside the heap or longer than the slice `source`, or the copy failed.
    pub fn read<T: Element>(&self, source: impl Symmetric<T>, dest: &mut [T]) -> Result<()> {
        self.get(dest, source, self.me)
    }

    /// Reads all of a slice of this PE's own part of symmetric memory.
    ///
    /// # Errors
    /// As [`read`](World::read).
    pub fn read_vec<T: Element>(&self, source: SymSlice<T>) -> Result<Vec<T>> {
        self.get_vec(source, self.me)
    }

    /// Orders delivery: earlier puts of this host reach each PE before later ones.
    ///
    /// # Errors
    /// A transport failed.
    pub fn fence(&self) -> Result<()> {
        self.quiet()
    }

    /// Completes the puts of this host: every PE sees them. (Kernels complete their own puts, or
    /// [`synchronize`](crate::Stream::synchronize) does.)
    ///
    /// # Errors
    /// A kernel of this PE reported a fault, or a transport failed.
    pub fn quiet(&self) -> Result<()> {
        self.refuse_in_capture("quiet")?;
        self.check_fault("complete the puts of this host")?;
        self.transports().try_for_each(|one| one.quiet())
    }

    /// Returns a pointer by which this PE's kernels (and, on host PEs, this program) load and store the element at `at`
    /// on `pe`; `None` if `pe` is not reached by load and store.
    ///
    /// # Errors
    /// There is no such PE, or `at` is outside the heap.
    pub fn ptr<T: Element>(&self, at: SymPtr<T>, pe: Pe) -> Result<Option<*mut T>> {
        let of = self.remote("ptr", at, 1, pe)?;
        if self.toward(pe).reach(pe) != Reach::LoadStore {
            return Ok(None);
        }
        let windows = self.windows();
        Ok(windows.address(pe, of.at.offset()).map(|address| address as *mut T))
    }

    /// Returns the symmetric address of the memory at `address` in this PE's own heap, as kernels of this PE (and, on
    /// host PEs, this program) address it; `None` for other memory, and for the library's own part of the heap.
    #[cfg(feature = "capi")]
    #[doc(hidden)]
    pub fn symmetric(&self, address: u64) -> Option<SymAddr> {
        let own = self.windows().address(self.me, 0)?;
        let (at, inner) = (address.checked_sub(own)?, self.inner());
        (at >= self.teams.memory().end && at < inner.heap.mapped()).then_some(SymAddr::new(at))
    }

    #[cfg(feature = "capi")]
    #[doc(hidden)]
    /// Returns whether `address` is in memory of this PE's own device, as the local end of copies on streams must be:
    /// on a GPU its memory, on host PEs any memory of this process.
    ///
    /// # Errors
    /// The driver does not answer.
    pub fn is_device_memory(&self, address: u64) -> Result<bool> {
        match &self.machine.memory {
            Memory::Host => Ok(true),
            Memory::Gpu(context) => {
                let _current = context.enter()?;
                Ok(cuda::device_of(address)?.is_some())
            }
        }
    }

    #[cfg(feature = "capi")]
    #[doc(hidden)]
    /// Checks that `count` elements at this place are in this PE's heap.
    ///
    /// # Errors
    /// `OutOfRange` if they are not; `InvalidArgument` if the place is not a multiple of the element's size.
    pub fn check_range<T: Element>(&self, at: SymPtr<T>, count: usize) -> Result<()> {
        self.remote("use", at, count, self.me).map(drop)
    }

    /// Checks a range of `count` elements on this PE, and returns the address at which its kernels reach it.
    pub(crate) fn own_address<T: Element>(&self, call: &str, at: impl Symmetric<T>, count: usize) -> Result<u64> {
        let at = self.remote(call, at, count, self.me)?.at;
        Ok(self.windows().address(self.me, 0).unwrap_or(0) + at.offset())
    }

    /// Checks a range of `count` elements on `pe`, and returns where it begins.
    pub(super) fn remote<T: Element>(&self, call: &str, at: impl Symmetric<T>, count: usize, pe: Pe) -> Result<Remote> {
        let (at, limit) = (at.start(), at.limit());
        let action = || {
            format!(
                "{call} {count} elements of {} bytes at heap offset {:#x} of {pe}",
                T::WIDTH.bytes(),
                at.addr().offset()
            )
        };
        self.check_pe(action, pe)?;
        if count > limit {
            return Err(Error::new(ErrorKind::OutOfRange, action()).because("the range leaves the slice").amount(
                count as u64,
                limit as u64,
                "elements",
            ));
        }
        let Some(bytes) = count.checked_mul(T::WIDTH.bytes()) else {
            return Err(Error::new(ErrorKind::OutOfRange, action()).because("the size in bytes overflows"));
        };
        if count > 0 {
            self.inner().heap.check(action, at.addr().offset(), bytes)?;
        }
        if !at.addr().offset().is_multiple_of(T::WIDTH.bytes() as u64) {
            return Err(Error::new(ErrorKind::InvalidArgument, action())
                .because("the offset is not a multiple of the element's size"));
        }
        Ok(Remote { pe, at: at.addr() })
    }
}

//! Elements as units of 8 bytes, which packets carry.

use oxshmem_core::{Element, Group, Number, ReduceOp, Scope, Sum, Width};
use oxshmem_raw::gpu::ptx;

/// Evaluates an expression for each number below `$n`, at most 8, or of a list. A loop would not always be unrolled.
macro_rules! each_of {
    ($n:ident; $k:ident => $body:expr) => {
        each_of!($n; $k => $body; 0 1 2 3 4 5 6 7)
    };
    ($n:ident; $k:ident => $body:expr; $($number:literal)*) => { $({
        const $k: usize = $number;
        if $k < $n {
            $body
        }
    })* };
}
pub(crate) use each_of;

/// The bytes of a unit.
pub(crate) const UNIT: usize = 8;

/// Units that a thread of a warp has in flight while it copies.
const COPIED: usize = 4;

/// The places of one thread's units: `first`, `first + apart` and so on, `count` of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Strided {
    first: u32,
    apart: u32,
    count: u32,
}

impl Strided {
    /// No place.
    pub(crate) const NONE: Self = Self { first: 0, apart: 0, count: 0 };

    #[inline(always)]
    pub(crate) fn new(first: u32, apart: u32, count: usize) -> Self {
        Self { first, apart, count: count as u32 }
    }

    /// Deals `units` units to the threads of the group in turn, and returns the places of the first `most` units of the
    /// calling thread.
    #[inline(always)]
    pub(crate) fn share<G: Group>(group: G, units: u32, most: usize) -> Self {
        let mut places = Self { first: group.rank(), apart: group.size(), count: 0 };
        while places.count < most as u32 && places.unit(places.count as usize) < units {
            places.count += 1;
        }
        places
    }

    /// Reports whether there is a unit `k`.
    #[inline(always)]
    pub(crate) fn has(&self, k: usize) -> bool {
        k < self.count as usize
    }

    /// Returns the place of unit `k`.
    #[inline(always)]
    pub(crate) fn unit(&self, k: usize) -> u32 {
        self.first + k as u32 * self.apart
    }
}

/// Memory of this PE or of a load/store PE as units.
#[derive(Clone, Copy)]
pub(super) struct Units {
    at: *mut u8,
    bytes: u32,
    /// Whether all whole units can be accessed by one instruction.
    aligned: bool,
}

impl Units {
    /// No units.
    pub(super) const NONE: Self = Self { at: core::ptr::null_mut(), bytes: 0, aligned: true };

    /// Returns the units of `bytes` bytes, a multiple of the element's size, at `at`, which is aligned to that size.
    #[inline(always)]
    pub(super) fn new(at: *mut u8, bytes: u32) -> Self {
        Self { at, bytes, aligned: (at as usize).is_multiple_of(UNIT) }
    }

    /// Returns the same units, computed at this point of the program.
    #[inline(always)]
    pub(super) fn here(self) -> Self {
        Self { at: ptx::opaque_u64(self.at as u64) as *mut u8, ..self }
    }

    /// Returns the number of bytes.
    #[inline(always)]
    pub(super) fn bytes(&self) -> u32 {
        self.bytes
    }

    /// Returns the number of units.
    #[inline(always)]
    pub(super) fn count(&self) -> u32 {
        self.bytes.div_ceil(UNIT as u32)
    }

    /// Prepares for the load of a unit.
    #[inline(always)]
    pub(super) fn prefetch(&self, index: u32) {
        if index < self.count() {
            ptx::prefetch_l1(self.at.wrapping_add(index as usize * UNIT));
        }
    }

    /// Returns the number of units that one instruction accesses.
    #[inline(always)]
    pub(super) fn whole(&self) -> u32 {
        if self.aligned { self.bytes / UNIT as u32 } else { 0 }
    }

    /// Loads a unit: one of several (`N` > 1), which are [`whole`](Self::whole), or any.
    ///
    /// # Safety
    ///
    /// - **live**: as [`load`](Self::load).
    #[inline(always)]
    pub(super) unsafe fn load_some<T: Element, const N: usize>(&self, index: u32) -> u64 {
        // SAFETY: **live** by the caller.
        unsafe {
            if N > 1 { ptx::ld_weak_u64(self.at.add(index as usize * UNIT).cast()) } else { self.load::<T>(index) }
        }
    }

    /// Stores a unit: one of several (`N` > 1), which are [`whole`](Self::whole), or any.
    ///
    /// # Safety
    ///
    /// - **live**: as [`store`](Self::store).
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) unsafe fn store_some<T: Element, const N: usize>(&self, index: u32, unit: u64) {
        // SAFETY: **live** by the caller.
        unsafe {
            if N > 1 {
                ptx::st_weak_u64(self.at.add(index as usize * UNIT).cast(), unit)
            } else {
                self.store::<T>(index, unit)
            }
        }
    }

    /// Loads a unit. Bytes after the end are zero.
    ///
    /// # Safety
    ///
    /// - **live**: the memory is mapped for reading; `index` is less than [`count`](Self::count).
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) unsafe fn load<T: Element>(&self, index: u32) -> u64 {
        let (from, bytes) = (index as usize * UNIT, self.bytes as usize);
        // SAFETY: **live**: the accesses are inside the memory, and aligned as the element is, or to 8 bytes.
        unsafe {
            if self.aligned && bytes - from >= UNIT {
                return ptx::ld_weak_u64(self.at.add(from).cast());
            }
            let (mut unit, mut at) = (0, 0);
            while at < UNIT && from + at < bytes {
                unit |= load_element::<T>(self.at.add(from + at)) << (8 * at);
                at += T::WIDTH.bytes();
            }
            unit
        }
    }

    /// Stores a unit. Bytes after the end are left out.
    ///
    /// # Safety
    ///
    /// - **live**: the memory is mapped for writing; `index` is less than [`count`](Self::count).
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) unsafe fn store<T: Element>(&self, index: u32, unit: u64) {
        let (from, bytes) = (index as usize * UNIT, self.bytes as usize);
        // SAFETY: **live**: the accesses are inside the memory, and aligned as the element is, or to 8 bytes.
        unsafe {
            if self.aligned && bytes - from >= UNIT {
                return ptx::st_weak_u64(self.at.add(from).cast(), unit);
            }
            let mut at = 0;
            while at < UNIT && from + at < bytes {
                store_element::<T>(self.at.add(from + at), unit >> (8 * at));
                at += T::WIDTH.bytes();
            }
        }
    }
}

/// Copies units within this PE.
///
/// # Safety
///
/// - **live**: both are mapped, of the same size, and disjoint.
#[allow(clippy::out_of_bounds_indexing, reason = "`each_of` leaves out the numbers from `COPIED` on")]
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) unsafe fn copy_units<T: Element, G: Group>(group: G, to: Units, from: Units) {
    let (mut index, size) = (group.rank(), group.size());
    // The threads of a warp have many units each.
    let whole = if G::SCOPE == Scope::Warp { to.whole().min(from.whole()) } else { 0 };
    while index + (COPIED as u32 - 1) * size < whole {
        let (at, mut units) = (Strided::new(ptx::opaque_u32(index), size, COPIED), [0; COPIED]);
        // SAFETY: **live** by the caller.
        unsafe {
            each_of!(COPIED; K => units[K] = from.load_some::<T, COPIED>(at.unit(K)));
            each_of!(COPIED; K => to.store_some::<T, COPIED>(at.unit(K), units[K]));
        }
        index += COPIED as u32 * size;
    }
    while index < to.count() {
        // SAFETY: **live** by the caller.
        unsafe { to.store::<T>(index, from.load::<T>(index)) }
        index += size;
    }
}

/// Loads an element's bits.
///
/// # Safety
///
/// - **live**: the element is mapped for reading, and aligned.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
unsafe fn load_element<T: Element>(at: *mut u8) -> u64 {
    // SAFETY: **live** by the caller.
    unsafe {
        match T::WIDTH {
            Width::B1 => ptx::ld_weak_u8(at) as u64,
            Width::B2 => ptx::ld_weak_u16(at.cast()) as u64,
            Width::B4 => ptx::ld_weak_u32(at.cast()) as u64,
            Width::B8 => ptx::ld_weak_u64(at.cast()),
        }
    }
}

/// Stores an element's bits.
///
/// # Safety
///
/// - **live**: the element is mapped for writing, and aligned.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
unsafe fn store_element<T: Element>(at: *mut u8, bits: u64) {
    // SAFETY: **live** by the caller.
    unsafe {
        match T::WIDTH {
            Width::B1 => ptx::st_weak_u8(at, bits as u8),
            Width::B2 => ptx::st_weak_u16(at.cast(), bits as u16),
            Width::B4 => ptx::st_weak_u32(at.cast(), bits as u32),
            Width::B8 => ptx::st_weak_u64(at.cast(), bits),
        }
    }
}

/// Evaluates an expression for each lane of a unit. A loop would not always be unrolled, and arrays would be on the
/// stack.
macro_rules! each_lane {
    ($lane:ident => $body:expr) => {
        each_lane!($lane => $body; 0 1 2 3 4 5 6 7)
    };
    ($lane:ident => $body:expr; $($number:literal)*) => { $({
        const $lane: usize = $number;
        if $lane < Self::LANES {
            $body
        }
    })* };
}

/// A running reduction of one unit. Values after the last element of a unit are not used.
#[derive(Clone, Copy)]
pub(super) struct Sums<T: Number>([T::Wide; UNIT]);

impl<T: Number> Sums<T> {
    const LANES: usize = T::LANES;

    #[inline(always)]
    fn lane(unit: u64, lane: usize) -> T::Wide {
        T::from_bits64(unit >> (lane * T::WIDTH.bytes() * 8)).widen()
    }

    /// Begins with the first operand.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn of(unit: u64) -> Self {
        let mut sums = Self([T::from_bits64(0).widen(); UNIT]);
        each_lane!(L => sums.0[L] = Self::lane(unit, L));
        sums
    }

    /// Combines several with their next operands.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn add_all<O: ReduceOp<T>, const N: usize>(op: O, sums: &mut [Self; N], units: &[u64; N]) {
        if op.is_sum() {
            each_of!(N; K => sums[K].add(Sum, units[K]));
        } else {
            each_of!(N; K => sums[K].add(op, units[K]));
        }
    }

    /// Combines with the next operand.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn add<O: ReduceOp<T>>(&mut self, op: O, unit: u64) {
        each_lane!(L => self.0[L] = op.combine(self.0[L], Self::lane(unit, L)));
    }

    /// Returns the result.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn unit(&self) -> u64 {
        let mut unit = 0;
        each_lane!(L => unit |= T::narrow(self.0[L]).to_bits64() << (L * T::WIDTH.bytes() * 8));
        unit
    }
}

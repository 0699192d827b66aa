//! Large reductions over load/store, between two meetings: each member reduces one part of the elements, which it reads
//! from all members, and stores the result to all of them.

use core::ptr;

use oxshmem_core::{Group, Number, Pe, ReduceOp, SymAddr};
use oxshmem_raw::gpu::ptx::{self, V2};
use oxshmem_raw::queue::path::PathList;

use super::Team;
use super::units::{Strided, Sums, UNIT, Units, each_of};

/// The bytes of a pair of units, which one instruction loads.
pub(super) const PAIR: usize = 2 * UNIT;
/// The bytes that one message of a link carries at most.
const LINE: usize = 128;
/// The largest group whose threads have the registers for four pairs in flight.
const FEW_THREADS: usize = 512;
/// A thread with at least this many pairs has more of them in flight.
const MANY_PAIRS: usize = 16;
/// Members whose pairs a thread has in flight while it reduces.
const AT_ONCE: usize = 4;
/// The largest part of misaligned data that is handled at once, in bytes: units are counted in 32 bits.
const UNALIGNED: usize = 1 << 30;

/// Source and destination of a reduction: heap offsets, the same on every member.
#[derive(Clone, Copy)]
pub(super) struct Ends {
    pub(super) source: SymAddr,
    pub(super) dest: SymAddr,
}

impl Ends {
    #[inline(always)]
    pub(super) fn at(self, start: usize) -> Self {
        Self { source: self.source.add(start as u64), dest: self.dest.add(start as u64) }
    }
}

/// The addresses of both ends at the members 0 to `AT_ONCE - 1` (source), and at as many members from the next one on
/// (destination).
#[derive(Clone, Copy)]
pub(super) struct Bases {
    source: [*mut u8; AT_ONCE],
    dest: [*mut u8; AT_ONCE],
}

impl Bases {
    /// No addresses.
    pub(super) const NONE: Self = Self { source: [ptr::null_mut(); AT_ONCE], dest: [ptr::null_mut(); AT_ONCE] };
}

/// Pairs of units, `size` pairs apart from `first` on: `N` of them, without those from `pairs` on.
#[derive(Clone, Copy)]
pub(super) struct Pairs<const N: usize> {
    pub(super) first: usize,
    pub(super) size: usize,
    pub(super) pairs: usize,
}

impl<const N: usize> Pairs<N> {
    #[inline(always)]
    fn has(&self, k: usize) -> bool {
        self.first + k * self.size < self.pairs
    }

    #[inline(always)]
    fn place(&self, start: *mut u8, k: usize) -> *mut V2 {
        start.wrapping_add(PAIR * (self.first + k * self.size)).cast()
    }

    /// Loads the pairs of the memory at `from`, if they are `wanted`.
    ///
    /// # Safety
    ///
    /// - **live**: if `wanted`, the pairs are mapped for reading, and aligned to 16 bytes.
    #[inline(always)]
    pub(super) unsafe fn load(&self, wanted: bool, from: *mut u8) -> [V2; N] {
        let mut loaded = [[0; 2]; N];
        // SAFETY: **live** by the caller.
        each_of!(N; K => loaded[K] = unsafe { ptx::ld_relaxed_sys_v2_if(wanted && self.has(K), self.place(from, K)) });
        loaded
    }

    /// Loads the pairs of memory that no other thread writes.
    ///
    /// # Safety
    ///
    /// - **live**: as [`load`](Self::load) of wanted pairs.
    #[inline(always)]
    pub(super) unsafe fn load_weak(&self, from: *mut u8) -> [V2; N] {
        let mut loaded = [[0; 2]; N];
        // SAFETY: **live** by the caller.
        each_of!(N; K => loaded[K] = unsafe { ptx::ld_weak_v2_if(self.has(K), self.place(from, K)) });
        loaded
    }

    /// Stores the pairs.
    ///
    /// # Safety
    ///
    /// - **live**: as [`load`](Self::load), for writing.
    #[inline(always)]
    pub(super) unsafe fn store(&self, to: *mut u8, pairs: [V2; N]) {
        each_of!(N; K => if self.has(K) {
            // SAFETY: **live** by the caller.
            unsafe { ptx::st_relaxed_sys_v2(self.place(to, K), pairs[K]) }
        });
    }
}

impl<P: PathList> Team<'_, P> {
    #[inline(always)]
    pub(super) fn of_member(&self, member: u32, at: SymAddr) -> *mut u8 {
        self.shmem.state.address(Pe::new(self.team.member(member).pe as u32), at)
    }

    /// Returns the addresses of the ends at the first members, for a kernel that depends on others: it reads the tables
    /// of members and heaps, which never change while the team exists, before it waits for the others.
    #[inline(always)]
    pub(super) fn bases(&self, ends: Ends) -> Bases {
        let mut bases = Bases::NONE;
        let here = |member: u32, at: SymAddr| ptx::opaque_u64(self.of_member(member, at) as u64) as *mut u8;
        each_of!(AT_ONCE; K => if (K as u32) < self.team.n_pes {
            bases.source[K] = here(K as u32, ends.source);
            bases.dest[K] = here(self.nth_after(K as u32), ends.dest);
        }; 0 1 2 3);
        bases
    }

    /// Reduces `bytes` bytes of every member's source, and stores the result in the destination of every member
    /// (`TO_ALL`) or of this one alone.
    ///
    /// # Safety
    ///
    /// - **live**: both ranges are in the heap, aligned to the element, and every member is a load/store PE. `bases` are
    ///   those of `ends`. No other thread accesses the destinations. No thread writes a source during the call, except
    ///   this call, in place.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) unsafe fn reduce_directly<T: Number, O: ReduceOp<T>, G: Group, const TO_ALL: bool, const ALONE: bool>(
        &self,
        group: G,
        op: O,
        ends: (Ends, Bases),
        bytes: usize,
    ) {
        let addresses = ends.0.source.offset() | ends.0.dest.offset();
        let pairs = if addresses.is_multiple_of(PAIR as u64) { bytes / PAIR } else { 0 };
        let (rank, size) = (group.rank() as usize, group.size() as usize);
        let threads = (rank, size);
        // Pairs that a thread has in flight from each member, and members: as many as registers hold. In a kernel of
        // a stream no other code needs registers.
        // SAFETY: **live** by the caller; the pairs are inside the range.
        unsafe {
            match T::WIDTH.bytes() {
                // A few blocks of two members have too few loads from the peer in flight otherwise.
                4.. if ALONE && !TO_ALL && self.team.n_pes == 2 && pairs >= MANY_PAIRS * size => {
                    self.reduce_all_pairs::<T, O, 8, 2, TO_ALL, true>(op, ends, threads, pairs)
                }
                2.. if ALONE => self.reduce_all_pairs::<T, O, 4, AT_ONCE, TO_ALL, true>(op, ends, threads, pairs),
                4.. if size <= FEW_THREADS => {
                    self.reduce_all_pairs::<T, O, 4, 2, TO_ALL, false>(op, ends, threads, pairs)
                }
                2.. => self.reduce_all_pairs::<T, O, 2, 2, TO_ALL, false>(op, ends, threads, pairs),
                _ => self.reduce_all_pairs::<T, O, 1, 2, TO_ALL, ALONE>(op, ends, threads, pairs),
            }
        }
        let mut done = pairs * PAIR;
        while done < bytes {
            let now = (bytes - done).min(UNALIGNED) as u32;
            let mut index = rank as u32;
            while index < now.div_ceil(UNIT as u32) {
                // SAFETY: **live** by the caller; the units are inside the range.
                unsafe { self.reduce_unit::<T, O, TO_ALL>(op, ends.0.at(done), now, index) }
                index += size as u32;
            }
            done += now as usize;
        }
    }

    /// Reduces pairs of units, a thread `N` at a time, of `M` members. Its last pairs are fewer, and in flight together
    /// as well.
    ///
    /// # Safety
    ///
    /// - **live**: as [`reduce_directly`](Self::reduce_directly); both ends are aligned to 16 bytes.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    unsafe fn reduce_all_pairs<
        T: Number,
        O: ReduceOp<T>,
        const N: usize,
        const M: usize,
        const TO_ALL: bool,
        const ALONE: bool,
    >(
        &self,
        op: O,
        ends: (Ends, Bases),
        (mut first, size): (usize, usize),
        pairs: usize,
    ) {
        while first < pairs {
            // SAFETY: **live** by the caller.
            unsafe { self.reduce_pairs::<T, O, N, M, TO_ALL, ALONE>(op, ends, Pairs { first, size, pairs }) }
            first += N * size;
        }
    }

    /// Reduces pairs of units. The loads of `M` members are in flight at the same time.
    ///
    /// # Safety
    ///
    /// - **live**: as [`reduce_directly`](Self::reduce_directly); both ends are aligned to 16 bytes.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    unsafe fn reduce_pairs<
        T: Number,
        O: ReduceOp<T>,
        const N: usize,
        const M: usize,
        const TO_ALL: bool,
        const ALONE: bool,
    >(
        &self,
        op: O,
        (ends, bases): (Ends, Bases),
        at: Pairs<N>,
    ) {
        let n_pes = self.team.n_pes;
        // Members after the last one are loaded from nowhere, and looked up as the last one.
        let source = |member: u32| self.of_member(member.min(n_pes - 1), ends.source);
        // SAFETY: **live** by the caller.
        let load = |member: u32, from: *mut u8| unsafe { at.load(member < n_pes, from) };
        let mut loaded = [[[0; 2]; N]; M];
        each_of!(M; J => {
            let from = if ALONE { bases.source[J] } else { source(J as u32) };
            loaded[J] = load(J as u32, from);
        }; 0 1 2 3);
        let mut sums = [[Sums::<T>::of(0); N]; 2];
        each_of!(N; K => [sums[0][K], sums[1][K]] = [Sums::of(loaded[0][K][0]), Sums::of(loaded[0][K][1])]);
        let mut member = 1;
        while member < n_pes {
            // Sums are added by one piece of code, so that operands move to one place.
            each_of!(M; J => if J + 1 < M { loaded[J] = loaded[J + 1] });
            if member.is_multiple_of(M as u32) {
                each_of!(M; J => loaded[J] = load(member + J as u32, source(member + J as u32)));
            }
            let (mut low, mut high) = ([0; N], [0; N]);
            each_of!(N; K => [low[K], high[K]] = loaded[0][K]);
            let [first, second] = &mut sums;
            Sums::add_all(op, first, &low);
            Sums::add_all(op, second, &high);
            member += 1;
        }
        let mut reduced = [[0; 2]; N];
        each_of!(N; K => reduced[K] = [sums[0][K].unit(), sums[1][K].unit()]);
        // SAFETY: **live** by the caller.
        let store = |dest: *mut u8| unsafe { at.store(dest, reduced) };
        // The last one is this member.
        let mut k = if TO_ALL { 0 } else { n_pes - 1 };
        if ALONE {
            each_of!(AT_ONCE; K => if (k..n_pes).contains(&(K as u32)) {
                store(bases.dest[K])
            }; 0 1 2 3);
            k = k.max(AT_ONCE as u32);
        }
        while k < n_pes {
            store(self.of_member(self.nth_after(k), ends.dest));
            k += 1;
        }
    }

    /// Reduces one unit, element by element where it is not aligned.
    ///
    /// # Safety
    ///
    /// - **live**: as [`reduce_directly`](Self::reduce_directly).
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    unsafe fn reduce_unit<T: Number, O: ReduceOp<T>, const TO_ALL: bool>(
        &self,
        op: O,
        ends: Ends,
        bytes: u32,
        index: u32,
    ) {
        // SAFETY: **live** by the caller. A weak load is enough: the meeting's acquire has emptied this
        // multiprocessor's L1, so that the load finds the members' stores.
        let load = |member| unsafe { Units::new(self.of_member(member, ends.source), bytes).load::<T>(index) };
        let mut sums = Sums::<T>::of(load(0));
        let mut member = 1;
        while member < self.team.n_pes {
            sums.add(op, load(member));
            member += 1;
        }
        let mut member = 0;
        while member < self.team.n_pes {
            if TO_ALL || member == self.team.me {
                // SAFETY: **live** by the caller.
                unsafe { Units::new(self.of_member(member, ends.dest), bytes).store::<T>(index, sums.unit()) }
            }
            member += 1;
        }
    }

    /// Returns the reduction of the units at these places from `source` on, read from every member.
    ///
    /// # Safety
    ///
    /// - **live**: the units are in the heap, aligned to 8 bytes, and every member is a load/store PE. They are not
    ///   written meanwhile.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) unsafe fn sum_directly<T: Number, O: ReduceOp<T>, const N: usize>(
        &self,
        op: O,
        source: SymAddr,
        at: Strided,
    ) -> [u64; N] {
        let load = |member: u32| {
            let (from, mut units) = (self.of_member(member, source), [0; N]);
            // SAFETY: **live** by the caller; as in `reduce_unit`, a weak load is enough.
            each_of!(N; K => if at.has(K) { units[K] = unsafe { ptx::ld_weak_u64(from.add(UNIT * at.unit(K) as usize).cast()) } });
            units
        };
        let (mut now, mut sums) = (load(0), [Sums::<T>::of(0); N]);
        let mut next = if self.team.n_pes > 1 { load(1) } else { now };
        each_of!(N; K => sums[K] = Sums::of(now[K]));
        let mut member = 1;
        while member < self.team.n_pes {
            // The next member's loads travel while this one's are combined.
            now = next;
            if member + 1 < self.team.n_pes {
                next = load(member + 1);
            }
            Sums::add_all(op, &mut sums, &now);
            member += 1;
        }
        each_of!(N; K => now[K] = sums[K].unit());
        now
    }

    /// Returns the start and the size in bytes of the part that a member reduces: equal parts, but for the last ones,
    /// in multiples of `LINE` bytes. A part that starts within a line would make each warp access one line more.
    #[inline(always)]
    pub(super) fn part_of(&self, member: u32, bytes: usize) -> (usize, usize) {
        let part = bytes.div_ceil(self.n_pes() as usize).next_multiple_of(LINE);
        let start = (part * member as usize).min(bytes);
        (start, part.min(bytes - start))
    }
}

//! Data in the registers of a group.

use oxshmem_core::Group;

use crate::Local;
use crate::team::units::{Strided, each_of};

/// A row of units of 8 bytes in the registers of a group: the thread of rank `r` holds units `r`, `r + size`,
/// `r + 2 * size` and so on, at most `N` of them, where `size` is the number of threads. `N` is 1 to 4.
///
/// A unit has eight elements of 1 byte, four of 2, two of 4 or one of 8, the first one in its lowest bits.
#[derive(Clone, Copy, Debug)]
pub struct Held<const N: usize> {
    pub(crate) units: [u64; N],
    pub(crate) at: Strided,
    /// Number of units of the row.
    len: usize,
}

impl<const N: usize> Held<N> {
    const FITS: () = assert!(N >= 1 && N <= 4, "a thread holds 1 to 4 units");

    /// A row without units, which a call replaces.
    pub const EMPTY: Self = Self { units: [0; N], at: Strided::NONE, len: 0 };

    /// Makes a row of `len` units, from `unit(place)` for each place of this thread.
    #[inline(always)]
    pub(crate) fn of<G: Group>(group: G, len: usize, mut unit: impl FnMut(usize) -> u64) -> Self {
        const { Self::FITS }
        let places = if len < u32::MAX as usize { len as u32 } else { u32::MAX };
        let (at, mut units) = (Strided::share(group, places, N), [0; N]);
        each_of!(N; K => if at.has(K) { units[K] = unit(at.unit(K) as usize) });
        Self { units, at, len }
    }

    /// Loads a row. Units that the group cannot hold, after `N` for each thread, are left out.
    #[inline(always)]
    pub fn load<G: Group>(group: G, row: Local<'_, u64>) -> Self {
        // SAFETY: **inside**: the units are those of a row of this length.
        Self::of(group, row.len(), |place| unsafe { row.read_inside(place) })
    }

    /// Stores the units in a row, which has as many or more. A shorter row is a fault, and nothing is stored.
    #[inline(always)]
    pub fn store(&self, row: Local<'_, u64>) {
        if self.len > row.len() {
            return row.outside(self.len - 1);
        }
        // SAFETY: **inside**: the units are those of a row of `len` units.
        each_of!(N; K => if self.at.has(K) { unsafe { row.write_inside(self.at.unit(K) as usize, self.units[K]) } });
    }

    /// Combines each unit with the same one of another row. The units of a thread are combined in their order. A unit
    /// that the other row does not have is 0.
    #[inline(always)]
    pub fn with(&self, other: &Self, mut combine: impl FnMut(u64, u64) -> u64) -> Self {
        let mut units = [0; N];
        each_of!(N; K => if self.at.has(K) { units[K] = combine(self.units[K], other.units[K]) });
        Self { units, ..*self }
    }
}

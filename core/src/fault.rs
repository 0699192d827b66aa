//! What device code reports instead of text.

use core::fmt;

use crate::{Cmp, Pe, Waitable};

/// What went wrong on the device, as fixed fields; the host turns it into an error with text.
///
/// The first fault of a world is the one that is kept, and every waiter gets it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Fault {
    /// What failed.
    pub step: FaultStep,
    /// The PE it was about: the target of the operation, the PE that died. `u32::MAX`: none in particular.
    pub pe: u32,
    /// The raw queue handle, 0 where no queue is concerned.
    pub qp: i32,
    /// Which of the step's own kinds (the comparison of a wait, the syndrome of a completion).
    pub detail: u32,
    /// Where: a heap offset in bytes, or the index of a work queue entry.
    pub at: u64,
    /// How much was asked for: bytes, or the value waited for.
    pub asked: u64,
    /// How much there was: bytes, or the value last seen.
    pub seen: u64,
}

/// What failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum FaultStep {
    /// A wait on a local word reached its limit.
    Wait = 1,
    /// A barrier reached its limit: `pe` had not arrived.
    Barrier = 2,
    /// `pe` died, or left, while this PE waited.
    PeerDied = 3,
    /// The host asked this PE's kernels to stop.
    Aborted = 4,
    /// There is no such PE: `asked` was named, `seen` exist.
    NoSuchPe = 5,
    /// `asked` bytes at `at` leave the heap, which has `seen`.
    OutOfHeap = 6,
    /// The place `at` is not aligned to `asked` bytes.
    Misaligned = 7,
    /// The signal word at `at` lies inside the data.
    SignalOverlap = 8,
    /// `qp` is not a queue of this world.
    NoSuchQp = 9,
    /// A local range of `asked` bytes leaves the memory it was taken from, which has `seen`.
    OutOfLocal = 10,
    /// Threads that must call together did not all arrive, or the kernel needs a collective launch.
    NotCollective = 11,
}

impl FaultStep {
    /// The step with this number, if there is one.
    pub const fn from_raw(raw: u32) -> Option<Self> {
        Some(match raw {
            1 => Self::Wait,
            2 => Self::Barrier,
            3 => Self::PeerDied,
            4 => Self::Aborted,
            5 => Self::NoSuchPe,
            6 => Self::OutOfHeap,
            7 => Self::Misaligned,
            8 => Self::SignalOverlap,
            9 => Self::NoSuchQp,
            10 => Self::OutOfLocal,
            11 => Self::NotCollective,
            _ => return None,
        })
    }
}

impl Fault {
    /// No PE in particular.
    pub const NO_PE: u32 = u32::MAX;

    /// A fault of this step with every other field empty.
    #[inline(always)]
    pub const fn new(step: FaultStep) -> Self {
        Self { step, pe: Self::NO_PE, qp: 0, detail: 0, at: 0, asked: 0, seen: 0 }
    }

    /// The detail of a [`FaultStep::Wait`]: the comparison (bits 7:0), whether the word is signed (bit 8) and its
    /// bytes (bits 23:16).
    #[inline(always)]
    pub fn wait_detail<T: Waitable>(cmp: Cmp) -> u32 {
        let signed = T::from_bits64(u64::MAX) < T::default();
        cmp as u32 | (signed as u32) << 8 | (T::WIDTH.bytes() as u32) << 16
    }

    /// The PE it was about, if it was about one.
    pub const fn about(&self) -> Option<Pe> {
        if self.pe == Self::NO_PE { None } else { Some(Pe::new(self.pe)) }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { step, pe, qp, detail, at, asked, seen } = *self;
        match step {
            FaultStep::Wait => {
                let cmp = ["==", "!=", ">", "<=", "<", ">="].get((detail & 0xff) as usize).unwrap_or(&"?");
                let (signed, above) = (detail & 0x100 != 0, 64 - 8 * (detail >> 16 & 0xf).clamp(1, 8));
                write!(f, "the wait for the word at heap offset {at:#x} to be {cmp} ")?;
                if signed {
                    let value = |bits: u64| ((bits << above) as i64) >> above;
                    write!(f, "{} reached its limit; it was {}", value(asked), value(seen))
                } else {
                    write!(f, "{asked} reached its limit; it was {seen}")
                }
            }
            FaultStep::Barrier => write!(
                f,
                "PE {pe} had not arrived at barrier {asked} when the wait reached its limit; it had arrived at {seen}"
            ),
            FaultStep::PeerDied => write!(f, "PE {pe} died"),
            FaultStep::Aborted => write!(f, "the host stopped this PE's kernels"),
            FaultStep::NoSuchPe => write!(f, "there is no PE {asked}: the world has {seen} PEs"),
            FaultStep::OutOfHeap => write!(
                f,
                "{asked} bytes at heap offset {at:#x} on PE {pe} are outside the program's part of the symmetric heap of {seen} bytes"
            ),
            FaultStep::Misaligned => write!(f, "heap offset {at:#x} is not aligned to {asked} bytes"),
            FaultStep::SignalOverlap => {
                write!(f, "the signal word at heap offset {at:#x} lies inside the {asked} bytes of data at {seen:#x}")
            }
            FaultStep::NoSuchQp => write!(f, "queue pair {qp} is not one of this world"),
            FaultStep::OutOfLocal => write!(f, "{asked} bytes were asked of local memory that has {seen}"),
            FaultStep::NotCollective => write!(f, "the kernel needs all its blocks resident: launch it collectively"),
        }
    }
}

#[cfg(test)]
mod tests {
    extern crate std;

    use super::*;
    use crate::Element;
    use std::string::ToString;

    #[test]
    fn a_wait_says_its_values_as_the_type_of_the_word_has_them() {
        let text = |detail, asked, seen| Fault { detail, asked, seen, ..Fault::new(FaultStep::Wait) }.to_string();
        let signed = text(Fault::wait_detail::<i32>(Cmp::Lt), (-5i32).to_bits64(), 7);
        assert!(signed.contains("to be < -5") && signed.contains("it was 7"), "{signed}");
        let unsigned = text(Fault::wait_detail::<u16>(Cmp::Eq), u16::MAX as u64, 0);
        assert!(unsigned.contains("to be == 65535"), "{unsigned}");
        let wide = text(Fault::wait_detail::<i64>(Cmp::Ge), i64::MIN as u64, u64::MAX);
        assert!(wide.contains("-9223372036854775808") && wide.contains("it was -1"), "{wide}");
    }
}

//! Memory that both the host and the device reach: the word that stops kernels, and the slot of the first fault.

use core::mem::size_of;

use oxshmem_core::{Fault, Pe};
use static_assertions::const_assert_eq;

/// The word by which the host ends the waits of kernels.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct StopWord {
    /// 0, or the reason to stop: see [`StopWord::peer_died`] and [`StopWord::ABORT`].
    pub stop: u64,
}

impl StopWord {
    /// The host wants this PE's kernels to end.
    pub const ABORT: u64 = 1;

    /// Returns the reason "`pe` died".
    pub const fn peer_died(pe: Pe) -> u64 {
        (1 << 32) | pe.number() as u64
    }
}

/// The slot to which device code writes the first fault of a PE.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct FaultSlot {
    /// 0; [`FaultSlot::WRITTEN`] once `words` is complete.
    pub state: u64,
    /// The fault's fields as words, in the order of [`Fault`].
    pub words: [u64; 7],
}
const_assert_eq!(size_of::<FaultSlot>(), 64);

impl FaultSlot {
    /// The slot holds a complete fault.
    pub const WRITTEN: u64 = 1;

    /// Encodes a fault as the slot's words.
    #[inline(always)]
    pub const fn encode(fault: &Fault) -> [u64; 7] {
        let Fault { step, pe, qp, detail, at, asked, seen } = *fault;
        [step as u32 as u64, pe as u64, qp as u32 as u64, detail as u64, at, asked, seen]
    }

    /// Decodes the slot's words; `None` for a step that this version does not know.
    #[inline(always)]
    pub const fn decode(words: [u64; 7]) -> Option<Fault> {
        let [step, pe, qp, detail, at, asked, seen] = words;
        match oxshmem_core::FaultStep::from_raw(step as u32) {
            Some(step) => {
                Some(Fault { step, pe: pe as u32, qp: qp as u32 as i32, detail: detail as u32, at, asked, seen })
            }
            None => None,
        }
    }
}

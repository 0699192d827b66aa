//! Memory that both the host and the device reach: the words that stop kernels, and the slot of the first fault.

use core::mem::size_of;

use oxshmem_core::{Fault, Pe};
use static_assertions::const_assert_eq;

/// The first of the words by which the host ends the waits of kernels.
///
/// The words are a list of reasons, to which the host appends. A word of 0 ends it. A wait that the first reason does
/// not concern reads the next one, so that each wait is ended by the first reason that concerns it.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct StopWord {
    /// 0, or the first reason to stop: see [`StopWord::peer_died`] and [`StopWord::ABORT`].
    pub stop: u64,
}

impl StopWord {
    /// The host wants this PE's kernels to end.
    pub const ABORT: u64 = 1;

    /// Returns the reason "`pe` died".
    pub const fn peer_died(pe: Pe) -> u64 {
        (1 << 32) | pe.number() as u64
    }

    /// Returns the number of words of a list that has room for every reason in a world of `n_pes` PEs: the death of
    /// each, [`ABORT`](Self::ABORT), and the word that ends it.
    pub const fn words(n_pes: u32) -> usize {
        n_pes as usize + 2
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

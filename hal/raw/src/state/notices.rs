//! Memory that both the host and the device reach: the words that stop kernels, the word that ends the program, and the
//! slot of the first fault.

use core::mem::size_of;

use oxshmem_core::{Fault, Pe};
use static_assertions::const_assert_eq;

use crate::gpu::ptx;

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

/// The word after the list of [`StopWord`]s, by which a kernel asks the host to end the program.
#[derive(Debug)]
pub struct ExitWord;

impl ExitWord {
    /// Returns the content that asks for this exit status. 0 asks for nothing.
    #[inline(always)]
    pub const fn with(status: i32) -> u64 {
        (1 << 32) | status as u32 as u64
    }

    /// Returns the exit status that a content asks for.
    pub const fn status(content: u64) -> Option<i32> {
        if content == 0 { None } else { Some(content as u32 as i32) }
    }

    /// Returns the device's address of the word, for the address of the list in a world of `n_pes` PEs.
    #[inline(always)]
    pub const fn at(notice: u64, n_pes: u32) -> u64 {
        notice + (size_of::<u64>() * StopWord::words(n_pes)) as u64
    }
}

/// The slot to which device code writes the first fault of a PE.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct FaultSlot {
    /// 0; [`FaultSlot::WRITTEN`] once `words` is complete.
    pub state: u64,
    /// The fault's fields, and the thread that reported it.
    pub words: [u64; 7],
}
const_assert_eq!(size_of::<FaultSlot>(), 64);

impl FaultSlot {
    /// The slot holds a complete fault.
    pub const WRITTEN: u64 = 1;

    /// Encodes a fault, and the thread that reports it, as the slot's words.
    #[inline(always)]
    pub const fn encode(fault: &Fault, by: FaultThread) -> [u64; 7] {
        let Fault { step, pe, qp, detail, at, asked, seen } = *fault;
        let FaultThread { block: [bx, by, bz], thread: [x, y, z], launch } = by;
        let block = bx as u64 | (by as u64) << 32 | (bz as u64) << 48;
        let thread = x as u64 | (y as u64) << 10 | (z as u64) << 20 | launch << 26;
        [step as u64 | (pe as u64) << 32, qp as u32 as u64 | (detail as u64) << 32, at, asked, seen, block, thread]
    }

    /// Decodes the fault from the slot's words; `None` for a step that this version does not know.
    #[inline(always)]
    pub const fn decode(words: [u64; 7]) -> Option<Fault> {
        let [step_pe, qp_detail, at, asked, seen, ..] = words;
        let (pe, qp, detail) = ((step_pe >> 32) as u32, qp_detail as u32 as i32, (qp_detail >> 32) as u32);
        match oxshmem_core::FaultStep::from_raw(step_pe as u32) {
            Some(step) => Some(Fault { step, pe, qp, detail, at, asked, seen }),
            None => None,
        }
    }
}

/// The thread that reported a fault.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FaultThread {
    /// The index of its block: CUDA's limits are 2^31 - 1 blocks along x, and 65,535 along y and z.
    pub block: [u32; 3],
    /// Its index in the block: CUDA's limits are 1,024 threads along x and y, and 64 along z.
    pub thread: [u32; 3],
    /// The number of its launch, modulo 2^38; 0 if it is not known.
    pub launch: u64,
}

impl FaultThread {
    /// Returns the calling thread.
    #[inline(always)]
    pub fn this() -> Self {
        let (block, thread) = ptx::ctaid_and_tid_here();
        Self { block, thread, launch: ptx::launch() }
    }

    /// Decodes the thread from the slot's words.
    pub const fn decode(words: [u64; 7]) -> Self {
        let [.., block, thread] = words;
        Self {
            block: [block as u32, (block >> 32) as u32 & 0xffff, (block >> 48) as u32],
            thread: [thread as u32 & 0x3ff, (thread >> 10) as u32 & 0x3ff, (thread >> 20) as u32 & 0x3f],
            launch: thread >> 26,
        }
    }
}

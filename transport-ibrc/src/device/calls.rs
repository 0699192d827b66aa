//! What kernels call: functions of their own, which are not copied into every place that posts.
//!
//! They take the queue and plain words, and give back words: what takes the world's state by reference, or gives a
//! fault back by value, would put it on the stack of every thread. The state that they use is the queue's copy, and who
//! gets [`FAILED`] makes the fault of what the queue and the world say.

use oxshmem_core::{AmoOp, AmoType, Completion, Scope, SignalOp, SymAddr, Width};

use super::done::Failed;
use super::queue::Place;
use super::transfer::{self, Signal, Transfer};
use super::{done, reply};
use crate::request::{Kind, amo_detail, signal_flag};

/// Instead of an index: [`Failed`].
const FAILED: u64 = u64::MAX;

#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn index(answer: u64) -> Result<u64, Failed> {
    if answer == FAILED { Err(Failed) } else { Ok(answer) }
}

/// A word, and whether it is one.
#[derive(Clone, Copy)]
struct Word(u64, u64);

impl Word {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn get(self) -> Result<u64, Failed> {
        if self.1 == 0 { Ok(self.0) } else { Err(Failed) }
    }
}

/// [`done::wait`].
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn wait(queue: Place, target: u64) -> Result<(), Failed> {
    #[inline(never)]
    fn call(queue: Place, target: u64) -> u64 {
        done::wait(queue.open(), target).map_or(FAILED, |()| 0)
    }
    index(call(queue, target)).map(drop)
}

/// [`transfer::word`].
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn write_word(queue: Place, to: SymAddr, width: Width, bits: u64) -> Result<(), Failed> {
    #[inline(never)]
    fn call(queue: Place, to: u64, bytes: u32, bits: u64) -> u64 {
        transfer::word(queue.open(), SymAddr::new(to), bytes, bits).map_or(FAILED, |()| 0)
    }
    index(call(queue, to.offset(), width.bytes() as u32, bits)).map(drop)
}

/// [`transfer::post`], and for a blocking call [`done::wait`]: the index that is still to be waited for.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn transfer(
    queue: Place,
    scope: Scope,
    what: Transfer,
    signal: Option<Signal>,
    when: Completion,
) -> Result<u64, Failed> {
    #[inline(never)]
    fn call(queue: Place, how: u32, remote: u64, local: u64, bytes: u64, word: u64, value: u64) -> u64 {
        let queue = queue.open();
        let what = Transfer { is_put: how & 1 != 0, remote: SymAddr::new(remote), local, bytes };
        let op = if how & 16 != 0 { SignalOp::Add } else { SignalOp::Set };
        let signal = (how & 8 != 0).then_some(Signal { word: SymAddr::new(word), op, value });
        let posted = transfer::post(queue, how & 2 != 0, what, signal);
        let waited = match posted {
            Ok(target) if how & 4 != 0 && target != 0 => done::wait(queue, target).map(|()| target),
            posted => posted,
        };
        waited.unwrap_or(FAILED)
    }
    let Transfer { is_put, remote, local, bytes } = what;
    let mut how = is_put as u32 | ((scope == Scope::Thread) as u32) << 1 | ((when == Completion::Blocking) as u32) << 2;
    let (mut word, mut value) = (0, 0);
    if let Some(signal) = signal {
        how |= 8 | ((signal.op == SignalOp::Add) as u32) << 4;
        (word, value) = (signal.word.offset(), signal.value);
    }
    index(call(queue, how, remote.offset(), local, bytes, word, value))
}

/// Reads `bytes` bytes, 1 to 8.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn read_bytes(queue: Place, from: SymAddr, bytes: u32) -> Result<u64, Failed> {
    ask(queue, Kind::Fetch, bytes as u8, from, 0, 0)
}

/// Applies an atomic and returns the word as it was.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn amo_fetch(
    queue: Place,
    at: SymAddr,
    op: AmoOp,
    of: AmoType,
    operand: u64,
    compare: u64,
) -> Result<u64, Failed> {
    ask(queue, Kind::Amo, amo_detail(op, of), at, operand, compare)
}

/// [`reply::ask`].
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn ask(queue: Place, kind: Kind, detail: u8, at: SymAddr, operand: u64, compare: u64) -> Result<u64, Failed> {
    #[inline(never)]
    fn call(queue: Place, is_read: bool, detail: u32, at: u64, operand: u64, compare: u64) -> Word {
        let kind = if is_read { Kind::Fetch } else { Kind::Amo };
        let answer = reply::ask(queue.open(), kind, detail as u8, [at, operand, compare, 0, 0, 0, 0]);
        answer.map_or(Word(0, 1), |value| Word(value, 0))
    }
    call(queue, matches!(kind, Kind::Fetch), detail as u32, at.offset(), operand, compare).get()
}

/// Applies an atomic whose result nobody wants, and does not wait for it.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn amo(queue: Place, at: SymAddr, op: AmoOp, of: AmoType, operand: u64) -> Result<(), Failed> {
    index(plain(queue, false, amo_detail(op, of) as u32, at.offset(), operand)).map(drop)
}

/// Signals.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn signal(queue: Place, word: SymAddr, op: SignalOp, value: u64) -> Result<(), Failed> {
    index(plain(queue, true, signal_flag(op) as u32, word.offset(), value)).map(drop)
}

/// [`transfer::plain`]: a signal, or an atomic with this detail.
#[inline(never)]
fn plain(queue: Place, is_signal: bool, detail: u32, at: u64, operand: u64) -> u64 {
    let ended = if is_signal {
        transfer::plain(queue.open(), Kind::Signal, 0, detail as u8, [0, 0, 0, 0, 0, at, operand])
    } else {
        transfer::plain(queue.open(), Kind::Amo, detail as u8, 0, [at, operand, 0, 0, 0, 0, 0])
    };
    ended.map_or(FAILED, |()| 0)
}

//! What kernels call: functions of their own, which are not copied into every place that posts.
//!
//! They take the queue and plain words, and give back words: what takes the world's state by reference, or gives a
//! fault back by value, would put it on the stack of every thread. The state that they use is the queue's copy, and who
//! gets [`FAILED`] makes the fault of what the queue and the world say.

use oxshmem_core::{AmoOp, AmoType, Completion, Fault, Scope, SignalOp, SymAddr, Width};

use super::queue::Place;
use super::sharing::Sharing;
use super::transfer::Transfer;
use super::{atomics, done, fetch, signal, transfer};

/// Instead of an index: the queue has stopped, or a fault was reported.
const FAILED: u64 = u64::MAX;

/// The fault of a call on this queue that failed.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn index<S: Sharing>(queue: Place<S>, answer: u64) -> Result<u64, Fault> {
    if answer == FAILED { Err(done::reason(queue)) } else { Ok(answer) }
}

/// A word, and whether it is one.
#[derive(Clone, Copy)]
struct Word(u64, u64);

impl Word {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn of(answer: Result<u64, Fault>) -> Self {
        answer.map_or(Self(0, 1), |value| Self(value, 0))
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn get<S: Sharing>(self, queue: Place<S>) -> Result<u64, Fault> {
        if self.1 == 0 { Ok(self.0) } else { Err(done::reason(queue)) }
    }
}

/// [`done::wait`].
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn wait<S: Sharing>(queue: Place<S>, target: u64) -> Result<(), Fault> {
    #[inline(never)]
    fn call<S: Sharing>(queue: Place<S>, target: u64) -> u64 {
        let queue = queue.open();
        done::wait(queue.world(), queue, target).map_or(FAILED, |()| 0)
    }
    // Most often it is known already.
    if queue.done() >= target { Ok(()) } else { index(queue, call(queue, target)).map(drop) }
}

/// [`transfer::write_word`].
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn write_word<S: Sharing>(queue: Place<S>, to: SymAddr, width: Width, bits: u64) -> Result<(), Fault> {
    #[inline(never)]
    fn call<S: Sharing>(queue: Place<S>, to: u64, bytes: u32, bits: u64) -> u64 {
        let queue = queue.open();
        transfer::write_word(queue.world(), queue, SymAddr::new(to), bytes, bits).map_or(FAILED, |()| 0)
    }
    index(queue, call(queue, to.offset(), width.bytes() as u32, bits)).map(drop)
}

/// [`transfer::post`], and for a blocking call [`done::wait`]: the index that is still to be waited for.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn transfer<S: Sharing>(
    queue: Place<S>,
    scope: Scope,
    what: Transfer,
    when: Completion,
) -> Result<u64, Fault> {
    #[inline(never)]
    fn call<S: Sharing>(queue: Place<S>, how: u32, remote: u64, local: u64, bytes: u64) -> u64 {
        let queue = queue.open();
        let what = Transfer { is_put: how & 1 != 0, remote: SymAddr::new(remote), local, bytes };
        let posted = transfer::post(queue.world(), queue, how & 2 != 0, what);
        let waited = match posted {
            Ok(target) if how & 4 != 0 => wait(queue.place(), target).map(|()| target),
            posted => posted,
        };
        waited.unwrap_or(FAILED)
    }
    let Transfer { is_put, remote, local, bytes } = what;
    let how = is_put as u32 | ((scope == Scope::Thread) as u32) << 1 | ((when == Completion::Blocking) as u32) << 2;
    index(queue, call(queue, how, remote.offset(), local, bytes))
}

/// [`fetch::read_bytes`].
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn read_bytes<S: Sharing>(queue: Place<S>, from: SymAddr, bytes: u32) -> Result<u64, Fault> {
    #[inline(never)]
    fn call<S: Sharing>(queue: Place<S>, from: u64, bytes: u32) -> Word {
        let queue = queue.open();
        Word::of(fetch::read_bytes(queue.world(), queue, SymAddr::new(from), bytes))
    }
    call(queue, from.offset(), bytes).get(queue)
}

/// [`atomics::post`].
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn amo<S: Sharing>(queue: Place<S>, at: SymAddr, op: AmoOp, of: AmoType, operand: u64) -> Result<(), Fault> {
    #[inline(never)]
    fn call<S: Sharing>(queue: Place<S>, at: u64, op: AmoOp, of: AmoType, operand: u64) -> u64 {
        let queue = queue.open();
        atomics::post(queue.world(), queue, SymAddr::new(at), op, of, operand).map_or(FAILED, |()| 0)
    }
    index(queue, call(queue, at.offset(), op, of, operand)).map(drop)
}

/// [`atomics::fetch`].
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn amo_fetch<S: Sharing>(
    queue: Place<S>,
    at: SymAddr,
    op: AmoOp,
    of: AmoType,
    operand: u64,
    compare: u64,
) -> Result<u64, Fault> {
    #[inline(never)]
    fn call<S: Sharing>(queue: Place<S>, at: u64, op: AmoOp, of: AmoType, operand: u64, compare: u64) -> Word {
        let queue = queue.open();
        Word::of(atomics::fetch(queue.world(), queue, SymAddr::new(at), op, of, operand, compare))
    }
    call(queue, at.offset(), op, of, operand, compare).get(queue)
}

/// Compare-and-swap of 8 bytes; the word as it was.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn swap<S: Sharing>(queue: Place<S>, at: SymAddr, compare: u64, swap: u64) -> Result<u64, Fault> {
    #[inline(never)]
    fn call<S: Sharing>(queue: Place<S>, at: u64, compare: u64, swap: u64) -> Word {
        let queue = queue.open();
        let native = atomics::plain_swap(compare, swap);
        Word::of(atomics::fetch_native(queue.world(), queue, SymAddr::new(at), native))
    }
    call(queue, at.offset(), compare, swap).get(queue)
}

/// [`signal::post`], and for a blocking call [`done::wait`].
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn put_signal<S: Sharing>(
    queue: Place<S>,
    what: Transfer,
    word: SymAddr,
    op: SignalOp,
    value: u64,
    when: Completion,
) -> Result<(), Fault> {
    #[inline(never)]
    fn call<S: Sharing>(queue: Place<S>, how: u32, remote: u64, local: u64, bytes: u64, word: u64, value: u64) -> u64 {
        let queue = queue.open();
        let what = Transfer { is_put: true, remote: SymAddr::new(remote), local, bytes };
        let op = if how & 1 != 0 { SignalOp::Add } else { SignalOp::Set };
        let posted = signal::post(queue.world(), queue, what, SymAddr::new(word), op, value);
        let waited = match posted {
            Ok(target) if how & 2 != 0 => wait(queue.place(), target).map(|()| target),
            posted => posted,
        };
        waited.unwrap_or(FAILED)
    }
    let how = (op == SignalOp::Add) as u32 | ((when == Completion::Blocking) as u32) << 1;
    index(queue, call(queue, how, what.remote.offset(), what.local, what.bytes, word.offset(), value)).map(drop)
}

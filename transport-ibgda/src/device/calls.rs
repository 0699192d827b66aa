//! What kernels call: functions of their own, which are not copied into every place that posts.
//!
//! They take the queue and plain words, and give back words: what takes the world's state by reference, or gives a
//! fault back by value, would put it on the stack of every thread. The state that they use is the queue's copy, and who
//! gets [`Failed`] makes the fault of what the queue and the world say ([`done::told`]).

use oxshmem_core::{AmoOp, AmoType, Completion, Scope, SignalOp, SymAddr, Width};

use super::done::Failed;
use super::place::Place;
use super::sharing::Sharing;
use super::transfer::Transfer;
use super::{atomics, done, fetch, signal, transfer};

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
    fn of(answer: Result<u64, Failed>) -> Self {
        answer.map_or(Self(0, 1), |value| Self(value, 0))
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn get(self) -> Result<u64, Failed> {
        if self.1 == 0 { Ok(self.0) } else { Err(Failed) }
    }
}

/// [`done::wait`].
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn wait<S: Sharing>(queue: Place<S>, target: u64) -> Result<(), Failed> {
    let cqe = queue.cqe();
    wait_from(queue, target, queue.done(), cqe)
}

/// The same for who has asked already how many blocks are known to be `done`, and where the completion is.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn wait_from<S: Sharing>(queue: Place<S>, target: u64, done: u64, cqe: u64) -> Result<(), Failed> {
    #[inline(never)]
    fn call<S: Sharing>(queue: Place<S>, target: u64, done: u64, cqe: u64) -> u64 {
        done::wait(queue, target, done, cqe).map_or(FAILED, |()| 0)
    }
    // Most often it is known already.
    if done >= target { Ok(()) } else { index(call(queue, target, done, cqe)).map(drop) }
}

/// [`transfer::write_word`].
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn write_word<S: Sharing>(queue: Place<S>, to: SymAddr, width: Width, bits: u64) -> Result<(), Failed> {
    #[inline(never)]
    fn call<S: Sharing>(queue: Place<S>, to: u64, bytes: u32, bits: u64) -> u64 {
        let queue = queue.open();
        transfer::write_word(queue.world(), queue, SymAddr::new(to), bytes, bits).map_or(FAILED, |()| 0)
    }
    index(call(queue, to.offset(), width.bytes() as u32, bits)).map(drop)
}

/// [`transfer::post`], and for a blocking call [`done::wait`]: the index that is still to be waited for.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn transfer<S: Sharing>(
    queue: Place<S>,
    scope: Scope,
    what: Transfer,
    when: Completion,
) -> Result<u64, Failed> {
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
    index(call(queue, how, remote.offset(), local, bytes))
}

/// [`fetch::read_bytes`].
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn read_bytes<S: Sharing>(queue: Place<S>, from: SymAddr, bytes: u32) -> Result<u64, Failed> {
    #[inline(never)]
    fn call<S: Sharing>(queue: Place<S>, from: u64, bytes: u32) -> Word {
        let queue = queue.open();
        Word::of(fetch::read_bytes(queue.world(), queue, SymAddr::new(from), bytes))
    }
    call(queue, from.offset(), bytes).get()
}

/// [`atomics::post`].
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn amo<S: Sharing>(
    queue: Place<S>,
    at: SymAddr,
    op: AmoOp,
    of: AmoType,
    operand: u64,
) -> Result<(), Failed> {
    #[inline(never)]
    fn call<S: Sharing>(queue: Place<S>, at: u64, op: AmoOp, of: AmoType, operand: u64) -> u64 {
        let queue = queue.open();
        atomics::post(queue.world(), queue, SymAddr::new(at), op, of, operand).map_or(FAILED, |()| 0)
    }
    index(call(queue, at.offset(), op, of, operand)).map(drop)
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
) -> Result<u64, Failed> {
    #[inline(never)]
    fn call<S: Sharing>(queue: Place<S>, at: u64, op: AmoOp, of: AmoType, operand: u64, compare: u64) -> Word {
        let queue = queue.open();
        Word::of(atomics::fetch(queue.world(), queue, SymAddr::new(at), op, of, operand, compare))
    }
    call(queue, at.offset(), op, of, operand, compare).get()
}

/// Compare-and-swap of 8 bytes; the word as it was.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn swap<S: Sharing>(queue: Place<S>, at: SymAddr, compare: u64, swap: u64) -> Result<u64, Failed> {
    #[inline(never)]
    fn call<S: Sharing>(queue: Place<S>, at: u64, compare: u64, swap: u64) -> Word {
        let queue = queue.open();
        let native = atomics::plain_swap(compare, swap);
        Word::of(atomics::fetch_native(queue.world(), queue, SymAddr::new(at), native))
    }
    call(queue, at.offset(), compare, swap).get()
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
) -> Result<(), Failed> {
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
    index(call(queue, how, what.remote.offset(), what.local, what.bytes, word.offset(), value)).map(drop)
}

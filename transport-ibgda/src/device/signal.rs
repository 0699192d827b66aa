//! Signals, alone and after the data that they announce.

use oxshmem_core::{AmoOp, AmoType, Completion, Scope, SignalOp, SymAddr};
use oxshmem_raw::queue::lanes::Lanes;
use oxshmem_raw::queue::remote_queue::{Failed, Signal, Transfer};
use oxshmem_raw::state::WorldState;
use oxshmem_rdma::mlx5::{data, opcode, raddr};

use super::post::{publish, reserve};
use super::queue::Queue;
use super::queue_ref::QueueRef;
use super::sharing::Sharing;
use super::transfer::{self, INLINE_BYTES};
use super::wqe::{self, Ask};
use super::{atomics, done, fetch, keys};

/// Returns the atomic operation that performs a signal.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
const fn as_atomic(op: SignalOp) -> AmoOp {
    match op {
        SignalOp::Set => AmoOp::Set,
        SignalOp::Add => AmoOp::Add,
    }
}

/// Puts, then signals, on one queue, whose entries the peer executes in order. The data and the signal share one
/// reservation where the data fits in one entry. Where writes may overtake each other, the signal waits for its data.
/// Not inlined.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn put_signal<S: Sharing>(
    queue: QueueRef<S>,
    what: Transfer,
    signal: Signal,
    when: Completion,
) -> Result<(), Failed> {
    #[inline(never)]
    fn call<S: Sharing>(
        queue: QueueRef<S>,
        how: u32,
        remote: u64,
        local: u64,
        bytes: u64,
        word: u64,
        value: u64,
    ) -> u64 {
        let queue = queue.open();
        let what = Transfer { is_put: true, remote: SymAddr::new(remote), local, bytes };
        let op = if how & 1 != 0 { SignalOp::Add } else { SignalOp::Set };
        let posted = post(queue.world(), queue, what, Signal { word: SymAddr::new(word), op, value });
        Failed::encode(match posted {
            Ok(target) if how & 2 != 0 => done::wait(queue.queue_ref(), target).map(|()| target),
            posted => posted,
        })
    }
    let Signal { word, op, value } = signal;
    let how = (op == SignalOp::Add) as u32 | ((when == Completion::Blocking) as u32) << 1;
    Failed::decode(call(queue, how, what.remote.offset(), what.local, what.bytes, word.offset(), value)).map(drop)
}

/// Posts a signal alone.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn signal<S: Sharing>(queue: QueueRef<S>, signal: Signal) -> Result<(), Failed> {
    atomics::amo(queue, signal.word, as_atomic(signal.op), AmoType::B64, signal.value)
}

/// Posts data and signal. Returns the index to wait for until the source may be written again.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn post<S: Sharing>(state: &WorldState, queue: Queue<S>, what: Transfer, signal: Signal) -> Result<u64, Failed> {
    let Signal { word, op, value } = signal;
    let Some(native) = atomics::native(queue, as_atomic(op), AmoType::B64, value, 0) else {
        return apart(queue, what, signal);
    };
    let peer = keys::remote(state, queue, what.remote);
    let is_inline = what.bytes <= INLINE_BYTES;
    let mine = if is_inline { None } else { keys::local(state, queue, what.local) };
    let whole = what.bytes <= peer.bytes
        && match mine {
            Some(mine) => what.bytes <= mine.bytes && what.bytes <= keys::longest(queue),
            None => is_inline,
        };
    if what.bytes == 0 || !whole || keys::relaxed(queue) {
        return apart(queue, what, signal);
    }
    let lanes = Lanes::alone();
    let reserved = reserve(queue, lanes, 1 + native.blocks())?;
    match mine {
        Some(mine) => {
            wqe::head(queue, reserved.own, Ask::plain(opcode::RDMA_WRITE, 3), false);
            wqe::part(queue, reserved.own, 1, raddr(peer.at, peer.key));
            wqe::part(queue, reserved.own, 2, data(what.bytes as u32, mine.key, mine.at));
        }
        None => transfer::inline_entry(queue, reserved.own, peer, what.local, what.bytes, false),
    }
    native.write(state, queue, reserved.own + 1, word, fetch::nowhere(queue, 8), true);
    publish(queue, lanes, reserved);
    queue.count_bytes(what.bytes + 8);
    Ok(if is_inline { 0 } else { reserved.end })
}

/// Posts the data, then the signal as an operation of its own: at once where writes arrive in the order of the queue,
/// otherwise after the data is complete.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn apart<S: Sharing>(queue: Queue<S>, what: Transfer, signal: Signal) -> Result<u64, Failed> {
    let by_ref = queue.queue_ref();
    let target = transfer::transfer(by_ref, Scope::Block, what, Completion::Nonblocking)?;
    if what.bytes != 0 && keys::relaxed(queue) {
        done::wait(by_ref, by_ref.reserved())?;
    }
    self::signal(by_ref, signal)?;
    Ok(target)
}

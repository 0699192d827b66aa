//! Signals, alone and behind the data that they tell of.

use oxshmem_core::{AmoOp, AmoType, Completion, Fault, Group, Scope, SignalOp, SymAddr};
use oxshmem_raw::queue::lanes::Lanes;
use oxshmem_raw::rdma::mlx5::{data, opcode, raddr};
use oxshmem_raw::state::WorldState;

use super::done::{Failed, told};
use super::entry::{self, Ask};
use super::place::Place;
use super::publish::publish;
use super::queue::Queue;
use super::reserve::reserve;
use super::sharing::Sharing;
use super::transfer::{self, INLINE_BYTES, Transfer};
use super::{atomics, calls, fetch, keys};

/// How an atomic does what a signal does.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) const fn as_atomic(op: SignalOp) -> AmoOp {
    match op {
        SignalOp::Set => AmoOp::Set,
        SignalOp::Add => AmoOp::Add,
    }
}

/// Puts, then signals: all on one queue, whose peer executes entries in their order, and the last piece of the data in
/// one reservation with the signal. Where writes may overtake each other the signal waits for its data.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn put_signal<S: Sharing, G: Group>(
    queue: Place<S>,
    group: G,
    what: Transfer,
    word: SymAddr,
    op: SignalOp,
    value: u64,
    when: Completion,
) -> Result<(), Fault> {
    group.sync();
    let mut ended = Ok(());
    if group.leads() {
        ended = calls::put_signal(queue, what, word, op, value, when);
    }
    match when {
        Completion::Blocking => transfer::agree(queue, group, ended),
        Completion::Nonblocking => told(queue, ended),
    }
}

/// Posts both; the index to wait for until the source may be written again.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn post<S: Sharing>(
    state: &WorldState,
    queue: Queue<S>,
    what: Transfer,
    word: SymAddr,
    op: SignalOp,
    value: u64,
) -> Result<u64, Failed> {
    let Some(native) = atomics::native(queue, as_atomic(op), AmoType::B64, value, 0) else {
        return apart(state, queue, what, word, op, value);
    };
    let peer = keys::remote(state, queue, what.remote);
    let is_inline = what.bytes <= INLINE_BYTES;
    let mine = if is_inline { None } else { keys::local(state, queue, what.local) };
    let whole = what.bytes <= peer.bytes
        && match mine {
            Some(mine) => what.bytes <= mine.bytes && what.bytes <= keys::longest(queue),
            None => is_inline,
        };
    if what.bytes == 0 || !whole || keys::relaxed(state) {
        return apart(state, queue, what, word, op, value);
    }
    let lanes = Lanes::alone();
    let reserved = reserve(queue, lanes, 1 + native.blocks())?;
    match mine {
        Some(mine) => {
            entry::head(queue, reserved.own, Ask::plain(opcode::RDMA_WRITE, 3), false);
            entry::part(queue, reserved.own, 1, raddr(peer.at, peer.key));
            entry::part(queue, reserved.own, 2, data(what.bytes as u32, mine.key, mine.at));
        }
        None => transfer::inline_entry(queue, reserved.own, peer, what.local, what.bytes, false),
    }
    native.write(state, queue, reserved.own + 1, word, fetch::nowhere(queue, 8), true);
    publish(queue, lanes, reserved);
    queue.count_bytes(what.bytes + 8);
    Ok(if is_inline { 0 } else { reserved.end })
}

/// The data first, then the signal: on its own where writes arrive in the order of the queue, else when the data is there.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn apart<S: Sharing>(
    state: &WorldState,
    queue: Queue<S>,
    what: Transfer,
    word: SymAddr,
    op: SignalOp,
    value: u64,
) -> Result<u64, Failed> {
    let place = queue.place();
    let target = calls::transfer(place, Scope::Block, what, Completion::Nonblocking)?;
    if what.bytes != 0 && keys::relaxed(state) {
        calls::wait(place, place.reserved())?;
    }
    calls::amo(place, word, as_atomic(op), AmoType::B64, value)?;
    Ok(target)
}

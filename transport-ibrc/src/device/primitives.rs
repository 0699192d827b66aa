//! The primitives of a queue: puts, gets, signals and atomics, as requests.

use oxshmem_core::{AmoOp, AmoType, Completion, Fault, Scope, SignalOp, SymAddr, Width};
use oxshmem_raw::gpu::ptx;
use oxshmem_raw::queue::lanes::Lanes;
use oxshmem_raw::queue::remote_queue::{Failed, RemoteQueue, Signal, Transfer};

use super::queue::{self, Queue, QueueRef};
use super::unregistered::{self, gather};
use super::{reply, ring};
use crate::request::{INLINE_BYTES, Kind, amo_detail, head, signal_flag};

// SAFETY:
// - **named**: a request carries the addresses and lengths of the call. The progress thread posts them with the keys of
//   one extent.
// - **own**: `unregistered` copies other memory, through the landings of ring slots.
unsafe impl RemoteQueue for QueueRef {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn write_word(self, to: SymAddr, width: Width, bits: u64) -> Result<(), Failed> {
        write_word(self, to, width, bits)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn transfer(self, scope: Scope, what: Transfer, when: Completion) -> Result<u64, Failed> {
        transfer(self, scope, what, None, when)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn put_signal(self, scope: Scope, what: Transfer, signal: Signal, when: Completion) -> Result<(), Failed> {
        transfer(self, scope, what, Some(signal), when).map(drop)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn read_bytes(self, from: SymAddr, bytes: u32) -> Result<u64, Failed> {
        reply::read_bytes(self, from, bytes)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn amo(self, at: SymAddr, op: AmoOp, of: AmoType, operand: u64) -> Result<(), Failed> {
        bare(self, Kind::Amo, amo_detail(op, of), at, operand)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn amo_fetch(self, at: SymAddr, op: AmoOp, of: AmoType, operand: u64, compare: u64) -> Result<u64, Failed> {
        reply::word(self, Kind::Amo, amo_detail(op, of), at, operand, compare)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn signal(self, signal: Signal) -> Result<(), Failed> {
        bare(self, Kind::Signal, signal_flag(signal.op), signal.word, signal.value)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn wait(self, target: u64) -> Result<(), Failed> {
        ring::wait_out_of_line(self, target)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn complete(self) -> Result<(), Failed> {
        let issued = self.last();
        if issued == 0 { Ok(()) } else { self.wait(issued) }
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn has_stopped(self) -> bool {
        self.is_known_stopped()
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn fault(self) -> Fault {
        queue::reason(self)
    }
}

/// Requests a transfer, followed by a signal if there is one, and waits for it if the call blocks. Returns the index to
/// wait for. Not inlined.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn transfer(
    queue: QueueRef,
    scope: Scope,
    what: Transfer,
    signal: Option<Signal>,
    when: Completion,
) -> Result<u64, Failed> {
    #[inline(never)]
    fn call(queue: QueueRef, how: u32, remote: u64, local: u64, bytes: u64, word: u64, value: u64) -> u64 {
        let queue = queue.open();
        let what = Transfer { is_put: how & 1 != 0, remote: SymAddr::new(remote), local, bytes };
        let op = if how & 16 != 0 { SignalOp::Add } else { SignalOp::Set };
        let signal = (how & 8 != 0).then_some(Signal { word: SymAddr::new(word), op, value });
        let posted = post(queue, how & 2 != 0, what, signal);
        Failed::encode(match posted {
            Ok(target) if how & 4 != 0 && target != 0 => ring::wait(queue, target).map(|()| target),
            posted => posted,
        })
    }
    let Transfer { is_put, remote, local, bytes } = what;
    let mut how = is_put as u32 | ((scope == Scope::Thread) as u32) << 1 | ((when == Completion::Blocking) as u32) << 2;
    let (mut word, mut value) = (0, 0);
    if let Some(signal) = signal {
        how |= 8 | ((signal.op == SignalOp::Add) as u32) << 4;
        (word, value) = (signal.word.offset(), signal.value);
    }
    Failed::decode(call(queue, how, remote.offset(), local, bytes, word, value))
}

/// Writes one request. Returns the index for which a blocking call waits; 0 if it need not wait.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn post(queue: Queue, by_threads: bool, what: Transfer, signal: Option<Signal>) -> Result<u64, Failed> {
    let Transfer { is_put, remote, local, bytes } = what;
    let travels = is_put && bytes <= INLINE_BYTES;
    if !travels && !queue.may_name(local, bytes) {
        return unregistered::transfer(queue, what, signal);
    }
    let lanes = if by_threads { Lanes::with(queue.key()) } else { Lanes::alone() };
    let (behind, word, value) = match signal {
        None => (0, 0, 0),
        Some(signal) => (signal_flag(signal.op), signal.word.offset(), signal.value),
    };
    let places = ring::reserve(queue, lanes)?;
    if travels {
        let [a, b, c, d] = gather(local, bytes);
        let head = head(Kind::PutInline, bytes as u8, behind, queue.number);
        ring::write(queue, places.own, signal.is_some(), head, [remote.offset(), a, b, c, d, word, value]);
        return places.ended().map(|()| 0);
    }
    let head = head(if is_put { Kind::Put } else { Kind::Get }, 0, behind, queue.number);
    ring::write(queue, places.own, true, head, [remote.offset(), local, bytes, 0, 0, word, value]);
    places.ended().map(|()| places.own + 1)
}

/// Writes one element, given as bits. Not inlined.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn write_word(queue: QueueRef, to: SymAddr, width: Width, bits: u64) -> Result<(), Failed> {
    #[inline(never)]
    fn call(queue: QueueRef, to: u64, bytes: u32, bits: u64) -> u64 {
        Failed::encode(word(queue.open(), SymAddr::new(to), bytes, bits).map(|()| 0))
    }
    Failed::decode(call(queue, to.offset(), width.bytes() as u32, bits)).map(drop)
}

/// Writes one element, given as bits. Lanes whose elements lie side by side send them together.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn word(queue: Queue, to: SymAddr, bytes: u32, bits: u64) -> Result<(), Failed> {
    // A separate copy of the code, from which the compiler removes the cooperation of lanes.
    if ptx::is_only_lane() {
        return element(queue, Lanes::alone(), to, bytes, bits);
    }
    // Queues are further apart than elements are wide, so the sum is unique to queue and width.
    let lanes = Lanes::with(queue.key() + bytes as u64);
    if bytes >= 4 && lanes.in_a_whole_row(to.offset(), bytes) {
        return row(queue, lanes, to, bytes, bits);
    }
    element(queue, lanes, to, bytes, bits)
}

/// Writes each lane's element by a request of its own.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn element(queue: Queue, lanes: Lanes, to: SymAddr, bytes: u32, bits: u64) -> Result<(), Failed> {
    let places = ring::reserve(queue, lanes)?;
    let head = head(Kind::PutInline, bytes as u8, 0, queue.number);
    ring::write(queue, places.own, false, head, [to.offset(), bits, 0, 0, 0, 0, 0]);
    places.ended()
}

/// A lane's part in the requests of lanes with adjacent elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Share {
    /// Number of requests of all lanes together.
    requests: u32,
    /// The number of this lane's request, and the rank of that request's first lane.
    number: u32,
    first: u32,
    /// This lane's rank among the request's lanes, and their number: 8 with 4 bytes each, 4 with 8 bytes each, or the
    /// remaining lanes.
    rank: u32,
    count: u32,
}

impl Share {
    /// Returns the share of the lane of this rank, of `count` lanes with elements of 4 or 8 bytes.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn of(rank: u32, count: u32, bytes: u32) -> Self {
        let shift = if bytes == 8 { 2 } else { 3 };
        let most = 1 << shift;
        let first = rank >> shift << shift;
        let left = count - first;
        Self {
            requests: (count + most - 1) >> shift,
            number: rank >> shift,
            first,
            rank: rank - first,
            count: if left < most { left } else { most },
        }
    }

    /// Returns the data of this lane's request. `bits` returns an element by its lane's rank. For an absent lane it is
    /// called with this lane's own rank, so that all lanes call it the same number of times.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn data(self, bytes: u32, bits: impl Fn(u32) -> u64) -> [u64; 4] {
        let element = |rank: u32| {
            let there = rank < self.count;
            let bits = bits(self.first + if there { rank } else { self.rank });
            if there { bits } else { 0 }
        };
        if bytes == 8 {
            return [element(0), element(1), element(2), element(3)];
        }
        let pair = |rank: u32| element(rank) & u32::MAX as u64 | element(rank + 1) << 32;
        [pair(0), pair(2), pair(4), pair(6)]
    }
}

/// Writes the lanes' adjacent elements of 4 or 8 bytes, with as many elements in a request as it holds.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn row(queue: Queue, lanes: Lanes, to: SymAddr, bytes: u32, bits: u64) -> Result<(), Failed> {
    let share = Share::of(lanes.rank, lanes.count, bytes);
    let places = ring::reserve_together(queue, lanes, share.requests)?;
    let [a, b, c, d] = share.data(bytes, |rank| lanes.of(bits, rank));
    let head = head(Kind::PutInline, (share.count * bytes) as u8, 0, queue.number);
    let start = to.offset() - (share.rank * bytes) as u64;
    let rest = [start, a, b, c, d, 0, 0];
    ring::write_shared(queue, places.first + share.number as u64, share.rank, share.count, head, rest);
    places.ended()
}

/// Posts a request without data and without a reply: a signal whose flag is `detail`, or an atomic with this detail.
/// Not inlined.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn bare(queue: QueueRef, kind: Kind, detail: u8, at: SymAddr, operand: u64) -> Result<(), Failed> {
    #[inline(never)]
    fn call(queue: QueueRef, is_signal: bool, detail: u32, at: u64, operand: u64) -> u64 {
        let ended = if is_signal {
            plain(queue.open(), Kind::Signal, 0, detail as u8, [0, 0, 0, 0, 0, at, operand])
        } else {
            plain(queue.open(), Kind::Amo, detail as u8, 0, [at, operand, 0, 0, 0, 0, 0])
        };
        Failed::encode(ended.map(|()| 0))
    }
    Failed::decode(call(queue, matches!(kind, Kind::Signal), detail as u32, at.offset(), operand)).map(drop)
}

/// Posts a request without data and without a reply.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn plain(queue: Queue, kind: Kind, detail: u8, flags: u8, rest: [u64; 7]) -> Result<(), Failed> {
    let places = ring::reserve(queue, Lanes::with(queue.key()))?;
    ring::write(queue, places.own, matches!(kind, Kind::Signal), head(kind, detail, flags, queue.number), rest);
    places.ended()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_in_a_row_send_every_element_once_in_as_few_requests_as_there_can_be() {
        for bytes in [4u32, 8] {
            for count in 2..=32 {
                let bits = |rank: u32| 0xa5a5_0000_0000_0000 >> (64 - 8 * bytes) | (rank + 1) as u64;
                let mut sent = vec![0u8; (count * bytes) as usize];
                for rank in 0..count {
                    let share = Share::of(rank, count, bytes);
                    let most = INLINE_BYTES as u32 / bytes;
                    assert_eq!(share.requests, count.div_ceil(most));
                    assert_eq!((share.number, share.first, share.rank), (rank / most, rank / most * most, rank % most));
                    let data = share.data(bytes, bits);
                    if share.rank == 0 {
                        // The request's data follow those of the lanes before.
                        let (at, length) = ((rank * bytes) as usize, (share.count * bytes) as usize);
                        let whole: Vec<u8> = data.iter().flat_map(|word| word.to_le_bytes()).collect();
                        assert!(length <= whole.len() && whole[length..].iter().all(|byte| *byte == 0));
                        sent[at..at + length].copy_from_slice(&whole[..length]);
                    } else {
                        assert_eq!(data, Share::of(share.first, count, bytes).data(bytes, bits), "all have the same");
                    }
                }
                let wanted: Vec<u8> =
                    (0..count).flat_map(|rank| bits(rank).to_le_bytes()[..bytes as usize].to_vec()).collect();
                assert_eq!(sent, wanted, "{count} lanes of {bytes} bytes");
            }
        }
    }
}

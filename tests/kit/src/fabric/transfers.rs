//! Writes, reads and atomics: the bytes that they move, and their state on completion.

use std::sync::atomic::Ordering;
use std::time::Instant;

use oxshmem_rdma::fabric::{INLINE_BYTES, Local, Operation, WorkRequest};

use super::end::{Setup, request};
use super::lane::Lane;
use crate::memory::{BYTES, Shared};
use crate::report::{Fine, Outcome, ensure, noted, passed, skipped};

/// Offsets at the source and at the target.
const SOURCE: usize = 4096;
const TARGET: usize = BYTES / 2;
/// Bytes on either side of a transfer that must not change.
const GUARD: usize = 16;
/// A bit that is set in every destination before a fetch, and in no fetched word.
const EMPTY: u64 = 1 << 63;

/// Fills the target of a transfer and the bytes around it.
fn prepare(memory: &Shared, at: usize, bytes: usize) {
    memory.fill(at, bytes, 1000);
    memory.fill(at - GUARD, GUARD, 1001);
    memory.fill(at + bytes, GUARD, 1002);
}

/// Checks that the bytes of `seed` have arrived, and that those around them have not changed.
fn arrived(memory: &Shared, at: usize, bytes: usize, seed: u64, name: &str) -> Fine<()> {
    ensure(memory.has(at, bytes, seed), || {
        format!("a {name} of {bytes} bytes at {at:#x} is complete without its data")
    })?;
    let guards = memory.has(at - GUARD, GUARD, 1001) && memory.has(at + bytes, GUARD, 1002);
    ensure(guards, || format!("a {name} of {bytes} bytes at {at:#x} changed bytes beside it"))
}

pub(super) fn exact(setup: &Setup) -> Outcome {
    let [near, far] = setup.ends()?;
    let mut lane = Lane::new(setup, &near, &far, 2)?;
    let longest = usize::try_from(near.caps.max_message_bytes).unwrap_or(usize::MAX);
    let mut id = 0;
    for bytes in [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 31, 32, 33, 63, 100, 1500, 4095, 4096, 65_537] {
        for [from, to] in [[0, 0], [1, 0], [0, 1], [3, 5], [4, 4], [8, 2]] {
            if bytes > longest {
                continue;
            }
            id += 1;
            near.memory.fill(SOURCE + from, bytes, id);
            prepare(&far.memory, TARGET + to, bytes);
            lane.done(0, lane.write(id, SOURCE + from, bytes, TARGET + to))?;
            arrived(&far.memory, TARGET + to, bytes, id, "write")?;
            far.memory.fill(SOURCE + from, bytes, id + 500);
            prepare(&near.memory, TARGET + to, bytes);
            // On an endpoint without writes, so that every device brings the data.
            lane.done(1, lane.read(id, TARGET + to, bytes, SOURCE + from))?;
            arrived(&near.memory, TARGET + to, bytes, id + 500, "read")?;
        }
    }
    lane.give_back()?;
    noted(format!("{id} of each"))
}

pub(super) fn inline(setup: &Setup) -> Outcome {
    let [near, far] = setup.ends()?;
    let mut lane = Lane::new(setup, &near, &far, 1)?;
    let longest = lane.endpoints[0].inline_bytes as usize;
    if longest == 0 {
        return skipped("its endpoints take no inline data");
    }
    for bytes in 1..=longest {
        for to in [0, 3, 8] {
            near.memory.fill(SOURCE, INLINE_BYTES, bytes as u64);
            let mut data = [0; INLINE_BYTES];
            for (at, eight) in data.as_chunks_mut().0.iter_mut().enumerate() {
                *eight = near.memory.word(SOURCE + 8 * at).load(Ordering::Relaxed).to_ne_bytes();
            }
            prepare(&far.memory, TARGET + to, bytes);
            let local = Local::Inline { data, bytes: bytes as u8 };
            lane.done(0, lane.request(1, Operation::Write, local, TARGET + to))?;
            arrived(&far.memory, TARGET + to, bytes, bytes as u64, "write with inline data")?;
        }
    }
    noted(format!("up to {longest} bytes"))
}

pub(super) fn private(setup: &Setup) -> Outcome {
    let [near, far] = setup.ends()?;
    let mut lane = Lane::new(setup, &near, &far, 2)?;
    let memory = Shared::new();
    let region = near.device.register(&request(near.pe, &memory, false))?;
    let local = |at: usize, bytes: usize| {
        let address = region.local_base + at as u64;
        Local::Memory { address, bytes: bytes as u32, key: region.local_key }
    };
    memory.fill(SOURCE, 400, 1);
    prepare(&far.memory, TARGET, 400);
    lane.done(0, lane.request(1, Operation::Write, local(SOURCE, 400), TARGET))?;
    arrived(&far.memory, TARGET, 400, 1, "write")?;
    prepare(&memory, TARGET, 400);
    lane.done(1, lane.request(2, Operation::Read, local(TARGET, 400), TARGET))?;
    arrived(&memory, TARGET, 400, 1, "read")?;
    far.memory.word(TARGET).store(7, Ordering::Release);
    lane.done(1, lane.request(3, Operation::compare_swap(7, 8), local(SOURCE, 8), TARGET))?;
    let fetched = memory.word(SOURCE).load(Ordering::Acquire);
    ensure(fetched == 7, || format!("an atomic on a word of 7 fetched {fetched:#x}"))?;
    lane.give_back()?;
    near.device.deregister(region.handle)?;
    passed()
}

pub(super) fn longest(setup: &Setup) -> Outcome {
    let [near, far] = setup.ends()?;
    let mut lane = Lane::new(setup, &near, &far, 2)?;
    let bytes = near.caps.max_message_bytes.min((BYTES / 4) as u64) as usize;
    near.memory.fill(SOURCE, bytes, 1);
    prepare(&far.memory, TARGET, bytes);
    lane.done(0, lane.write(1, SOURCE, bytes, TARGET))?;
    arrived(&far.memory, TARGET, bytes, 1, "write")?;
    prepare(&near.memory, TARGET, bytes);
    lane.done(1, lane.read(2, TARGET, bytes, TARGET))?;
    arrived(&near.memory, TARGET, bytes, 1, "read")?;
    noted(format!("{bytes} bytes"))
}

pub(super) fn reused(setup: &Setup) -> Outcome {
    const PLACES: u64 = 16;
    let [near, far] = setup.ends()?;
    let mut lane = Lane::new(setup, &near, &far, 1)?;
    let size = |round: u64| [8, 300, 2048][(round % 3) as usize].min(near.caps.max_message_bytes) as usize;
    let place = |round: u64| TARGET + (round % PLACES) as usize * 4096;
    let (begun, mut round) = (Instant::now(), 0);
    while begun.elapsed() < setup.options.time {
        let first = round;
        for _ in 0..PLACES {
            near.memory.fill(SOURCE, size(round), round);
            lane.done(0, lane.write(round, SOURCE, size(round), place(round)))?;
            // At once: the completion means that the bytes have arrived, and that the source is not read any more.
            near.memory.fill(SOURCE, size(round), round + 7);
            ensure(far.memory.has(place(round), size(round), round), || {
                format!("write {round} is complete, and its {} bytes are not at the target", size(round))
            })?;
            round += 1;
        }
        for old in first..round {
            ensure(far.memory.has(place(old), size(old), old), || {
                format!("write {old} has bytes that were stored in its source after its completion")
            })?;
        }
    }
    noted(format!("{round} writes"))
}

pub(super) fn fetched(setup: &Setup) -> Outcome {
    let [near, far] = setup.ends()?;
    let mut lane = Lane::new(setup, &near, &far, 1)?;
    let bytes = 2048.min(near.caps.max_message_bytes as usize) & !7;
    let (begun, mut round) = (Instant::now(), 0u64);
    while begun.elapsed() < setup.options.time {
        round += 1;
        far.memory.fill(TARGET, bytes, round);
        near.memory.fill(SOURCE, bytes, round + 1);
        lane.done(0, lane.read(round, SOURCE, bytes, TARGET))?;
        ensure(near.memory.has(SOURCE, bytes, round), || "a read is complete without its data".into())?;
        far.memory.word(TARGET).store(round, Ordering::Release);
        near.memory.word(SOURCE).store(EMPTY, Ordering::Release);
        let swap = Operation::compare_swap(round, round + 1);
        lane.done(0, lane.request(round, swap, near.local(SOURCE, 8), TARGET))?;
        let [fetched, left] =
            [(&near, SOURCE), (&far, TARGET)].map(|(end, at)| end.memory.word(at).load(Ordering::Acquire));
        ensure((fetched, left) == (round, round + 1), || {
            format!("a compare-and-swap of {round} is complete with {fetched:#x}, and the word is {left:#x}")
        })?;
    }
    noted(format!("{round} reads and as many atomics"))
}

pub(super) fn fetched_after_writes(setup: &Setup) -> Outcome {
    const LIST: usize = 24;
    let [near, far] = setup.ends()?;
    if near.caps.empty_fetches {
        return skipped("the device states that such fetches may be empty");
    }
    let mut lane = Lane::new(setup, &near, &far, 1)?;
    let list = LIST.min(lane.endpoints[0].depth as usize);
    let bytes = 512.min(near.caps.max_message_bytes as usize);
    let slot = |at: usize| SOURCE + 8 * at;
    far.memory.word(TARGET).store(5, Ordering::Release);
    let (begun, mut fetches) = (Instant::now(), 0);
    while begun.elapsed() < setup.options.time {
        let mut requests = Vec::new();
        for at in 0..list {
            near.memory.word(slot(at)).store(EMPTY, Ordering::Release);
            let id = at as u64;
            let request = match at % 6 {
                2 => lane.read(id, slot(at), 8, TARGET),
                // It changes nothing, because the word is not 1.
                5 => lane.request(id, Operation::compare_swap(1, 2), near.local(slot(at), 8), TARGET),
                _ => lane.write(id, SOURCE + 4096, bytes, TARGET + 4096),
            };
            requests.push(WorkRequest { signalled: at + 1 == list, ..request });
        }
        lane.post(0, &requests)?;
        lane.expect(list as u64 - 1)?;
        for at in (0..list).filter(|at| at % 3 == 2) {
            let fetched = near.memory.word(slot(at)).load(Ordering::Acquire);
            ensure(fetched == 5, || format!("a fetch after writes is complete with {fetched:#x} in place of 5"))?;
            fetches += 1;
        }
    }
    lane.give_back()?;
    if fetches == 0 { passed() } else { noted(format!("{fetches} fetches")) }
}

//! Atomicity: each atomic by itself, and atomics of several PEs on one word.

use std::sync::atomic::Ordering;

use oxshmem_core::{AmoOp, AmoType};
use oxshmem_rdma::fabric::{AtomicRequest, Operation, WorkRequest};

use super::end::Setup;
use super::lane::Lane;
use crate::report::{Fine, Outcome, ensure, noted};

/// Offsets of the word at the target, and of fetched words.
const WORD: usize = 4096;
const FETCHED: usize = 8192;
/// Bytes around a word that must not change.
const BESIDE: u64 = 0xa5a5_a5a5_a5a5_a5a5;
/// Additions of each PE.
const ADDITIONS: usize = 240;
/// Additions of one list.
const LIST: usize = 8;

/// A type, its size in bytes, and the numbers 5, 6 and 11 in it.
const TYPES: [(AmoType, usize, [u64; 3]); 5] = [
    (AmoType::B64, 8, [5, 6, 11]),
    (AmoType::B32, 4, [5, 6, 11]),
    (AmoType::F64, 8, [0x4014_0000_0000_0000, 0x4018_0000_0000_0000, 0x4026_0000_0000_0000]),
    (AmoType::F32, 4, [0x40a0_0000, 0x40c0_0000, 0x4130_0000]),
    (AmoType::F16, 2, [0x4500, 0x4600, 0x4980]),
];

/// Replaces the low `bytes` bytes of `word` from byte `at` on.
fn with(word: u64, at: usize, bytes: usize, value: u64) -> u64 {
    let mut all = word.to_ne_bytes();
    all[at..at + bytes].copy_from_slice(&low(value, bytes));
    u64::from_ne_bytes(all)
}

/// Returns the low `bytes` bytes of a value, in this machine's order.
fn low(value: u64, bytes: usize) -> Vec<u8> {
    match bytes {
        2 => (value as u16).to_ne_bytes().to_vec(),
        4 => (value as u32).to_ne_bytes().to_vec(),
        _ => value.to_ne_bytes().to_vec(),
    }
}

pub(super) fn each(setup: &Setup) -> Outcome {
    let [near, far] = setup.ends()?;
    let mut lane = Lane::new(setup, &near, &far, 1)?;
    let mut tried = 0;
    for (of, bytes, [five, six, eleven]) in TYPES {
        // Operation, word before, operand, comparand, word after.
        let steps = [
            (AmoOp::Fetch, six, 0, 0, six),
            (AmoOp::Set, six, five, 0, five),
            (AmoOp::Add, six, five, 0, eleven),
            (AmoOp::CompareSwap, six, eleven, five, six),
            (AmoOp::CompareSwap, six, eleven, six, eleven),
            (AmoOp::And, 0xfc, 0x1f, 0, 0x1c),
            (AmoOp::Or, 0xf0, 0x3c, 0, 0xfc),
            (AmoOp::Xor, 0x1c, 0x0f, 0, 0x13),
        ];
        for (op, was, operand, compare, now) in steps.into_iter().filter(|step| near.caps.atomics.has(step.0, of)) {
            for at in (0..8).step_by(bytes) {
                far.memory.word(WORD).store(with(BESIDE, at, bytes, was), Ordering::Release);
                far.memory.word(WORD + 8).store(BESIDE, Ordering::Release);
                near.memory.word(FETCHED).store(BESIDE, Ordering::Release);
                let op = Operation::Atomic(AtomicRequest { op, of, operand, compare });
                lane.done(0, lane.request(1, op, near.local(FETCHED, bytes), WORD + at))?;
                let load = |end: &super::end::End, at: usize| end.memory.word(at).load(Ordering::Acquire);
                let seen = [load(&near, FETCHED), load(&far, WORD), load(&far, WORD + 8)];
                let expected = [with(BESIDE, 0, bytes, was), with(BESIDE, at, bytes, now), BESIDE];
                ensure(seen == expected, || {
                    format!("{op:?} at byte {at}: fetched, word and the one after it are {seen:x?}, not {expected:x?}")
                })?;
                tried += 1;
            }
        }
    }
    noted(format!("{tried} atomics"))
}

/// Adds one to the word by compare-and-swap, and returns the value before.
fn swap_up(lane: &mut Lane, endpoint: usize) -> Fine<u64> {
    let mut guess = 0;
    loop {
        let local = lane.near.local(FETCHED, 8);
        lane.done(endpoint, lane.request(1, Operation::compare_swap(guess, guess + 1), local, WORD))?;
        let fetched = lane.near.memory.word(FETCHED).load(Ordering::Acquire);
        if fetched == guess {
            return Ok(fetched);
        }
        guess = fetched;
    }
}

/// Adds to the word on two endpoints, in lists, and by compare-and-swap between them. Returns the fetched values.
fn add_up(lane: &mut Lane) -> Fine<Vec<u64>> {
    let mut fetched = Vec::new();
    let native = lane.near.caps.atomics.has(AmoOp::Add, AmoType::B64);
    let most = lane.endpoints.iter().map(|endpoint| endpoint.depth as usize).min().unwrap_or(1).min(LIST);
    while fetched.len() < ADDITIONS {
        if native {
            let slot = |endpoint: usize, at: usize| FETCHED + 64 + 8 * (endpoint * LIST + at);
            for endpoint in 0..2 {
                let add = |at: usize| {
                    let local = lane.near.local(slot(endpoint, at), 8);
                    WorkRequest { signalled: at + 1 == most, ..lane.request(0, Operation::add(1), local, WORD) }
                };
                let list: Vec<_> = (0..most).map(add).collect();
                lane.post(endpoint, &list)?;
            }
            (0..2).try_for_each(|_| lane.expect(0))?;
            for endpoint in 0..2 {
                let load = |at| lane.near.memory.word(slot(endpoint, at)).load(Ordering::Acquire);
                fetched.extend((0..most).map(load));
            }
        }
        fetched.push(swap_up(lane, fetched.len() % 2)?);
    }
    Ok(fetched)
}

/// Adds one to the low or the high half of the word, `ADDITIONS` times.
fn add_halves(lane: &mut Lane, of: AmoType) -> Fine<Vec<u64>> {
    let (operand, bytes) = if of == AmoType::B64 { (1 << 32, 8) } else { (1, 4) };
    let add = Operation::Atomic(AtomicRequest { op: AmoOp::Add, of, operand, compare: 0 });
    for _ in 0..ADDITIONS {
        lane.done(0, lane.request(1, add, lane.near.local(FETCHED, bytes), WORD))?;
    }
    Ok(Vec::new())
}

/// Runs a function on PEs 1 and 2 at the same time, each with two endpoints to PE 0. Returns all fetched values, and
/// the word of PE 0.
fn both(setup: &Setup, act: impl Fn(u32, &mut Lane) -> Fine<Vec<u64>> + Sync) -> Fine<(Vec<u64>, u64)> {
    let target = setup.end(0)?;
    let mut all = Vec::new();
    std::thread::scope(|scope| -> Fine<()> {
        let mut running = Vec::new();
        for pe in [1, 2] {
            let mut lane = Lane::new(setup, &setup.end(pe)?, &target, 2)?;
            let act = &act;
            running.push(scope.spawn(move || act(pe, &mut lane).map_err(|error| format!("PE {pe}: {error}"))));
        }
        for thread in running {
            all.extend(thread.join().map_err(|_| "a thread panicked")??);
        }
        Ok(())
    })?;
    Ok((all, target.memory.word(WORD).load(Ordering::Acquire)))
}

pub(super) fn together(setup: &Setup) -> Outcome {
    let (mut fetched, word) = both(setup, |_, lane| add_up(lane))?;
    fetched.sort_unstable();
    ensure(fetched.iter().copied().eq(0..fetched.len() as u64), || {
        let twice = fetched.windows(2).find(|two| two[0] == two[1]).map(|two| two[0]);
        format!(
            "of {} additions not each fetched a value of its own; the first of two equal ones: {twice:?}",
            fetched.len()
        )
    })?;
    ensure(word == fetched.len() as u64, || format!("{} additions, and the word is {word}", fetched.len()))?;
    let caps = setup.end(0)?.caps;
    let halves = cfg!(target_endian = "little")
        && [AmoType::B64, AmoType::B32].iter().all(|of| caps.atomics.has(AmoOp::Add, *of));
    if halves {
        let of = |pe| if pe == 1 { AmoType::B64 } else { AmoType::B32 };
        let (_, word) = both(setup, |pe, lane| add_halves(lane, of(pe)))?;
        let expected = (ADDITIONS as u64) << 32 | ADDITIONS as u64;
        ensure(word == expected, || format!("additions of 8 and of 4 bytes left {word:#x}, and not {expected:#x}"))?;
    }
    noted(format!("{} additions", fetched.len()))
}

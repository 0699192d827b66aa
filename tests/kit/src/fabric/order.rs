//! Order: a write is visible before the requests that were posted after it.

use std::sync::atomic::Ordering;
use std::time::Instant;

use oxshmem_core::{AmoOp, AmoType};
use oxshmem_rdma::fabric::{Operation, WorkRequest};

use super::end::Setup;
use super::lane::Lane;
use super::watch::while_watched;
use crate::memory::{BYTES, Shared};
use crate::report::{Outcome, ensure, noted, skipped};

/// Offsets of the data at both ends, and of the flag at the target.
const SOURCE: usize = 65_536;
const TARGET: usize = BYTES / 2;
const FLAG: usize = 4096;
/// Bytes of the data of one round; each word is the number of the round.
const DATA: usize = 2048;
/// Rounds of one list.
const ROUNDS: u64 = 8;

/// Checks that the data are at least as new as the flag.
fn in_order(memory: &Shared, bytes: usize) -> Result<(), String> {
    let flag = memory.word(FLAG).load(Ordering::Acquire);
    let old = |at: &usize| memory.word(TARGET + at).load(Ordering::Acquire) < flag;
    match (0..bytes).step_by(8).find(old) {
        None => Ok(()),
        Some(at) => {
            let word = memory.word(TARGET + at).load(Ordering::Acquire);
            Err(format!("the flag of round {flag} was seen before the data at byte {at}, which are of round {word}"))
        }
    }
}

/// Posts rounds of data, each followed by a flag, while another thread and this one compare them.
fn rounds(setup: &Setup, flag: impl Fn(&Lane, u64, usize) -> WorkRequest) -> Outcome {
    let [near, far] = setup.ends()?;
    if !near.caps.ordered {
        return skipped("the device has no order");
    }
    let mut lane = Lane::new(setup, &near, &far, 1)?;
    let depth = lane.endpoints[0].depth;
    if depth < 2 {
        return skipped("its endpoints have room for one request");
    }
    let bytes = (DATA.min(near.caps.max_message_bytes as usize)) & !7;
    let at_once = ROUNDS.min(u64::from(depth) / 2);
    let all = while_watched(
        || in_order(&far.memory, bytes),
        || {
            let (begun, mut round) = (Instant::now(), 0);
            while begun.elapsed() < 2 * setup.options.time {
                let mut list = Vec::new();
                for number in 0..at_once {
                    round += 1;
                    let source = SOURCE + number as usize * DATA;
                    (0..bytes).step_by(8).for_each(|at| near.memory.word(source + at).store(round, Ordering::Release));
                    list.push(WorkRequest { signalled: false, ..lane.write(round, source, bytes, TARGET) });
                    list.push(WorkRequest { signalled: number + 1 == at_once, ..flag(&lane, round, source) });
                }
                lane.post(0, &list)?;
                while lane.seen() == 0 {
                    lane.progress()?;
                    in_order(&far.memory, bytes)?;
                }
                lane.expect(round)?;
                let word = far.memory.word(FLAG).load(Ordering::Acquire);
                ensure(word == round, || format!("after round {round} the flag is {word}"))?;
            }
            Ok(round)
        },
    )?;
    noted(format!("{all} rounds"))
}

pub(super) fn writes(setup: &Setup) -> Outcome {
    rounds(setup, |lane, round, source| lane.write(round, source, 8, FLAG))
}

pub(super) fn atomics(setup: &Setup) -> Outcome {
    rounds(setup, |lane, round, _| {
        let op = match lane.near.caps.atomics.has(AmoOp::Add, AmoType::B64) {
            true => Operation::add(1),
            false => Operation::compare_swap(round - 1, round),
        };
        lane.request(round, op, lane.near.local(FLAG, 8), FLAG)
    })
}

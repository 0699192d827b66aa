//! Whole words: no reader sees a part of an aligned element.

use std::sync::atomic::Ordering;
use std::time::Instant;

use oxshmem_rdma::fabric::WorkRequest;

use super::end::Setup;
use super::lane::Lane;
use super::watch::while_watched;
use crate::memory::Shared;
use crate::report::{Fine, Outcome, ensure, noted};

/// Offset of the word at the source, and at the target.
const SOURCE: usize = 4096;
const TARGET: usize = 8192;
/// Bytes of a longer write.
const ROW: usize = 4096;

/// Returns eight equal bytes, different in each round.
fn equal_bytes(round: u64) -> u64 {
    (1 + round % 251) * 0x0101_0101_0101_0101
}

/// Checks that the first `bytes` bytes of a word are those of one round.
fn whole(memory: &Shared, at: usize, bytes: usize) -> Result<(), String> {
    let seen = memory.word(at).load(Ordering::Acquire).to_ne_bytes();
    match seen[..bytes].iter().all(|byte| *byte == seen[0]) {
        true => Ok(()),
        false => Err(format!("a word of {bytes} bytes was seen in part: {:02x?}", &seen[..bytes])),
    }
}

/// Returns the sizes of words in bytes that must be whole.
fn sizes(setup: &Setup) -> Vec<usize> {
    [2, 4, 8].into_iter().filter(|bytes| *bytes >= setup.options.least_word).collect()
}

/// Writes rounds of equal bytes for the time of the options; `look` checks the target after each poll.
fn rounds(
    setup: &Setup,
    lane: &mut Lane,
    write: impl Fn(&Lane, u64) -> WorkRequest,
    bytes: usize,
    look: impl Fn() -> Result<(), String>,
) -> Fine<u64> {
    let (begun, mut round) = (Instant::now(), 0);
    while begun.elapsed() < setup.options.time {
        round += 1;
        let near = lane.near.clone();
        (0..bytes.div_ceil(8)).for_each(|at| {
            near.memory.word(SOURCE + 8 * at).store(equal_bytes(round), Ordering::Release);
        });
        lane.post(0, &[write(lane, round)])?;
        while lane.seen() == 0 {
            lane.progress()?;
            look()?;
        }
        lane.expect(round)?;
    }
    Ok(round)
}

pub(super) fn written(setup: &Setup) -> Outcome {
    let [near, far] = setup.ends()?;
    let mut lane = Lane::new(setup, &near, &far, 1)?;
    let mut all = 0;
    for bytes in sizes(setup) {
        far.memory.word(TARGET).store(0, Ordering::Release);
        let look = || whole(&far.memory, TARGET, bytes);
        let write = |lane: &Lane, round| lane.write(round, SOURCE, bytes, TARGET);
        all += while_watched(look, || rounds(setup, &mut lane, write, bytes, look))?;
    }
    noted(format!("{all} words"))
}

pub(super) fn written_in_a_row(setup: &Setup) -> Outcome {
    let [near, far] = setup.ends()?;
    let mut lane = Lane::new(setup, &near, &far, 1)?;
    let bytes = ROW.min(lane.near.caps.max_message_bytes as usize) & !7;
    let look = || (0..bytes).step_by(8).try_for_each(|at| whole(&far.memory, TARGET + at, 8));
    let write = |lane: &Lane, round| lane.write(round, SOURCE, bytes, TARGET);
    let all = while_watched(look, || rounds(setup, &mut lane, write, bytes, look))?;
    noted(format!("{all} rows of {} words", bytes / 8))
}

pub(super) fn read(setup: &Setup) -> Outcome {
    let [near, far] = setup.ends()?;
    let mut lane = Lane::new(setup, &near, &far, 1)?;
    let (mut changes, sizes) = (0, sizes(setup));
    let change = || {
        changes += 1;
        far.memory.word(TARGET).store(equal_bytes(changes), Ordering::Release);
        Ok(())
    };
    let reads = while_watched(change, || {
        let (begun, mut round) = (Instant::now(), 0);
        while begun.elapsed() < 2 * setup.options.time {
            round += 1;
            let bytes = sizes[round as usize % sizes.len()];
            lane.done(0, lane.read(round, SOURCE, bytes, TARGET))?;
            whole(&near.memory, SOURCE, bytes)?;
        }
        Ok(round)
    })?;
    ensure(reads > 0, || "nothing was read".into())?;
    noted(format!("{reads} reads"))
}

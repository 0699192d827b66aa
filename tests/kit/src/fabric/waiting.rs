//! No waiting: calls return whether or not the peer makes calls, and allocate nothing.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use oxshmem_rdma::fabric::{Completion, Endpoint, Operation, PostErrorKind, Status, WorkRequest};

use super::allocations;
use super::end::Setup;
use super::lane::Lane;
use crate::memory::BYTES;
use crate::report::{Outcome, ensure, noted, skipped};

const SOURCE: usize = 65_536;
const TARGET: usize = BYTES / 2;
/// Requests of a list.
const LIST: u64 = 8;
/// Polls while the peer makes no call.
const POLLS: usize = 1000;

/// Runs a call, and keeps the longest time.
fn timed<T>(longest: &mut Duration, call: impl FnOnce() -> T) -> T {
    let begun = Instant::now();
    let result = call();
    *longest = begun.elapsed().max(*longest);
    result
}

pub(super) fn returns(setup: &Setup) -> Outcome {
    let [near, far] = setup.ends()?;
    let mut lane = Lane::new(setup, &near, &far, 2)?;
    let bytes = 4096.min(near.caps.max_message_bytes as usize);
    let (mut posts, mut polls) = (Duration::ZERO, Duration::ZERO);
    let (mut posted, mut taken) = (0, 0);
    // One endpoint has writes and the other reads, which suits every device.
    for (endpoint, op) in [(0, Operation::Write), (1, Operation::Read)] {
        let depth = u64::from(lane.endpoints[endpoint].depth);
        for first in (0..depth).step_by(LIST as usize) {
            let one = |id| lane.request(id, op, near.local(SOURCE, bytes), TARGET);
            let list: Vec<_> = (first..depth.min(first + LIST)).map(one).collect();
            let handle = lane.endpoints[endpoint].handle;
            match timed(&mut posts, || near.device.post(handle, &list)) {
                Ok(()) => posted += list.len(),
                Err(refused) => {
                    ensure(refused.kind != PostErrorKind::Failed, || format!("{refused:?}"))?;
                    posted += refused.posted;
                    break;
                }
            }
            taken += timed(&mut polls, || lane.poll())?;
        }
    }
    for _ in 0..POLLS {
        taken += timed(&mut polls, || lane.poll())?;
    }
    let early = taken;
    while lane.seen() < posted {
        lane.progress()?;
    }
    while let Some(completion) = lane.take() {
        ensure(completion.status == Status::Success, || lane.failure(&completion))?;
    }
    noted(format!("{early} of {posted} complete without the peer; longest post {posts:?}, longest poll {polls:?}"))
}

pub(super) fn reached(setup: &Setup) -> Outcome {
    let [near, far] = setup.ends()?;
    if far.caps.needs_progress {
        return skipped("the device states that its PE must poll");
    }
    let mut lane = Lane::new(setup, &near, &far, 2)?;
    let words = [1, 2].map(|round| {
        near.memory.word(SOURCE).store(round, Ordering::Release);
        lane.done(0, lane.write(round, SOURCE, 8, TARGET))?;
        lane.done(1, lane.read(round, SOURCE + 64, 8, TARGET))?;
        let add = Operation::compare_swap(round, round + 1);
        lane.done(1, lane.request(round, add, near.local(SOURCE + 128, 8), TARGET))?;
        let read = near.memory.word(SOURCE + 64).load(Ordering::Acquire);
        Ok::<_, Box<dyn std::error::Error>>((read, far.memory.word(TARGET).load(Ordering::Acquire)))
    });
    for (words, round) in words.into_iter().zip(1..) {
        let words = words?;
        ensure(words == (round, round + 1), || format!("round {round}: {words:?}"))?;
    }
    noted("a write, a read and an atomic")
}

pub(super) fn allocates(setup: &Setup) -> Outcome {
    const ROUNDS: u64 = 300;
    if !allocations::are_counted() {
        return skipped("the program has no `CountingAllocator`");
    }
    let [near, far] = setup.ends()?;
    let mut lane = Lane::new(setup, &near, &far, 2)?;
    let mut counts = [0; 2];
    for count in &mut counts {
        // The first count is of rounds in which the device may still allocate the room that it keeps.
        for _ in 0..ROUNDS {
            for (endpoint, op) in [(0, Operation::Write), (1, Operation::Read)] {
                let Endpoint { handle, depth, .. } = lane.endpoints[endpoint];
                let last = LIST.min(depth.into()) - 1;
                let one = |id| lane.request(id, op, near.local(SOURCE, 64), TARGET);
                let list: Vec<_> = (0..=last).map(|id| WorkRequest { signalled: id == last, ..one(id) }).collect();
                let (posted, made) = allocations::count(|| near.device.post(handle, &list));
                *count += made;
                if let Err(refused) = posted {
                    lane.post(endpoint, &list[refused.posted..])?;
                }
                let mut polled = lane.take().map_or(0, |_| 1);
                while polled == 0 {
                    let poll = || near.device.poll(lane.queue, &mut [Completion::default()]);
                    let (taken, made) = allocations::count(poll);
                    *count += made;
                    polled = taken?;
                    far.serve()?;
                    setup.in_time("lists")?;
                }
            }
        }
    }
    let [first, later] = counts;
    ensure(later < ROUNDS / 4, || format!("{later} allocations in {} lists, after {first} in as many", 2 * ROUNDS))?;
    noted(format!("{first} allocations in the first {} lists, {later} in the next", 2 * ROUNDS))
}

//! One completion for all before it, in the order of posting; full queues.

use std::collections::VecDeque;
use std::sync::atomic::Ordering;
use std::time::Instant;

use oxshmem_rdma::fabric::{Operation, PostErrorKind, Status, WorkRequest};

use super::end::Setup;
use super::lane::Lane;
use crate::memory::BYTES;
use crate::numbers::Numbers;
use crate::report::{Fine, Outcome, ensure, noted};

/// Offsets of the data at both ends.
const SOURCE: usize = 65_536;
const TARGET: usize = BYTES / 2;
/// Bytes of the first, longest request of a list.
const LONG: usize = 32_768;
/// Distance of two requests' data.
const STEP: usize = 2048;

/// Returns the endpoint of writes, and that of fetches. They are the same one, unless the device states that fetches
/// beside writes may be empty.
fn endpoints(lane: &Lane) -> [usize; 2] {
    [0, usize::from(lane.near.caps.empty_fetches)]
}

/// Posts a list of which only the last request, a short one, is signalled. Before it are a long write and short ones,
/// or reads.
fn list(lane: &mut Lane, endpoint: usize, round: u64, op: Operation) -> Fine<()> {
    let count = (lane.endpoints[endpoint].depth as usize).min(64);
    let longest = (lane.near.caps.max_message_bytes as usize).min(LONG);
    let size = |at: usize| if at == 0 { longest } else { [8, 100, 1][at % 3] };
    // The first one's bytes end before those of the others.
    let place = |at: usize| if at == 0 { 0 } else { LONG + STEP * at };
    let (near, far) = (lane.near.clone(), lane.far.clone().ok_or("the peer is gone")?);
    let is_write = op == Operation::Write;
    let [from, to] = if is_write { [&near, &far] } else { [&far, &near] };
    let [near_at, far_at] = [SOURCE, TARGET];
    let [from_at, to_at] = if is_write { [near_at, far_at] } else { [far_at, near_at] };
    (0..count).for_each(|at| from.memory.fill(from_at + place(at), size(at), round + at as u64));
    let request = |at: usize| {
        let local = near.local(near_at + place(at), size(at));
        WorkRequest { signalled: at + 1 == count, ..lane.request(at as u64, op, local, far_at + place(at)) }
    };
    let requests: Vec<_> = (0..count).map(request).collect();
    lane.post(endpoint, &requests)?;
    lane.expect(count as u64 - 1)?;
    for at in 0..count {
        ensure(to.memory.has(to_at + place(at), size(at), round + at as u64), || {
            format!("request {} is complete, and {at} before it is not: {op:?} of {} bytes", count - 1, size(at))
        })?;
    }
    ensure(lane.seen() == 0, || "a request that is not signalled has a completion".into())
}

pub(super) fn for_all_before(setup: &Setup) -> Outcome {
    let [near, far] = setup.ends()?;
    let mut lane = Lane::new(setup, &near, &far, 2)?;
    let [writes, fetches] = endpoints(&lane);
    let (begun, mut lists) = (Instant::now(), 0);
    while begun.elapsed() < setup.options.time {
        list(&mut lane, writes, 100 * lists, Operation::Write)?;
        list(&mut lane, fetches, 100 * lists + 50, Operation::Read)?;
        lists += 1;
    }
    lane.nothing_more(0)?;
    noted(format!("{lists} lists of each kind"))
}

pub(super) fn once_in_order(setup: &Setup) -> Outcome {
    let [near, far] = setup.ends()?;
    let mut lane = Lane::new(setup, &near, &far, 3)?;
    let (begun, mut random, mut next, mut all) = (Instant::now(), Numbers(0x5eed), 0u64, 0u64);
    let mut expected = vec![VecDeque::new(); lane.endpoints.len()];
    while begun.elapsed() < 2 * setup.options.time {
        for (endpoint, expected) in expected.iter_mut().enumerate() {
            let count = 1 + random.below(16.min(lane.endpoints[endpoint].depth as usize)) as u64;
            let mut requests = Vec::new();
            for at in 0..count {
                next += 1;
                let (id, bytes) = (next << 8 | endpoint as u64, [8, 1, 200, 2000][random.below(4)]);
                let place = (STEP * (next % 64) as usize, bytes.min(near.caps.max_message_bytes as usize));
                let local = near.local(SOURCE + place.0, place.1);
                // On a device with empty fetches, the second endpoint has all of them.
                let is_fetch = if near.caps.empty_fetches { endpoint == 1 } else { random.below(2) == 0 };
                let request = match (is_fetch, random.below(2)) {
                    (false, _) => lane.request(id, Operation::Write, local, TARGET + place.0),
                    (true, 0) => lane.request(id, Operation::Read, local, TARGET + place.0),
                    (true, _) => {
                        let local = near.local(SOURCE + place.0, 8);
                        lane.request(id, Operation::compare_swap(1, 2), local, TARGET + place.0)
                    }
                };
                let signalled = at + 1 == count || random.below(3) == 0;
                if signalled {
                    expected.push_back(id);
                    all += 1;
                }
                requests.push(WorkRequest { signalled, ..request });
            }
            lane.post(endpoint, &requests)?;
        }
        while expected.iter().any(|expected| !expected.is_empty()) {
            let completion = lane.next()?;
            ensure(completion.status == Status::Success, || lane.failure(&completion))?;
            let first = expected.get_mut((completion.id & 0xff) as usize).and_then(VecDeque::pop_front);
            ensure(first == Some(completion.id), || match first {
                Some(first) => format!("request {} completed, and {first} was next", completion.id),
                None => format!("request {} completed, and nothing was signalled after it", completion.id),
            })?;
        }
    }
    (0..lane.endpoints.len()).try_for_each(|endpoint| lane.nothing_more(endpoint))?;
    noted(format!("{all} completions of {next} requests"))
}

pub(super) fn full(setup: &Setup) -> Outcome {
    const MORE: u64 = 5;
    let [near, far] = setup.ends()?;
    let mut lane = Lane::new(setup, &near, &far, 1)?;
    let depth = u64::from(lane.endpoints[0].depth);
    let slot = |id: u64| (8 * id) as usize;
    (0..depth + MORE).for_each(|id| near.memory.word(SOURCE + slot(id)).store(id + 1, Ordering::Release));
    let requests: Vec<_> =
        (0..depth + MORE).map(|id| lane.write(id, SOURCE + slot(id), 8, TARGET + slot(id))).collect();
    let mut completed = 0;
    let note = match near.device.post(lane.endpoints[0].handle, &requests) {
        Ok(()) => format!("it took {} requests with room for {depth}", requests.len()),
        Err(refused) => {
            let posted = refused.posted as u64;
            let right = match refused.kind {
                PostErrorKind::Full => (depth..depth + MORE).contains(&posted),
                PostErrorKind::Again => posted < depth + MORE,
                PostErrorKind::Failed => false,
            };
            ensure(right, || format!("with room for {depth}: {refused:?}"))?;
            (0..posted).try_for_each(|id| lane.expect(id))?;
            completed = posted;
            lane.post(0, &requests[refused.posted..])?;
            format!("it took {posted} requests first, with room for {depth}")
        }
    };
    (completed..depth + MORE).try_for_each(|id| lane.expect(id))?;
    for id in 0..depth + MORE {
        let word = far.memory.word(TARGET + slot(id)).load(Ordering::Acquire);
        ensure(word == id + 1, || format!("request {id} is complete, and its word is {word}"))?;
    }
    lane.nothing_more(0)?;
    noted(note)
}

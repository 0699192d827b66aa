//! Failure: requests that fail, endpoints that stop, peers that are gone.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use oxshmem_rdma::fabric::{Completion, Operation, Status, WorkRequest};

use super::end::{Setup, request};
use super::lane::Lane;
use crate::memory::{BYTES, Shared};
use crate::report::{Fine, Outcome, ensure, noted, passed};

const SOURCE: usize = 4096;
const TARGET: usize = 8192;
/// The value that each write of these checks brings, and the word that it finds.
const NEW: u64 = 0x1111;
const OLD: u64 = 0x2222;

/// Returns the completion of the first request that fails: neither success nor flushed.
fn cause(lane: &mut Lane, id: u64) -> Fine<Completion> {
    let completion = lane.next()?;
    ensure(completion.id == id, || format!("request {} completed, and {id} was next", completion.id))?;
    ensure(completion.status != Status::Success, || format!("request {id} succeeded"))?;
    ensure(completion.status != Status::Flushed, || format!("request {id} was flushed, and nothing failed before it"))?;
    Ok(completion)
}

/// Posts three writes on an endpoint that failed. The second is not signalled, unless there is room for one alone.
fn post_after(lane: &mut Lane) -> Fine<()> {
    let mut list = [11, 12, 13].map(|id| lane.write(id, SOURCE, 8, TARGET + 8 * id as usize));
    list[1].signalled = lane.endpoints[0].depth == 1;
    lane.post(0, &list)
}

/// Checks that these writes fail in order, and have no effect. The unsignalled one may have a completion.
fn none_after(lane: &mut Lane, memory: &Shared) -> Fine<()> {
    let mut seen = Vec::new();
    while seen.last() != Some(&13) {
        let completion = lane.next()?;
        ensure(completion.status != Status::Success, || {
            format!("request {} after the failure succeeded", completion.id)
        })?;
        seen.push(completion.id);
    }
    ensure(seen == [11, 13] || seen == [11, 12, 13], || format!("requests {seen:?} completed, after 11 to 13"))?;
    let changed = (11..=13).find(|id| memory.word(TARGET + 8 * id).load(Ordering::Acquire) != OLD);
    ensure(changed.is_none(), || format!("request {changed:?} after the failure took effect"))
}

/// Fills the words of `post_after` and the source.
fn prepare(near: &Shared, far: &Shared) {
    (0..64).for_each(|at| far.word(TARGET + 8 * at).store(OLD, Ordering::Release));
    near.word(SOURCE).store(NEW, Ordering::Release);
}

/// Checks that the request `wrong` makes of a good one fails and stops its endpoint, for each kind of request.
fn fails(setup: &Setup, wrong: impl Fn(&Lane, WorkRequest) -> WorkRequest) -> Outcome {
    let mut notes = Vec::new();
    for op in [Operation::Write, Operation::Read, Operation::compare_swap(1, 2)] {
        let [near, far] = setup.ends()?;
        let mut lane = Lane::new(setup, &near, &far, 1)?;
        prepare(&near.memory, &far.memory);
        // Earlier requests are complete: the loss of a connection may take those in flight with it.
        lane.done(0, lane.write(1, SOURCE, 8, TARGET))?;
        let good = lane.request(2, op, near.local(SOURCE + 64, 8), TARGET);
        lane.post(0, &[wrong(&lane, good)])?;
        let failed = match near.caps.ordered {
            true => {
                post_after(&mut lane)?;
                cause(&mut lane, 2)?
            }
            // Requests that are not ordered after it may take effect.
            false => {
                let failed = cause(&mut lane, 2)?;
                post_after(&mut lane)?;
                failed
            }
        };
        none_after(&mut lane, &far.memory)?;
        // The endpoint goes on to take requests and to flush them.
        post_after(&mut lane)?;
        none_after(&mut lane, &far.memory)?;
        notes.push(near.device.explain(&failed));
        lane.give_back()?;
    }
    noted(notes.join("; "))
}

pub(super) fn beyond(setup: &Setup) -> Outcome {
    fails(setup, |lane, good| WorkRequest { remote: lane.base + BYTES as u64, ..good })
}

pub(super) fn deregistered(setup: &Setup) -> Outcome {
    // Kept to the end, because a device that breaks the promise accesses it.
    let memory = Shared::new();
    fails(setup, |lane, good| {
        let far = lane.far.as_ref().expect("the peer is there");
        let region = far.device.register(&request(far.pe, &memory, true)).expect("memory can be registered");
        let key = lane.near.device.import_key(far.pe, &region.remote_key).expect("it is a key");
        far.device.deregister(region.handle).expect("the region is not in use");
        WorkRequest { remote: region.remote_base, remote_key: key, ..good }
    })
}

pub(super) fn unsignalled(setup: &Setup) -> Outcome {
    let [near, far] = setup.ends()?;
    let mut lane = Lane::new(setup, &near, &far, 1)?;
    prepare(&near.memory, &far.memory);
    lane.done(0, lane.write(1, SOURCE, 8, TARGET))?;
    let wrong = WorkRequest { signalled: false, ..lane.write(2, SOURCE, 8, BYTES) };
    lane.post(0, &[wrong])?;
    let failed = cause(&mut lane, 2)?;
    post_after(&mut lane)?;
    none_after(&mut lane, &far.memory)?;
    noted(near.device.explain(&failed))
}

pub(super) fn stopped(setup: &Setup) -> Outcome {
    let [near, far] = setup.ends()?;
    let mut lane = Lane::new(setup, &near, &far, 2)?;
    prepare(&near.memory, &far.memory);
    lane.done(0, lane.write(1, SOURCE, 8, TARGET))?;
    near.device.stop(lane.endpoints[0].handle)?;
    post_after(&mut lane)?;
    none_after(&mut lane, &far.memory)?;
    // Requests that are in flight when the endpoint stops complete too, each once and in order.
    let list: Vec<_> = (1..=8).map(|id| lane.write(id, SOURCE, 8, TARGET)).collect();
    lane.post(1, &list)?;
    near.device.stop(lane.endpoints[1].handle)?;
    for id in 1..=8 {
        let completion = lane.next()?;
        ensure(completion.id == id, || format!("request {} completed, and {id} was next", completion.id))?;
    }
    lane.give_back()?;
    passed()
}

pub(super) fn gone(setup: &Setup) -> Outcome {
    let [near, far] = setup.ends()?;
    let mut lane = Lane::new(setup, &near, &far, 1)?;
    prepare(&near.memory, &far.memory);
    lane.done(0, lane.write(1, SOURCE, 8, TARGET))?;
    // A device that reaches the peer's memory after all must not reach freed memory.
    let memory = far.memory.clone();
    lane.far = None;
    drop(Arc::into_inner(far).ok_or("the peer is in use")?);
    let begun = Instant::now();
    let write = lane.write(2, SOURCE, 8, TARGET + 8);
    lane.post(0, &[write])?;
    let failed = cause(&mut lane, 2)?;
    let took = begun.elapsed();
    let loss = [Status::PeerGone, Status::PeerAborted, Status::NotReady];
    ensure(loss.contains(&failed.status), || format!("the status does not say so: {}", near.device.explain(&failed)))?;
    post_after(&mut lane)?;
    none_after(&mut lane, &memory)?;
    noted(format!("after {} ms: {}", took.as_millis(), near.device.explain(&failed)))
}

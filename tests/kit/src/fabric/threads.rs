//! Threads: all methods may be called at the same time, on endpoints and completion queues of one thread each.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use oxshmem_rdma::fabric::EndpointRequest;

use super::end::{End, Setup, request};
use super::lane::Lane;
use crate::memory::{BYTES, Shared};
use crate::report::{Fine, Outcome, ensure, noted};

/// Threads that post.
const THREADS: usize = 3;
/// Bytes of memory of each thread.
const PART: usize = BYTES / 4;
/// Bytes of a transfer.
const DATA: usize = 512;

/// Writes and reads back on endpoints of its own, until the time is over. Returns the number of rounds.
fn transfers(setup: &Setup, near: &Arc<End>, far: &Arc<End>, thread: usize) -> Fine<u64> {
    let mut lane = Lane::new(setup, near, far, 2)?;
    let bytes = DATA.min(near.caps.max_message_bytes as usize);
    let [source, target, back] = [0, 65_536, 131_072].map(|at| thread * PART + at);
    let (begun, mut round) = (Instant::now(), 0);
    while begun.elapsed() < 2 * setup.options.time {
        round += 1;
        let seed = round * THREADS as u64 + thread as u64;
        near.memory.fill(source, bytes, seed);
        lane.done(0, lane.write(round, source, bytes, target))?;
        lane.done(1, lane.read(round, back, bytes, target))?;
        ensure(near.memory.has(back, bytes, seed), || format!("thread {thread} read other data in round {round}"))?;
    }
    lane.give_back()?;
    Ok(round)
}

/// Makes all other calls again and again, until the flag is set. Returns the number of rounds.
fn other_calls(setup: &Setup, end: &End, stop: &AtomicBool) -> Fine<u64> {
    let memory = Shared::new();
    let mut rounds = 0;
    while !stop.load(Ordering::Relaxed) {
        let device = &end.device;
        let region = device.register(&request(end.pe, &memory, true))?;
        device.import_key(end.pe, &region.remote_key)?;
        let queue = device.create_completion_queue(setup.options.depth)?;
        let asked = EndpointRequest { depth: setup.options.depth, inline_bytes: 0 };
        let (endpoint, _) = device.create_endpoint(queue, &asked)?;
        ensure(device.capabilities() == end.caps, || "its capabilities have changed".into())?;
        ensure(!device.describe().is_empty(), || "its description is empty".into())?;
        device.address();
        device.destroy_endpoint(endpoint.handle)?;
        device.destroy_completion_queue(queue)?;
        device.deregister(region.handle)?;
        rounds += 1;
        setup.in_time("calls beside transfers")?;
        std::thread::yield_now();
    }
    Ok(rounds)
}

pub(super) fn at_the_same_time(setup: &Setup) -> Outcome {
    let [near, far] = setup.ends()?;
    let stop = AtomicBool::new(false);
    let (transfers, calls) = std::thread::scope(|scope| -> Fine<(u64, u64)> {
        let posting: Vec<_> = (0..THREADS)
            .map(|thread| {
                let (near, far) = (&near, &far);
                scope.spawn(move || transfers(setup, near, far, thread).map_err(|error| error.to_string()))
            })
            .collect();
        let calling = scope.spawn(|| other_calls(setup, &near, &stop).map_err(|error| error.to_string()));
        let ended: Vec<_> = posting.into_iter().map(|thread| thread.join()).collect();
        stop.store(true, Ordering::Relaxed);
        let calls = calling.join().map_err(|_| "a thread panicked")??;
        let mut all = 0;
        for rounds in ended {
            all += rounds.map_err(|_| "a thread panicked")??;
        }
        Ok((all, calls))
    })?;
    noted(format!("{transfers} writes and as many reads, beside {calls} rounds of other calls"))
}

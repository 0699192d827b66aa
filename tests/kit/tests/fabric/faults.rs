//! A provider that breaks a promise is caught by the check of that promise.

use std::collections::{HashSet, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use oxshmem_core::host::Result;
use oxshmem_kit::fabric::{Options, check};
use oxshmem_rdma::fabric::{
    Capabilities, Completion, FabricDevice, Handle, Local, Operation, PostError, PostErrorKind, Status, WorkRequest,
};
use oxshmem_softrc::{EmptyFetches, Network};

use crate::broken::{Broken, Fault, Posted};

type Software = oxshmem_softrc::Options;

/// Checks that software verbs with this fault fail exactly one of the checks whose names contain `name`, with an error
/// that contains `says`.
#[track_caller]
fn caught<F: Fault>(software: Software, make: fn() -> F, name: &str, says: &str) {
    let network = Network::new(software);
    let options = Options { limit: Duration::from_millis(1500), only: Some(name.into()), ..Options::default() };
    let report = check(move |pe| Arc::new(Broken::new(&network, pe, make)), &options);
    assert_eq!((report.failed.len(), report.passed.len()), (1, 0), "{report:?}");
    assert!(report.failed[0].contains(says), "{report:?}");
}

/// Keeps the promise: the faults below differ from it in one thing each.
#[derive(Debug)]
struct Faultless;

impl Fault for Faultless {}

#[test]
fn a_provider_without_a_fault_passes() {
    let network = Network::new(Software::default());
    let options = Options { time: Duration::from_millis(10), ..Options::default() };
    let report = check(move |pe| Arc::new(Broken::new(&network, pe, || Faultless)), &options);
    assert_eq!(report.failed, [""; 0]);
}

/// Drops each hundredth completion.
#[derive(Debug, Default)]
struct Drops(AtomicU64);

impl Fault for Drops {
    fn poll(&self, device: &dyn FabricDevice, queue: Handle, out: &mut [Completion]) -> Result<usize> {
        let taken = device.poll(queue, out)?;
        let before = self.0.fetch_add(taken as u64, Ordering::Relaxed);
        Ok(if before / 100 == (before + taken as u64) / 100 { taken } else { taken - 1 })
    }
}

const ONCE: &str = "each signalled request completes once, in the order of posting";

#[test]
fn a_provider_that_drops_a_completion_is_caught() {
    caught(Software::default(), Drops::default, ONCE, "and others are missing");
}

/// Returns each hundredth completion twice.
#[derive(Debug, Default)]
struct Repeats {
    count: AtomicU64,
    again: Mutex<VecDeque<Completion>>,
}

impl Fault for Repeats {
    fn poll(&self, device: &dyn FabricDevice, queue: Handle, out: &mut [Completion]) -> Result<usize> {
        let mut again = self.again.lock().unwrap();
        if let (Some(completion), Some(first)) = (again.pop_front(), out.first_mut()) {
            *first = completion;
            return Ok(1);
        }
        let taken = device.poll(queue, out)?;
        for completion in &out[..taken] {
            if self.count.fetch_add(1, Ordering::Relaxed) % 100 == 99 {
                again.push_back(*completion);
            }
        }
        Ok(taken)
    }
}

#[test]
fn a_provider_that_completes_twice_is_caught() {
    caught(Software::default(), Repeats::default, ONCE, "completed, and");
}

/// Returns the completions of a poll in the opposite order.
#[derive(Debug)]
struct Swaps;

impl Fault for Swaps {
    fn poll(&self, device: &dyn FabricDevice, queue: Handle, out: &mut [Completion]) -> Result<usize> {
        let taken = device.poll(queue, out)?;
        out[..taken].reverse();
        Ok(taken)
    }
}

#[test]
fn a_provider_that_swaps_completions_is_caught() {
    caught(Software::default(), || Swaps, ONCE, "was next");
}

/// Reports requests complete when they are posted.
#[derive(Debug, Default)]
struct Early(Mutex<VecDeque<Completion>>);

impl Fault for Early {
    fn post(&self, device: &dyn FabricDevice, endpoint: Handle, list: &[WorkRequest]) -> Posted {
        device.post(endpoint, list)?;
        let signalled = list.iter().filter(|request| request.signalled);
        self.0.lock().unwrap().extend(signalled.map(|request| Completion { id: request.id, ..Completion::default() }));
        Ok(())
    }

    fn poll(&self, device: &dyn FabricDevice, queue: Handle, out: &mut [Completion]) -> Result<usize> {
        let mut ready = self.0.lock().unwrap();
        let taken = ready.len().min(out.len());
        out.iter_mut().zip(ready.drain(..taken)).for_each(|(out, completion)| *out = completion);
        // The requests are executed by later polls; their own completions are dropped.
        device.poll(queue, &mut [Completion::default(); 8])?;
        Ok(taken)
    }
}

#[test]
fn a_provider_that_completes_a_write_before_its_bytes_arrive_is_caught() {
    let slow = Software { delay: 200, ..Software::default() };
    caught(slow, Early::default, "its bytes are there and its source may be reused", "not at the target");
    caught(slow, Early::default, "the local bytes are written", "without its data");
    caught(slow, Early::default, "all earlier requests are complete", "is not");
}

/// Writes each word as two halves.
#[derive(Debug)]
struct Splits;

impl Fault for Splits {
    fn post(&self, device: &dyn FabricDevice, endpoint: Handle, list: &[WorkRequest]) -> Posted {
        for request in list {
            match request.local {
                Local::Memory { address, bytes: bytes @ 2..=8, key } if request.op == Operation::Write => {
                    let half = bytes / 2;
                    let first = Local::Memory { address, bytes: half, key };
                    let second = Local::Memory { address: address + u64::from(half), bytes: bytes - half, key };
                    let remote = request.remote + u64::from(half);
                    device.post(endpoint, &[WorkRequest { local: first, signalled: false, ..*request }])?;
                    device.post(endpoint, &[WorkRequest { local: second, remote, ..*request }])?;
                }
                _ => device.post(endpoint, &[*request])?,
            }
        }
        Ok(())
    }
}

#[test]
fn a_provider_that_writes_a_word_in_parts_is_caught() {
    caught(Software::default(), || Splits, "an aligned word that is written is seen whole", "seen in part");
}

/// Writes one byte more than requested.
#[derive(Debug)]
struct WritesMore;

impl Fault for WritesMore {
    fn post(&self, device: &dyn FabricDevice, endpoint: Handle, list: &[WorkRequest]) -> Posted {
        let longer = |request: &WorkRequest| match request.local {
            Local::Memory { address, bytes, key } if request.op == Operation::Write => {
                WorkRequest { local: Local::Memory { address, bytes: bytes + 1, key }, ..*request }
            }
            _ => *request,
        };
        device.post(endpoint, &list.iter().map(longer).collect::<Vec<_>>())
    }
}

#[test]
fn a_provider_that_writes_beside_its_range_is_caught() {
    caught(Software::default(), || WritesMore, "that they name and no others", "changed bytes beside it");
}

/// States an order or a reach that the device does not have.
#[derive(Debug)]
struct Claims;

impl Fault for Claims {
    fn capabilities(&self, caps: Capabilities) -> Capabilities {
        Capabilities { ordered: true, needs_progress: false, empty_fetches: false, ..caps }
    }
}

#[test]
fn a_provider_that_states_an_order_that_it_does_not_keep_is_caught() {
    let unordered = Software { ordered: false, ..Software::default() };
    caught(unordered, || Claims, "visible before later writes", "the flag");
    caught(unordered, || Claims, "visible before later atomics", "the flag");
}

#[test]
fn a_provider_that_needs_its_peers_polls_and_does_not_state_it_is_caught() {
    let needy = Software { needs_progress: true, ..Software::default() };
    caught(needy, || Claims, "a peer that makes no call is reached", "are missing");
}

#[test]
fn a_provider_that_loses_the_data_of_fetches_and_does_not_state_it_is_caught() {
    let lossy = Software { empty_fetches: EmptyFetches::BehindWrites, ..Software::default() };
    caught(lossy, || Claims, "a fetch after writes of its endpoint", "in place of 5");
}

/// Loses each hundredth addition, and fetches all the same.
#[derive(Debug, Default)]
struct LosesAdditions(AtomicU64);

impl Fault for LosesAdditions {
    fn post(&self, device: &dyn FabricDevice, endpoint: Handle, list: &[WorkRequest]) -> Posted {
        let lost = |request: &WorkRequest| match self.0.fetch_add(1, Ordering::Relaxed) % 100 {
            99 if request.op == Operation::add(1) => WorkRequest { op: Operation::add(0), ..*request },
            _ => *request,
        };
        device.post(endpoint, &list.iter().map(lost).collect::<Vec<_>>())
    }
}

#[test]
fn a_provider_whose_atomics_lose_updates_is_caught() {
    caught(Software::default(), LosesAdditions::default, "lose no update", "two equal ones");
}

/// Waits in `post` until the requests are complete.
#[derive(Debug, Default)]
struct Waits(Mutex<Vec<Handle>>);

impl Fault for Waits {
    fn post(&self, device: &dyn FabricDevice, endpoint: Handle, list: &[WorkRequest]) -> Posted {
        device.post(endpoint, list)?;
        // Longer than the kit's limit.
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_secs(10) {
            for queue in &*self.0.lock().unwrap() {
                if device.poll(*queue, &mut [Completion::default(); 8]).is_ok_and(|taken| taken > 0) {
                    return Ok(());
                }
            }
            std::thread::yield_now();
        }
        Ok(())
    }

    fn poll(&self, device: &dyn FabricDevice, queue: Handle, out: &mut [Completion]) -> Result<usize> {
        self.0.lock().unwrap().push(queue);
        device.poll(queue, out)
    }
}

#[test]
fn a_provider_that_waits_for_its_peer_is_caught() {
    let needy = Software { needs_progress: true, ..Software::default() };
    caught(needy, Waits::default, "post and poll return", "did not return");
}

/// Copies each list that it posts to memory of its own.
#[derive(Debug)]
struct Allocates;

impl Fault for Allocates {
    fn post(&self, device: &dyn FabricDevice, endpoint: Handle, list: &[WorkRequest]) -> Posted {
        let copy = list.to_vec();
        device.post(endpoint, &copy)
    }
}

#[test]
fn a_provider_that_allocates_for_each_list_is_caught() {
    caught(Software::default(), || Allocates, "allocate nothing", "600 allocations in 600 lists");
}

/// Reports flushed requests as successes.
#[derive(Debug)]
struct HidesFlushes;

impl Fault for HidesFlushes {
    fn poll(&self, device: &dyn FabricDevice, queue: Handle, out: &mut [Completion]) -> Result<usize> {
        let taken = device.poll(queue, out)?;
        for completion in out[..taken].iter_mut().filter(|completion| completion.status == Status::Flushed) {
            completion.status = Status::Success;
        }
        Ok(taken)
    }
}

#[test]
fn a_provider_whose_endpoints_go_on_after_a_failure_is_caught() {
    caught(Software::default(), || HidesFlushes, "beyond the peer's memory", "after the failure succeeded");
    caught(Software::default(), || HidesFlushes, "a stopped endpoint flushes", "after the failure succeeded");
}

/// Drops the failures of unsignalled requests.
#[derive(Debug, Default)]
struct SilentFailures(Mutex<HashSet<u64>>);

impl Fault for SilentFailures {
    fn post(&self, device: &dyn FabricDevice, endpoint: Handle, list: &[WorkRequest]) -> Posted {
        self.0.lock().unwrap().extend(list.iter().filter(|request| !request.signalled).map(|request| request.id));
        device.post(endpoint, list)
    }

    fn poll(&self, device: &dyn FabricDevice, queue: Handle, out: &mut [Completion]) -> Result<usize> {
        let mut one = [Completion::default()];
        let (mut taken, silent) = (0, self.0.lock().unwrap());
        while taken < out.len() && device.poll(queue, &mut one)? > 0 {
            if one[0].status == Status::Success || !silent.contains(&one[0].id) {
                out[taken] = one[0];
                taken += 1;
            }
        }
        Ok(taken)
    }
}

#[test]
fn a_provider_that_does_not_report_the_failure_of_an_unsignalled_request_is_caught() {
    caught(Software::default(), SilentFailures::default, "an unsignalled request that fails", "are missing");
}

/// Goes on trying to reach a peer that is gone.
#[derive(Debug)]
struct NeverGivesUp;

impl Fault for NeverGivesUp {
    fn poll(&self, device: &dyn FabricDevice, queue: Handle, out: &mut [Completion]) -> Result<usize> {
        let taken = device.poll(queue, out)?;
        Ok(if out[..taken].iter().any(|completion| completion.status == Status::PeerGone) { 0 } else { taken })
    }
}

#[test]
fn a_provider_that_never_gives_a_peer_up_is_caught() {
    caught(Software::default(), || NeverGivesUp, "a peer that is gone", "are missing");
}

/// Keeps the memory reachable after the end of its registration.
#[derive(Debug)]
struct KeepsMemory;

impl Fault for KeepsMemory {
    fn deregister(&self, _: &dyn FabricDevice, _: Handle) -> Result<()> {
        Ok(())
    }
}

#[test]
fn a_provider_that_keeps_memory_reachable_after_its_registration_is_caught() {
    caught(Software::default(), || KeepsMemory, "whose registration ended", "succeeded");
    caught(Software::default(), || KeepsMemory, "unknown handles", "an unknown handle was taken");
}

/// Refuses a call while another one is under way.
#[derive(Debug, Default)]
struct OneThread(AtomicBool);

impl Fault for OneThread {
    fn post(&self, device: &dyn FabricDevice, endpoint: Handle, list: &[WorkRequest]) -> Posted {
        if self.0.swap(true, Ordering::AcqRel) {
            return Err(PostError { posted: 0, kind: PostErrorKind::Failed, code: 16, call: "post" });
        }
        // Lets other threads run while the call is under way.
        std::thread::yield_now();
        let posted = device.post(endpoint, list);
        self.0.store(false, Ordering::Release);
        posted
    }
}

#[test]
fn a_provider_for_one_thread_is_caught() {
    caught(Software::default(), OneThread::default, "threads use endpoints of their own", "refused a work request");
}

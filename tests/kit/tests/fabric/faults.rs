//! A provider that breaks a promise is caught by the check of that promise.

use std::collections::{HashSet, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use oxshmem_kit::fabric::{Options, check};
use oxshmem_rdma::fabric::{Capabilities, Completion, Local, Operation, PostError, PostErrorKind, Status, WorkRequest};
use oxshmem_softrc::{EmptyFetches, Network};

use crate::broken::{Broken, Fault};

type Software = oxshmem_softrc::Options;

/// Checks that software verbs with this fault fail exactly one of the checks whose names contain `name`, with an error
/// that contains `says`.
#[track_caller]
fn caught(software: Software, make: fn() -> Fault, name: &str, says: &str) {
    let network = Network::new(software);
    let options = Options { limit: Duration::from_millis(1500), only: Some(name.into()), ..Options::default() };
    let report = check(move |pe| Arc::new(Broken::new(&network, pe, make)), &options);
    assert_eq!((report.failed.len(), report.passed.len()), (1, 0), "{report:?}");
    assert!(report.failed[0].contains(says), "{report:?}");
}

#[test]
fn a_provider_without_a_fault_passes() {
    let network = Network::new(Software::default());
    let options = Options { time: Duration::from_millis(10), ..Options::default() };
    let report = check(move |pe| Arc::new(Broken::new(&network, pe, Fault::default)), &options);
    assert_eq!(report.failed, [""; 0]);
}

const ONCE: &str = "each signalled request completes once, in the order of posting";

#[test]
fn a_provider_that_drops_a_completion_is_caught() {
    let each_hundredth = || {
        let count = AtomicU64::new(0);
        Fault::default().polls(move |device, queue, out| {
            let taken = device.poll(queue, out)?;
            let before = count.fetch_add(taken as u64, Ordering::Relaxed);
            Ok(if before / 100 == (before + taken as u64) / 100 { taken } else { taken - 1 })
        })
    };
    caught(Software::default(), each_hundredth, ONCE, "and others are missing");
}

#[test]
fn a_provider_that_completes_twice_is_caught() {
    let each_hundredth = || {
        let (count, again) = (AtomicU64::new(0), Mutex::new(VecDeque::new()));
        Fault::default().polls(move |device, queue, out| {
            let mut again = again.lock().unwrap();
            if let (Some(completion), Some(first)) = (again.pop_front(), out.first_mut()) {
                *first = completion;
                return Ok(1);
            }
            let taken = device.poll(queue, out)?;
            let hundredth = |_: &&Completion| count.fetch_add(1, Ordering::Relaxed) % 100 == 99;
            again.extend(out[..taken].iter().filter(hundredth).copied());
            Ok(taken)
        })
    };
    caught(Software::default(), each_hundredth, ONCE, "completed, and");
}

#[test]
fn a_provider_that_swaps_completions_is_caught() {
    let swaps = || {
        Fault::default().polls(|device, queue, out| {
            let taken = device.poll(queue, out)?;
            out[..taken].reverse();
            Ok(taken)
        })
    };
    caught(Software::default(), swaps, ONCE, "was next");
}

/// Reports requests complete when they are posted.
fn early() -> Fault {
    let posted = Arc::new(Mutex::new(VecDeque::new()));
    let ready = posted.clone();
    Fault::posts(move |device, endpoint, list| {
        device.post(endpoint, list)?;
        let signalled = list.iter().filter(|request| request.signalled);
        let completed = signalled.map(|request| Completion { id: request.id, ..Completion::default() });
        posted.lock().unwrap().extend(completed);
        Ok(())
    })
    .polls(move |device, queue, out| {
        let mut ready = ready.lock().unwrap();
        let taken = ready.len().min(out.len());
        out.iter_mut().zip(ready.drain(..taken)).for_each(|(out, completion)| *out = completion);
        // The requests are executed by later polls; their own completions are dropped.
        device.poll(queue, &mut [Completion::default(); 8])?;
        Ok(taken)
    })
}

#[test]
fn a_provider_that_completes_a_write_before_its_bytes_arrive_is_caught() {
    let slow = Software { delay: 200, ..Software::default() };
    caught(slow, early, "its bytes are there and its source may be reused", "not at the target");
    caught(slow, early, "the local bytes are written", "without its data");
    caught(slow, early, "all earlier requests are complete", "is not");
}

#[test]
fn a_provider_that_writes_a_word_in_parts_is_caught() {
    let in_halves = || {
        Fault::posts(|device, endpoint, list| {
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
        })
    };
    caught(Software::default(), in_halves, "an aligned word that is written is seen whole", "seen in part");
}

#[test]
fn a_provider_that_writes_beside_its_range_is_caught() {
    let one_byte_more = || {
        Fault::posts(|device, endpoint, list| {
            let longer = |request: &WorkRequest| match request.local {
                Local::Memory { address, bytes, key } if request.op == Operation::Write => {
                    WorkRequest { local: Local::Memory { address, bytes: bytes + 1, key }, ..*request }
                }
                _ => *request,
            };
            device.post(endpoint, &list.iter().map(longer).collect::<Vec<_>>())
        })
    };
    caught(Software::default(), one_byte_more, "that they name and no others", "changed bytes beside it");
}

/// States an order or a reach that the device does not have.
fn claims() -> Fault {
    let capabilities = |caps| Capabilities { ordered: true, needs_progress: false, empty_fetches: false, ..caps };
    Fault { capabilities, ..Fault::default() }
}

#[test]
fn a_provider_that_states_an_order_that_it_does_not_keep_is_caught() {
    let unordered = Software { ordered: false, ..Software::default() };
    caught(unordered, claims, "visible before later writes", "the flag");
    caught(unordered, claims, "visible before later atomics", "the flag");
}

#[test]
fn a_provider_that_needs_its_peers_polls_and_does_not_state_it_is_caught() {
    let needy = Software { needs_progress: true, ..Software::default() };
    caught(needy, claims, "a peer that makes no call is reached", "are missing");
}

#[test]
fn a_provider_that_loses_the_data_of_fetches_and_does_not_state_it_is_caught() {
    let lossy = Software { empty_fetches: EmptyFetches::BehindWrites, ..Software::default() };
    caught(lossy, claims, "a fetch after writes of its endpoint", "in place of 5");
}

#[test]
fn a_provider_whose_atomics_lose_updates_is_caught() {
    // It fetches all the same.
    let each_hundredth = || {
        let count = AtomicU64::new(0);
        Fault::posts(move |device, endpoint, list| {
            let lost = |request: &WorkRequest| match count.fetch_add(1, Ordering::Relaxed) % 100 {
                99 if request.op == Operation::add(1) => WorkRequest { op: Operation::add(0), ..*request },
                _ => *request,
            };
            device.post(endpoint, &list.iter().map(lost).collect::<Vec<_>>())
        })
    };
    caught(Software::default(), each_hundredth, "lose no update", "two equal ones");
}

#[test]
fn a_provider_that_waits_for_its_peer_is_caught() {
    let needy = Software { needs_progress: true, ..Software::default() };
    let waits = || {
        let polled = Arc::new(Mutex::new(Vec::new()));
        let queues = polled.clone();
        Fault::posts(move |device, endpoint, list| {
            device.post(endpoint, list)?;
            // Longer than the kit's limit.
            let begun = Instant::now();
            while begun.elapsed() < Duration::from_secs(10) {
                for queue in &*queues.lock().unwrap() {
                    if device.poll(*queue, &mut [Completion::default(); 8]).is_ok_and(|taken| taken > 0) {
                        return Ok(());
                    }
                }
                std::thread::yield_now();
            }
            Ok(())
        })
        .polls(move |device, queue, out| {
            polled.lock().unwrap().push(queue);
            device.poll(queue, out)
        })
    };
    caught(needy, waits, "post and poll return", "did not return");
}

#[test]
fn a_provider_that_allocates_for_each_list_is_caught() {
    let copies = || {
        Fault::posts(|device, endpoint, list| {
            let copy = list.to_vec();
            device.post(endpoint, &copy)
        })
    };
    caught(Software::default(), copies, "allocate nothing", "600 allocations in 600 lists");
}

/// Reports flushed requests as successes.
fn hides_flushes() -> Fault {
    Fault::default().polls(|device, queue, out| {
        let taken = device.poll(queue, out)?;
        for completion in out[..taken].iter_mut().filter(|completion| completion.status == Status::Flushed) {
            completion.status = Status::Success;
        }
        Ok(taken)
    })
}

#[test]
fn a_provider_whose_endpoints_go_on_after_a_failure_is_caught() {
    caught(Software::default(), hides_flushes, "beyond the peer's memory", "after the failure succeeded");
    caught(Software::default(), hides_flushes, "a stopped endpoint flushes", "after the failure succeeded");
}

#[test]
fn a_provider_that_does_not_report_the_failure_of_an_unsignalled_request_is_caught() {
    let drops_them = || {
        let posted = Arc::new(Mutex::new(HashSet::new()));
        let silent = posted.clone();
        Fault::posts(move |device, endpoint, list| {
            let unsignalled = list.iter().filter(|request| !request.signalled);
            posted.lock().unwrap().extend(unsignalled.map(|request| request.id));
            device.post(endpoint, list)
        })
        .polls(move |device, queue, out| {
            let mut one = [Completion::default()];
            let (mut taken, silent) = (0, silent.lock().unwrap());
            while taken < out.len() && device.poll(queue, &mut one)? > 0 {
                if one[0].status == Status::Success || !silent.contains(&one[0].id) {
                    out[taken] = one[0];
                    taken += 1;
                }
            }
            Ok(taken)
        })
    };
    caught(Software::default(), drops_them, "an unsignalled request that fails", "are missing");
}

#[test]
fn a_provider_that_never_gives_a_peer_up_is_caught() {
    let tries_on = || {
        Fault::default().polls(|device, queue, out| {
            let taken = device.poll(queue, out)?;
            Ok(if out[..taken].iter().any(|completion| completion.status == Status::PeerGone) { 0 } else { taken })
        })
    };
    caught(Software::default(), tries_on, "a peer that is gone", "are missing");
}

#[test]
fn a_provider_that_keeps_memory_reachable_after_its_registration_is_caught() {
    let keeps = || Fault { deregister: |_, _| Ok(()), ..Fault::default() };
    caught(Software::default(), keeps, "whose registration ended", "succeeded");
    caught(Software::default(), keeps, "unknown handles", "an unknown handle was taken");
}

#[test]
fn a_provider_for_one_thread_is_caught() {
    let one_at_a_time = || {
        let busy = AtomicBool::new(false);
        Fault::posts(move |device, endpoint, list| {
            if busy.swap(true, Ordering::AcqRel) {
                return Err(PostError { posted: 0, kind: PostErrorKind::Failed, code: 16, call: "post" });
            }
            // Lets other threads run while the call is under way.
            std::thread::yield_now();
            let posted = device.post(endpoint, list);
            busy.store(false, Ordering::Release);
            posted
        })
    };
    caught(Software::default(), one_at_a_time, "threads use endpoints of their own", "refused a work request");
}

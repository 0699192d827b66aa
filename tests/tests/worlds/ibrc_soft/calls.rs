//! Every wait on a queue that stops ends with the queue's fault.

use std::time::Instant;

use oxshmem_core::FaultStep;
use oxshmem_device::OnQp;
use oxshmem_device::prelude::*;
use oxshmem_fakes::under_verbs::fail;
use oxshmem_hal::{ErrorKind, Launch, Result, World};
use oxshmem_rdma::mlx5::cqe::syndrome;
use oxshmem_tests::worlds::say;

use super::faults::ONE;
use super::{SOON, note, noted, run, start};
use oxshmem_tests::losses::tell;

/// A thread's call on a queue, with words of the heap and bytes.
type Call = fn(&OnQp<'_>, SymPtr<u64>, SymPtr<u8>) -> Result<(), Fault>;

const CALLS: [Call; 12] = [
    |queue, _, data| queue.put(Thread, data, data, 1000, ONE),
    |queue, _, data| queue.get(Thread, data, data, 1000, ONE),
    |queue, words, _| queue.g(words, ONE).map(drop),
    |queue, words, _| queue.atomic_fetch_add(words, 1, ONE).map(drop),
    |queue, words, _| queue.atomic_swap(words.cast::<u32>(), 1, ONE).map(drop),
    |queue, words, _| queue.atomic_swap(words, 1, ONE).map(drop),
    |queue, words, _| queue.atomic_fetch_add(words.cast::<f64>(), 1.0, ONE).map(drop),
    |queue, words, data| queue.put_signal(Thread, data, data, 1000, Signal::set(words, 1), ONE),
    |queue, words, _| queue.iget(Thread, words, words, 1, 1, 200, ONE),
    // More entries than fit into the queue and into the ring.
    |queue, words, _| queue.iput(Thread, words, words, 1, 1, 400, ONE),
    |queue, words, _| (0..5000).try_for_each(|i| queue.p(words.add(i % 400), i as u64, ONE)),
    |queue, words, _| queue.p(words, 1, ONE),
];

kernel! {
    /// Makes a call, and a quiet for it if the call did not wait.
    fn call(shmem: Shmem, which: u32, words: SymPtr<u64>, data: SymPtr<u8>, handle: QpHandle) {
        let named = [handle];
        let called = CALLS[which as usize](&shmem.qp(Qp::Custom(handle)), words, data);
        note(called.and_then(|()| shmem.quiet_on(Thread, PeSet::One(ONE), QpSet::Of(&named))));
    }
}

pub(crate) fn every_call() {
    let world = World::init().unwrap();
    let (words, data) = (world.calloc::<u64>(400).unwrap(), world.calloc::<u8>(1000).unwrap());
    let call = world.modules().load("worlds").unwrap().kernel("call").unwrap();
    for which in 0..CALLS.len() as u32 {
        let made = world.qps().create(1).unwrap();
        if world.my_pe().number() == 0 {
            let since = Instant::now();
            fail(0, syndrome::REMOTE_ACCESS);
            for time in 0..2 {
                world.own_stream().launch_kernel(&call, Launch::new(1, 1), (which, words, data, made[0])).unwrap();
                assert_eq!(world.own_stream().synchronize().is_err(), time == 0, "the host tells of it once");
                let ended = noted();
                let fault = ended[0].unwrap_err();
                assert_eq!((fault.step, fault.pe, fault.qp), (FaultStep::Completion, 1, made[0].raw()), "call {which}");
                assert_eq!((fault.detail & 0xff) as u8, syndrome::REMOTE_ACCESS, "call {which}: {fault}");
            }
            assert!(since.elapsed() < SOON, "call {which} took {:?}", since.elapsed());
        }
        world.all_gather("one call", &[]).unwrap();
        world.qps().destroy(&made).unwrap();
    }
    say("done");
}

#[test]
fn whatever_a_thread_waits_for_on_a_queue_that_stops_ends_with_its_fault() {
    for seed in ["0", "7"] {
        let Some(said) = run("calls", 2, &[("OXSHMEM_SOFTNIC_SEED", seed)]) else { return };
        assert!(said.iter().all(|said| said == &["done"]), "{said:?}");
    }
}

/// The host's own puts and gets, one of which fails.
pub(crate) fn of_the_host() {
    let world = World::init().unwrap();
    let words = world.calloc::<u64>(64).unwrap();
    let mut got = [0_u64; 64];
    world.all_gather("begin", &[]).unwrap();
    if world.my_pe().number() == 0 {
        let ended = (0..5000_u64).try_for_each(|round| -> Result<()> {
            world.put(words, &[round; 64], ONE)?;
            world.get(&mut got, words, ONE)?;
            assert_eq!(got, [round; 64]);
            Ok(())
        });
        let error = ended.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Fault);
        tell(&error);
        // The error stays, and the paths to other PEs stay open.
        world.put(words, &[1], ONE).unwrap_err();
        world.put(words, &[7], Pe::new(2)).unwrap();
    }
    world.all_gather("end", &[]).unwrap();
    if world.my_pe().number() == 2 {
        world.read(words, &mut got[..1]).unwrap();
        assert_eq!(got[0], 7);
    }
}

#[test]
fn an_operation_of_the_host_that_the_nic_fails_is_an_error_that_names_peer_queue_and_reason() {
    for (wqe, syndrome, operation, words) in [
        (20, "0x13", "write", "remote access error"),
        (21, "0x15", "read", "retries exceeded"),
        (400, "0x05", "write", "flushed"),
    ] {
        let fault = format!("qp=*,wqe={wqe},syndrome={syndrome}");
        let own = |pe: u32| if pe == 0 { vec![("OXSHMEM_SOFTNIC_FAULT", fault.clone())] } else { Vec::new() };
        let Some((wire, world)) = start("host calls", 3, &[], own) else { return };
        let said = world.all_succeed();
        let error = &said[0][0];
        assert!(error.starts_with("Fault | PE 1 |"), "{error}");
        for part in [format!("the operation {operation} to PE 1"), words.into(), format!("syndrome {syndrome}")] {
            assert!(error.contains(&part), "{part} in {error}");
        }
        assert_eq!(wire.violations(), "");
    }
}

//! Work queue entries that fail: every waiting thread gets the same fault, and other queues go on.

use std::time::Instant;

use oxshmem_core::FaultStep;
use oxshmem_device::prelude::*;
use oxshmem_fakes::under_verbs::fail;
use oxshmem_hal::{ErrorKind, Launch, World};
use oxshmem_rdma::mlx5::cqe::syndrome;
use oxshmem_rdma::mlx5::opcode;
use oxshmem_tests::worlds::say;

use super::{SOON, note, noted, run};

pub(crate) const ONE: Pe = Pe::new(1);
const TWO: Pe = Pe::new(2);
/// Words that kernels write.
const WORDS: usize = 512;

const SYNDROMES: [u8; 13] = [
    syndrome::LOCAL_LENGTH,
    syndrome::LOCAL_QP_OPERATION,
    syndrome::LOCAL_PROTECTION,
    syndrome::FLUSHED,
    syndrome::WINDOW_BIND,
    syndrome::BAD_RESPONSE,
    syndrome::LOCAL_ACCESS,
    syndrome::REMOTE_INVALID_REQUEST,
    syndrome::REMOTE_ACCESS,
    syndrome::REMOTE_OPERATION,
    syndrome::RETRIES_EXCEEDED,
    syndrome::NOT_READY_RETRIES_EXCEEDED,
    syndrome::REMOTE_ABORTED,
];

kernel! {
    /// Puts a word of every thread on the queue and waits for it: by warps in the first block, as a block in the
    /// second, each thread for itself in the others.
    fn each_waits_in_its_way(shmem: Shmem, words: SymPtr<u64>, handle: QpHandle) {
        let (me, named) = (thread_in_grid(), [handle]);
        let _ = shmem.qp(Qp::Custom(handle)).p(words.add(me), me as u64, ONE);
        let (one, queue) = (PeSet::One(ONE), QpSet::Of(&named));
        note(match block_idx()[0] {
            0 => shmem.quiet_on(Warp, one, queue),
            1 => shmem.quiet_on(Block, PeSet::All, queue),
            _ => shmem.quiet_on(Thread, one, queue),
        });
    }

    /// Puts from one thread and waits for it.
    fn put_once(shmem: Shmem, word: SymPtr<u64>, value: u64, handle: QpHandle, pe: Pe) {
        let named = [handle];
        let put = shmem.qp(Qp::Custom(handle)).p(word, value, pe);
        note(put.and_then(|()| shmem.quiet_on(Thread, PeSet::One(pe), QpSet::Of(&named))));
    }

    /// Puts on the default queues.
    fn put_on_default(shmem: Shmem, word: SymPtr<u64>, value: u64, pe: Pe) {
        note(shmem.p(word, value, pe).and_then(|()| shmem.quiet_on(Thread, PeSet::All, QpSet::Default)));
    }

    /// Adds to a word on a queue and fetches its old value.
    fn add_on(shmem: Shmem, word: SymPtr<u64>, was: u64, handle: QpHandle, pe: Pe) {
        let found = shmem.qp(Qp::Custom(handle)).atomic_fetch_add(word, 1, pe);
        note(found.map(|found| assert_eq!(found, was)));
    }

    /// Completes everything.
    fn quiet_all(shmem: Shmem) {
        note(shmem.quiet());
    }

    /// Waits for named queues with every thread of the groups.
    fn groups_wait(shmem: Shmem, a: QpHandle, b: QpHandle) {
        let (of_a, of_b) = ([a], [b]);
        note(shmem.quiet_on(Block, PeSet::All, QpSet::Of(&of_b)));
        note(shmem.quiet_on(Block, PeSet::All, QpSet::Of(&of_a)));
        note(shmem.quiet_on(Warp, PeSet::One(TWO), QpSet::All));
        note(shmem.quiet_on(Warp, PeSet::One(ONE), QpSet::All));
        note(shmem.quiet_on(Block, PeSet::All, QpSet::Default));
    }

    /// Makes a group's nonblocking call on a queue that has stopped, and then its quiet, barrier or wait.
    fn group_goes_on(shmem: Shmem, data: SymPtr<u8>, word: SymPtr<u64>, by_block: u32, quiet: u32) {
        let posted = match by_block {
            0 => shmem.put_nbi(Warp, data.add(1000), data, 1000, ONE),
            _ => shmem.put_signal_nbi(Block, data.add(1000), data, 1000, Signal::add(word, 1), ONE),
        };
        if let Err(fault) = posted {
            note(Err(fault));
        }
        note(match quiet {
            0 => shmem.quiet(),
            1 => shmem.quiet_on(Warp, PeSet::One(ONE), QpSet::Default),
            2 => shmem.quiet_on(Block, PeSet::All, QpSet::All),
            _ => shmem.barrier_all(Block),
        });
    }
}

/// Returns a fault without its index: step, PE, queue, detail.
fn parts(fault: &Fault) -> (FaultStep, u32, i32, u32) {
    (fault.step, fault.pe, fault.qp, fault.detail)
}

/// Returns the fault of a write that failed.
fn expected(pe: Pe, handle: QpHandle, syndrome: u8) -> (FaultStep, u32, i32, u32) {
    // The software NIC's vendor syndrome is the syndrome and one bit, for which the fault has no room.
    let detail = Fault::completion_detail(syndrome, syndrome & 0x7f, opcode::RDMA_WRITE);
    (FaultStep::Completion, pe.number(), handle.raw(), detail)
}

pub(crate) fn every_syndrome() {
    let world = World::init().unwrap();
    let words = world.calloc::<u64>(WORDS).unwrap();
    let module = world.modules().load("worlds").unwrap();
    let kernel = |name: &str| module.kernel(name).unwrap();
    let (wait, once) = (kernel("each_waits_in_its_way"), kernel("put_once"));
    let (default, add, quiet) = (kernel("put_on_default"), kernel("add_on"), kernel("quiet_all"));
    for (round, syndrome) in (1_u64..).zip(SYNDROMES) {
        let made = world.qps().create(2).unwrap();
        let (a, b) = (made[0], made[1]);
        if world.my_pe().number() == 0 {
            let since = Instant::now();
            fail(5, syndrome);
            world.own_stream().launch_kernel(&wait, Launch::new(4, 40), (words, a)).unwrap();
            let error = world.own_stream().synchronize().unwrap_err();
            assert_eq!((error.kind(), error.pe()), (ErrorKind::Fault, Some(ONE)), "{error}");
            assert!(error.to_string().contains(&format!("syndrome {syndrome:#04x}")), "{error}");
            let ended = noted();
            let faults: Vec<Fault> = ended.iter().filter_map(|ended| ended.err()).collect();
            assert_eq!(ended.len(), 160);
            // Entries that completed ahead of the failing one need no wait.
            assert!(ended.len() - faults.len() <= 5, "{} threads were done", ended.len() - faults.len());
            let same = faults[0];
            assert_eq!(parts(&same), expected(ONE, a, syndrome), "{same}");
            faults.iter().for_each(|fault| assert_eq!(*fault, same, "{fault}"));
            assert!(since.elapsed() < SOON, "syndrome {syndrome:#x} took {:?}", since.elapsed());
            // Later calls get the same fault again, and other queues have none.
            let alone = |ended: &str| {
                world.own_stream().synchronize().unwrap_or_else(|error| panic!("{ended}: {error}"));
                let noted = noted();
                assert_eq!(noted.len(), 1, "{ended}");
                noted[0]
            };
            world.own_stream().launch_kernel(&once, Launch::new(1, 1), (words, 0_u64, a, ONE)).unwrap();
            assert_eq!(alone("on the queue that stopped"), Err(same));
            for (handle, pe) in [(b, ONE), (a, TWO), (b, TWO)] {
                let word = words.add(400);
                world.own_stream().launch_kernel(&once, Launch::new(1, 1), (word, round, handle, pe)).unwrap();
                assert_eq!(alone("another queue"), Ok(()));
                world.own_stream().launch_kernel(&add, Launch::new(1, 1), (word, round, handle, pe)).unwrap();
                assert_eq!(alone("an atomic of another queue"), Ok(()));
            }
            world.own_stream().launch_kernel(&default, Launch::new(1, 1), (words.add(401), round, ONE)).unwrap();
            assert_eq!(alone("the default queue"), Ok(()));
            world.own_stream().launch_kernel(&quiet, Launch::new(1, 1), ()).unwrap();
            assert_eq!(alone("all queues"), Err(same));
            let counters = world.qps().counters().unwrap();
            let failed: Vec<_> = counters.iter().filter(|queue| queue.errors != 0).collect();
            let failed: Vec<_> = failed.iter().map(|queue| (queue.pe, queue.handle, queue.errors)).collect();
            assert_eq!(failed, [(ONE, a, 1)]);
        }
        world.all_gather("one syndrome", &[]).unwrap();
        let mut found = [0; 2];
        world.read(words.add(400), &mut found).unwrap();
        let wanted = [[0, 0], [round + 1, round], [round + 1, 0]][world.my_pe().index()];
        assert_eq!(found, wanted, "{}", world.my_pe());
        world.all_gather("what was found", &[]).unwrap();
        world.qps().destroy(&made).unwrap();
    }
    say("done");
    world.finalize().unwrap();
}

#[test]
fn every_syndrome_reaches_every_waiter_and_other_queues_go_on() {
    for (link, seed) in [("ib", "0"), ("roce", "3")] {
        let variables = [("OXSHMEM_SOFTNIC_LINK", link), ("OXSHMEM_SOFTNIC_SEED", seed)];
        let Some(said) = run("syndromes", 3, &variables) else { return };
        assert!(said.iter().all(|said| said == &["done"]), "{said:?}");
    }
}

/// Two queues to two PEs stop, for two reasons.
pub(crate) fn sets_of_queues() {
    let world = World::init().unwrap();
    let words = world.calloc::<u64>(WORDS).unwrap();
    let module = world.modules().load("worlds").unwrap();
    let (once, wait) = (module.kernel("put_once").unwrap(), module.kernel("groups_wait").unwrap());
    let made = world.qps().create(2).unwrap();
    if world.my_pe().number() == 0 {
        let mut faults = Vec::new();
        for (handle, pe, syndrome) in
            [(made[0], ONE, syndrome::REMOTE_ACCESS), (made[1], TWO, syndrome::RETRIES_EXCEEDED)]
        {
            fail(0, syndrome);
            world.own_stream().launch_kernel(&once, Launch::new(1, 1), (words, 1_u64, handle, pe)).unwrap();
            world.own_stream().synchronize().unwrap_err();
            let fault = noted()[0].unwrap_err();
            assert_eq!(parts(&fault), expected(pe, handle, syndrome));
            faults.push(fault);
        }
        let (of_a, of_b) = (Err(faults[0]), Err(faults[1]));
        world.own_stream().launch_kernel(&wait, Launch::new(1, 64), (made[0], made[1])).unwrap();
        world.own_stream().synchronize().unwrap();
        let ended = noted();
        let count = |wanted| ended.iter().filter(|ended| **ended == wanted).count();
        assert_eq!((ended.len(), count(of_a), count(of_b), count(Ok(()))), (320, 128, 128, 64));
    }
    world.all_gather("done", &[]).unwrap();
    say("done");
}

#[test]
fn the_fault_of_a_group_is_of_a_queue_that_it_named() {
    let Some(said) = run("sets", 3, &[]) else { return };
    assert!(said.iter().all(|said| said == &["done"]), "{said:?}");
}

/// A queue stops, and a group posts on it without waiting.
pub(crate) fn groups() {
    let number = |name: &str| std::env::var(name).unwrap().parse::<u32>().unwrap();
    let (quiet, by_block) = (number("TEST_QUIET"), number("TEST_BY_BLOCK"));
    let world = World::init().unwrap();
    let (data, word) = (world.calloc::<u8>(4096).unwrap(), world.calloc::<u64>(1).unwrap());
    let module = world.modules().load("worlds").unwrap();
    let (first, kernel) = (module.kernel("put_on_default").unwrap(), module.kernel("group_goes_on").unwrap());
    world.barrier_all().unwrap();
    if world.my_pe().number() == 0 {
        fail(0, syndrome::REMOTE_ACCESS);
        world.own_stream().launch_kernel(&first, Launch::new(1, 1), (word, 1_u64, ONE)).unwrap();
        world.own_stream().synchronize().unwrap_err();
        let same = noted()[0];
        assert_eq!(parts(&same.unwrap_err()).0, FaultStep::Completion);
        world
            .own_stream()
            .launch_kernel(&kernel, Launch::new(1, 64).collective(), (data, word, by_block, quiet))
            .unwrap();
        // A failed barrier is a fault of the kernel, which the host reports; the fault of a quiet was reported
        // before.
        assert_eq!(world.own_stream().synchronize().is_err(), quiet == 3);
        let ended = noted();
        assert!(ended.len() >= 64, "{} said something", ended.len());
        ended.iter().for_each(|ended| assert_eq!(*ended, same));
    }
    // A kernel's fault ends the world for all PEs.
    assert_eq!(world.all_gather("done", &[]).is_err(), quiet == 3);
    say("done");
}

#[test]
fn behind_a_groups_nonblocking_call_that_fails_the_next_quiet_or_barrier_tells_every_thread() {
    for (quiet, by_block) in ["0", "1", "2", "3"].into_iter().flat_map(|quiet| [(quiet, "0"), (quiet, "1")]) {
        let variables = [("TEST_QUIET", quiet), ("TEST_BY_BLOCK", by_block)];
        let Some(said) = run("groups", 2, &variables) else { return };
        assert!(said.iter().all(|said| said == &["done"]), "{said:?}");
    }
}

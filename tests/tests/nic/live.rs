//! Queues that are created, destroyed and counted while programs run.

use std::sync::{Arc, Mutex};

use oxshmem_core::host::Transport;
use oxshmem_core::{Pe, PeSet, QpSet};
use oxshmem_device::prelude::*;
use oxshmem_hal::config::NicCount;
use oxshmem_hal::{Config, DeviceChoice, Launch, World};
use oxshmem_softnic::{Knobs, Options, SoftProvider, Violation};
use oxshmem_transport_ibgda::host;

use crate::rig::{Made, Rig, element, on};

const ONE: Pe = Pe::new(1);

kernel! {
    /// Takes queue handles from a word until it is 1, sends a value to the right neighbour on each, and reports it.
    fn send_on_what_comes(shmem: Shmem, words: SymPtr<u64>, inbox: SymPtr<u64>) -> Result<(), Fault> {
        let (right, mut count) = (shmem.pe_after(1), 0);
        loop {
            shmem.wait_until(words, Cmp::Ne, 0)?;
            let handle = shmem.atomic_swap(words, 0, shmem.my_pe())?;
            if handle == 1 {
                return Ok(());
            }
            let queue = Qp::Custom(QpHandle::from_raw(handle as i32));
            shmem.qp(queue).p(inbox.add(handle as usize), handle << 32 | shmem.my_pe().number() as u64, right)?;
            shmem.quiet_on(Thread, PeSet::One(right), QpSet::Of(&[QpHandle::from_raw(handle as i32)]))?;
            count += 1;
            shmem.atomic_set(words.add(1), count, shmem.my_pe())?;
        }
    }
}

pub(crate) fn with_worlds(options: Options, body: impl FnOnce(&Config)) {
    with_nics(options, |config, _| body(config));
}

pub(crate) fn with_nics(options: Options, body: impl FnOnce(&Config, &SoftProvider)) {
    let violations = violations_of(options, body);
    assert!(violations.is_empty(), "{violations:#?}");
}

/// Returns the rules that the worlds of `body` break. Worlds use the provider that was installed last, one world at a
/// time.
pub(crate) fn violations_of(options: Options, body: impl FnOnce(&Config, &SoftProvider)) -> Vec<Violation> {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let provider = Arc::new(SoftProvider::new(options).unwrap());
    host::install(provider.clone());
    let config = Config::new().with_device(DeviceChoice::Host).with_heap_bytes(1 << 20).with_disable_p2p(true);
    body(&config, &provider);
    provider.violations()
}

#[test]
fn a_kernel_that_runs_uses_queues_that_are_made_meanwhile() {
    for seed in [0, 3] {
        with_worlds(Options { knobs: Knobs::from_seed(seed), ..Options::default() }, |config| {
            World::threads(3, config, |world| {
                let (words, inbox) = (world.calloc::<u64>(2)?, world.calloc::<u64>(256)?);
                let kernel = world.modules().load("nic")?.kernel("send_on_what_comes")?;
                world.barrier_all()?;
                world.own_stream().launch_kernel(&kernel, Launch::new(1, 1), (words, inbox))?;
                let me = world.my_pe();
                let until = |at: SymPtr<u64>, value: u64| -> Result<(), oxshmem_hal::Error> {
                    while world.g(at, me)? != value {
                        std::thread::yield_now();
                    }
                    Ok(())
                };
                let mut made = Vec::new();
                for count in 1..=6 {
                    let handle = world.qps().create(1)?[0];
                    made.push(handle);
                    world.p(words, handle.raw() as u64, me)?;
                    until(words.add(1), count)?;
                }
                world.p(words, 1, me)?;
                world.own_stream().synchronize()?;
                world.barrier_all()?;
                let left = world.pe_after(world.n_pes() - 1).number();
                for handle in &made {
                    let number = handle.raw() as usize;
                    assert_eq!(world.g(inbox.add(number), me)?, (number as u64) << 32 | u64::from(left));
                }
                assert_eq!(made.len(), made.iter().collect::<std::collections::HashSet<_>>().len());
                world.qps().destroy(&made)?;
                world.barrier_all()
            })
            .unwrap();
        });
    }
}

#[test]
fn a_queue_that_was_destroyed_is_made_anew_and_no_longer_waited_for() {
    let mut rig = Rig::new(Made { n_pes: 3, ..Made::default() });
    for round in 1..6_u64 {
        // Each has memory of its own.
        let (gone, stays) = (rig.create(1)[0], rig.create(1)[0]);
        let shmem = rig.shmem(0);
        for pe in [1, 2] {
            on(&shmem, gone).p(element(0), round, Pe::new(pe)).unwrap();
            shmem.quiet_on(Thread, PeSet::One(Pe::new(pe)), QpSet::All).unwrap();
            // Operations issued now never complete.
            rig.hold(rig.queue_of(0, gone, pe), true);
            on(&shmem, gone).p(element(1), round, Pe::new(pe)).unwrap();
            on(&shmem, stays).p(element(2), round, Pe::new(pe)).unwrap();
        }
        rig.destroy(&[gone]);
        rig.set_limit(std::time::Duration::from_secs(10));
        rig.shmem(0).quiet().unwrap();
        rig.shmem(0).fence().unwrap();
        assert_eq!((rig.word(1, element(2)), rig.word(2, element(2))), (round, round));
        let again = rig.create(1);
        assert_eq!(again, [gone], "its place is taken first");
        let queue = rig.queue_of(0, gone, 1);
        assert_eq!((queue.reserved(), queue.done(), queue.posted(), queue.doorbells()), (0, 0, 0, 0));
        on(&rig.shmem(0), gone).p(element(3), round, ONE).unwrap();
        rig.shmem(0).quiet_on(Thread, PeSet::All, QpSet::Of(&again)).unwrap();
        assert_eq!((rig.word(1, element(3)), queue.done()), (round, 1));
        rig.destroy(&[gone, stays]);
        rig.shmem(0).quiet().unwrap();
    }
}

#[test]
fn counters_say_what_was_posted() {
    let mut rig = Rig::new(Made { n_pes: 3, ..Made::default() });
    let handle = rig.create(1)[0];
    let shmem = rig.shmem(0);
    let of = |rig: &mut Rig, custom: bool, pe: u32| {
        let all = rig.host(0).counters().unwrap();
        let one: Vec<_> = all.iter().filter(|q| q.pe.number() == pe && (q.row == 1) == custom).collect();
        assert_eq!(one.len(), 1);
        let raw = if custom { handle } else { QpHandle::DEFAULT };
        assert_eq!((one[0].handle, one[0].errors), (raw, 0));
        (one[0].posted, one[0].completed, one[0].doorbells, one[0].bytes, one[0].stalls)
    };
    assert_eq!(of(&mut rig, false, 1), (0, 0, 0, 0, 0));
    let held = rig.first();
    rig.hold(held, true);
    // Blocks, doorbells, bytes: each call of one thread rings once.
    shmem.p(element::<u16>(0), 1, ONE).unwrap();
    assert_eq!(of(&mut rig, false, 1), (1, 0, 1, 2, 0));
    shmem.put_nbi(Thread, element::<u8>(0), element(0), 1000, ONE).unwrap();
    assert_eq!(of(&mut rig, false, 1), (2, 0, 2, 1002, 0));
    shmem.put_nbi(Thread, element::<u8>(0), element(0), 10, ONE).unwrap();
    assert_eq!(of(&mut rig, false, 1), (3, 0, 3, 1012, 0));
    // Two blocks, and one that requests their completion.
    shmem.atomic_set(element::<u64>(1), 5, ONE).unwrap();
    assert_eq!(of(&mut rig, false, 1), (6, 0, 4, 1020, 0));
    shmem.atomic_add(element::<u32>(1), 5, ONE).unwrap();
    assert_eq!(of(&mut rig, false, 1), (7, 0, 5, 1024, 0));
    let (data, word): (SymPtr<u8>, SymPtr<u64>) = (element(800), element(2));
    shmem.put_signal_nbi(Thread, data, data, 500, Signal::add(word, 1), ONE).unwrap();
    assert_eq!(of(&mut rig, false, 1), (9, 0, 6, 1532, 0));
    shmem.get_nbi(Thread, element::<u8>(5000), element(0), 300, ONE).unwrap();
    assert_eq!(of(&mut rig, false, 1), (10, 0, 7, 1832, 0));
    rig.hold(held, false);
    shmem.quiet().unwrap();
    assert_eq!(of(&mut rig, false, 1), (10, 10, 7, 1832, 0));
    // 4 that fetch, each an entry.
    for value in 0..4 {
        assert_eq!(shmem.atomic_fetch_add(element::<u64>(3), 1, ONE).unwrap(), value);
    }
    assert_eq!(of(&mut rig, false, 1), (14, 14, 11, 1864, 0));
    // Other queues and PEs count none of these operations.
    assert_eq!((of(&mut rig, true, 1), of(&mut rig, false, 2)), ((0, 0, 0, 0, 0), (0, 0, 0, 0, 0)));
    on(&shmem, handle).iput(Thread, element::<u64>(0), element(0), 1, 1, 20, Pe::new(2)).unwrap();
    shmem.quiet().unwrap();
    assert_eq!(of(&mut rig, true, 2), (20, 20, 20, 160, 0));
    // A held queue of 128 is full after 128; the next caller finds no room, and counts it once.
    rig.hold(held, true);
    (0..128).for_each(|i| shmem.p(element::<u64>(i), i, ONE).unwrap());
    assert_eq!(of(&mut rig, false, 1), (142, 14, 139, 1864 + 1024, 0));
    assert_eq!(rig.waits_in_vain(0, |shmem| shmem.p(element::<u64>(0), 1, ONE)), (15, 14));
    assert_eq!(of(&mut rig, false, 1), (142, 14, 139, 1864 + 1024, 1));
}

#[test]
fn growth_that_one_nic_of_one_pe_refuses_fails_everywhere_and_leaves_nothing_in_its_way() {
    // Two NICs for each of three PEs, in their order.
    with_nics(Options { nics: 6, ..Options::default() }, |config, nics| {
        let mut config = config.clone();
        config.nic.nics.count = NicCount::Count(2);
        World::threads(3, &config, |world| {
            let me = world.my_pe().number();
            let refuse = |refuses: bool| -> Result<(), oxshmem_hal::Error> {
                world.barrier_all()?;
                if me == 1 {
                    nics.refuse_registrations("mlx5_3", refuses)?;
                }
                world.barrier_all()
            };
            for round in 0..3 {
                refuse(true)?;
                let error = world.malloc::<u64>(1 << 18).unwrap_err();
                match me {
                    1 => assert!(error.to_string().contains("limit of locked memory"), "{error}"),
                    _ => assert_eq!(error.pe(), Some(ONE), "{error}"),
                }
                refuse(false)?;
                let words = world.calloc::<u64>(1 << 18)?;
                let last = words.add((1 << 18) - 1);
                world.put(last, &[round + u64::from(me)], world.pe_after(1))?;
                world.barrier_all()?;
                assert_eq!(world.g(last, world.my_pe())?, round + u64::from((me + 2) % 3));
                // The next round must grow the heap again.
            }
            Ok(())
        })
        .unwrap();
    });
}

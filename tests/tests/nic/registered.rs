//! Memory of the program that is registered and unregistered, over a NIC.

use oxshmem_core::Pe;
use oxshmem_device::prelude::*;
use oxshmem_hal::config::NicCount;
use oxshmem_hal::{DevicePtr, Error, FaultStep, Launch, ShareableMemory, World};
use oxshmem_softnic::{Knobs, Options, Rule};

use crate::live::{violations_of, with_nics, with_worlds};

const ONE: Pe = Pe::new(1);

kernel! {
    /// Sends a word to the right neighbour.
    fn send_word(shmem: Shmem, at: SymPtr<u64>) -> Result<(), Fault> {
        shmem.p(at, 7, shmem.pe_after(1))?;
        shmem.quiet()
    }

    /// Sends numbers to the right neighbour until the word `end` is 1, and leaves the last one after it.
    fn send_until(shmem: Shmem, at: SymPtr<u64>, end: SymPtr<u64>) -> Result<(), Fault> {
        let mut sent = 0;
        while shmem.atomic_fetch(end, shmem.my_pe())? == 0 {
            sent += 1;
            shmem.p(at, sent, shmem.pe_after(1))?;
            shmem.quiet()?;
        }
        shmem.atomic_set(end.add(1), sent, shmem.my_pe())
    }
}

fn register(world: &World, memory: &ShareableMemory) -> Result<SymPtr<u64>, Error> {
    // SAFETY: **mapped**, **unshared**: the memory is mapped until it is dropped, and used by its address alone.
    unsafe { world.user_memory().register_symmetric(memory.address(), memory.bytes()) }.map(SymPtr::cast)
}

fn unregister(world: &World, at: SymPtr<u64>, memory: &ShareableMemory) -> Result<(), Error> {
    // SAFETY: **unused**: of the kernels here, one uses it later, over the NIC, which has no key for it.
    unsafe { world.user_memory().unregister_symmetric(at.cast(), memory.bytes()) }
}

#[test]
fn a_put_to_memory_that_is_unregistered_is_refused_by_the_nic_and_other_memory_is_reached() {
    let violations = violations_of(Options::default(), |config, _| {
        World::threads(2, config, |world| {
            let memory = [world.user_memory().shareable(1 << 20)?, world.user_memory().shareable(1 << 20)?];
            let (gone, kept) = (register(world, &memory[0])?, register(world, &memory[1])?);
            unregister(world, gone, &memory[0])?;
            let kernel = world.modules().load("nic")?.kernel("send_word")?;
            world.own_stream().launch_kernel(&kernel, Launch::new(1, 1), (kept.add(9),))?;
            world.barrier_all()?;
            assert_eq!(world.g(kept.add(9), world.my_pe())?, 7);
            // All PEs are done before a queue stops.
            world.barrier_all()?;
            if world.my_pe() == ONE {
                world.own_stream().launch_kernel(&kernel, Launch::new(1, 1), (gone.add(9),))?;
                let error = world.own_stream().synchronize().unwrap_err();
                let fault = error.fault().unwrap();
                assert_eq!((fault.pe, fault.step), (0, FaultStep::Completion), "{error}");
            }
            let mut own = [1u64; 10];
            // SAFETY: **mapped**, **unshared**: the memory is mapped, and nothing writes it.
            world.user_memory().read(unsafe { DevicePtr::<u64>::new(memory[0].address()) }, &mut own)?;
            assert_eq!(own, [0; 10]);
            Ok(())
        })
        .unwrap();
    });
    let [refused] = &violations[..] else { panic!("{violations:#?}") };
    assert!(refused.rule == Rule::RemoteKey && refused.what.contains("rkey 0x0"), "{refused:?}");
}

#[test]
fn kernels_that_run_reach_their_memory_while_other_memory_enters_the_gap_before_it() {
    for seed in [0, 5] {
        with_worlds(Options { knobs: Knobs::from_seed(seed), ..Options::default() }, |config| {
            World::threads(2, config, |world| {
                let memory =
                    (1..20).map(|pages| world.user_memory().shareable(pages * 4096)).collect::<Result<Vec<_>, _>>()?;
                let kept = world.user_memory().shareable(1 << 16)?;
                let end = world.calloc::<u64>(2)?;
                let places = memory.iter().map(|one| register(world, one)).collect::<Result<Vec<_>, _>>()?;
                let at = register(world, &kept)?;
                for (place, one) in places.iter().zip(&memory) {
                    unregister(world, *place, one)?;
                }
                let kernel = world.modules().load("nic")?.kernel("send_until")?;
                world.own_stream().launch_kernel(&kernel, Launch::new(1, 1), (at, end))?;
                // In another order, so that slots and places change.
                let again = memory.iter().rev().map(|one| register(world, one)).collect::<Result<Vec<_>, _>>()?;
                assert!(again.iter().all(|place| place.addr().offset() < at.addr().offset()), "{again:?}");
                world.p(end, 1u64, world.my_pe())?;
                world.barrier_all()?;
                let sent = world.g(end.add(1), world.pe_after(1))?;
                assert_eq!(world.g(at, world.my_pe())?, sent);
                let word = world.modules().load("nic")?.kernel("send_word")?;
                for place in &again {
                    world.own_stream().launch_kernel(&word, Launch::new(1, 1), (place.add(7),))?;
                }
                world.barrier_all()?;
                assert!(again.iter().all(|place| world.g(place.add(7), world.my_pe()).unwrap() == 7));
                world.barrier_all()
            })
            .unwrap();
        });
    }
}

#[test]
fn a_registration_that_one_nic_of_one_pe_refuses_fails_everywhere_and_leaves_nothing_in_its_way() {
    with_nics(Options { nics: 6, ..Options::default() }, |config, nics| {
        let mut config = config.clone();
        config.nic.nics.count = NicCount::Count(2);
        World::threads(3, &config, |world| {
            let (me, memory) = (world.my_pe().number(), world.user_memory().shareable(1 << 20)?);
            let refuse = |refuses: bool| -> Result<(), Error> {
                world.barrier_all()?;
                if me == 1 {
                    nics.refuse_registrations("mlx5_3", refuses)?;
                }
                world.barrier_all()
            };
            let before = world.heap().mapped;
            for round in 0..3 {
                refuse(true)?;
                let error = register(world, &memory).unwrap_err();
                match me {
                    1 => assert!(error.to_string().contains("limit of locked memory"), "{error}"),
                    _ => assert_eq!(error.pe(), Some(ONE), "{error}"),
                }
                refuse(false)?;
                let at = register(world, &memory)?;
                assert_eq!(at.addr().offset(), before);
                world.p(at.add(100), round + u64::from(me), world.pe_after(1))?;
                world.barrier_all()?;
                assert_eq!(world.g(at.add(100), world.my_pe())?, round + u64::from((me + 2) % 3));
                unregister(world, at, &memory)?;
            }
            Ok(())
        })
        .unwrap();
    });
}

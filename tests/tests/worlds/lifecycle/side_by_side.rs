//! Worlds coexist, also one inside another.

use oxshmem_hal::bootstrap::{RootAt, UniqueId};
use oxshmem_hal::{ErrorKind, FaultStep, Launch, Pe, SymPtr, World};
use oxshmem_tests::worlds::{TEAM_BYTES, config};

use super::{MIB, ring};

/// The library's own memory, which precedes the heap's.
const OWN: u64 = (64 << 10) + TEAM_BYTES;

#[test]
fn worlds_inside_a_world_are_worlds_of_their_own() {
    World::threads(2, &config(), |outer| {
        let word = outer.calloc::<u64>(1)?;
        let sums = World::threads(3, &config().with_heap_bytes(2 << 20), |inner| {
            ring(inner, 300)?;
            assert_eq!(inner.heap().mapped, OWN + (2 << 20));
            // The outer world works from inside the inner one.
            if inner.my_pe().number() == 1 {
                outer.p(word, 5, outer.pe_after(1))?;
            }
            Ok(u64::from(inner.n_pes()))
        })?;
        outer.barrier_all()?;
        assert_eq!((sums.iter().sum::<u64>(), outer.g(word, outer.my_pe())?), (9, 5));
        ring(outer, 10)
    })
    .unwrap();
}

#[test]
fn two_worlds_of_different_sizes_live_side_by_side_in_threads() {
    std::thread::scope(|scope| {
        for (n_pes, heap, rounds) in [(2, MIB, 6), (3, 2 * MIB, 4)] {
            scope.spawn(move || {
                let config = config().with_heap_bytes(heap as u64);
                World::threads(n_pes, &config, |world| {
                    (0..rounds).try_for_each(|round| ring(world, 1000 * n_pes as usize + round))?;
                    assert_eq!((world.heap().allocated, world.heap().mapped), (0, OWN + heap as u64));
                    Ok(())
                })
                .unwrap();
            });
        }
    });
}

#[test]
fn two_worlds_interleave_in_the_same_threads_and_their_kernels_run_at_once() {
    let (id, listener) = UniqueId::listen(std::net::Ipv4Addr::LOCALHOST.into()).unwrap();
    let listener = std::sync::Arc::new(listener);
    World::threads(3, &config(), |a| {
        // The second world has the same PEs in reverse order, and another heap.
        let pe = 2 - a.my_pe().number();
        let root = RootAt::Id { id: id.clone(), listener: (pe == 0).then(|| listener.clone()) };
        let bootstrap = oxshmem_hal::bootstrap::BootstrapConfig {
            pe: Pe::new(pe),
            n_pes: 3,
            root,
            limit: a.config().wait_limit,
            host: None,
        };
        let b = World::join(config().with_heap_bytes(4 << 20), &bootstrap)?;
        let words: [SymPtr<u64>; 2] = [a.calloc(1)?, b.calloc(1)?];
        let large = b.malloc::<u8>(2 * MIB)?;
        assert!(a.malloc::<u8>(100)?.addr() < large.add(2 * MIB).addr());
        a.barrier_all()?;
        b.barrier_all()?;
        let both = [(a, words[0]), (&b, words[1])];
        for (world, word) in both {
            // Both run at once, and each waits only for its own world.
            let rounds = world.modules().load("oxshmem-test-kernels")?.kernel("rounds")?;
            world.own_stream().launch_kernel(&rounds, Launch::new(1, 1).collective(), (word, 50u64))?;
        }
        b.p(large, 7, b.pe_after(1))?;
        for (world, word) in both {
            world.barrier_all()?;
            assert_eq!(world.g(word, world.my_pe())?, 50);
        }
        assert_eq!(b.g(large, b.my_pe())?, 7);
        // An error in one world does not affect the other.
        assert_eq!(b.malloc::<u8>(b.my_pe().index() + 1).unwrap_err().kind(), ErrorKind::Mismatch);
        b.finalize()?;
        ring(a, 100)
    })
    .unwrap();
}

#[test]
fn a_fault_in_one_world_leaves_the_other_alone() {
    World::threads(2, &config(), |good| {
        let outcome = World::threads(2, &config(), |bad| {
            let word = bad.calloc::<u64>(1)?;
            let kernel = bad.modules().load("oxshmem-test-kernels")?.kernel("one_word")?;
            bad.own_stream().launch_kernel(&kernel, Launch::new(1, 1), (word, Pe::new(9), 0u32))?;
            bad.own_stream().synchronize()
        });
        assert_eq!(outcome.unwrap_err().fault().unwrap().step, FaultStep::NoSuchPe);
        ring(good, 50)
    })
    .unwrap();
}

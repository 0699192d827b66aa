//! The heap grows while kernels run, on all PEs or on none.

use oxshmem_hal::{ErrorKind, Launch, World};
use oxshmem_tests::worlds::{Processes, config, say};

use super::{MIB, ring};

#[test]
fn the_heap_grows_while_kernels_of_other_pes_and_of_this_one_run() {
    World::threads(3, &config(), |world| {
        let word = world.calloc::<u64>(1)?;
        let before = world.calloc::<u64>(100)?;
        world.write(before, &[7; 100])?;
        world.barrier_all()?;
        let kernel = world.modules().load("oxshmem-test-kernels")?.kernel("rounds")?;
        let stream = world.stream()?;
        stream.launch_kernel(&kernel, Launch::new(1, 1).collective(), (word, 300u64))?;
        let mut grown = Vec::new();
        for step in 0..6 {
            let at = world.malloc::<u64>((1 + step) * 200_000)?;
            let last = at.add((1 + step) * 200_000 - 1);
            world.p(last, 100 + step as u64, world.pe_after(1))?;
            grown.push((last, 100 + step as u64));
        }
        world.barrier_all()?;
        assert_eq!(world.g(word, world.my_pe())?, 300);
        assert!(world.heap().mapped > 30 * (MIB as u64), "{:?}", world.heap());
        for (last, value) in grown {
            assert_eq!(world.g(last, world.my_pe())?, value);
        }
        let mut old = [0; 100];
        world.read(before, &mut old)?;
        assert_eq!(old, [7; 100], "what was allocated before stays where it is");
        // A kernel that is launched now reaches the new memory.
        ring(world, 100_000)
    })
    .unwrap();
}

/// PE 1 has fewer and fewer descriptors left, so that growth fails there at each of its steps.
pub(crate) fn short_of_descriptors() {
    use nix::sys::resource::{Resource, getrlimit, setrlimit};
    let world = World::init().unwrap();
    let odd = world.my_pe().number() == 1;
    let (_, hard) = getrlimit(Resource::RLIMIT_NOFILE).unwrap();
    setrlimit(Resource::RLIMIT_NOFILE, 100, hard).unwrap();
    let (mut failed, mut grown) = (0, Vec::new());
    for left in (0..12).rev() {
        let mut held = Vec::new();
        while odd && let Ok(file) = std::fs::File::open("/dev/null") {
            held.push(file);
        }
        held.truncate(held.len().saturating_sub(left));
        world.barrier_all().unwrap();
        match world.malloc::<u8>(3 * MIB) {
            Ok(at) => grown.push(at),
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::Exhausted, "{error}");
                assert!(odd || error.to_string().contains("PE 1"), "{error}");
                failed += 1;
            }
        }
        // Allocations that need no growth work, and growth works again as soon as it can.
        let small = world.calloc::<u64>(10).unwrap();
        world.free(small).unwrap();
        drop(held);
        world.barrier_all().unwrap();
        grown.push(world.malloc::<u8>(3 * MIB).unwrap());
    }
    for at in &grown {
        world.p(at.add(3 * MIB - 1), 9u8, world.pe_after(1)).unwrap();
    }
    world.barrier_all().unwrap();
    assert!(grown.iter().all(|at| world.g(at.add(3 * MIB - 1), world.my_pe()).unwrap() == 9));
    assert!(failed >= 2 && grown.len() > 12, "{failed} failed, {} worked", grown.len());
    ring(&world, 10_000).unwrap();
    world.finalize().unwrap();
    say("grown after all");
}

#[test]
fn growth_that_fails_on_one_pe_fails_on_all_and_works_once_there_is_room() {
    for said in Processes::start("short", 3, &[]).all_succeed() {
        assert_eq!(said, ["grown after all"]);
    }
}

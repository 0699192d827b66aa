//! Open descriptors of a PE, by the number of PEs of its host.

use oxshmem_hal::{Config, DeviceChoice, World};
use oxshmem_tests::worlds::{Processes, say};

/// The most connections of a PE of a tree: to its parent, 15 siblings and 16 children.
const OF_TREE: usize = 32;

fn open_descriptors() -> usize {
    // One of them reads the folder.
    std::fs::read_dir("/proc/self/fd").unwrap().count() - 1
}

/// Reports the descriptors that the world has opened: after its start, and after its heap has grown three times.
pub(crate) fn counted() {
    let before = open_descriptors();
    let config = Config::new().with_device(DeviceChoice::Host).with_heap_bytes(1 << 20);
    let world = World::init_with(config).unwrap();
    let started = open_descriptors() - before;
    for step in 0..3 {
        world.malloc::<u8>((2 + step) << 20).unwrap();
    }
    world.barrier_all().unwrap();
    say(format!("{started} {}", open_descriptors() - before));
    // A PE that is gone is a descriptor less on its parent.
    world.barrier_all().unwrap();
    world.finalize().unwrap();
}

/// Returns the largest numbers of any PE of `n`.
fn most(n: u32) -> [usize; 2] {
    let said = Processes::start("descriptors", n, &[]).all_succeed();
    let of_pe = |said: &Vec<String>| {
        let numbers: Vec<usize> = said[0].split(' ').map(|number| number.parse().unwrap()).collect();
        [numbers[0], numbers[1]]
    };
    said.iter().map(of_pe).reduce(|a, b| [a[0].max(b[0]), a[1].max(b[1])]).unwrap()
}

#[test]
fn a_pe_keeps_no_descriptor_for_each_other_pe_of_its_host() {
    let (few, many) = (most(2), most(60));
    assert!(many[0] <= few[0] + OF_TREE, "{few:?} with 2 PEs, {many:?} with 60");
    // One for each extent of its own heap.
    assert!(many[1] <= many[0] + 3, "{many:?} with 60 PEs");
}

//! Devices of every kind, and devices that can't be used.

use oxshmem_device::prelude::*;
use oxshmem_hal::{Launch, World};
use oxshmem_softnic::{Knobs, PiSource};
use oxshmem_tests::worlds::say;

use super::{run, start};
use oxshmem_tests::losses::tell;

const WORDS: usize = 2000;

kernel! {
    /// Puts a word of each thread into the right neighbour's heap, adds to a counter there, and takes a ticket from it.
    fn words_to_the_right(shmem: Shmem, words: SymPtr<u64>, counters: SymPtr<u64>) -> Result<(), Fault> {
        let right = shmem.pe_after(1);
        let (mut at, step) = (thread_in_grid(), threads_in_grid());
        while at < WORDS {
            shmem.p(words.add(at), at as u64 + 1, right)?;
            shmem.atomic_add(counters, at as u64, right)?;
            if at % 10 == 0 {
                shmem.atomic_fetch_add(counters.add(1), 1, right)?;
            }
            at += step;
        }
        shmem.barrier_all(Block)
    }
}

pub(crate) fn words() {
    let world = World::init().unwrap();
    let (words, counters) = (world.calloc::<u64>(WORDS).unwrap(), world.calloc::<u64>(2).unwrap());
    let kernel = world.modules().load("worlds").unwrap().kernel("words_to_the_right").unwrap();
    world.barrier_all().unwrap();
    world.own_stream().launch_kernel(&kernel, Launch::new(1, 64).collective(), (words, counters)).unwrap();
    world.own_stream().synchronize().unwrap();
    world.barrier_all().unwrap();
    let (mut found, mut counted) = (vec![0; WORDS], [0; 2]);
    world.read(words, &mut found).unwrap();
    world.read(counters, &mut counted).unwrap();
    assert!(found.iter().zip(1..).all(|(found, wanted)| *found == wanted), "{found:?}");
    let sum = (WORDS * (WORDS - 1) / 2) as u64;
    assert_eq!(counted, [sum, WORDS as u64 / 10]);
    world.finalize().unwrap();
    say("done");
}

/// Returns the first seed that satisfies the condition.
fn seed_of(what: impl Fn(&Knobs) -> bool) -> String {
    (1_u64..).find(|seed| what(&Knobs::from_seed(*seed))).unwrap().to_string()
}

#[test]
fn doorbells_that_are_lost_late_or_merged_lose_nothing() {
    for seed in [
        seed_of(|knobs| knobs.pi == PiSource::Doorbell && knobs.lost_doorbell >= 64),
        seed_of(|knobs| knobs.pi == PiSource::Record),
        seed_of(|knobs| knobs.pi == PiSource::LateRecord && knobs.fetch_delay_us > 0),
        seed_of(|knobs| knobs.prefetch && knobs.late_cqe > 0 && knobs.shuffle),
    ] {
        let Some(said) = run("words", 2, &[("OXSHMEM_SOFTNIC_SEED", &seed)]) else { return };
        assert!(said.iter().all(|said| said == &["done"]), "seed {seed}: {said:?}");
    }
}

#[test]
fn pes_with_nics_of_different_kinds_reach_each_other() {
    let own = |pe: u32| vec![("OXSHMEM_SOFTNIC_PROFILE", ["cx6", "cx7", "cx8"][pe as usize].to_owned())];
    let Some((wire, world)) = start("words", 3, &[], own) else { return };
    let said = world.all_succeed();
    assert!(said.iter().all(|said| said == &["done"]), "{said:?}");
    assert_eq!(wire.violations(), "");
}

#[test]
fn the_device_of_a_name_is_used_and_one_that_is_not_there_is_an_error_that_says_so() {
    let two = ("OXSHMEM_SOFTNIC_NICS", "2");
    let Some(said) = run("words", 2, &[two, ("OXSHMEM_HCA_LIST", "mlx5_1")]) else { return };
    assert!(said.iter().all(|said| said == &["done"]), "{said:?}");
    let Some(said) = run("begin", 2, &[two, ("OXSHMEM_HCA_LIST", "mlx5_7")]) else { return };
    said.iter().for_each(|said| assert!(said[0].contains("mlx5_7"), "{said:?}"));
}

/// Expects that no world is created.
pub(crate) fn begin() {
    match World::init() {
        Ok(_) => say("there is a world"),
        Err(error) => tell(&error),
    }
}

#[test]
fn what_keeps_a_device_from_being_used_is_said_with_what_to_do_about_it() {
    for (variable, parts) in [
        (("OXSHMEM_SOFTNIC_DENY", "mr"), &["ibv_reg_mr", "ulimit -l"][..]),
        (("OXSHMEM_SOFTNIC_DENY", "open"), &["mlx5_0", "/dev/infiniband"]),
        (("OXSHMEM_SOFTNIC_ABSENT", "1"), &["has none"]),
        (("OXSHMEM_SOFTNIC_ABSENT", "driver"), &["ibv_get_device_list", "modprobe"]),
    ] {
        let Some(said) = run("begin", 2, &[variable]) else { return };
        for said in said {
            parts.iter().for_each(|part| assert!(said[0].contains(part), "{variable:?}: {part} in {said:?}"));
        }
    }
}

#[test]
fn links_of_different_kinds_are_an_error_on_every_pe() {
    let own = |pe: u32| vec![("OXSHMEM_SOFTNIC_LINK", ["ib", "roce"][pe as usize].to_owned())];
    let Some((_wire, world)) = start("begin", 2, &[], own) else { return };
    for said in world.all_succeed() {
        assert!(said[0].contains("Ethernet") && said[0].contains("InfiniBand"), "{said:?}");
    }
}

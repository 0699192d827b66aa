//! Worlds of processes, of threads and of one PE start and end.

use oxshmem_hal::{Pe, World};
use oxshmem_tests::worlds::{Processes, config, say};

use super::ring;

pub(crate) fn one_after_the_other() {
    for round in 0..5 {
        let world = World::init().unwrap();
        ring(&world, 100 + round).unwrap();
        world.finalize().unwrap();
    }
    say("five worlds");
}

#[test]
fn worlds_follow_one_another_in_the_same_processes() {
    for said in Processes::start("one after the other", 3, &[]).all_succeed() {
        assert_eq!(said, ["five worlds"]);
    }
}

pub(crate) fn one_ring() {
    let world = World::init().unwrap();
    ring(&world, 10_000).unwrap();
    say(format!("{} of {}", world.my_pe(), world.n_pes()));
    world.finalize().unwrap();
}

#[test]
fn eight_processes_and_eight_threads_make_worlds_of_eight() {
    let said = Processes::start("ring", 8, &[]).all_succeed();
    for (pe, said) in said.iter().enumerate() {
        assert_eq!(said, &[format!("PE {pe} of 8")]);
    }
    World::threads(8, &config(), |world| ring(world, 10_000)).unwrap();
}

#[test]
fn what_was_set_in_vain_is_told_once_by_pe_0() {
    let variables = [
        ("NVSHMEM_DISABLE_NVLS", "1"),
        ("NVSHMEM_REMOTE_TRANSPORT", "ucx"),
        ("OXSHMEM_VERSION", "1"),
        ("OXSHMEM_WAIT_LIMITS", "1s"),
    ];
    let ends = Processes::start("ring", 2, &variables).ends();
    let told = &ends[0].stderr;
    assert_eq!(told.matches("oxshmem: note: NVSHMEM_DISABLE_NVLS").count(), 1, "{told}");
    assert_eq!(told.matches("oxshmem: note: REMOTE_TRANSPORT = ucx is without effect").count(), 1, "{told}");
    assert_eq!(told.matches("oxshmem: note: OXSHMEM_WAIT_LIMITS").count(), 1, "{told}");
    assert_eq!(told.matches("oxshmem: version ").count(), 1, "{told}");
    assert!(!ends[1].stderr.contains("oxshmem: "), "{}", ends[1].stderr);
    let silent = Processes::start("ring", 2, &[("OXSHMEM_DEBUG", "none"), ("OXSHMEM_WAIT_LIMITS", "1s")]).ends();
    assert!(!silent[0].stderr.contains("oxshmem: "), "{}", silent[0].stderr);
}

#[test]
fn a_world_of_one_does_everything_with_itself() {
    World::threads(1, &config(), |world| {
        assert_eq!((world.my_pe(), world.n_pes(), world.pe_after(3)), (Pe::new(0), 1, Pe::new(0)));
        world.own_stream().barrier_all()?;
        world.own_stream().synchronize()?;
        assert_eq!(world.qps().create(1)?.len(), 1);
        ring(world, 1)
    })
    .unwrap();
}

/// Without a launcher a process is a world of one; a `main` that returns while it holds a world ends well.
pub(crate) fn threads_and_a_world_of_one() {
    let world = World::init().unwrap();
    assert_eq!(world.n_pes(), 1);
    ring(&world, 10).unwrap();
    say("alone");
}

#[test]
fn a_process_without_a_launcher_is_a_world_of_one() {
    let said = Processes::start_with("exits", 0..1, &[], |_, command| {
        // A launcher of the test run itself must not be this process's launcher.
        for name in ["OXSHMEM_PE", "OXSHMEM_N_PES", "OXSHMEM_UID", "SLURM_PROCID", "PMI_RANK", "PMIX_RANK"] {
            command.env_remove(name);
        }
    });
    assert_eq!(said.all_succeed(), [["alone"]]);
}

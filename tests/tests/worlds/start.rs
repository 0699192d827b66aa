//! Programs that make their world by `World::run`: alone and under a launcher.

use oxshmem_hal::{Error, ErrorKind, Pe, Result, World};
use oxshmem_tests::worlds::{self, Body, Processes, say};

pub(crate) const BODIES: &[Body] = &[("who", who), ("fail", fail_on_one), ("panic", panic_on_one)];

/// Reports the PEs that ran in this process, and the number of PEs.
fn who() {
    let ran = World::run(5, &worlds::config(), |world| {
        world.barrier_all()?;
        Ok((world.my_pe().number(), world.n_pes()))
    });
    say(format!("{:?}", ran.unwrap()));
}

fn fails(world: &World) -> Result<()> {
    if world.my_pe() == Pe::new(1) {
        return Err(Error::new(ErrorKind::NotFound, "find the input"));
    }
    world.barrier_all()
}

fn tell(outcome: Result<Vec<()>>) {
    let error = outcome.unwrap_err();
    say(format!("{:?} | {:?} | {error}", error.kind(), error.pe()));
}

fn fail_on_one() {
    tell(World::run(5, &worlds::config(), fails));
}

fn panic_on_one() {
    tell(World::run(5, &worlds::config(), |world| {
        assert_ne!(world.my_pe(), Pe::new(1), "one too many");
        world.barrier_all()
    }));
}

#[test]
fn alone_a_program_is_as_many_pes_as_it_says() {
    let said = Processes::start_with("who", 0..1, &[], |_, _| {}).all_succeed();
    assert_eq!(said, [["[(0, 5), (1, 5), (2, 5), (3, 5), (4, 5)]"]]);
}

#[test]
fn under_a_launcher_a_process_is_one_pe_of_the_launchers_world() {
    let said = Processes::start("who", 3, &[]).all_succeed();
    assert_eq!(said, [["[(0, 3)]"], ["[(1, 3)]"], ["[(2, 3)]"]]);
}

#[test]
fn a_pe_that_fails_tells_the_others_why() {
    let said = Processes::start("fail", 2, &[]).all_succeed();
    assert!(said[1][0].starts_with("NotFound | None | cannot find the input"), "{said:?}");
    assert!(said[0][0].starts_with("PeerDied | Some(Pe(1))"), "{said:?}");
    assert!(said[0][0].contains("find the input"), "{said:?}");
}

#[test]
fn a_pe_that_panics_tells_the_others_what_it_said() {
    let ends = Processes::start("panic", 2, &[]).ends();
    assert!(!ends[1].status.success(), "{}", ends[1].stderr);
    assert!(ends[0].said[0].starts_with("PeerDied | Some(Pe(1))"), "{:?}", ends[0].said);
    assert!(ends[0].said[0].contains("one too many"), "{:?}", ends[0].said);
}

#[test]
fn a_launcher_that_says_nonsense_is_an_error_and_no_world_of_threads() {
    let variables = [("OXSHMEM_PE", "2"), ("OXSHMEM_N_PES", "2")];
    let said = Processes::start_with("fail", 0..1, &variables, |_, _| {}).all_succeed();
    assert!(said[0][0].starts_with("OutOfRange") && said[0][0].contains("OXSHMEM_PE is 2"), "{said:?}");
}

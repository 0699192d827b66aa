//! Refusals of devices and peers: each is an error that names the step, the call and its code, and leaves no object.

use super::*;
use crate::host::connection::HINT_OF_QPS;

fn pair() -> [Arc<Fake>; 2] {
    [Fake::new("mlx5_0", 1), Fake::new("mlx5_0", 2)]
}

fn open_objects(fakes: &[Arc<Fake>]) -> Vec<usize> {
    fakes.iter().map(|fake| fake.open_objects()).collect()
}

#[test]
fn a_queue_pair_that_cant_be_connected_is_told_with_call_code_and_peer_and_nothing_is_left() {
    let fakes = pair();
    let mut world = World::new(&config(), &fakes);
    let before = open_objects(&fakes);
    fakes[0].refuse_with("ibv_modify_qp", 1, 22, "Invalid argument");
    let mut answers = world.make_default_rows();
    let error = answers.remove(0).unwrap_err();
    says(&error, ErrorKind::InvalidArgument, &["mlx5_0", "ibv_modify_qp returned 22: Invalid argument"]);
    assert_eq!((error.pe(), error.code()), (Some(Pe::new(1)), Some(22)));
    world.pes.iter_mut().for_each(|pe| pe.destroy_qps(&[0, 1]).unwrap());
    assert_eq!(open_objects(&fakes)[0], before[0], "the PE that failed");
}

#[test]
fn a_queue_pair_that_cant_be_made_is_told_with_its_number_and_what_to_ask_less_of() {
    let fakes = pair();
    let mut world = World::new(&config(), &fakes);
    let before = open_objects(&fakes);
    fakes[0].refuse_with("ibv_create_qp", 1, 12, "Cannot allocate memory");
    let error = world.pes[0].prepare_qps(0..2).unwrap_err();
    says(&error, ErrorKind::Exhausted, &["it is number 2 of 3", "ibv_create_qp returned 12", HINT_OF_QPS]);
    assert_eq!(open_objects(&fakes), before);
    fakes[0].refuse_with("ibv_create_cq", 0, 12, "Cannot allocate memory");
    says(&world.pes[0].prepare_qps(0..2).unwrap_err(), ErrorKind::Exhausted, &["ibv_create_cq returned 12"]);
    assert_eq!(open_objects(&fakes), before);
    fakes[0].allow("ibv_create_cq");
    fakes[0].allow("ibv_create_qp");
    world.make_default_rows().into_iter().for_each(Result::unwrap);
}

#[test]
fn more_queue_pairs_or_completions_than_the_device_has_are_told_with_both_numbers() {
    let fakes = pair();
    let mut world = World::new(&config(), &fakes);
    fakes.iter().for_each(|fake| fake.set_caps(|caps| caps.max_qp = 2));
    let mut small = World::new(&config(), &fakes);
    let error = small.pes[0].prepare_qps(0..2).unwrap_err();
    says(&error, ErrorKind::Exhausted, &["mlx5_0 port 1", "3 queue pairs asked, 2 available", "NUM_RC_PER_PE"]);
    fakes.iter().for_each(|fake| fake.set_caps(|caps| (caps.max_qp, caps.max_cqe) = (64, 40)));
    let mut small = World::new(&config(), &fakes);
    let error = small.pes[0].prepare_qps(0..2).unwrap_err();
    says(&error, ErrorKind::Exhausted, &["48 entries asked, 40 available", "OXSHMEM_QP_DEPTH"]);
    world.make_default_rows().into_iter().for_each(Result::unwrap);
    let error = world.pes[0].prepare_qps(1..3).unwrap_err();
    says(&error, ErrorKind::InvalidArgument, &["create 2 queue pairs", "row 1 exist already"]);
}

#[test]
fn a_queue_pair_that_is_deeper_than_asked_for_is_used_as_deep_as_completions_have_room() {
    let fakes = pair();
    let mut world = World::new(&config(), &fakes);
    world.make_default_rows().into_iter().for_each(Result::unwrap);
    let (_, _, connection) = world.pes[0].rows.queues().next().unwrap();
    assert_eq!(connection.connection().as_ref().unwrap().endpoint.depth, 16, "the device gave 32");
}

#[test]
fn memory_that_cant_be_registered_is_told_with_call_and_code_and_is_not_used() {
    let fakes = pair();
    let mut world = World::new(&config(), &fakes);
    let before = open_objects(&fakes);
    fakes[0].refuse_with("ibv_reg_mr_iova2", 0, 14, "Bad address");
    says(&world.pes[0].register(0x10000, 8).unwrap_err(), ErrorKind::InvalidArgument, &["returned 14: Bad address"]);
    for (at, bytes) in [(0x10000, 0), (u64::MAX, 2)] {
        let error = world.pes[0].register(at, bytes).unwrap_err();
        says(&error, ErrorKind::InvalidArgument, &["at least one byte, and ends within the address space"]);
    }
    assert_eq!(open_objects(&fakes), before);
    // The proxies' own registration also needs memory.
    let error = refused(
        &config(),
        &[{
            let fake = Fake::new("mlx5_0", 1);
            fake.refuse_with("ibv_reg_mr_iova2", 0, 12, "Cannot allocate memory");
            fake
        }],
    );
    says(&error, ErrorKind::Exhausted, &["ibv_reg_mr_iova2 returned 12"]);
}

#[test]
fn what_a_peer_says_is_checked() {
    let fakes = pair();
    let mut world = World::new(&config(), &fakes);
    let said = world.pes[0].prepare_qps(0..2).unwrap().swap_remove(0);
    let error = world.pes[0].connect_qps(&[said.clone(), vec![1, 2, 3]]).unwrap_err();
    assert_eq!((error.kind(), error.pe()), (ErrorKind::Malformed, Some(Pe::new(1))));
    let said = world.pes[0].prepare_qps(0..2).unwrap().swap_remove(0);
    let error = world.pes[0].connect_qps(&[said.clone(), said]).unwrap_err();
    says(&error, ErrorKind::Mismatch, &["it has none to this PE", "settings of both PEs"]);
    let other = World::new(&IbrcConfig { rows: 3, ..config() }, &pair()).pes[1].prepare_qps(0..3).unwrap()[0].clone();
    let said = world.pes[0].prepare_qps(0..2).unwrap().swap_remove(0);
    let error = world.pes[0].connect_qps(&[said, other]).unwrap_err();
    says(&error, ErrorKind::Malformed, &["it has 4 rows of queue pairs to 2 PEs, this PE 3 to 2"]);
    assert_eq!(world.pes[0].connect_qps(&[]).unwrap_err().kind(), ErrorKind::InvalidArgument);
}

#[test]
fn settings_out_of_range_are_refused_before_a_device_is_asked_for() {
    for (change, words) in [
        ((|c| c.proxies = Some(65)) as fn(&mut IbrcConfig), "OXSHMEM_PROXY_THREADS = 65"),
        (|c| c.ring_depth = 65, "OXSHMEM_PROXY_RING_DEPTH = 65"),
        (|c| c.rows = 0, "OXSHMEM_IBGDA_NUM_RC_PER_PE = 0"),
        (|c| c.depth = 1 << 16, "OXSHMEM_QP_DEPTH = 65536"),
    ] {
        let mut config = config();
        change(&mut config);
        says(&refused(&config, &[]), ErrorKind::OutOfRange, &[words, "it takes"]);
    }
}

#[test]
fn a_system_without_libibverbs_says_what_is_missing_and_what_to_install() {
    let nowhere = oxshmem_rdma::verbs::rc::LibVerbs::open_from(&["/nonexistent".into()]);
    let Err(missing) = nowhere else {
        // A library that the loader finds by itself is as good.
        return;
    };
    let provider = crate::host::setup::provider::Missing(missing.clone());
    let windows = Arc::new(Mutex::new(Windows::new(&Memory::Host, Pe::new(0), 2, 64 << 20).unwrap()));
    let error = Ibrc::open(&config(), &provider, Memory::Host, windows, Pe::new(0), None, &[false, true]).unwrap_err();
    assert_eq!(error.to_string(), missing.to_string());
    says(&error, ErrorKind::NotFound, &["libibverbs"]);
}

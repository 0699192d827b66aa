//! Rows of queues.

use super::*;
use crate::state::FetchSlot;
use oxshmem_core::host::ErrorKind;
use oxshmem_raw::queue::rows::queue_number;
use oxshmem_raw::queue::stopped::Stopped;
use oxshmem_rdma::mlx5::devx::{CreateCq, CreateQp, Field, Init2Rtr, get};

#[test]
fn default_rows_lead_to_every_peer_and_are_counted_when_they_are_whole() {
    let fakes = nics(3);
    let mut world = World::new(&config(), &fakes);
    assert_eq!(shared(&world.pes[0]).rows, 0);
    (0x1000..).zip(&mut world.pes).for_each(|(address, pe)| pe.set_world(address));
    world.make_default_rows().into_iter().for_each(Result::unwrap);
    for (me, pe) in world.pes.iter().enumerate() {
        assert_eq!((shared(pe).rows, shared(pe).n_extents, shared(pe).max_message), (2, 1, 1 << 30));
        for number in 0..6 {
            let state = queue(pe, number);
            if number as usize % 3 == me {
                assert_eq!(state.sq, 0, "there is no queue of PE {me} to itself");
                continue;
            }
            assert_eq!((state.pe, state.handle, state.depth, state.room), (number % 3, 1, 128, 128));
            assert_eq!(state.world, 0x1000 + me as u64);
            assert!(state.sq.is_multiple_of(4096) && state.dbr % 8 == 4 && state.first_end == EXTENT);
            assert_eq!(state.fetch, state.fetch_iova);
            // SAFETY: the addresses are those of a queue's parts, in memory of the host that nothing uses meanwhile.
            unsafe {
                assert_eq!(*(state.cqe as *const [u8; 64]), [0xff; 64], "no completion looks like one");
                assert_eq!(*((state.dbr - 4) as *const [u32; 2]), [0; 2]);
                assert_eq!(*(state.fetch as *const [u64; 2]).add(128), [0; 2], "there is one slot more than blocks");
            }
        }
    }
    // Parts of different queues do not overlap.
    let pe = &world.pes[0];
    let mut ranges: Vec<(u64, u64)> = Vec::new();
    for state in [1, 2, 4, 5].map(|number| queue(pe, number)) {
        let fetch = 129 * size_of::<FetchSlot>() as u64;
        ranges.extend([
            (state.sq, 64 * 128),
            (state.cqe, 64),
            (state.dbr - 4, 8),
            (state.marks, 8 * 128),
            (state.fetch, fetch),
        ]);
    }
    ranges.sort_unstable();
    assert!(ranges.windows(2).all(|pair| pair[0].0 + pair[0].1 <= pair[1].0), "{ranges:x?}");
}

/// The umems, offsets and other values of all commands that make queues.
fn fields(fake: &FakeHca, opcode: u16, fields: &[(usize, usize)]) -> Vec<Vec<u64>> {
    let read = |mailbox: &Vec<u8>| fields.iter().map(|&(at, bits)| get(mailbox, Field::new("", at, bits))).collect();
    fake.commands(opcode).iter().map(read).collect()
}

#[test]
fn a_completion_queue_has_one_entry_and_the_whole_number_of_its_event_queue() {
    let fakes = nics(2);
    let mut world = World::new(&config(), &fakes);
    world.make_default_rows().into_iter().for_each(Result::unwrap);
    // cc, log_cq_size and the event queue.
    let made = fields(&fakes[0], CreateCq::OPCODE, &[(0x80 + 0xb, 1), (0x80 + 0x63, 5), (0x80 + 0xa0, 32)]);
    assert_eq!(made, vec![vec![1, 0, u64::from(FakeHca::EQN)]; 3]);
}

#[test]
fn without_a_limit_of_the_page_size_no_part_of_a_queue_is_at_an_offset_of_its_umem() {
    // Umem and offset of the entries and their record, then those of the send queue and its record.
    let cq: [(usize, usize); 4] = [(0x2c0, 32), (0x280, 64), (0x80 + 0x20, 32), (0x80 + 0x1c0, 64)];
    let qp: [(usize, usize); 4] = [(0x840, 32), (0x800, 64), (0xc0 + 0x720, 32), (0xc0 + 0x500, 64)];
    for is_old in [false, true] {
        let fakes = nics(2);
        if is_old {
            fakes[0].refuse("umem_reg_ex", 0);
        }
        let mut world = World::new(&config(), &fakes);
        world.make_default_rows().into_iter().for_each(Result::unwrap);
        let made = [fields(&fakes[0], CreateCq::OPCODE, &cq), fields(&fakes[0], CreateQp::OPCODE, &qp)].concat();
        let mut umems: Vec<u64> = made.iter().flat_map(|fields| [fields[0], fields[2]]).collect();
        umems.sort_unstable();
        umems.dedup();
        let offsets: Vec<u64> = made.iter().flat_map(|fields| [fields[1], fields[3]]).collect();
        if is_old {
            assert_eq!((umems.len(), offsets), (12, vec![0; 12]), "each part is a umem of its own");
        } else {
            assert_eq!(umems.len(), 2, "one of the two rows, one of the host's queue");
            assert!(offsets.iter().filter(|offset| **offset == 0).count() == 2);
        }
        drop(world);
        assert_eq!(fakes[0].open_objects(), 0);
    }
}

#[test]
fn each_queue_pair_is_connected_with_its_own_twin() {
    let fakes = nics(3);
    let mut world = World::new(&config(), &fakes);
    world.make_default_rows().into_iter().for_each(Result::unwrap);
    world.create(2..3);
    // (queue pair, peer's queue pair) of each connection, by PE.
    let pairs: Vec<Vec<(u64, u64)>> = fakes
        .iter()
        .map(|fake| {
            let commands = fake.commands(Init2Rtr::OPCODE);
            let field = |command: &[u8], at| get(command, Field::new("", at, 24));
            commands.iter().map(|command| (field(command, 0x48), field(command, 0xc0 + 0xa8))).collect()
        })
        .collect();
    for (me, mine) in pairs.iter().enumerate() {
        // 2 default rows, 1 custom, 1 of the host, each to 2 peers.
        assert_eq!(mine.len(), 8);
        for (qpn, remote) in mine {
            let mut others = pairs.iter().enumerate().filter(|(other, _)| *other != me).map(|(_, theirs)| theirs);
            assert!(others.any(|theirs| theirs.contains(&(*remote, *qpn))), "{qpn:#x} and {remote:#x}");
        }
    }
    for (me, peer) in [(0, 1), (0, 2), (1, 2)] {
        for row in 0..3 {
            let mine = u64::from(queue(&world.pes[me], row * 3 + peer as u32).qpn);
            let theirs = u64::from(queue(&world.pes[peer], row * 3 + me as u32).qpn);
            assert!(pairs[me].contains(&(mine, theirs)), "row {row} of PE {me} and PE {peer}");
        }
    }
}

#[test]
fn queues_know_their_handles_and_a_destroyed_row_is_made_anew() {
    let mut world = World::new(&config(), &nics(3));
    world.make_default_rows().into_iter().for_each(Result::unwrap);
    world.create(2..5);
    assert_eq!(shared(&world.pes[1]).rows, 5);
    for raw in [2, 5, 8] {
        let number = queue_number(raw, 2, 3, 0);
        let state = queue(&world.pes[1], number);
        assert_eq!((state.handle, state.pe), (raw, 0));
        assert_ne!(state.sq, 0);
    }
    world.destroy(&[3]);
    assert_eq!((shared(&world.pes[1]).rows, queue(&world.pes[1], queue_number(5, 2, 3, 0)).sq), (5, 0));
    world.create(3..4);
    assert_eq!(queue(&world.pes[1], queue_number(5, 2, 3, 0)).handle, 5);
    assert_eq!(queue(&world.pes[1], queue_number(5, 2, 3, 0)).reserved, 0);
    world.destroy(&[4, 3]);
    assert_eq!(shared(&world.pes[1]).rows, 3);
    let counted: Vec<(i32, u32)> =
        world.pes[0].counters().unwrap().iter().map(|c| (c.handle.raw(), c.pe.number())).collect();
    assert_eq!(counted, [(1, 1), (1, 2), (1, 1), (1, 2), (2, 1), (2, 2)]);
}

#[test]
fn rows_that_exist_and_more_queue_pairs_than_the_nic_has_are_refused() {
    let fakes = nics(2);
    let mut world = World::new(&config(), &fakes);
    world.make_default_rows().into_iter().for_each(Result::unwrap);
    world.create(2..5);
    let before = fakes[0].open_objects();
    for rows in [0..2, 4..6] {
        let twice = world.pes[0].prepare_qps(rows).unwrap_err();
        assert!(twice.kind() == ErrorKind::InvalidArgument && twice.to_string().contains("already"), "{twice}");
    }
    assert_eq!(fakes[0].open_objects(), before);
    let small = nics(2);
    small[0].set_cap("log_max_qp", 0);
    let error = World::new(&config(), &small).pes[0].prepare_qps(0..2).unwrap_err().to_string();
    assert!(error.contains("mlx5_0") && error.contains("2 queue pairs asked, 1 available"), "{error}");
    small[0].set_cap("log_max_qp", 1);
    World::new(&config(), &small).pes[0].prepare_qps(0..2).expect("as many as it has");
}

#[test]
fn the_end_of_a_row_that_does_not_exist_destroys_nothing() {
    let mut world = World::new(&config(), &nics(3));
    world.make_default_rows().into_iter().for_each(Result::unwrap);
    world.create(2..3);
    world.pes[0].destroy_qps(&[3, 5, u32::MAX]).unwrap();
    assert_eq!(shared(&world.pes[0]).rows, 3);
    assert_ne!(queue(&world.pes[0], 1).sq, 0, "the default queues are left alone");
}

#[test]
fn a_hundred_rounds_and_the_end_leave_nothing() {
    let fakes = nics(2);
    let mut world = World::new(&config(), &fakes);
    world.make_default_rows().into_iter().for_each(Result::unwrap);
    let before: Vec<usize> = fakes.iter().map(|fake| fake.open_objects()).collect();
    for round in 0..100 {
        let rows = 2..3 + round % 4;
        world.create(rows.clone());
        world.destroy(&rows.collect::<Vec<_>>());
        assert_eq!(fakes.iter().map(|fake| fake.open_objects()).collect::<Vec<_>>(), before, "round {round}");
    }
    world.create(2..4);
    drop(world);
    assert_eq!(fakes.iter().map(|fake| fake.open_objects()).collect::<Vec<_>>(), [0, 0]);
}

#[test]
fn a_nic_that_runs_out_midway_leaves_an_error_and_no_objects() {
    let fakes = nics(2);
    for call in ["create_qp", "create_cq", "alloc_uar", "umem_reg", "reg_mr"] {
        let mut world = World::new(&config(), &fakes);
        world.make_default_rows().into_iter().for_each(Result::unwrap);
        let before = fakes[0].open_objects();
        let after = if call.ends_with("reg") || call.ends_with("mr") { 0 } else { 2 };
        fakes[0].refuse(call, after);
        let error = world.pes[0].prepare_qps(2..6).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Exhausted, "{error}");
        assert!(error.to_string().contains("12: no memory"), "{error}");
        assert_eq!(fakes[0].open_objects(), before, "{call}");
        fakes[0].allow(call);
        world.create(2..6);
    }
    assert_eq!(fakes[0].open_objects(), 0);
}

#[test]
fn rows_that_another_pe_could_not_make_or_connect_are_given_back() {
    let fakes = nics(2);
    let mut world = World::new(&config(), &fakes);
    world.make_default_rows().into_iter().for_each(Result::unwrap);
    let before = fakes[0].open_objects();
    world.pes[0].prepare_qps(2..4).unwrap();
    world.pes[0].destroy_qps(&[2, 3]).unwrap();
    assert_eq!(fakes[0].open_objects(), before);
    // The second PE fails at its second queue pair, when the first has connected its own.
    fakes[1].refuse("obj_modify", 4);
    let answers = world.make_rows(2..4);
    assert!(answers[0].is_ok() && answers[1].is_err());
    world.destroy(&[2, 3]);
    fakes[1].allow("obj_modify");
    assert_eq!(fakes.iter().map(|fake| fake.open_objects()).collect::<Vec<_>>(), [before, before]);
    assert_eq!(world.pes.iter().map(|pe| shared(pe).rows).collect::<Vec<_>>(), [2, 2]);
    world.create(2..3);
    world.create(3..4);
    assert_eq!(fakes[0].queue_pairs(), 2 + 1 + 2);
}

#[test]
fn the_default_rows_are_not_made_before_the_heap_is_shared() {
    let fakes = nics(2);
    let (mut pe, _windows) = open(&config(), &fakes[..1], 0, 2).unwrap();
    let (mut other, _other_windows) = open(&config(), &fakes[1..], 1, 2).unwrap();
    let said = [pe.prepare_qps(0..2).unwrap(), other.prepare_qps(0..2).unwrap()];
    let said = said.map(|messages| messages[0].clone());
    let error = pe.connect_qps(&said).unwrap_err().to_string();
    assert!(error.contains("PE 1") && error.contains("heap"), "{error}");
    assert_eq!(fakes[0].queue_pairs(), 0, "what could not be connected is given back");
}

#[test]
fn a_stopped_queue_is_reported_once_and_counters_are_read_at_any_time() {
    let mut world = World::new(&config(), &nics(3));
    world.make_default_rows().into_iter().for_each(Result::unwrap);
    world.create(2..3);
    assert!(world.pes[0].faults().unwrap().is_empty());
    let number = queue_number(2, 2, 3, 2);
    let states = world.pes[0].path_view().queues as *mut QueueState;
    let stopped = Stopped { index: 70_000, opcode: 8, syndrome: 0x15, vendor: 0x68 };
    // SAFETY: the tables have the queue, and no kernel runs.
    unsafe {
        let at = states.add(number as usize);
        ((*at).stopped, (*at).posted, (*at).done) = (stopped.word(), 70_003, 70_000);
        ((*at).doorbells, (*at).bytes, (*at).stalls) = (5, 1 << 40, 2);
    }
    let [fault] = world.pes[0].faults().unwrap()[..] else { panic!("one queue stopped") };
    assert_eq!((fault.pe, fault.qp, fault.at), (2, 2, 70_000));
    assert!(fault.to_string().contains("transport retries exceeded") && fault.to_string().contains("write"), "{fault}");
    assert!(world.pes[0].faults().unwrap().is_empty(), "each is told once");
    let counters = world.pes[0].counters().unwrap();
    let one = counters.iter().find(|counters| counters.errors > 0).unwrap();
    assert_eq!((one.handle.raw(), one.row, one.pe, one.errors), (2, 2, Pe::new(2), 1));
    assert_eq!((one.posted, one.completed, one.doorbells, one.bytes, one.stalls), (70_003, 70_000, 5, 1 << 40, 2));
    assert_eq!(counters.iter().map(|counters| counters.errors).sum::<u64>(), 1);
    world.destroy(&[2]);
    world.create(2..3);
    assert!(world.pes[0].faults().unwrap().is_empty(), "a row that is made anew has not stopped");
}

//! Injected failures, as programs see them.

use crate::driver::*;
use oxshmem_softnic::{Fault, Knobs, Options};

#[test]
fn every_syndrome_comes_as_an_error_completion_that_names_its_wqe() {
    for syndrome in [0x01, 0x02, 0x04, 0x05, 0x06, 0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x22] {
        let fault = Fault { qpn: None, wqe: 2, syndrome };
        let mut pair = Pair::new(Options { faults: vec![fault], ..Options::default() });
        (0..4).for_each(|i| pair.mine.set(i, 1 + i as u64));
        for i in 0..3 {
            pair.put(i * 8, i * 8, 8);
        }
        assert_eq!(pair.qa.wait(2), syndrome);
        assert_eq!(pair.qa.tail(), (2, 0xd));
        let named = u32::from_be(pair.qa.control.half(CQE * 2 + 14).load(std::sync::atomic::Ordering::Acquire));
        assert_eq!(named, 8 << 24 | pair.qa.qpn, "the WQE's opcode and the queue pair");
        pair.put(24, 24, 8);
        wait_for("the flush of the entry after it", || pair.qa.tail() == (3, 0xd));
        assert_eq!(pair.qa.wait(3), 0x05);
        let landed: Vec<u64> = (0..4).map(|i| pair.theirs.get(i)).collect();
        assert_eq!(landed, [1, 2, 0, 0], "what is behind it is not executed");
        assert!(pair.broken_rules().is_empty());
        assert_eq!(state(&pair.qa), 6, "the queue pair is in ERR");
    }
}

fn state(qp: &Qp) -> u8 {
    let mut answer = vec![0; 0x118];
    qp.hca.obj_query(qp.qp, &query(qp.qpn), &mut answer).unwrap();
    answer[0x18] >> 4
}

fn query(qpn: u32) -> Vec<u8> {
    let mut mailbox = vec![0; 16];
    put(&mut mailbox, 0, &[5, 0xb]);
    put(&mut mailbox, 8, &qpn.to_be_bytes());
    mailbox
}

#[test]
fn a_fault_stops_one_queue_and_no_other() {
    let mut pair = Pair::new(Options::default());
    let (mut other, theirs) = (Qp::new(&pair.a, Shape::default()), Qp::new(&pair.b, Shape::default()));
    other.connect(theirs.qpn, pair.b.lid);
    theirs.connect(other.qpn, pair.a.lid);
    pair.provider.inject(Fault { qpn: Some(pair.qa.qpn), wqe: 0, syndrome: 0x13 });
    let other_write = |other: &mut Qp, value: u32| {
        let inline = [1 << 31 | 4, value.to_be(), 0, 0];
        let index = other.write(&[ctrl(0, 8, SIGNALLED), raddr(80, pair.mr_b.rkey), inline]);
        other.ring();
        other.wait(index)
    };
    assert_eq!(other_write(&mut other, 5), 0);
    let index = pair.qa.write(&[ctrl(0, 0, SIGNALLED)]);
    pair.qa.ring();
    assert_eq!(pair.qa.wait(index), 0x13);
    assert_eq!(other_write(&mut other, 6), 0);
    assert_eq!(pair.theirs.get(10), 6);
}

#[test]
fn an_entry_that_is_posted_to_a_queue_in_error_is_flushed_without_effect() {
    let mut pair = Pair::new(Options { faults: Fault::parse_all("syndrome=0x15").unwrap(), ..Options::default() });
    pair.mine.set(0, 9);
    let index = pair.put(0, 0, 8);
    assert_eq!(pair.qa.wait(index), 0x15);
    pair.put(0, 0, 8);
    wait_for("its completion", || pair.qa.tail() == (1, 0xd));
    assert_eq!((pair.theirs.get(0), pair.qa.wait(1)), (0, 0x05));
}

#[test]
fn a_link_that_is_down_ends_messages_and_the_port_says_so() {
    for (nic, named) in [("mlx5_0", "here"), ("mlx5_1", "there")] {
        let mut pair = Pair::new(Options::default());
        let index = pair.put(0, 0, 8);
        assert_eq!(pair.qa.wait(index), 0, "{named}");
        pair.provider.set_link(nic, false).unwrap();
        let states = [&pair.a, &pair.b].map(|port| port.hca.ports().unwrap()[0].state);
        assert_eq!(states, if nic == "mlx5_0" { [1, 4] } else { [4, 1] });
        let index = pair.put(0, 0, 8);
        assert_eq!(pair.qa.wait(index), 0x15, "{named}");
    }
}

#[test]
fn the_rest_of_a_ring_is_flushed() {
    let shape = Shape { log_depth: 4, collapsed: false, log_cq: 4, ignores_overrun: true, service: 0 };
    let faults = Fault::parse_all("wqe=1,syndrome=0x13").unwrap();
    let mut pair = Pair::shaped(Options { faults, ..Options::default() }, shape);
    for _ in 0..4 {
        pair.qa.write(&[ctrl(0, 0, SIGNALLED)]);
    }
    pair.qa.ring();
    let entry = |qp: &Qp, i: usize| {
        let at = qp.ring as usize + i * 8;
        let tail = qp.control.half(at * 2 + 15).load(std::sync::atomic::Ordering::Acquire).to_le_bytes();
        let syndrome = qp.control.half(at * 2 + 13).load(std::sync::atomic::Ordering::Acquire).to_le_bytes()[3];
        (u16::from_be_bytes([tail[0], tail[1]]), tail[3] >> 4, if tail[3] >> 4 == 0xd { syndrome } else { 0 })
    };
    wait_for("the last entry", || entry(&pair.qa, 3).1 == 0xd);
    let entries: Vec<_> = (0..4).map(|i| entry(&pair.qa, i)).collect();
    assert_eq!(entries, [(0, 0, 0), (1, 0xd, 0x13), (2, 0xd, 5), (3, 0xd, 5)]);
}

#[test]
fn a_flush_overwrites_the_first_error_of_a_collapsed_queue() {
    let faults = Fault::parse_all("wqe=1,syndrome=0x13").unwrap();
    let mut pair = Pair::new(Options { faults, ..Options::default() });
    for _ in 0..4 {
        pair.qa.write(&[ctrl(0, 0, SIGNALLED)]);
    }
    pair.qa.ring();
    wait_for("the flush", || pair.qa.tail() == (3, 0xd));
    assert_eq!(pair.qa.wait(3), 0x05);
}

#[test]
fn a_responder_that_refuses_stops_its_own_queue_too() {
    let mut pair = Pair::new(Options::default());
    let index = pair.put(WORDS as u64 * 8, 0, 8);
    assert_eq!(pair.qa.wait(index), 0x13);
    assert_eq!(state(&pair.qb), 6);
    let index = pair.qb.write(&[ctrl(0, 0, SIGNALLED)]);
    pair.qb.ring();
    assert_eq!(pair.qb.wait(index), 0x05, "what is posted there is flushed");
}

#[test]
fn a_command_to_err_flushes_and_one_to_reset_starts_again() {
    let mut pair = Pair::new(Options::default());
    pair.qa.modify(&modify_mailbox(0x507, pair.qa.qpn)[..16]).unwrap();
    let index = pair.qa.write(&[ctrl(0, 0, SIGNALLED)]);
    pair.qa.ring();
    assert_eq!(pair.qa.wait(index), 0x05);
    pair.qa.modify(&modify_mailbox(0x50a, pair.qa.qpn)[..16]).unwrap();
    let error = pair.qa.modify(&rst2init(pair.qa.qpn)).unwrap_err().to_string();
    assert!(error.contains("must be zero"), "the record is from before: {error}");
    pair.qa.control.set(DBR, 0);
    pair.qa.next = 0;
    (0..8).for_each(|word| pair.qa.control.set(CQE + word, u64::MAX));
    pair.qa.connect(pair.qb.qpn, pair.b.lid);
    let index = pair.put(0, 0, 8);
    assert_eq!(pair.qa.wait(index), 0);
}

#[test]
fn a_peer_that_is_not_there_or_has_no_receive_queue_is_reported() {
    let mut pair = Pair::new(Options::default());
    let (rkey, lkey) = (pair.mr_b.rkey, pair.mr_a.lkey);
    let imm = [ctrl(0, 9, SIGNALLED), raddr(0, rkey), data(8, lkey, 0)];
    let index = pair.qa.write(&imm);
    pair.qa.ring();
    assert_eq!(pair.qa.wait(index), 0x16);

    let pair = Pair::new(Options::default());
    let Pair { qb, mut qa, mr_b, mr_a, .. } = pair;
    qb.destroy();
    let index = qa.write(&[ctrl(0, 8, SIGNALLED), raddr(0, mr_b.rkey), data(8, mr_a.lkey, 0)]);
    qa.ring();
    assert_eq!(qa.wait(index), 0x15);
}

#[test]
fn a_peer_in_error_answers_nothing() {
    let mut pair = Pair::new(Options::default());
    pair.mine.set(0, 1);
    pair.qb.modify(&modify_mailbox(0x507, pair.qb.qpn)[..16]).unwrap();
    let index = pair.put(0, 0, 8);
    assert_eq!((pair.qa.wait(index), pair.theirs.get(0)), (0x15, 0));
}

#[test]
fn of_a_message_that_is_not_allowed_whole_nothing_lands() {
    for scatter in [0, 1024] {
        let knobs = Knobs { scatter, ..Knobs::calm() };
        let mut pair = Pair::new(Options { knobs, ..Options::default() });
        let (rkey, lkey, whole) = (pair.mr_b.rkey, pair.mr_a.lkey, WORDS as u32 * 8);
        (0..WORDS).for_each(|word| pair.mine.set(word, 7));
        // The peer's region ends 8 bytes too early, after more than one piece of data.
        let gather = [data(whole, lkey, 0), data(8, lkey, 0)];
        let index = pair.qa.write(&[ctrl(0, 8, SIGNALLED), raddr(0, rkey), gather[0], gather[1]]);
        pair.qa.ring();
        assert_eq!(pair.qa.wait(index), 0x13);
        assert!((0..WORDS).all(|word| pair.theirs.get(word) == 0));
        assert_eq!(pair.broken_rules(), ["remote-bounds"]);
    }
}

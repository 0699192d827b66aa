//! Bugs of drivers: each is caught by the name of the rule that it breaks, and ends with an error completion.

mod memory;
mod rings;

use crate::driver::*;
use oxshmem_rdma::hca::{Region, UarKind, access};
use oxshmem_softnic::{Knobs, Options};

/// Runs a bug on a queue, and waits for the error of the WQE whose index it returns.
fn caught(rule: &str, bug: impl FnOnce(&mut Pair) -> u64) -> Pair {
    caught_by(Options::default(), Shape::default(), rule, bug)
}

fn caught_by(options: Options, shape: Shape, rule: &str, bug: impl FnOnce(&mut Pair) -> u64) -> Pair {
    let mut pair = Pair::shaped(options, shape);
    let index = bug(&mut pair);
    let syndrome = pair.qa.wait(index);
    assert_ne!(syndrome, 0, "an error completion comes");
    assert_eq!(pair.broken_rules(), [rule]);
    let violation = &pair.provider.violations()[0];
    assert_eq!((violation.nic.as_str(), violation.qpn), ("mlx5_0", pair.qa.qpn));
    assert!(!violation.what.is_empty());
    pair
}

/// Posts one entry and rings for it.
fn post(pair: &mut Pair, segments: &[[u32; 4]]) -> u64 {
    let index = pair.qa.write(segments);
    pair.qa.ring();
    index
}

fn keys(pair: &Pair) -> (u32, u32) {
    (pair.mr_a.lkey, pair.mr_b.rkey)
}

#[test]
fn a_wqe_with_another_index() {
    let pair = caught("wqe-index", |pair| {
        let head = [1 << 8, pair.qa.qpn << 8 | 1, SIGNALLED, 0];
        let index = pair.qa.write_raw(&[head]);
        pair.qa.ring();
        index
    });
    let violation = &pair.provider.violations()[0];
    assert!(violation.wqe.contains("NOP"), "the WQE is shown decoded: {violation}");
}

#[test]
fn a_wqe_with_another_queues_number() {
    caught("wqe-qpn", |pair| {
        let head = [0, (pair.qa.qpn + 1) << 8 | 1, SIGNALLED, 0];
        let index = pair.qa.write_raw(&[head]);
        pair.qa.ring();
        index
    });
}

#[test]
fn a_ds_that_is_zero_or_not_what_the_segments_need() {
    caught("segment-count", |pair| {
        let head = [0, pair.qa.qpn << 8, SIGNALLED, 0];
        let index = pair.qa.write_raw(&[head]);
        pair.qa.ring();
        index
    });
    caught("segment-count", |pair| {
        let (_, rkey) = keys(pair);
        // 4 bytes inline fit into one segment.
        post(pair, &[ctrl(0, 8, SIGNALLED), raddr(0, rkey), [1 << 31 | 4, 1, 0, 0], [0; 4]])
    });
    caught("segment-count", |pair| {
        let (lkey, rkey) = keys(pair);
        post(pair, &[ctrl(0, 0x12, SIGNALLED), raddr(0, rkey), data(8, lkey, 0)])
    });
}

#[test]
fn reserved_bits_that_are_set() {
    for (word, bits) in [(1, 0x40), (2, 1), (2, 0x10)] {
        caught("reserved-bits", |pair| {
            let mut head = [0, pair.qa.qpn << 8 | 1, SIGNALLED, 0];
            head[word] |= bits;
            let index = pair.qa.write_raw(&[head]);
            pair.qa.ring();
            index
        });
    }
}

#[test]
fn an_opcode_or_a_modifier_that_there_is_not() {
    caught("opcode", |pair| post(pair, &[ctrl(0, 0x77, SIGNALLED)]));
    caught("opcode", |pair| {
        let (lkey, rkey) = keys(pair);
        post(pair, &[ctrl(0, 0x15, SIGNALLED), raddr(0, rkey), [0; 4], data(4, lkey, 0)])
    });
}

#[test]
fn a_fence_mode_that_there_is_not() {
    caught("fence-mode", |pair| post(pair, &[ctrl(0, 0, SIGNALLED | 0xe0)]));
}

#[test]
fn inline_data_that_does_not_fit() {
    caught("inline-length", |pair| {
        let (_, rkey) = keys(pair);
        post(pair, &[ctrl(0, 8, SIGNALLED), raddr(0, rkey), [1 << 31 | 13, 0, 0, 0]])
    });
}

#[test]
fn a_result_longer_than_the_word() {
    caught("result-length", |pair| {
        let (lkey, rkey) = keys(pair);
        post(pair, &[ctrl(8, 0x15, SIGNALLED), raddr(0, rkey), [1, 0, 0, 0], data(8, lkey, 0)])
    });
}

#[test]
fn a_message_longer_than_the_limit() {
    let provider = provider(Options { nics: 2, ..Options::default() });
    let (a, b) = (Port::open(&provider, "mlx5_0"), Port::open(&provider, "mlx5_1"));
    let (mut qa, qb) = (Qp::new(&a, Shape::default()), Qp::new(&b, Shape::default()));
    qb.connect(qa.qpn, a.lid);
    let mut short = init2rtr(qa.qpn, qb.qpn, b.lid);
    short[0x20] = 0xaa;
    qa.modify(&rst2init(qa.qpn)).unwrap();
    qa.modify(&short).unwrap();
    qa.modify(&rtr2rts(qa.qpn)).unwrap();
    let (mine, theirs) = (Words::new(WORDS), Words::new(WORDS));
    let (mr_a, mr_b) = (a.register(&mine, WORDS, 0, ALL), b.register(&theirs, WORDS, 0, ALL));
    let mut write = |bytes| {
        let index = qa.write(&[ctrl(0, 8, SIGNALLED), raddr(0, mr_b.rkey), data(bytes, mr_a.lkey, 0)]);
        qa.ring();
        qa.wait(index)
    };
    assert_eq!(write(1024), 0);
    assert_eq!(write(1025), 0x01);
    assert_eq!(provider.violations()[0].rule.name(), "message-length");
}

#[test]
fn more_entries_than_the_queue_has_blocks() {
    caught("send-queue-overrun", |pair| {
        let depth = pair.qa.depth;
        for _ in 0..depth {
            pair.qa.write(&[ctrl(0, 0, 0)]);
        }
        pair.qa.record(depth + 1);
        pair.qa.doorbell(depth + 1);
        depth
    });
}

#[test]
fn an_entry_that_reaches_beyond_the_producer_index() {
    caught("beyond-producer-index", |pair| {
        let (_, rkey) = keys(pair);
        let inline = [1 << 31 | 29, 0, 0, 0];
        let index = pair.qa.write(&[ctrl(0, 8, 0), raddr(0, rkey), inline, [0; 4], [0; 4]]);
        pair.qa.record(1);
        pair.qa.doorbell(1);
        index
    });
}

#[test]
fn a_signalled_entry_of_two_blocks() {
    caught("multi-block-wqe-signalled", |pair| {
        let (_, rkey) = keys(pair);
        let inline = [1 << 31 | 29, 0, 0, 0];
        post(pair, &[ctrl(0, 8, SIGNALLED), raddr(0, rkey), inline, [0; 4], [0; 4]])
    });
}

#[test]
fn half_a_queue_without_a_signalled_entry() {
    caught("signalled-too-rarely", |pair| {
        let half = pair.qa.depth / 2;
        for _ in 0..half {
            pair.qa.write(&[ctrl(0, 0, 0)]);
        }
        post(pair, &[ctrl(0, 0, 0)])
    });
}

/// Returns a NIC whose reads are late.
fn slow_reads() -> Options {
    let knobs = Knobs { read_delay: 1024, read_delay_us: 600_000, seed: 11, ..Knobs::calm() };
    Options { knobs, ..Options::default() }
}

#[test]
fn a_wqe_that_is_changed_after_its_doorbell() {
    caught_by(slow_reads(), Shape::default(), "wqe-changed-before-completion", |pair| {
        let (lkey, rkey) = keys(pair);
        pair.mine.set(0, 5);
        pair.qa.write(&[ctrl(0, 8, 0), raddr(0, rkey), data(8, lkey, 0)]);
        let index = pair.qa.write(&[ctrl(0, 0x10, SIGNALLED), raddr(0, rkey), data(8, lkey, 8)]);
        pair.qa.ring();
        wait_for("the write", || pair.theirs.get(0) == 5);
        pair.qa.control.set(SQ + 7, 1);
        pair.qa.control.set(SQ + 5, 1);
        index
    });
}

#[test]
fn a_slot_that_is_used_again_before_its_entry_completed() {
    let pair =
        caught_by(slow_reads(), Shape { log_depth: 2, ..Shape::default() }, "wqe-changed-before-completion", |pair| {
            let (lkey, rkey) = keys(pair);
            pair.mine.set(0, 5);
            pair.qa.write(&[ctrl(0, 8, 0), raddr(0, rkey), data(8, lkey, 0)]);
            let index = pair.qa.write(&[ctrl(0, 0x10, SIGNALLED), raddr(0, rkey), data(8, lkey, 8)]);
            pair.qa.ring();
            wait_for("the write", || pair.theirs.get(0) == 5);
            for _ in 2..5 {
                pair.qa.write(&[ctrl(0, 0, 0)]);
            }
            index
        });
    let violation = &pair.provider.violations()[0];
    assert!(violation.what.contains("index 0x0004 stands there now"), "{violation}");
}

#[test]
fn a_dependent_write_without_a_fence_sends_what_was_there_before() {
    let send = |fence: u32| {
        let mut pair = Pair::new(slow_reads());
        let (lkey, rkey) = keys(&pair);
        pair.theirs.set(0, 77);
        pair.qa.write(&[ctrl(0, 0x10, 0), raddr(0, rkey), data(8, lkey, 0)]);
        pair.qa.write(&[ctrl(0, 8, fence), raddr(8, rkey), data(8, lkey, 0)]);
        let last = pair.qa.write(&[ctrl(0, 0, SIGNALLED)]);
        pair.qa.ring();
        assert_eq!(pair.qa.wait(last), 0);
        assert_eq!(pair.broken_rules(), [""; 0]);
        pair.theirs.get(1)
    };
    assert_eq!(send(0), 0, "nothing holds the write back");
    assert_eq!(send(FENCE), 77, "the fence does");
}

#[test]
fn a_completion_queue_that_nobody_consumes() {
    let shape = Shape { log_depth: 4, collapsed: false, log_cq: 2, ignores_overrun: false, service: 0 };
    let mut pair = Pair::shaped(Options::default(), shape);
    for _ in 0..5 {
        pair.qa.write(&[ctrl(0, 0, SIGNALLED)]);
    }
    pair.qa.ring();
    wait_for("the overrun", || !pair.broken_rules().is_empty());
    assert_eq!(pair.broken_rules(), ["completion-queue-overrun"]);
}

#[test]
fn an_entry_of_a_ring_that_looks_like_a_completion_before_it_is_written() {
    let shape = Shape { log_depth: 4, collapsed: false, log_cq: 2, ignores_overrun: true, service: 0 };
    let mut pair = Pair::shaped(Options::default(), shape);
    // Opcode 0 and owner 0: of the first lap.
    pair.qa.control.set(pair.qa.ring as usize + 7, 0);
    pair.qa.write(&[ctrl(0, 0, SIGNALLED)]);
    pair.qa.ring();
    wait_for("the completion", || !pair.broken_rules().is_empty());
    assert_eq!(pair.broken_rules(), ["completion-queue-invalid-at-first"]);
}

#[test]
fn a_doorbell_record_or_a_completion_queue_that_is_not_what_it_must_be_when_made() {
    let provider = provider(Options::default());
    let port = Port::open(&provider, "mlx5_0");
    let hca = &port.hca;
    let control = Words::new(SQ * 2);
    let umem = hca.umem_reg(Region::Address(control.at(0)), SQ as u64 * 16, access::LOCAL_WRITE, Some(4096)).unwrap();
    let uar = hca.alloc_uar(UarKind::NonCachedDedicated).unwrap();
    let rules = || provider.violations().iter().map(|violation| violation.rule.name()).collect::<Vec<_>>();
    let cq = create_cq_mailbox(umem.id, 0, (umem.id, CQ_DBR as u64 * 8), uar.page, &Shape::default());
    let mut out = [0; 16];

    let error = hca.obj_create(&cq, &mut out).unwrap_err().to_string();
    assert!(error.contains("not filled with 0xff") && error.contains("syndrome"), "{error}");
    assert_ne!((out[0], &out[4..8]), (0, &[0; 4][..]), "status and syndrome are in the answer");
    (0..8).for_each(|word| control.set(word, u64::MAX));
    control.set(CQ_DBR, 1);
    hca.obj_create(&cq, &mut out).unwrap_err();
    control.set(CQ_DBR, 0);
    hca.obj_create(&cq, &mut out).unwrap();

    let cqn = u32::from_be_bytes(out[8..12].try_into().unwrap());
    let wq = (umem.id, SQ as u64 * 8);
    let qp = create_qp_mailbox(port.pd.1, uar.page, cqn, 6, wq, (umem.id, DBR as u64 * 8));
    control.set(DBR, 1 << 56);
    let error = hca.obj_create(&qp, &mut out).unwrap_err().to_string();
    assert!(error.contains("it must be zero"), "{error}");
    let zero = "doorbell-record-zero-at-creation";
    assert_eq!(rules(), ["completion-queue-invalid-at-first", zero, zero]);
    control.set(DBR, 0);
    hca.obj_create(&qp, &mut out).unwrap();
    assert_eq!(rules().len(), 3);
}

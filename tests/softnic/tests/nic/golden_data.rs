//! Output of rdma-core, UCX and NVSHMEM, read by the decoders.

use std::path::PathBuf;

use oxshmem_softnic::decode::mailbox::{self, CreateCq, QpContext, op};
use oxshmem_softnic::decode::{Atomic, Operation, Source, decode, show};

fn golden(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../hal/rdma/src/mlx5/golden").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn bytes(hex: &str) -> Vec<u8> {
    assert!(hex.len().is_multiple_of(2), "{hex}");
    (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).unwrap()).collect()
}

/// Returns the value of a field of a line of JSON, without quotes.
fn field<'a>(line: &'a str, name: &str) -> &'a str {
    let key = format!("\"{name}\":");
    let value = &line[line.find(&key).unwrap_or_else(|| panic!("no {name} in {line}")) + key.len()..];
    value.split([',', '}']).next().unwrap().trim_matches('"')
}

fn number(line: &str, name: &str) -> u64 {
    field(line, name).parse().unwrap()
}

#[test]
fn every_wqe_of_rdma_core_says_what_it_was_posted_as() {
    let mut seen = 0;
    for line in golden("mlx5-wqe-golden.jsonl").lines() {
        let mut wqe = bytes(field(line, "wqe"));
        // Bytes that were not written keep their earlier contents.
        for (byte, written) in wqe.iter_mut().zip(bytes(field(line, "written"))) {
            *byte &= written;
        }
        let request = decode(&wqe).unwrap_or_else(|e| panic!("{e:?} in {line}"));
        let control = request.control;
        assert_eq!(u64::from(control.index), number(line, "wqe_idx") & 0xffff, "{line}");
        assert_eq!(u64::from(control.qpn), number(line, "qpn"), "{line}");
        assert_eq!(control.blocks(), number(line, "nbb"), "{line}");
        assert_eq!(control.signalled(), number(line, "signalled") == 1, "{line}");
        let fenced = control.fence() != Some(oxshmem_softnic::decode::Fence::None);
        assert_eq!(fenced, number(line, "fence") == 1, "{line}");
        assert_eq!(control.fm_ce_se & 2 != 0, number(line, "solicited") == 1, "{line}");
        let (len, inline, sges) = (number(line, "len"), number(line, "inline") == 1, number(line, "nsge"));
        match (field(line, "op"), request.operation) {
            ("RDMA_WRITE", Operation::Write { source, imm: None, .. })
            | ("RDMA_WRITE_IMM", Operation::Write { source, imm: Some(_), .. }) => {
                assert_eq!(source.bytes(), len * sges.max(1), "{line}");
                match source {
                    Source::Inline(_) => assert!(inline, "{line}"),
                    Source::Gather(list) => assert_eq!((inline, list.iter().count() as u64), (false, sges), "{line}"),
                    Source::Mixed(_) => panic!("NVSHMEM mixes no inline data with memory: {line}"),
                }
            }
            ("RDMA_READ", Operation::Read { to, .. }) => assert_eq!(to.bytes(), len, "{line}"),
            ("ATOMIC_CS", Operation::Atomic { what: Atomic::CompareSwap { bytes: 8, .. }, to, .. })
            | ("ATOMIC_FA", Operation::Atomic { what: Atomic::FetchAdd { bytes: 8, boundary: 0, .. }, to, .. }) => {
                assert_eq!(to.bytes, 8, "{line}");
            }
            (op, operation) => panic!("{op} is read as {operation}"),
        }
        seen += 1;
    }
    assert_eq!(seen, 960);
}

#[test]
fn the_example_of_a_write_reads_as_it_was_meant() {
    let hex = "000001080012ab030000000800000000112233445566778800a1b2c3000000000000100000d4e5f67f00deadbeef0040";
    let mut wqe = bytes(hex);
    wqe.resize(64, 0);
    let text = show(&wqe);
    let says = "#0x0001 of QP 0x12ab: WRITE 4096 B at 0x7f00deadbeef0040 lkey 0xd4e5f6 -> 0x1122334455667788 rkey 0xa1b2c3, ds 3, signalled";
    assert!(text.starts_with(says), "{text}");
}

#[test]
fn every_wqe_of_nvshmem_makes_sense() {
    let mut kinds = std::collections::BTreeMap::new();
    for line in golden("mlx5-wqe-nvshmem.txt").lines().filter(|line| !line.is_empty()) {
        let (opcode, hex) = line.split_once(' ').unwrap();
        let mut wqe = bytes(hex.trim());
        wqe.resize(wqe.len().next_multiple_of(64), 0);
        let request = decode(&wqe).unwrap_or_else(|e| panic!("{e:?} in {line}"));
        let control = request.control;
        let opcode = u32::from_str_radix(opcode, 16).unwrap();
        assert_eq!(u32::from(control.opmod) << 8 | u32::from(control.opcode), opcode, "{line}");
        assert!((0x100..0x110).contains(&control.qpn), "{line}");
        // All operations are in one heap, through one pair of keys.
        let sensible = |at: u64| (0x7efa_0000_0000..0x7efb_0000_0000).contains(&at);
        match request.operation {
            Operation::Write { at, rkey, source, imm } => {
                assert!(sensible(at) && rkey == 0x22 && imm.is_none() && source.bytes() > 0, "{line}");
                if let Source::Gather(list) = source {
                    assert!(list.iter().all(|sge| sge.lkey == 0x11 && sensible(sge.at)), "{line}");
                }
            }
            Operation::Read { at, rkey, to } => {
                assert!(
                    sensible(at) && rkey == 0x22 && to.iter().all(|sge| sge.lkey == 0x11 && sensible(sge.at)),
                    "{line}"
                );
            }
            Operation::Atomic { at, rkey, what, to, extended } => {
                assert!(sensible(at) && rkey == 0x22 && at % u64::from(what.bytes()) == 0, "{line}");
                assert!(to.lkey == 0x11 && sensible(to.at), "{line}");
                assert_eq!(extended, control.opmod != 0, "{line}");
                assert_eq!(what.bytes(), if control.opmod == 8 { 4 } else { 8 }, "{line}");
            }
            Operation::Dump { from } => {
                assert!(from.bytes() == 1 && sensible(from.iter().next().unwrap().at), "{line}")
            }
            Operation::Send { .. } => panic!("NVSHMEM sends no messages: {line}"),
            Operation::Nop => {}
        }
        assert!(!(control.signalled() && control.blocks() > 1), "two blocks are not signalled: {line}");
        *kinds.entry(opcode).or_insert(0) += 1;
    }
    assert_eq!(kinds.values().sum::<i32>(), 3000);
    assert!(kinds.len() >= 9, "{kinds:x?}");
}

#[test]
fn mailboxes_of_commands_say_what_was_put_into_them() {
    let text = golden("mlx5-devx-golden.jsonl");
    let input = |cmd: &str| {
        let line = text.lines().find(|line| field(line, "cmd") == cmd).unwrap_or_else(|| panic!("no {cmd}"));
        bytes(field(line, "in"))
    };
    let atomic = input("query_hca_cap.atomic.cur");
    assert_eq!((mailbox::opcode(&atomic), mailbox::op_mod(&atomic)), (op::QUERY_HCA_CAP, 7));

    let cq = CreateCq::parse(&input("create_cq.nvshmem.log10"));
    assert_eq!((cq.umem, cq.dbr), ((0x1122_3344, 0), (0x2132_4354, 0x40)));
    assert_eq!((cq.collapsed, cq.ignores_overrun, cq.log_size, cq.log_page_size), (true, true, 10, 4));
    assert_eq!((cq.uar, cq.eqn, cq.cqe_sz, cq.page_offset), (0xab_cdef, 0x5a, 0, 0));

    let qp = QpContext::parse(&input("create_qp.zero_rq"));
    assert_eq!((qp.service, qp.pm_state, qp.pd, qp.log_sq_size), (0, 3, 0x12_3456, 10));
    assert_eq!((qp.uar, qp.user_index, qp.cqn_send, qp.rq_type), (0xab_cdef, 0x77_8899, 0x65_4321, 3));
    assert_eq!((qp.dbr_umem, qp.dbr_offset), (0x4152_6374, 0x1c0));
    assert_eq!((qp.wq_umem, qp.wq_offset, qp.page_offset), (0x3142_5364, 0x12_3000, 0));

    let qp = QpContext::parse(&input("create_qp.srq"));
    assert_eq!((qp.rq_type, qp.srqn, qp.cqn_receive), (1, 0x0d_0e0f, 0x0a_0b0c));

    let init = input("rst2init");
    assert_eq!(mailbox::qpn(&init), 0x12ab);
    let qp = QpContext::parse(&init);
    assert_eq!((qp.port, qp.pkey_index, qp.atomic_mode), (1, 0x102, 3));
    assert!(qp.remote_read && qp.remote_write && qp.remote_atomic);

    let qp = QpContext::parse(&input("init2rtr.ib"));
    assert_eq!((qp.mtu, qp.log_msg_max, qp.remote_qpn, qp.rlid, qp.sl), (5, 30, 0x34cd, 0x1357, 3));
    assert_eq!((qp.tclass, qp.log_rra_max, qp.min_rnr_nak), (0x6a, 4, 12));

    let qp = QpContext::parse(&input("init2rtr.roce"));
    assert_eq!((qp.hop_limit, qp.src_addr_index, qp.rgid[0], qp.rgid[15]), (255, 3, 0xe0, 0xef));
    assert_eq!((qp.rmac, qp.udp_sport), ([2, 4, 6, 8, 10, 12], 0xc123));
    assert_eq!((qp.dscp, qp.eth_prio), (0x1a, 3));

    let qp = QpContext::parse(&input("rtr2rts"));
    assert_eq!((qp.ack_timeout, qp.log_sra_max, qp.retry_count, qp.rnr_retry), (20, 4, 7, 7));
    assert_eq!(qp.next_send_psn, 0xa1_b2c3);
}

#[test]
fn every_mailbox_of_ucx_is_a_command_that_is_known() {
    let known = [
        op::QUERY_HCA_CAP,
        op::QUERY_LAG,
        op::CREATE_CQ,
        op::CREATE_QP,
        op::QUERY_QP,
        op::RST2INIT,
        op::INIT2RTR,
        op::RTR2RTS,
    ];
    let mut rts = 0;
    for line in golden("mlx5-devx-ucx.txt").lines().filter(|line| line.starts_with("0x")) {
        let (opcode, hex) = line.split_once(' ').unwrap();
        let input = bytes(hex.trim());
        assert_eq!(format!("{:#x}", mailbox::opcode(&input)), opcode);
        assert!(known.contains(&mailbox::opcode(&input)), "{line}");
        if mailbox::opcode(&input) == op::RTR2RTS {
            let qp = QpContext::parse(&input);
            assert_eq!((qp.retry_count, qp.rnr_retry, qp.ack_timeout), (7, 7, 18));
            rts += 1;
        }
        if mailbox::opcode(&input) == op::INIT2RTR {
            let qp = QpContext::parse(&input);
            assert!(qp.opt_param_mask == 0xe && qp.rlid == 7 && (0x101..=0x105).contains(&qp.remote_qpn), "{line}");
        }
    }
    assert_eq!(rts, 4);
}

#[test]
fn a_context_that_is_answered_is_read_back_as_it_was() {
    let mut qp = QpContext {
        opt_param_mask: 0,
        state: 3,
        service: 0,
        pm_state: 3,
        pd: 0x12_3456,
        mtu: 5,
        log_msg_max: 30,
        log_rq_size: 9,
        log_sq_size: 15,
        uar: 0xab_cdef,
        user_index: 0x77_8899,
        log_page_size: 17,
        remote_qpn: 0x65_4321,
        pkey_index: 0x7fee,
        grh: true,
        rlid: 0xbfff,
        ack_timeout: 20,
        src_addr_index: 200,
        hop_limit: 255,
        tclass: 0x6a,
        dscp: 0x1a,
        udp_sport: 0xc123,
        eth_prio: 5,
        sl: 11,
        port: 1,
        log_sra_max: 4,
        retry_count: 7,
        rnr_retry: 6,
        next_send_psn: 0xa1_b2c3,
        cqn_send: 0x11_2233,
        log_rra_max: 3,
        atomic_mode: 3,
        remote_read: true,
        remote_write: false,
        remote_atomic: true,
        page_offset: 33,
        min_rnr_nak: 12,
        next_rcv_psn: 0x0c_0d0e,
        cqn_receive: 0x44_5566,
        dbr_offset: 0x1_0000_01c0,
        rq_type: 3,
        srqn: 0x0d_0e0f,
        hw_counter: 0x1234,
        sw_counter: 0x5678,
        cs_req: 1,
        cs_res: 2,
        send_dbr_mode: 1,
        dbr_umem: 0x4152_6374,
        ..QpContext::default()
    };
    qp.rgid = std::array::from_fn(|i| 0xe0 + i as u8);
    qp.rmac = [2, 4, 6, 8, 10, 12];
    let mut answer = vec![0; 0x118];
    qp.answer(&mut answer);
    assert_eq!(QpContext::parse(&answer), qp);
}

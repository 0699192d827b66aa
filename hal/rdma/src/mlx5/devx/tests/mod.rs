//! Compares mailboxes with those that other libraries sent to real NICs.

mod answers;
mod header;

use super::bits::{OBJECT, OP_MOD, OPCODE};
use super::connect::{CHANGES_ACCESS, OPT_PARAM_MASK};
use super::layout::{ads, cqc, qpc};
use super::queue::{CQ_UMEM_ID, CQ_UMEM_OFFSET, CQ_UMEM_VALID, CQC, QPC, WQ_UMEM_ID, WQ_UMEM_OFFSET, WQ_UMEM_VALID};
use super::*;
use crate::mlx5::golden::{MAILBOXES, UCX_MAILBOXES, member, number, unhex};

/// Fails with the first word that differs: finding it by eye in 272 bytes takes long.
#[track_caller]
fn assert_same(what: &str, ours: &[u8], theirs: &[u8]) {
    assert_eq!(ours.len(), theirs.len(), "{what}: length");
    for (nth, (ours, theirs)) in ours.chunks(4).zip(theirs.chunks(4)).enumerate() {
        assert_eq!(ours, theirs, "{what}: the word at byte {:#x}, ours {ours:02x?}, theirs {theirs:02x?}", nth * 4);
    }
}

fn golden_cq(log_entries: u8) -> CreateCq {
    CreateCq {
        buffer: InUmem { id: 0x1122_3344, offset: 0 },
        dbr: InUmem { id: 0x2132_4354, offset: 0x40 },
        log_entries,
        uar_page: 0x00ab_cdef,
        eqn: 0x5a,
        log_page_size: 4,
        page_offset: 0,
        wide: false,
        collapsed: true,
        ignore_overrun: true,
        mark_umems: true,
    }
}

fn golden_qp(receive: Receive) -> CreateQp {
    CreateQp {
        service: Service::Rc,
        pd: 0x12_3456,
        uar_page: 0x00ab_cdef,
        user_index: 0x77_8899,
        send_queue: InUmem { id: 0x3142_5364, offset: 0x12_3000 },
        log_blocks: 10,
        send_cqn: 0x65_4321,
        receive,
        dbr: InUmem { id: 0x4152_6374, offset: 0x1c0 },
        without_dbr: false,
        log_page_size: 0,
        page_offset: 0,
        timestamp_format: 0,
        scatter_to_cqe: (0, 0),
        mark_umems: true,
    }
}

fn golden_rtr(path: PrimaryPath) -> Init2Rtr {
    Init2Rtr {
        qpn: 0x12ab,
        mtu: 5,
        log_msg_max: 30,
        remote_qpn: 0x34cd,
        path,
        next_rcv_psn: 0,
        log_rra_max: 4,
        min_rnr_nak: 12,
        access: None,
    }
}

fn golden(command: &str) -> Vec<u8> {
    match command {
        "query_hca_cap.general.cur" => QueryHcaCap { group: CapGroup::General, current: true }.encode(),
        "query_hca_cap.atomic.cur" => QueryHcaCap { group: CapGroup::Atomic, current: true }.encode(),
        "create_cq.nvshmem.log0" => golden_cq(0).encode(),
        "create_cq.nvshmem.log5" => golden_cq(5).encode(),
        "create_cq.nvshmem.log10" => golden_cq(10).encode(),
        "create_cq.nvshmem.log15" => golden_cq(15).encode(),
        "create_qp.srq" => golden_qp(Receive::Shared { srqn: 0x0d_0e0f, cqn: 0x0a_0b0c }).encode(),
        "create_qp.zero_rq" => golden_qp(Receive::Nothing { cqn: 0 }).encode(),
        "rst2init" => Rst2Init { qpn: 0x12ab, access: Access::ALL, port: 1, pkey_index: 0x0102 }.encode(),
        "init2rtr.ib" => {
            let route = Route::InfiniBand { lid: 0x1357, sl: 3, traffic_class: 0x6a, global: None };
            golden_rtr(PrimaryPath { port: 0, route }).encode()
        }
        "init2rtr.roce" => {
            let route = Route::Roce {
                mac: [2, 4, 6, 8, 10, 12],
                gid: std::array::from_fn(|nth| 0xe0 + nth as u8),
                gid_index: 3,
                hop_limit: 255,
                eth_prio: 3,
                traffic_class: 0,
                dscp: 0x1a,
                udp_source_port: 0xc123,
            };
            golden_rtr(PrimaryPath { port: 0, route }).encode()
        }
        "rtr2rts" => Rtr2Rts {
            qpn: 0x12ab,
            log_ack_req_freq: 0,
            log_sra_max: 4,
            retry_count: 7,
            rnr_retry: 7,
            ack_timeout: 20,
            next_send_psn: 0x00a1_b2c3,
            access: None,
        }
        .encode(),
        other => panic!("a golden mailbox that nobody builds: {other}"),
    }
}

#[test]
fn every_golden_mailbox_is_built_byte_for_byte() {
    let mut built = 0;
    for line in MAILBOXES.lines() {
        let (command, theirs) = (member(line, "cmd"), unhex(member(line, "in")));
        assert_eq!(theirs.len() as u64, number(line, "len"), "{command}");
        assert_same(command, &golden(command), &theirs);
        built += 1;
    }
    assert_eq!(built, 12);
}

fn context(mailbox: &[u8], field: Field) -> u64 {
    get(mailbox, field.within(QPC))
}

fn path(mailbox: &[u8], field: Field) -> u64 {
    context(mailbox, field.within(qpc::PRIMARY))
}

fn access_of(mailbox: &[u8]) -> Access {
    Access {
        read: context(mailbox, qpc::RRE) != 0,
        write: context(mailbox, qpc::RWE) != 0,
        atomic: context(mailbox, qpc::RAE) != 0,
        atomic_mode: context(mailbox, qpc::ATOMIC_MODE) as u8,
    }
}

fn access_again(mailbox: &[u8]) -> Option<Access> {
    (get(mailbox, OPT_PARAM_MASK) == u64::from(CHANGES_ACCESS)).then(|| access_of(mailbox))
}

/// Decodes a mailbox into the command that would have made it; `None` for commands that are not used here.
fn rebuilt(mailbox: &[u8]) -> Option<Vec<u8>> {
    let qpn = get(mailbox, OBJECT) as u32;
    Some(match get(mailbox, OPCODE) as u16 {
        QueryHcaCap::OPCODE => {
            let op_mod = get(mailbox, OP_MOD);
            let groups = [CapGroup::General, CapGroup::Atomic, CapGroup::Roce, CapGroup::General2];
            let group = groups.into_iter().find(|&group| group as u64 == op_mod >> 1)?;
            QueryHcaCap { group, current: op_mod & 1 == 1 }.encode()
        }
        CreateCq::OPCODE => {
            let cq = |field: Field| get(mailbox, field.within(CQC));
            CreateCq {
                buffer: InUmem { id: get(mailbox, CQ_UMEM_ID) as u32, offset: get(mailbox, CQ_UMEM_OFFSET) },
                dbr: InUmem { id: cq(cqc::DBR_UMEM_ID) as u32, offset: cq(cqc::DBR_ADDR) },
                log_entries: cq(cqc::LOG_CQ_SIZE) as u8,
                uar_page: cq(cqc::UAR_PAGE) as u32,
                eqn: cq(cqc::C_EQN) as u32,
                log_page_size: cq(cqc::LOG_PAGE_SIZE) as u8,
                page_offset: cq(cqc::PAGE_OFFSET) as u8,
                wide: cq(cqc::CQE_SZ) != 0,
                collapsed: cq(cqc::CC) != 0,
                ignore_overrun: cq(cqc::OI) != 0,
                mark_umems: get(mailbox, CQ_UMEM_VALID) != 0,
            }
            .encode()
        }
        CreateQp::OPCODE => {
            let qp = |field| context(mailbox, field);
            let cqn = qp(qpc::CQN_RCV) as u32;
            CreateQp {
                service: if qp(qpc::ST) == 5 { Service::Dci } else { Service::Rc },
                pd: qp(qpc::PD) as u32,
                uar_page: qp(qpc::UAR_PAGE) as u32,
                user_index: qp(qpc::USER_INDEX) as u32,
                send_queue: InUmem { id: get(mailbox, WQ_UMEM_ID) as u32, offset: get(mailbox, WQ_UMEM_OFFSET) },
                log_blocks: qp(qpc::LOG_SQ_SIZE) as u8,
                send_cqn: qp(qpc::CQN_SND) as u32,
                receive: match qp(qpc::RQ_TYPE) {
                    1 => Receive::Shared { srqn: qp(qpc::SRQN) as u32, cqn },
                    _ => Receive::Nothing { cqn },
                },
                dbr: InUmem { id: qp(qpc::DBR_UMEM_ID) as u32, offset: qp(qpc::DBR_ADDR) },
                without_dbr: qp(qpc::SEND_DBR_MODE) == 1,
                log_page_size: qp(qpc::LOG_PAGE_SIZE) as u8,
                page_offset: qp(qpc::PAGE_OFFSET) as u8,
                timestamp_format: qp(qpc::TS_FORMAT) as u8,
                scatter_to_cqe: (qp(qpc::CS_REQ) as u8, qp(qpc::CS_RES) as u8),
                mark_umems: get(mailbox, WQ_UMEM_VALID) != 0,
            }
            .encode()
        }
        Rst2Init::OPCODE => Rst2Init {
            qpn,
            access: access_of(mailbox),
            port: path(mailbox, ads::VHCA_PORT_NUM) as u8,
            pkey_index: path(mailbox, ads::PKEY_INDEX) as u16,
        }
        .encode(),
        Init2Rtr::OPCODE => Init2Rtr {
            qpn,
            mtu: context(mailbox, qpc::MTU) as u8,
            log_msg_max: context(mailbox, qpc::LOG_MSG_MAX) as u8,
            remote_qpn: context(mailbox, qpc::REMOTE_QPN) as u32,
            path: PrimaryPath {
                port: path(mailbox, ads::VHCA_PORT_NUM) as u8,
                route: Route::InfiniBand {
                    lid: path(mailbox, ads::RLID) as u16,
                    sl: path(mailbox, ads::SL) as u8,
                    traffic_class: path(mailbox, ads::TCLASS) as u8,
                    global: None,
                },
            },
            next_rcv_psn: context(mailbox, qpc::NEXT_RCV_PSN) as u32,
            log_rra_max: context(mailbox, qpc::LOG_RRA_MAX) as u8,
            min_rnr_nak: context(mailbox, qpc::MIN_RNR_NAK) as u8,
            access: access_again(mailbox),
        }
        .encode(),
        Rtr2Rts::OPCODE => Rtr2Rts {
            qpn,
            log_ack_req_freq: context(mailbox, qpc::LOG_ACK_REQ_FREQ) as u8,
            log_sra_max: context(mailbox, qpc::LOG_SRA_MAX) as u8,
            retry_count: context(mailbox, qpc::RETRY_COUNT) as u8,
            rnr_retry: context(mailbox, qpc::RNR_RETRY) as u8,
            ack_timeout: path(mailbox, ads::ACK_TIMEOUT) as u8,
            next_send_psn: context(mailbox, qpc::NEXT_SEND_PSN) as u32,
            access: access_again(mailbox),
        }
        .encode(),
        QueryQp::OPCODE => QueryQp { number: qpn }.encode(),
        _ => return None,
    })
}

#[test]
fn the_mailboxes_of_ucx_come_out_as_they_went_in() {
    let (mut rebuilt_count, mut left_out) = (0, Vec::new());
    // The last line is the outcome of the run that sent them.
    for (opcode, bytes) in UCX_MAILBOXES.lines().filter_map(|line| line.strip_prefix("0x")?.split_once(' ')) {
        let theirs = unhex(bytes);
        match rebuilt(&theirs) {
            Some(ours) => {
                assert_same(opcode, &ours, &theirs);
                rebuilt_count += 1;
            }
            None => left_out.push(opcode),
        }
    }
    // QUERY_LAG queries which of two bonded ports sends; this library does not use it.
    assert_eq!(left_out, ["842", "842"]);
    assert_eq!(rebuilt_count, 31);
}

#[test]
fn the_fields_of_a_context_are_in_order_and_do_not_overlap() {
    let context: Vec<Field> = {
        let with = |start: usize| ads::ALL.iter().map(move |field| field.within(start));
        let mut all: Vec<Field> =
            qpc::ALL.iter().copied().chain(with(qpc::PRIMARY)).chain(with(qpc::SECONDARY)).collect();
        all.sort_by_key(|field| field.at);
        all
    };
    for table in [&context[..], qpc::ALL, ads::ALL, GeneralCaps::FIELDS, AtomicCaps::FIELDS, RoceCaps::FIELDS] {
        for pair in table.windows(2) {
            assert!(pair[0].at + pair[0].bits <= pair[1].at, "{:?} and {:?}", pair[0], pair[1]);
        }
    }
    assert!(context.last().is_some_and(|last| last.at + last.bits <= qpc::BITS));
}

#[test]
fn the_number_of_an_event_queue_keeps_all_of_its_bits() {
    let mailbox = CreateCq { eqn: 0x1234_5678, ..golden_cq(0) }.encode();
    assert_eq!(mailbox[0x24..0x28], [0x12, 0x34, 0x56, 0x78]);
}

#[test]
fn a_global_route_and_an_udp_port_are_where_the_address_path_has_them() {
    let gid = std::array::from_fn(|nth| nth as u8 + 1);
    let global = Some(GlobalRoute { gid, gid_index: 0x21, hop_limit: 0x43, flow_label: 0xf_1234 });
    let route = Route::InfiniBand { lid: 0xbeef, sl: 0xf, traffic_class: 0x81, global };
    let mailbox = golden_rtr(PrimaryPath { port: 2, route }).encode();
    assert_eq!(mailbox[0x34..0x38], [0, 0x80, 0xbe, 0xef], "grh and lid");
    assert_eq!(mailbox[0x38..0x3c], [0, 0x21, 0, 0x43], "index and hops");
    assert_eq!(mailbox[0x3c..0x40], [0x08, 0x1f, 0x12, 0x34], "traffic class and flow label");
    assert_eq!(mailbox[0x40..0x50], gid);
    assert_eq!(mailbox[0x54..0x58], [0x0f, 2, 0, 0], "service level and port");
}

#[test]
fn a_dci_and_a_queue_without_a_record_say_so() {
    let qp = CreateQp { service: Service::Dci, without_dbr: true, ..golden_qp(Receive::Nothing { cqn: 7 }) };
    let mailbox = qp.encode();
    assert_eq!(mailbox[0x18..0x1c], [0, 5, 0x18, 0], "service type and path migration");
    assert_eq!(mailbox[0x28..0x2c], [0x40, 0x77, 0x88, 0x99], "record mode and user index");
    assert_eq!(mailbox[0xb4..0xb8], [0, 0, 0, 7], "completion queue of the receives that there are not");
}

#[test]
fn a_command_about_an_object_is_its_opcode_and_the_number() {
    for (mailbox, opcode) in [
        (DestroyCq { number: 0xab_cdef }.encode(), [4, 1]),
        (DestroyQp { number: 0xab_cdef }.encode(), [5, 1]),
        (ToError { number: 0xab_cdef }.encode(), [5, 7]),
        (ToReset { number: 0xab_cdef }.encode(), [5, 10]),
        (QueryQp { number: 0xab_cdef }.encode(), [5, 11]),
    ] {
        assert_eq!(mailbox[..2], opcode);
        assert_eq!(mailbox[2..], [0, 0, 0, 0, 0, 0, 0, 0xab, 0xcd, 0xef, 0, 0, 0, 0]);
    }
}

#[test]
fn all_groups_of_capabilities_are_asked_for_by_their_modifier() {
    let op_mod = |group, current| QueryHcaCap { group, current }.encode()[6..8].to_vec();
    assert_eq!(op_mod(CapGroup::General, false), [0, 0x00]);
    assert_eq!(op_mod(CapGroup::Atomic, true), [0, 0x07]);
    assert_eq!(op_mod(CapGroup::Roce, true), [0, 0x09]);
    assert_eq!(op_mod(CapGroup::Roce, false), [0, 0x08]);
    assert_eq!(op_mod(CapGroup::General2, true), [0, 0x41]);
}

#[test]
#[should_panic(expected = "log_sq_size is 16, and has 4 bits")]
fn a_value_that_does_not_fit_is_not_cut_short() {
    CreateQp { log_blocks: 16, ..golden_qp(Receive::Nothing { cqn: 0 }) }.encode();
}

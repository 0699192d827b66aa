//! Choice of the device, and of the path to the peers.

use super::*;
use oxshmem_rdma::hca::GidKind;
use oxshmem_rdma::rc::Atomics;
use oxshmem_rdma::wire::{HcaList, HcaMapping, Neighbours, NicCount, NicParams};

const IPV4: [u8; 14] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0];
const IPV6: [u8; 14] = [0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];

fn three() -> [Arc<Fake>; 3] {
    [Fake::new("rxe0", 1), Fake::new("rxe1", 2), Fake::new("rxe2", 3)]
}

fn listing(list: &str) -> IbrcConfig {
    IbrcConfig { nics: NicParams { hcas: HcaList::parse(list).unwrap(), ..NicParams::default() }, ..config() }
}

fn name(config: &IbrcConfig, fakes: &[Arc<Fake>], me: u32) -> String {
    let (pe, _windows) = open(config, fakes, me, 4).unwrap();
    pe.describe().split(' ').next().unwrap().to_string()
}

#[test]
fn without_a_device_that_can_be_used_the_error_says_what_each_lacks() {
    says(&refused(&config(), &[]), ErrorKind::NotFound, &["find a NIC for PE 0", "this machine has none", "fakes"]);
    let fakes = [Fake::new("rxe0", 1), Fake::new("rxe1", 2), Fake::new("rxe2", 3), Fake::new("rxe3", 4)];
    fakes[0].set_port(|port| port.state = 1);
    fakes[1].refuse_with("ibv_open_device", 0, 13, "Permission denied");
    fakes[2].set_caps(|caps| caps.atomics = Atomics::None);
    let all = [
        "rxe0: port 1 is down, not active",
        "rxe1: cannot",
        "ibv_open_device returned 13: Permission denied",
        "rxe2: cannot use rxe2 by proxies: it has no atomics",
        "rxe3 is not allowed by OXSHMEM_HCA_LIST = ^rxe3",
    ];
    says(&refused(&listing("^rxe3"), &fakes), ErrorKind::NotFound, &all);
}

#[test]
fn a_device_that_was_named_and_cant_be_used_is_an_error_though_others_could() {
    let fakes = three();
    for (state, words) in [(1, "port 1 is down"), (2, "port 1 is initialising"), (3, "port 1 is armed")] {
        fakes[1].set_port(|port| port.state = state);
        let error = refused(&listing("rxe1,rxe0"), &fakes);
        says(&error, ErrorKind::NotFound, &["use rxe1 for PE 0", words, "OXSHMEM_HCA_LIST", "take it off the list"]);
    }
    assert_eq!(name(&config(), &fakes, 1), "rxe2", "PE 1 takes the second of those that can be used");
    let error = refused(&listing("rxe7"), &fakes);
    says(&error, ErrorKind::NotFound, &["rxe7 of OXSHMEM_HCA_LIST", "this machine has rxe0, rxe1, rxe2"]);
    says(&refused(&listing("rxe0:2"), &fakes), ErrorKind::NotFound, &["it has no port 2: it has 1"]);
}

#[test]
fn a_device_without_atomics_or_reads_or_as_deep_queues_is_left_out_with_the_reason() {
    let lacking = |change: fn(&mut oxshmem_rdma::rc::RcCaps), words: &[&str]| {
        let fakes = [Fake::new("rxe0", 1), Fake::new("rxe1", 2)];
        fakes[0].set_caps(change);
        assert_eq!(name(&config(), &fakes, 0), "rxe1", "{words:?}");
        says(&refused(&listing("rxe0"), &fakes), ErrorKind::NotFound, words);
    };
    lacking(|caps| caps.atomics = Atomics::None, &["no atomics", "ATOMIC_NONE", "choose another"]);
    lacking(|caps| caps.max_rd_atom_responder = 0, &["16 reads and atomics be outstanding and answers 0"]);
    lacking(|caps| caps.max_rd_atom_requester = 0, &["0 reads and atomics be outstanding and answers 16"]);
    let too_deep = ["16 work requests of a queue pair asked, 8 available", "lower OXSHMEM_QP_DEPTH"];
    lacking(|caps| caps.max_qp_wr = 8, &too_deep);
}

#[test]
fn pes_take_turns_among_devices_that_are_equally_near_allowed_and_mapped() {
    let fakes = three();
    let chosen = |config: &IbrcConfig| (0..4).map(|me| name(config, &fakes, me)).collect::<Vec<_>>();
    assert_eq!(chosen(&config()), ["rxe0", "rxe1", "rxe2", "rxe0"]);
    assert_eq!(chosen(&listing("rxe2:1,rxe1")), ["rxe2", "rxe1", "rxe2", "rxe1"], "in the order of the list");
    let mut other = config();
    other.nics.prefix = Some("rxe2".into());
    assert_eq!(chosen(&other), ["rxe2"; 4]);
    let mut mapped = config();
    mapped.nics.mapping = HcaMapping::parse("rxe2:1:1,rxe0:1:1").unwrap();
    mapped.nics.neighbours = Some(Neighbours { place: 1, count: 2 });
    assert_eq!(name(&mapped, &fakes, 3), "rxe0", "the second PE of its host");
    mapped.nics.mapping = HcaMapping::parse("rxe9:1:2").unwrap();
    says(&refused(&mapped, &fakes), ErrorKind::NotFound, &["no rxe9, but rxe0, rxe1, rxe2"]);
}

#[test]
fn devices_of_two_kinds_of_wire_are_not_used_together() {
    let fakes = [Fake::ethernet("rxe0", 1, GidKind::RoceV2, IPV4), Fake::new("mlx5_1", 2), Fake::new("mlx5_2", 3)];
    let error = refused(&listing("mlx5_1,rxe0"), &fakes);
    says(&error, ErrorKind::Mismatch, &["use rxe0 for PE 0", "it is on Ethernet", "on InfiniBand"]);
    let nics = NicParams { count: NicCount::Nearest, ..NicParams::default() };
    let (pe, _windows) = open(&IbrcConfig { nics, ..config() }, &fakes, 0, 2).unwrap();
    assert_eq!(pe.registrations.len(), 2);
    assert!(pe.warnings().join(" ").contains("rxe0 port 1 is on another kind of wire"), "{:?}", pe.warnings());
}

#[test]
fn ends_on_different_wires_are_told_at_both() {
    let fakes = [Fake::ethernet("rxe0", 1, GidKind::RoceV2, IPV4), Fake::new("mlx5_0", 2)];
    for answer in World::new(&config(), &fakes).make_default_rows() {
        says(&answer.unwrap_err(), ErrorKind::Mismatch, &["on Ethernet", "on InfiniBand", "OXSHMEM_HCA_LIST"]);
    }
}

#[test]
fn ends_without_a_common_kind_of_address_are_told_what_each_has() {
    let fakes = [Fake::ethernet("rxe0", 1, GidKind::RoceV2, IPV4), Fake::ethernet("rxe0", 2, GidKind::RoceV2, IPV6)];
    for answer in World::new(&config(), &fakes).make_default_rows() {
        let words = ["no kind of address in common", "RoCE v2, IPv4", "RoCE v2, IPv6", "OXSHMEM_IB_ADDR_FAMILY"];
        says(&answer.unwrap_err(), ErrorKind::Mismatch, &words);
    }
    let v1 = [Fake::ethernet("rxe0", 1, GidKind::RoceV1, IPV4)];
    let words = ["choose a GID of rxe0 port 1", "3 (RoCE v1, IPv4)", "OXSHMEM_IB_ROCE_VERSION_NUM"];
    says(&refused(&config(), &v1), ErrorKind::NotFound, &words);
    let mut asked = config();
    asked.wire.gid_index = Some(7);
    says(&refused(&asked, &v1), ErrorKind::NotFound, &["entry 7 of its table is not in use", "in use are 3"]);
}

#[test]
fn credits_that_differ_between_the_ends_are_the_smaller_one_at_both() {
    let fakes = [Fake::new("a", 1), Fake::new("b", 2)];
    fakes[0].set_caps(|caps| (caps.max_rd_atom_requester, caps.max_rd_atom_responder) = (128, 8));
    fakes[1].set_caps(|caps| (caps.max_rd_atom_requester, caps.max_rd_atom_responder) = (16, 4));
    World::new(&config(), &fakes).make_default_rows().into_iter().for_each(Result::unwrap);
    for fake in &fakes {
        let connected = fake.connected();
        assert_eq!(connected.len(), 3, "two rows and the host's own");
        assert!(connected.iter().all(|(_, to)| to.rd_atomic == 4), "{connected:?}");
    }
}

#[test]
fn the_smaller_mtu_counts_and_a_larger_one_is_refused_with_both() {
    let fakes = [Fake::new("a", 1), Fake::new("b", 2)];
    fakes[1].set_port(|port| port.active_mtu = 3);
    let mut asked = config();
    World::new(&asked, &fakes).make_default_rows().into_iter().for_each(Result::unwrap);
    assert!(fakes.iter().flat_map(|fake| fake.connected()).all(|(_, to)| to.mtu == 3));
    asked.wire.mtu = Some(4);
    let error = World::new(&asked, &fakes).make_default_rows().remove(0).unwrap_err();
    says(&error, ErrorKind::OutOfRange, &["2048 bytes", "4096 and 1024", "OXSHMEM_IB_MTU"]);
}

#[test]
fn every_parameter_of_the_wire_is_what_queue_pairs_are_connected_with() {
    let fakes = [Fake::ethernet("rxe0", 1, GidKind::RoceV2, IPV4), Fake::ethernet("rxe0", 2, GidKind::RoceV2, IPV4)];
    fakes.iter().for_each(|fake| fake.set_port(|port| port.pkeys = 8));
    let mut config = config();
    let wire = &mut config.wire;
    (wire.traffic_class, wire.service_level, wire.pkey_index) = (106, 3, 7);
    (wire.ack_timeout, wire.retry_count, wire.rnr_retry) = (18, 5, 2);
    World::new(&config, &fakes).make_default_rows().into_iter().for_each(Result::unwrap);
    let (_, to) = fakes[0].connected()[0];
    assert_eq!((to.ah.traffic_class, to.ah.sl, to.pkey_index), (106, 3, 7));
    assert_eq!((to.timeout, to.retry_cnt, to.rnr_retry, to.mtu), (18, 5, 2, 5));
    let (gid, index) = to.ah.global.unwrap();
    assert_eq!((gid[15], index), (2, 3), "the peer's address, and this end's entry");
    config.wire.service_level = 8;
    says(&refused(&config, &fakes[..1]), ErrorKind::OutOfRange, &["OXSHMEM_IB_SL = 8", "Ethernet", "0 to 7"]);
    config.wire.service_level = 0;
    config.wire.pkey_index = 8;
    says(&refused(&config, &fakes[..1]), ErrorKind::NotFound, &["partition keys 0 to 7", "OXSHMEM_IB_PKEY_INDEX is 8"]);
}

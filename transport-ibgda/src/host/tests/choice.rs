//! Choice of the NIC, and of the path to the peers.

use super::*;
use oxshmem_core::host::ErrorKind;
use oxshmem_rdma::hca::{Gid, GidKind};
use oxshmem_rdma::wire::{HcaList, NicParams};

fn refused(config: &IbgdaConfig, fakes: &[Arc<FakeHca>]) -> (ErrorKind, String) {
    let error = open(config, fakes, 0, 2).unwrap_err();
    (error.kind(), error.to_string())
}

fn name(config: &IbgdaConfig, fakes: &[Arc<FakeHca>], me: u32) -> String {
    let (pe, _windows) = open(config, fakes, me, 4).unwrap();
    pe.describe().split(' ').next().unwrap().to_string()
}

#[test]
fn without_a_usable_nic_the_error_says_what_each_lacks() {
    let (kind, text) = refused(&config(), &[]);
    assert!(kind == ErrorKind::NotFound && text.contains("this machine has none") && text.contains("fakes"), "{text}");
    let fakes =
        [FakeHca::new("mlx5_0", 1), FakeHca::new("mlx5_1", 2), FakeHca::new("other_2", 3), FakeHca::new("mlx5_3", 4)];
    fakes[0].set_port(|port| port.state = 1);
    fakes[1].refuse("open", 0);
    let mut config = config();
    config.nics.hcas = HcaList::parse("^mlx5_3").unwrap();
    let (kind, text) = refused(&config, &fakes);
    assert_eq!(kind, ErrorKind::NotFound);
    for part in
        ["mlx5_0: port 1 is down", "mlx5_1: cannot", "12: no memory", "other_2 is not driven by mlx5", "^mlx5_3"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert_eq!(fakes.iter().map(|fake| fake.open_objects()).sum::<usize>(), 0);
}

#[test]
fn pes_take_turns_among_nics_that_are_equally_near_and_allowed() {
    let fakes = [FakeHca::new("mlx5_0", 1), FakeHca::new("mlx5_1", 2), FakeHca::new("mlx5_2", 3)];
    let chosen = |config: &IbgdaConfig| (0..4).map(|me| name(config, &fakes, me)).collect::<Vec<_>>();
    assert_eq!(chosen(&config()), ["mlx5_0", "mlx5_1", "mlx5_2", "mlx5_0"]);
    let hcas = HcaList::parse("mlx5_2:1,mlx5_1").unwrap();
    let listed = IbgdaConfig { nics: NicParams { hcas, ..NicParams::default() }, ..config() };
    assert_eq!(chosen(&listed), ["mlx5_2", "mlx5_1", "mlx5_2", "mlx5_1"], "in the order of the list");
    fakes[1].set_port(|port| port.state = 2);
    assert_eq!(chosen(&config()), ["mlx5_0", "mlx5_2", "mlx5_0", "mlx5_2"]);
    let mut other = config();
    other.nics.prefix = Some("mlx5_2".into());
    assert_eq!(chosen(&other), ["mlx5_2"; 4]);
}

#[test]
fn a_nic_that_lacks_a_capability_is_refused_with_its_name() {
    for (cap, value, part) in [
        ("cqe_version", 0, "completions"),
        ("cq_oi", 0, "overruns"),
        ("rc", 0, "reliable connections"),
        ("atomic_size_qp", 4, "atomics of 8 bytes"),
        ("atomic_operations", 1, "atomics of 8 bytes"),
        ("atomic_req_8b_endianness_mode", 0, "big-endian"),
    ] {
        let fake = FakeHca::new("mlx5_0", 1);
        fake.set_cap(cap, value);
        let (kind, text) = refused(&config(), &[fake]);
        assert!(kind == ErrorKind::Incompatible && text.contains("mlx5_0") && text.contains(part), "{text}");
    }
    let fake = FakeHca::new("mlx5_0", 1);
    fake.refuse("general_cmd", 0);
    let (_, text) = refused(&config(), &[fake]);
    assert!(text.contains("DEVX") && text.contains("12: no memory"), "{text}");
    let shallow = FakeHca::new("mlx5_0", 1);
    shallow.set_cap("log_max_qp_sz", 6);
    let (_, text) = refused(&config(), &[shallow]);
    assert!(text.contains("128 basic blocks of a send queue asked, 64 available"), "{text}");
}

#[test]
fn a_priority_that_ethernet_does_not_have_is_refused() {
    let gid = Gid { index: 0, raw: [9; 16], kind: GidKind::RoceV2 };
    let mut high = config();
    high.wire.service_level = 8;
    let (kind, text) = refused(&high, &[FakeHca::ethernet("mlx5_0", &[gid])]);
    assert!(kind == ErrorKind::OutOfRange && text.contains("OXSHMEM_IB_SL = 8") && text.contains("0 to 7"), "{text}");
    open(&high, &nics(1), 0, 2).unwrap();
}

#[test]
fn a_world_on_two_kinds_of_wire_is_refused_naming_both_pes() {
    let gid = Gid { index: 0, raw: [9; 16], kind: GidKind::RoceV2 };
    let fakes = [FakeHca::new("mlx5_0", 1), FakeHca::ethernet("mlx5_0", &[gid])];
    let mut world = World::new(&config(), &fakes);
    for (me, answer) in world.make_default_rows().into_iter().enumerate() {
        let error = answer.unwrap_err();
        let text = error.to_string();
        assert_eq!((error.kind(), error.pe()), (ErrorKind::Mismatch, Some(Pe::new(1 - me as u32))));
        assert!(text.contains("PE 0 is on InfiniBand") || text.contains("PE 1 is on Ethernet"), "{text}");
        assert!(text.contains("OXSHMEM_HCA_LIST"), "{text}");
    }
    drop(world);
    assert_eq!(fakes.iter().map(|fake| fake.open_objects()).sum::<usize>(), 0);
}

fn mapped(last: u8) -> [u8; 16] {
    [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0, last]
}

#[test]
fn ports_without_a_common_class_of_address_are_refused_with_the_classes_of_both() {
    let v4 = Gid { index: 3, raw: mapped(1), kind: GidKind::RoceV2 };
    let v6 = Gid { index: 5, raw: [0x20; 16], kind: GidKind::RoceV2 };
    let fakes = [FakeHca::ethernet("mlx5_0", &[v4]), FakeHca::ethernet("mlx5_0", &[v6])];
    for answer in World::new(&config(), &fakes).make_default_rows() {
        let text = answer.unwrap_err().to_string();
        assert!(text.contains("PE 0 has RoCE v2, IPv4") || text.contains("PE 1 has RoCE v2, IPv6"), "{text}");
    }
    // A port with both classes is reached by the class that both ports have.
    let fakes = [FakeHca::ethernet("mlx5_0", &[v4, v6]), FakeHca::ethernet("mlx5_0", &[v6])];
    for answer in World::new(&config(), &fakes).make_default_rows() {
        answer.unwrap();
    }
}

#[test]
fn a_peer_whose_address_nobody_knows_is_named() {
    let gid = |last| Gid { index: 3, raw: mapped(last), kind: GidKind::RoceV2 };
    let fakes = [FakeHca::ethernet("mlx5_0", &[gid(1)]), FakeHca::ethernet("mlx5_0", &[gid(2)])];
    fakes[0].refuse("resolve_mac", 0);
    let mut world = World::new(&config(), &fakes);
    let error = world.make_default_rows().remove(0).unwrap_err();
    assert!(error.kind() == ErrorKind::Unreachable && error.pe() == Some(Pe::new(1)), "{error}");
}

#[test]
fn a_roce_path_has_the_traffic_class_and_on_version_2_the_dscp() {
    use oxshmem_rdma::mlx5::devx::{Field, Init2Rtr, get};
    use oxshmem_rdma::wire::RoceVersion;
    for (kind, version, dscp) in [(GidKind::RoceV1, RoceVersion::V1, 0), (GidKind::RoceV2, RoceVersion::V2, 0x1a)] {
        let gid = |last| Gid { index: 3, raw: mapped(last), kind };
        let fakes = [FakeHca::ethernet("mlx5_0", &[gid(1)]), FakeHca::ethernet("mlx5_0", &[gid(2)])];
        let mut config = config();
        (config.wire.traffic_class, config.wire.roce_version) = (0x6a, version);
        World::new(&config, &fakes).make_default_rows().into_iter().for_each(Result::unwrap);
        let commands = fakes[0].commands(Init2Rtr::OPCODE);
        assert!(!commands.is_empty());
        for command in &commands {
            let path = |name, at: usize, bits| get(command, Field::new(name, 0xc0 + 0xc0 + at, bits));
            assert_eq!((path("tclass", 0x64, 8), path("dscp", 0x10a, 6)), (0x6a, dscp), "{kind:?}");
        }
    }
}

#[test]
fn the_smaller_mtu_counts_and_a_larger_one_is_refused() {
    use oxshmem_rdma::mlx5::devx::{Field, Init2Rtr, get};
    let fakes = nics(2);
    fakes[1].set_port(|port| port.active_mtu = 3);
    World::new(&config(), &fakes).make_default_rows().into_iter().for_each(Result::unwrap);
    let mtu = |command: &Vec<u8>| get(command, Field::new("mtu", 0xc0 + 0x40, 3));
    assert!(fakes[0].commands(Init2Rtr::OPCODE).iter().all(|command| mtu(command) == 3));
    let mut asked = config();
    asked.wire.mtu = Some(4);
    let text = World::new(&asked, &fakes).make_default_rows().remove(0).unwrap_err().to_string();
    assert!(text.contains("2048 bytes") && text.contains("4096 and 1024"), "{text}");
}

#[test]
fn the_peers_connection_data_are_checked() {
    let fakes = nics(2);
    let mut world = World::new(&config(), &fakes);
    let said = world.pes[0].prepare_qps(0..2).unwrap().swap_remove(0);
    let error = world.pes[0].connect_qps(&[said.clone(), vec![1, 2, 3]]).unwrap_err();
    assert_eq!((error.kind(), error.pe()), (ErrorKind::Malformed, Some(Pe::new(1))));
    let said = world.pes[0].prepare_qps(0..2).unwrap().swap_remove(0);
    let error = world.pes[0].connect_qps(&[said.clone(), said]).unwrap_err().to_string();
    assert!(error.contains("it has none to this PE"), "{error}");
}

#[test]
fn the_description_has_nic_port_firmware_and_the_memory_of_queues() {
    let fakes = nics(2);
    let mut world = World::new(&config(), &fakes);
    world.make_default_rows().into_iter().for_each(Result::unwrap);
    let text = world.pes[1].describe();
    for part in [
        "mlx5_0 port 1 (InfiniBand, firmware 1.2.3), LID 2, MTU 4096 bytes",
        "2 rows",
        "128 blocks",
        "doorbells: dedicated non-cached registers, rung by kernels on the host",
        "heap: host memory",
        "queues: host memory",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let fakes = nics(2);
    fakes[0].refuse("alloc_uar dedicated", 0);
    let mut world = World::new(&config(), &fakes);
    world.make_default_rows().into_iter().for_each(Result::unwrap);
    assert!(
        world.pes[0].describe().contains("shared non-cached registers (dedicated non-cached: cannot"),
        "{}",
        world.pes[0].describe()
    );
}

//! The device on a fake NIC.

use std::sync::Arc;

use oxshmem_core::Pe;
use oxshmem_core::host::ErrorKind;
use oxshmem_raw::memory::Memory;

use crate::fabric::{
    EndpointRequest, FabricDevice, FabricProvider, Handle, MemoryRequest, OpenRequest, PeerAddress, PostErrorKind,
    Region,
};
use crate::fake::{FakeHca, FakeMachine};
use crate::hca::UarKind;
use crate::ibdevx::Ibdevx;
use crate::mlx5::devx::{CreateCq, CreateQp, Field, atomic_operation as op, get};
use crate::wire::{NicParams, WireParams};
use oxshmem_core::host::Result;
use oxshmem_core::{AmoOp, AmoType};

const ASK: EndpointRequest = EndpointRequest { depth: 64, inline_bytes: 32 };

fn fake(lid: u16) -> Arc<FakeHca> {
    let fake = FakeHca::new("mlx5_0", lid);
    let all = op::COMPARE_SWAP | op::FETCH_ADD | op::MASKED_COMPARE_SWAP | op::MASKED_FETCH_ADD;
    for (name, value) in [
        ("log_max_cq_sz", 22),
        ("bf", 1),
        ("log_bf_reg_size", 9),
        ("atomic_operations", all.into()),
        ("atomic_size_qp", 4 | 8),
    ] {
        fake.set_cap(name, value);
    }
    fake
}

fn open(fake: &Arc<FakeHca>, me: u32, depth: u32) -> Result<Arc<dyn FabricDevice>> {
    let (nics, wire) = (NicParams::default(), WireParams::default());
    let request =
        OpenRequest { me: Pe::new(me), memory: &Memory::Host, most: 4, useful: 1, depth, nics: &nics, wire: &wire };
    let provider = Ibdevx::new(Arc::new(FakeMachine(vec![fake.clone()])));
    provider.open(&request).map(|opened| opened.devices[0].clone())
}

#[test]
fn queues_have_room_for_the_longest_entries_and_their_memory_is_named_by_commands() {
    let fake = fake(1);
    let device = open(&fake, 0, 64).unwrap();
    let cq = device.create_completion_queue(100).unwrap();
    let (endpoint, _) = device.create_endpoint(cq, &EndpointRequest { depth: 100, inline_bytes: 0 }).unwrap();
    assert_eq!((endpoint.depth, endpoint.inline_bytes), (100, 32));
    let field = |bytes: &[u8], at, bits| get(bytes, Field::new("field", at, bits));
    let (cqs, qps) = (fake.commands(CreateCq::OPCODE), fake.commands(CreateQp::OPCODE));
    // log_cq_size, and log_sq_size: 200 blocks at least.
    assert_eq!((field(&cqs[0], 0x80 + 0x63, 5), field(&qps[0], 0xc0 + 0x51, 4)), (7, 8));
    assert_eq!(fake.registers().iter().map(|(kind, _)| *kind).collect::<Vec<_>>(), [UarKind::BlueFlame]);
    assert!(device.describe().contains("BlueFlame"), "{}", device.describe());
    assert!(device.destroy_completion_queue(cq).is_err(), "it has a queue pair");
    device.destroy_endpoint(endpoint.handle).unwrap();
    device.destroy_completion_queue(cq).unwrap();
    drop(device);
    assert_eq!(fake.open_objects(), 0);
}

#[test]
fn without_blue_flame_a_plain_register_is_rung_and_the_reason_is_told() {
    for (refused, expected) in [
        ("bf", "its registers take no entries"),
        ("halves of 32 bytes", "its registers take no entries"),
        ("alloc_uar blueflame", "no memory"),
    ] {
        let fake = fake(1);
        match refused {
            "bf" => fake.set_cap("bf", 0),
            "halves of 32 bytes" => fake.set_cap("log_bf_reg_size", 6),
            call => fake.refuse(call, 0),
        }
        let device = open(&fake, 0, 64).unwrap();
        device.create_completion_queue(4).unwrap();
        assert_eq!(fake.registers()[0].0, UarKind::NonCachedDedicated);
        let text = device.describe();
        assert!(text.contains("plain doorbells") && text.contains(expected), "{text}");
    }
}

#[test]
fn a_call_that_the_nic_refuses_leaves_no_object() {
    for call in ["alloc_uar", "umem_reg", "create_cq", "create_qp"] {
        for after in 0..2 {
            let fake = fake(1);
            let device = open(&fake, 0, 64).unwrap();
            fake.refuse(call, after);
            let made = device.create_completion_queue(4).and_then(|cq| device.create_endpoint(cq, &ASK));
            let is_second = !matches!((call, after), (_, 0) | ("umem_reg", 1));
            assert_eq!(made.is_ok(), is_second, "{call} after {after}");
            drop(device);
            assert_eq!(fake.open_objects(), 0, "{call} after {after}");
        }
    }
}

#[test]
fn a_handle_of_another_kind_or_of_an_object_that_is_gone_is_refused() {
    let fake = fake(1);
    let device = open(&fake, 0, 64).unwrap();
    let cq = device.create_completion_queue(4).unwrap();
    let (endpoint, _) = device.create_endpoint(cq, &ASK).unwrap();
    assert!(device.destroy_endpoint(cq).is_err(), "it is no endpoint");
    device.destroy_endpoint(endpoint.handle).unwrap();
    assert!(device.destroy_endpoint(endpoint.handle).is_err(), "it is gone");
    assert!(device.poll(endpoint.handle, &mut []).is_err());
    assert_eq!(device.post(Handle(99), &[]).unwrap_err().posted, 0);
}

#[test]
fn a_nic_without_a_capability_is_refused_with_the_reason() {
    for (cap, value, expected) in [
        ("rc", 0, "no reliable connections"),
        ("atomic_size_qp", 4, "no atomics of 8 bytes"),
        ("atomic_req_8b_endianness_mode", 0, "big-endian"),
        ("log_max_qp_sz", 6, "lower OXSHMEM_QP_DEPTH"),
    ] {
        let fake = fake(1);
        fake.set_cap(cap, value);
        let text = open(&fake, 0, 64).unwrap_err().to_string();
        assert!(text.contains(expected), "{cap}: {text}");
        assert_eq!(fake.open_objects(), 0);
    }
    let other = FakeHca::new("other_0", 1);
    let text = open(&other, 0, 64).unwrap_err().to_string();
    assert!(text.contains("other_0 is not driven by mlx5") && text.contains("REMOTE_TRANSPORT=ibrc"), "{text}");
}

#[test]
fn atomics_are_native_as_far_as_the_nic_has_masked_ones() {
    for (sizes, of_4, of_8) in [(8, false, true), (12, true, true)] {
        let fake = fake(1);
        fake.set_cap("atomic_size_qp", sizes);
        let atomics = open(&fake, 0, 64).unwrap().capabilities().atomics;
        assert!(atomics.has(AmoOp::CompareSwap, AmoType::B64) && atomics.has(AmoOp::Add, AmoType::B64));
        for op in [AmoOp::Set, AmoOp::And, AmoOp::Or, AmoOp::Xor] {
            assert_eq!((atomics.has(op, AmoType::B32), atomics.has(op, AmoType::B64)), (of_4, of_8));
        }
        assert!(!atomics.has(AmoOp::Add, AmoType::F32) && !atomics.has(AmoOp::Set, AmoType::F16));
    }
}

#[test]
fn a_peer_is_connected_by_its_addresses_and_any_other_bytes_are_refused() {
    let (near, far) = (fake(1), fake(2));
    let [one, two] = [(&near, 0), (&far, 1)].map(|(fake, me)| open(fake, me, 64).unwrap());
    let [(mine, _), (_, theirs)] = [&one, &two].map(|device| {
        let cq = device.create_completion_queue(64).unwrap();
        device.create_endpoint(cq, &ASK).unwrap()
    });
    let address = two.address();
    let to = |device: &[u8], endpoint: &[u8]| {
        one.connect(mine.handle, &PeerAddress { pe: Pe::new(1), device, endpoint }).map_err(|error| error.kind())
    };
    assert_eq!(to(&address, &theirs[..3]), Err(ErrorKind::Malformed));
    assert_eq!(to(&address[1..], &theirs), Err(ErrorKind::Malformed), "such as the address of a verbs device");
    assert_eq!(to(&address[..address.len() - 1], &theirs), Err(ErrorKind::Malformed));
    assert_eq!(to(&address, &theirs), Ok(()));
    far.set_cap("atomic_size_qp", 8);
    let lesser = open(&far, 1, 64).unwrap().address();
    assert_eq!(to(&lesser, &theirs), Err(ErrorKind::Incompatible), "it lacks atomics of 4 bytes");
}

#[test]
fn memory_is_registered_under_the_wanted_address_and_given_back_once() {
    let fake = fake(1);
    let device = open(&fake, 0, 64).unwrap();
    let bytes = [0_u8; 64];
    let at = bytes.as_ptr() as u64;
    let request = |remote| MemoryRequest {
        region: Region::Address(at),
        bytes: 64,
        address: at,
        wanted_base: 0x4000,
        remote,
        of_gpu: false,
    };
    let region = device.register(&request(true)).unwrap();
    assert_eq!((region.local_base, region.remote_base, region.remote_key.len()), (0x4000, 0x4000, 4));
    assert_eq!(device.import_key(Pe::new(1), &region.remote_key).unwrap(), 0x1000 + region.handle.0);
    assert!(device.import_key(Pe::new(1), &[1, 2, 3]).is_err());
    assert!(device.register(&request(false)).unwrap().remote_key.is_empty());
    // The result of an atomic of 4 bytes must be in registered memory.
    let cq = device.create_completion_queue(64).unwrap();
    let endpoint = device.create_endpoint(cq, &ASK).unwrap().0.handle;
    let add = super::atomic(AmoOp::Add, AmoType::B32, 4, 0x4000, region.local_key);
    assert_eq!(device.post(endpoint, &[add]), Ok(()));
    device.deregister(region.handle).unwrap();
    let refused = device.post(endpoint, &[add, add]).unwrap_err();
    assert_eq!((refused.posted, refused.kind), (0, PostErrorKind::Failed));
    assert!(device.deregister(region.handle).is_err());
    drop(device);
    assert_eq!(fake.open_objects(), 0, "the device gives the other one back");
}

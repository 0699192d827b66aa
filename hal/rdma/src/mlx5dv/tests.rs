//! The calls, made to libraries that answer as the real ones do.

use std::path::PathBuf;
use std::process::Command;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use oxshmem_core::host::{ErrorKind, Result};

use super::Libraries;
use super::layout::headers;
use crate::hca::{AhAttr, Gid, GidKind, Handle, Hca, LinkLayer, Provider, Region, UarKind, VerbsConnect, access};
use oxshmem_raw::os::private::Scratch;

/// The fake libraries' counters are those of all tests of this process.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
static MADE: OnceLock<Option<Libraries>> = OnceLock::new();

/// The fake libraries, opened; `None` without headers or a C compiler to make them.
struct Fake {
    libraries: Libraries,
    _alone: MutexGuard<'static, ()>,
}

/// Compiles and opens the fake libraries. Once opened they need no file.
fn make() -> Option<Libraries> {
    let Some(headers) = headers() else {
        println!("skipped: infiniband/mlx5dv.h is not here; `cargo xtask rdma` fetches it");
        return None;
    };
    let folder = Scratch::new("fake-rdma").unwrap();
    let source = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/mlx5dv/fake.c");
    let built = folder.join("libibverbs.so.1");
    let mut cc = Command::new("cc");
    cc.args(["-shared", "-fPIC", "-Wall", "-Werror", "-I"]).arg(headers).arg(source).arg("-o").arg(&built);
    let said = cc.output().inspect_err(|error| println!("skipped: no C compiler: cc: {error}")).ok()?;
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    // One library under two names.
    std::fs::hard_link(&built, folder.join("libmlx5.so.1")).unwrap();
    let libraries = Libraries::open_from(&[folder.to_path_buf()]).unwrap();
    Some(libraries)
}

impl Fake {
    fn open() -> Option<Self> {
        let alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        Some(Self { libraries: MADE.get_or_init(make).clone()?, _alone: alone })
    }

    fn nic(&self) -> Arc<dyn Hca> {
        self.libraries.open("fake_0").unwrap()
    }
}

fn text<T>(result: Result<T>) -> String {
    match result {
        Ok(_) => panic!("it was not refused"),
        Err(error) => error.to_string(),
    }
}

fn has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "`{part}` in: {text}");
    }
}

const TO: AhAttr = AhAttr { port: 2, dlid: 0, sl: 1, global: Some(([7; 16], 3)), hop_limit: 64, traffic_class: 0 };

#[test]
fn nics_are_listed_and_one_that_can_not_serve_says_why() {
    let Some(fake) = Fake::open() else { return };
    let found = fake.libraries.list().unwrap();
    let all: Vec<(&str, bool)> = found.iter().map(|found| (found.name.as_str(), found.is_mlx5)).collect();
    assert_eq!(all, [("fake_0", true), ("denied", true), ("other", false)]);
    has(&text(fake.libraries.open("mlx5_9")), &["mlx5_9", "there are: fake_0, denied, other"]);
    has(&text(fake.libraries.open("other")), &["libmlx5 does not drive it"]);
    let denied = fake.libraries.open("denied").unwrap_err();
    assert_eq!((denied.kind(), denied.code()), (ErrorKind::Refused, Some(13)));
    has(
        &denied.to_string(),
        &["open the NIC denied with DEVX", "(mlx5dv_open_device returned 13", "/dev/infiniband/uverbs"],
    );
}

#[test]
fn ports_have_their_own_gids() {
    let Some(fake) = Fake::open() else { return };
    let nic = fake.nic();
    assert_eq!((nic.name(), nic.firmware().as_str()), ("fake_0", "28.39.1002"));
    let ports = nic.ports().unwrap();
    let seen: Vec<_> =
        ports.iter().map(|port| (port.number, port.link, port.lid, port.state, port.active_mtu)).collect();
    assert_eq!(seen, [(1, LinkLayer::InfiniBand, 26, 4, 5), (2, LinkLayer::Ethernet, 0, 4, 5)]);
    assert_eq!((ports[0].gids, ports[0].pkeys), (4, 128));
    let mut first = [0; 16];
    first[0] = 0xfe;
    assert_eq!(nic.gids(1).unwrap(), [Gid { index: 0, raw: first, kind: GidKind::InfiniBand }]);
    let second: Vec<_> = nic.gids(2).unwrap().iter().map(|gid| (gid.index, gid.kind, gid.raw[15])).collect();
    assert_eq!(second, [(3, GidKind::RoceV2, 5), (0, GidKind::RoceV1, 0)]);
    has(&text(nic.gids(3)), &["GIDs of port 3 on fake_0", "ports 1 to 2"]);
}

#[test]
fn memory_is_registered_by_address_or_dma_buf_and_a_refusal_has_advice() {
    let Some(fake) = Fake::open() else { return };
    let nic = fake.nic();
    let (pd, pdn) = nic.alloc_pd().unwrap();
    assert_eq!(pdn, 0x2a);
    let rights = access::LOCAL_WRITE | access::REMOTE_WRITE;
    let mr = nic.reg_mr(pd, Region::Address(0x5000), 4096, 0x100, rights).unwrap();
    assert_eq!((mr.lkey, mr.rkey), (0x5000, 0x100 + rights));
    let buffer = nic.reg_mr(pd, Region::DmaBuf { fd: 7, offset: 0x40 }, 4096, 0x200, rights).unwrap();
    assert_eq!((buffer.lkey, buffer.rkey), (0x40, 0x200 + rights));
    has(
        &text(nic.reg_mr(pd, Region::Address(0x5000), 1 << 40, 0, 1)),
        &["1099511627776 bytes", "returned 12", "ulimit -l"],
    );
    has(
        &text(nic.reg_mr(pd, Region::DmaBuf { fd: 8, offset: 0 }, 4096, 0, 1)),
        &["ibv_reg_dmabuf_mr returned 95", "dma-buf"],
    );
    has(&text(nic.reg_mr(pd, Region::Address(0x5000), 0, 0, 1)), &["nothing to reach"]);
    has(
        &text(nic.reg_mr(mr.handle, Region::Address(0x5000), 1, 0, 1)),
        &["as a protection domain: it is a memory registration"],
    );
    has(&text(nic.dealloc_pd(pd)), &["ibv_dealloc_pd returned 16", "goes first"]);
    nic.dereg_mr(mr.handle).unwrap();
    nic.dereg_mr(buffer.handle).unwrap();
    nic.dealloc_pd(pd).unwrap();
    has(&text(nic.dealloc_pd(pd)), &["given back"]);
}

#[test]
fn commands_name_memory_with_the_page_sizes_that_were_asked_for() {
    let Some(fake) = Fake::open() else { return };
    let nic = fake.nic();
    let plain = nic.umem_reg(Region::Address(0x5000), 64, 1, None).unwrap();
    let paged = nic.umem_reg(Region::Address(0x5000), 64, 1, Some(0x1_0000)).unwrap();
    let buffer = nic.umem_reg(Region::DmaBuf { fd: 7, offset: 0 }, 64, 1, None).unwrap();
    assert_eq!((plain.id, paged.id, buffer.id), (0x1001, 0x1_0000, 0x2007));
    for umem in [plain, paged, buffer] {
        nic.umem_dereg(umem.handle).unwrap();
    }
    let dedicated = nic.alloc_uar(UarKind::NonCachedDedicated).unwrap();
    assert_eq!((dedicated.page, dedicated.register, dedicated.base), (9, 0x10800, 0x10000));
    nic.free_uar(dedicated.handle).unwrap();
    assert_eq!(nic.query_eqn().unwrap(), 5);
}

#[test]
fn a_command_that_the_firmware_refuses_gives_status_and_syndrome() {
    let Some(fake) = Fake::open() else { return };
    let nic = fake.nic();
    let mut output = [0xff; 16];
    let object = nic.obj_create(&[5, 0, 0, 0], &mut output).unwrap();
    assert_eq!(output[11], 0x77, "the answer is the caller's");
    nic.obj_query(object, &[5, 11], &mut output).unwrap();
    assert_eq!(output[15], 3);
    has(
        &text(nic.obj_create(&[4, 0], &mut output)),
        &["CREATE_CQ on fake_0", "status 0xf", "syndrome 0x12abcd", "obj_create returned 121"],
    );
    has(
        &text(nic.obj_modify(object, &[5, 2], &mut output)),
        &["RST2INIT_QP", "status 0x10", "obj_modify returned 121"],
    );
    has(&text(nic.general_cmd(&[9, 9], &mut output)), &["command 0x909", "unknown command"]);
    has(&text(nic.obj_modify(Handle(77), &[5, 2], &mut output)), &["handle 77", "never given"]);
    nic.obj_destroy(object).unwrap();
}

#[test]
fn the_verbs_twin_is_made_connected_queried_and_destroyed() {
    let Some(fake) = Fake::open() else { return };
    let nic = fake.nic();
    let (pd, _) = nic.alloc_pd().unwrap();
    assert_eq!(nic.resolve_mac(pd, &TO).unwrap(), [2, 0, 0, 0, 3, 9]);
    let connect = VerbsConnect {
        ah: TO,
        remote_qpn: 0x99,
        mtu: 5,
        pkey_index: 0,
        timeout: 20,
        retry_cnt: 7,
        rnr_retry: 7,
        rd_atomic: 16,
        min_rnr_timer: 12,
    };
    // The second queue pair is as deep as the NIC allows, which needs fewer requests than blocks.
    for depth in [128, 32768] {
        let qp = nic.verbs_qp(pd, depth, 12).unwrap();
        assert!(qp.sq_blocks >= depth && qp.cq_entries >= depth, "{qp:?}");
        assert_eq!(
            (qp.qpn, qp.cqn, qp.sq, qp.dbr, qp.register, qp.cq_dbr),
            (0x4321, 0x88, 0x4000, 0x3000, 0x5800, 0x7000)
        );
        nic.verbs_connect(qp.handle, &connect).unwrap();
        let mut output = [0; 32];
        nic.verbs_query(qp.handle, &mut output).unwrap();
        assert_eq!((&output[8..12], output[31]), (&[0, 0, 0x43, 0x21][..], 3), "the number asked about, and RTS");
        has(&text(nic.verbs_connect(qp.handle, &connect)), &["move a verbs queue pair to INIT on fake_0"]);
        nic.verbs_destroy(qp.handle).unwrap();
        has(&text(nic.verbs_destroy(qp.handle)), &["given back"]);
    }
    has(&text(nic.verbs_qp(pd, 65536, 12)), &["verbs queue pair of 65536 blocks", "ibv_create_qp returned 12"]);
    has(&text(nic.verbs_qp(pd, 0, 12)), &["a queue of nothing"]);
    let far = AhAttr { global: Some(([0; 16], 256)), ..TO };
    has(&text(nic.resolve_mac(pd, &far)), &["GID 256", "0 to 255"]);
    nic.dealloc_pd(pd).unwrap();
}

#[test]
fn a_verbs_queue_pair_has_a_register_of_its_own_if_the_library_has_thread_domains() {
    let Some(fake) = Fake::open() else { return };
    let mut shares: Vec<bool> = (0..2)
        .map(|_| {
            let nic = fake.nic();
            let (pd, _) = nic.alloc_pd().unwrap();
            let qp = nic.verbs_qp(pd, 128, 12).unwrap();
            if !qp.shares_register {
                has(&text(nic.dealloc_pd(pd)), &["ibv_dealloc_pd returned 16"]);
            }
            nic.verbs_destroy(qp.handle).unwrap();
            nic.dealloc_pd(pd).unwrap();
            qp.shares_register
        })
        .collect();
    shares.sort_unstable();
    assert_eq!(shares, [false, true], "one of the two has none");
}

#[test]
fn objects_that_were_not_given_back_go_with_the_nic() {
    let Some(fake) = Fake::open() else { return };
    for _ in 0..100 {
        let nic = fake.nic();
        let (pd, _) = nic.alloc_pd().unwrap();
        nic.reg_mr(pd, Region::Address(0x5000), 4096, 0, 1).unwrap();
        nic.umem_reg(Region::Address(0x5000), 64, 1, None).unwrap();
        nic.alloc_uar(UarKind::BlueFlame).unwrap();
        nic.obj_create(&[5, 0], &mut [0; 16]).unwrap();
        nic.verbs_qp(pd, 128, 12).unwrap();
        // The library aborts if an object is left when the device is closed.
        drop(nic);
    }
}

//! The objects that commands create, and the refusals.

use crate::driver::*;
use oxshmem_core::ErrorKind;
use oxshmem_rdma::hca::{AhAttr, GidKind, Hca, LinkLayer, Provider, Region, UarKind, access};
use oxshmem_softnic::{Options, Profile};

#[test]
fn what_is_in_use_is_not_given_back() {
    let provider = provider(Options::default());
    let port = Port::open(&provider, "mlx5_0");
    let qp = Qp::new(&port, Shape::default());
    let memory = Words::new(8);
    let mr = port.register(&memory, 8, 0, ALL);
    let hca = &port.hca;
    let busy = i64::from(libc::EBUSY);
    assert_eq!(refused(hca.obj_destroy(qp.cq)).1, busy, "the queue pair uses it");
    let (text, code) = refused(hca.umem_dereg(qp.umem.handle));
    assert_eq!(code, busy);
    assert!(text.contains("used by") && text.contains("queue"), "{text}");
    assert_eq!(refused(hca.free_uar(qp.uar.handle)).1, busy);
    assert_eq!(refused(hca.dealloc_pd(port.pd.0)).1, busy);
    hca.obj_destroy(qp.qp).unwrap();
    assert_eq!(refused(hca.free_uar(qp.uar.handle)).1, busy, "the completion queue uses it");
    hca.obj_destroy(qp.cq).unwrap();
    hca.umem_dereg(qp.umem.handle).unwrap();
    hca.free_uar(qp.uar.handle).unwrap();
    assert_eq!(refused(hca.dealloc_pd(port.pd.0)).1, busy, "memory is registered in it");
    hca.dereg_mr(mr.handle).unwrap();
    hca.dealloc_pd(port.pd.0).unwrap();
    assert_eq!(refused(hca.dealloc_pd(port.pd.0)).1, i64::from(libc::ENOENT), "once is enough");
}

#[test]
fn objects_of_one_context_are_nobody_elses_and_go_with_it() {
    let provider = provider(Options::default());
    let (one, other) = (Port::open(&provider, "mlx5_0"), Port::open(&provider, "mlx5_0"));
    assert_eq!(refused(other.hca.dealloc_pd(one.pd.0)).1, i64::from(libc::ENOENT));
    let memory = Words::new(8);
    let region = Region::Address(memory.at(0));
    refused(other.hca.reg_mr(one.pd.0, region, 64, 0, ALL));
    // All objects go with their context; those of other contexts still work.
    let qp = Qp::new(&one, Shape::default());
    let (qpn, lid) = (qp.qpn, one.lid);
    qp.connect(qpn, lid);
    drop((qp, one));
    let mut qp = Qp::new(&other, Shape::default());
    qp.connect(qp.qpn, other.lid);
    let index = qp.write(&[ctrl(0, 0, SIGNALLED)]);
    qp.ring();
    assert_eq!(qp.wait(index), 0);
}

#[test]
fn a_hundred_rounds_leave_nothing() {
    let provider = provider(Options::default());
    let threads = || {
        std::fs::read_dir("/proc/self/task")
            .unwrap()
            .flatten()
            .filter(|task| {
                std::fs::read_to_string(task.path().join("comm")).is_ok_and(|name| name.starts_with("softnic hundred"))
            })
            .count()
    };
    let maps = || std::fs::read_to_string("/proc/self/maps").unwrap().lines().count();
    let mut before = 0;
    for round in 0..100 {
        let port = Port::open(&provider, "mlx5_0");
        let mut qp = Qp::new(&port, Shape::default());
        qp.connect(qp.qpn, port.lid);
        let index = qp.write(&[ctrl(0, 0, SIGNALLED)]);
        qp.ring();
        assert_eq!(qp.wait(index), 0);
        qp.destroy();
        port.hca.dealloc_pd(port.pd.0).unwrap();
        drop(port);
        if round == 10 {
            before = maps();
        }
    }
    assert_eq!(threads(), 0);
    // Other tests map and unmap memory at the same time.
    assert!(maps() < before + 60, "{} mappings, {before} before", maps());
}

#[test]
fn states_are_passed_in_order() {
    let provider = provider(Options::default());
    let port = Port::open(&provider, "mlx5_0");
    let qp = Qp::new(&port, Shape::default());
    let (n, lid) = (qp.qpn, port.lid);
    let says = |mailbox: &[u8], words: &str| {
        let (text, _) = refused(qp.modify(mailbox));
        assert!(text.contains(words), "{text}");
    };
    says(&init2rtr(n, n, lid), "it is in RESET");
    says(&rtr2rts(n), "it is in RESET");
    let mut wrong = rst2init(n);
    wrong[0x55] = 2;
    says(&wrong, "port 2");
    qp.modify(&rst2init(n)).unwrap();
    says(&rst2init(n), "it is in INIT");
    for (at, value, words) in [(0x20, 0x1e, "mtu 0"), (0x20, 0xbf, "2^31"), (0xa9, 0xe0, "reads as responder")] {
        let mut wrong = init2rtr(n, n, lid);
        wrong[at] = value;
        says(&wrong, words);
    }
    says(&init2rtr(n, n, 0), "LID");
    qp.modify(&init2rtr(n, n, lid)).unwrap();
    let mut wrong = rtr2rts(n);
    wrong[0x89] = 0xe7;
    says(&wrong, "reads as requester");
    qp.modify(&rtr2rts(n)).unwrap();
    says(&modify_mailbox(0x777, n), "0x777");
    says(&rst2init(n + 1), "the mailbox names");
    let short = qp.modify(&rst2init(n)[..100]);
    assert!(refused(short).0.contains("100 bytes"));
}

#[test]
fn wrong_mailboxes_are_refused_with_what_is_wrong() {
    let provider = provider(Options::default());
    let port = Port::open(&provider, "mlx5_0");
    let good = Qp::new(&port, Shape::default());
    let (umem, uar, pd, cqn) = (good.umem.id, good.uar.page, port.pd.1, good.cqn);
    let make = || create_qp_mailbox(pd, uar, cqn, 6, (umem, SQ as u64 * 8), (umem, DBR as u64 * 8));
    let says = |change: &dyn Fn(&mut Vec<u8>), words: &str| {
        let (mut mailbox, mut out) = (make(), [0; 16]);
        change(&mut mailbox);
        let (text, code) = refused(port.hca.obj_create(&mailbox, &mut out));
        assert!(text.contains(words) && code != 0 && out[0] != 0, "{text}, not {words}");
    };
    says(&|m| put(m, 0x19, &[6]), "service type 6");
    says(&|m| put(m, 0x18, &[0, 0, 0, 0]), "pm_state");
    says(&|m| put(m, 0x1c, &cqn.to_be_bytes()), "no protection domain");
    says(&|m| put(m, 0x24, &pd.to_be_bytes()), "no doorbell page");
    says(&|m| put(m, 0x94, &pd.to_be_bytes()), "no completion queue");
    says(&|m| put(m, 0xc4, &[2]), "rq_type 2");
    says(&|m| put(m, 0xc4, &[0]), "no completion queue 0x0 to receive with");
    says(
        &|m| {
            put(m, 0xb4, &cqn.to_be_bytes());
            put(m, 0xc4, &[1, 0, 0, 0x33]);
        },
        "no shared receive queue 0x33",
    );
    says(&|m| put(m, 0x108, &pd.to_be_bytes()), "there is not");
    says(&|m| put(m, 0x104, &(SQ as u32 * 8 + 64).to_be_bytes()), "page_offset");
    says(&|m| put(m, 0x104, &0x10_0000_u32.to_be_bytes()), "its umem");
    says(&|m| put(m, 0xbc, &0x7000_0000_u32.to_be_bytes()), "doorbell record");
    says(&|m| put(m, 0xbc, &76_u32.to_be_bytes()), "not aligned to 8");
    says(&|m| put(m, 0x20, &(15_u32 << 11).to_be_bytes()), "has 2097152 bytes");
    says(&|m| put(m, 0x28, &[0x40, 0, 0, 0]), "send_dbr_mode 1");
    says(&|m| put(m, 0, &[9, 9]), "0x909");
    // The remainder of an offset that is not a multiple of the page goes into page_offset: 64 bytes of a page of 4096.
    let mut mailbox = make();
    put(&mut mailbox, 0xaa, &[1 << 2]);
    put(&mut mailbox, 0x104, &(SQ as u32 * 8).to_be_bytes());
    port.hca.obj_create(&mailbox, &mut [0; 16]).unwrap();

    let region = Region::Address(good.control.at(0));
    let (text, _) = refused(port.hca.umem_reg(region, 4096, access::REMOTE_ATOMIC, None));
    assert!(text.contains("access bits 0x8"), "{text}");
    let (text, code) = refused(port.hca.umem_reg(Region::DmaBuf { fd: 0, offset: 0 }, 4096, 1, Some(4096)));
    assert!(text.contains("DMA buffers") && code == i64::from(libc::EOPNOTSUPP), "{text}");
    let (text, code) = refused(port.hca.reg_mr(port.pd.0, Region::Address(0x1000), 4096, 0, ALL));
    assert!(text.contains("nothing is mapped") && code == i64::from(libc::EFAULT), "{text}");
    let (text, _) = refused(port.hca.reg_mr(port.pd.0, region, 64, 0, access::REMOTE_WRITE));
    assert!(text.contains("must be allowed to write"), "{text}");
    let whole = port.hca.umem_reg(region, 8192, 1, None).unwrap();
    let cq = create_cq_mailbox(whole.id, 4096, (whole.id, 64), uar, &Shape::default());
    let (text, _) = refused(port.hca.obj_create(&cq, &mut [0; 16]));
    assert!(
        text.contains("queue begins 4096 bytes into its umem, which was registered without a pgsz_bitmap"),
        "{text}"
    );
    let cq = create_cq_mailbox(whole.id, 0, (whole.id, 64), uar, &Shape::default());
    let (text, _) = refused(port.hca.obj_create(&cq, &mut [0; 16]));
    assert!(text.contains("queue is 64 bytes into its umem, which was registered without a pgsz_bitmap"), "{text}");
    assert_eq!(provider.open("mlx5_7").unwrap_err().kind(), ErrorKind::NotFound);
}

#[test]
fn a_completion_queue_has_memory_of_its_own_for_every_entry_also_if_it_is_collapsed() {
    let provider = provider(Options::default());
    let port = Port::open(&provider, "mlx5_0");
    let hca = &port.hca;
    let control = Words::new(SQ * 4);
    (0..SQ * 2).for_each(|word| control.set(word, u64::MAX));
    let bytes = SQ as u64 * 8 * 4;
    let umem = hca.umem_reg(Region::Address(control.at(0)), bytes, access::LOCAL_WRITE, Some(4096)).unwrap().id;
    let uar = hca.alloc_uar(UarKind::NonCachedDedicated).unwrap().page;
    let (after, mut out) = (2 * SQ as u64 * 8, [0; 16]);
    let of =
        |log_cq, offset, dbr| create_cq_mailbox(umem, offset, (umem, dbr), uar, &Shape { log_cq, ..Shape::default() });
    // 128 entries are two pages.
    for (mailbox, words) in [
        (of(7, 3 * SQ as u64 * 8, 0), "has 8192 bytes from 12288 on, its umem 16384"),
        (of(7, 0, after - 8), "the doorbell record of the completion queue is among its 128 entries"),
        (of(8, 0, 3 * SQ as u64 * 8 + 4088), "the doorbell record of the completion queue is among its 256 entries"),
    ] {
        let (text, _) = refused(hca.obj_create(&mailbox, &mut out));
        assert!(text.contains(words), "{text}, not {words}");
    }
    control.set(127 * 8, 0);
    assert!(refused(hca.obj_create(&of(7, 0, after), &mut out)).0.contains("entry 127 of the completion queue"));
    control.set(127 * 8, u64::MAX);
    hca.obj_create(&of(7, 0, after), &mut out).unwrap();
    let cqn = u32::from_be_bytes(out[8..12].try_into().unwrap());
    let qp = |sq, dbr| create_qp_mailbox(port.pd.1, uar, cqn, 5, (umem, sq), (umem, dbr));
    for (mailbox, words) in [
        (qp(SQ as u64 * 8, after), "the send queue is among the 128 entries"),
        (qp(after, after - 8), "the doorbell record is among the 128 entries"),
    ] {
        let (text, _) = refused(hca.obj_create(&mailbox, &mut out));
        assert!(text.contains(words), "{text}, not {words}");
    }
    hca.obj_create(&qp(after, after + 2048), &mut out).unwrap();
}

#[test]
fn a_context_is_queried_as_it_was_set() {
    let pair = Pair::new(Options::default());
    let mut answer = vec![0; 0x118];
    let mut ask = vec![0; 16];
    put(&mut ask, 0, &[5, 0xb]);
    put(&mut ask, 8, &pair.qa.qpn.to_be_bytes());
    pair.a.hca.obj_query(pair.qa.qp, &ask, &mut answer).unwrap();
    let word = |at: usize| u32::from_be_bytes(answer[at..at + 4].try_into().unwrap());
    assert_eq!(word(0x18), 3 << 28 | 0x1800, "RTS, RC, migrated");
    assert_eq!(word(0x1c), pair.a.pd.1);
    assert_eq!(word(0x20), 0xbe00_0000 | 6 << 11);
    assert_eq!(word(0x2c), pair.qb.qpn);
    assert_eq!(word(0x34), pair.b.lid.into());
    assert_eq!(word(0x88), 0x0087_e000);
    assert_eq!(word(0xa8) & 0x00ff_e000, 0x0083_e000);
}

/// Returns a capability of a group.
fn capability(hca: &dyn Hca, group: u8, bit: usize, width: usize) -> u64 {
    let mut ask = vec![0; 16];
    put(&mut ask, 0, &[1, 0]);
    ask[7] = group << 1 | 1;
    let mut answer = vec![0; 0x1010];
    hca.general_cmd(&ask, &mut answer).unwrap();
    (bit..bit + width).fold(0, |value, bit| value << 1 | u64::from(answer[16 + bit / 8] >> (7 - bit % 8) & 1))
}

#[test]
fn capabilities_are_those_of_the_profile_and_the_link() {
    for (profile, no_dbr) in [(Profile::ConnectX6, 0), (Profile::ConnectX7, 0), (Profile::ConnectX8, 1)] {
        for (link, roce) in [(LinkLayer::InfiniBand, 0), (LinkLayer::Ethernet, 1)] {
            let provider = provider(Options { profile, link, ..Options::default() });
            let hca = provider.open("mlx5_0").unwrap();
            let get = |group, bit, width| capability(&*hca, group, bit, width);
            assert_eq!((get(0, 0x1fc, 4), get(0, 0x26b, 5)), (1, 9), "CQE version, register size");
            assert_eq!((get(0, 0x1b6, 2), get(0, 0x21d, 1)), (roce, roce));
            assert_eq!((get(3, 0x40, 2), get(3, 0x90, 16), get(3, 0xb0, 16)), (1, 15, 12), "atomics");
            assert_eq!(get(0x20, 0x2e1, 1), no_dbr);
        }
    }
}

#[test]
fn over_ethernet_gids_lead_to_the_peer_and_wrong_paths_are_refused() {
    let provider = provider(Options { nics: 2, link: LinkLayer::Ethernet, ..Options::default() });
    let (a, b) = (Port::open(&provider, "mlx5_0"), Port::open(&provider, "mlx5_1"));
    let (mut qa, qb) = (Qp::new(&a, Shape::default()), Qp::new(&b, Shape::default()));
    let gid_of = |port: &Port| *port.hca.gids(1).unwrap().iter().rfind(|gid| gid.kind == GidKind::RoceV2).unwrap();
    let path = |from: &Port, to: &Port, n: u32, remote: u32| {
        let gid = gid_of(to);
        let ah = AhAttr {
            port: 1,
            dlid: 0,
            sl: 0,
            global: Some((gid.raw, gid_of(from).index)),
            hop_limit: 64,
            traffic_class: 0,
        };
        let mac = from.hca.resolve_mac(from.pd.0, &ah).unwrap();
        let mut m = init2rtr(n, remote, 0);
        put(&mut m, 0x38, &[0, gid.index as u8, 0, 64]);
        put(&mut m, 0x40, &gid.raw);
        put(&mut m, 0x52, &0xc123_u16.to_be_bytes());
        put(&mut m, 0x56, &mac);
        m
    };
    qa.modify(&rst2init(qa.qpn)).unwrap();
    qb.modify(&rst2init(qb.qpn)).unwrap();
    for (at, value, words) in
        [(0x58, 0xee, "rmac"), (0x39, 9, "GID index 9"), (0x52, 0, "UDP"), (0x3b, 0, "hop limit"), (0x40, 1, "GID")]
    {
        let mut wrong = path(&a, &b, qa.qpn, qb.qpn);
        wrong[at] = value;
        let (text, _) = refused(qa.modify(&wrong));
        assert!(text.contains(words), "{text}, not {words}");
    }
    qa.modify(&path(&a, &b, qa.qpn, qb.qpn)).unwrap();
    qb.modify(&path(&b, &a, qb.qpn, qa.qpn)).unwrap();
    qa.modify(&rtr2rts(qa.qpn)).unwrap();
    qb.modify(&rtr2rts(qb.qpn)).unwrap();
    let memory = Words::new(8);
    let mr = b.register(&memory, 8, 0, ALL);
    let index = qa.write(&[ctrl(0, 8, SIGNALLED), raddr(0, mr.rkey), [1 << 31 | 4, 5_u32.to_be(), 0, 0]]);
    qa.ring();
    assert_eq!((qa.wait(index), memory.get(0)), (0, 5));
}

#[test]
fn a_dma_buffer_is_mapped_where_the_options_say_so() {
    // SAFETY: the call creates a file in memory.
    let fd = unsafe { libc::memfd_create(c"softnic".as_ptr(), 0) };
    // SAFETY: the descriptor is this test's.
    assert_eq!(unsafe { libc::ftruncate(fd, 16384) }, 0);
    let provider = provider(Options { map_dma_buf: true, ..Options::default() });
    let port = Port::open(&provider, "mlx5_0");
    let mr = port.hca.reg_mr(port.pd.0, Region::DmaBuf { fd, offset: 4096 }, 8192, 0, ALL).unwrap();
    let mut qp = Qp::new(&port, Shape::default());
    qp.connect(qp.qpn, port.lid);
    let index = qp.write(&[ctrl(0, 8, SIGNALLED), raddr(8, mr.rkey), [1 << 31 | 4, 0x0102_0304, 0, 0]]);
    qp.ring();
    assert_eq!(qp.wait(index), 0);
    let mut bytes = [0_u8; 4];
    // SAFETY: it reads into four bytes.
    assert_eq!(unsafe { libc::pread(fd, bytes.as_mut_ptr().cast(), 4, 4096 + 8) }, 4);
    assert_eq!(bytes, [1, 2, 3, 4]);
    assert!(refused(port.hca.reg_mr(port.pd.0, Region::DmaBuf { fd: -1, offset: 0 }, 8192, 0, ALL)).0.contains("-1"));
    // SAFETY: the descriptor is this test's, and nothing else uses it any more.
    unsafe { libc::close(fd) };
}

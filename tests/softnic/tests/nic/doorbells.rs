//! Queue pairs of verbs, with libmlx5's kind of doorbells.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};

use crate::driver::*;
use oxshmem_rdma::hca::{AhAttr, Handle, UarKind, VerbsConnect};
use oxshmem_softnic::{Options, Profile};

/// Stores a doorbell as libmlx5 does: the first words of the last WQE, alternately in both halves of the register.
fn ring_as_libmlx5(register: u64, half: u64, first: u32, second: u32) {
    fence(Ordering::SeqCst);
    let value = u64::from(first.to_be()) | u64::from(second.to_be()) << 32;
    // SAFETY: a register of a page that is mapped, aligned to 8.
    unsafe { AtomicU64::from_ptr((register + half * 256) as *mut u64) }.store(value, Ordering::Release);
}

#[test]
fn a_queue_pair_of_verbs_works_as_libmlx5_drives_it() {
    let provider = provider(Options { nics: 2, ..Options::default() });
    let (a, b) = (Port::open(&provider, "mlx5_0"), Port::open(&provider, "mlx5_1"));
    let (qa, qb) = (a.hca.verbs_qp(a.pd.0, 50, 28).unwrap(), b.hca.verbs_qp(b.pd.0, 50, 28).unwrap());
    assert_eq!(qa.sq_blocks, 64);
    let connect = |lid: u16, remote_qpn: u32| VerbsConnect {
        ah: AhAttr { port: 1, dlid: lid, sl: 0, global: None, hop_limit: 0, traffic_class: 0 },
        remote_qpn,
        mtu: 5,
        pkey_index: 0,
        timeout: 14,
        retry_cnt: 7,
        rnr_retry: 7,
        rd_atomic: 16,
        min_rnr_timer: 12,
    };
    a.hca.verbs_connect(qa.handle, &connect(b.lid, qb.qpn)).unwrap();
    b.hca.verbs_connect(qb.handle, &connect(a.lid, qa.qpn)).unwrap();
    let memory = Words::new(8);
    let mr = b.register(&memory, 8, 0, ALL);
    // SAFETY: words of the queue pair's own memory, aligned to 4.
    let word = |at: u64| unsafe { AtomicU32::from_ptr(at as *mut u32) };
    for i in 0..200_u32 {
        let slot = qa.sq + u64::from(i % 64) * 64;
        let wqe = [
            (i & 0xffff) << 8 | 8,
            qa.qpn << 8 | 3,
            SIGNALLED,
            0,
            0,
            0,
            mr.rkey,
            0,
            1 << 31 | 4,
            (i + 1).to_be(),
            0,
            0,
        ];
        for (j, value) in wqe.iter().enumerate() {
            word(slot + j as u64 * 4).store(value.to_be(), Ordering::Relaxed);
        }
        fence(Ordering::SeqCst);
        word(qa.dbr + 4).store(((i + 1) & 0xffff).to_be(), Ordering::Release);
        ring_as_libmlx5(qa.register, u64::from(i % 2), wqe[0], wqe[1]);
        let entry = qa.cq + u64::from(i % qa.cq_entries) * 64;
        let owner = ((i / qa.cq_entries) & 1) as u8;
        wait_for("the entry", || {
            let tail = word(entry + 60).load(Ordering::Acquire).to_le_bytes();
            tail[3] >> 4 == 0 && tail[3] & 1 == owner && u16::from_be_bytes([tail[0], tail[1]]) == i as u16
        });
        word(qa.cq_dbr).store(((i + 1) & 0xff_ffff).to_be(), Ordering::Release);
        assert_eq!(memory.get(0) as u32, i + 1);
    }
    assert!(provider.violations().is_empty());
    let mut answer = vec![0; 0x118];
    a.hca.verbs_query(qa.handle, &mut answer).unwrap();
    assert_eq!(answer[0x18] >> 4, 3);
    a.hca.verbs_destroy(qa.handle).unwrap();
    assert_eq!(refused(a.hca.verbs_destroy(Handle(1 << 40))).1, i64::from(libc::ENOENT));
    a.hca.dealloc_pd(a.pd.0).unwrap();
}

#[test]
fn two_queues_that_share_a_register_lose_no_doorbell() {
    let provider = provider(Options::default());
    let port = Port::open(&provider, "mlx5_0");
    let (first, mut second) = (Qp::new(&port, Shape::default()), Qp::new(&port, Shape::default()));
    // The second queue pair again, on the page of the first.
    port.hca.obj_destroy(second.qp).unwrap();
    let (wq, dbr) = ((second.umem.id, SQ as u64 * 8), (second.umem.id, DBR as u64 * 8));
    let mut out = [0; 16];
    let mailbox = create_qp_mailbox(port.pd.1, first.uar.page, second.cqn, 6, wq, dbr);
    second.qp = port.hca.obj_create(&mailbox, &mut out).unwrap();
    second.qpn = u32::from_be_bytes(out[8..12].try_into().unwrap());
    second.uar = first.uar;
    let mut qps = [first, second];
    for qp in &qps {
        qp.connect(qp.qpn, port.lid);
    }
    for _ in 0..200 {
        let indices = qps.each_mut().map(|qp| {
            let index = qp.write(&[ctrl(0, 0, SIGNALLED)]);
            qp.ring();
            index
        });
        for (qp, index) in qps.iter().zip(indices) {
            assert_eq!(qp.wait(index), 0);
        }
    }
    assert!(provider.violations().is_empty());
}

#[test]
fn without_a_record_the_doorbell_alone_counts() {
    let provider = provider(Options { profile: Profile::ConnectX8, ..Options::default() });
    let port = Port::open(&provider, "mlx5_0");
    let mut qp = Qp::new(&port, Shape::default());
    port.hca.obj_destroy(qp.qp).unwrap();
    let (wq, dbr) = ((qp.umem.id, SQ as u64 * 8), (qp.umem.id, DBR as u64 * 8));
    let mut mailbox = create_qp_mailbox(port.pd.1, qp.uar.page, qp.cqn, 6, wq, dbr);
    mailbox[0x28] |= 0x40;
    let mut out = [0; 16];
    qp.qp = port.hca.obj_create(&mailbox, &mut out).unwrap();
    qp.qpn = u32::from_be_bytes(out[8..12].try_into().unwrap());
    qp.connect(qp.qpn, port.lid);
    qp.uar.register = qp.uar.base + 0x600;
    let index = qp.write(&[ctrl(0, 0, SIGNALLED)]);
    qp.doorbell(1);
    assert_eq!(qp.wait(index), 0);
    let kinds = [UarKind::BlueFlame, UarKind::NonCached].map(|kind| port.hca.alloc_uar(kind).unwrap());
    assert!(kinds.iter().all(|uar| uar.register == uar.base + 0x800));
}

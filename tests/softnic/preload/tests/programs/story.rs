//! Prints the results of the transport's operations on a NIC: through libibverbs and libmlx5 (with the replacement
//! preloaded), or on the software NIC itself. Both must print the same.
//!
//! Usage: `oxshmem-softnic-story direct`, or with the folders of the libraries (none: the system's).

use std::cell::UnsafeCell;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};
use std::time::{Duration, Instant};

use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_rdma::hca::*;
use oxshmem_rdma::mlx5::devx::{
    Access, CapGroup, CreateCq, CreateQp, GlobalRoute, InUmem, Init2Rtr, PrimaryPath, QUERY_HCA_CAP_BYTES,
    QUERY_QP_BYTES, QpContext, QueryHcaCap, QueryQp, REPLY_BYTES, Receive, Reply, Route, Rst2Init, Rtr2Rts, Service,
};
use oxshmem_rdma::mlx5::{CqeTail, Key, Segment, ce, ctrl, data, done_after, doorbell, opcode, raddr, send_dbr};
use oxshmem_rdma::mlx5dv::Libraries;
use oxshmem_softnic::{Options, SoftProvider};

const ALL: u32 = access::LOCAL_WRITE | access::REMOTE_WRITE | access::REMOTE_READ | access::REMOTE_ATOMIC;
const CHUNK: usize = 64 << 10;
/// Layout of a queue pair's memory.
const CQ_DBR: u64 = 64;
const QP_DBR: u64 = 72;
const SQ: u64 = 4096;
const LOG_BLOCKS: u8 = 6;

/// Memory shared by NIC and program.
#[repr(C, align(4096))]
struct Shared(UnsafeCell<[u8; CHUNK]>);

impl Shared {
    fn new() -> Box<Self> {
        Box::new(Self(UnsafeCell::new([0; CHUNK])))
    }

    fn at(&self) -> u64 {
        self.0.get() as u64
    }

    fn word(&self, offset: u64) -> &AtomicU32 {
        assert!(offset.is_multiple_of(4) && offset < CHUNK as u64);
        // SAFETY: the word is in the memory, aligned, and accessed as an atomic only.
        unsafe { AtomicU32::from_ptr((self.at() + offset) as *mut u32) }
    }

    fn long(&self, offset: u64) -> &AtomicU64 {
        assert!(offset.is_multiple_of(8) && offset < CHUNK as u64);
        // SAFETY: the word is in the memory, aligned, and accessed as an atomic only.
        unsafe { AtomicU64::from_ptr((self.at() + offset) as *mut u64) }
    }
}

/// A queue pair made by commands, and its next index.
struct Queue {
    memory: Box<Shared>,
    umem: Umem,
    cq: Handle,
    qp: Handle,
    qpn: u32,
    register: u64,
    next: u64,
}

fn made(hca: &dyn Hca, input: &[u8]) -> Result<(Handle, u32)> {
    let mut output = [0; REPLY_BYTES];
    let handle = hca.obj_create(input, &mut output)?;
    Ok((handle, Reply::parse(&output).check("make a queue")?.object))
}

fn queue(hca: &dyn Hca, pd: u32, uar: &Uar) -> Result<Queue> {
    let memory = Shared::new();
    for i in 0..8 {
        memory.long(i * 8).store(u64::MAX, Ordering::Relaxed);
    }
    let umem = hca.umem_reg(Region::Address(memory.at()), CHUNK as u64, access::LOCAL_WRITE, Some(4096))?;
    let within = |offset| InUmem { id: umem.id, offset };
    let cq = CreateCq {
        buffer: within(0),
        dbr: within(CQ_DBR),
        log_entries: 0,
        uar_page: uar.page,
        eqn: hca.query_eqn()?,
        log_page_size: 0,
        page_offset: 0,
        wide: false,
        collapsed: true,
        ignore_overrun: true,
        mark_umems: true,
    };
    let (cq, cqn) = made(hca, &cq.encode())?;
    let qp = CreateQp {
        service: Service::Rc,
        pd,
        uar_page: uar.page,
        user_index: 0,
        send_queue: within(SQ),
        log_blocks: LOG_BLOCKS,
        send_cqn: cqn,
        receive: Receive::Nothing { cqn },
        dbr: within(QP_DBR),
        without_dbr: false,
        log_page_size: 0,
        page_offset: 0,
        timestamp_format: 0,
        scatter_to_cqe: (0, 0),
        mark_umems: true,
    };
    let (qp, qpn) = made(hca, &qp.encode())?;
    Ok(Queue { memory, umem, cq, qp, qpn, register: uar.register, next: 0 })
}

impl Queue {
    fn connect(&self, hca: &dyn Hca, port: &Port, route: Route, peer: u32) -> Result<()> {
        let modify = |input: &[u8]| hca.obj_modify(self.qp, input, &mut [0; REPLY_BYTES]);
        modify(&Rst2Init { qpn: self.qpn, access: Access::ALL, port: 1, pkey_index: 0 }.encode())?;
        let rtr = Init2Rtr {
            qpn: self.qpn,
            mtu: port.active_mtu,
            log_msg_max: 30,
            remote_qpn: peer,
            path: PrimaryPath { port: 1, route },
            next_rcv_psn: 0,
            log_rra_max: 4,
            min_rnr_nak: 12,
            access: Some(Access::ALL),
        };
        modify(&rtr.encode())?;
        let rts = Rtr2Rts {
            qpn: self.qpn,
            log_ack_req_freq: 0,
            log_sra_max: 4,
            retry_count: 7,
            rnr_retry: 7,
            ack_timeout: 14,
            next_send_psn: 0,
            access: Some(Access::ALL),
        };
        modify(&rts.encode())
    }

    /// Posts one write and waits for its completion. Returns the completion's opcode.
    fn write(&mut self, local: (u32, u64), remote: (u32, u64), bytes: u32) -> Result<u8> {
        let index = self.next;
        let slot = SQ + (index & ((1 << LOG_BLOCKS) - 1)) * 64;
        let segments = [
            ctrl(0, opcode::RDMA_WRITE, index, self.qpn, 3, ce::ALWAYS),
            raddr(remote.1, Key::new(remote.0)),
            data(bytes, Key::new(local.0), local.1),
        ];
        for (i, Segment(low, high)) in segments.into_iter().enumerate() {
            let at = slot + i as u64 * 16;
            self.memory.long(at).store(low, Ordering::Relaxed);
            self.memory.long(at + 8).store(high, Ordering::Relaxed);
        }
        self.next += 1;
        fence(Ordering::SeqCst);
        self.memory.word(QP_DBR + 4).store(send_dbr(self.next), Ordering::Release);
        fence(Ordering::SeqCst);
        // SAFETY: the register is mapped, aligned, and accessed as an atomic only.
        let register = unsafe { AtomicU64::from_ptr(self.register as *mut u64) };
        register.store(doorbell(self.next, self.qpn), Ordering::Release);
        let limit = Instant::now() + Duration::from_secs(10);
        loop {
            let tail = CqeTail(self.memory.word(60).load(Ordering::Acquire));
            if tail.opcode() != 0xf && done_after(index, tail.wqe_counter()) == self.next {
                return Ok(tail.opcode());
            }
            if Instant::now() > limit {
                return Err(Error::new(
                    ErrorKind::Timeout,
                    format!("complete write {index} of {:#x}, tail {:#x}", self.qpn, tail.0),
                ));
            }
            std::thread::yield_now();
        }
    }

    fn give_back(self, hca: &dyn Hca) -> Result<()> {
        hca.obj_destroy(self.qp)?;
        hca.obj_destroy(self.cq)?;
        hca.umem_dereg(self.umem.handle)
    }
}

/// Prints the same for both sides: numbers that a NIC chooses are printed as comparisons.
fn tell(provider: &dyn Provider, tell: &mut dyn FnMut(String)) -> Result<()> {
    for found in provider.list()? {
        tell(format!("{} mlx5 {}", found.name, found.is_mlx5));
    }
    let hca = provider.open("mlx5_0")?;
    let hca = &*hca;
    tell(format!("opened {}", hca.name()));
    let ports = hca.ports()?;
    tell(format!("{ports:?}"));
    let gids = hca.gids(1)?;
    tell(format!("{gids:?}"));
    for group in [CapGroup::General, CapGroup::Atomic, CapGroup::Roce, CapGroup::General2] {
        let mut output = [0; QUERY_HCA_CAP_BYTES];
        let answered = hca.general_cmd(&QueryHcaCap { group, current: true }.encode(), &mut output);
        let words = output.chunks(4).enumerate().filter(|(_, word)| *word != [0; 4]);
        let words: Vec<String> = words.map(|(at, word)| format!("{:#x}: {word:02x?}", at * 4)).collect();
        tell(format!("{group:?}: refused {}, {}", answered.is_err(), words.join(" ")));
    }
    let mut refusal = [0; REPLY_BYTES];
    let unknown = hca.general_cmd(&[0x0f, 0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], &mut refusal);
    tell(format!("a command that there is none of: {} {refusal:02x?}", unknown.is_err()));

    let (pd, pdn) = hca.alloc_pd()?;
    let uar = hca.alloc_uar(UarKind::BlueFlame)?;
    tell(format!("register {:#x} behind its page", uar.register - uar.base));
    let (mut a, mut b) = (queue(hca, pdn, &uar)?, queue(hca, pdn, &uar)?);
    let mac = match ports[0].link {
        LinkLayer::InfiniBand => None,
        LinkLayer::Ethernet => {
            let global = Some((gids[1].raw, gids[1].index));
            let to = AhAttr { port: 1, dlid: 0, sl: 0, global, hop_limit: 255, traffic_class: 0 };
            let mac = hca.resolve_mac(pd, &to)?;
            tell(format!("address {mac:02x?}"));
            Some(mac)
        }
    };
    let route = match mac {
        None => Route::InfiniBand { lid: ports[0].lid, sl: 0, traffic_class: 0, global: None::<GlobalRoute> },
        Some(mac) => Route::Roce {
            mac,
            gid: gids[1].raw,
            gid_index: gids[1].index as u8,
            hop_limit: 255,
            eth_prio: 0,
            traffic_class: 0,
            dscp: 0,
            udp_source_port: 0xc001,
        },
    };
    a.connect(hca, &ports[0], route, b.qpn)?;
    b.connect(hca, &ports[0], route, a.qpn)?;
    let query = |qp: &Queue| -> Result<QpContext> {
        let mut output = [0; QUERY_QP_BYTES];
        hca.obj_query(qp.qp, &QueryQp { number: qp.qpn }.encode(), &mut output)?;
        QpContext::parse(&output)
    };
    let (of_a, of_b) = (query(&a)?, query(&b)?);
    tell(format!("state {}", of_a.state()));
    let mut names: Vec<_> = of_a.differences(&of_b).into_iter().map(|difference| difference.field).collect();
    names.sort();
    tell(format!("the two differ in {names:?}"));

    let heap = Shared::new();
    let mr = hca.reg_mr(pd, Region::Address(heap.at()), CHUNK as u64, 0, ALL)?;
    for i in 0..200_u64 {
        heap.long(0).store(i * 3, Ordering::Relaxed);
        let queue = if i % 2 == 0 { &mut a } else { &mut b };
        let opcode = queue.write((mr.lkey, 0), (mr.rkey, 512 + i * 8), 8)?;
        assert_eq!((opcode, heap.long(512 + i * 8).load(Ordering::Acquire)), (0, i * 3), "write {i}");
    }
    tell("200 writes arrived".into());
    tell(format!("beyond the heap: opcode {:#x}", a.write((mr.lkey, 0), (mr.rkey, CHUNK as u64), 8)?));
    tell(format!("state {}", query(&a)?.state()));

    let twins = [hca.verbs_qp(pd, 64, 12)?, hca.verbs_qp(pd, 64, 12)?];
    // More than the registers that a process has without thread domains.
    let more = (0..40).map(|_| hca.verbs_qp(pd, 64, 12)).collect::<Result<Vec<_>>>()?;
    let registers: BTreeSet<u64> = twins.iter().chain(&more).map(|twin| twin.register).collect();
    let shared = twins.iter().chain(&more).any(|twin| twin.shares_register);
    tell(format!("42 twins have {} registers; shared: {shared}", registers.len()));
    for twin in more {
        hca.verbs_destroy(twin.handle)?;
    }
    let global = mac.map(|_| (gids[1].raw, gids[1].index));
    let ah = AhAttr { port: 1, dlid: ports[0].lid, sl: 0, global, hop_limit: 255, traffic_class: 0 };
    for (twin, peer) in [(&twins[0], &twins[1]), (&twins[1], &twins[0])] {
        let connect = VerbsConnect {
            ah,
            remote_qpn: peer.qpn,
            mtu: ports[0].active_mtu,
            pkey_index: 0,
            timeout: 14,
            retry_cnt: 7,
            rnr_retry: 7,
            rd_atomic: 16,
            min_rnr_timer: 12,
        };
        hca.verbs_connect(twin.handle, &connect)?;
    }
    let mut output = [0; QUERY_QP_BYTES];
    hca.verbs_query(twins[0].handle, &mut output)?;
    let twin = QpContext::parse(&output)?;
    tell(format!("twin in state {}, at least 64 blocks: {}", twin.state(), twins[0].sq_blocks >= 64));
    for field in ["mtu", "log_msg_max", "atomic_mode", "rre", "rwe", "rae", "min_rnr_nak", "retry_count", "rnr_retry"] {
        assert!(of_a.field(field).is_some(), "{field}");
        tell(format!("{field}: {:?}, of the twin {:?}", of_a.field(field), twin.field(field)));
    }

    let in_use = hca.dealloc_pd(pd).unwrap_err();
    tell(format!("a domain in use: {:?}", in_use.code()));
    for twin in twins {
        hca.verbs_destroy(twin.handle)?;
    }
    a.give_back(hca)?;
    b.give_back(hca)?;
    hca.dereg_mr(mr.handle)?;
    hca.free_uar(uar.handle)?;
    hca.dealloc_pd(pd)?;
    tell("all given back".into());
    Ok(())
}

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let folders: Vec<_> = words.iter().map(Into::into).collect();
    let provider: Box<dyn Provider> = match words.first().map(String::as_str) {
        Some("direct") => Box::new(SoftProvider::new(Options::from_env()?)?),
        Some(_) => Box::new(Libraries::open_from(&folders)?),
        None => Box::new(Libraries::open()?),
    };
    eprintln!("{}", provider.describe());
    tell(&*provider, &mut |line| println!("{line}"))
}

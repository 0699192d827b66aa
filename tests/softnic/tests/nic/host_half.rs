//! The host half of the InfiniBand transport, over software NICs.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use oxshmem_core::host::{ErrorKind, Extent, Offer, Transport};
use oxshmem_core::{Pe, Remote, SymAddr};
use oxshmem_raw::memory::{Memory, Windows};
use oxshmem_rdma::hca::LinkLayer;
use oxshmem_rdma::mlx5::{self, CqeTail, Key, Segment, ce, cqe, opcode};
use oxshmem_softnic::{Fault, Knobs, Options, SoftProvider};
use oxshmem_transport_ibgda::host::{DoorbellBy, Ibgda, IbgdaConfig};
use oxshmem_transport_ibgda::state::QueueState;

const EXTENT: u64 = 1 << 20;

/// PEs that reach each other over software NICs, one each.
struct World {
    pes: Vec<Ibgda>,
    windows: Vec<Arc<Mutex<Windows>>>,
    heap_bytes: u64,
    provider: Arc<SoftProvider>,
}

fn config() -> IbgdaConfig {
    IbgdaConfig { depth: 128, spare_rows: 8, wait_limit: Some(Duration::from_secs(20)), ..IbgdaConfig::default() }
}

impl World {
    fn new(n_pes: u32, config: &IbgdaConfig, options: Options) -> Self {
        let provider = Arc::new(SoftProvider::new(Options { nics: n_pes, ..options }).unwrap());
        let mut world = Self { pes: Vec::new(), windows: Vec::new(), heap_bytes: 0, provider };
        for me in 0..n_pes {
            let windows = Windows::new(&Memory::Host, Pe::new(me), n_pes, 16 * EXTENT).unwrap();
            let windows = Arc::new(Mutex::new(windows));
            let far: Vec<bool> = (0..n_pes).map(|pe| pe != me).collect();
            let nics = world.provider.clone();
            let pe = Ibgda::open(config, nics, Memory::Host, windows.clone(), Pe::new(me), n_pes, &far).unwrap();
            world.pes.push(pe);
            world.windows.push(windows);
        }
        world.grow();
        world.make_rows(0..config.rows);
        world
    }

    fn grow(&mut self) {
        let extent = Extent { offset: self.heap_bytes, bytes: EXTENT };
        self.windows.iter().for_each(|windows| windows.lock().unwrap().create(extent).unwrap());
        let offers: Vec<Vec<u8>> = self.pes.iter_mut().map(|pe| pe.offer(extent).unwrap().bytes).collect();
        for (me, pe) in self.pes.iter_mut().enumerate() {
            for (other, bytes) in offers.iter().enumerate().filter(|(other, _)| *other != me) {
                pe.accept(Pe::new(other as u32), extent, Offer { bytes: bytes.clone(), fds: Vec::new() }).unwrap();
            }
        }
        self.heap_bytes += EXTENT;
    }

    fn make_rows(&mut self, rows: Range<u32>) {
        let said: Vec<Vec<Vec<u8>>> = self.pes.iter_mut().map(|pe| pe.prepare_qps(rows.clone()).unwrap()).collect();
        let to = |me: usize| said.iter().map(|messages| messages[me].clone()).collect::<Vec<_>>();
        self.pes.iter_mut().enumerate().for_each(|(me, pe)| pe.connect_qps(&to(me)).unwrap());
    }

    /// Returns the bytes at offset `at` of a PE's heap, on that PE.
    fn heap(&self, pe: usize, at: u64, bytes: usize) -> Vec<u8> {
        let address = self.windows[pe].lock().unwrap().address(Pe::new(pe as u32), at).unwrap();
        let mut read = vec![0; bytes];
        // SAFETY: **mapped**: the callers name ranges of the heap.
        unsafe { Memory::Host.read(&mut read, address) }.unwrap();
        read
    }

    fn set_heap(&self, pe: usize, at: u64, bytes: &[u8]) {
        let address = self.windows[pe].lock().unwrap().address(Pe::new(pe as u32), at).unwrap();
        // SAFETY: **mapped**: the callers name ranges of the heap.
        unsafe { Memory::Host.write(address, bytes) }.unwrap();
    }

    fn assert_lawful(&self) {
        let violations = self.provider.violations();
        assert!(violations.is_empty(), "{violations:?}");
    }
}

impl Drop for World {
    fn drop(&mut self) {
        // Violations during the end count too.
        self.pes.clear();
        if !std::thread::panicking() {
            self.assert_lawful();
        }
    }
}

fn at(pe: u32, offset: u64) -> Remote {
    Remote { pe: Pe::new(pe), at: SymAddr::new(offset) }
}

fn pattern(bytes: usize, seed: u64) -> Vec<u8> {
    (0..bytes as u64).map(|i| ((i + seed).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8).collect()
}

/// Returns a queue of a PE, as its kernels see it.
fn queue(pe: &Ibgda, number: u32) -> &QueueState {
    let states = pe.path_view().queues as *const QueueState;
    // SAFETY: the tables have room for all rows, and live as long as the PE.
    unsafe { &*states.add(number as usize) }
}

fn word<'a>(at: u64) -> &'a AtomicU64 {
    // SAFETY: callers pass an aligned word of a live queue, which all users access by atomics.
    unsafe { AtomicU64::from_ptr(at as *mut u64) }
}

fn half<'a>(at: u64) -> &'a AtomicU32 {
    // SAFETY: callers pass an aligned word of a live queue, which all users access by atomics.
    unsafe { AtomicU32::from_ptr(at as *mut u32) }
}

/// Posts one entry as a kernel does, and waits for its completion. Returns its opcode.
fn post(state: &QueueState, index: u64, segments: &[Segment]) -> u8 {
    let block = state.sq + (index & u64::from(state.depth - 1)) * 64;
    for (number, Segment(first, second)) in segments.iter().enumerate() {
        word(block + 16 * number as u64).store(*first, Ordering::Relaxed);
        word(block + 16 * number as u64 + 8).store(*second, Ordering::Relaxed);
    }
    fence(Ordering::SeqCst);
    half(state.dbr).store(mlx5::send_dbr(index + 1), Ordering::Release);
    fence(Ordering::SeqCst);
    word(state.doorbell).store(mlx5::doorbell(index + 1, state.qpn), Ordering::Release);
    let end = Instant::now() + Duration::from_secs(20);
    loop {
        let tail = CqeTail(half(state.cqe + cqe::TAIL_OFFSET as u64).load(Ordering::Acquire));
        if tail.opcode() != cqe::INVALID && mlx5::done_after(index, tail.wqe_counter()) > index {
            return tail.opcode();
        }
        assert!(Instant::now() < end, "no completion");
        std::thread::yield_now();
    }
}

fn write(state: &QueueState, index: u64, from: u64, to: u64, bytes: u32) -> [Segment; 3] {
    [
        mlx5::ctrl(0, opcode::RDMA_WRITE, index, state.qpn, 3, ce::ALWAYS),
        mlx5::raddr(to, Key::from_wire(state.rkey)),
        mlx5::data(bytes, Key::from_wire(state.lkey), from),
    ]
}

fn links() -> [Options; 2] {
    [LinkLayer::InfiniBand, LinkLayer::Ethernet].map(|link| Options { link, ..Options::default() })
}

#[test]
fn the_host_puts_and_gets_whole_and_in_pieces_over_both_wires() {
    for options in links() {
        let mut world = World::new(3, &config(), options);
        world.grow();
        for (round, (offset, bytes)) in [
            (65_536, 1),
            (65_541, 7),
            (70_000, 4096),
            (100_001, 300_001),
            (EXTENT - 5, 10),
            (EXTENT - 300_000, 1_200_000),
        ]
        .into_iter()
        .enumerate()
        {
            let data = pattern(bytes, round as u64);
            world.pes[0].put(at(2, offset), &data).unwrap();
            world.pes[0].quiet().unwrap();
            assert_eq!(world.heap(2, offset, bytes), data, "{bytes} bytes at {offset}");
            let mut back = vec![0; bytes];
            world.pes[1].get(&mut back, at(2, offset)).unwrap();
            assert_eq!(back, data);
        }
        assert_eq!(world.heap(1, 0, EXTENT as usize), vec![0; EXTENT as usize], "nobody wrote to PE 1");
        world.pes[0].put(at(1, 70_000), &[]).unwrap();
    }
}

#[test]
fn whatever_order_the_nic_takes_what_the_host_copies_is_whole() {
    for seed in 1..=6 {
        let world = World::new(2, &config(), Options { knobs: Knobs::from_seed(seed), ..Options::default() });
        for round in 0..10 {
            let data = pattern(300_000, seed + round);
            world.pes[0].put(at(1, 65_536), &data).unwrap();
            assert_eq!(world.heap(1, 65_536, data.len()), data, "seed {seed}, round {round}");
            let mut back = vec![0; data.len()];
            world.pes[0].get(&mut back, at(1, 65_536)).unwrap();
            assert_eq!(back, data, "seed {seed}, round {round}");
        }
    }
}

fn each_queue_leads_to_its_pe(config: &IbgdaConfig, options: Options) {
    let mut world = World::new(3, config, options);
    world.make_rows(2..4);
    for me in 0..3 {
        for number in (0..12).filter(|number| number % 3 != me) {
            let (pe, to) = ((number % 3) as usize, 65_536 + 512 * u64::from(me) + 16 * u64::from(number));
            let value = u64::from(1000 * me + number);
            world.set_heap(me as usize, 128, &value.to_le_bytes());
            let state = queue(&world.pes[me as usize], number);
            assert_eq!(post(state, 0, &write(state, 0, 128, to, 8)), cqe::REQ);
            assert_eq!(world.heap(pe, to, 16), [value.to_le_bytes(), [0; 8]].concat(), "queue {number} of PE {me}");
        }
    }
}

#[test]
fn every_queue_of_every_row_leads_to_its_pe() {
    links().into_iter().for_each(|options| each_queue_leads_to_its_pe(&config(), options));
}

#[test]
fn over_a_library_that_cannot_limit_the_page_size_every_queue_leads_to_its_pe_too() {
    each_queue_leads_to_its_pe(&config(), Options { umem_reg_ex: false, ..Options::default() });
}

#[test]
fn queue_pairs_by_verbs_lead_where_those_by_commands_do() {
    let config = IbgdaConfig { verbs_qp: true, ..config() };
    links().into_iter().for_each(|options| each_queue_leads_to_its_pe(&config, options));
}

#[test]
fn completions_of_queue_pairs_by_verbs_go_round_their_ring() {
    let config = IbgdaConfig { verbs_qp: true, ..config() };
    let mut world = World::new(2, &config, Options::default());
    let state = queue(&world.pes[0], 1);
    assert!(state.depth.is_power_of_two() && state.depth >= 128);
    for index in 0..3 * u64::from(state.depth) + 7 {
        assert_eq!(post(state, index, &[mlx5::ctrl(0, opcode::NOP, index, state.qpn, 1, ce::ALWAYS)]), cqe::REQ);
    }
    world.make_rows(2..5);
    world.pes.iter_mut().for_each(|pe| pe.destroy_qps(&[2, 3, 4]).unwrap());
}

#[test]
fn results_of_atomics_come_to_the_fetch_slots() {
    let world = World::new(2, &config(), Options::default());
    world.set_heap(1, 65_536, &40u64.to_le_bytes());
    // The last one, whose slots are the last.
    let state = queue(&world.pes[0], 3);
    for slot in [0, 1, 128] {
        let index = slot.min(2);
        let segments = [
            mlx5::ctrl(0, opcode::ATOMIC_FA, index, state.qpn, 4, ce::ALWAYS),
            mlx5::raddr(65_536, Key::from_wire(state.rkey)),
            mlx5::fetch_add(2),
            mlx5::data(8, Key::from_wire(state.fetch_lkey), state.fetch_iova + 16 * slot),
        ];
        assert_eq!(post(state, index, &segments), cqe::REQ);
        assert_eq!(word(state.fetch + 16 * slot).load(Ordering::Acquire), 40 + 2 * index, "slot {slot}");
    }
    assert_eq!(world.heap(1, 65_536, 8), 46u64.to_le_bytes());
}

#[test]
fn a_thread_of_the_host_rings_for_kernels_over_the_wrap_of_the_index() {
    let config = IbgdaConfig { doorbell: DoorbellBy::Cpu, ..config() };
    let world = World::new(2, &config, Options::default());
    assert!(world.pes[0].describe().contains("rung by a thread of the host"), "{}", world.pes[0].describe());
    let state = queue(&world.pes[0], 1);
    for index in 0..200 {
        assert_eq!(post(state, index, &[mlx5::ctrl(0, opcode::NOP, index, state.qpn, 1, ce::ALWAYS)]), cqe::REQ);
    }
}

#[test]
fn a_failed_operation_of_the_host_stops_its_queue_and_no_other() {
    let world = World::new(3, &config(), Options::default());
    let data = pattern(100, 0);
    world.pes[0].put(at(1, 65_536), &data).unwrap();
    world.provider.inject(Fault { qpn: None, wqe: 1, syndrome: 0x13 });
    for _ in 0..2 {
        let error = world.pes[0].put(at(1, 65_536), &data).unwrap_err();
        let fault = error.fault().unwrap();
        assert_eq!((error.kind(), error.pe()), (ErrorKind::Fault, Some(Pe::new(1))));
        assert_eq!((fault.detail & 0xff, fault.at), (0x13, 1), "{error}");
        assert!(error.to_string().contains("remote access error"), "{error}");
    }
    world.pes[0].put(at(2, 65_536), &data).unwrap();
    assert_eq!(world.heap(2, 65_536, 100), data);
    let state = queue(&world.pes[0], 1);
    assert_eq!(post(state, 0, &write(state, 0, 65_536, 70_000, 8)), cqe::REQ, "kernels' queues to PE 1 go on");
}

#[test]
fn a_link_that_goes_down_is_an_error_in_bounded_time() {
    let world = World::new(2, &config(), Options::default());
    world.provider.set_link("mlx5_0", false).unwrap();
    let since = Instant::now();
    let error = world.pes[0].put(at(1, 65_536), &[1; 8]).unwrap_err();
    assert!(since.elapsed() < Duration::from_secs(30) && error.pe() == Some(Pe::new(1)), "{error}");
}

#[test]
fn rows_come_and_go_while_the_others_work() {
    let mut world = World::new(2, &config(), Options { knobs: Knobs::from_seed(7), ..Options::default() });
    let first = post_index(&world, 1, 0);
    assert_eq!(first, cqe::REQ);
    for round in 0..20 {
        let rows = 2..3 + round % 3;
        world.make_rows(rows.clone());
        let number = 2 * rows.start + 1;
        assert_eq!(post_index(&world, number, 0), cqe::REQ, "a row starts anew");
        assert_eq!(post_index(&world, 1, 1 + u64::from(round)), cqe::REQ);
        let rows: Vec<u32> = rows.collect();
        world.pes.iter_mut().for_each(|pe| pe.destroy_qps(&rows).unwrap());
        assert_eq!(queue(&world.pes[0], number).sq, 0);
    }
}

fn post_index(world: &World, number: u32, index: u64) -> u8 {
    let state = queue(&world.pes[0], number);
    post(state, index, &write(state, index, 65_536, 70_000, 8))
}

#[test]
fn registered_buffers_are_this_sides_end_of_operations() {
    let mut world = World::new(2, &config(), Options::default());
    let data: Vec<u64> = (0..512).collect();
    world.pes[0].register(data.as_ptr() as u64, 4096).unwrap();
    let keys = world.pes[0].path_view().shared as *const oxshmem_transport_ibgda::state::NicState;
    // SAFETY: the tables live as long as the PE, and one buffer is registered.
    let local = unsafe { *((*keys).locals as *const oxshmem_transport_ibgda::state::LocalKeys) };
    let state = queue(&world.pes[0], 1);
    let segments = [
        mlx5::ctrl(0, opcode::RDMA_WRITE, 0, state.qpn, 3, ce::ALWAYS),
        mlx5::raddr(65_536, Key::from_wire(state.rkey)),
        mlx5::data(4096, Key::from_wire(local.lkey), local.iova),
    ];
    assert_eq!(post(state, 0, &segments), cqe::REQ);
    let expected: Vec<u8> = data.iter().flat_map(|word| word.to_le_bytes()).collect();
    assert_eq!(world.heap(1, 65_536, 4096), expected);
    world.pes[0].unregister(data.as_ptr() as u64).unwrap();
}

#[test]
fn what_is_not_in_the_heap_is_not_reached() {
    let world = World::new(2, &config(), Options::default());
    let error = world.pes[0].put(at(1, EXTENT), &[1]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OutOfRange);
    let error = world.pes[0].get(&mut [0], at(0, 0)).unwrap_err();
    assert_eq!((error.kind(), error.pe()), (ErrorKind::Unreachable, Some(Pe::new(0))));
}

//! The kernel that executes queues, one entry at a time. Entries are those of rdma-core, NVSHMEM and the library's
//! encoders; the kernel's own decoder reads them, and the result is compared with that of another decoder.

mod bench;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use bench::*;
use oxshmem_nic_kernels::resident::table::{reason, status};
use oxshmem_rdma::mlx5::{self, Key, Segment, ce, opcode};
use oxshmem_softnic::decode::{Operation, Source, decode};

/// Executes one entry that another decoder reads as `operation`, and compares memory afterwards.
fn executes(lanes: u32, wqe: &[u8]) {
    let request = decode(wqe).unwrap();
    let (control, index) = (request.control, u64::from(request.control.index));
    let mut bench = Bench::new(lanes, index, control.qpn);
    bench.put(index, &wqe[..64 * control.blocks() as usize]);
    // The starts of the peer's bytes and of each local region, with their alignment.
    let (at, rkey, total) = match request.operation {
        Operation::Write { at, rkey, source, .. } => (at, rkey, source.bytes()),
        Operation::Read { at, rkey, to } => (at, rkey, to.bytes()),
        Operation::Atomic { at, rkey, what, .. } => (at, rkey, what.bytes().into()),
        Operation::Nop | Operation::Dump { .. } => (0, 0, 0),
        Operation::Send { .. } => panic!("the engine takes no messages: {request:?}"),
    };
    let count = if let Operation::Dump { from } = request.operation { from.bytes() } else { total };
    if total > LONGEST {
        // Too much to move: the report is about the length.
        bench.row.most = LONGEST;
        bench.ring(index + control.blocks());
        let report = bench.slice();
        assert_eq!((report.status, report.reason, report.key), (status::STOPPED, reason::MESSAGE_LENGTH, total));
        assert_eq!(bench.completion(0), (control.opcode, control.index, 0, 1));
        return;
    }
    let skip = 64 + (at % 8) as usize;
    let peer = words(total as usize + 256);
    set_bytes(&peer, 0, &pattern(total as usize + 200, 1));
    let before = bytes_of(&peer, 0, total as usize + 200);
    bench.key(THEIRS, rkey, &peer, skip, at, total.max(1));
    let places: Vec<(u32, u64, u64)> = match request.operation {
        Operation::Write { source: Source::Gather(list), .. } | Operation::Read { to: list, .. } => {
            list.iter().map(|sge| (sge.lkey, sge.at, sge.bytes)).collect()
        }
        Operation::Dump { from } => from.iter().map(|sge| (sge.lkey, sge.at, sge.bytes)).collect(),
        Operation::Atomic { to, .. } => vec![(to.lkey, to.at, to.bytes)],
        _ => Vec::new(),
    };
    let mut regions: BTreeMap<u32, (u64, u64)> = BTreeMap::new();
    for (lkey, at, bytes) in &places {
        let region = regions.entry(*lkey).or_insert((*at, at + bytes));
        *region = (region.0.min(*at), region.1.max(at + bytes));
    }
    let mut local = BTreeMap::new();
    for (lkey, (from, to)) in regions {
        let memory = words((to - from) as usize + 64);
        set_bytes(&memory, (from % 8) as usize, &pattern((to - from) as usize, u64::from(lkey)));
        bench.key(MINE, lkey, &memory, (from % 8) as usize, from, to - from);
        local.insert(lkey, (from, memory));
    }
    let gathered = || -> Vec<u8> {
        let piece = |(lkey, at, bytes): &(u32, u64, u64)| {
            let (from, memory) = &local[lkey];
            bytes_of(memory, (from % 8 + at - from) as usize, *bytes as usize)
        };
        places.iter().flat_map(piece).collect()
    };
    let source = gathered();
    bench.ring(index + control.blocks());
    let report = bench.slice();

    let mut expected = before.clone();
    let target = skip..skip + total as usize;
    match request.operation {
        Operation::Write { source: Source::Inline(data), .. } => expected[target].copy_from_slice(data),
        Operation::Write { .. } => expected[target].copy_from_slice(&source),
        Operation::Read { .. } => assert_eq!(gathered(), before[target], "{request:?}"),
        Operation::Atomic { what, extended, .. } => {
            let width = what.bytes() as usize;
            let mut was = [0; 8];
            was[..width].copy_from_slice(&before[target.clone()]);
            let was = u64::from_le_bytes(was);
            if let Some(now) = what.apply(was) {
                expected[target].copy_from_slice(&now.to_le_bytes()[..width]);
            }
            let landed = if extended && width == 4 {
                (was as u32).to_be_bytes().to_vec()
            } else {
                was.to_le_bytes()[..width].to_vec()
            };
            assert_eq!(gathered(), landed, "{request:?}");
        }
        Operation::Nop | Operation::Dump { .. } | Operation::Send { .. } => {}
    }
    assert_eq!(bytes_of(&peer, 0, before.len()), expected, "{request:?}");
    if matches!(request.operation, Operation::Write { imm: Some(_), .. }) {
        assert_eq!((report.status, report.reason), (status::STOPPED, reason::IMMEDIATE));
        assert_eq!(bench.completion(0), (control.opcode, control.index, 0, 0x16));
        return;
    }
    assert_eq!(
        (report.status, report.next, report.entries),
        (status::RUNS, index + control.blocks(), 1),
        "{request:?}"
    );
    let completed = bench.state[5].load(Ordering::Relaxed);
    assert_eq!(completed, u64::from(control.signalled()), "{request:?}");
    if control.signalled() {
        assert_eq!(bench.completion(0), (control.opcode, control.index, count as u32, 0));
    }
}

fn golden(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../hal/rdma/src/mlx5/golden").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn unhex(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).unwrap()).collect()
}

fn field<'a>(line: &'a str, name: &str) -> &'a str {
    let key = format!("\"{name}\":");
    let value = &line[line.find(&key).unwrap_or_else(|| panic!("no {name} in {line}")) + key.len()..];
    value.split([',', '}']).next().unwrap().trim_matches('"')
}

#[test]
fn every_wqe_of_rdma_core_does_what_it_says() {
    for (i, line) in golden("mlx5-wqe-golden.jsonl").lines().enumerate() {
        let mut wqe = unhex(field(line, "wqe"));
        wqe.iter_mut().zip(unhex(field(line, "written"))).for_each(|(byte, written)| *byte &= written);
        executes(if i % 8 == 0 { 32 } else { 1 }, &wqe);
    }
}

#[test]
fn every_wqe_of_nvshmem_does_what_it_says() {
    for line in golden("mlx5-wqe-nvshmem.txt").lines().filter(|line| !line.is_empty()) {
        let mut wqe = unhex(line.split_once(' ').unwrap().1.trim());
        wqe.resize(wqe.len().next_multiple_of(64), 0);
        executes(1, &wqe);
        executes(32, &wqe);
    }
}

/// Returns an entry of the library's encoders at index 70, which is beyond the end of the ring.
fn encoded(what: u8, opmod: u8, middle: &[Segment], flags: u8) -> Vec<u8> {
    let mut segments = vec![mlx5::ctrl(opmod, what, 70, QPN, 1 + middle.len() as u8, flags)];
    segments.extend_from_slice(middle);
    let mut bytes: Vec<u8> =
        segments.iter().flat_map(|Segment(a, b)| [a.to_ne_bytes(), b.to_ne_bytes()].concat()).collect();
    bytes.resize(bytes.len().next_multiple_of(64), 0);
    bytes
}

#[test]
fn entries_of_the_encoders_do_what_they_say_at_every_alignment() {
    let (lkey, rkey) = (Key::new(LKEY), Key::new(RKEY));
    for bytes in [1, 3, 7, 8, 9, 31, 64, 100, 4097] {
        for skew in 0..64 {
            let (at, from) = (0x1000 + skew % 8, 0x2000 + skew / 8);
            for (what, lanes) in [(opcode::RDMA_WRITE, 1), (opcode::RDMA_READ, 32)] {
                let middle = [mlx5::raddr(at, rkey), mlx5::data(bytes, lkey, from)];
                executes(lanes, &encoded(what, 0, &middle, ce::ALWAYS));
            }
        }
    }
    for bytes in 1..=12 {
        for at in 0..8 {
            let middle =
                [mlx5::raddr(0x1000 + at, rkey), mlx5::inline_head(bytes, [0x0403_0201, 0x0807_0605, 0x0c0b_0a09])];
            executes(1, &encoded(opcode::RDMA_WRITE, 0, &middle, ce::ALWAYS));
        }
    }
    let at = mlx5::raddr(0x1000, rkey);
    let word = u64::from_le_bytes(pattern(72, 1)[64..].try_into().unwrap());
    for (add, boundary) in [(1, 0), (u64::MAX, 0), (0x0101_0101_0101_0101, 0x8080_8080_8080_8080), (7, u64::MAX)] {
        let (two, four) = (mlx5::data(8, lkey, 0x2000), mlx5::data(4, lkey, 0x2000));
        executes(1, &encoded(opcode::ATOMIC_FA, 0, &[at, mlx5::fetch_add(add), two], ce::ALWAYS));
        let masked = mlx5::masked_fetch_add_64(add, boundary);
        executes(1, &encoded(opcode::MASKED_FA, mlx5::OPMOD_EXT_64, &[at, masked, two], ce::ALWAYS));
        let masked = mlx5::masked_fetch_add_32(add as u32, boundary as u32);
        executes(32, &encoded(opcode::MASKED_FA, mlx5::OPMOD_EXT_32, &[at, masked, four], ce::ALWAYS));
        for compare in [word, word ^ 0xff00] {
            executes(1, &encoded(opcode::ATOMIC_CS, 0, &[at, mlx5::compare_swap(compare, add), two], ce::ALWAYS));
            let values = mlx5::masked_compare_swap_64(add, compare);
            let masks = mlx5::masked_compare_swap_64_masks(0xffff_0000, !0xff00);
            // Two blocks, the second of which is at the start of the ring or after it: no completion is requested.
            executes(1, &encoded(opcode::MASKED_CS, mlx5::OPMOD_EXT_64, &[at, values, masks, two], ce::ON_ERROR));
            let masked = mlx5::masked_compare_swap_32(add as u32, compare as u32, 0xff_ffff, 0xffff_00ff);
            executes(1, &encoded(opcode::MASKED_CS, mlx5::OPMOD_EXT_32, &[at, masked, four], ce::ALWAYS));
        }
    }
}

/// Returns a bench with a region of 4 KiB on either side, numbered from 0x1000 on.
fn with_regions(lanes: u32) -> (Bench, Box<[AtomicU64]>, Box<[AtomicU64]>) {
    let mut bench = Bench::new(lanes, 0, QPN);
    let (mine, theirs) = (words(4096), words(4096));
    set_bytes(&mine, 0, &pattern(4096, 3));
    bench.key(MINE, LKEY, &mine, 0, 0x1000, 4096);
    bench.key(THEIRS, RKEY, &theirs, 0, 0x1000, 4096);
    (bench, mine, theirs)
}

fn write(index: u64, bytes: u32, lkey: u32, from: u64, rkey: u32, at: u64) -> [Segment; 3] {
    [
        mlx5::ctrl(0, opcode::RDMA_WRITE, index, QPN, 3, ce::ALWAYS),
        mlx5::raddr(at, Key::new(rkey)),
        mlx5::data(bytes, Key::new(lkey), from),
    ]
}

#[test]
fn an_entry_that_is_none_stops_its_queue_behind_those_before_it() {
    type Break = fn(&mut [Segment; 3]);
    let breaks: [(u64, u8, Break); 9] = [
        (reason::OPCODE, 2, |e| e[0] = mlx5::ctrl(0, 0x7f, 1, QPN, 3, ce::ALWAYS)),
        (reason::OPCODE, 2, |e| e[0] = mlx5::ctrl(3, opcode::RDMA_WRITE, 1, QPN, 3, ce::ALWAYS)),
        (reason::WQE_INDEX, 2, |e| e[0] = mlx5::ctrl(0, opcode::RDMA_WRITE, 2, QPN, 3, ce::ALWAYS)),
        (reason::WQE_QPN, 2, |e| e[0] = mlx5::ctrl(0, opcode::RDMA_WRITE, 1, QPN + 1, 3, ce::ALWAYS)),
        (reason::SEGMENT_COUNT, 2, |e| e[0] = mlx5::ctrl(0, opcode::RDMA_WRITE, 1, QPN, 0, ce::ALWAYS)),
        (reason::SEGMENT_COUNT, 2, |e| e[0] = mlx5::ctrl(0, opcode::RDMA_WRITE, 1, QPN, 1, ce::ALWAYS)),
        (reason::BEYOND_PRODUCER, 2, |e| e[0] = mlx5::ctrl(0, opcode::RDMA_WRITE, 1, QPN, 13, ce::ALWAYS)),
        (reason::FENCE_MODE, 2, |e| e[0] = mlx5::ctrl(0, opcode::RDMA_WRITE, 1, QPN, 3, ce::ALWAYS | 0xe0)),
        (reason::MESSAGE_LENGTH, 1, |e| e[2] = mlx5::data(0, Key::new(LKEY), 0x1000)),
    ];
    for (why, syndrome, damage) in breaks {
        let (bench, mine, theirs) = with_regions(1);
        let mut bad = write(1, 64, LKEY, 0x1000, RKEY, 0x1400);
        damage(&mut bad);
        bench.segments(0, &write(0, 64, LKEY, 0x1000, RKEY, 0x1000));
        bench.segments(1, &bad);
        bench.segments(2, &write(2, 64, LKEY, 0x1000, RKEY, 0x1800));
        bench.ring(3);
        let report = bench.slice();
        assert_eq!((report.status, report.reason, report.next), (status::STOPPED, why, 1));
        assert_eq!(bench.completion(0).3, 0);
        let (_, counter, _, failed) = bench.completion(1);
        assert_eq!((counter, failed), (1, syndrome), "reason {why}");
        assert_eq!(bytes_of(&theirs, 0, 64), bytes_of(&mine, 0, 64), "what was before is executed");
        assert!(bytes_of(&theirs, 64, 4032).iter().all(|byte| *byte == 0), "and nothing else is");
        // It is not executed later either.
        bench.ring(4);
        assert_eq!(bench.slice(), report);
    }
}

#[test]
fn what_the_table_does_not_allow_parks_the_queue_until_the_host_has_an_answer() {
    let both = (LKEY, RKEY);
    for (why, (lkey, rkey), from, at) in [
        (reason::LOCAL_READ, (LKEY + 1, RKEY), 0x1000, 0x1000),
        (reason::LOCAL_READ, both, 0xfff, 0x1000),
        (reason::LOCAL_READ, both, 0x1fc1, 0x1000),
        (reason::REMOTE_WRITE, (LKEY, RKEY + 1), 0x1000, 0x1000),
        (reason::REMOTE_WRITE, both, 0x1000, 0xfff),
        (reason::REMOTE_WRITE, both, 0x1000, 0x1fc1),
        (reason::REMOTE_WRITE, both, 0x1000, u64::MAX),
    ] {
        let (mut bench, mine, theirs) = with_regions(32);
        bench.segments(0, &write(0, 64, lkey, from, rkey, at));
        bench.ring(1);
        let report = bench.slice();
        let asked = if why == reason::LOCAL_READ { (lkey, from) } else { (rkey, at) };
        assert_eq!((report.status, report.reason, report.next, report.bytes), (status::PARKED, why, 0, 64));
        assert_eq!((report.key as u32, report.at), asked);
        assert_eq!(bench.slice(), report, "it stays so");
        assert!(bytes_of(&theirs, 0, 4096).iter().all(|byte| *byte == 0));
        if (lkey, rkey) == both {
            // The host refuses the key.
            let syndrome = if why == reason::LOCAL_READ { 0x04 } else { 0x13 };
            bench.state[0].store(status::fails(syndrome), Ordering::Relaxed);
            assert_eq!(bench.slice().status, status::STOPPED);
            assert_eq!(bench.completion(0), (opcode::RDMA_WRITE, 0, 0, syndrome));
        } else {
            // The host has found the key.
            let (nic, key, memory) = if lkey != LKEY { (MINE, lkey, &mine) } else { (THEIRS, rkey, &theirs) };
            bench.key(nic, key, memory, 0, 0x1000, 4096);
            bench.state[0].store(status::RUNS, Ordering::Relaxed);
            assert_eq!((bench.slice().status, bench.completion(0).3), (status::RUNS, 0));
            assert_eq!(bytes_of(&theirs, 0, 64), bytes_of(&mine, 0, 64));
        }
    }
}

#[test]
fn a_message_that_is_longer_than_a_slice_goes_on_in_the_next() {
    let bytes = 300_001;
    for lanes in [1, 32] {
        let mut bench = Bench::new(lanes, 0, QPN);
        let (mine, theirs) = (words(bytes + 64), words(bytes + 64));
        set_bytes(&mine, 3, &pattern(bytes, 9));
        bench.key(MINE, LKEY, &mine, 3, 3, bytes as u64);
        bench.key(THEIRS, RKEY, &theirs, 1, 1, bytes as u64);
        bench.limit_ns = 0;
        bench.segments(0, &write(0, bytes as u32, LKEY, 3, RKEY, 1));
        bench.ring(1);
        let mut slices = 1;
        while bench.slice().next == 0 {
            assert_eq!(bench.state[5].load(Ordering::Relaxed), 0, "nothing completes before");
            slices += 1;
        }
        assert_eq!(slices, bytes.div_ceil(64 << 10));
        assert_eq!(bytes_of(&theirs, 1, bytes), pattern(bytes, 9));
        assert_eq!(bench.completion(0), (opcode::RDMA_WRITE, 0, bytes as u32, 0));
    }
}

#[test]
fn doorbells_that_break_a_rule_stop_the_queue() {
    type Damage = fn(&Bench);
    let cases: [(u64, Damage); 4] = [
        (reason::DOORBELL_QPN, |bench| {
            bench.ring(1);
            bench.bell[0].store(mlx5::doorbell(1, QPN + 1), Ordering::Relaxed);
        }),
        (reason::RECORD_FIRST, |bench| bench.bell[0].store(mlx5::doorbell(1, QPN), Ordering::Relaxed)),
        (reason::OVERRUN, |bench| bench.ring(DEPTH + 1)),
        (reason::INDEX_BACKWARD, |bench| bench.ring(0xffff)),
    ];
    for (why, damage) in cases {
        let (bench, _mine, _theirs) = with_regions(1);
        bench.segments(0, &write(0, 8, LKEY, 0x1000, RKEY, 0x1000));
        damage(&bench);
        let report = bench.slice();
        assert_eq!((report.status, report.reason), (status::STOPPED, why));
        assert_eq!(bench.completion(0).3, 2);
    }
}

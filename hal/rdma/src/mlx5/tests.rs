//! Compares work queue entries with those that rdma-core and NVSHMEM wrote.

use std::collections::BTreeMap;

use super::cqe;
use super::golden::{NVSHMEM_WQES, WQES, member, number, unhex};
use super::layout::{AtomicSeg, Cqe64, CtrlSeg, DataSeg, Doorbell, ErrCqe, Ext32, Ext64, InlineSeg, QpDbr, RaddrSeg};
use super::*;

/// Returns the bytes as they are in memory.
fn bytes_of(segments: &[Segment]) -> Vec<u8> {
    segments.iter().flat_map(|segment| [segment.0, segment.1]).flat_map(u64::to_ne_bytes).collect()
}

/// Returns a payload in a WQE: the segment with its header, and the following segments.
fn inline(payload: &[u8]) -> Vec<Segment> {
    let mut padded = payload.to_vec();
    // Filled up to the end of a segment: the header is 4 bytes.
    padded.resize((payload.len() + 4).next_multiple_of(16) - 4, 0);
    let word = |at: usize| u32::from_le_bytes(padded[at..at + 4].try_into().unwrap());
    let double = |at: usize| u64::from(word(at + 4)) << 32 | u64::from(word(at));
    let mut segments = vec![inline_head(payload.len() as u32, [word(0), word(4), word(8)])];
    segments.extend((12..padded.len()).step_by(16).map(|at| Segment(double(at), double(at + 8))));
    segments
}

// The parameters with which the golden entries were posted.
const RADDR: u64 = 0x1122_3344_5566_7788;
const RKEY: Key = Key::new(0x00a1_b2c3);
const LADDR: u64 = 0x7f00_dead_beef_0040;
const LKEY: Key = Key::new(0x00d4_e5f6);
const SECOND_LADDR: u64 = 0x7f00_dead_bef0_0040;
const SECOND_LKEY: Key = Key::new(0x00d4_e5f7);
const IMM: u32 = 0xcafe_0042;
const SOLICITED: u8 = 2;

/// Returns the segments of a golden line's operation, built by our encoders; `None` for operations that are not posted
/// here.
fn build(line: &str) -> Option<Vec<Segment>> {
    let flag = |name| number(line, name) == 1;
    let bytes = number(line, "len") as u32;
    let (op, mut segments) = match member(line, "op") {
        "RDMA_WRITE" => (opcode::RDMA_WRITE, vec![]),
        "RDMA_WRITE_IMM" => (opcode::RDMA_WRITE_IMM, vec![]),
        "RDMA_READ" => (opcode::RDMA_READ, vec![]),
        "ATOMIC_FA" => (opcode::ATOMIC_FA, vec![fetch_add(0x0102_0304_0506_0708)]),
        "ATOMIC_CS" => (opcode::ATOMIC_CS, vec![compare_swap(0x0102_0304_0506_0708, 0x1112_1314_1516_1718)]),
        _ => return None,
    };
    segments.insert(0, raddr(RADDR, RKEY));
    match (flag("inline"), number(line, "nsge")) {
        (true, _) => {
            let payload: Vec<u8> = (0..bytes as u8).map(|nth| 0xa0u8.wrapping_add(nth)).collect();
            segments.extend(inline(&payload));
        }
        (false, 0) => {}
        (false, 1) => segments.push(data(bytes, LKEY, LADDR)),
        (false, _) => segments.extend([data(bytes, LKEY, LADDR), data(bytes, SECOND_LKEY, SECOND_LADDR)]),
    }
    let fm_ce_se = if flag("signalled") { ce::ALWAYS } else { ce::ON_ERROR }
        | if flag("fence") { fm::FENCE_SMALL } else { fm::NONE }
        | if flag("solicited") { SOLICITED } else { 0 };
    let (index, qpn, ds) = (number(line, "wqe_idx"), number(line, "qpn") as u32, segments.len() as u8 + 1);
    let first = match op {
        opcode::RDMA_WRITE_IMM => ctrl_imm(0, op, index, qpn, ds, fm_ce_se, IMM),
        _ => ctrl(0, op, index, qpn, ds, fm_ce_se),
    };
    segments.insert(0, first);
    Some(segments)
}

#[test]
fn every_entry_of_rdma_core_is_built_as_it_was_written() {
    let (mut built, mut left_out) = (BTreeMap::new(), BTreeMap::new());
    for line in WQES.lines() {
        let op = member(line, "op");
        let Some(segments) = build(line) else {
            *left_out.entry(op).or_insert(0) += 1;
            continue;
        };
        *built.entry(op).or_insert(0) += 1;
        let (ours, theirs, written) = (bytes_of(&segments), unhex(member(line, "wqe")), unhex(member(line, "written")));
        assert_eq!(ours.len().div_ceil(BLOCK_BYTES) as u64, number(line, "nbb"), "{line}");
        for (at, (&byte, &mask)) in theirs.iter().zip(&written).enumerate() {
            let own = ours.get(at).copied().unwrap_or(0);
            assert_eq!(own & mask, byte & mask, "byte {at:#x}, ours {own:02x}, of\n{line}");
        }
        let beyond = written.get(ours.len()..).unwrap_or(&[]);
        assert!(beyond.iter().all(|&mask| mask == 0), "ours ends before theirs: {line}");
    }
    let expected =
        [("ATOMIC_CS", 60), ("ATOMIC_FA", 60), ("RDMA_READ", 60), ("RDMA_WRITE", 660), ("RDMA_WRITE_IMM", 120)];
    assert_eq!(built, BTreeMap::from(expected));
    assert_eq!(left_out, BTreeMap::new(), "operations of the file that are not ours");
}

#[test]
fn the_record_and_the_doorbell_are_those_of_rdma_core_one_index_on() {
    for line in WQES.lines() {
        let (index, qpn) = (number(line, "wqe_idx"), number(line, "qpn") as u32);
        let next = index + number(line, "nbb");
        let record = unhex(member(line, "dbrec"));
        assert_eq!(send_dbr(next).to_ne_bytes(), record[4..8], "{line}");
        assert_eq!(record[..4], [0; 4], "the first word is the receive queue's");

        let theirs = Doorbell::from_bytes(unhex(member(line, "db")).try_into().unwrap());
        let ours = Doorbell::from_bytes(doorbell(next, qpn).to_ne_bytes());
        let index_of = |bell: Doorbell| bell.opmod_idx_opcode.get() >> 8 & 0xffff;
        assert_eq!(ours.qpn_ds.get(), theirs.qpn_ds.get() & !0xff, "the queue, without the count of segments: {line}");
        assert_eq!(index_of(theirs), index as u16 as u32, "{line}");
        assert_eq!(index_of(ours), next as u16 as u32, "{line}");
    }
    assert_eq!(doorbell(2, 0x12ab).to_ne_bytes(), [0, 0, 2, 0, 0, 0x12, 0xab, 0]);
    assert_eq!(send_dbr(0x1_0000).to_ne_bytes(), [0; 4], "16 bits travel");
    assert_eq!(doorbell(0xffff_ffff_ffff, 0xff_ffff).to_ne_bytes(), [0, 0xff, 0xff, 0, 0xff, 0xff, 0xff, 0]);
}

/// Returns an entry of NVSHMEM, decoded and built again by our encoders, and the bytes that matter.
fn again(wqe: &[u8]) -> (Vec<Segment>, Vec<bool>) {
    let segment = |nth: usize| -> [u8; 16] { wqe[16 * nth..16 * (nth + 1)].try_into().unwrap() };
    let head = CtrlSeg::from_bytes(segment(0));
    let word = head.opmod_idx_opcode.get();
    let (opmod, index, op) = ((word >> 24) as u8, u64::from(word >> 8 & 0xffff), word as u8);
    let (qpn, ds) = (head.qpn_ds.get() >> 8, head.qpn_ds.get() as u8);
    let mut counts = vec![true; wqe.len()];
    let mut ignore = |from: usize, to: usize| counts[from..to].fill(false);
    // None of these operations has an immediate word.
    ignore(12, 16);
    let remote = |nth| {
        let seg = RaddrSeg::from_bytes(segment(nth));
        raddr(seg.raddr.get(), Key::new(seg.rkey.get()))
    };
    let local = |nth| {
        let seg = DataSeg::from_bytes(segment(nth));
        data(seg.byte_count.get(), Key::new(seg.lkey.get()), seg.addr.get())
    };
    let mut segments = vec![ctrl(opmod, op, index, qpn, ds, head.fm_ce_se)];
    match (opmod, op) {
        // A nop of two segments: the second has no meaning.
        (0, opcode::NOP) => {
            ignore(16, 16 * ds as usize);
            segments.resize(ds as usize, Segment::ZERO);
        }
        (0, opcode::DUMP) => segments.push(local(1)),
        (0, opcode::RDMA_READ) => segments.extend([remote(1), local(2)]),
        (0, opcode::RDMA_WRITE) => {
            ignore(28, 32);
            let seg = InlineSeg::from_bytes(segment(2));
            let bytes = seg.byte_count.get();
            if bytes >> 31 == 0 {
                segments.extend([remote(1), local(2)]);
            } else {
                let bytes = bytes & 0x7fff_ffff;
                ignore(36 + bytes as usize, 48);
                let value = u64::from_le_bytes(seg.payload[..8].try_into().unwrap());
                segments.extend([remote(1), inline_word(bytes, value)]);
            }
        }
        (0, opcode::ATOMIC_FA) => {
            ignore(40, 48);
            segments.extend([remote(1), fetch_add(AtomicSeg::from_bytes(segment(2)).swap_add.get()), local(3)]);
        }
        (0, opcode::ATOMIC_CS) => {
            let seg = AtomicSeg::from_bytes(segment(2));
            segments.extend([remote(1), compare_swap(seg.compare.get(), seg.swap_add.get()), local(3)]);
        }
        (OPMOD_EXT_32, opcode::MASKED_CS) => {
            let seg = Ext32::from_bytes(segment(2));
            let (swap, compare) = (seg.swap_add.get(), seg.compare_boundary.get());
            let masked = masked_compare_swap_32(swap, compare, seg.swap_mask.get(), seg.compare_mask.get());
            segments.extend([remote(1), masked, local(3)]);
        }
        (OPMOD_EXT_32, opcode::MASKED_FA) => {
            ignore(40, 48);
            let seg = Ext32::from_bytes(segment(2));
            let masked = masked_fetch_add_32(seg.swap_add.get(), seg.compare_boundary.get());
            segments.extend([remote(1), masked, local(3)]);
        }
        (OPMOD_EXT_64, opcode::MASKED_FA) => {
            let seg = Ext64::from_bytes(segment(2));
            let masked = masked_fetch_add_64(seg.swap_add.get(), seg.compare_boundary.get());
            segments.extend([remote(1), masked, local(3)]);
        }
        (OPMOD_EXT_64, opcode::MASKED_CS) => {
            let (values, masks) = (Ext64::from_bytes(segment(2)), Ext64::from_bytes(segment(3)));
            segments.extend([
                remote(1),
                masked_compare_swap_64(values.swap_add.get(), values.compare_boundary.get()),
                masked_compare_swap_64_masks(masks.swap_add.get(), masks.compare_boundary.get()),
                local(4),
            ]);
        }
        _ => panic!("an operation that is not ours: {opmod:x} {op:02x}"),
    }
    (segments, counts)
}

#[test]
fn the_entries_of_nvshmem_come_out_as_they_went_in() {
    let mut kinds = BTreeMap::new();
    for line in NVSHMEM_WQES.lines() {
        let (kind, digits) = line.split_once(' ').unwrap();
        let theirs = unhex(digits);
        let (segments, counts) = again(&theirs);
        let ours = bytes_of(&segments);
        assert_eq!(ours.len(), theirs.len(), "{line}");
        for (at, ((own, their), counted)) in ours.iter().zip(&theirs).zip(counts).enumerate() {
            assert!(own == their || !counted, "byte {at:#x}: ours {own:02x}, theirs {their:02x}, of\n{line}");
        }
        let head = CtrlSeg::from(segments[0]);
        assert_eq!(usize::from(head.qpn_ds.get() as u8), segments.len(), "the count of segments: {line}");
        *kinds.entry(kind).or_insert(0) += 1;
    }
    let expected = [
        ("0", 153),
        ("10", 217),
        ("11", 55),
        ("12", 57),
        ("23", 1025),
        ("8", 194),
        ("814", 344),
        ("815", 360),
        ("914", 298),
        ("915", 297),
    ];
    assert_eq!(kinds, BTreeMap::from(expected));
}

#[test]
fn fields_are_where_their_segment_has_them() {
    let head = CtrlSeg::from(ctrl_imm(9, opcode::MASKED_FA, 0x1_2345, 0xab_cdef, 0x7f, 0x48, 0x0102_0304));
    assert_eq!(head.to_bytes(), [9, 0x23, 0x45, 0x15, 0xab, 0xcd, 0xef, 0x3f, 0, 0, 0, 0x48, 1, 2, 3, 4]);
    assert_eq!(CtrlSeg::from(ctrl(0, 0, 0, 0, 1, 0)).imm.get(), 0);

    let masked = Ext32::from(masked_compare_swap_32(1, 2, 3, 4));
    let fields = [masked.swap_add, masked.compare_boundary, masked.swap_mask, masked.compare_mask].map(|it| it.get());
    assert_eq!(fields, [1, 2, 3, 4]);
    let added = Ext32::from(masked_fetch_add_32(5, 6));
    assert_eq!((added.swap_add.get(), added.compare_boundary.get()), (5, 6));
    let added = Ext64::from(masked_fetch_add_64(7, 8));
    assert_eq!((added.swap_add.get(), added.compare_boundary.get()), (7, 8));
    let swapped = AtomicSeg::from(compare_swap(9, 10));
    assert_eq!((swapped.compare.get(), swapped.swap_add.get()), (9, 10));
}

#[test]
fn a_key_is_the_same_on_the_wire_however_it_came() {
    let key = Key::new(0x0102_0304);
    assert_eq!(key.wire().to_ne_bytes(), [1, 2, 3, 4]);
    assert_eq!((Key::from_wire(key.wire()), key.host()), (key, 0x0102_0304));
}

#[test]
fn an_inline_word_has_so_many_bytes_of_the_value_and_zeros() {
    let value = 0x8877_6655_4433_2211_u64;
    for bytes in 1..=8_u32 {
        let seg = InlineSeg::from(inline_word(bytes, value));
        assert_eq!(seg.byte_count.get(), 0x8000_0000 | bytes);
        assert_eq!(seg.payload[..bytes as usize], value.to_le_bytes()[..bytes as usize]);
        assert!(seg.payload[bytes as usize..].iter().all(|&byte| byte == 0), "{bytes}: {seg:?}");
    }
}

#[test]
fn memory_that_no_completion_was_written_to_reads_as_invalid() {
    let fresh = Cqe64::from_bytes([0xff; 64]);
    let tail = CqeTail(u32::from_ne_bytes(fresh.to_bytes()[cqe::TAIL_OFFSET..].try_into().unwrap()));
    assert_eq!((tail.opcode(), tail.wqe_counter()), (cqe::INVALID, 0xffff));
    // Zero-filled memory does not have this property, so that queues must not be zero-filled.
    assert_eq!((CqeTail(0).opcode(), CqeTail(0).wqe_counter()), (cqe::REQ, 0));
}

#[test]
fn an_error_completion_names_the_entry_that_stopped_the_queue() {
    let mut entry = ErrCqe::from_bytes([0; 64]);
    entry.hw_err_synd = 0x77;
    entry.hw_synd_type = 0x66;
    entry.vendor_err_synd = 0x88;
    entry.syndrome = cqe::syndrome::REMOTE_ACCESS;
    entry.s_wqe_opcode_qpn = super::layout::Be32::new(0x08ab_cdef);
    entry.wqe_counter = super::layout::Be16::new(0x1234);
    entry.op_own = 0xd1;
    let bytes = entry.to_bytes();
    let word = |at: usize| u32::from_ne_bytes(bytes[at..at + 4].try_into().unwrap());
    let tail = CqeTail(word(cqe::TAIL_OFFSET));
    assert_eq!(tail.opcode(), cqe::REQ_ERR);
    assert_eq!(tail.wqe_counter(), 0x1234);
    // The two words that device code loads for an error, byte by byte.
    assert_eq!(word(cqe::ERROR_OFFSET).to_ne_bytes(), [0x77, 0x66, 0x88, 0x13]);
    assert_eq!(word(cqe::QPN_OFFSET).to_ne_bytes(), [opcode::RDMA_WRITE, 0xab, 0xcd, 0xef]);
    assert_eq!(entry.words(), "remote access error");
}

#[test]
fn a_record_has_the_send_queue_in_its_second_word() {
    let mut record = [0; 8];
    record[4..].copy_from_slice(&send_dbr(0x2_0304).to_ne_bytes());
    let record = QpDbr::from_bytes(record);
    assert_eq!((record.receive.get(), record.send.get()), (0, 0x0304));
}

/// The most blocks in flight.
const WINDOW: u64 = 1 << 15;

/// Indices around wraps: 0, 2^16, 2^17, 2^32 and the far end.
fn near_wraps() -> impl Iterator<Item = u64> {
    let around = |at: u64| (0..40).map(move |nth| at.wrapping_sub(20).wrapping_add(nth));
    let wraps = [1 << 15, 1 << 16, 1 << 17, 1 << 31, 1 << 32, (1 << 32) + (1 << 16), 1 << 48];
    (0..20).chain(wraps.into_iter().flat_map(around))
}

#[test]
fn done_is_rebuilt_for_every_count_of_outstanding_blocks() {
    for done in near_wraps() {
        for outstanding in 0..WINDOW {
            let next = done + outstanding;
            let counter = (next as u16).wrapping_sub(1);
            assert_eq!(done_after(done, counter), next, "done {done:#x}, {outstanding} more");
        }
    }
}

#[test]
fn done_is_rebuilt_from_every_index_of_two_laps() {
    let edges = [0, 1, 2, 3, 127, 128, WINDOW / 2, WINDOW - 3, WINDOW - 2, WINDOW - 1];
    for done in 0..1 << 17 {
        for outstanding in edges {
            let next = done + outstanding;
            assert_eq!(done_after(done, (next as u16).wrapping_sub(1)), next, "done {done:#x}, {outstanding} more");
        }
    }
}

#[test]
fn done_never_goes_back_nor_out_of_its_window() {
    for done in near_wraps() {
        for counter in 0..=u16::MAX {
            let next = done_after(done, counter);
            assert!((done..done + WINDOW).contains(&next), "done {done:#x}, counter {counter:#x}: {next:#x}");
            let behind = counter.wrapping_add(1);
            assert!(next == done || next as u16 == behind, "done {done:#x}, counter {counter:#x}: {next:#x}");
        }
    }
}

#[test]
fn a_counter_that_a_slow_thread_read_long_ago_changes_nothing() {
    for done in near_wraps().filter(|&done| done > WINDOW) {
        for ago in 1..=WINDOW {
            let counter = (done - ago) as u16;
            // The WQE `ago` blocks before; `ago` 1 is the one that led to `done`.
            assert_eq!(done_after(done, counter), done, "done {done:#x}, {ago} blocks ago");
        }
    }
}

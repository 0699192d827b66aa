//! The effect of each operation.

use crate::driver::*;
use oxshmem_softnic::Options;

#[test]
fn a_write_lands_at_the_peer_and_nowhere_else() {
    let mut pair = Pair::new(Options::default());
    (0..8).for_each(|i| pair.mine.set(i, 100 + i as u64));
    let index = pair.put(64 * 8, 0, 64);
    assert_eq!(pair.qa.wait(index), 0);
    for i in 0..WORDS {
        let expected = if (64..72).contains(&i) { 36 + i as u64 } else { 0 };
        assert_eq!(pair.theirs.get(i), expected, "word {i}");
    }
    assert_eq!(pair.broken_rules(), [""; 0]);
}

#[test]
fn a_read_and_atomics_bring_what_the_peer_has() {
    let mut pair = Pair::new(Options::default());
    let (rkey, lkey) = (pair.mr_b.rkey, pair.mr_a.lkey);
    pair.theirs.set(1, 0x1122_3344_5566_7788);
    pair.theirs.set(2, 40);
    pair.qa.write(&[ctrl(0, 0x10, 0), raddr(8, rkey), data(8, lkey, 0)]);
    pair.qa.write(&[ctrl(0, 0x12, 0), raddr(16, rkey), words64(2, 0), data(8, lkey, 8)]);
    pair.qa.write(&[ctrl(0, 0x11, 0), raddr(16, rkey), words64(7, 42), data(8, lkey, 16)]);
    // Masked, 4 bytes: adds 5 to the upper half of word 1, whose former value is returned big-endian.
    pair.qa.write(&[ctrl(8, 0x15, 0), raddr(12, rkey), [5, 0, 0, 0], data(4, lkey, 24)]);
    // Masked, 8 bytes: sets the low byte of word 2 if it is 7.
    let set = [ctrl(9, 0x14, 0), raddr(16, rkey), words64(0x33, 7), words64(0xff, 0xff), data(8, lkey, 32)];
    pair.qa.write(&set);
    let last = pair.qa.write(&[ctrl(0, 0, SIGNALLED)]);
    pair.qa.ring();
    assert_eq!(pair.qa.wait(last), 0);
    assert_eq!(pair.mine.get(0), 0x1122_3344_5566_7788, "the read");
    assert_eq!(pair.mine.get(1), 40, "what fetch and add found");
    assert_eq!(pair.mine.get(2), 42, "what compare and swap found");
    assert_eq!(pair.mine.get(3), u64::from(0x1122_3344_u32.to_be()), "4 bytes, big-endian");
    assert_eq!(pair.mine.get(4), 7, "what the masked compare and swap found");
    assert_eq!(pair.theirs.get(1), 0x1122_3349_5566_7788);
    assert_eq!(pair.theirs.get(2), 0x33);
    assert_eq!(pair.broken_rules(), [""; 0]);
}

#[test]
fn inline_data_and_memory_form_one_message() {
    let mut pair = Pair::new(Options::default());
    let (rkey, lkey) = (pair.mr_b.rkey, pair.mr_a.lkey);
    pair.mine.set(0, 0x1122_3344_5566_7788);
    let inline = [1 << 31 | 8, 0xaabb_ccdd, 0x0102_0304, 0];
    pair.qa.write(&[ctrl(0, 8, 0), raddr(0, rkey), data(8, lkey, 0), inline]);
    pair.qa.write(&[ctrl(0, 8, 0), raddr(32, rkey), inline, data(8, lkey, 0)]);
    let last = pair.qa.write(&[ctrl(0, 0, SIGNALLED)]);
    pair.qa.ring();
    assert_eq!(pair.qa.wait(last), 0);
    let inline = u64::from_le_bytes([0xaa, 0xbb, 0xcc, 0xdd, 1, 2, 3, 4]);
    let memory = 0x1122_3344_5566_7788;
    assert_eq!([0, 1, 4, 5].map(|word| pair.theirs.get(word)), [memory, inline, inline, memory]);
    assert_eq!(pair.broken_rules(), [""; 0]);
}

#[test]
fn what_no_queue_here_has_is_ignored_in_an_entry() {
    // A signature and a stream, which drivers leave as they were.
    let mut pair = Pair::new(Options::default());
    let index = pair.qa.write(&[ctrl(0, 0, 0x0102_0300 | SIGNALLED)]);
    pair.qa.ring();
    assert_eq!(pair.qa.wait(index), 0);
    assert_eq!(pair.broken_rules(), [""; 0]);
}

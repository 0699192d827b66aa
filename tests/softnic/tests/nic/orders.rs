//! Effects that a NIC may have in more than one order: programs that keep the rules see the same in each.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use crate::driver::*;
use oxshmem_softnic::{HostMemory, Knobs, Memory, MemoryFailed, Options, PiSource, Place, SoftProvider};

/// A generator of numbers, for the tests' own choices.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end
    }
}

/// Posts random operations on words of the peer, and computes their expected results.
fn storm(pair: &mut Pair, seed: u64, operations: u64) {
    let mut numbers = Numbers(seed.wrapping_mul(0x9e37_79b9) | 1);
    let (rkey, lkey) = (pair.mr_b.rkey, pair.mr_a.lkey);
    let mut model = vec![0_u64; 1024];
    // Fetched words: their destination here, and the expected value. Each fetch has a destination of its own until it
    // is checked.
    let mut fetched: VecDeque<(usize, u64)> = VecDeque::new();
    let (mut posted, mut place) = (0, 0);
    while posted < operations {
        let batch = 1 + numbers.below(20);
        let mut signalled = 0;
        for i in 0..batch {
            let last = i + 1 == batch;
            let flags = if last { SIGNALLED } else { 0 };
            let word = numbers.below(1024);
            place = (place + 1) % 64;
            let at = 4096 + place as usize;
            match numbers.below(4) {
                0 => {
                    let value = numbers.below(u64::MAX);
                    let [a, b, c, d, e, f, g, h] = value.to_le_bytes();
                    let (low, high) = (u32::from_be_bytes([a, b, c, d]), u32::from_be_bytes([e, f, g, h]));
                    signalled = pair.qa.write(&[ctrl(0, 8, flags), raddr(word * 8, rkey), [1 << 31 | 8, low, high, 0]]);
                    model[word as usize] = value;
                }
                1 => {
                    // From constant words, so that the time of the read does not matter.
                    let count = (1 + numbers.below(40)).min(1024 - word);
                    let bytes = count as u32 * 8;
                    signalled = pair.qa.write(&[ctrl(0, 8, flags), raddr(word * 8, rkey), data(bytes, lkey, word * 8)]);
                    (word..word + count).for_each(|word| model[word as usize] = word * 7 + 1);
                }
                2 => {
                    signalled = pair.qa.write(&[
                        ctrl(0, 0x12, flags),
                        raddr(word * 8, rkey),
                        words64(word + 3, 0),
                        data(8, lkey, at as u64 * 8),
                    ]);
                    fetched.push_back((at, model[word as usize]));
                    model[word as usize] = model[word as usize].wrapping_add(word + 3);
                }
                _ => {
                    // A read may be executed at any time up to its completion, so that the following operations wait
                    // for it.
                    signalled =
                        pair.qa.write(&[ctrl(0, 0x10, flags), raddr(word * 8, rkey), data(8, lkey, at as u64 * 8)]);
                    fetched.push_back((at, model[word as usize]));
                    if !last {
                        pair.qa.write(&[ctrl(0, 0, FENCE)]);
                    }
                }
            }
        }
        posted += batch;
        pair.qa.ring();
        assert_eq!(pair.qa.wait(signalled), 0, "seed {seed}: {:?}", pair.provider.violations());
        for (at, found) in fetched.drain(..) {
            assert_eq!(pair.mine.get(at), found, "seed {seed}, word {at}");
        }
    }
    for (word, value) in model.iter().enumerate() {
        assert_eq!(pair.theirs.get(word), *value, "seed {seed}, word {word} of the peer");
    }
    assert!(pair.provider.violations().is_empty());
}

#[test]
fn a_driver_that_keeps_the_rules_gets_the_same_from_every_seed() {
    // To run more by hand: OXSHMEM_SOFTNIC_SEEDS=10000 cargo test -p oxshmem-softnic --test nic every_seed
    let seeds = std::env::var("OXSHMEM_SOFTNIC_SEEDS").map_or(48, |seeds| seeds.parse().unwrap());
    for seed in 0..seeds {
        let options = Options { knobs: Knobs::from_seed(seed), ..Options::default() };
        let mut pair = Pair::new(options);
        (0..1024).for_each(|word| pair.mine.set(word, word as u64 * 7 + 1));
        storm(&mut pair, seed + 1, 600);
    }
}

#[test]
fn indices_go_round_three_times_at_each_depth() {
    for log_depth in [3, 7, 15] {
        let mut pair = Pair::shaped(Options::default(), Shape { log_depth, ..Shape::default() });
        let (depth, rkey) = (1_u64 << log_depth, pair.mr_b.rkey);
        let half = depth / 2;
        while pair.qa.next < 3 * 65_536 + 100 {
            for i in 0..half {
                let flags = if i + 1 == half { SIGNALLED } else { 0 };
                let inline = [1 << 31 | 4, (pair.qa.next as u32).to_be(), 0, 0];
                pair.qa.write(&[ctrl(0, 8, flags), raddr(0, rkey), inline]);
            }
            pair.qa.ring();
            assert_eq!(pair.qa.wait(pair.qa.next - 1), 0);
            assert_eq!(pair.theirs.get(0), pair.qa.next - 1);
        }
        assert!(pair.provider.violations().is_empty());
    }
}

#[test]
fn where_writes_are_not_ordered_a_completion_can_come_before_its_data_and_a_dump_waits_for_it() {
    let knobs = Knobs { early_cqe: 1024, read_delay: 1024, read_delay_us: 300_000, seed: 5, ..Knobs::calm() };
    for (dump_needed, early) in [(true, true), (false, false)] {
        let mut pair = Pair::new(Options { knobs, dump_needed, ..Options::default() });
        let (rkey, lkey) = (pair.mr_b.rkey, pair.mr_a.lkey);
        pair.theirs.set(0, 5);
        let index = pair.qa.write(&[ctrl(0, 0x10, SIGNALLED), raddr(0, rkey), data(8, lkey, 0)]);
        pair.qa.ring();
        assert_eq!(pair.qa.wait(index), 0);
        assert_eq!(pair.mine.get(0), if early { 0 } else { 5 });
        let index = pair.qa.write(&[ctrl(0, 0x23, SIGNALLED | FENCE), data(1, lkey, 0)]);
        pair.qa.ring();
        assert_eq!(pair.qa.wait(index), 0);
        assert_eq!(pair.mine.get(0), 5);
    }
}

#[test]
fn a_lost_doorbell_is_made_up_for() {
    let knobs = Knobs { lost_doorbell: 1024, recovery_us: 500, seed: 1, ..Knobs::calm() };
    let mut pair = Pair::new(Options { knobs, ..Options::default() });
    for _ in 0..20 {
        let index = pair.put(0, 0, 8);
        assert_eq!(pair.qa.wait(index), 0);
    }
}

#[test]
fn a_nic_that_follows_the_record_needs_no_doorbell() {
    for pi in [PiSource::Record, PiSource::LateRecord] {
        let mut pair = Pair::new(Options { knobs: Knobs { pi, ..Knobs::calm() }, ..Options::default() });
        let index = pair.qa.write(&[ctrl(0, 0, SIGNALLED)]);
        pair.qa.record(1);
        assert_eq!(pair.qa.wait(index), 0, "{pi:?}");
    }
}

#[test]
fn an_entry_that_is_written_after_its_record_is_caught_by_a_nic_that_fetches_ahead() {
    let knobs = Knobs { prefetch: true, ..Knobs::calm() };
    let mut pair = Pair::new(Options { knobs, ..Options::default() });
    let mut other = Qp::new(&pair.a, Shape::default());
    other.connect(pair.qb.qpn, pair.b.lid);
    pair.qa.record(1);
    // The same NIC's work in between shows that it has passed the record.
    for _ in 0..3 {
        let index = other.write(&[ctrl(0, 0, SIGNALLED)]);
        other.ring();
        assert_eq!(other.wait(index), 0);
    }
    pair.qa.write(&[ctrl(0, 8, SIGNALLED), raddr(0, pair.mr_b.rkey), data(8, pair.mr_a.lkey, 0)]);
    pair.qa.doorbell(1);
    assert_ne!(pair.qa.wait(0), 0);
    assert_eq!(pair.broken_rules(), ["wqe-qpn"]);
}

/// Memory of this process that does not report itself as such, and that records the order of writes.
#[derive(Debug, Default)]
struct Remembers(Mutex<Vec<(u64, usize)>>);

impl Memory for Remembers {
    fn place(&self, at: u64, bytes: u64) -> Result<Place, MemoryFailed> {
        HostMemory.place(at, bytes).map(|_| Place::Own)
    }

    unsafe fn read(&self, to: &mut [u8], from: u64) -> Result<(), MemoryFailed> {
        // SAFETY: **mapped** is the caller's promise.
        unsafe { HostMemory.read(to, from) }
    }

    unsafe fn write(&self, to: u64, from: &[u8]) -> Result<(), MemoryFailed> {
        self.0.lock().unwrap().push((to, from.len()));
        // SAFETY: **mapped** is the caller's promise.
        unsafe { HostMemory.write(to, from) }
    }

    unsafe fn load(&self, from: u64) -> Result<u64, MemoryFailed> {
        // SAFETY: **mapped** is the caller's promise.
        unsafe { HostMemory.load(from) }
    }

    unsafe fn store_last(&self, to: u64, word: u32) -> Result<(), MemoryFailed> {
        self.0.lock().unwrap().push((to, 4));
        // SAFETY: **mapped** is the caller's promise.
        unsafe { HostMemory.store_last(to, word) }
    }

    unsafe fn update(
        &self,
        at: u64,
        bytes: usize,
        change: &mut dyn FnMut(u64) -> Option<u64>,
    ) -> Result<u64, MemoryFailed> {
        // SAFETY: **mapped** is the caller's promise.
        unsafe { HostMemory.update(at, bytes, change) }
    }
}

#[test]
fn the_bytes_of_a_message_land_in_any_order_and_its_completion_behind_them() {
    let mut shuffled = 0;
    for seed in 1..9 {
        let memory = Arc::new(Remembers::default());
        let knobs = Knobs { scatter: 1024, seed, ..Knobs::calm() };
        let options = Options { nics: 2, knobs, ..Options::default() };
        let provider = SoftProvider::with_memory(options, memory.clone()).unwrap();
        let mut pair = Pair::on(provider, Shape::default());
        (0..512).for_each(|i| pair.mine.set(i, i as u64 + 1));
        memory.0.lock().unwrap().clear();
        let index = pair.put(4, 0, 4096);
        assert_eq!(pair.qa.wait(index), 0);
        let writes = memory.0.lock().unwrap().clone();
        let (data, completion) = writes.split_at(writes.len() - 2);
        assert_eq!(data.iter().map(|(_, bytes)| bytes).sum::<usize>(), 4096);
        let theirs = pair.theirs.at(0);
        assert!(data.iter().all(|(at, _)| at % 8 == 0 || *at == theirs + 4), "words stay whole: {data:?}");
        assert!(data.iter().all(|(at, _)| (theirs..theirs + 8192).contains(at)), "all data comes first: {writes:?}");
        let last = (pair.qa.control.at(CQE) + 60, 4);
        assert_eq!(completion[1], last, "the completion's last word comes last, in one store");
        shuffled += u32::from(!data.is_sorted());
    }
    assert!(shuffled > 2, "{shuffled} of 8");
}

#[test]
fn completions_that_are_held_back_are_overtaken_by_later_ones() {
    let knobs = Knobs { late_cqe: 512, late_cqe_us: 2000, seed: 9, ..Knobs::calm() };
    let mut pair = Pair::new(Options { knobs, ..Options::default() });
    let mut jumps = 0;
    for _ in 0..40 {
        let before = pair.qa.tail().0;
        for _ in 0..8 {
            pair.qa.write(&[ctrl(0, 0, SIGNALLED)]);
        }
        pair.qa.ring();
        let mut seen = before;
        wait_for("the last", || {
            let now = pair.qa.tail().0;
            jumps += u32::from(now.wrapping_sub(seen) > 1);
            seen = now;
            now == (pair.qa.next - 1) as u16
        });
    }
    assert!(jumps > 0);
}

#[test]
fn no_more_fetches_are_outstanding_than_were_agreed_on() {
    let knobs = Knobs { read_delay: 1024, read_delay_us: 20_000, seed: 4, ..Knobs::calm() };
    let mut pair = Pair::new(Options { knobs, ..Options::default() });
    let (rkey, lkey) = (pair.mr_b.rkey, pair.mr_a.lkey);
    (0..24).for_each(|i| pair.mine.set(i, u64::MAX));
    for i in 0..24 {
        let flags = if i == 23 { SIGNALLED } else { 0 };
        pair.qa.write(&[ctrl(0, 0x12, flags), raddr(0, rkey), words64(1, 0), data(8, lkey, i * 8)]);
    }
    pair.qa.ring();
    wait_for("all fetches", || {
        // The peer's word first: operations that complete in between make room for more.
        let executed = pair.theirs.get(0);
        let landed = (0..24).filter(|i| pair.mine.get(*i) != u64::MAX).count() as u64;
        assert!(executed <= landed + 16, "{executed} executed, {landed} landed");
        landed == 24
    });
    (0..24).for_each(|i| assert_eq!(pair.mine.get(i), i as u64));
}

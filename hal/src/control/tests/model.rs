//! A model of the set-up of large worlds: the states of all PEs, without processes and connections. It counts, for each
//! process, the messages and bytes that cross its connections to other processes.
//!
//! `cargo test -p oxshmem-hal --lib model -- --nocapture` prints the table of docs/performance/startup.md.

use std::collections::BTreeMap;
use std::time::Instant;

use super::calls::swap;
use crate::bootstrap::frame::{Frame, FrameKind, HEADER, Inbox, Op};
use crate::bootstrap::meeting::handshake::{CHALLENGE, HELLO, MAC, REPLY};
use crate::bootstrap::tree::relay::RelayState;
use crate::bootstrap::tree::state::CollectiveState;
use crate::bootstrap::tree::{FAN_OUT, Tree};

/// Messages and bytes, sent and received.
#[derive(Clone, Copy, Default)]
struct Load {
    messages: u64,
    bytes: u64,
}

/// The loads of all processes, by PE.
struct Model {
    tree: Tree,
    loads: Vec<Load>,
}

impl Model {
    fn new(n_pes: u32, fan_out: u32) -> Self {
        Self { tree: Tree { n_pes, fan_out }, loads: vec![Load::default(); n_pes as usize] }
    }

    /// One message between two processes.
    fn pass(&mut self, a: u32, b: u32, bytes: usize) {
        for pe in [a, b] {
            let load = &mut self.loads[pe as usize];
            load.messages += 1;
            load.bytes += bytes as u64;
        }
    }

    /// Each PE joins at the root and, if that is not its parent, connects to its parent.
    fn join(&mut self) {
        const ADDRESS: usize = "255.255.255.255:65535".len();
        for pe in 1..self.tree.n_pes {
            let parent = self.tree.parent(pe).unwrap();
            let shakes = [HELLO, CHALLENGE, MAC, REPLY];
            shakes.into_iter().chain([HEADER]).for_each(|bytes| self.pass(0, pe, bytes));
            if !self.tree.children(pe).is_empty() {
                self.pass(0, pe, HEADER + ADDRESS);
            }
            if parent != 0 {
                // Its parent's address, and the announcement that it has moved.
                self.pass(0, pe, HEADER + ADDRESS);
                self.pass(0, pe, HEADER);
                shakes.into_iter().for_each(|bytes| self.pass(parent, pe, bytes));
            }
        }
    }

    /// All PEs make a call with the blobs that `blob` returns. Each PE checks that the root's answer has all of them.
    fn call(&mut self, blob: impl Fn(u32) -> Vec<u8>) {
        let (n, now) = (self.tree.n_pes, Instant::now());
        let mut root = CollectiveState::new(n, None);
        let mut answer = Vec::new();
        // By PE: the frames that go from it to its parent. A PE's children have higher numbers.
        let mut up: BTreeMap<u32, Vec<u8>> = BTreeMap::new();
        for pe in (0..n).rev() {
            let (children, mine) = (self.tree.children(pe), blob(pe));
            let frame = Frame {
                kind: FrameKind::Arrive,
                op: Op::Gather as u8,
                pe,
                count: 1,
                seq: 0,
                step: "share the symmetric heap",
                blob: &mine,
            };
            let own = [frame.head(), mine.clone()].concat();
            let from = children.into_iter().map(|child| (up.remove(&child.start).unwrap(), child));
            let mut relay = RelayState::new(self.tree.subtree(pe), n);
            let mut sent = Vec::new();
            for (bytes, pes) in from.chain([(own, pe..pe + 1)]) {
                let mut inbox = Inbox::default();
                inbox.push(&bytes);
                while let Some(frame) = inbox.next().unwrap() {
                    match pe {
                        0 => root.receive(&pes, &frame, now, &mut answer).unwrap(),
                        _ => relay.receive(&pes, &frame, now, &mut sent).unwrap(),
                    }
                }
            }
            if let Some(parent) = self.tree.parent(pe) {
                let bytes = sent.concat();
                self.pass(parent, pe, bytes.len());
                up.insert(pe, bytes);
            }
        }
        let bytes = answer.iter().flat_map(|message| message.pieces.concat()).collect::<Vec<_>>();
        let mut inbox = Inbox::default();
        inbox.push(&bytes);
        let mut next = 0;
        while let Some(frame) = inbox.next().unwrap() {
            (frame.pe..frame.pe + frame.count).for_each(|pe| assert!(frame.blob == blob(pe)));
            assert_eq!(frame.pe, next);
            next += frame.count;
        }
        assert_eq!(next, n, "all blobs, in PE order");
        (1..n).for_each(|pe| self.pass(self.tree.parent(pe).unwrap(), pe, bytes.len()));
    }

    /// All PEs pass a block of `bytes` bytes to each other one. Checks that each block reaches its PE.
    fn swap(&mut self, bytes: usize) {
        let n = self.tree.n_pes;
        for distance in swap::distances(n) {
            let blocks = (0..n).filter(|i| i & distance != 0).count();
            for pe in 0..n {
                let to = (pe + distance) % n;
                [HELLO, CHALLENGE, MAC, REPLY, 8 + blocks * (4 + bytes)].into_iter().for_each(|b| self.pass(pe, to, b));
            }
        }
        // The block for the PE at distance `i` has gone the bits of `i`.
        for i in 0..n {
            assert_eq!(swap::distances(n).filter(|distance| i & distance != 0).sum::<u32>(), i);
        }
    }

    fn busiest_but_root(&self) -> Load {
        self.loads[1..].iter().copied().max_by_key(|load| load.bytes).unwrap_or_default()
    }
}

/// The data of a PE that differ from those of others: an offer of a heap, an address.
fn different(pe: u32) -> Vec<u8> {
    [pe.to_le_bytes(); 10].concat()
}

/// Number of bytes by which a PE lets others connect 8 rows and the host's own over one port, for all PEs: see
/// `ConnectData`.
const COMMON_BYTES: usize = 4 + 1 + 2 + 28 + 4 + 4 + 9;
/// Number of those for each PE.
const ENDPOINT_BYTES: usize = 9 * 6;
const CONNECT_BYTES: usize = COMMON_BYTES + ENDPOINT_BYTES;

/// A step of the set-up.
struct Step {
    name: &'static str,
    run: fn(&mut Model),
    /// The most bytes of one process, divided by N log N.
    limit: f64,
    /// Bytes that a process holds for each PE: as the root or a hub, and as the caller that has the result.
    held: usize,
    /// Bytes of PE 0 in a star with N PEs, in which it sends the blob of each PE to each PE.
    star: fn(f64) -> f64,
}

const STEPS: [Step; 4] = [
    Step {
        name: "join",
        run: Model::join,
        limit: 64.0,
        held: 300,
        star: |n| n * (HELLO + CHALLENGE + MAC + REPLY) as f64,
    },
    Step {
        name: "agreement",
        run: |model| model.call(|_| vec![7; 16]),
        limit: 32.0,
        held: 16 + 24 + 16,
        star: |n| n * (64.0 + n * (HEADER + 16) as f64),
    },
    Step {
        name: "gather of 40 bytes",
        run: |model| model.call(different),
        limit: 280.0,
        held: HEADER + 40 + 16 + 40 + 24 + 40,
        star: |n| n * (88.0 + n * (HEADER + 40) as f64),
    },
    Step {
        name: "8 queue pairs to each PE",
        run: |model| model.swap(CONNECT_BYTES),
        limit: 280.0,
        held: 3 * (24 + CONNECT_BYTES),
        star: |n| n * n * (n * ENDPOINT_BYTES as f64 + (COMMON_BYTES + HEADER) as f64),
    },
];

#[test]
fn no_process_of_a_large_world_sends_or_receives_more_than_n_log_n() {
    println!("| PEs | step | PE 0: messages | KB | busiest other PE: messages | KB | held, KB | ms | star, PE 0: KB |");
    println!("|---|---|---|---|---|---|---|---|---|");
    for n in [64, 256, 1024, 4096, 10_000] {
        for Step { name, run, limit, held, star } in STEPS {
            if n <= swap::SMALL && name == "8 queue pairs to each PE" {
                // They go to all PEs there.
                continue;
            }
            let mut model = Model::new(n, FAN_OUT);
            run(&mut model);
            let (root, other) = (model.loads[0], model.busiest_but_root());
            let depth = model.tree.way(n - 1).len().max(model.tree.way(n / 2).len());
            // A message takes a process 10 us, a byte 1 ns, and the network 50 us on each edge of the way.
            let us = root.messages as f64 * 10.0 + root.bytes as f64 / 1e3 + 2.0 * depth as f64 * 50.0;
            let kb = |load: Load| load.bytes as f64 / 1e3;
            println!(
                "| {n} | {name} | {} | {:.1} | {} | {:.1} | {:.0} | {:.1} | {:.0} |",
                root.messages,
                kb(root),
                other.messages,
                kb(other),
                f64::from(n) * held as f64 / 1e3,
                us / 1e3,
                star(f64::from(n)) / 1e3
            );
            let most = model.loads.iter().map(|load| load.bytes).max().unwrap_or(0) as f64;
            let n_log_n = f64::from(n) * f64::from(n).log2();
            assert!(most <= limit * n_log_n, "{n} PEs, {name}: {:.1} N log N bytes", most / n_log_n);
        }
    }
}

#[test]
fn a_star_fails_the_bound_that_the_tree_keeps() {
    let mut star = Model::new(4096, 4096);
    star.call(different);
    assert!(star.loads[0].bytes as f64 > 280.0 * 4096.0 * 12.0, "{}", star.loads[0].bytes);
}

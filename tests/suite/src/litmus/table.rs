//! The tests: the ordering, the group and the shapes of each.

use oxshmem_litmus_kernels::call::Mix;
use oxshmem_litmus_kernels::collectives::SMALL_PAYLOAD;
use oxshmem_litmus_kernels::message::{
    PARTS_FENCE_LAST_P, PARTS_FENCE_P, PUT_FENCE_LAST_P, PUT_FENCE_LAST_SIGNAL, PUT_FENCE_P, PUT_FENCE_SIGNAL,
    PUT_NBI_FENCE_P, PUT_QUIET_LAST_SIGNAL, PUT_QUIET_SIGNAL, PUT_SIGNAL_ADD, PUT_SIGNAL_NBI, PUT_SIGNAL_SET,
};

/// An ordering, and the group of threads that asks for it.
#[derive(Clone, Copy, Debug)]
pub struct Test {
    /// The ordering, in the calls that a program makes.
    pub ordering: &'static str,
    /// The group of threads that makes them.
    pub by: &'static str,
    /// The kernel that checks it.
    pub(super) kernel: &'static str,
    pub(super) kind: Kind,
    pub(super) shapes: Shapes,
    /// The fewest PEs with which it checks anything.
    pub(super) min_pes: u32,
    /// Whether it needs kernels that are placed before the preceding work of their stream has ended.
    pub(super) needs_early: bool,
}

/// Memory that a kernel works with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Slots of payloads, used in this way.
    Message(u32),
    /// A payload at home for each group.
    Fetch,
    /// A payload two PEs on, by each block.
    Relay,
    /// Payloads to all PEs, by one group.
    Barrier,
    /// Words of each group.
    Race,
    /// Words of each PE.
    Words,
    /// The ends of each group's collectives, which are drawn from a mixture.
    Collectives(Mix),
    /// The same for blocks of even numbers, and payloads for those of odd numbers.
    Beside(Mix),
    /// The ends of each call of a program on a stream. In one of `late_in` replays the input is written late.
    Programs {
        /// The number of replays for each late one.
        late_in: u32,
    },
}

impl Kind {
    /// Returns the default number of rounds if a launch has `a_launch` of them: rounds of single words are short.
    pub(super) fn rounds(self, a_launch: u64) -> u64 {
        match self {
            Self::Message(_) | Self::Fetch | Self::Relay | Self::Programs { .. } | Self::Beside(_) => a_launch,
            Self::Barrier | Self::Collectives(_) => 4 * a_launch,
            Self::Race => 20 * a_launch,
            Self::Words => 10 * a_launch,
        }
    }
}

/// The unit in which the groups of a grid are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Groups {
    Threads,
    Warps,
    Blocks,
    /// One group: all blocks together.
    Grid,
}

/// One launch: blocks, threads a block, the most bytes that a group sends, the shared memory that a block lends for it,
/// and the bytes for each member in a slot of each team.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) blocks: u32,
    pub(super) threads: u32,
    pub(super) most: usize,
    pub(super) shared_bytes: u32,
    pub(super) payloads: [u32; 2],
}

/// The launches of a test, by device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shapes {
    pub(super) groups: Groups,
    pub(super) host: &'static [Shape],
    pub(super) gpu: &'static [Shape],
}

/// Both are small, so that a call takes many rounds.
const PAYLOADS: [u32; 2] = [SMALL_PAYLOAD as u32, 256];
/// A round has a unit for each thread of a block of 1,024, or of 512, and many units for each thread of a warp.
const LARGE_PAYLOADS: [u32; 2] = [8 << 10, 4 << 10];

const fn shape(blocks: u32, threads: u32, most: usize) -> Shape {
    lent(blocks, threads, most, 0)
}

const fn lent(blocks: u32, threads: u32, most: usize, shared_bytes: u32) -> Shape {
    Shape { blocks, threads, most, shared_bytes, payloads: PAYLOADS }
}

/// Returns a launch with teams of large payloads.
const fn roomy(blocks: u32, threads: u32, most: usize) -> Shape {
    Shape { payloads: LARGE_PAYLOADS, ..shape(blocks, threads, most) }
}

// A single thread sends slowly, so many threads send little, and few send enough for a copy's widest steps.
const BY_THREAD: Shapes = Shapes {
    groups: Groups::Threads,
    host: &[shape(2, 33, 600), shape(2, 1, 20 << 10)],
    gpu: &[shape(12, 33, 600), shape(16, 1, 3 << 10)],
};
const BY_WARP: Shapes = Shapes {
    groups: Groups::Warps,
    host: &[shape(2, 72, 20 << 10)],
    gpu: &[shape(12, 136, 20 << 10), shape(64, 32, 64 << 10)],
};
const BY_BLOCK: Shapes = Shapes {
    groups: Groups::Blocks,
    host: &[shape(3, 80, 64 << 10)],
    gpu: &[shape(16, 256, 64 << 10), shape(64, 96, 64 << 10), shape(2, 512, 64 << 10)],
};
const ONE_THREAD: Shapes = Shapes { groups: Groups::Blocks, host: &[shape(1, 1, 20 << 10)], gpu: &[shape(1, 1, 300)] };
const ONE_WARP: Shapes =
    Shapes { groups: Groups::Blocks, host: &[shape(1, 29, 20 << 10)], gpu: &[shape(1, 32, 20 << 10)] };
const ONE_BLOCK: Shapes =
    Shapes { groups: Groups::Blocks, host: &[shape(1, 80, 64 << 10)], gpu: &[shape(1, 512, 64 << 10)] };
// Lent memory is used from 1 KiB on by a thread, from 16 KiB on by a warp, and from 64 KiB on by a block.
const LENT_BLOCK: Shapes = Shapes {
    groups: Groups::Blocks,
    host: &[lent(2, 66, 160 << 10, 20 << 10)],
    gpu: &[lent(16, 256, 160 << 10, 64 << 10), lent(48, 96, 160 << 10, 20 << 10)],
};
const LENT_WARP: Shapes = Shapes {
    groups: Groups::Blocks,
    host: &[lent(2, 66, 48 << 10, 5 << 10)],
    gpu: &[lent(16, 128, 64 << 10, 64 << 10), lent(64, 64, 48 << 10, 5 << 10)],
};
const LENT_ONE_WARP: Shapes = Shapes {
    groups: Groups::Blocks,
    host: &[lent(2, 32, 48 << 10, 5 << 10)],
    gpu: &[lent(64, 32, 48 << 10, 20 << 10)],
};
const LENT_ONE_THREAD: Shapes =
    Shapes { groups: Groups::Blocks, host: &[lent(2, 1, 20 << 10, 5 << 10)], gpu: &[lent(32, 1, 5 << 10, 5 << 10)] };
const LENT_BARRIER: Shapes =
    Shapes { groups: Groups::Blocks, host: &[lent(1, 32, 48 << 10, 5 << 10)], gpu: &[lent(1, 32, 48 << 10, 64 << 10)] };
/// Launches for races: small groups on many blocks.
const RACE_BY_THREAD: Shapes = Shapes { groups: Groups::Threads, host: &[shape(2, 2, 8)], gpu: &[shape(32, 4, 8)] };
const RACE_BY_WARP: Shapes = Shapes { groups: Groups::Warps, host: &[shape(2, 40, 8)], gpu: &[shape(32, 64, 8)] };
const RACE_BY_BLOCK: Shapes = Shapes { groups: Groups::Blocks, host: &[shape(2, 40, 8)], gpu: &[shape(32, 96, 8)] };
/// Blocks of one thread: a writer and a reader.
const WRITER_AND_READER: Shapes = Shapes { groups: Groups::Blocks, host: &[shape(4, 1, 8)], gpu: &[shape(32, 1, 8)] };
/// Writers, and blocks of readers.
const WATCHED: Shapes = Shapes { groups: Groups::Threads, host: &[shape(4, 8, 8)], gpu: &[shape(16, 64, 8)] };
const ALL_ADD: Shapes = Shapes { groups: Groups::Threads, host: &[shape(2, 20, 8)], gpu: &[shape(16, 64, 8)] };

const CALLS_BY_THREAD: Shapes =
    Shapes { groups: Groups::Threads, host: &[shape(2, 3, 700)], gpu: &[shape(12, 33, 700), shape(32, 1, 3 << 10)] };
const CALLS_BY_WARP: Shapes = Shapes {
    groups: Groups::Warps,
    host: &[shape(2, 40, 2 << 10), roomy(1, 64, 9 << 10)],
    gpu: &[shape(12, 136, 3 << 10), shape(64, 32, 20 << 10), roomy(16, 64, 9 << 10)],
};
const CALLS_BY_BLOCK: Shapes = Shapes {
    groups: Groups::Blocks,
    host: &[shape(3, 45, 5 << 10)],
    gpu: &[shape(64, 96, 20 << 10), shape(16, 256, 64 << 10), shape(2, 192, 64 << 10)],
};
const CALLS_BY_GRID: Shapes = Shapes {
    groups: Groups::Grid,
    host: &[shape(3, 45, 5 << 10)],
    gpu: &[shape(16, 256, 64 << 10), shape(64, 96, 160 << 10)],
};
// Data goes in parts from 256 KiB on by a block, and from 1 MiB on by a grid of blocks of 128 threads or more.
const PARTS_BY_BLOCK: Shapes = Shapes {
    groups: Groups::Blocks,
    host: &[shape(2, 64, 300 << 10)],
    gpu: &[shape(8, 256, 300 << 10), shape(2, 96, 1 << 20)],
};
const PARTS_BY_GRID: Shapes = Shapes {
    groups: Groups::Grid,
    host: &[shape(2, 128, 1200 << 10)],
    gpu: &[shape(16, 256, 1200 << 10), shape(8, 256, 2 << 20)],
};
/// A round of packets has a unit for each thread. The kernels allow no larger blocks on GPUs.
const CALLS_BY_LARGE_BLOCK: Shapes = Shapes {
    groups: Groups::Blocks,
    host: &[roomy(1, 1024, 9 << 10), roomy(2, 512, 5 << 10)],
    gpu: &[roomy(16, 256, 5 << 10)],
};
/// Half of the blocks make collectives. The others are at least as many as there are ways of messages.
const BESIDE_MESSAGES: Shapes = Shapes {
    groups: Groups::Blocks,
    host: &[shape(16, 40, 3 << 10)],
    gpu: &[shape(64, 96, 20 << 10), shape(32, 256, 64 << 10)],
};
/// Payloads for which blocks of programs on GPUs have up to 1,024 threads, and on host PEs 256.
const CALLS_BY_LARGE_BLOCKS_OF_PROGRAMS: Shapes =
    Shapes { groups: Groups::Blocks, host: &[roomy(5, 64, 5 << 10)], gpu: &[roomy(6, 256, 48 << 10)] };
/// The kernels around a program have a block for each of its calls.
const CALLS_OF_PROGRAMS: Shapes =
    Shapes { groups: Groups::Blocks, host: &[shape(5, 64, 3 << 10)], gpu: &[shape(6, 256, 48 << 10)] };

/// Returns every test, in the order in which they run.
pub fn tests() -> Vec<Test> {
    let mut all = Vec::new();
    let ways = [
        ("put, fence, p", PUT_FENCE_P),
        ("put, fence, signal", PUT_FENCE_SIGNAL),
        ("put_signal, set", PUT_SIGNAL_SET),
        ("put_signal, add", PUT_SIGNAL_ADD),
        ("put_nbi, fence, p", PUT_NBI_FENCE_P),
        ("put_signal_nbi", PUT_SIGNAL_NBI),
        ("put, quiet, signal", PUT_QUIET_SIGNAL),
        ("puts of each thread, fence, p", PARTS_FENCE_P),
    ];
    let mut add = |ordering, by, kernel, kind, shapes, min_pes| {
        all.push(Test { ordering, by, kernel, kind, shapes, min_pes, needs_early: false });
    };
    for (ordering, how) in ways {
        if how != PARTS_FENCE_P {
            add(ordering, "thread", "message_thread", Kind::Message(how), BY_THREAD, 1);
        }
        add(ordering, "warp", "message_warp", Kind::Message(how), BY_WARP, 1);
        add(ordering, "block", "message_block", Kind::Message(how), BY_BLOCK, 1);
    }
    let by_last = [
        ("put, fence, p by the last thread", PUT_FENCE_LAST_P),
        ("put, fence, signal by the last thread", PUT_FENCE_LAST_SIGNAL),
        ("put, quiet, signal by the last thread", PUT_QUIET_LAST_SIGNAL),
        ("puts of each thread, fence, p by the last thread", PARTS_FENCE_LAST_P),
    ];
    for (ordering, how) in by_last {
        add(ordering, "warp", "message_warp", Kind::Message(how), BY_WARP, 1);
        add(ordering, "block", "message_block", Kind::Message(how), BY_BLOCK, 1);
    }
    for (ordering, how) in
        [("put_signal of the block's data", PUT_SIGNAL_SET), ("put, fence, p of the block's data", PUT_FENCE_P)]
    {
        add(ordering, "warp", "message_handed_to_warp", Kind::Message(how), BY_BLOCK, 1);
        add(ordering, "thread", "message_handed_to_thread", Kind::Message(how), BY_BLOCK, 1);
    }
    let through = [
        ("put, fence, p, lent", PUT_FENCE_P),
        ("put_signal, set, lent", PUT_SIGNAL_SET),
        ("put_signal, add, lent", PUT_SIGNAL_ADD),
        ("put, quiet, signal, lent", PUT_QUIET_SIGNAL),
    ];
    for (ordering, how) in through {
        add(ordering, "thread", "message_lent_to_thread", Kind::Message(how), LENT_WARP, 1);
        add(ordering, "warp", "message_lent_to_warp", Kind::Message(how), LENT_WARP, 1);
        add(ordering, "block", "message_lent_block", Kind::Message(how), LENT_BLOCK, 1);
    }
    add("write, fence, signal, get, lent", "thread", "fetch_lent_thread", Kind::Fetch, LENT_ONE_THREAD, 1);
    add("write, fence, signal, get, lent", "warp", "fetch_lent_warp", Kind::Fetch, LENT_ONE_WARP, 1);
    add("write, fence, signal, get, lent", "block", "fetch_lent_block", Kind::Fetch, LENT_BLOCK, 1);
    add("put, barrier_all, read, lent", "warp", "barrier_lent_warp", Kind::Barrier, LENT_BARRIER, 1);
    add("write, fence, signal, get", "thread", "fetch_thread", Kind::Fetch, BY_THREAD, 1);
    add("write, fence, signal, get", "warp", "fetch_warp", Kind::Fetch, BY_WARP, 1);
    add("write, fence, signal, get", "block", "fetch_block", Kind::Fetch, BY_BLOCK, 1);
    add("put, quiet, news by a third PE", "block", "relay_block", Kind::Relay, BY_BLOCK, 1);
    add("put, barrier_all, read, barrier_all", "thread", "barrier_thread", Kind::Barrier, ONE_THREAD, 1);
    add("put, barrier_all, read, barrier_all", "warp", "barrier_warp", Kind::Barrier, ONE_WARP, 1);
    add("put, barrier_all, read, barrier_all", "block", "barrier_block", Kind::Barrier, ONE_BLOCK, 1);
    add("p, quiet, g on both sides", "thread", "buffer_thread", Kind::Race, RACE_BY_THREAD, 2);
    add("p, quiet, g on both sides", "warp", "buffer_warp", Kind::Race, RACE_BY_WARP, 2);
    add("p, quiet, g on both sides", "block", "buffer_block", Kind::Race, RACE_BY_BLOCK, 2);
    add("wait, quiet, g by two readers of two writers", "thread", "race_of_readers", Kind::Race, WRITER_AND_READER, 2);
    add("signals and atomics add up", "thread", "words_add", Kind::Words, ALL_ADD, 1);
    add("p after p to one word", "thread", "words_rise", Kind::Words, WATCHED, 1);
    let mut random = |calls, by, kernel, mix, shapes| add(calls, by, kernel, Kind::Collectives(mix), shapes, 1);
    random("random broadcasts and reductions", "thread", "rooted_thread", Mix::ROOTED, CALLS_BY_THREAD);
    random("random broadcasts by a root that gets ahead", "warp", "ahead_warp", Mix::AHEAD, CALLS_BY_WARP);
    random("random broadcasts by a root that gets ahead", "block", "ahead_block", Mix::AHEAD, CALLS_BY_LARGE_BLOCK);
    random("random gathers and reductions", "warp", "gathered_warp", Mix::GATHERED, CALLS_BY_WARP);
    random("random broadcasts and reductions", "block", "rooted_block", Mix::ROOTED, CALLS_BY_BLOCK);
    random("random gathers and reductions", "block", "gathered_block", Mix::GATHERED, CALLS_BY_BLOCK);
    random("random all-to-alls and broadcasts", "block", "spread_block", Mix::SPREAD, CALLS_BY_BLOCK);
    random("random reductions to registers", "warp", "held_warp", Mix::HELD, CALLS_BY_WARP);
    random("random reductions to registers", "block", "held_block", Mix::HELD, CALLS_BY_BLOCK);
    random("random broadcasts and reductions", "grid", "rooted_grid", Mix::ROOTED, CALLS_BY_GRID);
    random("random gathers and reductions", "grid", "gathered_grid", Mix::GATHERED, CALLS_BY_GRID);
    random("random all-to-alls and broadcasts", "grid", "spread_grid", Mix::SPREAD, CALLS_BY_GRID);
    random("random broadcasts and reductions", "large block", "rooted_block", Mix::ROOTED, CALLS_BY_LARGE_BLOCK);
    random("random gathers and reductions", "large block", "gathered_block", Mix::GATHERED, CALLS_BY_LARGE_BLOCK);
    random("random all-to-alls and broadcasts", "large block", "spread_block", Mix::SPREAD, CALLS_BY_LARGE_BLOCK);
    let parts = Kind::Collectives(Mix::PARTS);
    add("random broadcasts in parts", "block", "parts_block", parts, PARTS_BY_BLOCK, 3);
    add("random broadcasts in parts", "grid", "parts_grid", parts, PARTS_BY_GRID, 3);
    let beside = Kind::Beside(Mix::ROOTED);
    add("random collectives beside messages", "block", "beside_block", beside, BESIDE_MESSAGES, 1);
    let programs = Kind::Programs { late_in: 16 };
    add("random collectives, eager and replayed", "two streams", "replay_fill", programs, CALLS_OF_PROGRAMS, 1);
    let large = CALLS_BY_LARGE_BLOCKS_OF_PROGRAMS;
    add("random collectives, eager and replayed", "two streams, large blocks", "replay_fill", programs, large, 1);
    all.push(Test {
        ordering: "write late, collective placed before",
        by: "two streams",
        kernel: "replay_fill",
        kind: Kind::Programs { late_in: 1 },
        shapes: CALLS_OF_PROGRAMS,
        min_pes: 1,
        needs_early: true,
    });
    all
}

impl Test {
    /// Returns the test's name: the ordering and the group.
    pub fn name(&self) -> String {
        format!("{}: {}", self.ordering, self.by)
    }
}

impl Shape {
    /// Returns the number of rounds where most tests have `rounds`. Those of much data, and of blocks of more than 256
    /// threads on host PEs, take long.
    pub(super) fn scaled(&self, kind: Kind, rounds: u64) -> u64 {
        let long = self.threads > 256 || kind == Kind::Collectives(Mix::PARTS);
        if long && matches!(kind, Kind::Collectives(_)) { rounds.div_ceil(8) } else { rounds }
    }
}

impl Shapes {
    /// Returns the number of groups of a launch.
    pub(super) fn groups_of(&self, shape: &Shape) -> usize {
        let (blocks, threads) = (shape.blocks as usize, shape.threads as usize);
        match self.groups {
            Groups::Threads => blocks * threads,
            Groups::Warps => blocks * threads.div_ceil(32),
            Groups::Blocks => blocks,
            Groups::Grid => 1,
        }
    }

    /// Returns the number of slots that a team needs in a launch.
    pub(super) fn slots_of(&self, shape: &Shape) -> usize {
        if self.groups == Groups::Grid { shape.blocks as usize } else { self.groups_of(shape) }
    }
}

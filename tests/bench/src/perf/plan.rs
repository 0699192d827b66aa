//! The tests that are kernels: their launches, and the data that they move.

use oxshmem_core::Scope;
use oxshmem_hal::Launch;
use oxshmem_perf_kernels::elements as op;

use super::request::Request;

/// The grid of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// As requested; groups of the scope share the bytes.
    Groups,
    /// As requested; threads share the elements.
    Elements,
    /// One group of the scope.
    Group,
    /// One thread.
    Thread,
}

/// The data that a test moves, which determines its arguments and its check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Moves {
    /// Source to the peer's destination.
    Put,
    /// The peer's source to the destination.
    Get,
    /// Computed words of 4 bytes, to the peer's destination.
    Words,
    /// One word of 4 bytes that counts iterations, to the peer's destination.
    Count,
    /// The sum of the peer's words of 4 bytes.
    Sums,
    /// A chain of addresses through the peer's source.
    Chain,
    /// Atomics on words of 8 bytes in the peer's destination.
    Atomics,
    /// Rounds only.
    Rounds,
    /// Source to the other's destination, and rounds.
    PutRounds,
    /// Nothing: PEs meet.
    Nothing,
}

impl Moves {
    /// Returns the bytes of one element; 0 where groups move pieces.
    pub(super) fn element(self) -> u64 {
        match self {
            Self::Words | Self::Sums | Self::Count => 4,
            Self::Atomics | Self::Chain => 8,
            _ => 0,
        }
    }
}

/// A test.
#[derive(Clone, Copy, Debug)]
pub(super) struct Test {
    pub(super) name: &'static str,
    pub(super) shape: Shape,
    pub(super) moves: Moves,
    /// Whether it has kernels that lend shared memory.
    pub(super) lends: bool,
}

const fn test(name: &'static str, shape: Shape, moves: Moves) -> Test {
    Test { name, shape, moves, lends: false }
}

/// Returns a test that also has kernels that lend shared memory.
const fn lending(name: &'static str, shape: Shape, moves: Moves) -> Test {
    Test { name, shape, moves, lends: true }
}

/// Every test that is a kernel.
pub(super) const TESTS: [Test; 20] = [
    lending("shmem_put_bw", Shape::Groups, Moves::Put),
    lending("shmem_get_bw", Shape::Groups, Moves::Get),
    test("shmem_put_nbi_rate", Shape::Groups, Moves::Put),
    test("shmem_p_bw", Shape::Elements, Moves::Words),
    test("shmem_st_bw", Shape::Elements, Moves::Words),
    test("shmem_g_bw", Shape::Elements, Moves::Sums),
    test("shmem_atomic_bw", Shape::Elements, Moves::Atomics),
    lending("shmem_put_latency", Shape::Group, Moves::Put),
    lending("shmem_get_latency", Shape::Group, Moves::Get),
    test("shmem_p_latency", Shape::Thread, Moves::Count),
    test("shmem_g_latency", Shape::Thread, Moves::Chain),
    test("shmem_atomic_latency", Shape::Thread, Moves::Atomics),
    test("shmem_p_ping_pong_latency", Shape::Thread, Moves::Rounds),
    test("shmem_signal_ping_pong_latency", Shape::Thread, Moves::Rounds),
    test("shmem_atomic_ping_pong_latency", Shape::Thread, Moves::Rounds),
    test("shmem_put_ping_pong_latency", Shape::Group, Moves::PutRounds),
    lending("shmem_put_signal_ping_pong_latency", Shape::Group, Moves::PutRounds),
    test("shmem_put_atomic_ping_pong_latency", Shape::Group, Moves::PutRounds),
    test("barrier_latency", Shape::Group, Moves::Nothing),
    test("sync_latency", Shape::Group, Moves::Nothing),
];

/// Bytes that iterations read before they start over: more than all L1 caches of a GPU hold.
const WINDOW: u64 = 64 << 20;

/// Bytes of the peer's memory that are all in one half of its L2.
pub(super) const PAGE: u64 = 4096;

/// The most bytes whose time depends on their place in the peer's memory.
const PLACED: u64 = 1 << 20;

/// Returns the bytes from one place of a row's data to the next, with room for guards: an odd number of pages.
pub(super) const fn places_apart(bytes: u64) -> u64 {
    if bytes <= PAGE {
        3 * PAGE
    } else if bytes <= PLACED {
        PLACED + 3 * PAGE
    } else {
        0
    }
}

/// Bytes of a line for a single element.
const LINE: u64 = 128;

impl Test {
    /// Returns the test of this name.
    pub(super) fn named(name: &str) -> Option<&'static Self> {
        TESTS.iter().find(|test| test.name == name)
    }

    /// Returns the kernel that is launched.
    pub(super) fn kernel(&self, scope: Scope) -> String {
        match (self.shape, scope) {
            (Shape::Elements | Shape::Thread, _) => self.name.into(),
            (_, scope) => format!("{}_{}", self.name, scope_name(scope)),
        }
    }

    /// Returns the size of the shared memory that each group of a block lends, in bytes.
    pub(super) fn lent_each(&self, request: &Request, launch: &Launch) -> u32 {
        let groups = match request.scope {
            Scope::Thread => launch.block[0],
            Scope::Warp => launch.block[0].div_ceil(32),
            Scope::Block => 1,
        };
        // Lent parts start at multiples of 128.
        (request.lend / groups) & !127
    }

    /// Returns the grid, and the number of groups in it.
    pub(super) fn launch(&self, request: &Request) -> (Launch, u64) {
        let (ctas, threads) = (request.ctas, request.threads);
        let launch = match (self.shape, request.scope) {
            (Shape::Groups | Shape::Elements, _) => Launch::new(ctas, threads),
            (Shape::Thread, _) | (Shape::Group, Scope::Thread) => Launch::new(1, 1),
            (Shape::Group, Scope::Warp) => Launch::new(1, 32),
            (Shape::Group, Scope::Block) => Launch::new(1, threads),
        };
        let groups = match (self.shape, request.scope) {
            (Shape::Groups, Scope::Thread) | (Shape::Elements, _) => u64::from(ctas) * u64::from(threads),
            (Shape::Groups, Scope::Warp) => u64::from(ctas) * u64::from(threads).div_ceil(32),
            (Shape::Groups, Scope::Block) => ctas.into(),
            (Shape::Group | Shape::Thread, _) => 1,
        };
        (launch, groups)
    }

    /// Reports whether PE 0 and PE 1 answer each other, so that a round is two ways.
    pub(super) fn is_ping_pong(&self) -> bool {
        matches!(self.moves, Moves::Rounds | Moves::PutRounds)
    }

    /// Reports whether a row's time depends on the place of the peer's word or bytes. Gets for bandwidth read many.
    pub(super) fn depends_on_place(&self, bytes: u64) -> bool {
        let writes = matches!(self.moves, Moves::Put | Moves::Words | Moves::Count | Moves::Atomics);
        let reads = self.moves == Moves::Get && self.name.ends_with("_latency");
        self.is_ping_pong() || ((writes || reads) && self.name != "shmem_put_nbi_rate" && bytes <= PLACED)
    }

    /// Returns the size, with the window of a row whose iterations read a peer's memory.
    fn windowed(&self, request: &Request, size: Size) -> Size {
        let reads = matches!((self.shape, self.moves), (Shape::Groups, Moves::Get) | (_, Moves::Sums));
        let window = if reads { (WINDOW / size.step()).clamp(1, request.iters.into()) } else { 1 };
        Size { window, ..size }
    }

    /// Returns each group's bytes, or the number of elements, and the memory that they need.
    ///
    /// # Errors
    /// The request can't be divided in this way: the reason, as text.
    pub(super) fn size(&self, request: &Request, groups: u64) -> Result<Size, String> {
        let element = self.moves.element();
        if element == 0 {
            let bytes = request.bytes / groups;
            if bytes == 0 {
                return Err(format!("{} bytes are less than one for each of {groups} groups", request.bytes));
            }
            return Ok(self.windowed(
                request,
                Size { group_bytes: bytes, elements: 0, stride: 0, bytes: bytes * groups, window: 1 },
            ));
        }
        if self.moves == Moves::Chain {
            // More links than a launch follows, within reason, each in a line of its own, so that none is in a cache.
            let elements = (u64::from(request.iters) + 1).clamp(1024, 1 << 16);
            return Ok(Size { group_bytes: 0, elements, stride: LINE, bytes: elements * LINE, window: 1 });
        }
        let elements = if self.shape == Shape::Thread { 1 } else { request.bytes / element };
        if elements == 0 {
            return Err(format!("{} bytes are less than one element of {element}", request.bytes));
        }
        let stride = if request.line { LINE } else { element };
        Ok(self.windowed(request, Size { group_bytes: 0, elements, stride, bytes: elements * stride, window: 1 }))
    }
}

impl Size {
    /// Returns the distance in bytes between the reads of two iterations.
    pub(super) fn step(&self) -> u64 {
        self.bytes.next_multiple_of(256)
    }
}

/// The division of a request's bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Size {
    /// Bytes of each group.
    pub(super) group_bytes: u64,
    /// Elements of all threads.
    pub(super) elements: u64,
    /// Bytes from one element to the next.
    pub(super) stride: u64,
    /// Bytes of memory from the first to the last.
    pub(super) bytes: u64,
    /// Iterations that read consecutive addresses before the first is read again.
    pub(super) window: u64,
}

/// Returns a scope, as names of kernels spell it.
pub(super) fn scope_name(scope: Scope) -> &'static str {
    match scope {
        Scope::Thread => "thread",
        Scope::Warp => "warp",
        Scope::Block => "block",
    }
}

/// Returns the kernels' number of the atomic `name`, and whether the atomic leaves the word unchanged.
///
/// # Errors
/// There is none, or it does not fetch although `fetching` is required: the reason, as text.
pub(super) fn atomic(name: &str, fetching: bool) -> Result<u32, String> {
    Ok(match name {
        "add" if !fetching => op::ADD,
        "inc" if !fetching => op::INC,
        "set" if !fetching => op::SET,
        "add" | "fetch_add" => op::FETCH_ADD,
        "inc" | "fetch_inc" => op::FETCH_INC,
        "compare_swap" => op::COMPARE_SWAP,
        "swap" => op::SWAP,
        "fetch" => op::FETCH,
        "set" => return Err("op=set fetches nothing".into()),
        other => return Err(format!("op={other} is no atomic of this test")),
    })
}

//! Programs of collectives on two streams, which run eagerly and as graphs in a random order.

use oxshmem_hal::{
    Algorithm, AnyOp, Bf16, CollectiveOptions, Element, Kernel, Launch, Lists, Max, Min, Module, Prod, Result, Stream,
    Sum, SymPtr, Team, World,
};
use oxshmem_litmus_kernels::call::{Call, Mix, Room, Way, What};
use oxshmem_litmus_kernels::place::RECORD;

use super::outcome::Finding;
use super::setting::{Work, calloc, late_ns};
use super::table::Shape;
use super::teams;
use crate::rng::Rng;

/// Programs of each stream.
const PROGRAMS: usize = 3;
/// Slots of a team, the most blocks of a collective: on GPUs, and on host PEs, where a block's threads take turns.
const GPU_SLOTS: usize = 16;
const HOST_SLOTS: usize = 2;
/// Runs between two synchronizations of the streams, which return the faults of kernels.
const RUNS: u64 = 256;
/// Runs before other programs are drawn: on GPUs, and on host PEs.
const GPU_GENERATION: u64 = 4096;
const HOST_GENERATION: u64 = 64;

/// The memory of programs, and the teams and streams that they use.
pub(super) struct Programs<'a> {
    world: &'a World,
    fill: Kernel,
    check: Kernel,
    shape: Shape,
    late_in: u32,
    seed: u64,
    teams: [Team<'a>; 2],
    streams: [Stream<'a>; 2],
    /// A [`Room`] for each call of each program.
    memory: SymPtr<u8>,
    /// For each of them, the number of times that it was used.
    replays: SymPtr<u64>,
    record: SymPtr<u64>,
    allocated: Vec<SymPtr<u8>>,
}

/// Evaluates an expression for an operation of floats.
macro_rules! float_op {
    ($any:expr, $op:ident => $call:expr) => {
        float_op!($any, $op => $call; Prod, Min, Max)
    };
    ($any:expr, $op:ident => $call:expr; $($name:ident),+) => {
        match $any {
            $(AnyOp::$name => { let $op = $name; $call })+
            _ => { let $op = Sum; $call }
        }
    };
}

impl<'a> Programs<'a> {
    /// Allocates, and draws the teams. Collective.
    ///
    /// # Errors
    /// The symmetric memory or that of teams is used up, the kernels are missing, or a PE died.
    pub(super) fn new(world: &'a World, module: &Module, shape: Shape, late_in: u32, seed: u64) -> Result<Self> {
        let slots = if world.on_host() { HOST_SLOTS } else { GPU_SLOTS };
        let (calls, mut allocated) = (2 * PROGRAMS * shape.blocks as usize, Vec::new());
        let room = Room { n: world.n_pes() as usize, most: shape.most };
        let made = Self {
            world,
            fill: module.kernel("replay_fill")?,
            check: module.kernel("replay_check")?,
            shape,
            late_in,
            seed,
            teams: teams::draw(world, seed, slots, shape.payloads)?,
            streams: [world.stream()?, world.stream()?],
            memory: calloc(world, calls * room.bytes(), &mut allocated)?,
            replays: calloc(world, calls, &mut allocated)?,
            record: calloc(world, RECORD, &mut allocated)?,
            allocated,
        };
        world.barrier_all()?;
        Ok(made)
    }

    fn stream(&self, program: usize) -> &Stream<'a> {
        &self.streams[program / PROGRAMS]
    }

    fn team(&self, program: usize) -> &Team<'a> {
        &self.teams[program / PROGRAMS]
    }

    /// Enqueues a program of a generation on its stream: the kernel that writes the sources, the collectives, and the
    /// kernel that checks.
    fn enqueue(&self, generation: u64, program: usize) -> Result<()> {
        let Shape { blocks, threads, most, .. } = self.shape;
        let (world, stream, team, calls) = (self.world, self.stream(program), self.team(program), blocks as usize);
        let room = Room { n: world.n_pes() as usize, most };
        let memory = self.memory.add(program * calls * room.bytes());
        let replays = self.replays.add(program * calls);
        // Each call of each generation has a number, from which it is drawn.
        let first = (generation as usize * 2 * PROGRAMS + program) * calls;
        let (late, launch) = (late_ns(world), Launch::new(blocks, threads));
        let (handle, seed, record) = (team.handle(), self.seed, self.record);
        let fill = (handle, first, most, memory, replays, late, self.late_in, seed, record);
        stream.launch_kernel(&self.fill, launch, fill)?;
        for index in 0..calls {
            let call = Call::of(Mix::ALL, seed, first + index, 0, most);
            self.enqueue_call(stream, team, &call, memory.add(index * room.bytes()))?;
        }
        stream.launch_kernel(&self.check, launch, (handle, first, most, memory, replays, seed, record))
    }

    fn enqueue_call(&self, stream: &Stream<'_>, team: &Team<'_>, call: &Call, memory: SymPtr<u8>) -> Result<()> {
        let (world, n) = (self.world, team.n_pes() as usize);
        let room = Room { n: world.n_pes() as usize, most: self.shape.most };
        let mut options = CollectiveOptions::default().with_algorithm(match call.way {
            Way::Auto => Algorithm::Auto,
            Way::Packets => Algorithm::Packets,
            Way::Direct => Algorithm::Direct,
        });
        options.blocks = call.blocks();
        let ends = room.ends(call, team.my_pe() as usize);
        let (dest, source, count) = (memory.add(ends.dest), memory.add(ends.source), call.count);
        match call.what {
            What::Barrier => team.on(stream).barrier(),
            What::Broadcast => {
                team.on(stream).with_options(options).broadcast(dest, source, count, call.root(n) as u32)
            }
            What::Fcollect => team.on(stream).with_options(options).fcollect(dest, source, count),
            What::Alltoall => team.on(stream).with_options(options).alltoall(dest, source, count),
            What::Alltoallv => {
                let [counts, source_starts, dest_starts] = room.lists(n).map(|list| memory.add(list).cast());
                let lists = Lists { counts, source_starts, dest_starts };
                team.on(stream).with_options(options).alltoallv(dest, source, lists)
            }
            What::ReduceU32 => {
                team.on(stream).with_options(options).reduce(call.op, of::<u32>(dest), of(source), count)
            }
            What::ReducescatterU32 => {
                team.on(stream).with_options(options).reducescatter(call.op, of::<u32>(dest), of(source), count)
            }
            What::ReduceBf16 => {
                float_op!(call.op, op => team.on(stream).with_options(options).reduce(op, of::<Bf16>(dest), of(source), count))
            }
            What::ReducescatterBf16 => {
                float_op!(call.op, op => {
                    team.on(stream).with_options(options).reducescatter(op, of::<Bf16>(dest), of(source), count)
                })
            }
            What::MaxlocI64 => team.on(stream).with_options(options).reduce_maxloc::<i64>(of(dest), of(source), count),
            What::HeldBf16 => unreachable!("only kernels of the program reduce to registers"),
        }
    }

    /// Draws the programs of a generation and records them, runs a number of them, one in four eagerly, and waits for
    /// them.
    fn generation(&self, generation: u64, runs: u64) -> Result<()> {
        let mut graphs = Vec::new();
        for program in 0..2 * PROGRAMS {
            // The first collective of a world loads its kernels: before the capture, as programs do.
            self.enqueue(generation, program)?;
            graphs.push(self.stream(program).capture(|_| self.enqueue(generation, program))?);
        }
        let mut rng = Rng::new(self.seed ^ generation);
        for run in 1..=runs {
            let program = rng.below(2 * PROGRAMS);
            if rng.below(4) == 0 {
                self.enqueue(generation, program)?;
            } else {
                graphs[program].launch(self.stream(program))?;
            }
            if run % RUNS == 0 {
                self.synchronize()?;
            }
        }
        self.synchronize()
    }

    fn synchronize(&self) -> Result<()> {
        self.streams.iter().try_for_each(|stream| stream.synchronize())
    }
}

impl Work for Programs<'_> {
    /// Runs this many programs. Generations are numbered by their first run.
    fn rounds(&self, first: u64, rounds: u64) -> Result<()> {
        let most = if self.world.on_host() { HOST_GENERATION } else { GPU_GENERATION };
        for done in (0..rounds).step_by(most as usize) {
            self.generation(first + done, most.min(rounds - done))?;
        }
        self.world.barrier_all()
    }

    fn finding(&self) -> Result<Finding> {
        Finding::read(self.world, self.record)
    }

    fn free(self: Box<Self>) -> Result<()> {
        drop(self.teams);
        self.allocated.into_iter().try_for_each(|at| self.world.free(at))
    }
}

fn of<T: Element>(at: SymPtr<u8>) -> SymPtr<T> {
    at.cast()
}

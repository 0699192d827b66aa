//! The part that a model takes: tensors in symmetric memory, a team, and both variants as calls on a stream.

use oxshmem_example_kernels::fused_rmsnorm::{
    Rows, Shape, allreduce_rmsnorm_direct, allreduce_rmsnorm_packets, residual_rmsnorm,
};
use oxshmem_hal::{
    Bf16, CollectiveOptions, Error, ErrorKind, Launch, Result, Stream, Sum, SymPtr, Team, TeamOptions, World,
};

/// The largest number of blocks of the fused kernel: its slots take memory, and a row more for a block costs little.
const MOST_BLOCKS: u64 = 128;
/// Memory for the team's slots, in bytes: half of a team memory of the usual size.
const SLOT_MEMORY: u64 = 16 << 20;
/// The number that is added to the mean of the squares.
pub(crate) const EPS: f32 = 1e-5;

/// The ways of the rows, by the names that the program takes and prints.
const WAYS: [(&str, Rows); 2] = [("packets", Rows::Packets), ("direct", Rows::Direct)];

/// Returns the way of the rows with this name.
///
/// # Errors
/// There is no such way.
pub(crate) fn rows_of(name: &str) -> Result<Rows> {
    WAYS.iter().find(|way| way.0 == name).map(|way| way.1).ok_or_else(|| {
        Error::new(ErrorKind::InvalidArgument, format!("send rows by `{name}`")).hint("choose packets or direct")
    })
}

/// The residual and RMSNorm of a layer whose sums are spread over all PEs.
#[derive(Debug)]
pub(crate) struct Layer<'w> {
    world: &'w World,
    shape: Shape,
    rows: Rows,
    launch: Launch,
    /// The slots of the fused kernel.
    team: Team<'w>,
    /// The team of the library's reduction.
    reducing: Team<'w>,
    pub(crate) tensors: Tensors,
}

/// Tensors of `tokens` rows of `hidden` elements; `weight` has one row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tensors {
    /// This PE's partial sums.
    pub(crate) partial: SymPtr<Bf16>,
    pub(crate) residual: SymPtr<Bf16>,
    pub(crate) weight: SymPtr<Bf16>,
    pub(crate) out: SymPtr<Bf16>,
    pub(crate) residual_out: SymPtr<Bf16>,
    /// The sums, between the two kernels.
    pub(crate) sums: SymPtr<Bf16>,
}

impl<'w> Layer<'w> {
    /// Makes a layer. Collective. `rows` is their way; `None`: as the amount of data suggests.
    ///
    /// # Errors
    /// The kernels do not take the shape, or memory is used up.
    pub(crate) fn new(world: &'w World, tokens: u32, hidden: u32, rows: Option<Rows>) -> Result<Self> {
        Self::with_blocks(world, tokens, hidden, rows, MOST_BLOCKS)
    }

    /// Makes a layer as [`new`](Self::new) does, with a limit to the number of blocks.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub(crate) fn with_blocks(
        world: &'w World,
        tokens: u32,
        hidden: u32,
        rows: Option<Rows>,
        most: u64,
    ) -> Result<Self> {
        let shape = Shape::new(tokens, hidden).map_err(|bad| {
            Error::new(ErrorKind::InvalidArgument, format!("make a layer of {tokens} tokens, hidden size {hidden}"))
                .because(bad.to_string())
        })?;
        let (rows, stream) = (rows.unwrap_or(shape.rows()), world.own_stream());
        let mut launch = Launch::new(1, shape.threads()).shared_bytes(shape.shared_bytes()).collective();

        // Block k of each PE exchanges rows with block k of all others, so every PE has as many.
        let slot_bytes = 4 * u64::from(shape.payload()) * u64::from(world.n_pes());
        let resident = match rows {
            Rows::Packets => stream.most_resident_blocks::<allreduce_rmsnorm_packets>(launch)?,
            Rows::Direct => stream.most_resident_blocks::<allreduce_rmsnorm_direct>(launch)?,
        };
        // Its first launch may be in a capture.
        world.modules().load_of::<residual_rmsnorm>()?;
        let most = most.min(SLOT_MEMORY / slot_bytes).min(resident).max(1);
        let all = world.all_gather("blocks of the fused RMSNorm", &most.to_le_bytes())?;
        let least = all.iter().filter_map(|most| most.as_slice().try_into().ok()).map(u64::from_le_bytes).min();
        launch.grid[0] = tokens.min(least.unwrap_or(1) as u32);

        let options = TeamOptions::default().with_slots(launch.grid[0]).with_payload(shape.payload());
        let tensor = || world.malloc(shape.elements());
        Ok(Self {
            shape,
            rows,
            launch,
            team: world.team(&world.pes().collect::<Vec<_>>(), options)?,
            reducing: world.team_world()?,
            tensors: Tensors {
                partial: tensor()?,
                residual: tensor()?,
                weight: world.malloc(hidden as usize)?,
                out: tensor()?,
                residual_out: tensor()?,
                sums: tensor()?,
            },
            world,
        })
    }

    /// Returns the shape.
    pub(crate) fn shape(&self) -> Shape {
        self.shape
    }

    /// Returns the name of the way of the rows.
    pub(crate) fn way(&self) -> &'static str {
        WAYS.iter().find(|way| way.1 == self.rows).map_or("", |way| way.0)
    }

    /// Enqueues the fused kernel.
    ///
    /// # Errors
    /// As `Stream::launch`.
    pub(crate) fn fused(&self, stream: &Stream<'_>) -> Result<()> {
        let (Tensors { partial, residual, weight, out, residual_out, .. }, shape) = (self.tensors, self.shape);
        let (tokens, hidden) = (shape.tokens as usize, shape.hidden as usize);
        let (team, eps, launch) = (self.team.handle(), EPS, self.launch);
        match self.rows {
            Rows::Packets => stream.launch(
                launch,
                allreduce_rmsnorm_packets { team, out, residual_out, partial, residual, weight, tokens, hidden, eps },
            ),
            Rows::Direct => stream.launch(
                launch,
                allreduce_rmsnorm_direct { team, out, residual_out, partial, residual, weight, tokens, hidden, eps },
            ),
        }
    }

    /// Enqueues the library's reduction, and the kernel for the rest.
    ///
    /// # Errors
    /// As `TeamOn::reduce` and `Stream::launch`.
    pub(crate) fn in_two(&self, stream: &Stream<'_>) -> Result<()> {
        let (Tensors { partial, residual, weight, out, residual_out, sums }, shape) = (self.tensors, self.shape);
        let (tokens, hidden) = (shape.tokens as usize, shape.hidden as usize);
        let options = CollectiveOptions::default();
        self.reducing.on(stream).with_options(options).reduce(Sum, sums, partial, shape.elements())?;
        let launch = Launch::new(shape.tokens, shape.threads()).shared_bytes(shape.shared_bytes());
        stream.launch(launch, residual_rmsnorm { out, residual_out, sums, residual, weight, tokens, hidden, eps: EPS })
    }

    /// Enqueues a barrier.
    ///
    /// # Errors
    /// As `TeamOn::barrier`.
    pub(crate) fn meet(&self, stream: &Stream<'_>) -> Result<()> {
        self.reducing.on(stream).barrier()
    }

    /// Frees the tensors, and drops the teams. Collective.
    ///
    /// # Errors
    /// As `World::free`.
    pub(crate) fn free(self) -> Result<()> {
        let Tensors { partial, residual, weight, out, residual_out, sums } = self.tensors;
        [partial, residual, weight, out, residual_out, sums].into_iter().try_for_each(|tensor| self.world.free(tensor))
    }
}

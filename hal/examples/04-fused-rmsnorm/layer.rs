//! The part that a model takes: tensors in symmetric memory, a team, and both variants as calls on a stream.

use oxshmem_example_kernels::fused_rmsnorm::Shape;
use oxshmem_hal::{
    Bf16, CollectiveOptions, Error, ErrorKind, Kernel, Launch, Result, Stream, Sum, SymPtr, Team, TeamOptions, World,
};

/// The largest number of blocks of the fused kernel: its slots take memory, and a row more for a block costs little.
const MOST_BLOCKS: u64 = 128;
/// Memory for the team's slots, in bytes: half of a team memory of the usual size.
const SLOT_MEMORY: u64 = 16 << 20;
/// The number that is added to the mean of the squares.
pub(crate) const EPS: f32 = 1e-5;

/// The residual and RMSNorm of a layer whose sums are spread over all PEs.
#[derive(Debug)]
pub(crate) struct Layer<'w> {
    world: &'w World,
    shape: Shape,
    fused: Kernel,
    second: Kernel,
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
    /// Makes a layer. Collective. `way` is `packets` or `direct`; `None`: as the amount of data suggests.
    ///
    /// # Errors
    /// The kernels do not take the shape, there is no such way, or memory is used up.
    pub(crate) fn new(world: &'w World, tokens: u32, hidden: u32, way: Option<&str>) -> Result<Self> {
        Self::with_blocks(world, tokens, hidden, way, MOST_BLOCKS)
    }

    /// Makes a layer as [`new`](Self::new) does, with a limit to the number of blocks.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub(crate) fn with_blocks(
        world: &'w World,
        tokens: u32,
        hidden: u32,
        way: Option<&str>,
        most: u64,
    ) -> Result<Self> {
        let shape = Shape::new(tokens, hidden).map_err(|bad| {
            Error::new(ErrorKind::InvalidArgument, format!("make a layer of {tokens} tokens, hidden size {hidden}"))
                .because(bad.to_string())
        })?;
        let module = world.modules().load("oxshmem-example-kernels")?;
        let name = way.map_or(shape.fused_kernel().into(), |way| format!("allreduce_rmsnorm_{way}"));
        let (fused, second) = (module.kernel(&name)?, module.kernel("residual_rmsnorm")?);
        let mut launch = Launch::new(1, shape.threads()).shared_bytes(shape.shared_bytes()).collective();

        // Block k of each PE exchanges rows with block k of all others, so every PE has as many.
        let slot_bytes = 4 * u64::from(shape.payload()) * u64::from(world.n_pes());
        let most = most.min(SLOT_MEMORY / slot_bytes).min(fused.most_resident_blocks(world, launch)?).max(1);
        let all = world.all_gather("blocks of the fused RMSNorm", &most.to_le_bytes())?;
        let least = all.iter().filter_map(|most| most.as_slice().try_into().ok()).map(u64::from_le_bytes).min();
        launch.grid[0] = tokens.min(least.unwrap_or(1) as u32);

        let options = TeamOptions::default().with_slots(launch.grid[0]).with_payload(shape.payload());
        let tensor = || world.malloc(shape.elements());
        Ok(Self {
            shape,
            fused,
            second,
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

    /// Returns the way of the data in the fused kernel.
    pub(crate) fn way(&self) -> String {
        self.fused.name().rsplit('_').next().unwrap_or_default().into()
    }

    /// Enqueues the fused kernel.
    ///
    /// # Errors
    /// As `Stream::launch_kernel`.
    pub(crate) fn fused(&self, stream: &Stream<'_>) -> Result<()> {
        let (Tensors { partial, residual, weight, out, residual_out, .. }, shape) = (self.tensors, self.shape);
        let (tokens, hidden) = (shape.tokens as usize, shape.hidden as usize);
        let args = (self.team.handle(), out, residual_out, partial, residual, weight, tokens, hidden, EPS);
        stream.launch_kernel(&self.fused, self.launch, args)
    }

    /// Enqueues the library's reduction, and the kernel for the rest.
    ///
    /// # Errors
    /// As `TeamOn::reduce` and `Stream::launch_kernel`.
    pub(crate) fn in_two(&self, stream: &Stream<'_>) -> Result<()> {
        let (Tensors { partial, residual, weight, out, residual_out, sums }, shape) = (self.tensors, self.shape);
        let (tokens, hidden) = (shape.tokens as usize, shape.hidden as usize);
        let options = CollectiveOptions::default();
        self.reducing.on(stream).with_options(options).reduce(Sum, sums, partial, shape.elements())?;
        let launch = Launch::new(shape.tokens, shape.threads()).shared_bytes(shape.shared_bytes());
        let args = (out, residual_out, sums, residual, weight, tokens, hidden, EPS);
        stream.launch_kernel(&self.second, launch, args)
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

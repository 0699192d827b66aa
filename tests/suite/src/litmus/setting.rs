//! Memory and launches of a litmus test.

use oxshmem_hal::{Element, Kernel, Launch, Result, SymPtr, Team, World};
use oxshmem_litmus_kernels::call::Room;
use oxshmem_litmus_kernels::place::{PAD, RECORD};
use oxshmem_litmus_kernels::{beside, race};

use super::outcome::Finding;
use super::table::{Kind, Shape, Test};
use super::teams;

/// Payloads of a group that are in flight at once.
const SLOTS: usize = 2;

/// One shape of a test, ready to run. The calls are collective.
pub(super) trait Work {
    /// Runs rounds from `first` on, and waits for all PEs.
    ///
    /// # Errors
    /// A wait reached its limit, or a PE died.
    fn rounds(&self, first: u64, rounds: u64) -> Result<()>;
    /// Returns the errors that this PE's kernels have found so far.
    ///
    /// # Errors
    /// The record can't be read.
    fn finding(&self) -> Result<Finding>;
    /// Frees the memory.
    ///
    /// # Errors
    /// A PE died.
    fn free(self: Box<Self>) -> Result<()>;
}

/// The memory of one shape of a test. Its words keep their values from launch to launch.
pub(super) struct Setting<'a> {
    world: &'a World,
    kernel: &'a Kernel,
    kind: Kind,
    shape: Shape,
    seed: u64,
    /// Up to three areas for payloads.
    areas: [SymPtr<u8>; 3],
    words: SymPtr<u64>,
    record: SymPtr<u64>,
    allocated: Vec<SymPtr<u8>>,
    /// The teams of collectives, which have a slot for each group.
    teams: Option<[Team<'a>; 2]>,
}

impl<'a> Setting<'a> {
    /// Allocates. Collective.
    ///
    /// # Errors
    /// The symmetric memory is exhausted.
    pub(super) fn new(world: &'a World, kernel: &'a Kernel, test: &Test, shape: Shape, seed: u64) -> Result<Self> {
        let (groups, n, slot) = (test.shapes.groups_of(&shape), world.n_pes() as usize, shape.most + PAD);
        let (payloads, words) = match test.kind {
            Kind::Message(_) => ([SLOTS * groups * slot; 3], 2 * groups),
            Kind::Fetch => ([groups * slot, groups * slot, 1], 2 * groups),
            Kind::Relay => ([groups * slot, groups * slot, 1], 4 * groups),
            Kind::Barrier => ([2 * n * slot, n * slot, 1], 1),
            Kind::Race => ([1; 3], race::WORDS * groups),
            Kind::Words => ([1; 3], 2 + n * shape.blocks as usize),
            Kind::Collectives(_) | Kind::Programs { .. } => ([groups * Room { n, most: shape.most }.bytes(), 1, 1], 1),
            Kind::Beside(_) => {
                let rooms = groups * Room { n, most: shape.most }.bytes();
                ([rooms, 3 * beside::area(groups, shape.most), 1], 2 * groups)
            }
        };
        let teams = match test.kind {
            Kind::Collectives(_) | Kind::Beside(_) => {
                Some(teams::draw(world, seed ^ groups as u64, test.shapes.slots_of(&shape), shape.payloads)?)
            }
            _ => None,
        };
        let mut allocated = Vec::new();
        let [a, b, c] = payloads.map(|bytes| calloc::<u8>(world, bytes, &mut allocated));
        let areas = [a?, b?, c?];
        let (words, record) = (calloc(world, words, &mut allocated)?, calloc(world, RECORD, &mut allocated)?);
        world.barrier_all()?;
        Ok(Self { world, kernel, kind: test.kind, shape, seed, areas, words, record, allocated, teams })
    }
}

impl Work for Setting<'_> {
    fn rounds(&self, first: u64, rounds: u64) -> Result<()> {
        let (world, kernel) = (self.world, self.kernel);
        let Shape { blocks, threads, most, shared_bytes, .. } = self.shape;
        let launch = Launch::new(blocks, threads).shared_bytes(shared_bytes).collective();
        let ([a, b, c], words, record, seed) = (self.areas, self.words, self.record, self.seed);
        match self.kind {
            Kind::Message(how) => world.own_stream().launch_kernel(
                kernel,
                launch,
                (how, most, SLOTS, a, b, c, words, first, rounds, seed, record),
            )?,
            Kind::Fetch | Kind::Relay => {
                world.own_stream().launch_kernel(kernel, launch, (most, a, b, words, first, rounds, seed, record))?;
            }
            Kind::Barrier => {
                world.own_stream().launch_kernel(kernel, launch, (most, a, b, first, rounds, seed, record))?
            }
            Kind::Race | Kind::Words => {
                world.own_stream().launch_kernel(kernel, launch, (words, first, rounds, seed, record))?
            }
            Kind::Beside(_) => {
                for [one, two] in self.teams.iter().map(|teams| teams.each_ref().map(Team::handle)) {
                    let late = late_ns(world);
                    world.own_stream().launch_kernel(
                        kernel,
                        launch,
                        (one, two, most, a, b, words, late, first, rounds, seed, record),
                    )?;
                }
            }
            Kind::Collectives(_) | Kind::Programs { .. } => {
                for [one, two] in self.teams.iter().map(|teams| teams.each_ref().map(Team::handle)) {
                    let late = late_ns(world);
                    world.own_stream().launch_kernel(
                        kernel,
                        launch,
                        (one, two, most, a, late, first, rounds, seed, record),
                    )?;
                }
            }
        }
        world.barrier_all()
    }

    fn finding(&self) -> Result<Finding> {
        Finding::read(self.world, self.record)
    }

    fn free(self: Box<Self>) -> Result<()> {
        self.allocated.into_iter().try_for_each(|at| self.world.free(at))
    }
}

/// Returns the longest delay of a PE: the time of many rounds.
pub(super) fn late_ns(world: &World) -> u32 {
    if world.on_host() { 1_000_000 } else { 40_000 }
}

pub(super) fn calloc<T: Element>(world: &World, count: usize, allocated: &mut Vec<SymPtr<u8>>) -> Result<SymPtr<T>> {
    let at = world.calloc::<T>(count)?;
    allocated.push(at.cast());
    Ok(at)
}

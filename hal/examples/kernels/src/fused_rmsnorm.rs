//! The kernels of `04-fused-rmsnorm`: the sums of all PEs, the residual and RMSNorm, in one kernel or in two.
//!
//! Every tensor is bf16, of `tokens` rows of `hidden` elements:
//!
//! ```text
//! sum      = bf16(partial of member 0 + partial of member 1 + ...)    in f32, in the order of the members
//! residual = bf16(sum + residual)                                     in f32
//! out      = bf16(residual * (1 / sqrt(mean(residual^2) + eps)) * weight)
//! ```

use core::fmt;

use oxshmem_device::prelude::*;
use oxshmem_device::team::Way;
use oxshmem_device::{BLOCK_SUM_BYTES, Held, Sum, Team, griddepcontrol_launch_dependents, launch_bounds, sqrt_rn_f32};

/// Elements of a unit of 8 bytes, which a thread handles at once.
pub const LANES: u32 = 4;
/// Units of a row that a thread holds in registers.
const UNITS: usize = 4;
/// The largest blocks.
pub const MOST_THREADS: u32 = 512;
/// The longest row, in elements: that which the registers of a block hold.
pub const MOST_HIDDEN: u32 = MOST_THREADS * UNITS as u32 * LANES;
/// Data of up to this size, in bytes, goes by packets: above, it costs more than the two meetings of the direct way.
const MOST_BY_PACKETS: u64 = 1 << 20;

/// The way of the rows between the members: each has a kernel of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rows {
    /// [`allreduce_rmsnorm_packets()`]: data and flags in one store.
    Packets,
    /// [`allreduce_rmsnorm_direct()`]: loads from the members' own memory.
    Direct,
}

/// The shape of the tensors, and of the launches for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Number of rows.
    pub tokens: u32,
    /// Elements of a row.
    pub hidden: u32,
}

/// A shape that the kernels do not take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadShape {
    /// A tensor has no element.
    Empty,
    /// A row of this number of elements does not consist of whole units.
    Uneven(u32),
    /// A row of this number of elements does not fit in the registers of a block.
    TooLong(u32),
}

impl fmt::Display for BadShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => write!(f, "there are no tokens, or rows without elements"),
            Self::Uneven(hidden) => write!(f, "a row of {hidden} elements is no multiple of {LANES}"),
            Self::TooLong(hidden) => {
                write!(f, "a row of {hidden} elements exceeds the {MOST_HIDDEN} that the registers of a block hold")
            }
        }
    }
}

impl core::error::Error for BadShape {}

impl Shape {
    /// Returns a shape that the kernels take.
    ///
    /// # Errors
    /// They do not take it.
    pub fn new(tokens: u32, hidden: u32) -> Result<Self, BadShape> {
        match (tokens, hidden) {
            (0, _) | (_, 0) => Err(BadShape::Empty),
            _ if !hidden.is_multiple_of(LANES) => Err(BadShape::Uneven(hidden)),
            _ if hidden > MOST_HIDDEN => Err(BadShape::TooLong(hidden)),
            _ => Ok(Self { tokens, hidden }),
        }
    }

    /// Returns the number of elements of a tensor.
    pub fn elements(self) -> usize {
        self.tokens as usize * self.hidden as usize
    }

    /// Returns the number of threads of a block, which takes whole rows.
    pub fn threads(self) -> u32 {
        (self.hidden / LANES).next_multiple_of(32).min(MOST_THREADS)
    }

    /// Returns the dynamic shared memory of a block, in bytes.
    pub fn shared_bytes(self) -> u32 {
        BLOCK_SUM_BYTES
    }

    /// Returns the payload that the team's slots need, in bytes: that of a row.
    pub fn payload(self) -> u32 {
        (2 * self.hidden).next_multiple_of(16)
    }

    /// Returns the way of the rows that suits this amount of data.
    pub fn rows(self) -> Rows {
        if 2 * self.elements() as u64 <= MOST_BY_PACKETS { Rows::Packets } else { Rows::Direct }
    }
}

/// The tensors of a call.
#[derive(Clone, Copy)]
struct Tensors {
    out: SymPtr<Bf16>,
    residual_out: SymPtr<Bf16>,
    residual: SymPtr<Bf16>,
    weight: SymPtr<Bf16>,
    tokens: usize,
    hidden: usize,
    eps: f32,
}

/// Returns a row of a tensor on this PE as units.
#[inline(always)]
fn row_of<'a>(shmem: &'a Shmem, tensor: SymPtr<Bf16>, index: usize, hidden: usize) -> Local<'a, u64> {
    shmem.local(tensor.add(index * hidden).cast::<u64>(), hidden / LANES as usize)
}

/// Returns the elements of a unit.
#[inline(always)]
fn wide(unit: u64) -> [f32; LANES as usize] {
    let lane = |i: u32| Bf16::from_bits((unit >> (16 * i)) as u16).to_f32();
    [lane(0), lane(1), lane(2), lane(3)]
}

/// Returns a unit of these elements, rounded to nearest, ties to even.
#[inline(always)]
fn narrow([a, b, c, d]: [f32; LANES as usize]) -> u64 {
    let lane = |value: f32, i: u32| (Bf16::from_f32(value).to_bits() as u64) << (16 * i);
    lane(a, 0) | lane(b, 1) | lane(c, 2) | lane(d, 3)
}

/// The origin of the sums.
#[derive(Clone, Copy)]
enum Sums<'a> {
    /// The members' partial sums, which the call reduces.
    Of(Team<'a>, Way, SymPtr<Bf16>),
    /// An earlier reduction.
    In(SymPtr<Bf16>),
}

impl Tensors {
    /// Normalizes this block's rows: every one whose number is the block's, modulo the number of blocks.
    #[inline(always)]
    fn normalize(self, shmem: &Shmem, sums: Sums<'_>) -> Result<(), Fault> {
        for index in stride(block_idx()[0] as usize, self.tokens, grid_dim()[0] as usize) {
            // The residual is loaded while the sums are under way, the weights while the block adds its squares.
            let residual = Held::load(Block, row_of(shmem, self.residual, index, self.hidden));
            let mut row = Held::EMPTY;
            match sums {
                Sums::Of(team, way, partial) => {
                    let partial = partial.add(index * self.hidden);
                    team.reduce_held_by(Block, way, Sum, &mut row, partial, self.hidden)?;
                }
                Sums::In(sums) => row = Held::load(Block, row_of(shmem, sums, index, self.hidden)),
            }
            let mut squares = 0.0;
            let residual = row.with(&residual, |sum, residual| {
                let (sum, residual) = (wide(sum), wide(residual));
                let unit =
                    narrow([sum[0] + residual[0], sum[1] + residual[1], sum[2] + residual[2], sum[3] + residual[3]]);
                let [a, b, c, d] = wide(unit);
                squares += (a * a + b * b) + (c * c + d * d);
                unit
            });
            residual.store(row_of(shmem, self.residual_out, index, self.hidden));
            let weight = Held::<UNITS>::load(Block, row_of(shmem, self.weight, 0, self.hidden));
            let mean = shmem.block_sum(squares)? / self.hidden as f32;
            let scale = 1.0 / sqrt_rn_f32(mean + self.eps);
            let out = residual.with(&weight, |residual, weight| {
                let ([a, b, c, d], weight) = (wide(residual), wide(weight));
                narrow([a * scale * weight[0], b * scale * weight[1], c * scale * weight[2], d * scale * weight[3]])
            });
            out.store(row_of(shmem, self.out, index, self.hidden));
        }
        Ok(())
    }
}

kernel! {
    /// Adds the `partial` sums of all members and the `residual`, and normalizes: all in one kernel, which sends rows
    /// by packets. Each block takes rows, and the slot of its own number. `residual_out` may be `residual`.
    pub fn allreduce_rmsnorm_packets(
        shmem: Shmem, team: TeamHandle, out: SymPtr<Bf16>, residual_out: SymPtr<Bf16>, partial: SymPtr<Bf16>,
        residual: SymPtr<Bf16>, weight: SymPtr<Bf16>, tokens: usize, hidden: usize, eps: f32,
    ) -> Result<(), Fault> {
        let tensors = Tensors { out, residual_out, residual, weight, tokens, hidden, eps };
        let team = shmem.team(team).slot(block_idx()[0]);
        tensors.normalize(&shmem, Sums::Of(team, Way::Packets, partial))
    }

    /// Does the same with loads from the members' own memory.
    pub fn allreduce_rmsnorm_direct(
        shmem: Shmem, team: TeamHandle, out: SymPtr<Bf16>, residual_out: SymPtr<Bf16>, partial: SymPtr<Bf16>,
        residual: SymPtr<Bf16>, weight: SymPtr<Bf16>, tokens: usize, hidden: usize, eps: f32,
    ) -> Result<(), Fault> {
        let tensors = Tensors { out, residual_out, residual, weight, tokens, hidden, eps };
        let team = shmem.team(team).slot(block_idx()[0]);
        tensors.normalize(&shmem, Sums::Of(team, Way::Direct, partial))
    }

    /// Adds the `residual` to `sums`, which a reduction has made, and normalizes: the second of two kernels.
    pub fn residual_rmsnorm(
        shmem: Shmem, out: SymPtr<Bf16>, residual_out: SymPtr<Bf16>, sums: SymPtr<Bf16>,
        residual: SymPtr<Bf16>, weight: SymPtr<Bf16>, tokens: usize, hidden: usize, eps: f32,
    ) -> Result<(), Fault> {
        // A collective of the library that follows is placed meanwhile, and itself waits for this kernel.
        griddepcontrol_launch_dependents();
        let tensors = Tensors { out, residual_out, residual, weight, tokens, hidden, eps };
        tensors.normalize(&shmem, Sums::In(sums))
    }
}
launch_bounds!(allreduce_rmsnorm_packets, threads = MOST_THREADS);
launch_bounds!(allreduce_rmsnorm_direct, threads = MOST_THREADS);
launch_bounds!(residual_rmsnorm, threads = MOST_THREADS);

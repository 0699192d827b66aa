//! Reductions: four kernels for each type, with the operation as an argument.

use oxshmem_device::{AnyOp, E4m3, E5m2, NumberOp};

use super::*;

/// Defines the kernels of a type. `$op` turns the operation's number into an operation of the type.
macro_rules! reductions {
    ($($type:ty, $op:ident: $reduce:ident $reduce_directly:ident $scatter:ident $scatter_directly:ident;)*) => { $(
        kernel! {
            /// Reduces `count` elements of every member's `source` to every member's `dest`.
            pub fn $reduce(
                shmem: Shmem, team: TeamHandle, op: u32, dest: SymPtr<$type>, source: SymPtr<$type>, count: usize,
            ) -> Result<(), Fault> {
                let (start, part) = share(count, size_of::<$type>());
                let team = shmem.team(team).slot(block_idx()[0]).dependent().share_of(count * size_of::<$type>());
                team.reduce_by(Block, Way::Packets, $op(op), dest.add(start), source.add(start), part)
            }

            /// The same, directly.
            pub fn $reduce_directly(
                shmem: Shmem, team: TeamHandle, op: u32, dest: SymPtr<$type>, source: SymPtr<$type>, count: usize,
            ) -> Result<(), Fault> {
                let (start, part) = share(count, size_of::<$type>());
                let team = shmem.team(team).slot(block_idx()[0]).dependent().share_of(count * size_of::<$type>());
                team.reduce_by(Block, Way::Direct, $op(op), dest.add(start), source.add(start), part)
            }

            /// Reduces `count` elements for each member, which gets them in `dest`.
            pub fn $scatter(
                shmem: Shmem, team: TeamHandle, op: u32, dest: SymPtr<$type>, source: SymPtr<$type>, count: usize,
            ) -> Result<(), Fault> {
                let (start, part) = share(count, size_of::<$type>());
                let team = shmem.team(team).slot(block_idx()[0]).dependent();
                team.reducescatter_part(Block, Way::Packets, $op(op), (dest, start), source, part, count)
            }

            /// The same, directly.
            pub fn $scatter_directly(
                shmem: Shmem, team: TeamHandle, op: u32, dest: SymPtr<$type>, source: SymPtr<$type>, count: usize,
            ) -> Result<(), Fault> {
                let (start, part) = share(count, size_of::<$type>());
                let team = shmem.team(team).slot(block_idx()[0]).dependent();
                team.reducescatter_part(Block, Way::Direct, $op(op), (dest, start), source, part, count)
            }
        }
        launch_bounds!($reduce, threads = 256);
        launch_bounds!($scatter, threads = 256);
        launch_bounds!($reduce_directly, threads = 512);
        launch_bounds!($scatter_directly, threads = 512);
    )* };
}

/// Defines kernels of a type for few blocks, whose threads, twice as many, keep twice as many loads under way.
macro_rules! wide_reductions {
    ($($type:ty, $op:ident: $reduce:ident $scatter:ident;)*) => { $(
        kernel! {
            /// Reduces directly, as the kernel of the type does by blocks of half the size.
            pub fn $reduce(
                shmem: Shmem, team: TeamHandle, op: u32, dest: SymPtr<$type>, source: SymPtr<$type>, count: usize,
            ) -> Result<(), Fault> {
                let (start, part) = share(count, size_of::<$type>());
                let team = shmem.team(team).slot(block_idx()[0]).dependent().share_of(count * size_of::<$type>());
                team.reduce_by(Block, Way::Direct, $op(op), dest.add(start), source.add(start), part)
            }

            /// The same, for a result that is shared out.
            pub fn $scatter(
                shmem: Shmem, team: TeamHandle, op: u32, dest: SymPtr<$type>, source: SymPtr<$type>, count: usize,
            ) -> Result<(), Fault> {
                let (start, part) = share(count, size_of::<$type>());
                let team = shmem.team(team).slot(block_idx()[0]).dependent();
                team.reducescatter_part(Block, Way::Direct, $op(op), (dest, start), source, part, count)
            }
        }
        launch_bounds!($reduce, threads = 1024);
        launch_bounds!($scatter, threads = 1024);
    )* };
}

#[inline(always)]
fn any(raw: u32) -> AnyOp {
    AnyOp::from_raw(raw).unwrap_or(AnyOp::Sum)
}

#[inline(always)]
fn number(raw: u32) -> NumberOp {
    NumberOp(any(raw))
}

reductions! {
    i8, any: reduce_i8_packets reduce_i8_direct reducescatter_i8_packets reducescatter_i8_direct;
    u8, any: reduce_u8_packets reduce_u8_direct reducescatter_u8_packets reducescatter_u8_direct;
    i16, any: reduce_i16_packets reduce_i16_direct reducescatter_i16_packets reducescatter_i16_direct;
    u16, any: reduce_u16_packets reduce_u16_direct reducescatter_u16_packets reducescatter_u16_direct;
    i32, any: reduce_i32_packets reduce_i32_direct reducescatter_i32_packets reducescatter_i32_direct;
    u32, any: reduce_u32_packets reduce_u32_direct reducescatter_u32_packets reducescatter_u32_direct;
    i64, any: reduce_i64_packets reduce_i64_direct reducescatter_i64_packets reducescatter_i64_direct;
    u64, any: reduce_u64_packets reduce_u64_direct reducescatter_u64_packets reducescatter_u64_direct;
    E4m3, number: reduce_e4m3_packets reduce_e4m3_direct reducescatter_e4m3_packets reducescatter_e4m3_direct;
    E5m2, number: reduce_e5m2_packets reduce_e5m2_direct reducescatter_e5m2_packets reducescatter_e5m2_direct;
    F16, number: reduce_f16_packets reduce_f16_direct reducescatter_f16_packets reducescatter_f16_direct;
    Bf16, number: reduce_bf16_packets reduce_bf16_direct reducescatter_bf16_packets reducescatter_bf16_direct;
    f32, number: reduce_f32_packets reduce_f32_direct reducescatter_f32_packets reducescatter_f32_direct;
    f64, number: reduce_f64_packets reduce_f64_direct reducescatter_f64_packets reducescatter_f64_direct;
}

wide_reductions! {
    F16, number: reduce_f16_wide reducescatter_f16_wide;
    Bf16, number: reduce_bf16_wide reducescatter_bf16_wide;
    f32, number: reduce_f32_wide reducescatter_f32_wide;
}

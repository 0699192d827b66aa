//! Reductions: kernels for each type and way, with the operation as an argument.

use oxshmem_device::{AnyOp, E4m3, E5m2, NumberOp};

use super::*;

/// Defines the kernels of types for one way of the data, by blocks of at most this number of threads. `$op` turns the
/// operation's number into an operation of the type.
macro_rules! reductions {
    ($way:ident, threads = $threads:expr; $($type:ty, $op:ident: $reduce:ident $scatter:ident;)*) => { $(
        kernel! {
            /// Reduces `count` elements of every member's `source` to every member's `dest`.
            pub fn $reduce(
                shmem: Shmem, team: TeamHandle, op: u32, dest: SymPtr<$type>, source: SymPtr<$type>, count: usize,
            ) -> Result<(), Fault> {
                let (start, part) = share(count, size_of::<$type>());
                let team = shmem.team(team).slot(block_idx()[0]).dependent().share_of(count * size_of::<$type>());
                team.reduce_by(Block, Way::$way, $op(op), dest.add(start), source.add(start), part)
            }

            /// Reduces `count` elements for each member, which gets them in `dest`.
            pub fn $scatter(
                shmem: Shmem, team: TeamHandle, op: u32, dest: SymPtr<$type>, source: SymPtr<$type>, count: usize,
            ) -> Result<(), Fault> {
                let (start, part) = share(count, size_of::<$type>());
                let team = shmem.team(team).slot(block_idx()[0]).dependent();
                team.reducescatter_part(Block, Way::$way, $op(op), (dest, start), source, part, count)
            }
        }
        launch_bounds!($reduce, threads = $threads);
        launch_bounds!($scatter, threads = $threads);
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

reductions! { Packets, threads = PACKET_THREADS;
    i8, any: reduce_i8_packets reducescatter_i8_packets;
    u8, any: reduce_u8_packets reducescatter_u8_packets;
    i16, any: reduce_i16_packets reducescatter_i16_packets;
    u16, any: reduce_u16_packets reducescatter_u16_packets;
    i32, any: reduce_i32_packets reducescatter_i32_packets;
    u32, any: reduce_u32_packets reducescatter_u32_packets;
    i64, any: reduce_i64_packets reducescatter_i64_packets;
    u64, any: reduce_u64_packets reducescatter_u64_packets;
    E4m3, number: reduce_e4m3_packets reducescatter_e4m3_packets;
    E5m2, number: reduce_e5m2_packets reducescatter_e5m2_packets;
    F16, number: reduce_f16_packets reducescatter_f16_packets;
    Bf16, number: reduce_bf16_packets reducescatter_bf16_packets;
    f32, number: reduce_f32_packets reducescatter_f32_packets;
    f64, number: reduce_f64_packets reducescatter_f64_packets;
}

reductions! { Direct, threads = 512;
    i8, any: reduce_i8_direct reducescatter_i8_direct;
    u8, any: reduce_u8_direct reducescatter_u8_direct;
    i16, any: reduce_i16_direct reducescatter_i16_direct;
    u16, any: reduce_u16_direct reducescatter_u16_direct;
    i32, any: reduce_i32_direct reducescatter_i32_direct;
    u32, any: reduce_u32_direct reducescatter_u32_direct;
    i64, any: reduce_i64_direct reducescatter_i64_direct;
    u64, any: reduce_u64_direct reducescatter_u64_direct;
    E4m3, number: reduce_e4m3_direct reducescatter_e4m3_direct;
    E5m2, number: reduce_e5m2_direct reducescatter_e5m2_direct;
    F16, number: reduce_f16_direct reducescatter_f16_direct;
    Bf16, number: reduce_bf16_direct reducescatter_bf16_direct;
    f32, number: reduce_f32_direct reducescatter_f32_direct;
    f64, number: reduce_f64_direct reducescatter_f64_direct;
}

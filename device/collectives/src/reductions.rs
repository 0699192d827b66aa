//! Reductions: two kernels for each type, with the operation as an argument.

use oxshmem_device::{AnyOp, E4m3, E5m2, NumberOp};

use super::*;

/// Defines the kernels of a type. `$op` turns the operation's number into an operation of the type.
macro_rules! reductions {
    ($($type:ty: $reduce:ident, $reducescatter:ident by $op:expr;)*) => { $(
        kernel! {
            /// Reduces `count` elements of every member's `source` to every member's `dest`.
            pub fn $reduce(
                shmem: Shmem, team: TeamHandle, how: u32, op: u32, dest: SymPtr<$type>, source: SymPtr<$type>,
                count: usize,
            ) -> Result<(), Fault> {
                begin();
                let (start, count) = share(count, size_of::<$type>());
                let team = shmem.team(team).slot(block_idx()[0]);
                team.reduce_by(Block, way(how), $op(op), dest.add(start), source.add(start), count)
            }

            /// Reduces `count` elements for each member, which gets them in `dest`.
            pub fn $reducescatter(
                shmem: Shmem, team: TeamHandle, how: u32, op: u32, dest: SymPtr<$type>, source: SymPtr<$type>,
                count: usize,
            ) -> Result<(), Fault> {
                begin();
                let (start, part) = share(count, size_of::<$type>());
                let team = shmem.team(team).slot(block_idx()[0]);
                team.reducescatter_part(Block, way(how), $op(op), (dest, start), source, part, count)
            }
        }
        launch_bounds!($reduce, threads = 384);
        launch_bounds!($reducescatter, threads = 384);
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
    i8: reduce_i8, reducescatter_i8 by any;
    u8: reduce_u8, reducescatter_u8 by any;
    i16: reduce_i16, reducescatter_i16 by any;
    u16: reduce_u16, reducescatter_u16 by any;
    i32: reduce_i32, reducescatter_i32 by any;
    u32: reduce_u32, reducescatter_u32 by any;
    i64: reduce_i64, reducescatter_i64 by any;
    u64: reduce_u64, reducescatter_u64 by any;
    E4m3: reduce_e4m3, reducescatter_e4m3 by number;
    E5m2: reduce_e5m2, reducescatter_e5m2 by number;
    F16: reduce_f16, reducescatter_f16 by number;
    Bf16: reduce_bf16, reducescatter_bf16 by number;
    f32: reduce_f32, reducescatter_f32 by number;
    f64: reduce_f64, reducescatter_f64 by number;
}

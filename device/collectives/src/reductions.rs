//! Reductions: kernels for each type and way, with the operation as an argument.

use oxshmem_device::{AnyOp, E4m3, E5m2, NumberOp};

use super::*;

/// Defines the kernels of types for one way of the data. `$op` turns the operation's number into an operation of the
/// type.
macro_rules! reductions {
    ($way:ident; $($type:ident $op:ident: $reduce:ident $scatter:ident;)*) => { $(
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
        launch_bounds!($reduce, threads = most_threads(Way::$way));
        launch_bounds!($scatter, threads = most_threads(Way::$way));
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

/// Defines the kernels of each type: first those of packets, then those that move data directly.
macro_rules! both_ways {
    ($($of:ident $type:ident $op:ident: $reduce:ident $scatter:ident $reduce_direct:ident $scatter_direct:ident;)*) => {
        reductions! { Packets; $($type $op: $reduce $scatter;)* }
        reductions! { Direct; $($type $op: $reduce_direct $scatter_direct;)* }
    };
}
reducing_kernels!(both_ways);

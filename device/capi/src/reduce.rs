//! Reductions over teams.
//!
//! There are 8 types of words, 7 operations and 3 scopes. Teams whose members are all reached by loads and stores have
//! three functions for each type: sums by a block, sums by other groups, and the rest. Others
//! have one.

use oxshmem_core::{Bits, Group, Number, ReduceOp};
use oxshmem_device_api::team::Way;
use oxshmem_device_api::{AnyOp, Bf16, Block, F16, Sum};

use crate::any_group::{AnyGroup, Ranked};
use crate::teams::{either, meets_by_load_store, status};
use crate::world::{Any, LoadStore, world};

/// An operation that is chosen while the program runs: a number of [`AnyOp`], or one of these two.
#[derive(Clone, Copy)]
struct Called(u32);

/// The smallest value, of words that are signed numbers. Other operations are the same for both kinds of words.
const SIGNED_MIN: u32 = 7;
/// The largest value, of words that are signed numbers.
const SIGNED_MAX: u32 = 8;

/// Returns the operation on unsigned words that is `op` on signed ones.
#[inline(always)]
fn on_unsigned(op: u32) -> u32 {
    match AnyOp::from_raw(op) {
        Some(AnyOp::Min) => SIGNED_MIN,
        Some(AnyOp::Max) => SIGNED_MAX,
        _ => op,
    }
}

/// Combines two operands of a floating point type; bitwise operations are the sum.
#[inline(always)]
fn numbers<T: Number>(op: u32, a: T::Wide, b: T::Wide) -> T::Wide {
    match AnyOp::from_raw(op) {
        Some(AnyOp::Prod) => T::prod(a, b),
        Some(AnyOp::Min) => T::min(a, b),
        Some(AnyOp::Max) => T::max(a, b),
        _ => T::sum(a, b),
    }
}

/// Combines two operands of an integer type.
#[inline(always)]
fn bits<T: Bits>(op: u32, a: T, b: T) -> T {
    // With its highest bit inverted, a signed number has the order of an unsigned one.
    let top = T::from_bits64(1 << (8 * T::WIDTH.bytes() - 1));
    let turned = |x: T| T::xor(x, top);
    match AnyOp::from_raw(op) {
        Some(AnyOp::And) => T::and(a, b),
        Some(AnyOp::Or) => T::or(a, b),
        Some(AnyOp::Xor) => T::xor(a, b),
        _ if op == SIGNED_MIN => turned(T::min(turned(a), turned(b))),
        _ if op == SIGNED_MAX => turned(T::max(turned(a), turned(b))),
        _ => numbers::<T>(op, a, b),
    }
}

/// Defines the reductions of a type.
macro_rules! reductions {
    ($($type:ty, $combine:ident: $reduce:ident $reduce_warp:ident $reduce_block:ident
        $scatter:ident $scatter_warp:ident $scatter_block:ident;)*) => { $(
        impl ReduceOp<$type> for Called {
            #[inline(always)]
            fn combine(
                self,
                a: <$type as Number>::Wide,
                b: <$type as Number>::Wide,
            ) -> <$type as Number>::Wide {
                $combine::<$type>(self.0, a, b)
            }
        }
        reductions!(one /** Reduces `count` elements of every member to every member. */
            reduce $type: $reduce $reduce_warp $reduce_block);
        reductions!(one /** Reduces `count` elements for each member. */
            reducescatter $type: $scatter $scatter_warp $scatter_block);
    )* };
    (one $(#[$doc:meta])* $call:ident $type:ty: $thread:ident $warp:ident $block:ident) => {
        pub use $thread::{$thread, $warp, $block};
        mod $thread {
            use super::*;

            #[inline(always)]
            unsafe fn by_loads_and_stores<G: Group, O: ReduceOp<$type>>(
                group: G, team: i32, op: O, dest: *mut $type, source: *const $type, count: usize,
            ) -> i32 {
                // SAFETY: **live**, **peopled**: by **initialised** of the caller.
                let shmem = unsafe { LoadStore::from_state(world()) };
                let (dest, source) = (shmem.symmetric(dest), shmem.symmetric(source));
                let Some(team) = either(team) else { return status(None) };
                let team = shmem.team(team);
                status(Some(reductions!(by $call team (group, Way::Auto, op, dest, source, count))))
            }

            #[inline(never)]
            unsafe fn sums_by_block(team: i32, dest: *mut $type, source: *const $type, count: usize) -> i32 {
                // SAFETY: **initialised**, **symmetric**, **live**: the caller's, for the same arguments.
                unsafe { by_loads_and_stores(Block, team, Sum, dest, source, count) }
            }

            #[inline(never)]
            unsafe fn sums_by_any(
                group: AnyGroup, team: i32, dest: *mut $type, source: *const $type, count: usize,
            ) -> i32 {
                // SAFETY: **initialised**, **symmetric**, **live**: the caller's, for the same arguments.
                unsafe { by_loads_and_stores(Ranked::new(group), team, Sum, dest, source, count) }
            }

            #[inline(never)]
            unsafe fn any_by_any(
                group: AnyGroup, team: i32, op: u32, dest: *mut $type, source: *const $type, count: usize,
            ) -> i32 {
                // SAFETY: **initialised**, **symmetric**, **live**: the caller's, for the same arguments.
                unsafe { by_loads_and_stores(Ranked::new(group), team, Called(op), dest, source, count) }
            }

            #[cfg_attr(target_arch = "nvptx64", optimize(size))]
            #[inline(never)]
            unsafe fn remote(
                group: AnyGroup, team: i32, op: u32, dest: *mut $type, source: *const $type, count: usize,
            ) -> i32 {
                // SAFETY: **live**, **peopled**: by **initialised** of the caller.
                let shmem = unsafe { Any::from_state(world()) };
                let (dest, source) = (shmem.symmetric(dest), shmem.symmetric(source));
                status(either(team).map(|team| shmem.team(team).$call(group, Called(op), dest, source, count)))
            }

            #[inline(always)]
            unsafe fn any(
                group: AnyGroup, team: i32, op: u32, dest: *mut $type, source: *const $type, count: usize,
            ) -> i32 {
                // SAFETY: **initialised**, **symmetric**, **live**: the caller's, for the same arguments.
                unsafe {
                    if !meets_by_load_store(team) {
                        return remote(group, team, op, dest, source, count);
                    }
                    if op != AnyOp::Sum as u32 {
                        any_by_any(group, team, op, dest, source, count)
                    } else if group == AnyGroup::BLOCK {
                        sums_by_block(team, dest, source, count)
                    } else {
                        sums_by_any(group, team, dest, source, count)
                    }
                }
            }

            reductions!(scope $(#[$doc])* $thread AnyGroup::THREAD, $type);
            reductions!(scope $(#[$doc])* $warp AnyGroup::WARP, $type);
            reductions!(scope $(#[$doc])* $block AnyGroup::BLOCK, $type);
        }
    };
    (by reduce $team:ident ($group:expr, $way:expr, $op:expr, $dest:expr, $source:expr, $count:expr)) => {
        $team.reduce_by($group, $way, $op, $dest, $source, $count)
    };
    (by reducescatter $team:ident ($group:expr, $way:expr, $op:expr, $dest:expr, $source:expr, $count:expr)) => {
        $team.reducescatter_part($group, $way, $op, ($dest, 0), $source, $count, $count)
    };
    (scope $(#[$doc:meta])* $name:ident $group:expr, $type:ty) => {
        $(#[$doc])*
        ///
        /// # Safety
        ///
        /// **initialised**, **symmetric**, **live**: see the crate.
        #[cfg_attr(all(target_arch = "nvptx64", not(feature = "names")), unsafe(no_mangle))]
        pub unsafe extern "C" fn $name(
            team: i32, op: u32, dest: *mut $type, source: *const $type, count: usize,
        ) -> i32 {
            // SAFETY: **initialised**, **symmetric**, **live**: the caller's, for the same arguments.
            unsafe { any($group, team, op, dest, source, count) }
        }
    };
}
reductions! {
    u8, bits: oxshmem_reduce_u8 oxshmem_reduce_u8_warp oxshmem_reduce_u8_block
        oxshmem_reducescatter_u8 oxshmem_reducescatter_u8_warp oxshmem_reducescatter_u8_block;
    u16, bits: oxshmem_reduce_u16 oxshmem_reduce_u16_warp oxshmem_reduce_u16_block
        oxshmem_reducescatter_u16 oxshmem_reducescatter_u16_warp oxshmem_reducescatter_u16_block;
    u32, bits: oxshmem_reduce_u32 oxshmem_reduce_u32_warp oxshmem_reduce_u32_block
        oxshmem_reducescatter_u32 oxshmem_reducescatter_u32_warp oxshmem_reducescatter_u32_block;
    u64, bits: oxshmem_reduce_u64 oxshmem_reduce_u64_warp oxshmem_reduce_u64_block
        oxshmem_reducescatter_u64 oxshmem_reducescatter_u64_warp oxshmem_reducescatter_u64_block;
    F16, numbers: oxshmem_reduce_f16 oxshmem_reduce_f16_warp oxshmem_reduce_f16_block
        oxshmem_reducescatter_f16 oxshmem_reducescatter_f16_warp oxshmem_reducescatter_f16_block;
    Bf16, numbers: oxshmem_reduce_bf16 oxshmem_reduce_bf16_warp oxshmem_reduce_bf16_block
        oxshmem_reducescatter_bf16 oxshmem_reducescatter_bf16_warp oxshmem_reducescatter_bf16_block;
    f32, numbers: oxshmem_reduce_f32 oxshmem_reduce_f32_warp oxshmem_reduce_f32_block
        oxshmem_reducescatter_f32 oxshmem_reducescatter_f32_warp oxshmem_reducescatter_f32_block;
    f64, numbers: oxshmem_reduce_f64 oxshmem_reduce_f64_warp oxshmem_reduce_f64_block
        oxshmem_reducescatter_f64 oxshmem_reducescatter_f64_warp oxshmem_reducescatter_f64_block;
}

/// Defines the reductions of signed types by those of unsigned ones.
macro_rules! signed {
    ($($type:ty: $($name:ident $of:ident)*;)*) => { $($(
        /// Reduces `count` elements.
        ///
        /// # Safety
        ///
        /// **initialised**, **symmetric**, **live**: see the crate.
        #[cfg_attr(all(target_arch = "nvptx64", not(feature = "names")), unsafe(no_mangle))]
        pub unsafe extern "C" fn $name(
            team: i32, op: u32, dest: *mut $type, source: *const $type, count: usize,
        ) -> i32 {
            // SAFETY: **initialised**, **symmetric**, **live**: the caller's, for the same arguments.
            unsafe { $of(team, on_unsigned(op), dest.cast(), source.cast(), count) }
        }
    )*)* };
}
signed! {
    i8:
        oxshmem_reduce_i8 oxshmem_reduce_u8
        oxshmem_reduce_i8_warp oxshmem_reduce_u8_warp
        oxshmem_reduce_i8_block oxshmem_reduce_u8_block
        oxshmem_reducescatter_i8 oxshmem_reducescatter_u8
        oxshmem_reducescatter_i8_warp oxshmem_reducescatter_u8_warp
        oxshmem_reducescatter_i8_block oxshmem_reducescatter_u8_block;
    i16:
        oxshmem_reduce_i16 oxshmem_reduce_u16
        oxshmem_reduce_i16_warp oxshmem_reduce_u16_warp
        oxshmem_reduce_i16_block oxshmem_reduce_u16_block
        oxshmem_reducescatter_i16 oxshmem_reducescatter_u16
        oxshmem_reducescatter_i16_warp oxshmem_reducescatter_u16_warp
        oxshmem_reducescatter_i16_block oxshmem_reducescatter_u16_block;
    i32:
        oxshmem_reduce_i32 oxshmem_reduce_u32
        oxshmem_reduce_i32_warp oxshmem_reduce_u32_warp
        oxshmem_reduce_i32_block oxshmem_reduce_u32_block
        oxshmem_reducescatter_i32 oxshmem_reducescatter_u32
        oxshmem_reducescatter_i32_warp oxshmem_reducescatter_u32_warp
        oxshmem_reducescatter_i32_block oxshmem_reducescatter_u32_block;
    i64:
        oxshmem_reduce_i64 oxshmem_reduce_u64
        oxshmem_reduce_i64_warp oxshmem_reduce_u64_warp
        oxshmem_reduce_i64_block oxshmem_reduce_u64_block
        oxshmem_reducescatter_i64 oxshmem_reducescatter_u64
        oxshmem_reducescatter_i64_warp oxshmem_reducescatter_u64_warp
        oxshmem_reducescatter_i64_block oxshmem_reducescatter_u64_block;
}

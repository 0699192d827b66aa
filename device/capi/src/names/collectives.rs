//! Barriers, copies and reductions over teams.

use oxshmem_core::Scope::{Block, Thread, Warp};
use oxshmem_device_api::{AnyOp, PackedType};

use crate::meet;
use crate::together::{self, CopyKind};
use crate::turns::{ALL_PES, in_turn};

names! {
    nvshmem_barrier_all() { in_turn(Thread, ALL_PES, || meet::oxshmem_meet_all(1)) }
    nvshmemx_barrier_all_warp() { meet::oxshmem_meet_all_warp(1) }
    nvshmemx_barrier_all_block() { meet::oxshmem_meet_all_block(1) }
    nvshmem_sync_all() { in_turn(Thread, ALL_PES, || meet::oxshmem_meet_all(0)) }
    nvshmemx_sync_all_warp() { meet::oxshmem_meet_all_warp(0) }
    nvshmemx_sync_all_block() { meet::oxshmem_meet_all_block(0) }
    nvshmem_barrier(team: i32) -> i32 { in_turn(Thread, team, || meet::oxshmem_meet(team, 1)) }
    nvshmemx_barrier_warp(team: i32) -> i32 { meet::oxshmem_meet_warp(team, 1) }
    nvshmemx_barrier_block(team: i32) -> i32 { meet::oxshmem_meet_block(team, 1) }
    nvshmem_team_sync(team: i32) -> i32 { in_turn(Thread, team, || meet::oxshmem_meet(team, 0)) }
    nvshmemx_team_sync_warp(team: i32) -> i32 { meet::oxshmem_meet_warp(team, 0) }
    nvshmemx_team_sync_block(team: i32) -> i32 { meet::oxshmem_meet_block(team, 0) }
}

/// Defines the copies of bytes by a group.
macro_rules! copies {
    ($($scope:ident $broadcast:ident $fcollect:ident $alltoall:ident;)*) => { names! { $(
        $broadcast(team: i32, dest: *mut u8, source: *const u8, bytes: usize, root: i32) -> i32 {
            together::copy($scope, CopyKind::Broadcast, team, dest, source, bytes, root)
        }
        $fcollect(team: i32, dest: *mut u8, source: *const u8, bytes: usize) -> i32 {
            together::copy($scope, CopyKind::Fcollect, team, dest, source, bytes, 0)
        }
        $alltoall(team: i32, dest: *mut u8, source: *const u8, bytes: usize) -> i32 {
            together::copy($scope, CopyKind::Alltoall, team, dest, source, bytes, 0)
        }
    )* } };
}
copies! {
    Thread nvshmem_broadcastmem nvshmem_fcollectmem nvshmem_alltoallmem;
    Warp nvshmemx_broadcastmem_warp nvshmemx_fcollectmem_warp nvshmemx_alltoallmem_warp;
    Block nvshmemx_broadcastmem_block nvshmemx_fcollectmem_block nvshmemx_alltoallmem_block;
}

/// Defines the copies of elements of each type, by each scope.
macro_rules! typed_copies {
    ($($name:literal $type:ty;)*) => { $(
        typed_copies!(named concat!("nvshmem_", $name), "", $type, Thread);
        typed_copies!(named concat!("nvshmemx_", $name), "_warp", $type, Warp);
        typed_copies!(named concat!("nvshmemx_", $name), "_block", $type, Block);
    )* };
    (named concat!($x:literal, $name:literal), $suffix:literal, $type:ty, $scope:ident) => {
        typed_copies!(function concat!($x, $name, "_broadcast", $suffix), $type, $scope Broadcast, root);
        typed_copies!(function concat!($x, $name, "_fcollect", $suffix), $type, $scope Fcollect);
        typed_copies!(function concat!($x, $name, "_alltoall", $suffix), $type, $scope Alltoall);
    };
    (function $name:expr, $type:ty, $scope:ident $kind:ident $(, $root:ident)?) => {
        const _: () = {
            /// Performs NVSHMEM's function of this name.
            ///
            /// # Safety
            ///
            /// **initialised**, **symmetric**, **live**: see the crate.
            #[cfg_attr(target_arch = "nvptx64", unsafe(export_name = $name))]
            #[allow(dead_code, reason = "only kernels of other compilers call it")]
            unsafe extern "C" fn function(
                team: i32, dest: *mut $type, source: *const $type, count: usize $(, $root: i32)?
            ) -> i32 {
                let (bytes, root) = (count.wrapping_mul(size_of::<$type>()), 0 $(+ $root)?);
                // SAFETY: **initialised**, **symmetric**, **live**: the caller's, for the same arguments.
                unsafe { together::copy($scope, CopyKind::$kind, team, dest.cast(), source.cast(), bytes, root) }
            }
        };
    };
}
typed_copies! {
    "half" u16;
    "bfloat16" u16;
    "float" f32;
    "double" f64;
    "char" i8;
    "schar" i8;
    "short" i16;
    "int" i32;
    "long" i64;
    "longlong" i64;
    "int8" i8;
    "int16" i16;
    "int32" i32;
    "int64" i64;
    "uint8" u8;
    "uint16" u16;
    "uint32" u32;
    "uint64" u64;
    "uchar" u8;
    "ushort" u16;
    "uint" u32;
    "ulong" u64;
    "ulonglong" u64;
    "size" u64;
    "ptrdiff" i64;
}

/// Defines reductions to every member, for each operation and scope.
macro_rules! reductions {
    ($operations:ident: $($name:literal $type:ty as $of:ident;)*) => { $( $operations!($name $type as $of); )* };
    (named $name:expr, $type:ty as $of:ident, $scope:ident $op:ident) => {
        const _: () = {
            /// Performs NVSHMEM's function of this name.
            ///
            /// # Safety
            ///
            /// **initialised**, **symmetric**, **live**: see the crate.
            #[cfg_attr(target_arch = "nvptx64", unsafe(export_name = $name))]
            #[allow(dead_code, reason = "only kernels of other compilers call it")]
            unsafe extern "C" fn function(team: i32, dest: *mut $type, source: *const $type, count: usize) -> i32 {
                let bytes = count.wrapping_mul(size_of::<$type>());
                // SAFETY: **initialised**, **symmetric**, **live**: the caller's, for the same arguments.
                unsafe { together::reduce($scope, PackedType::$of, AnyOp::$op, team, dest.cast(), source.cast(), bytes) }
            }
        };
    };
}

/// Defines the reductions of a type by the operations of numbers.
macro_rules! of_numbers {
    ($name:literal $type:ty as $of:ident) => {
        scopes!($name "_sum_reduce", $type as $of, Sum);
        scopes!($name "_prod_reduce", $type as $of, Prod);
        scopes!($name "_min_reduce", $type as $of, Min);
        scopes!($name "_max_reduce", $type as $of, Max);
    };
}

/// Defines the reductions of a type by the operations of integers.
macro_rules! of_integers {
    ($name:literal $type:ty as $of:ident) => {
        of_numbers!($name $type as $of);
        scopes!($name "_and_reduce", $type as $of, And);
        scopes!($name "_or_reduce", $type as $of, Or);
        scopes!($name "_xor_reduce", $type as $of, Xor);
    };
}

macro_rules! scopes {
    ($name:literal $text:literal, $type:ty as $of:ident, $op:ident) => {
        reductions!(named concat!("nvshmem_", $name, $text), $type as $of, Thread $op);
        reductions!(named concat!("nvshmemx_", $name, $text, "_warp"), $type as $of, Warp $op);
        reductions!(named concat!("nvshmemx_", $name, $text, "_block"), $type as $of, Block $op);
    };
}

reductions! { of_numbers:
    "half" u16 as F16;
    "bfloat16" u16 as Bf16;
    "float" f32 as F32;
    "double" f64 as F64;
    "char" i8 as I8;
    "schar" i8 as I8;
    "short" i16 as I16;
    "int" i32 as I32;
    "long" i64 as I64;
    "longlong" i64 as I64;
}
reductions! { of_integers:
    "int8" i8 as I8;
    "int16" i16 as I16;
    "int32" i32 as I32;
    "int64" i64 as I64;
    "uint8" u8 as U8;
    "uint16" u16 as U16;
    "uint32" u32 as U32;
    "uint64" u64 as U64;
    "uchar" u8 as U8;
    "ushort" u16 as U16;
    "uint" u32 as U32;
    "ulong" u64 as U64;
    "ulonglong" u64 as U64;
    "size" u64 as U64;
}

//! The kernels of the collectives on streams: one table has their names for the crate that defines them and for the
//! host, which finds them by the name.

use oxshmem_core::{ComparableType, NumberType};

/// The way of a collective's data between load/store members.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DataWay {
    /// Data and flags in one store. Such kernels also serve teams with remote members.
    Packets,
    /// The members' own memory between two meetings.
    Direct,
}

/// A kernel of the module [`MODULE`](CollectiveKernel::MODULE).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CollectiveKernel {
    /// A barrier, which completes earlier operations or does not.
    Barrier,
    /// A broadcast, in bytes.
    Broadcast(DataWay),
    /// An all-gather, in bytes.
    Fcollect(DataWay),
    /// An all-to-all, in bytes.
    Alltoall(DataWay),
    /// An all-to-all with a count for each pair of members.
    Alltoallv,
    /// A reduction whose result every member gets.
    Reduce(NumberType, DataWay),
    /// A reduction whose result is shared out.
    Reducescatter(NumberType, DataWay),
    /// A reduction to the largest value and its index.
    ReduceMaxloc(ComparableType),
}

/// Passes the table of the kernels that copy to a macro: a row for each way of the data, with the kernels of broadcast,
/// all-gather and all-to-all.
#[doc(hidden)]
#[macro_export]
macro_rules! copying_kernels {
    ($define:ident) => {
        $define! {
            Packets: broadcast_packets fcollect_packets alltoall_packets;
            Direct: broadcast_direct fcollect_direct alltoall_direct;
        }
    };
}

/// Passes the table of the kernels of reductions to a macro: a row for each type, with its operations (`any`, or those
/// of a `number`) and the kernels of reduction and reduce-scatter by packets, then of both with direct access.
#[doc(hidden)]
#[macro_export]
macro_rules! reducing_kernels {
    ($define:ident) => {
        $define! {
            I8 i8 any: reduce_i8_packets reducescatter_i8_packets reduce_i8_direct reducescatter_i8_direct;
            U8 u8 any: reduce_u8_packets reducescatter_u8_packets reduce_u8_direct reducescatter_u8_direct;
            I16 i16 any: reduce_i16_packets reducescatter_i16_packets reduce_i16_direct reducescatter_i16_direct;
            U16 u16 any: reduce_u16_packets reducescatter_u16_packets reduce_u16_direct reducescatter_u16_direct;
            I32 i32 any: reduce_i32_packets reducescatter_i32_packets reduce_i32_direct reducescatter_i32_direct;
            U32 u32 any: reduce_u32_packets reducescatter_u32_packets reduce_u32_direct reducescatter_u32_direct;
            I64 i64 any: reduce_i64_packets reducescatter_i64_packets reduce_i64_direct reducescatter_i64_direct;
            U64 u64 any: reduce_u64_packets reducescatter_u64_packets reduce_u64_direct reducescatter_u64_direct;
            E4m3 E4m3 number: reduce_e4m3_packets reducescatter_e4m3_packets reduce_e4m3_direct reducescatter_e4m3_direct;
            E5m2 E5m2 number: reduce_e5m2_packets reducescatter_e5m2_packets reduce_e5m2_direct reducescatter_e5m2_direct;
            F16 F16 number: reduce_f16_packets reducescatter_f16_packets reduce_f16_direct reducescatter_f16_direct;
            Bf16 Bf16 number: reduce_bf16_packets reducescatter_bf16_packets reduce_bf16_direct reducescatter_bf16_direct;
            F32 f32 number: reduce_f32_packets reducescatter_f32_packets reduce_f32_direct reducescatter_f32_direct;
            F64 f64 number: reduce_f64_packets reducescatter_f64_packets reduce_f64_direct reducescatter_f64_direct;
        }
    };
}

/// Passes the table of the kernels that find the largest value and its index to a macro: a row for each type.
#[doc(hidden)]
#[macro_export]
macro_rules! maxloc_kernels {
    ($define:ident) => {
        $define! {
            I32 i32: reduce_maxloc_i32;
            I64 i64: reduce_maxloc_i64;
            F32 f32: reduce_maxloc_f32;
            F64 f64: reduce_maxloc_f64;
        }
    };
}

macro_rules! copies {
    ($($way:ident: $broadcast:ident $fcollect:ident $alltoall:ident;)*) => {
        const WAYS: &[DataWay] = &[$(DataWay::$way),*];

        const fn copying(way: DataWay) -> [&'static str; 3] {
            match way { $(DataWay::$way => [stringify!($broadcast), stringify!($fcollect), stringify!($alltoall)],)* }
        }
    };
}
copying_kernels!(copies);

macro_rules! reductions {
    ($($of:ident $type:ident $ops:ident: $($kernel:ident)*;)*) => {
        const REDUCED: &[NumberType] = &[$(NumberType::$of),*];

        const fn reducing(of: NumberType) -> [&'static str; 4] {
            match of { $(NumberType::$of => [$(stringify!($kernel)),*],)* }
        }
    };
}
reducing_kernels!(reductions);

macro_rules! maxloc {
    ($($of:ident $type:ident: $kernel:ident;)*) => {
        const COMPARED: &[ComparableType] = &[$(ComparableType::$of),*];

        const fn comparing(of: ComparableType) -> &'static str {
            match of { $(ComparableType::$of => stringify!($kernel),)* }
        }
    };
}
maxloc_kernels!(maxloc);

impl CollectiveKernel {
    /// The crate that defines the kernels, by the name of its library in Cargo.
    pub const MODULE: &'static str = "oxshmem_collectives";

    /// Returns the name of the kernel's entry.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Barrier => "team_barrier",
            Self::Broadcast(way) => copying(way)[0],
            Self::Fcollect(way) => copying(way)[1],
            Self::Alltoall(way) => copying(way)[2],
            Self::Alltoallv => "alltoallv",
            Self::Reduce(of, DataWay::Packets) => reducing(of)[0],
            Self::Reducescatter(of, DataWay::Packets) => reducing(of)[1],
            Self::Reduce(of, DataWay::Direct) => reducing(of)[2],
            Self::Reducescatter(of, DataWay::Direct) => reducing(of)[3],
            Self::ReduceMaxloc(of) => comparing(of),
        }
    }

    /// Returns all of them.
    pub fn all() -> impl Iterator<Item = Self> {
        let of_way = |&way: &DataWay| {
            let copies = [Self::Broadcast(way), Self::Fcollect(way), Self::Alltoall(way)];
            let reductions = REDUCED.iter().flat_map(move |&of| [Self::Reduce(of, way), Self::Reducescatter(of, way)]);
            copies.into_iter().chain(reductions)
        };
        let others =
            [Self::Barrier, Self::Alltoallv].into_iter().chain(COMPARED.iter().map(|&of| Self::ReduceMaxloc(of)));
        others.chain(WAYS.iter().flat_map(of_way))
    }
}

//! Collectives of the host, and on streams.

use std::ffi::{c_int, c_void};

use oxshmem_hal::{Max, Min, Prod, Sum, Xor};

export! {
    fn nvshmem_barrier(team: c_int) -> c_int = status |face| {
        face.quiet()?;
        face.team(team)?.barrier()
    };
    fn nvshmem_team_sync(team: c_int) -> c_int = status |face| {
        face.team(team)?.sync()
    };
    fn nvshmem_alltoallmem(team: c_int, dest: *mut c_void, source: *const c_void, bytes: usize) -> c_int
        = status |face| {
        face.team(team)?.alltoall(face.sym_of(dest.cast::<u8>(), bytes)?, face.sym_of(source.cast(), bytes)?, bytes)
    };
    fn nvshmem_fcollectmem(team: c_int, dest: *mut c_void, source: *const c_void, bytes: usize) -> c_int
        = status |face| {
        face.team(team)?.fcollect(face.sym_of(dest.cast::<u8>(), bytes)?, face.sym_of(source.cast(), bytes)?, bytes)
    };
    fn nvshmem_broadcastmem(team: c_int, dest: *mut c_void, source: *const c_void, bytes: usize, root: c_int) -> c_int
        = status |face| {
        let root = root as u32;
        face.team(team)?.broadcast(face.sym_of(dest.cast::<u8>(), bytes)?, face.sym_of(source.cast(), bytes)?, bytes, root)
    };

    fn nvshmemx_barrier_on_stream(team: c_int, stream: *mut c_void) -> c_int = status |face| {
        // SAFETY: **stream** by the caller.
        unsafe { face.on(stream, |stream| face.team(team)?.on(stream).barrier()) }
    };
    fn nvshmemx_team_sync_on_stream(team: c_int, stream: *mut c_void) -> c_int = status |face| {
        // SAFETY: **stream** by the caller.
        unsafe { face.on(stream, |stream| face.team(team)?.on(stream).sync()) }
    };
    fn nvshmemx_barrier_all_on_stream(stream: *mut c_void) = or_exit |face| {
        face.kernels()?;
        // SAFETY: **stream** by the caller.
        unsafe { face.on(stream, |stream| stream.barrier_all()) }
    };
    fn nvshmemx_sync_all_on_stream(stream: *mut c_void) = or_exit |face| {
        face.kernels()?;
        // SAFETY: **stream** by the caller.
        unsafe { face.on(stream, |stream| stream.sync_all()) }
    };
    fn nvshmemx_alltoallmem_on_stream(
        team: c_int, dest: *mut c_void, source: *const c_void, bytes: usize, stream: *mut c_void,
    ) -> c_int = status |face| {
        let (team, dest, source) = (face.team(team)?, face.sym_of(dest.cast::<u8>(), bytes)?, face.sym_of(source.cast(), bytes)?);
        // SAFETY: **stream** by the caller.
        unsafe { face.on(stream, |stream| team.on(stream).alltoall(dest, source, bytes)) }
    };
    fn nvshmemx_fcollectmem_on_stream(
        team: c_int, dest: *mut c_void, source: *const c_void, bytes: usize, stream: *mut c_void,
    ) -> c_int = status |face| {
        let (team, dest, source) = (face.team(team)?, face.sym_of(dest.cast::<u8>(), bytes)?, face.sym_of(source.cast(), bytes)?);
        // SAFETY: **stream** by the caller.
        unsafe { face.on(stream, |stream| team.on(stream).fcollect(dest, source, bytes)) }
    };
    fn nvshmemx_broadcastmem_on_stream(
        team: c_int, dest: *mut c_void, source: *const c_void, bytes: usize, root: c_int, stream: *mut c_void,
    ) -> c_int = status |face| {
        let (team, dest, source) = (face.team(team)?, face.sym_of(dest.cast::<u8>(), bytes)?, face.sym_of(source.cast(), bytes)?);
        let root = root as u32;
        // SAFETY: **stream** by the caller.
        unsafe { face.on(stream, |stream| team.on(stream).broadcast(dest, source, bytes, root)) }
    };
}

family! { rma_types {
    fn ["nvshmem_" "_alltoall"](team: c_int, dest: *mut T, source: *const T, count: usize) -> c_int = status |face| {
        face.team(team)?.alltoall(face.sym_of(dest, count)?, face.sym_of(source, count)?, count)
    };
    fn ["nvshmem_" "_fcollect"](team: c_int, dest: *mut T, source: *const T, count: usize) -> c_int = status |face| {
        face.team(team)?.fcollect(face.sym_of(dest, count)?, face.sym_of(source, count)?, count)
    };
    fn ["nvshmem_" "_broadcast"](team: c_int, dest: *mut T, source: *const T, count: usize, root: c_int) -> c_int
        = status |face| {
        face.team(team)?.broadcast(face.sym_of(dest, count)?, face.sym_of(source, count)?, count, root as u32)
    };
    fn ["nvshmemx_" "_alltoall_on_stream"](
        team: c_int, dest: *mut T, source: *const T, count: usize, stream: *mut c_void,
    ) -> c_int = status |face| {
        let (team, dest, source) = (face.team(team)?, face.sym_of(dest, count)?, face.sym_of(source, count)?);
        // SAFETY: **stream** by the caller.
        unsafe { face.on(stream, |stream| team.on(stream).alltoall(dest, source, count)) }
    };
    fn ["nvshmemx_" "_fcollect_on_stream"](
        team: c_int, dest: *mut T, source: *const T, count: usize, stream: *mut c_void,
    ) -> c_int = status |face| {
        let (team, dest, source) = (face.team(team)?, face.sym_of(dest, count)?, face.sym_of(source, count)?);
        // SAFETY: **stream** by the caller.
        unsafe { face.on(stream, |stream| team.on(stream).fcollect(dest, source, count)) }
    };
    fn ["nvshmemx_" "_broadcast_on_stream"](
        team: c_int, dest: *mut T, source: *const T, count: usize, root: c_int, stream: *mut c_void,
    ) -> c_int = status |face| {
        let (team, dest, source) = (face.team(team)?, face.sym_of(dest, count)?, face.sym_of(source, count)?);
        let root = root as u32;
        // SAFETY: **stream** by the caller.
        unsafe { face.on(stream, |stream| team.on(stream).broadcast(dest, source, count, root)) }
    };
} }

/// Defines the four functions of a reduction.
macro_rules! reductions {
    ($($types:ident $op:ident $reduce:literal $scatter:literal $reduce_on:literal $scatter_on:literal;)*) => { $(
        family! { $types {
            fn ["nvshmem_" $reduce](team: c_int, dest: *mut T, source: *const T, count: usize) -> c_int
                = status |face| {
                face.team(team)?.reduce($op, face.sym_of(dest, count)?, face.sym_of(source, count)?, count)
            };
            fn ["nvshmem_" $scatter](team: c_int, dest: *mut T, source: *const T, count: usize) -> c_int
                = status |face| {
                face.team(team)?.reducescatter($op, face.sym_of(dest, count)?, face.sym_of(source, count)?, count)
            };
            fn ["nvshmemx_" $reduce_on](
                team: c_int, dest: *mut T, source: *const T, count: usize, stream: *mut c_void,
            ) -> c_int = status |face| {
                let (team, dest, source) = (face.team(team)?, face.sym_of(dest, count)?, face.sym_of(source, count)?);
                // SAFETY: **stream** by the caller.
                unsafe { face.on(stream, |stream| team.on(stream).reduce($op, dest, source, count)) }
            };
            fn ["nvshmemx_" $scatter_on](
                team: c_int, dest: *mut T, source: *const T, count: usize, stream: *mut c_void,
            ) -> c_int = status |face| {
                let (team, dest, source) = (face.team(team)?, face.sym_of(dest, count)?, face.sym_of(source, count)?);
                // SAFETY: **stream** by the caller.
                unsafe { face.on(stream, |stream| team.on(stream).reducescatter($op, dest, source, count)) }
            };
        } }
    )* };
}
use oxshmem_hal::{And, Or};
reductions! {
    reduce_types Min "_min_reduce" "_min_reducescatter" "_min_reduce_on_stream" "_min_reducescatter_on_stream";
    reduce_types Max "_max_reduce" "_max_reducescatter" "_max_reduce_on_stream" "_max_reducescatter_on_stream";
    reduce_types Sum "_sum_reduce" "_sum_reducescatter" "_sum_reduce_on_stream" "_sum_reducescatter_on_stream";
    reduce_types Prod "_prod_reduce" "_prod_reducescatter" "_prod_reduce_on_stream" "_prod_reducescatter_on_stream";
    bitwise_reduce_types And "_and_reduce" "_and_reducescatter" "_and_reduce_on_stream" "_and_reducescatter_on_stream";
    bitwise_reduce_types Or "_or_reduce" "_or_reducescatter" "_or_reduce_on_stream" "_or_reducescatter_on_stream";
    bitwise_reduce_types Xor "_xor_reduce" "_xor_reducescatter" "_xor_reduce_on_stream" "_xor_reducescatter_on_stream";
}

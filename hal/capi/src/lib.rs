//! The host half of the C interface: NVSHMEM's host functions, over [`oxshmem_hal`].
//!
//! A process has one default world, which `nvshmem_init` and its relatives make. Each function here is a line or two on
//! that world. Functions of many types are written once, in a `family!`.
//!
//! | file | content |
//! |---|---|
//! | `call`, `process` | the edge of each function: its error as an answer to C; the end of the process |
//! | `export` | the macros that define functions |
//! | `face`, `life` | the default world, with its streams and teams; its beginning and end |
//! | `types`, `pointers` | NVSHMEM's structs, and pointers that C passes |
//! | `init`, `ids`, `mpi`, `info`, `settings`, `place` | start and end, unique ids, MPI communicators, versions, the configuration, the folder of kernels |
//! | `heap`, `rma`, `amo`, `sync` | memory, copies, atomics, signals, order |
//! | `on_stream`, `streams` | the same as work of streams; streams of host PEs |
//! | `teams`, `collective` | teams and collectives |
//! | `device`, `launches`, `region` | modules, queue pairs, buffers; launches; regions |
//!
//! # Errors
//!
//! Each error is one line, which names the function and the PE: on standard error, or in the log of a Rust program that
//! has a logger. A function that returns a status returns NVSHMEM's code for it. A function that returns a pointer
//! returns null, a query -1. A function that can't report an error ends the process with exit status 255, as NVSHMEM
//! does, after it has announced the reason to the other PEs. A panic never leaves a function: it is reported as an
//! internal error.
//!
//! # Safety
//!
//! C can't check pointers. Each function relies on the following:
//!
//! - **pointers**: each pointer argument that is not symmetric leads to memory of the documented size and type, or is
//!   null where NVSHMEM allows it; it stays valid until the function returns, and for a function on a stream or a
//!   nonblocking one until its completion.
//! - **unshared**: nothing else writes memory that a call reads, or accesses memory that it writes, during that time.
//! - **stream**: a stream exists until its work is done.
//!
//! Symmetric pointers are checked.

#[macro_use]
mod export;

mod amo;
mod call;
mod collective;
mod device;
mod face;
mod heap;
mod ids;
mod info;
mod init;
mod launches;
mod life;
mod mpi;
mod on_stream;
mod place;
mod pointers;
mod process;
mod region;
mod rma;
mod settings;
mod streams;
mod sync;
mod teams;
mod types;
mod wait;

// The kernels of collectives are linked for host PEs.
use oxshmem_collectives as _;

//! Programs in C that link the shared object, as processes on host PEs.

mod basic;
mod collective;
mod life;
mod mpi;
mod names;
mod programs;
mod unique_id;

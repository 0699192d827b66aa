//! Programs in C that link the shared object, as processes on host PEs.

mod basic;
mod names;
mod programs;

//! The conformance suite of oxshmem, for any world.
//!
//! A case is a sentence about the semantics and a function that every PE of a world runs. The same cases run on host
//! PEs (threads or processes) and on GPUs. [`Case`]s stand in tables, one for each subject; [`run`] runs the cases
//! that the options choose. A program of another transport's author is `run(&Options::parse())` and a `use` of the
//! transport; its option `--expect-transport NAME` makes sure that the transport was used.

mod amo;
mod barrier;
mod block;
mod bytes;
mod case;
mod collectives;
mod ctx;
mod elements;
mod expected;
mod fakes;
mod faults;
mod foreign;
mod graph;
mod grid_collectives;
mod grid_faults;
mod heap;
mod host;
mod host_amo;
mod host_collectives;
mod kernel_collectives;
mod large_collectives;
pub mod litmus;
mod maxloc;
mod meeting;
mod mixed;
mod options;
mod order;
mod own;
mod paths;
mod reach;
mod registered;
mod rma;
mod rng;
mod runner;
mod seeds;
mod session;
mod signal;
mod slices;
mod stream;
mod team_calls;
mod team_faults;
mod teams;
mod typed;
mod wait;
mod whole;

// Its kernels run the collectives on streams of host PEs.
#[cfg(feature = "kernels")]
use oxshmem_collectives as _;

pub use case::{Case, Failure, Outcome};
pub use ctx::Ctx;
pub use fakes::prepare;
pub use options::{Device, Options};
pub use runner::run;

/// Returns every case, in the order in which they run.
pub fn cases() -> Vec<Case> {
    let tables: [&[Case]; 33] = [
        heap::CASES,
        registered::CASES,
        rma::CASES,
        own::CASES,
        meeting::CASES,
        mixed::CASES,
        whole::CASES,
        amo::CASES,
        signal::CASES,
        slices::CASES,
        wait::CASES,
        order::CASES,
        barrier::CASES,
        block::CASES,
        paths::CASES,
        reach::CASES,
        host::CASES,
        host_amo::CASES,
        host_collectives::CASES,
        stream::CASES,
        elements::CASES,
        graph::CASES,
        foreign::CASES,
        teams::CASES,
        collectives::CASES,
        kernel_collectives::CASES,
        large_collectives::CASES,
        grid_collectives::CASES,
        maxloc::CASES,
        faults::CASES,
        team_faults::CASES,
        team_calls::CASES,
        grid_faults::CASES,
    ];
    tables.concat()
}

//! The self test of NICs: a separate program that tries every operation of the library. It needs no GPU.

use anyhow::Result;

use crate::place::Place;
use crate::programs::{self, Profile};
use crate::rdma::Rdma;
use crate::run::{self, Launch};

/// The name of the program.
pub(crate) const PROGRAM: &str = "oxshmem-nic-selftest";

/// Runs it on these NICs, or on every active port if the list is empty, and returns its exit code.
pub(super) fn run(place: &Place, nics: &str) -> Result<i32> {
    let mut env = place.environment();
    env.extend(libraries(place));
    let launch = Launch {
        args: if nics.is_empty() { Vec::new() } else { vec![nics.into()] },
        env,
        ..Launch::of(programs::resolve(place, PROGRAM, Profile::Dev)?)
    };
    Ok(run::start(&launch)?.code())
}

/// Returns the variables by which a program finds the libraries that `cargo xtask rdma` fetched, if the system lacks
/// them.
pub(crate) fn libraries(place: &Place) -> Vec<(String, String)> {
    let Place::Checkout(root) = place else { return Vec::new() };
    let variables = Rdma::at_hand(root).map(|rdma| rdma.environment()).unwrap_or_default();
    let text = |(name, value): (&str, std::ffi::OsString)| Some((name.to_string(), value.into_string().ok()?));
    variables.into_iter().filter_map(text).collect()
}

//! Processes that reach each other by proxies alone, which post ordinary verbs: unmodified libibverbs and libmlx5,
//! with a software ConnectX under each process. Every waiting call reports errors within a limit.

mod by_devx;
mod calls;
mod ends;
mod faults;
mod late;
mod starts;

use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use oxshmem_fakes::under_verbs::Wire;
use oxshmem_hal::Fault;
use oxshmem_tests::worlds::{Body, Processes};

pub(crate) const BODIES: &[Body] = &[
    ("syndromes", faults::every_syndrome),
    ("sets", faults::sets_of_queues),
    ("groups", faults::groups),
    ("calls", calls::every_call),
    ("host calls", calls::of_the_host),
    ("full queues", ends::losing_the_link_with_full_queues),
    ("link", ends::losing_the_link),
    ("kernel puts", ends::kernel_puts),
    ("host puts", ends::host_puts),
    ("held", ends::held),
    ("gone", ends::gone),
    ("stopped", late::stopped),
    ("to the next", late::to_the_next),
    ("words", starts::words),
    ("begin", starts::begin),
];

/// Far below the limit of a wait.
const SOON: Duration = Duration::from_secs(20);

/// Starts PEs with this body, these variables, and the variables that `own` returns for each PE. `None` without
/// libmlx5.
fn start<'a>(
    body: &str,
    n_pes: u32,
    variables: &[(&str, &str)],
    own: impl Fn(u32) -> Vec<(&'a str, String)>,
) -> Option<(Wire, Processes)> {
    let wire = Wire::new(env!("CARGO_TARGET_TMPDIR"))?;
    let world = start_on(&wire, body, n_pes, variables, own);
    Some((wire, world))
}

/// Starts PEs on this wire.
fn start_on<'a>(
    wire: &Wire,
    body: &str,
    n_pes: u32,
    variables: &[(&str, &str)],
    own: impl Fn(u32) -> Vec<(&'a str, String)>,
) -> Processes {
    let told = wire.variables();
    let mut all: Vec<(&str, &str)> = told.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    all.extend(variables);
    let launcher = oxshmem_hal::launcher::Launcher::new(n_pes).unwrap();
    let prepare = |pe: u32, command: &mut Command| {
        command.envs(own(pe));
        launcher.prepare(oxshmem_hal::Pe::new(pe), command)
    };
    Processes::start_with(body, 0..n_pes, &all, prepare)
}

/// Runs a world whose PEs all succeed and keep every rule. Returns the lines that each sent.
fn run(body: &str, n_pes: u32, variables: &[(&str, &str)]) -> Option<Vec<Vec<String>>> {
    let (wire, world) = start(body, n_pes, variables, |_| Vec::new())?;
    let said = world.all_succeed();
    assert_eq!(wire.violations(), "", "{body} {variables:?}");
    Some(said)
}

/// Outcomes of the calls of this PE's kernels, which run on its threads.
static ENDED: Mutex<Vec<Result<(), Fault>>> = Mutex::new(Vec::new());

/// Keeps the outcome of a kernel's call.
fn note(ended: Result<(), Fault>) {
    ENDED.lock().unwrap_or_else(PoisonError::into_inner).push(ended);
}

/// Returns the outcomes that were kept since the last call.
fn noted() -> Vec<Result<(), Fault>> {
    std::mem::take(&mut ENDED.lock().unwrap_or_else(PoisonError::into_inner))
}

//! Steps over Soft-RoCE, a real verbs stack, in a virtual machine of their own.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;

use super::{CONFORMANCE, SMALL_SOLVER, SOLVER, every_shape, left_out};
use crate::place::Place;
use crate::run::Output;
use crate::rxe::{self, Ending, Options, Wire};
use crate::steps::{Done, Step, count_in, judge};

/// The checks of every property of verbs on which a proxy depends.
/// The emulated kernel moves words of less than 8 bytes byte by byte.
const SELFTEST: &str = "oxshmem-rc-selftest --wire --least-word 8";
/// The program that breaks the wire and kills PEs.
const BREAKS: &str = "oxshmem-wire-faults";
/// Settings of PEs that don't map each other's memory, so that all operations use proxies. With 7 retries Soft-RoCE
/// retries without limit, so that a pause of the machine for a second does not look like a lost wire.
const BY_PROXIES: [(&str, &str); 5] = [
    ("OXSHMEM_DISABLE_P2P", "1"),
    ("OXSHMEM_REMOTE_TRANSPORT", "ibrc"),
    ("OXSHMEM_IB_RETRY_CNT", "7"),
    // Registered memory stays in memory, and the machine has little.
    ("OXSHMEM_SYMMETRIC_SIZE", "16M"),
    ("OXSHMEM_TEAM_MEMORY", "4M"),
];
/// Time after which a packet counts as lost: 17 ms on a wire that loses packets, otherwise 4 s, which no busy machine
/// exceeds.
const TIMEOUTS: [&str; 2] = ["12", "20"];
/// Operations are repeated once or a few times: the machine is emulated, and the cases test only the stack below.
///
/// Soft-RoCE's atomics are loads and stores under a lock of its own, and so not atomic with a PE's atomics on its own
/// words. The self test counts the lost updates.
const SUITE: &str = "oxshmem-conformance --device host --limit 120 --rounds 0.003 --nic-atomics-apart --times";
/// Cases that a spoiled wire can break: operations that are sent again, or must stay in order.
const SPOILED: [&str; 6] = ["rma::", "amo::tickets", "signal::", "order::", "barrier::", "mixed::"];
/// From the machine's start, on a host with little time for it, with two PEs.
const LIMIT: Duration = Duration::from_secs(15 * 60);

/// A spoiled wire and its description.
type Spoiled = (&'static str, Wire);

fn share(text: &str) -> Option<String> {
    Some(text.to_string())
}

/// Returns all kinds of spoiling at once.
fn all_kinds() -> Wire {
    Wire {
        loss: share("1%"),
        duplicate: share("2%"),
        reorder: share("5%"),
        corrupt: share("1%"),
        delay: share("100us"),
    }
}

/// Returns each kind of spoiling by itself.
fn each_kind() -> [Spoiled; 5] {
    [
        ("packets doubled", Wire { duplicate: share("10%"), ..Wire::default() }),
        ("1% of packets lost", Wire { loss: share("1%"), ..Wire::default() }),
        ("10% of packets lost", Wire { loss: share("10%"), ..Wire::default() }),
        ("packets out of order", Wire { reorder: share("25%"), ..Wire::default() }),
        ("packets corrupted", Wire { corrupt: share("2%"), ..Wire::default() }),
    ]
}

/// Returns whether queue pairs send again on such a wire.
fn loses(wire: &Wire) -> bool {
    [&wire.loss, &wire.reorder, &wire.corrupt].iter().any(|share| share.is_some())
}

/// The cases that are run on a wire that is not spoiled: those that pass on a spoiled wire pass here. Of teams and
/// collectives, where every type and operation takes a minute, only those of each way of the data, and one of each
/// caller: streams, kernels, grids and graphs.
const REST: [&str; 20] = [
    "amo::",
    "faults::",
    "heap::",
    "host::",
    "own::",
    "paths::",
    "reach::",
    "stream::",
    "wait::",
    "whole::",
    "teams::after_a_barrier",
    "teams::blocks_meet",
    "collectives::an_",
    "collectives::a_reducescatter",
    "collectives::collectives_back_to_back",
    "collectives::blocks_use_one_team",
    "collectives::collectives_by_whole_grids",
    "collectives::reductions_into_registers",
    "collectives::the_largest_values_and_their_indices_are_found_by",
    "graph::collectives_in_graphs",
];

/// Returns the steps of every test, which take minutes.
pub(super) fn steps<'a>(place: &'a Place, examples: &[String]) -> Vec<Step<'a>> {
    if let Place::Packed(_) = place {
        let why = "its virtual machine is made of packages, which a packed folder has not";
        return vec![Step::skipped("verbs over Soft-RoCE", why)];
    }
    vec![
        alone(place, "verbs over Soft-RoCE", SELFTEST, Wire::default()),
        suite(place, 2, ", cases that are not run on a spoiled wire", Wire::default(), &REST),
        suite(place, 2, ", a spoiled wire", all_kinds(), &SPOILED),
        programs(place, examples, "", Wire::default()),
        alone(place, "a wire cut and mended, and a PE killed, over Soft-RoCE", BREAKS, Wire::default()),
    ]
}

/// Returns the steps of [`steps`], and the whole suite over each kind of spoiled wire, which takes an hour.
pub(super) fn grid<'a>(place: &'a Place, examples: &[String]) -> Vec<Step<'a>> {
    let mut steps = steps(place, examples);
    if let Place::Packed(_) = place {
        return steps;
    }
    steps.push(suite(place, 2, ", a spoiled wire, every case", all_kinds(), &[]));
    for pes in [2, 3, 4] {
        steps.push(suite(place, pes, "", Wire::default(), &[]));
    }
    for pes in [3, 4] {
        steps.push(suite(place, pes, ", a spoiled wire", all_kinds(), &[]));
    }
    for (name, wire) in each_kind() {
        steps.push(suite(place, 2, &format!(", {name}"), wire, &[]));
    }
    for (name, wire) in each_kind().into_iter().chain([("a spoiled wire", all_kinds())]) {
        steps.push(alone(place, format!("verbs over Soft-RoCE, {name}"), SELFTEST, wire.clone()));
        steps.push(programs(place, examples, &format!(", {name}"), wire));
    }
    steps
}

/// Runs a program that makes its processes itself.
fn alone<'a>(place: &'a Place, name: impl Into<String>, command: &'static str, wire: Wire) -> Step<'a> {
    Step::new(name, move || {
        let words: Vec<&str> = command.split_whitespace().collect();
        over(place, &Options::of(&words, wire, LIMIT))
    })
}

/// Runs the conformance suite: every case, or the cases whose names contain one of `cases`.
fn suite<'a>(place: &'a Place, pes: u32, what: &str, wire: Wire, cases: &'static [&'static str]) -> Step<'a> {
    debug_assert!(SUITE.starts_with(CONFORMANCE));
    Step::new(format!("conformance over Soft-RoCE, {pes} PEs{what}"), move || {
        let every = every_shape(cases.is_empty()).iter();
        let words: Vec<&str> = SUITE.split_whitespace().chain(cases.iter().chain(every).copied()).collect();
        // Each PE has memory of its own.
        let memory = 256 * u64::from(pes);
        over(place, &by_proxies(pes, Options { memory, ..Options::of(&words, wire, LIMIT * pes / 2) }))
    })
}

/// Runs the demo and the examples, one after the other.
fn programs<'a>(place: &'a Place, examples: &[String], what: &str, wire: Wire) -> Step<'a> {
    let examples = examples.to_vec();
    Step::new(format!("the Jacobi solver and the examples over Soft-RoCE, 2 PEs{what}"), move || {
        let jacobi = format!("{SOLVER} {}", SMALL_SOLVER.join(" "));
        let all = [vec![jacobi], examples.clone()].concat().join(" && ");
        let mut options = Options::of(&["sh", "-c", &all], wire, LIMIT);
        options.with = [vec![SOLVER.to_string()], examples].concat();
        over(place, &by_proxies(2, options))
    })
}

fn by_proxies(pes: u32, options: Options) -> Options {
    let timeout = ("OXSHMEM_IB_TIMEOUT", TIMEOUTS[usize::from(!loses(&options.wire))]);
    let env = BY_PROXIES.iter().chain([&timeout]).map(|(name, value)| format!("{name}={value}")).collect();
    Options { n: Some(pes), env, ..options }
}

/// Runs a program in the virtual machine. If the machine can't be made, the step is skipped, or fails in CI.
fn over(place: &Place, options: &Options) -> Result<Done> {
    if let Err(why) = place.checkout("rxe").and_then(rxe::fetch) {
        return Ok(left_out(format!("{why:#}")));
    }
    let (code, said) = match again_after_a_crash(|| once(place, options))? {
        (Ending::Exit(code), said) => (code, said),
        (Ending::KernelCrash(why), _) => return Ok(Done::Failed(format!("the machine's kernel crashed twice: {why}"))),
    };
    let failure = (code != 0).then(|| format!("exit code {code}"));
    // A script without a count is judged by its exit code.
    let by_code = options.command[0] == "sh" && failure.is_none() && count_in(&said).is_none();
    Ok(if by_code { Done::Passed } else { judge(&said, failure) })
}

/// Returns the end of a run and the console's output.
fn once(place: &Place, options: &Options) -> Result<(Ending, String)> {
    let output = Output::Kept(Arc::default());
    let ending = rxe::run(place, options, &output)?;
    Ok((ending, output.kept()))
}

/// Runs a program once more if the machine's kernel crashes, because Soft-RoCE and the emulator have faults of their
/// own. A program that crashes it twice is at fault itself.
fn again_after_a_crash(mut once: impl FnMut() -> Result<(Ending, String)>) -> Result<(Ending, String)> {
    match once()? {
        (Ending::KernelCrash(why), _) => {
            println!("the machine's kernel crashed ({why}): once more");
            once()
        }
        ended => Ok(ended),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_run_again_after_a_crash_of_the_kernel_alone_and_only_once() {
        let crash = || (Ending::KernelCrash("BUG".into()), String::new());
        let exit = |code| (Ending::Exit(code), "said".to_string());
        for (ends, last, runs) in [
            (vec![exit(1), exit(0)], exit(1), 1),
            (vec![crash(), exit(0)], exit(0), 2),
            (vec![crash(), crash(), exit(0)], crash(), 2),
        ] {
            let total = ends.len();
            let mut left = ends.into_iter();
            assert_eq!(again_after_a_crash(|| Ok(left.next().unwrap())).unwrap(), last);
            assert_eq!(total - left.len(), runs);
        }
    }
}

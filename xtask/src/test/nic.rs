//! Steps over the software ConnectX: within one process, and under libibverbs and libmlx5 with a process for each PE.

use anyhow::{Result, bail};
use oxshmem_raw::os::private::Scratch;
use oxshmem_rdma::verbs::sysfs;

use super::{CONFORMANCE, Counted, LITMUS, counting, example, left_out};
use crate::doctor::selftest;
use crate::place::Place;
use crate::run::nic::{Link, Options, Profile};
use crate::run::{Device, SoftNic};
use crate::steps::{Done, Step};

/// Seeds of software NICs, each of which has an order of its own.
const SEEDS: u64 = 200;
/// Seeds after those, with several NICs for each PE.
const WIDE_SEEDS: u64 = 40;
/// Seeds of one step.
const BATCH: u64 = 25;
/// One in this many cases runs over each NIC, so that each case meets ten NICs (40 with `--full`) and the whole takes a
/// minute.
const SHARE: &str = "5";
/// Cases that depend on the order of a NIC, without those that wait for a time limit.
const CASES: [&str; 14] = [
    "rma::",
    "own::",
    "whole::",
    "amo::",
    "signal::",
    "order::",
    "barrier::",
    "reach::",
    "host::",
    // The others check every type and operation, or many teams.
    "teams::after_a_barrier",
    "teams::blocks",
    "collectives::an_",
    "collectives::reductions_in_place",
    "collectives::collectives_back_to_back",
];

/// Rules that the self test breaks to see the NIC's answer.
const ON_PURPOSE: &str = "remote-key,remote-access,remote-bounds,local-key";

/// A world of processes over the software NIC: PEs, PEs of a node, seed, link, profile, and the part of the cases that
/// it runs without `--full`.
type World = (u32, u32, u64, Option<Link>, Option<Profile>, &'static str);

const WORLDS: [World; 4] = [
    (2, 1, 0, None, None, "1/1"),
    (2, 1, 7, Some(Link::Roce), Some(Profile::Cx6), "1/2"),
    (3, 1, 11, Some(Link::Ib), Some(Profile::Cx8), "2/2"),
    (4, 2, 5, None, None, "1/2"),
];

/// More worlds, for `--full`.
const MORE_WORLDS: [World; 2] = [(3, 1, 0, None, None, "1/1"), (2, 1, 23, Some(Link::Roce), None, "1/1")];

/// A world of processes whose PEs use several NICs: PEs, NICs of each PE, seed, link, and the part of the cases.
type Wide = (u32, &'static str, u64, Option<Link>, &'static str);

const WIDE: [Wide; 1] = [(3, "3,1,2", 5, None, "2/2")];

/// More of them, for `--full`.
const MORE_WIDE: [Wide; 2] = [(2, "2", 0, None, "1/1"), (2, "2,1", 13, Some(Link::Roce), "1/1")];

/// Worlds whose queues a kernel executes: PEs, whether they are processes, and the part of the cases.
const RESIDENT: [(u32, bool, &str); 2] = [(3, false, "1/2"), (2, true, "2/2")];

/// More of them, for `--full`.
const MORE_RESIDENT: [(u32, bool, &str); 1] = [(3, true, "1/1")];

/// Rounds of a litmus test without `--full`, which runs 500 to 80,000.
const LITMUS_ROUNDS: [&str; 2] = ["--rounds", "200"];

/// Returns the steps; with `full` all seeds, all worlds, and more rounds of each operation.
pub(super) fn steps<'a>(place: &'a Place, examples: &[String], full: bool) -> Vec<Step<'a>> {
    let mut steps = vec![of_this_machine(place)];
    let rounds = if full { "0.3" } else { "0.1" };
    let (seeds_of_one, wide_seeds) = if full { (SEEDS, WIDE_SEEDS) } else { (SEEDS / 4, WIDE_SEEDS / 4) };
    for from in (0..seeds_of_one).step_by(BATCH as usize) {
        let to = (from + BATCH).min(seeds_of_one);
        let n = 2 + (from / BATCH % 2) as u32;
        let name = format!("conformance over the software NIC, {n} PEs as threads, NIC seeds {from} to {}", to - 1);
        steps.push(Step::new(name, move || seeds(place, n, from, to, 1)));
    }
    let name = format!(
        "conformance over 2 software NICs of each PE, 2 PEs as threads, NIC seeds {SEEDS} to {}",
        SEEDS + wide_seeds - 1
    );
    steps.push(Step::new(name, move || seeds(place, 2, SEEDS, SEEDS + wide_seeds, 2)));
    // Each of the worlds of a kind runs a half of the cases; with `full` each runs all.
    let part_of = move |part: &'static str| if full { "1/1" } else { part };
    let more = if full { &MORE_RESIDENT[..] } else { &[] };
    for (n, processes, part) in RESIDENT.iter().chain(more).copied() {
        let how = if processes { "processes" } else { "threads" };
        let name = format!("conformance over the software NIC's queues executed by a kernel, {n} PEs as {how}");
        steps.push(Step::new(name, move || resident(place, n, processes, part_of(part))));
    }
    if let Place::Packed(_) = place {
        let why = "the software NIC is built from sources, which a packed folder has not";
        steps.push(Step::skipped("processes over libmlx5 and the software NIC", why));
        return steps;
    }
    let more_worlds = if full { &MORE_WORLDS[..] } else { &[] };
    for (n, near, seed, link, profile, part) in WORLDS.iter().chain(more_worlds).copied() {
        let mut name = format!("conformance over libmlx5 and the software NIC, {n} PEs as processes");
        if near > 1 {
            name.push_str(&format!(", {near} and {near} near each other"));
        }
        if seed != 0 {
            name.push_str(&format!(", seed {seed}"));
        }
        link.iter().for_each(|link| name.push_str(&format!(", {link:?}")));
        profile.iter().for_each(|profile| name.push_str(&format!(", {profile:?}")));
        steps.push(Step::new(name, move || {
            let nic_near = (near > 1).then_some(near);
            let options = Options { nic_near, nic_link: link, nic_profile: profile, ..Options::soft(seed) };
            over(place, &options, |nic| {
                let env = place.environment();
                let args = &["--rounds", rounds, "--part", part_of(part)];
                counting(place, CONFORMANCE, Counted { nic, env, ..Counted::of(n, Device::Host, args) })
            })
        }));
    }
    let more_wide = if full { &MORE_WIDE[..] } else { &[] };
    for (n, nics, seed, link, part) in WIDE.iter().chain(more_wide).copied() {
        let name = format!("conformance over libmlx5 and the software NIC, {n} PEs as processes with {nics} NICs");
        steps.push(Step::new(name, move || {
            let nic_count = nics.split(',').filter_map(|count| count.parse().ok()).max();
            let options = Options { nic_count, nic_link: link, ..Options::soft(seed) };
            over(place, &options, |nic| {
                let env = place.environment();
                let args = &["--rounds", rounds, "--nics", nics, "--part", part_of(part)];
                counting(place, CONFORMANCE, Counted { nic, env, ..Counted::of(n, Device::Host, args) })
            })
        }));
    }
    for link in [Link::Ib, Link::Roce] {
        steps.push(Step::new(format!("self test of a NIC over libmlx5 and the software NIC, {link:?}"), move || {
            over(place, &Options { nic_link: Some(link), ..Options::soft(0) }, |nic| {
                let env = vec![("OXSHMEM_SOFTNIC_ON_PURPOSE".to_string(), ON_PURPOSE.to_string())];
                let counted = Counted { world: None, nic, env, ..Counted::of(1, Device::Host, &["--least", "1"]) };
                counting(place, selftest::PROGRAM, counted)
            })
        }));
    }
    steps.push(Step::new("litmus over libmlx5 and the software NIC, 2 PEs as processes", move || {
        over(place, &Options::soft(0), |nic| {
            let env = place.environment();
            let args = if full { &[][..] } else { &LITMUS_ROUNDS[..] };
            counting(place, LITMUS, Counted { nic, env, ..Counted::of(2, Device::Host, args) })
        })
    }));
    for name in ["oxshmem-ring", "oxshmem-jacobi", "oxshmem-mandelbrot"] {
        steps.push(program(place, name.to_string()));
    }
    for name in examples {
        steps.push(program(place, name.clone()));
    }
    steps
}

/// Returns the self test of this machine's own NICs.
fn of_this_machine(place: &Place) -> Step<'_> {
    Step::new("self test of this machine's NICs", || {
        let folder = sysfs::root().join("class/infiniband");
        if !std::fs::read_dir(&folder).is_ok_and(|mut nics| nics.next().is_some()) {
            return Ok(Done::Skipped(format!("there is none in {}", folder.display())));
        }
        let env = [place.environment(), selftest::libraries(place)].concat();
        counting(place, selftest::PROGRAM, Counted { world: None, env, ..Counted::of(1, Device::Host, &[]) })
    })
}

fn program(place: &Place, name: String) -> Step<'_> {
    Step::new(format!("{name} over libmlx5 and the software NIC, 2 PEs as processes"), move || {
        over(place, &Options::soft(3), |nic| example(place, &name, Some((2, Device::Host)), nic))
    })
}

fn seeds(place: &Place, n: u32, from: u64, to: u64, nics: u32) -> Result<Done> {
    let (pes, range, nics) = (n.to_string(), format!("{from}..{to}"), nics.to_string());
    let mut args = vec![
        "--pes",
        &pes,
        "--nics",
        &nics,
        "--nic-seeds",
        &range,
        "--nic-share",
        SHARE,
        "--rounds",
        "0.02",
        "--limit",
        "30",
    ];
    args.extend(CASES);
    let counted = Counted { env: place.environment(), world: None, ..Counted::of(1, Device::Host, &args) };
    counting(place, CONFORMANCE, counted)
}

/// Runs the conformance suite on host PEs, with a kernel in each process that executes the queues of the software
/// NIC.
fn resident(place: &Place, n: u32, processes: bool, part: &str) -> Result<Done> {
    let pes = n.to_string();
    let args = ["--soft-nic", "--rounds", "0.3", "--limit", "30", "--part", part, "--pes", &pes];
    let (n, world, args) = if processes { (n, Some(Device::Host), &args[..7]) } else { (1, None, &args[..]) };
    by_kernel(place, Counted { env: place.environment(), world, ..Counted::of(n, Device::Host, args) })
}

/// Runs the conformance suite with a kernel in each process that executes the queues of the software NIC. Processes
/// have a wire between them.
pub(super) fn by_kernel(place: &Place, mut counted: Counted<'_>) -> Result<Done> {
    let wire = Scratch::new("engine")?;
    counted.env.push(("OXSHMEM_SOFTNIC_ENGINE".into(), "resident".into()));
    if counted.world.is_some() {
        counted.env.push(("OXSHMEM_SOFTNIC_WIRE".into(), wire.display().to_string()));
    }
    let done = counting(place, CONFORMANCE, counted);
    let broken = std::fs::read_to_string(wire.join("violations")).unwrap_or_default();
    if !broken.is_empty() {
        bail!("rules were broken:\n{broken}");
    }
    done
}

/// Runs a step over the NIC, or skips it if the machine has no libraries for it and can't fetch them.
pub(super) fn over(
    place: &Place,
    options: &Options,
    run: impl FnOnce(Option<SoftNic>) -> Result<Done>,
) -> Result<Done> {
    if let Err(why) = SoftNic::libraries(place) {
        return Ok(left_out(format!("{why:#}")));
    }
    run(SoftNic::prepare(place, options)?)
}

//! Steps over proxies that post verbs: to verbs in software within one process, and to libibverbs and libmlx5 over
//! the software ConnectX with a process for each PE.

use std::ops::Range;

use anyhow::Result;

use super::nic::over;
use super::{CONFORMANCE, Counted, LITMUS, counting, example};
use crate::place::Place;
use crate::run::Device;
use crate::run::nic::{Kind, Link, Options, Profile};
use crate::steps::{Done, Step};

/// Seeds of verbs in software, which draw delays and orders from them.
const SEEDS: u64 = 60;
/// Seeds of one step.
const BATCH: u64 = 15;
/// Seeds with which queue pairs are connected at their first use: one of each kind of device.
const LAZY_SEEDS: u64 = 10;
/// One in this many cases runs with each seed.
const SHARE: &str = "8";
/// Cases that a device's order and delays can spoil.
const CASES: [&str; 14] = [
    "rma::",
    "own::",
    "whole::",
    // The other amo cases check every type and operation, not order, and take longer than all cases here.
    "amo::sums",
    "amo::tickets",
    "amo::a_swap",
    "amo::bits",
    "signal::",
    "order::",
    "barrier::",
    "mixed::",
    "reach::",
    "teams::blocks",
    "collectives::collectives_back_to_back",
];
/// Factor of the rounds: six threads that wait for each other share the machine's cores.
const ROUNDS: &str = "0.02";

/// Cases that two paths at once can spoil.
const OF_BOTH_PATHS: [&str; 5] = ["rma::calls", "signal::who_sees_the_signal", "barrier::", "mixed::", "reach::"];

/// A world of processes: PEs, PEs of a node, NICs, seed, link, profile, the cases (none: all), and whether queue pairs
/// are connected at their first use.
struct World {
    n: u32,
    near: Option<u32>,
    nics: Option<u32>,
    seed: u64,
    link: Link,
    profile: Profile,
    cases: &'static [&'static str],
    lazy: bool,
}

const PLAIN: World =
    World { n: 2, near: None, nics: None, seed: 0, link: Link::Ib, profile: Profile::Cx7, cases: &CASES, lazy: false };

const WORLDS: [World; 7] = [
    World { cases: &[], ..PLAIN },
    World { n: 3, link: Link::Roce, ..PLAIN },
    World { seed: 7, link: Link::Roce, profile: Profile::Cx6, ..PLAIN },
    World { n: 3, seed: 11, profile: Profile::Cx8, ..PLAIN },
    World { seed: 13, nics: Some(2), link: Link::Roce, ..PLAIN },
    World { n: 4, near: Some(2), seed: 5, cases: &OF_BOTH_PATHS, ..PLAIN },
    World { n: 3, seed: 17, link: Link::Roce, lazy: true, ..PLAIN },
];

/// Returns the steps; with `full` all seeds.
pub(super) fn steps<'a>(place: &'a Place, examples: &[String], full: bool) -> Vec<Step<'a>> {
    let mut steps = Vec::new();
    let all = if full { SEEDS } else { SEEDS / 2 };
    for from in (0..all).step_by(BATCH as usize) {
        let (to, n) = ((from + BATCH).min(all), 2 + (from / BATCH % 2) as u32);
        let name =
            format!("conformance by proxies over verbs in software, {n} PEs as threads, seeds {from} to {}", to - 1);
        steps.push(Step::new(name, move || seeds(place, n, from..to, false)));
    }
    let name = "conformance by proxies over verbs in software, 3 PEs as threads, connected at first use";
    steps.push(Step::new(name, || seeds(place, 3, 0..LAZY_SEEDS, true)));
    if let Place::Packed(_) = place {
        let why = "the software NIC is built from sources, which a packed folder has not";
        steps.push(Step::skipped("processes by proxies over libmlx5 and the software NIC", why));
        return steps;
    }
    for world in &WORLDS {
        let name = format!("conformance by proxies over libmlx5 and the software NIC, {}", world.words());
        steps.push(Step::new(name, move || {
            over(place, &world.options(), |nic| {
                let mut args = vec!["--rounds", ROUNDS];
                args.extend(world.cases);
                let counted =
                    Counted { nic, env: environment(place, world.lazy), ..Counted::of(world.n, Device::Host, &args) };
                counting(place, CONFORMANCE, counted)
            })
        }));
    }
    steps.push(Step::new("litmus by proxies over libmlx5 and the software NIC, 2 PEs as processes", || {
        over(place, &Options::of(Kind::IbrcSoft, 0), |nic| {
            let env = place.environment();
            counting(place, LITMUS, Counted { nic, env, ..Counted::of(2, Device::Host, &["--rounds", "15"]) })
        })
    }));
    let programs = ["oxshmem-ring", "oxshmem-jacobi", "oxshmem-mandelbrot"].map(str::to_string);
    for name in programs.into_iter().chain(examples.iter().cloned()) {
        let title = format!("{name} by proxies over libmlx5 and the software NIC, 2 PEs as processes");
        steps.push(Step::new(title, move || {
            let nic = Options::of(Kind::IbrcSoft, 3);
            over(place, &nic, |nic| example(place, &name, Some((2, Device::Host)), nic))
        }));
    }
    steps
}

impl World {
    fn options(&self) -> Options {
        Options {
            nic_link: Some(self.link),
            nic_profile: Some(self.profile),
            nic_count: self.nics,
            nic_near: self.near,
            ..Options::of(Kind::IbrcSoft, self.seed)
        }
    }

    fn words(&self) -> String {
        let mut words = format!("{} PEs as processes", self.n);
        self.near.iter().for_each(|near| words.push_str(&format!(", {near} and {near} near each other")));
        self.nics.iter().for_each(|nics| words.push_str(&format!(", {nics} NICs")));
        words.push_str(&format!(", seed {}, {:?}, {:?}", self.seed, self.link, self.profile));
        words.push_str(if self.lazy { ", connected at first use" } else { "" });
        words
    }
}

fn environment(place: &Place, lazy: bool) -> Vec<(String, String)> {
    let mut environment = place.environment();
    environment.extend(lazy.then(|| ("OXSHMEM_QP_CONNECT".into(), "lazy".into())));
    environment
}

fn seeds(place: &Place, n: u32, seeds: Range<u64>, lazy: bool) -> Result<Done> {
    let (pes, range) = (n.to_string(), format!("{}..{}", seeds.start, seeds.end));
    let mut args = vec!["--pes", &pes, "--soft-verbs", "--nic-seeds", &range, "--nic-share", SHARE];
    args.extend(["--rounds", ROUNDS, "--limit", "30"]);
    args.extend(CASES);
    let counted = Counted { env: environment(place, lazy), world: None, ..Counted::of(1, Device::Host, &args) };
    counting(place, CONFORMANCE, counted)
}

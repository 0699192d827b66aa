//! `perf --proxy`: measures the rate at which proxies take the requests of kernels.
//!
//! There is no NIC: the proxies' device completes at once, and moves nothing or copies. `oxshmem-proxy-rates` answers
//! the rows in one process; `tests/peers/PROTOCOL.md` defines the communication with it. NVSHMEM's proxy can't be
//! measured beside it, because it posts to NICs alone.

pub(crate) mod rows;

use std::path::Path;

use anyhow::{Result, bail};

use super::plan::On;
use super::results::{HOST_PES, OURS, Results};
use super::roster::Roster;
use super::suite::Suite;
use super::{alone, table};
use xtask::place::Place;
use xtask::programs::Profile;

/// The name of our program.
const PROGRAM: &str = "oxshmem-proxy-rates";
/// The kernels that make the requests.
const KERNELS: &str = "oxshmem-proxy-kernels";

const NEEDS: &str = "`perf --proxy` measures what a GPU's threads ask of proxies and needs a GPU; `--device host` measures \
                     proxies with threads of the CPU";

/// The properties of this suite.
pub(crate) const SUITE: Suite = Suite {
    name: "proxy",
    option: " --proxy",
    legend: "Medians of all turns; min..max over all of them. `proxy_post_latency` is `proxy_round_latency` (from the call \
             until the calling thread sees the word that the device writes when it is posted to) less half of the fastest \
             `proxy_echo_latency` (a word to a thread of the host and back), which is the way back. NVSHMEM's proxy posts \
             to a NIC alone, and so is not measured beside: 1.7 M puts/s are the published figure.",
    goals: include_str!("../../goals/proxy.toml"),
    on: |options| {
        if !options.against.is_empty() {
            bail!("NVSHMEM's proxy posts to a NIC alone and can't be measured here; leave --against out");
        }
        alone::on(options.device, options.list, NEEDS)
    },
    is_alone: true,
    rows: rows::rows,
    enlist,
    head,
    tables: |results, _| vec![("Rows".into(), table::of_all(results))],
    charts: |_| Vec::new(),
};

fn enlist(roster: &mut Roster<'_>, place: &Place, _out: &Path) -> Result<()> {
    // It is optimised for host threads, too, because there the rate of a proxy is measured.
    let ours = roster.ours(place, PROGRAM, Profile::Release)?;
    let (environment, _) = alone::environment(roster, place, KERNELS, ("proxy", "sm_80"))?;
    roster.add(OURS, &ours, Vec::new(), environment.clone());
    roster.add_others(&environment)
}

fn head(results: &Results) -> String {
    match results.on {
        On::Gpus => format!("Asking proxies, against a device that only completes, from one {}", results.device),
        On::Host => format!("Asking proxies, against a device that only completes: {HOST_PES}"),
    }
}

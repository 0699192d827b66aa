//! The rows of the suite.

use super::super::plan::{On, Profile};
use super::super::row::Row;

/// The rate of elements that a grid puts.
const RATE: &str = "proxy_p_rate";
/// The rate of puts of 128 elements by blocks.
const BLOCKS: &str = "proxy_put_rate";
/// The bandwidth of large puts, and the share of their time in which the device copies, which is the proxy core's
/// purpose.
const LARGE: &str = "proxy_put_bw";
const COPIES: &str = "proxy_put_copies";
/// The time from the call of a single put to its post.
const POST: &str = "proxy_post_latency";
/// The same for a kernel's first put, after a second without kernels.
const WAKE: &str = "proxy_wake_latency";
/// A proxy's share of a core without kernels.
const IDLE: &str = "proxy_idle";
/// Rows that explain the others.
const BESIDE: [&str; 4] = ["proxy_call_latency", "proxy_round_latency", "proxy_echo_latency", "proxy_quiet_latency"];
/// As `WAKE`, without the announcement of the launch.
const UNTOLD: &str = "proxy_wake_untold_latency";
/// The time to unpark a thread of the host: this machine's part of `WAKE`.
const CORE: &str = "proxy_core_wake_latency";
/// As `IDLE`, while a kernel runs that makes no request.
const STAY: &str = "proxy_stay";

/// Threads of a block on a GPU.
const THREADS: u64 = 256;
const MIB: u64 = 1 << 20;

/// Returns the rows, in the order of their measurement.
pub(crate) fn rows(profile: Profile, on: On) -> Vec<Row> {
    let mut rows = Vec::new();
    let latency = if on == On::Host { 1000 } else { 4000 };
    rows.push(Row::of(POST).iters(latency));
    rows.extend(BESIDE.map(|test| Row::of(test).iters(latency)));
    rows.extend([IDLE, STAY, WAKE, CORE, UNTOLD].map(Row::of));
    match on {
        On::Host => rows.push(rate(1, 1, 1, 1_000_000)),
        On::Gpus => {
            let (ctas, proxies): (&[u64], &[u64]) = match profile {
                Profile::Quick => (&[8], &[1, 4]),
                Profile::Default => (&[1, 8, 32, 132], &[1, 2, 4]),
                Profile::Full => (&[1, 8, 32, 132], &[1, 2, 4, 6, 8]),
            };
            rows.push(rate(1, 1, 1, 100_000));
            for &proxies in proxies {
                rows.extend(ctas.iter().map(|&ctas| rate(ctas, THREADS, proxies, 4_000_000)));
            }
            let side_by_side = |&proxies: &u64| Row { line: false, ..rate(8, THREADS, proxies, 4_000_000) };
            rows.extend(proxies.iter().map(side_by_side));
        }
    }
    let (ctas, threads) = if on == On::Host { (1, 32) } else { (8, THREADS) };
    rows.push(Row { grid: Some((ctas, threads)), proxies: Some(1), ..Row::of(BLOCKS) }.iters(20_000));
    rows.extend([COPIES, LARGE].map(|test| Row::of(test).bytes(MIB).iters(1000)));
    rows
}

/// Returns a row in which every thread puts one element an iteration, each in a line of its own, with enough iterations
/// that a launch is a small part of the time.
fn rate(ctas: u64, threads: u64, proxies: u64, elements: u64) -> Row {
    let iters = (elements / (ctas * threads)).max(8);
    Row { line: true, grid: Some((ctas, threads)), proxies: Some(proxies), ..Row::of(RATE) }.iters(iters)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_grid_meets_every_number_of_proxies_and_no_row_is_there_twice() {
        for (profile, on) in [Profile::Quick, Profile::Default, Profile::Full]
            .into_iter()
            .flat_map(|profile| [On::Gpus, On::Host].map(|on| (profile, on)))
        {
            let names: Vec<String> = rows(profile, on).iter().map(Row::to_string).collect();
            let different: std::collections::BTreeSet<&String> = names.iter().collect();
            assert_eq!(different.len(), names.len(), "{profile:?}: {names:#?}");
        }
        let rows = rows(Profile::Default, On::Gpus);
        for (ctas, proxies) in [1, 8, 32, 132].into_iter().flat_map(|ctas| [1, 2, 4].map(|proxies| (ctas, proxies))) {
            let fits = |row: &&Row| {
                row.test == RATE && row.line && row.grid == Some((ctas, THREADS)) && row.proxies == Some(proxies)
            };
            assert_eq!(rows.iter().filter(fits).count(), 1, "{ctas} CTAs, {proxies} proxies");
        }
        let asked: Vec<String> = rows.iter().map(|row| row.request(5)).collect();
        let line = "run test=proxy_p_rate ctas=8 threads=256 proxies=4 line=1 iters=1953 repeat=5";
        assert!(asked.iter().any(|one| one == line), "{asked:#?}");
    }
}

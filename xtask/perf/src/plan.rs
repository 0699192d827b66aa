//! The rows of a run: their selection, their order, and their iterations.

use serde::Deserialize;

use super::row::{INIT, Row};

/// The amount of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Profile {
    /// One or two rows of each test.
    Quick,
    /// The rows that the targets and the plots need.
    Default,
    /// Every power of two.
    Full,
}

impl Profile {
    /// Returns its name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Quick => "quick",
            Self::Default => "default",
            Self::Full => "full",
        }
    }
}

/// The device of the measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum On {
    /// GPUs.
    Gpus,
    /// Threads of the host, on which a grid is small and an iteration takes long.
    Host,
}

pub(super) const KIB: u64 = 1 << 10;
pub(super) const MIB: u64 = 1 << 20;
/// The numbers of blocks for bandwidth. The last is one for each SM of an H100 or H200.
const CTAS: [u64; 8] = [1, 2, 4, 8, 16, 32, 64, 132];
/// The multiple of bytes of a group's piece, if the blocks don't divide the size.
const PIECE: u64 = 128;
/// The intended duration of a repetition, in ns.
const REPETITION_NS: f64 = 1e6;

/// Returns the rows; `init` is the last.
pub(crate) fn rows(profile: Profile, on: On) -> Vec<Row> {
    let mut rows = match on {
        On::Gpus => gpu_rows(profile),
        On::Host => host_rows(profile),
    };
    rows.push(Row::of(INIT));
    rows
}

fn gpu_rows(profile: Profile) -> Vec<Row> {
    let mut rows = Vec::new();
    for test in ["shmem_put_bw", "shmem_get_bw"] {
        rows.extend(copies(test, profile));
    }
    rows.extend(rates(profile));
    rows.extend(latencies(profile));
    rows.extend(collectives());
    rows.extend(from_the_host(profile));
    let sides: &[u64] = if profile == Profile::Quick { &[2048] } else { &[1024, 2048, 4096, 17408] };
    for &side in sides {
        let in_graphs: &[_] = if matches!(side, 2048 | 4096) { &["p-graph", "put_nbi-graph"] } else { &[] };
        for variant in ["p", "put_nbi", "persistent"].iter().chain(in_graphs) {
            rows.push(Row { solver: Some((side, side, variant)), ..Row::of("jacobi").iters(100) });
        }
    }
    rows
}

/// Returns the sizes from `from` to `to`, each `factor` times the one before.
fn sizes(from: u64, to: u64, factor: u64) -> impl Iterator<Item = u64> {
    std::iter::successors(Some(from), move |size| Some(size * factor)).take_while(move |size| *size <= to)
}

/// Returns the factor between sizes.
fn step(profile: Profile) -> u64 {
    match profile {
        Profile::Quick => 1 << 8,
        Profile::Default => 4,
        Profile::Full => 2,
    }
}

fn copies(test: &'static str, profile: Profile) -> Vec<Row> {
    let copy = |scope, ctas, bytes| of_copy(Row::of(test).by(scope, ctas, 1024), bytes);
    let mut rows = Vec::new();
    for ctas in CTAS {
        let small = matches!(ctas, 1 | 8);
        let sizes: Vec<u64> = match (profile, ctas) {
            (Profile::Quick, 1 | 8 | 64 | 132) => vec![MIB, 64 * MIB],
            (Profile::Quick, _) => Vec::new(),
            (Profile::Full, _) => sizes(4, 256 * MIB, 2).collect(),
            (Profile::Default, _) if small => sizes(4, 256 * MIB, 4).collect(),
            (Profile::Default, 64 | 132) => sizes(64 * KIB, 256 * MIB, 4).collect(),
            (Profile::Default, _) => vec![MIB, 64 * MIB, 256 * MIB],
        };
        rows.extend(sizes.into_iter().filter_map(|bytes| copy("block", ctas, bytes)));
    }
    for scope in ["warp", "thread"] {
        let sizes: Vec<u64> = match profile {
            Profile::Quick => vec![64 * KIB],
            _ => sizes(4, MIB, step(profile)).collect(),
        };
        rows.extend(sizes.into_iter().filter_map(|bytes| copy(scope, 1, bytes)));
    }
    for ctas in [1, 8, 64, 132] {
        let sizes = if profile == Profile::Quick { vec![MIB] } else { vec![MIB, 64 * MIB] };
        for bytes in sizes {
            rows.extend(copy("block", ctas, bytes).map(|row| Row { both: true, ..row }));
        }
    }
    for skew in [4, 8, 1] {
        for ctas in [1, 8] {
            let sizes = if profile == Profile::Quick { vec![MIB] } else { vec![MIB, 16 * MIB] };
            for bytes in sizes {
                rows.extend(copy("block", ctas, bytes).map(|row| Row { skew, ..row }));
            }
        }
    }
    rows
}

/// Returns the row with a number of bytes that the groups can share equally, at least 4 each. If the blocks don't
/// divide the size, it is the next size that they do, in pieces that keep their alignment.
fn of_copy(row: Row, asked: u64) -> Option<Row> {
    let groups = row.groups();
    let bytes = if asked.is_multiple_of(groups) { asked } else { asked.next_multiple_of(groups * PIECE) };
    // A size that became much larger has a row of its own already.
    let fits = bytes >= 4 * groups && bytes - asked <= asked / 16;
    let gb_per_s = (25.0 * row.ctas() as f64).min(370.0);
    let iters = placed(row.test, bytes) * iterations(3000.0 + bytes as f64 / gb_per_s);
    fits.then(|| row.bytes(bytes).iters(iters))
}

/// Returns the number of iterations of this duration that fill a repetition.
fn iterations(ns: f64) -> u64 {
    ((REPETITION_NS / ns) as u64).clamp(3, 2000)
}

fn rates(profile: Profile) -> Vec<Row> {
    let grids: &[u64] = match profile {
        Profile::Quick => &[132],
        Profile::Default => &[1, 8, 32, 132],
        Profile::Full => &CTAS,
    };
    let mut rows = Vec::new();
    for &ctas in grids {
        for line in [false, true] {
            let mut rate = |test, op, size: u64, per_cta: f64, most: f64| {
                let elements = ctas * 1024 * if line { 4 } else { 16 };
                let ns = 3000.0 + elements as f64 / (per_cta * ctas as f64).min(most);
                let row = Row { op, line, ..Row::of(test).by("thread", ctas, 1024) };
                let span = elements * if line { 128 } else { size };
                rows.push(row.bytes(elements * size).iters(placed(test, span) * iterations(ns)));
            };
            let stores = if line { 100.0 } else { 1000.0 };
            rate("shmem_p_bw", None, 4, 8.0, stores);
            rate("shmem_g_bw", None, 4, 1.0, 100.0);
            rate("shmem_st_bw", None, 4, 8.0, stores);
            for op in ["add", "fetch_add"] {
                rate("shmem_atomic_bw", Some(op), 8, 1.0, 50.0);
            }
        }
    }
    rows
}

/// Places at which peers measure latencies and small puts, each with its part of the iterations.
const PLACES: u64 = 8;

/// Returns the places at which peers measure a test for bandwidth with data of a size. Gets read many places in any case.
fn placed(test: &str, bytes: u64) -> u64 {
    let is_get = ["shmem_get_bw", "shmem_g_bw"].contains(&test);
    if bytes <= MIB && !is_get { PLACES } else { 1 }
}

/// The groups for latency: scope, and threads of the block.
const GROUPS: [(&str, u64); 3] = [("thread", 1), ("warp", 32), ("block", 1024)];

/// Returns one word, then sizes that are powers of four, as those for bandwidth.
fn short_sizes(most: u64, profile: Profile) -> Vec<u64> {
    std::iter::once(8).chain(sizes(16, most, step(profile))).collect()
}

fn latencies(profile: Profile) -> Vec<Row> {
    let quick = profile == Profile::Quick;
    let of_size = |row: Row, bytes: u64| row.bytes(bytes).iters(PLACES * iterations(2500.0 + bytes as f64 / 25.0));
    let mut rows = Vec::new();
    for test in ["shmem_put_latency", "shmem_get_latency"] {
        for (scope, threads) in GROUPS {
            // One thread moves a megabyte in milliseconds; no program uses one thread for that.
            let most = if scope == "thread" { 64 * KIB } else { MIB };
            let sizes = if quick { vec![8] } else { short_sizes(most, profile) };
            rows.extend(sizes.into_iter().map(|bytes| of_size(Row::of(test).by(scope, 1, threads), bytes)));
        }
    }
    let alone = |test| Row::of(test).by("thread", 1, 1).iters(PLACES * 400);
    rows.push(alone("shmem_p_latency").bytes(4));
    rows.push(alone("shmem_g_latency").bytes(8));
    for op in ["fetch_add", "compare_swap", "swap", "fetch"] {
        rows.push(alone("shmem_atomic_latency").op(op).bytes(8));
    }
    rows.push(alone("shmem_p_ping_pong_latency").bytes(8));
    rows.push(alone("shmem_signal_ping_pong_latency").bytes(8));
    rows.push(alone("shmem_atomic_ping_pong_latency").op("inc").bytes(8));
    for (test, blocks) in [
        ("shmem_put_signal_ping_pong_latency", [1024, 256].as_slice()),
        ("shmem_put_ping_pong_latency", &[1024]),
        ("shmem_put_atomic_ping_pong_latency", &[1024]),
    ] {
        for &threads in blocks {
            let sizes = if quick { vec![KIB] } else { short_sizes(MIB, profile) };
            rows.extend(sizes.into_iter().map(|bytes| of_size(Row::of(test).by("block", 1, threads), bytes)));
        }
    }
    for ctas in [1, 8, 132] {
        rows.push(Row::of("shmem_put_nbi_rate").by("block", ctas, 1024).bytes(ctas * 64).iters(500));
    }
    rows
}

fn collectives() -> Vec<Row> {
    let mut rows = Vec::new();
    for test in ["barrier_latency", "sync_latency"] {
        rows.extend(GROUPS.iter().map(|(scope, threads)| Row::of(test).by(scope, 1, *threads).iters(200)));
    }
    rows.extend(["barrier_on_stream", "sync_on_stream"].map(|test| Row::of(test).iters(100)));
    rows
}

fn from_the_host(profile: Profile) -> Vec<Row> {
    let quick = profile == Profile::Quick;
    let mut rows = Vec::new();
    for op in ["put", "get"] {
        let of = |test, bytes: u64, overhead_ns: f64| {
            Row::of(test).op(op).bytes(bytes).iters(iterations(overhead_ns + bytes as f64 / 300.0).min(100))
        };
        let (many, few): (&[u64], &[u64]) = match quick {
            true => (&[MIB], &[8]),
            false => (&[4 * KIB, 64 * KIB, MIB, 16 * MIB, 64 * MIB, 256 * MIB], &[8, 4 * KIB, 64 * KIB, MIB]),
        };
        rows.extend(many.iter().map(|bytes| of("bw", *bytes, 5e3)));
        for test in ["latency", "stream_latency"] {
            rows.extend(few.iter().map(|bytes| of(test, *bytes, 2e4)));
        }
    }
    let sizes: &[u64] = if quick { &[MIB] } else { &[KIB, MIB, 64 * MIB] };
    rows.extend(sizes.iter().map(|bytes| Row::of("malloc").bytes(*bytes).iters(4)));
    rows.extend(host_calls(10_000));
    rows
}

/// Returns the rows of single calls of the host: the quantiles of `iters` calls.
fn host_calls(iters: u64) -> Vec<Row> {
    let calls = [
        Row::of("host_barrier"),
        Row::of("host_malloc_free").bytes(MIB),
        Row::of("host_p").bytes(8),
        Row::of("host_meet"),
        Row { bound: true, ..Row::of("host_meet") },
    ];
    let stats = ["p50", "p90", "p99", "max"];
    calls.iter().flat_map(|row| stats.map(|stat| Row { stat: Some(stat), ..row.clone() }.iters(iters))).collect()
}

/// Returns the rows for host threads: the same tests in small grids, to check that they work and to show their cost.
fn host_rows(profile: Profile) -> Vec<Row> {
    let quick = profile == Profile::Quick;
    let mut rows = Vec::new();
    let blocks: &[u64] = if quick { &[2] } else { &[1, 2] };
    let most = if quick { vec![64 * KIB, 4 * MIB] } else { sizes(64, 16 * MIB, 16).collect() };
    for test in ["shmem_put_bw", "shmem_get_bw"] {
        for &ctas in blocks {
            for &bytes in &most {
                rows.push(Row::of(test).by("block", ctas, 64).bytes(bytes).iters(3));
            }
        }
        for scope in ["warp", "thread"] {
            rows.push(Row::of(test).by(scope, 1, 64).bytes(64 * KIB).iters(3));
        }
        let one = Row::of(test).by("block", 1, 64).bytes(MIB).iters(3);
        rows.push(Row { both: true, ..one.clone() });
        rows.push(Row { skew: 4, ..one.clone() });
        rows.push(Row { skew: 1, ..one });
    }
    for (test, op, size) in [
        ("shmem_p_bw", None, 4),
        ("shmem_g_bw", None, 4),
        ("shmem_st_bw", None, 4),
        ("shmem_atomic_bw", Some("add"), 8),
        ("shmem_atomic_bw", Some("fetch_add"), 8),
    ] {
        for line in [false, true] {
            let row = Row { op, line, ..Row::of(test).by("thread", 1, 64) };
            rows.push(row.bytes(64 * 4 * size).iters(3));
        }
    }
    let groups = [("thread", 1), ("warp", 32), ("block", 64)];
    for (scope, threads) in groups {
        for test in ["shmem_put_latency", "shmem_get_latency"] {
            rows.push(Row::of(test).by(scope, 1, threads).bytes(KIB).iters(5));
        }
        for test in ["barrier_latency", "sync_latency"] {
            rows.push(Row::of(test).by(scope, 1, threads).iters(5));
        }
    }
    let alone = |test| Row::of(test).by("thread", 1, 1).iters(5);
    rows.push(alone("shmem_p_latency").bytes(4));
    rows.push(alone("shmem_g_latency").bytes(8));
    rows.extend(["fetch_add", "compare_swap"].map(|op| alone("shmem_atomic_latency").op(op).bytes(8)));
    rows.push(alone("shmem_p_ping_pong_latency").bytes(8));
    rows.push(alone("shmem_signal_ping_pong_latency").bytes(8));
    rows.push(alone("shmem_atomic_ping_pong_latency").op("inc").bytes(8));
    for test in [
        "shmem_put_signal_ping_pong_latency",
        "shmem_put_ping_pong_latency",
        "shmem_put_atomic_ping_pong_latency",
        "shmem_put_nbi_rate",
    ] {
        rows.push(Row::of(test).by("block", 1, 64).bytes(KIB).iters(5));
    }
    rows.extend(["barrier_on_stream", "sync_on_stream"].map(|test| Row::of(test).iters(5)));
    for op in ["put", "get"] {
        rows.extend(["bw", "latency", "stream_latency"].map(|test| Row::of(test).op(op).bytes(64 * KIB).iters(5)));
    }
    rows.push(Row::of("malloc").bytes(MIB).iters(2));
    rows.extend(host_calls(5));
    let side = if quick { 64 } else { 256 };
    for variant in ["p", "put_nbi", "persistent"] {
        rows.push(Row { solver: Some((side, side, variant)), ..Row::of("jacobi").iters(if quick { 4 } else { 20 }) });
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn every() -> Vec<Row> {
        let profiles = [Profile::Quick, Profile::Default, Profile::Full];
        profiles.into_iter().flat_map(|profile| [rows(profile, On::Gpus), rows(profile, On::Host)]).flatten().collect()
    }

    #[test]
    fn no_row_is_asked_twice_and_init_is_the_last() {
        for profile in [Profile::Quick, Profile::Default, Profile::Full] {
            for on in [On::Gpus, On::Host] {
                let names: Vec<String> = rows(profile, on).iter().map(Row::to_string).collect();
                let mut once = names.clone();
                once.sort();
                once.dedup();
                assert_eq!(once.len(), names.len(), "{profile:?} {on:?}");
                assert_eq!(names.last().map(String::as_str), Some(INIT));
            }
        }
    }

    #[test]
    fn every_group_has_a_whole_piece_of_at_least_four_bytes() {
        for row in every().iter().filter(|row| row.bytes.is_some() && row.test.ends_with("t_bw")) {
            let (bytes, groups) = (row.bytes.unwrap(), row.groups());
            assert!(bytes.is_multiple_of(groups) && bytes / groups >= 4, "{row}");
        }
    }

    #[test]
    fn a_size_that_the_blocks_do_not_divide_becomes_the_next_that_they_do_in_aligned_pieces() {
        let row = of_copy(Row::of("shmem_put_bw").by("block", 132, 1024), MIB).unwrap();
        let bytes = row.bytes.unwrap();
        assert!((MIB..MIB + MIB / 16).contains(&bytes) && (bytes / 132).is_multiple_of(16), "{row}");
    }

    #[test]
    fn what_must_be_measured_is_in_the_profile_that_is_the_default() {
        let rows = rows(Profile::Default, On::Gpus);
        for must in [
            "shmem_put_bw scope=warp bytes=64KiB",
            "shmem_get_bw scope=thread bytes=64KiB",
            "shmem_put_bw ctas=1 bytes=1MiB skew=4",
            "shmem_get_bw ctas=1 bytes=1MiB skew=4",
            "shmem_put_bw ctas=64 bytes=64MiB both=1",
            "shmem_put_signal_ping_pong_latency threads=256 bytes=8B",
            "shmem_put_signal_ping_pong_latency threads=1024 bytes=64KiB",
            "jacobi nx=17408 ny=17408 variant=persistent",
            "jacobi nx=2048 ny=2048 variant=p-graph",
            "jacobi nx=4096 ny=4096 variant=put_nbi-graph",
        ] {
            assert!(rows.iter().any(|row| row.fits(must)), "{must}");
        }
        for ctas in CTAS {
            let large = rows.iter().filter(|row| row.test == "shmem_put_bw" && row.ctas() == ctas && !row.both);
            assert!(large.filter(|row| row.bytes >= Some(MIB)).count() >= 3, "{ctas}");
        }
    }

    #[test]
    fn host_pes_are_asked_for_small_grids_alone() {
        for row in rows(Profile::Quick, On::Host) {
            assert!(row.ctas() <= 2 && row.grid.is_none_or(|(_, threads)| threads <= 64), "{row}");
            assert!(row.bytes.unwrap_or(0) <= 4 * MIB && row.iters <= 5, "{row}");
        }
    }
}

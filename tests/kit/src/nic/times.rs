//! Durations and rates, for people; they fail no check.

use std::time::{Duration, Instant};

use oxshmem_rdma::mlx5::opcode;

use super::pair::QueueKind;
use super::payload::payload;
use super::queue::NicBench;
use crate::report::{Outcome, noted, skipped};

const BY_COPIES: &str = "the host reaches the queue by copies of the driver, whose time this would be";

const PUTS: usize = 2000;
/// The number of entries of a rate.
const ENTRIES: u64 = 20_000;
/// The size and the number of the writes whose throughput is measured.
const LARGE: usize = 1 << 20;
const LARGES: usize = 64;

/// Measures a put of 8 bytes, from the first store to the completion.
pub(super) fn put(bench: &mut NicBench) -> Outcome {
    if by_copies(bench) {
        return skipped(BY_COPIES);
    }
    let mut times = Vec::with_capacity(PUTS);
    let mut segments = vec![bench.queue.target.remote(0)];
    segments.extend(payload(&[7; 8]));
    for _ in 0..PUTS {
        let since = Instant::now();
        bench.queue.pair.poster.execute(0, opcode::RDMA_WRITE, &segments)?;
        times.push(since.elapsed());
    }
    times.sort();
    let [least, median, most] = [0, PUTS / 2, PUTS * 99 / 100].map(|place| us(times[place]));
    noted(format!("median {median} us, least {least} us, 99 of 100 within {most} us"))
}

/// Measures one doorbell for each entry, half of the queue at a time.
pub(super) fn doorbells(bench: &mut NicBench) -> Outcome {
    if by_copies(bench) {
        return skipped(BY_COPIES);
    }
    let poster = &mut bench.queue.pair.poster;
    let batch = poster.depth() / 2;
    let (mut rung, since) = (0u64, Instant::now());
    let mut ringing = Duration::ZERO;
    while rung < ENTRIES {
        let begun = Instant::now();
        for i in 1..=batch {
            poster.entry(0, opcode::NOP, &[], i == batch)?;
            poster.ring()?;
        }
        ringing += begun.elapsed();
        rung += batch;
        poster.finish()?;
    }
    let whole = since.elapsed();
    noted(format!(
        "{:.2} million/s, {} ns for the host to write an entry and ring",
        rung as f64 / whole.as_secs_f64() / 1e6,
        ringing.as_nanos() / u128::from(rung)
    ))
}

/// Measures writes of 8 bytes, one doorbell for half of the queue.
pub(super) fn messages(bench: &mut NicBench) -> Outcome {
    if by_copies(bench) {
        return skipped(BY_COPIES);
    }
    let mut segments = vec![bench.queue.target.remote(0)];
    segments.extend(payload(&[7; 8]));
    let poster = &mut bench.queue.pair.poster;
    let batch = poster.depth() / 2;
    let (mut posted, since) = (0u64, Instant::now());
    while posted < ENTRIES {
        for i in 1..=batch {
            poster.entry(0, opcode::RDMA_WRITE, &segments, i == batch)?;
        }
        poster.ring()?;
        poster.finish()?;
        posted += batch;
    }
    noted(format!("{:.2} million/s", posted as f64 / since.elapsed().as_secs_f64() / 1e6))
}

/// Measures large writes after a single doorbell.
pub(super) fn throughput(bench: &mut NicBench) -> Outcome {
    let segments = [bench.queue.target.remote(0), bench.queue.own.local(0, LARGE)];
    let since = Instant::now();
    for i in 1..=LARGES {
        bench.queue.pair.poster.entry(0, opcode::RDMA_WRITE, &segments, i == LARGES)?;
    }
    bench.queue.pair.poster.ring()?;
    bench.queue.pair.poster.finish()?;
    noted(format!("{:.2} GB/s", (LARGE * LARGES) as f64 / since.elapsed().as_secs_f64() / 1e9))
}

/// Returns whether the driver's copies would be most of the measured time.
fn by_copies(bench: &NicBench) -> bool {
    matches!(bench.queue.kind, QueueKind::Gpu(_))
}

fn us(time: Duration) -> String {
    format!("{:.2}", time.as_nanos() as f64 / 1000.0)
}

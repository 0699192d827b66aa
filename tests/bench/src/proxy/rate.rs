//! The rates of proxies: small puts in a second, and large ones.

use oxshmem_core::host::Result;
use oxshmem_proxy_kernels::ask::AskJob;

use super::request::Request;
use super::world::World;
use crate::peer::{Outcome, Stop};
use oxshmem_machine::Machine;

/// Elements of 8 bytes in a line of the GPU's.
const LINE: u64 = 16;
/// The most elements of a request.
const MOST_ELEMENTS: u64 = 4;

/// The kind of puts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Puts {
    /// One element of each thread.
    Elements,
    /// 128 elements of each block.
    Blocks,
    /// `bytes` bytes of one block.
    Large,
    /// The same, and the part of the time in which the sink copies, in ns of a second.
    Copies,
}

/// Measures `proxy_p_rate`, `proxy_put_rate`, `proxy_put_bw` and `proxy_put_copies`.
pub(super) fn puts(machine: &Machine, request: &Request, puts: Puts) -> Result<Outcome, Stop> {
    let world = World::new(machine, request)?;
    world.sink.copy(matches!(puts, Puts::Large | Puts::Copies));
    let (kernel, grid, each) = match puts {
        Puts::Elements => {
            ("proxy_p_rate", [request.ctas, request.threads], u64::from(request.ctas) * u64::from(request.threads))
        }
        Puts::Blocks => ("proxy_put_rate", [request.ctas, request.threads], request.ctas.into()),
        Puts::Large | Puts::Copies => ("proxy_put_large", [1, 32], 1),
    };
    // Elements in lines of their own travel alone; adjacent elements of a warp share requests, if its threads are
    // together.
    let bytes = if puts == Puts::Elements { if request.line { LINE } else { 1 } } else { request.bytes };
    let job = AskJob { iters: request.iters, bytes, ..world.job() };
    let mut times = Vec::new();
    for repetition in 0..=request.repeat {
        let before = world.sink.copied();
        world.run(kernel, grid, job)?;
        let copied = (world.sink.copied() - before).as_nanos() as f64;
        if repetition > 0 {
            times.push(match puts {
                Puts::Copies => 1e9 * copied / world.span_ns(),
                _ => world.span_ns() / f64::from(request.iters),
            });
        }
    }
    let took = world.ibrc.proxy_times().iter().sum::<std::time::Duration>();
    let due = each * u64::from(request.iters) * u64::from(request.repeat + 1) + request.corrupt;
    let (posted, lists) = world.sink.posted();
    let least = if puts == Puts::Elements && !request.line { due.div_ceil(MOST_ELEMENTS) } else { due };
    if !(least..=due).contains(&posted) {
        return Err(Stop::Wrong(format!("{due} work requests were due, and {posted} were posted")));
    }
    let counted: u64 = world.counters()?.iter().map(|one| one.posted).sum();
    if counted + request.corrupt != posted {
        return Err(Stop::Wrong(format!("{posted} work requests were posted, and the queues counted {counted}")));
    }
    let stalls: u64 = world.counters()?.iter().map(|one| one.stalls).sum();
    let mut rates: Vec<f64> = times.iter().map(|time| 1e3 * each as f64 / time.max(1e-9)).collect();
    rates.sort_by(f64::total_cmp);
    let note = format!(
        " M/s={:.2} GB/s={:.2} per_list={:.1} stalls={stalls} proxy_ns={:.1}",
        rates[rates.len() / 2],
        rates[rates.len() / 2] * request.bytes as f64 / 1e3,
        posted as f64 / lists.max(1) as f64,
        took.as_nanos() as f64 / posted.max(1) as f64
    );
    Ok(Outcome::Times(times, note))
}

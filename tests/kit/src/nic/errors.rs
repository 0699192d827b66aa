//! Operations that must fail: their error completions, and the effect on other queue pairs.

use std::time::{Duration, Instant};

use oxshmem_rdma::mlx5::cqe::syndrome;
use oxshmem_rdma::mlx5::{Segment, cqe, opcode};

use super::poster::in_words;
use super::queue::NicBench;
use super::same;
use crate::bench::Op;
use crate::report::{Outcome, noted, wrong};

/// `qpc.state` of a queue pair in error.
const ERROR: u8 = 6;
/// The longest time from an error completion to that state.
const SOON: Duration = Duration::from_secs(1);
const NOT_CONTAINED: &str = "an error of one queue pair is not that one's alone: report the NIC's firmware";
const NOT_DECODED: &str = "the library would tell users a wrong reason: report the NIC's firmware and this line";

/// Checks a write with an invalid key.
pub(super) fn bad_key(bench: &mut NicBench) -> Outcome {
    let segments = [bench.queue.target.remote_with_bad_key(64), bench.queue.own.local(0, 64)];
    refused(bench, "write by a bad key", opcode::RDMA_WRITE, &segments, syndrome::REMOTE_ACCESS)
}

/// Checks a read with a key that does not allow it.
pub(super) fn no_right(bench: &mut NicBench) -> Outcome {
    let segments = [bench.queue.target.remote_without_rights(64), bench.queue.own.local(0, 64)];
    let what = "read of memory that others have no rights to";
    refused(bench, what, opcode::RDMA_READ, &segments, syndrome::REMOTE_ACCESS)
}

/// Checks a write whose end is outside of the region.
pub(super) fn beyond(bench: &mut NicBench) -> Outcome {
    let segments = [bench.queue.target.remote(bench.target.bytes() - 32), bench.queue.own.local(0, 64)];
    refused(bench, "write beyond the region's end", opcode::RDMA_WRITE, &segments, syndrome::REMOTE_ACCESS)
}

/// Checks a write from memory that is not registered.
pub(super) fn bad_local_key(bench: &mut NicBench) -> Outcome {
    let segments = [bench.queue.target.remote(64), bench.queue.own.local_with_bad_key(0, 64)];
    refused(bench, "write from memory of a bad key", opcode::RDMA_WRITE, &segments, syndrome::LOCAL_PROTECTION)
}

/// Posts a wrong operation on a queue pair of its own, and checks that it ends with this syndrome.
fn refused(bench: &mut NicBench, what: &str, code: u8, segments: &[Segment], syndrome: u8) -> Outcome {
    bench.own.poison()?;
    bench.target.poison()?;
    let mut pair = bench.queue.another_pair()?;
    // A valid operation comes first, and another queue pair must go on.
    pair.poster.execute(0, opcode::NOP, &[])?;
    let index = pair.poster.posted();
    pair.poster.entry(0, code, segments, true)?;
    pair.poster.ring()?;
    let stopped = pair.poster.error(what)?;
    if stopped.syndrome != syndrome {
        let expected = format!("{} (syndrome {syndrome:#04x})", cqe::syndrome_words(syndrome));
        return Err(wrong(what, expected, in_words(&stopped), NOT_DECODED));
    }
    same(&format!("{what}, opcode in the completion"), code, stopped.opcode, NOT_DECODED)?;
    same(&format!("{what}, index in the completion"), index, stopped.index, NOT_DECODED)?;
    let since = Instant::now();
    loop {
        let state = pair.poster.queue().context(&bench.queue.nic)?.state();
        if state == ERROR {
            break;
        }
        if since.elapsed() > SOON {
            let found = format!("state {state}");
            return Err(wrong(format!("{what}, QUERY_QP"), "state 6 (error)", found, NOT_CONTAINED));
        }
        std::thread::yield_now();
    }
    bench.check_all(what)?;
    bench
        .execute(Op::Write { from: 0, bytes: 64 }, 0)
        .map_err(|failure| wrong(format!("{what}, another queue pair"), "that it goes on", failure, NOT_CONTAINED))?;
    pair.destroy()?;
    bench.queue.pair.poster.execute(0, opcode::NOP, &[])?;
    noted(format!("{}; in state error; others go on; destroyed", in_words(&stopped)))
}

//! Order: a signal after its data, a dump after a read; and entries without an operation.

use std::sync::atomic::{Ordering, fence};
use std::time::Instant;

use oxshmem_raw::memory::Memory;
use oxshmem_rdma::mlx5::{fetch_add, opcode};

use super::payload::payload;
use super::poster::LIMIT;
use super::queue::NicBench;
use crate::report::{Outcome, noted, passed, wrong};

/// Rounds of each check.
const ROUNDS: usize = 200;
const OUT_OF_ORDER: &str = "a signal overtook its data: is relaxed ordering forced (PCI_WR_ORDERING of mlxconfig), or \
                            adaptive routing on for this traffic?";

/// Checks a put with a signal: a write, and in the same doorbell an atomic or a short write to the signal.
pub(super) fn put_signal(bench: &mut NicBench) -> Outcome {
    // The signal is the last word of the target, after the data.
    let signal = bench.target.bytes() - 8;
    let mut value = bench.numbers.next();
    bench.target.set(signal, &value.to_ne_bytes())?;
    for round in 0..ROUNDS {
        let most = 1 << bench.numbers.below(17);
        let bytes = 1 + bench.numbers.below(most);
        let (from, to) = (bench.place(bytes, 1), bench.numbers.below(signal - bytes));
        let sent = bench.fill_own(from, bytes)?;
        let old = value;
        let poster = &mut bench.queue.pair.poster;
        poster.entry(
            0,
            opcode::RDMA_WRITE,
            &[bench.queue.target.remote(to), bench.queue.own.local(from, bytes)],
            false,
        )?;
        let by_atomic = round % 2 == 0;
        let result = if from >= 8 { 0 } else { bench.own.bytes() - 8 };
        if by_atomic {
            let add = bench.numbers.next() | 1;
            value = value.wrapping_add(add);
            let segments = [bench.queue.target.remote(signal), fetch_add(add), bench.queue.own.local(result, 8)];
            poster.entry(0, opcode::ATOMIC_FA, &segments, true)?;
        } else {
            value = bench.numbers.next();
            let mut segments = vec![bench.queue.target.remote(signal)];
            segments.extend(payload(&value.to_ne_bytes()));
            poster.entry(0, opcode::RDMA_WRITE, &segments, true)?;
        }
        poster.ring()?;
        bench.target.expect(to, &sent);
        bench.target.expect(signal, &value.to_ne_bytes());
        // A waiting thread reads the data as soon as it sees the signal, and reads no completion.
        let since = Instant::now();
        while bench.target.word(signal)? != value {
            bench.queue.pair.poster.look()?;
            if since.elapsed() > LIMIT {
                let (expected, found) = (format!("{value:#x}"), format!("{:#x}", bench.target.word(signal)?));
                return Err(wrong("the signal of a put", expected, found, OUT_OF_ORDER));
            }
            std::thread::yield_now();
        }
        fence(Ordering::Acquire);
        let there = bench.target.read(to, bytes)?;
        bench.queue.pair.poster.finish()?;
        // Data that stays wrong is not an error of order.
        bench.target.check("put with a signal", to, bytes)?;
        if there != sent {
            let first = there.iter().zip(&sent).position(|(there, sent)| there != sent).unwrap_or(0);
            return Err(wrong(
                format!("byte {first} of {bytes} of a put, when its signal was seen"),
                format!("{:#04x}", sent[first]),
                format!("{:#04x}", there[first]),
                OUT_OF_ORDER,
            ));
        }
        if by_atomic {
            bench.own.expect(result, &old.to_ne_bytes());
        }
    }
    bench.check_all("puts with a signal")?;
    noted(format!("{ROUNDS} puts of up to 64 KiB, seen by their signal, an atomic or a write"))
}

pub(super) fn nop(bench: &mut NicBench) -> Outcome {
    for _ in 0..ROUNDS {
        bench.queue.pair.poster.execute(0, opcode::NOP, &[])?;
    }
    bench.check_all("entries that do nothing")?;
    passed()
}

/// Checks that a dump waits for the data of the read before it, and changes nothing.
pub(super) fn dump(bench: &mut NicBench) -> Outcome {
    for _ in 0..ROUNDS {
        let (from, to) = (bench.place(64, 8), bench.place(64, 8));
        let there = bench.numbers.bytes(64);
        bench.target.set(from, &there)?;
        let (read, dump) =
            ([bench.queue.target.remote(from), bench.queue.own.local(to, 64)], [bench.queue.own.local(to, 64)]);
        bench.queue.pair.poster.entry(0, opcode::RDMA_READ, &read, false)?;
        bench.queue.pair.poster.execute(0, opcode::DUMP, &dump)?;
        bench.own.expect(to, &there);
        bench.own.check("read with a dump behind it", to, 64)?;
    }
    bench.check_all("reads with a dump behind them")?;
    match &bench.queue.kind.memory() {
        Memory::Host => passed(),
        Memory::Gpu(context) => {
            let needed = if context.device().rdma_writes_in_order()? { "does not need" } else { "needs" };
            noted(format!("this GPU {needed} them"))
        }
    }
}

//! Collectives as rows: in kernels, on a stream, and in a graph.

use std::rc::Rc;

use oxshmem_core::{Collective, Result, Scope, SymPtr};
use oxshmem_hal::{Algorithm, CollectiveOptions, Graph, Launch, Pe, Stream, Sum, Team};
use oxshmem_perf_kernels::job::Job;

use super::answer::Answer;
use super::limit::Limit;
use super::limit_collectives::{self, Exchanged};
use super::request::Request;
use super::session::{LINE, Session};

/// The test of collectives in a graph, which hand-written kernels have, too.
pub(super) const IN_GRAPH: &str = "coll_in_graph";

/// A collective of this row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Op {
    Reduce,
    Reducescatter,
    Fcollect,
    Alltoall,
    Broadcast,
}

impl Op {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "reduce" => Self::Reduce,
            "reducescatter" => Self::Reducescatter,
            "fcollect" => Self::Fcollect,
            "alltoall" => Self::Alltoall,
            "broadcast" => Self::Broadcast,
            _ => return None,
        })
    }

    /// Returns the number of blocks of the row's bytes in source and destination.
    fn blocks(self, n_pes: usize) -> (usize, usize) {
        match self {
            Self::Reduce | Self::Broadcast => (1, 1),
            Self::Reducescatter => (n_pes, 1),
            Self::Fcollect => (1, n_pes),
            Self::Alltoall => (n_pes, n_pes),
        }
    }
}

/// Returns element `index` of a PE's source: sums of them are exact.
fn element(row: u64, pe: usize, index: usize) -> f32 {
    ((index as u64).wrapping_mul(7).wrapping_add(5 * pe as u64 + row) % 13) as f32 - 6.0
}

/// The parts of a row that are equal on every PE.
struct Row<'a> {
    team: &'a Team<'a>,
    op: Op,
    options: CollectiveOptions,
    dest: SymPtr<f32>,
    source: SymPtr<f32>,
    /// Elements for each pair of members.
    count: usize,
}

/// Measures the row, if it is one of collectives. Collective.
pub(super) fn measure(session: &mut Session<'_>, request: &Request) -> Option<Result<Answer>> {
    let test = request.test.as_str();
    ["coll_latency", "coll_on_stream", IN_GRAPH].contains(&test).then(|| row(session, request))
}

fn row(session: &mut Session<'_>, request: &Request) -> Result<Answer> {
    let Some(op) = Op::named(&request.op) else {
        return Ok(Answer::skip(format!("op={}: there is no such collective", request.op)));
    };
    let (world, n) = (session.world, session.world.n_pes() as usize);
    let (sources, dests) = op.blocks(n);
    let place = session.buffers.place(world, request.bytes * sources as u64, request.bytes * dests as u64)?;
    session.times.ensure(world, 16 * 64)?;
    if session.limit.is_some() {
        if n != 2 {
            return Ok(Answer::skip("hand-written collectives are of two PEs"));
        }
        session.exchanges.ensure(world, limit_collectives::MEMORY)?;
    }
    let team = match session.team.take() {
        Some(team) => team,
        None => world.team_world()?,
    };
    let options = match request.variant.as_str() {
        "packets" => CollectiveOptions::default().with_algorithm(Algorithm::Packets),
        "direct" => CollectiveOptions::default().with_algorithm(Algorithm::Direct),
        _ => CollectiveOptions::default(),
    };
    let row = Row {
        team: &team,
        op,
        options: if request.ctas > 1 { options.with_blocks(request.ctas) } else { options },
        dest: place.dest.cast(),
        source: place.source.cast(),
        count: (request.bytes / 4) as usize,
    };
    let (me, number) = (world.my_pe().index(), session.row);
    let source: Vec<f32> = (0..row.count * sources).map(|index| element(number, me, index)).collect();
    let filled = world.write(row.source, &source).and_then(|()| row.poison(session, place.dest_bytes));
    session.meet("fill the buffers of a row", filled)?;
    let timed = match (&session.limit, request.test.as_str()) {
        (Some(limit), _) => row.by_hand(session, &Rc::clone(limit), request, place.dest_bytes),
        (None, "coll_latency") => row.in_kernels(session, request).map(|times| (times, 1)),
        (None, IN_GRAPH) => row.in_graph(session, request).and_then(|times| Ok((times, row.ctas()?))),
        _ => super::host::between(session, request, || row.call(session)).and_then(|times| Ok((times, row.ctas()?))),
    };
    let (timed, ctas) = session.meet("run the collectives of a row", timed)?;
    let checked = row.check(session, number, request.corrupt);
    let wrong = session.meet("compare what arrived", checked)?;
    session.team = Some(team);
    Ok(match wrong {
        Some(what) => Answer::Wrong(what),
        None if request.test == "coll_latency" => Answer::Times(timed),
        None => Answer::Chosen(timed, ctas),
    })
}

impl Row<'_> {
    /// Returns the number of blocks on a stream.
    fn ctas(&self) -> Result<u32> {
        let collective = match self.op {
            Op::Reduce => Collective::Reduce,
            Op::Reducescatter => Collective::Reducescatter,
            Op::Fcollect => Collective::Fcollect,
            Op::Alltoall => Collective::Alltoall,
            Op::Broadcast => Collective::Broadcast,
        };
        Ok(self.team.grid(self.options, collective, self.count * size_of::<f32>())?.0)
    }

    fn poison(&self, session: &Session<'_>, bytes: u64) -> Result<()> {
        let at = SymPtr::<u8>::new(self.dest.addr());
        session.world.write(at, &vec![0xa5; bytes as usize])
    }

    /// Enqueues the collective once.
    fn call(&self, session: &Session<'_>) -> Result<()> {
        let (stream, o) = (&session.stream, self.options);
        let (team, dest, source, count) = (self.team, self.dest, self.source, self.count);
        match self.op {
            Op::Reduce => team.on(stream).with_options(o).reduce(Sum, dest, source, count),
            Op::Reducescatter => team.on(stream).with_options(o).reducescatter(Sum, dest, source, count),
            Op::Fcollect => team.on(stream).with_options(o).fcollect(dest, source, count),
            Op::Alltoall => team.on(stream).with_options(o).alltoall(dest, source, count),
            Op::Broadcast => team.on(stream).with_options(o).broadcast(dest, source, count, 0),
        }
    }

    /// Times graphs of `iters` collectives each: ns for one.
    fn in_graph(&self, session: &Session<'_>, request: &Request) -> Result<Vec<f64>> {
        let record = |_: &Stream<'_>| (0..request.iters).try_for_each(|_| self.call(session));
        let graph = session.stream.capture(record)?;
        self.times(session, &graph, request.iters, request.repeat)
    }

    /// Times hand-written kernels as the collectives: ns for one, and the number of blocks.
    fn by_hand(&self, session: &Session<'_>, limit: &Limit, request: &Request, bytes: u64) -> Result<(Vec<f64>, u32)> {
        let row = Exchanged {
            op: self.op,
            source: self.source.cast(),
            dest: self.dest.cast(),
            bytes: request.bytes,
            iters: request.iters,
            blocks: (request.ctas > 1).then_some(request.ctas),
        };
        let memory = session.exchanges.at().unwrap_or(row.dest);
        let times = |graph: &Graph<'_>, most| self.times(session, graph, request.iters, request.repeat.min(most));
        limit_collectives::in_graph(session, limit, memory, &row, || self.poison(session, bytes), times)
    }

    /// Times a graph of `iters` collectives, and drops the first time.
    fn times(&self, session: &Session<'_>, graph: &Graph<'_>, iters: u32, repeat: u32) -> Result<Vec<f64>> {
        let stream = &session.stream;
        let mut times = Vec::new();
        for repetition in 0..=repeat {
            self.team.on(stream).barrier()?;
            let start = stream.record()?;
            graph.launch(stream)?;
            let end = stream.record()?;
            stream.synchronize()?;
            if repetition > 0 {
                times.push(start.until(&end)?.as_nanos() as f64 / f64::from(iters));
            }
        }
        Ok(times)
    }

    /// Times collectives in a kernel of one group of each PE.
    fn in_kernels(&self, session: &Session<'_>, request: &Request) -> Result<Vec<f64>> {
        let world = session.world;
        let threads = if request.scope == Scope::Warp { 32 } else { request.threads };
        let kind = match (request.scope, threads) {
            (Scope::Warp, _) => "warp",
            (_, ..=256) => "block",
            _ => "large",
        };
        let kernel = session.module.kernel(&format!("coll_{}_{kind}", request.op))?;
        let slots = session.times.at().unwrap_or(self.dest.cast()).cast::<u64>();
        let job = Job {
            dest: self.dest.cast(),
            source: self.source.cast(),
            flag: session.words,
            line: session.words.add(LINE),
            slots,
            sums: slots,
            bytes: 4 * self.count as u64,
            elements: 0,
            stride: 0,
            step: 0,
            base: 0,
            meet: 0,
            iters: request.iters,
            window: 1,
            pe: Pe::new(0),
            op: 0,
            meeting: 0,
            zero: 0,
            lend: 0,
            unused: 0,
        };
        let mut times = Vec::new();
        for repetition in 0..=request.repeat {
            world.own_stream().launch_kernel(
                &kernel,
                Launch::new(1, threads).collective(),
                (self.team.handle(), job),
            )?;
            world.own_stream().synchronize()?;
            let mut span = [0u64; 2];
            world.read(slots, &mut span)?;
            if repetition > 0 {
                times.push((span[1] - span[0]) as f64 / f64::from(request.iters));
            }
        }
        Ok(times)
    }

    /// Returns the first difference of the destination, if there is one.
    fn check(&self, session: &Session<'_>, number: u64, corrupt: bool) -> Result<Option<String>> {
        let (world, n) = (session.world, session.world.n_pes() as usize);
        let (me, count) = (world.my_pe().index(), self.count);
        let mut seen = vec![0.0f32; count * self.op.blocks(n).1];
        world.read(self.dest, &mut seen)?;
        if corrupt {
            seen[0] += 1.0;
        }
        let sum = |index: usize| (0..n).map(|pe| element(number, pe, index)).sum::<f32>();
        let expected = |index: usize| match self.op {
            Op::Reduce => sum(index),
            Op::Reducescatter => sum(me * count + index),
            Op::Fcollect => element(number, index / count, index % count),
            Op::Alltoall => element(number, index / count, me * count + index % count),
            Op::Broadcast => element(number, 0, index),
        };
        let differ = || seen.iter().enumerate().filter(|(index, value)| **value != expected(*index));
        Ok(differ().next().map(|(index, value)| {
            let all = seen.len();
            format!("{} of {all} elements, first {index}: {value} where {} was sent", differ().count(), expected(index))
        }))
    }
}

//! Graphs: recorded work of streams, launched again and again.

use oxshmem_conformance_kernels::graph::element;
use oxshmem_hal::{
    Cmp, CollectiveOptions, ErrorKind, Event, Graph, Launch, Lists, Pe, Signal, Stream, Sum, SymPtr, TeamOptions, World,
};

use super::case::cases;
use super::{Ctx, Failure, Outcome};

cases! { "graph":
    a_graph_of_put_signal_wait_and_barrier_does_the_same_in_each_of_many_launches 1,
    eager_and_replayed_barriers_on_two_streams_are_passed_in_the_order_of_the_calls 1,
    nothing_that_is_recorded_runs_before_the_launch 1,
    a_kernels_arguments_are_replaced_in_later_launches_alone 1,
    a_capture_that_fails_leaves_the_stream_as_it_was 1,
    calls_that_run_at_once_are_refused_while_a_graph_is_recorded 1,
    collectives_in_graphs_and_beside_them_give_the_sums_of_their_round 1,
    a_graph_describes_its_nodes 1,
    collectives_on_two_streams_of_one_capture_run_side_by_side_and_join 1,
    barriers_on_the_streams_of_one_capture_keep_the_order_of_the_calls 1,
    a_stream_that_joins_a_capture_and_is_not_waited_for_is_an_error 1,
    events_of_other_captures_are_refused_in_a_capture 1,
}

/// Elements of a message.
const COUNT: usize = 1500;

/// The memory of rounds in which each PE sends a message to its right neighbour.
struct Rounds {
    round: SymPtr<u64>,
    outbox: SymPtr<u64>,
    inbox: SymPtr<u64>,
    word: SymPtr<u64>,
    record: SymPtr<u64>,
}

impl Rounds {
    fn new(ctx: &Ctx) -> Result<Self, Failure> {
        Ok(Self {
            round: ctx.calloc(1)?,
            outbox: ctx.calloc(COUNT)?,
            inbox: ctx.calloc(COUNT)?,
            word: ctx.calloc(1)?,
            record: ctx.record()?,
        })
    }

    fn fill(&self, ctx: &Ctx, stream: &Stream<'_>, step: u64) -> Outcome {
        let args = (self.round, step, self.outbox, COUNT);
        Ok(stream.launch_kernel(&ctx.kernel("graph_fill")?, Launch::new(1, 64), args)?)
    }

    fn check(&self, ctx: &Ctx, stream: &Stream<'_>) -> Outcome {
        let args = (self.round, self.inbox, COUNT, ctx.pe_before(1), self.word, self.record);
        Ok(stream.launch_kernel(&ctx.kernel("graph_check")?, Launch::new(1, 64), args)?)
    }

    /// Enqueues a round that meets before, in the middle and after, so that rounds on any streams follow each other.
    fn between_barriers(&self, world: &World, ctx: &Ctx, stream: &Stream<'_>) -> Outcome {
        stream.barrier_all()?;
        self.fill(ctx, stream, 1)?;
        stream.put(self.inbox, self.outbox, COUNT, world.pe_after(1))?;
        stream.quiet()?;
        stream.barrier_all()?;
        self.check(ctx, stream)?;
        Ok(stream.barrier_all()?)
    }

    /// Checks the kernels' findings, and that there were this many rounds.
    fn end(&self, ctx: &Ctx, rounds: u64) -> Outcome {
        ctx.check_record(self.record, |step| format!("element {} of round {}", step & 0xffff_ffff, step >> 32))?;
        ctx.check_same(|| "the number of rounds".into(), &ctx.read(self.round, 1)?, &[rounds]);
        Ok(())
    }
}

/// Captures the calls of `record`; a failure in it that is not the library's error fails the case.
fn capture<'w>(stream: &Stream<'w>, record: impl FnOnce(&Stream<'w>) -> Outcome) -> Result<Graph<'w>, Failure> {
    let mut failure = Ok(());
    let graph = stream.capture(|stream| {
        failure = record(stream);
        Ok(())
    })?;
    failure.map(|()| graph)
}

fn a_graph_of_put_signal_wait_and_barrier_does_the_same_in_each_of_many_launches(world: &World, ctx: &Ctx) -> Outcome {
    let (stream, rounds, times) = (world.stream()?, Rounds::new(ctx)?, ctx.rounds(100).max(10) as u64);
    let right = world.pe_after(1);
    let graph = capture(&stream, |stream| {
        rounds.fill(ctx, stream, 1)?;
        let (inbox, outbox, word) = (rounds.inbox, rounds.outbox, rounds.word);
        stream.put_signal(inbox, outbox, COUNT, Signal::set(word, 1), right)?;
        stream.signal_wait_until(word, Cmp::Eq, 1)?;
        rounds.check(ctx, stream)?;
        Ok(stream.barrier_all()?)
    })?;
    world.barrier_all()?;
    for _ in 0..times {
        graph.launch(&stream)?;
    }
    stream.synchronize()?;
    rounds.end(ctx, times)
}

fn eager_and_replayed_barriers_on_two_streams_are_passed_in_the_order_of_the_calls(
    world: &World,
    ctx: &Ctx,
) -> Outcome {
    let (streams, rounds, mut rng) = ([world.stream()?, world.stream()?], Rounds::new(ctx)?, ctx.rng());
    let graphs = [0, 1].map(|i| capture(&streams[i], |on| rounds.between_barriers(world, ctx, on)));
    let [first, second] = graphs;
    let graphs = [first?, second?];
    world.barrier_all()?;
    let times = ctx.rounds(100).max(12);
    for _ in 0..times {
        let stream = &streams[rng.below(2)];
        match rng.below(3) {
            0 => rounds.between_barriers(world, ctx, stream)?,
            graph => graphs[graph - 1].launch(stream)?,
        }
    }
    world.barrier_all()?;
    rounds.end(ctx, times as u64)
}

fn nothing_that_is_recorded_runs_before_the_launch(world: &World, ctx: &Ctx) -> Outcome {
    let (stream, rounds) = (world.stream()?, Rounds::new(ctx)?);
    let graph = capture(&stream, |stream| {
        rounds.fill(ctx, stream, 1)?;
        Ok(stream.put(rounds.inbox, rounds.outbox, COUNT, world.my_pe())?)
    })?;
    stream.synchronize()?;
    ctx.check_same(|| "the round before the launch".into(), &ctx.read(rounds.round, 1)?, &[0]);
    ctx.check_same(|| "the inbox before the launch".into(), &ctx.read(rounds.inbox, COUNT)?, &[0; COUNT]);
    graph.launch(&stream)?;
    stream.synchronize()?;
    ctx.check_same(|| "the round after the launch".into(), &ctx.read(rounds.round, 1)?, &[1]);
    let (inbox, outbox) = (ctx.read(rounds.inbox, COUNT)?, ctx.read(rounds.outbox, COUNT)?);
    ctx.check_same(|| "the inbox after the launch".into(), &inbox, &outbox);
    // The work that follows on the stream runs at once again.
    rounds.fill(ctx, &stream, 1)?;
    stream.synchronize()?;
    rounds.end(ctx, 2)
}

fn a_kernels_arguments_are_replaced_in_later_launches_alone(world: &World, ctx: &Ctx) -> Outcome {
    let (stream, rounds) = (world.stream()?, Rounds::new(ctx)?);
    let mut graph = capture(&stream, |stream| {
        rounds.fill(ctx, stream, 1)?;
        rounds.fill(ctx, stream, 10)
    })?;
    let names: Vec<&str> = graph.kernels().collect();
    ctx.check(names == ["graph_fill"; 2], || format!("the kernels are {names:?}"));
    graph.launch(&stream)?;
    graph.set_kernel_args(1, (rounds.round, 100u64, rounds.outbox, COUNT))?;
    graph.launch(&stream)?;
    stream.synchronize()?;
    rounds.end(ctx, 11 + 101)?;
    let refused = [graph.set_kernel_args(2, (rounds.round,)), graph.set_kernel_args(0, (rounds.round, 1u32))];
    let kinds = refused.map(|outcome| outcome.err().map(|error| error.kind()));
    let expected = [Some(ErrorKind::OutOfRange), Some(ErrorKind::InvalidArgument)];
    ctx.check(kinds == expected, || format!("a kernel too many and a wrong argument gave {kinds:?}"));
    Ok(())
}

fn a_capture_that_fails_leaves_the_stream_as_it_was(world: &World, ctx: &Ctx) -> Outcome {
    let (stream, rounds) = (world.stream()?, Rounds::new(ctx)?);
    let outcome = stream.capture(|stream| {
        stream.put(rounds.inbox, rounds.outbox, COUNT, world.my_pe())?;
        stream.launch_kernel(&world.modules().load("no such module")?.kernel("none")?, Launch::new(1, 1), ())
    });
    ctx.check(outcome.is_err(), || "the error of the capture was lost".into());
    let again = stream.capture(|stream| stream.capture(|_| Ok(())).map(drop));
    ctx.check(again.is_err(), || "a stream was captured twice at once".into());
    rounds.between_barriers(world, ctx, &stream)?;
    let graph = capture(&stream, |stream| rounds.between_barriers(world, ctx, stream))?;
    graph.launch(&stream)?;
    world.barrier_all()?;
    rounds.end(ctx, 2)
}

fn calls_that_run_at_once_are_refused_while_a_graph_is_recorded(world: &World, ctx: &Ctx) -> Outcome {
    let (stream, rounds, me) = (world.stream()?, Rounds::new(ctx)?, world.my_pe());
    let (team, lists) = (world.team_world()?, ctx.calloc(world.n_pes() as usize)?);
    let (inbox, outbox) = (rounds.inbox, rounds.outbox);
    world.write(outbox, &[1; COUNT])?;
    // A collective that is not refused then runs.
    world.modules().load_collectives()?;
    let graph = capture(&stream, |stream| {
        let refused = [
            ("malloc", world.malloc::<u64>(1).err()),
            ("free", world.free(inbox).err()),
            ("barrier_all", world.barrier_all().err()),
            ("sync_all", world.sync_all().err()),
            ("synchronize", world.own_stream().synchronize().err()),
            ("synchronize_stream", stream.synchronize().err()),
            ("put", world.p(inbox, 1, me).err()),
            ("get", world.g(inbox, me).err()),
            ("quiet", world.quiet().err()),
            ("atomic_fetch", world.at(inbox, me).fetch().err()),
            ("load", world.modules().load("oxshmem-conformance-kernels").err()),
            ("qp_create", world.qps().create(1).err()),
            ("all_gather", world.all_gather("nothing", &[]).err()),
            ("record", stream.record().err()),
        ];
        for (call, error) in refused {
            let is_refused = error.as_ref().is_some_and(|error| {
                error.kind() == ErrorKind::InvalidArgument && error.to_string().contains("record")
            });
            ctx.check(is_refused, || format!("`{call}` in a capture gave {error:?}"));
        }
        let lists = Lists { counts: lists, source_starts: lists, dest_starts: lists };
        // Each names itself, and not a call that it makes.
        let refused = [
            ("team_barrier", team.barrier().err()),
            ("team_sync", team.sync().err()),
            ("broadcast", team.broadcast(inbox, outbox, 1, 0).err()),
            ("fcollect", team.fcollect(inbox, outbox, 1).err()),
            ("alltoall", team.alltoall(inbox, outbox, 1).err()),
            ("alltoallv", team.alltoallv(inbox, outbox, lists).err()),
            ("reduce", team.reduce(Sum, inbox, outbox, 1).err()),
            ("reduce_maxloc", team.reduce_maxloc::<i64>(inbox, outbox, 1).err()),
            ("reducescatter", team.reducescatter(Sum, inbox, outbox, 1).err()),
        ];
        for (call, error) in refused {
            let text = format!("cannot call `{call}` while a graph is recorded");
            let is_refused = error.as_ref().is_some_and(|error| error.to_string().starts_with(&text));
            ctx.check(is_refused, || format!("`{call}` in a capture gave {error:?}"));
        }
        rounds.between_barriers(world, ctx, stream)
    })?;
    ctx.check_same(|| "the inbox after refused collectives".into(), &ctx.read(inbox, COUNT)?, &[0; COUNT]);
    graph.launch(&stream)?;
    world.barrier_all()?;
    rounds.end(ctx, 1)
}

fn collectives_in_graphs_and_beside_them_give_the_sums_of_their_round(world: &World, ctx: &Ctx) -> Outcome {
    let (stream, rounds) = (world.stream()?, Rounds::new(ctx)?);
    let pes: Vec<_> = world.pes().collect();
    let (team, options) = (world.team(&pes, TeamOptions::default())?, CollectiveOptions::default());
    let step = |stream: &Stream<'_>| {
        rounds.fill(ctx, stream, 1)?;
        Ok(team.on(stream).with_options(options).reduce(Sum, rounds.inbox, rounds.outbox, COUNT)?)
    };
    // The first collective of a world loads its kernels: before the capture, as programs do.
    step(&stream)?;
    let graph = capture(&stream, step)?;
    for round in 2..=ctx.rounds(30).max(5) as u64 {
        if round % 3 == 0 {
            step(&stream)?
        } else {
            graph.launch(&stream)?
        }
        stream.synchronize()?;
        let sum = |i| pes.iter().fold(0_u64, |sum, pe| sum.wrapping_add(element(*pe, round, i)));
        let expected: Vec<u64> = (0..COUNT).map(sum).collect();
        ctx.check_same(|| format!("the sums of round {round}"), &ctx.read(rounds.inbox, COUNT)?, &expected);
    }
    world.barrier_all()?;
    Ok(())
}

fn a_graph_describes_its_nodes(world: &World, ctx: &Ctx) -> Outcome {
    let (stream, rounds) = (world.stream()?, Rounds::new(ctx)?);
    let dot = capture(&stream, |stream| rounds.between_barriers(world, ctx, stream))?.dot()?;
    for part in ["digraph", "graph_fill", "graph_check", "barrier_all", "->"] {
        ctx.check(dot.contains(part), || format!("`{part}` is missing in {dot}"));
    }
    Ok(())
}

/// Lets `to` follow the calls that `from` has so far.
fn follow(event: &Event, from: &Stream<'_>, to: &Stream<'_>) -> Outcome {
    from.record_event(event)?;
    Ok(to.wait_event(event)?)
}

fn collectives_on_two_streams_of_one_capture_run_side_by_side_and_join(world: &World, ctx: &Ctx) -> Outcome {
    let (stream, other, rounds) = (world.stream()?, world.stream()?, Rounds::new(ctx)?);
    let event = stream.record()?;
    let pes: Vec<_> = world.pes().collect();
    let teams = [world.team(&pes, TeamOptions::default())?, world.team(&pes, TeamOptions::default())?];
    let (options, [sums, all]) = (CollectiveOptions::default(), [ctx.calloc(COUNT)?, ctx.calloc(COUNT * pes.len())?]);
    // PEs of odd numbers make the two calls in the other order: each stream by itself has the order that counts.
    let odd = world.my_pe().number() % 2 == 1;
    let reduce =
        || Ok::<_, Failure>(teams[0].on(&stream).with_options(options).reduce(Sum, sums, rounds.outbox, COUNT)?);
    let gather = || Ok::<_, Failure>(teams[1].on(&other).with_options(options).fcollect(all, rounds.outbox, COUNT)?);
    // The first collective of a world loads its kernels: before the capture, as programs do.
    reduce()?;
    let graph = capture(&stream, |stream| {
        // The first fills only take time, in which a stream that did not follow them would read the data before them.
        for step in [0, 0, 0, 0, 0, 0, 1] {
            rounds.fill(ctx, stream, step)?;
        }
        follow(&event, stream, &other)?;
        if odd {
            gather()?;
            reduce()?;
        } else {
            reduce()?;
            gather()?;
        }
        follow(&event, &other, stream)?;
        // Both have read the outbox, which gets other data.
        rounds.fill(ctx, stream, 1)
    })?;
    world.barrier_all()?;
    for round in 1..=ctx.rounds(20).max(3) as u64 {
        graph.launch(&stream)?;
        stream.synchronize()?;
        let of = |pe: Pe| (0..COUNT).map(move |i| element(pe, 2 * round - 1, i));
        let mut expected = vec![0_u64; COUNT];
        pes.iter().for_each(|pe| expected.iter_mut().zip(of(*pe)).for_each(|(sum, one)| *sum = sum.wrapping_add(one)));
        ctx.check_same(|| format!("the sums of round {round}"), &ctx.read(sums, COUNT)?, &expected);
        let expected: Vec<u64> = pes.iter().flat_map(|pe| of(*pe)).collect();
        ctx.check_same(|| format!("what round {round} gathered"), &ctx.read(all, COUNT * pes.len())?, &expected);
    }
    // The other stream runs its work at once again.
    gather()?;
    other.synchronize()?;
    world.barrier_all()?;
    Ok(())
}

fn barriers_on_the_streams_of_one_capture_keep_the_order_of_the_calls(world: &World, ctx: &Ctx) -> Outcome {
    let (stream, other, rounds) = (world.stream()?, world.stream()?, Rounds::new(ctx)?);
    let event = stream.record()?;
    let graph = capture(&stream, |stream| {
        follow(&event, stream, &other)?;
        other.barrier_all()?;
        stream.barrier_all()?;
        other.barrier_all()?;
        stream.barrier_all()?;
        follow(&event, &other, stream)?;
        rounds.between_barriers(world, ctx, stream)
    })?;
    let times = ctx.rounds(50).max(5);
    for _ in 0..times {
        graph.launch(&stream)?;
    }
    stream.synchronize()?;
    world.barrier_all()?;
    rounds.end(ctx, times as u64)
}

fn a_stream_that_joins_a_capture_and_is_not_waited_for_is_an_error(world: &World, ctx: &Ctx) -> Outcome {
    let (stream, other, rounds) = (world.stream()?, world.stream()?, Rounds::new(ctx)?);
    let event = stream.record()?;
    let left = capture(&stream, |stream| {
        rounds.fill(ctx, stream, 1)?;
        follow(&event, stream, &other)?;
        rounds.fill(ctx, &other, 1)
    });
    ctx.check(left.is_err(), || "a graph was made without the calls of a stream that had joined".into());
    for stream in [&stream, &other] {
        rounds.fill(ctx, stream, 1)?;
        stream.synchronize()?;
    }
    rounds.end(ctx, 2)
}

fn events_of_other_captures_are_refused_in_a_capture(world: &World, ctx: &Ctx) -> Outcome {
    let (stream, other, rounds) = (world.stream()?, world.stream()?, Rounds::new(ctx)?);
    let [old, eager] = [stream.record()?, other.record()?];
    capture(&stream, |stream| {
        rounds.fill(ctx, stream, 1)?;
        Ok(stream.record_event(&old)?)
    })?;
    ctx.check(other.wait_event(&old).is_err(), || "an event of a capture that has ended was taken".into());
    let outcome = stream.capture(|stream| stream.wait_event(&eager));
    ctx.check(outcome.is_err(), || "an event outside the capture was taken".into());
    ctx.check(old.until(&eager).is_err(), || "a point of a graph has a time".into());
    Ok(())
}

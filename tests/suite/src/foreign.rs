//! Objects that the library did not make: memory outside of the heap, streams, events, modules, captures.

use std::ptr::{null_mut, without_provenance_mut};

use oxshmem_hal::{Cmp, DevicePtr, ErrorKind, Event, Signal, World};
use oxshmem_raw::gpu::cuda;
use oxshmem_raw::memory::Memory;

use super::case::cases;
use super::rng::words;
use super::{Ctx, Failure, Outcome};

cases! { "foreign":
    memory_outside_of_the_heap_is_the_local_end_of_copies_on_streams 1,
    memory_outside_of_the_heap_is_the_local_end_in_graphs 1,
    objects_of_the_program_are_adopted_on_gpus_and_refused_on_host_pes 1,
    calls_in_a_capture_of_the_program_itself_are_part_of_its_graph 1,
}

/// Words of the program on a PE's device.
enum Outside {
    Host(Vec<u64>),
    Gpu(cuda::DeviceMemory, cuda::Context),
}

fn context(world: &World) -> Result<Option<cuda::Context>, Failure> {
    Ok(world.gpu().map(|ordinal| cuda::Context::primary(cuda::Device::get(ordinal)?)).transpose()?)
}

impl Outside {
    fn new(world: &World, count: usize) -> Result<Self, Failure> {
        let mut outside = match context(world)? {
            None => Self::Host(vec![0; count]),
            Some(context) => Self::Gpu(cuda::DeviceMemory::alloc(&context, 8 * count)?, context),
        };
        outside.write(0, &vec![0; count])?;
        Ok(outside)
    }

    fn parts(&mut self) -> (Memory, u64, usize) {
        match self {
            Self::Host(words) => (Memory::Host, words.as_mut_ptr() as u64, words.len()),
            Self::Gpu(memory, context) => (Memory::Gpu(context.clone()), memory.address(), memory.bytes() / 8),
        }
    }

    /// Returns words `from` on.
    fn at(&mut self, from: usize) -> DevicePtr<u64> {
        // SAFETY: **mapped**, **unshared**: the cases name words of this memory alone, and drop it after their streams
        // have done the work.
        unsafe { DevicePtr::new(self.parts().1 + 8 * from as u64) }
    }

    fn write(&mut self, from: usize, words: &[u64]) -> Outcome {
        let (memory, at, len) = self.parts();
        assert!(from + words.len() <= len, "within the memory");
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        // SAFETY: **mapped**: checked above.
        Ok(unsafe { memory.write(at + 8 * from as u64, &bytes) }?)
    }

    fn read(&mut self) -> Result<Vec<u64>, Failure> {
        let (memory, at, len) = self.parts();
        let mut bytes = vec![0; 8 * len];
        // SAFETY: **mapped**: all of it.
        unsafe { memory.read(&mut bytes, at) }?;
        Ok(bytes.as_chunks().0.iter().map(|word| u64::from_ne_bytes(*word)).collect())
    }
}

fn memory_outside_of_the_heap_is_the_local_end_of_copies_on_streams(world: &World, ctx: &Ctx) -> Outcome {
    let (stream, right, room) = (world.stream()?, world.pe_after(1), 40_000);
    let (mut own, mut got) = (Outside::new(world, room)?, Outside::new(world, room)?);
    let (inbox, word) = (ctx.calloc::<u64>(room)?, ctx.calloc::<u64>(1)?);
    // Small ones by a kernel, large ones by the copy engine.
    for (round, &count) in (1..).zip(ctx.some(&[1, 100, 8192, 8193, 40_000])) {
        let pattern = |of: u32| words(ctx.seed() ^ u64::from(of) << 32 ^ round, count);
        let (mine, left) = (pattern(world.my_pe().number()), pattern(ctx.pe_before(1).number()));
        own.write(0, &mine)?;
        world.barrier_all()?;
        stream.put(inbox, own.at(0), count, right)?;
        stream.quiet()?;
        stream.barrier_all()?;
        stream.get(got.at(0), inbox, count, right)?;
        world.barrier_all()?;
        ctx.check_same(|| format!("{count} words put"), &ctx.read(inbox, count)?, &left);
        ctx.check_same(|| format!("{count} words got"), &got.read()?[..count], &mine);
        ctx.write(inbox, &vec![0; count])?;
        world.barrier_all()?;
        stream.put_signal(inbox, own.at(0), count, Signal::set(word, round), right)?;
        stream.signal_wait_until(word, Cmp::Eq, round)?;
        stream.synchronize()?;
        ctx.check_same(|| format!("{count} words put with a signal"), &ctx.read(inbox, count)?, &left);
        world.barrier_all()?;
    }
    ctx.write(inbox, &vec![0; room])?;
    own.write(0, &[11, 12, 13, 14, 15, 16])?;
    got.write(0, &[0; 6])?;
    world.barrier_all()?;
    stream.iput(inbox, own.at(1), 1, 2, 3, right)?;
    stream.barrier_all()?;
    stream.iget(got.at(0), inbox, 2, 1, 2, right)?;
    stream.g(got.at(5), inbox.add(2), right)?;
    world.barrier_all()?;
    ctx.check_same(|| "iput".into(), &ctx.read(inbox, 5)?, &[12, 14, 16, 0, 0]);
    ctx.check_same(|| "iget and g".into(), &got.read()?[..6], &[12, 0, 14, 0, 0, 16]);
    world.barrier_all()?;
    Ok(())
}

fn memory_outside_of_the_heap_is_the_local_end_in_graphs(world: &World, ctx: &Ctx) -> Outcome {
    let (stream, right, n) = (world.stream()?, world.pe_after(1), 3000);
    let (mut own, mut got) = (Outside::new(world, n)?, Outside::new(world, n)?);
    let inbox = ctx.calloc::<u64>(n)?;
    let (from, to) = (own.at(0), got.at(0));
    let graph = stream.capture(|stream| {
        stream.put(inbox, from, n, right)?;
        stream.quiet()?;
        stream.barrier_all()?;
        stream.get(to, inbox, n, world.my_pe())?;
        stream.barrier_all()
    })?;
    for round in 0..ctx.rounds(10) as u64 {
        let pattern = |of: u32| words(ctx.seed() ^ u64::from(of) << 32 ^ round, n);
        own.write(0, &pattern(world.my_pe().number()))?;
        graph.launch(&stream)?;
        stream.synchronize()?;
        ctx.check_same(|| format!("round {round}"), &got.read()?, &pattern(ctx.pe_before(1).number()));
    }
    world.barrier_all()?;
    Ok(())
}

fn objects_of_the_program_are_adopted_on_gpus_and_refused_on_host_pes(world: &World, ctx: &Ctx) -> Outcome {
    let Some(context) = context(world)? else {
        let nothing = without_provenance_mut(8);
        // SAFETY: **stream**, **event**, **module**: a host PE refuses them unseen.
        let refused = unsafe {
            [
                world.adopt_stream(nothing).map(drop),
                Event::adopt(world, nothing).map(drop),
                world.modules().adopt("of the program", nothing).map(drop),
            ]
        };
        for outcome in refused {
            let refused = outcome.as_ref().is_err_and(|error| {
                error.kind() == ErrorKind::InvalidArgument && error.to_string().contains("host threads")
            });
            ctx.check(refused, || format!("an object of a GPU gave {outcome:?}"));
        }
        return Ok(());
    };
    let theirs = cuda::Stream::new(&context)?;
    // SAFETY: **stream**: `theirs` is dropped after it.
    let stream = unsafe { world.adopt_stream(theirs.raw()) }?;
    ctx.check(stream.raw() == theirs.raw(), || "an adopted stream has another handle".into());
    let at = ctx.calloc::<u64>(1)?;
    stream.p(at, 7, world.pe_after(1))?;
    stream.barrier_all()?;
    theirs.synchronize()?;
    ctx.check_same(|| "the word, after the program's own synchronization".into(), &ctx.read(at, 1)?, &[7]);
    let (start, end) = (stream.record()?, cuda::Event::new(&context)?);
    // SAFETY: **event**: `end` is dropped after it.
    let adopted = unsafe { Event::adopt(world, end.raw()) }?;
    stream.record_event(&adopted)?;
    end.synchronize()?;
    start.until(&adopted)?;
    // SAFETY: **module**: null is refused unseen.
    let refused = unsafe { world.modules().adopt("of nobody", null_mut()) };
    ctx.check(refused.is_err(), || "a null module was adopted".into());
    world.barrier_all()?;
    Ok(())
}

fn calls_in_a_capture_of_the_program_itself_are_part_of_its_graph(world: &World, ctx: &Ctx) -> Outcome {
    let Some(context) = context(world)? else {
        return Err(Failure::skip("host PEs have no stream that the program itself could capture"));
    };
    let theirs = cuda::Stream::new(&context)?;
    // SAFETY: **stream**: `theirs` is dropped after it.
    let stream = unsafe { world.adopt_stream(theirs.raw()) }?;
    let (n, right) = (2000, world.pe_after(1));
    let (outbox, inbox) = (ctx.calloc::<u64>(n)?, ctx.calloc::<u64>(n)?);
    let (seen, word) = (ctx.calloc::<u64>(n)?, ctx.calloc::<u64>(1)?);
    let capture = theirs.begin_capture()?;
    stream.put_signal(inbox, outbox, n, Signal::add(word, 1), right)?;
    stream.barrier_all()?;
    stream.get(seen, inbox, n, world.my_pe())?;
    stream.barrier_all()?;
    let graph = capture.end()?;
    let times = ctx.rounds(50) as u64;
    for round in 0..times {
        let pattern = |of: u32| words(ctx.seed() ^ u64::from(of) << 32 ^ round, n);
        ctx.write(outbox, &pattern(world.my_pe().number()))?;
        // Eager barriers of another stream are counted, those of the graph are not. The program keeps their order.
        let other = world.stream()?;
        other.barrier_all()?;
        other.synchronize()?;
        // SAFETY: **kernels**: the memory that the graph's kernels use belongs to the world, which outlives the graph.
        unsafe { graph.launch(&theirs) }?;
        stream.barrier_all()?;
        stream.synchronize()?;
        let left = pattern(ctx.pe_before(1).number());
        ctx.check_same(|| format!("launch {round}"), &ctx.read(seen, n)?, &left);
    }
    ctx.check_same(|| "the signals".into(), &ctx.read(word, 1)?, &[times]);
    world.barrier_all()?;
    Ok(())
}

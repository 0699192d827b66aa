//! Modules, launches, streams and events.

use std::ffi::c_void;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use oxshmem_core::ErrorKind;
use oxshmem_raw::gpu::cuda::{
    Context, DeviceMemory, Event, Function, LaunchShape, Module, Parameter, PinnedBytes, Stream, copy, launch,
};

use crate::memory::{Anything, read};
use crate::report::{Outcome, Report, ensure, noted, passed, refusal, skipped};

pub(crate) const PTX: &str = include_str!("kernels.ptx");

const LIMIT: Duration = Duration::from_secs(20);

fn argument<T>(value: &mut T) -> *mut c_void {
    (&raw mut *value).cast()
}

/// Runs `write_index` and waits.
pub(crate) fn write_index(
    function: &Function,
    shape: &LaunchShape,
    stream: &Stream,
    mut out: u64,
    mut count: u32,
) -> oxshmem_core::Result<()> {
    let mut arguments = [argument(&mut out), argument(&mut count)];
    // SAFETY: **arguments**: a u64 and a u32; **kernel**: the checks own `count` words at `out` (or expect the fault).
    unsafe { launch(function, shape, stream, &mut arguments) }?;
    stream.synchronize_within(LIMIT)
}

fn indices(context: &Context, at: u64, count: u32) -> Result<(), Anything> {
    let bytes = read(context, at, 4 * count as usize)?;
    for (index, word) in bytes.chunks_exact(4).enumerate() {
        ensure(word == (index as u32).to_le_bytes(), || format!("word {index} is {word:?}"))?;
    }
    Ok(())
}

pub(crate) fn checks(report: &mut Report, gpu: &str, context: &Context) {
    let mut run = |name: &str, check: fn(&Context) -> Outcome| {
        report.check(&format!("{gpu}/{name}"), || check(context));
    };
    run("module", module);
    run("ptx-with-an-error", ptx_with_an_error);
    run("function-limits", function_limits);
    run("launch", plain);
    run("launch-refusals", launch_refusals);
    run("dynamic-shared-memory", dynamic_shared_memory);
    run("cooperative-launch", cooperative);
    run("cooperative-grid-too-big", cooperative_too_big);
    run("atomics-on-pinned-memory", atomics_on_pinned_memory);
    run("stream-order-and-events", stream_order_and_events);
    run("wait-with-a-limit", wait_with_a_limit);
    run("default-stream", default_stream);
    run("launch-beside-a-running-kernel", beside);
    run("graph-beside-a-running-kernel", graph_beside);
}

fn module(context: &Context) -> Outcome {
    let module = Module::load(context, PTX.as_bytes())?;
    let Some((at, 4)) = module.global("marker")? else { return Err("`marker` is not a global of 4 bytes".into()) };
    ensure(read(context, at, 4)? == 42u32.to_le_bytes(), || "`marker` is not 42".into())?;
    ensure(module.global("nothing")?.is_none(), || "there is a global `nothing`".into())?;
    let error = refusal(module.function("nothing"))?;
    ensure(error.kind() == ErrorKind::NotFound, || format!("{error:?}"))?;
    let function = module.function("write_index")?;
    drop(module); // The function keeps the module loaded.
    let expected = vec![Parameter { offset: 0, bytes: 8 }, Parameter { offset: 8, bytes: 4 }];
    match function.parameters()? {
        None => noted("this driver can't be asked for parameters"),
        Some(found) if found == expected => noted(error.to_string()),
        Some(found) => Err(format!("{found:?} should be {expected:?}").into()),
    }
}

fn ptx_with_an_error(context: &Context) -> Outcome {
    let broken = PTX.replace("mad.lo.u32", "mad.low.u32");
    let error = refusal(Module::load(context, broken.as_bytes()))?;
    let text = error.to_string();
    ensure(error.kind() == ErrorKind::Malformed && text.contains("line 18"), || {
        format!("the log is not in {error:?}")
    })?;
    refusal(Module::load(context, b""))?;
    refusal(Module::load(context, b"\x7fELF"))?;
    refusal(Module::load(context, b"this is no PTX"))?;
    noted(text)
}

fn function_limits(context: &Context) -> Outcome {
    let function = Module::load(context, PTX.as_bytes())?.function("write_index")?;
    let limits = function.limits()?;
    ensure(limits.registers > 0 && limits.max_threads_per_block >= 512 && limits.local_bytes == 0, || {
        format!("{limits:?}")
    })?;
    let blocks = function.max_active_blocks_per_sm(256, 0)?;
    ensure(blocks >= 1, || "no block fits on an SM".into())?;
    noted(format!("{limits:?}, {blocks} blocks of 256 an SM"))
}

fn plain(context: &Context) -> Outcome {
    let function = Module::load(context, PTX.as_bytes())?.function("write_index")?;
    let memory = DeviceMemory::alloc(context, 4 * 5000)?;
    write_index(&function, &LaunchShape::linear(20, 256), &Stream::new(context)?, memory.address(), 5000)?;
    indices(context, memory.address(), 5000)?;
    passed()
}

fn launch_refusals(context: &Context) -> Outcome {
    let function = Module::load(context, PTX.as_bytes())?.function("write_index")?;
    let memory = DeviceMemory::alloc(context, 4096)?;
    let stream = Stream::new(context)?;
    let attempt = |shape| write_index(&function, &shape, &stream, memory.address(), 1);
    let empty = refusal(attempt(LaunchShape::linear(0, 32)))?;
    ensure(empty.kind() == ErrorKind::InvalidArgument, || format!("{empty:?}"))?;
    let wide = refusal(attempt(LaunchShape::linear(1, 4096)))?;
    ensure(wide.kind() == ErrorKind::Exhausted && wide.how_much().is_some(), || format!("{wide:?}"))?;
    attempt(LaunchShape::linear(1, 32))?;
    noted(wide.to_string())
}

fn dynamic_shared_memory(context: &Context) -> Outcome {
    let function = Module::load(context, PTX.as_bytes())?.function("write_index")?;
    let most = context.device().max_shared_per_block()?;
    if most <= 48 << 10 {
        return skipped(format!("the device has no more than {most} bytes a block"));
    }
    let memory = DeviceMemory::alloc(context, 4096)?;
    let stream = Stream::new(context)?;
    let shape = LaunchShape { dynamic_shared_bytes: most, ..LaunchShape::linear(1, 32) };
    let error = refusal(write_index(&function, &shape, &stream, memory.address(), 32))?;
    ensure(error.kind() == ErrorKind::Exhausted, || format!("{error:?}"))?;
    refusal(function.set_max_dynamic_shared(most + 1))?;
    function.set_max_dynamic_shared(most)?;
    write_index(&function, &shape, &stream, memory.address(), 32)?;
    indices(context, memory.address(), 32)?;
    noted(error.to_string())
}

/// Launches `meet`, in which all blocks wait for each other, and returns each block's count.
fn meet(context: &Context, blocks: u32, threads: u32) -> Result<oxshmem_core::Result<Vec<u8>>, Anything> {
    let function = Module::load(context, PTX.as_bytes())?.function("meet")?;
    let memory = DeviceMemory::alloc(context, 256 + 4 * blocks as usize)?;
    // SAFETY: **mapped**, **unshared**: this check owns the memory.
    unsafe { copy::fill_u8(context, memory.address(), 0, memory.bytes()) }?;
    let (mut counter, mut out) = (memory.address(), memory.address() + 256);
    let mut arguments = [argument(&mut counter), argument(&mut out)];
    let stream = Stream::new(context)?;
    // SAFETY: **arguments**: two u64; **kernel**: it uses a counter and one word per block, which this check owns.
    let launched =
        unsafe { launch(&function, &LaunchShape::linear(blocks, threads).cooperative(), &stream, &mut arguments) };
    if let Err(error) = launched {
        return Ok(Err(error));
    }
    stream.synchronize_within(LIMIT)?;
    Ok(Ok(read(context, out, 4 * blocks as usize)?))
}

fn cooperative(context: &Context) -> Outcome {
    if !context.device().cooperative_launch()? {
        return skipped("the device has no cooperative launch");
    }
    let function = Module::load(context, PTX.as_bytes())?.function("meet")?;
    let blocks = function.max_resident_blocks(256, 0)?;
    let counts = meet(context, blocks, 256)??;
    ensure(counts.chunks_exact(4).all(|word| word == blocks.to_le_bytes()), || {
        format!("not all of {blocks} blocks met: {:?}", &counts[..16.min(counts.len())])
    })?;
    noted(format!("{blocks} blocks met"))
}

fn cooperative_too_big(context: &Context) -> Outcome {
    if !context.device().cooperative_launch()? {
        return skipped("the device has no cooperative launch");
    }
    let function = Module::load(context, PTX.as_bytes())?.function("meet")?;
    let most = function.max_resident_blocks(256, 0)?;
    let error = refusal(meet(context, most + 1, 256)?)?;
    let amount = error.how_much().ok_or_else(|| format!("no amount in {error:?}"))?;
    ensure((amount.asked, amount.limit) == (u64::from(most) + 1, u64::from(most)), || format!("{error:?}"))?;
    meet(context, most, 256)??;
    noted(error.to_string())
}

fn atomics_on_pinned_memory(context: &Context) -> Outcome {
    let function = Module::load(context, PTX.as_bytes())?.function("add_sys")?;
    let pinned = PinnedBytes::zeroed(context, 64)?;
    let stream = Stream::new(context)?;
    let mut at = pinned.device();
    let mut arguments = [argument(&mut at)];
    // SAFETY: **arguments**: one u64; **kernel**: this check owns the word, and the host reads it as an atomic.
    unsafe { launch(&function, &LaunchShape::linear(8, 64), &stream, &mut arguments) }?;
    stream.synchronize_within(LIMIT)?;
    let sum = pinned.words_u32()[0].load(Ordering::Acquire);
    ensure(sum == 512, || format!("512 threads added 1 each, and the sum is {sum}"))?;
    passed()
}

/// Enqueues a kernel that stores `value` after `ms` milliseconds.
fn store_later(function: &Function, stream: &Stream, mut at: u64, mut value: u32, ms: u64) -> Result<(), Anything> {
    let mut ns = ms * 1_000_000;
    let mut arguments = [argument(&mut at), argument(&mut value), argument(&mut ns)];
    // SAFETY: **arguments**: u64, u32, u64; **kernel**: the check owns the word until the stream is done.
    Ok(unsafe { launch(function, &LaunchShape::linear(1, 1), stream, &mut arguments) }?)
}

fn stream_order_and_events(context: &Context) -> Outcome {
    let function = Module::load(context, PTX.as_bytes())?.function("store_later")?;
    let memory = DeviceMemory::alloc(context, 256)?;
    let result = PinnedBytes::zeroed(context, 64)?;
    let (one, other) = (Stream::new(context)?, Stream::new(context)?);
    let (start, end) = (Event::new(context)?, Event::new(context)?);
    let at = memory.address();
    store_later(&function, &one, at, 1, 0)?; // The first launch may load code.
    one.synchronize_within(LIMIT)?;
    start.record(&one)?;
    store_later(&function, &one, at, 7, 100)?;
    end.record(&one)?;
    ensure(!one.query()? && !end.query()?, || "a kernel of 100 ms is done at once".into())?;
    refusal(start.elapsed_ms(&end))?;
    other.wait_event(&end)?;
    // SAFETY: **mapped**, **unshared**: this check owns both ranges, and the copy waits for the kernel by the event.
    unsafe { copy::device_to_device_on(&other, result.device(), at, 4) }?;
    other.synchronize_within(LIMIT)?;
    let value = result.words_u32()[0].load(Ordering::Acquire);
    ensure(value == 7, || format!("the copy did not wait for the event: it read {value}"))?;
    ensure(end.query()? && one.query()?, || "the event is not reached after who waited for it is done".into())?;
    end.synchronize()?;
    let ms = start.elapsed_ms(&end)?;
    ensure((90.0..5000.0).contains(&ms), || format!("100 ms were measured as {ms} ms"))?;
    noted(format!("100 ms measured as {ms:.3} ms"))
}

fn wait_with_a_limit(context: &Context) -> Outcome {
    let function = Module::load(context, PTX.as_bytes())?.function("store_later")?;
    let memory = DeviceMemory::alloc(context, 256)?;
    let stream = Stream::new(context)?;
    store_later(&function, &stream, memory.address(), 1, 200)?;
    let error = refusal(stream.synchronize_within(Duration::from_millis(20)))?;
    stream.synchronize_within(LIMIT)?;
    ensure(error.kind() == ErrorKind::Timeout, || format!("{error:?}"))?;
    noted(error.to_string())
}

fn default_stream(context: &Context) -> Outcome {
    let function = Module::load(context, PTX.as_bytes())?.function("write_index")?;
    let memory = DeviceMemory::alloc(context, 4096)?;
    let stream = Stream::default_of(context);
    ensure(stream.raw().is_null(), || "the default stream is null".into())?;
    write_index(&function, &LaunchShape::linear(4, 256), &stream, memory.address(), 1024)?;
    indices(context, memory.address(), 1024)?;
    passed()
}

/// Launches a kernel for the first time, with a larger stack than any before, while another one runs. The new one ends
/// first.
fn beside(context: &Context) -> Outcome {
    let module = Module::load(context, PTX.as_bytes())?;
    let (slow, one, other) = (module.function("store_later")?, Stream::new(context)?, Stream::new(context)?);
    let (busy, out) = (DeviceMemory::alloc(context, 256)?, DeviceMemory::alloc(context, 256)?);
    let mut said = Vec::new();
    for (name, index) in [("deep", 700), ("deeper", 2_000)] {
        let function = module.function(name)?;
        let bytes = function.limits()?.local_bytes;
        store_later(&slow, &one, busy.address(), 1, 400)?;
        let start = Instant::now();
        write_index(&function, &LaunchShape::linear(1, 1), &other, out.address(), index)?;
        let took = start.elapsed();
        let running = !one.query()?;
        one.synchronize_within(LIMIT)?;
        ensure(running, || format!("{name}, with a stack of {bytes} bytes, took {took:?} and waited for a kernel"))?;
        let word = read(context, out.address(), 4)?;
        ensure(word == index.to_le_bytes(), || format!("{name} wrote {word:?}"))?;
        said.push(format!("stack of {bytes} bytes: {} us", took.as_micros()));
    }
    noted(said.join(", "))
}

/// Graphs are captured, made ready and launched while a kernel runs, which ends after them.
fn graph_beside(context: &Context) -> Outcome {
    let module = Module::load(context, PTX.as_bytes())?;
    let (slow, small) = (module.function("store_later")?, module.function("write_index")?);
    let (one, other) = (Stream::new(context)?, Stream::new(context)?);
    let (busy, out) = (DeviceMemory::alloc(context, 256)?, DeviceMemory::alloc(context, 256)?);
    let mut graphs = Vec::new();
    let (mut said, mut waited) = (Vec::new(), Vec::new());
    for nodes in [1, 2, 8, 64, 512] {
        let mut worst = [Duration::ZERO; 3];
        for _ in 0..4 {
            store_later(&slow, &one, busy.address(), 1, 150)?;
            let start = Instant::now();
            let capture = other.begin_capture()?;
            for _ in 0..nodes {
                let (mut at, mut count) = (out.address(), 1u32);
                let mut arguments = [argument(&mut at), argument(&mut count)];
                // SAFETY: **arguments**: a u64 and a u32; **kernel**: this check owns the word.
                unsafe { launch(&small, &LaunchShape::linear(1, 32), &other, &mut arguments) }?;
            }
            let graph = capture.end()?;
            let ready = Instant::now();
            // SAFETY: **kernels**: this check owns the word until the stream is done, and the module is loaded.
            unsafe { graph.launch(&other) }?;
            let launched = Instant::now();
            other.synchronize_within(LIMIT)?;
            let done = Instant::now();
            let running = !one.query()?;
            one.synchronize_within(LIMIT)?;
            let times = [ready - start, launched - ready, done - launched];
            if !running {
                waited.push(format!("{nodes} nodes: {times:?}"));
            }
            worst = std::array::from_fn(|step| worst[step].max(times[step]));
            graphs.push(graph);
        }
        said.push(format!("{nodes} nodes: {} us", worst.map(|time| time.as_micros().to_string()).join(" + ")));
    }
    ensure(waited.is_empty(), || format!("a graph waited for a kernel of another stream: {}", waited.join(", ")))?;
    noted(format!("made + launched + run: {}", said.join(", ")))
}

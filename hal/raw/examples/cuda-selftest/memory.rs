//! Memory: mapped explicitly, plain, and on the host.

use std::os::fd::AsFd;
use std::sync::atomic::{AtomicU64, Ordering};

use oxshmem_core::ErrorKind;
use oxshmem_raw::gpu::cuda::{
    Context, DeviceMemory, PhysicalChunk, PinnedBox, PinnedBytes, Reservation, Stream, copy, granularity,
};

use crate::report::{Outcome, Report, ensure, noted, passed, refusal, skipped};

pub(crate) type Anything = Box<dyn std::error::Error>;

/// Returns bytes that differ from their neighbours, from those of other seeds, and from zero.
pub(crate) fn pattern(bytes: usize, seed: u8) -> Vec<u8> {
    (0..bytes).map(|i| ((i * 7 + i / 251) as u8).wrapping_add(seed) | 1).collect()
}

/// Writes at a device address, and waits.
pub(crate) fn write(context: &Context, to: u64, from: &[u8]) -> Result<(), Anything> {
    // SAFETY: **mapped**, **unshared**: the checks pass addresses that they mapped for this device and use alone.
    Ok(unsafe { copy::host_to_device(context, to, from) }?)
}

/// Reads at a device address.
pub(crate) fn read(context: &Context, from: u64, bytes: usize) -> Result<Vec<u8>, Anything> {
    let mut to = vec![0; bytes];
    // SAFETY: **mapped**, **unshared**: the checks pass addresses that they mapped for this device and use alone.
    unsafe { copy::device_to_host(context, &mut to, from) }?;
    Ok(to)
}

/// Compares bytes; the error names the first difference.
pub(crate) fn same(found: &[u8], expected: &[u8]) -> Result<(), Anything> {
    let at = found.iter().zip(expected).position(|(found, expected)| found != expected);
    ensure(found.len() == expected.len() && at.is_none(), || {
        let at = at.unwrap_or(0);
        format!("byte {at} is {:#x} and should be {:#x}", found[at], expected[at])
    })
}

pub(crate) fn checks(report: &mut Report, gpu: &str, context: &Context) {
    let device = context.device();
    let vmm = &device.vmm_supported();
    let fds = &device.posix_fd_handles_supported();
    let always = &Ok(true);
    let mut when = |name: &str, can: &oxshmem_core::Result<bool>, check: fn(&Context) -> Outcome| {
        report.check(&format!("{gpu}/{name}"), || {
            if can.clone()? { check(context) } else { skipped("the device has no such memory") }
        });
    };
    when("vmm-write-and-read", vmm, vmm_write_and_read);
    when("vmm-growth", vmm, vmm_growth);
    when("vmm-unmap-and-map-again", vmm, vmm_unmap_and_map_again);
    when("vmm-alignment", vmm, vmm_alignment);
    when("vmm-refusals", vmm, vmm_refusals);
    when("vmm-exhausted", vmm, vmm_exhausted);
    when("vmm-nothing-leaks", vmm, vmm_nothing_leaks);
    when("fd-export-and-import", fds, fd_export_and_import);
    when("memory-of-the-program", fds, memory_of_the_program);
    when("plain-memory", always, plain_memory);
    when("pinned-host-memory", always, pinned_host_memory);
    when("copies-and-fills", always, copies_and_fills);
    when("use-from-another-thread", always, use_from_another_thread);
}

fn vmm_write_and_read(context: &Context) -> Outcome {
    let step = granularity(&context.device())?;
    let mut heap = Reservation::reserve(context, 4 * step, 0)?;
    let at = heap.map(step, &PhysicalChunk::create(context, step)?)?;
    ensure(at == heap.base() + step as u64, || format!("mapped at {at:#x} in {heap:?}"))?;
    let sent = pattern(step, 1);
    write(context, at, &sent)?;
    same(&read(context, at, step)?, &sent)?;
    passed()
}

fn vmm_growth(context: &Context) -> Outcome {
    let step = granularity(&context.device())?;
    let mut heap = Reservation::reserve(context, 8 * step, 0)?;
    let first = heap.map(0, &PhysicalChunk::create(context, step)?)?;
    let before = pattern(step, 2);
    write(context, first, &before)?;
    let second = heap.map(step, &PhysicalChunk::create(context, 2 * step)?)?;
    ensure(second == first + step as u64 && heap.mapped_bytes() == 3 * step, || format!("{heap:?}"))?;
    same(&read(context, first, step)?, &before)?;
    let across = pattern(4096, 3);
    write(context, second - 2048, &across)?;
    same(&read(context, second - 2048, 4096)?, &across)?;
    same(&read(context, first, step - 2048)?, &before[..step - 2048])?;
    passed()
}

fn vmm_unmap_and_map_again(context: &Context) -> Outcome {
    let step = granularity(&context.device())?;
    let mut heap = Reservation::reserve(context, 2 * step, 0)?;
    let chunk = PhysicalChunk::create(context, step)?;
    let at = heap.map(0, &chunk)?;
    let sent = pattern(4096, 4);
    write(context, at, &sent)?;
    heap.unmap(0)?;
    refusal(heap.unmap(0))?;
    let elsewhere = heap.map(step, &chunk)?;
    same(&read(context, elsewhere, 4096)?, &sent)?;
    passed()
}

fn vmm_alignment(context: &Context) -> Outcome {
    let step = granularity(&context.device())?;
    for alignment in [step, 64 << 20, 1 << 30] {
        let heap = Reservation::reserve(context, step, alignment)?;
        ensure(heap.base() % alignment as u64 == 0, || format!("{heap:?} is not aligned to {alignment}"))?;
    }
    passed()
}

fn vmm_refusals(context: &Context) -> Outcome {
    let step = granularity(&context.device())?;
    let mut heap = Reservation::reserve(context, 2 * step, 0)?;
    let chunk = PhysicalChunk::create(context, step)?;
    heap.map(0, &chunk)?;
    let errors = [
        (refusal(heap.map(0, &chunk))?, ErrorKind::InvalidArgument),
        (refusal(heap.map(1, &chunk))?, ErrorKind::InvalidArgument),
        (refusal(heap.map(2 * step, &chunk))?, ErrorKind::OutOfRange),
        (refusal(PhysicalChunk::create(context, step + 1))?, ErrorKind::InvalidArgument),
        (refusal(PhysicalChunk::create(context, 0))?, ErrorKind::InvalidArgument),
        (refusal(Reservation::reserve(context, step, 3 * step))?, ErrorKind::InvalidArgument),
    ];
    for (error, kind) in &errors {
        ensure(error.kind() == *kind, || format!("{error:?} should be {kind:?}"))?;
    }
    noted(errors[2].0.to_string())
}

fn vmm_exhausted(context: &Context) -> Outcome {
    let step = granularity(&context.device())?;
    let asked = (context.device().total_memory()? + (1 << 30)).next_multiple_of(step);
    let error = refusal(PhysicalChunk::create(context, asked))?;
    ensure(error.kind() == ErrorKind::Exhausted && error.how_much().is_some(), || format!("{error:?}"))?;
    noted(error.to_string())
}

fn vmm_nothing_leaks(context: &Context) -> Outcome {
    let bytes = (64usize << 20).next_multiple_of(granularity(&context.device())?);
    let round = || -> Result<(), Anything> {
        let mut heap = Reservation::reserve(context, 2 * bytes, 0)?;
        heap.map(0, &PhysicalChunk::create(context, bytes)?)?;
        heap.map(bytes, &PhysicalChunk::create(context, bytes)?)?;
        Ok(())
    };
    round()?;
    let (before, _) = context.memory()?;
    for _ in 0..20 {
        round()?;
    }
    let (after, _) = context.memory()?;
    // Other programs may use the device at the same time; 20 leaked rounds would be 2560 MiB.
    ensure(before.saturating_sub(after) < 10 * bytes, || format!("{before} bytes were free, now {after}"))?;
    passed()
}

fn fd_export_and_import(context: &Context) -> Outcome {
    let step = granularity(&context.device())?;
    let chunk = PhysicalChunk::create(context, step)?;
    ensure(chunk.shareable(), || "the chunk says that it can't be shared".into())?;
    let mut here = Reservation::reserve(context, step, 0)?;
    let one = here.map(0, &chunk)?;
    let fd = chunk.export_fd()?;
    let imported = PhysicalChunk::import_fd(context, fd.as_fd(), step)?;
    drop(fd);
    let mut there = Reservation::reserve(context, step, 0)?;
    let other = there.map(0, &imported)?;
    ensure(one != other, || "both have one address".into())?;
    let sent = pattern(step, 5);
    write(context, one, &sent)?;
    same(&read(context, other, step)?, &sent)?;
    let back = pattern(4096, 6);
    write(context, other, &back)?;
    same(&read(context, one, 4096)?, &back)?;
    drop((here, chunk));
    same(&read(context, other, 4096)?, &back)?;
    passed()
}

/// An allocation is found by its address, and is the same memory; parts of it and other memory are refused.
fn memory_of_the_program(context: &Context) -> Outcome {
    let step = granularity(&context.device())?;
    let mut own = Reservation::reserve(context, 4 * step, 0)?;
    let (first, second) = (PhysicalChunk::create(context, 2 * step)?, PhysicalChunk::create(context, step)?);
    let at = own.map(0, &first)?;
    let next = own.map(2 * step, &second)?;
    drop((first, second));
    // SAFETY: **mapped**: the mappings stay until the end of the check.
    let find = |at: u64, bytes: usize| unsafe { PhysicalChunk::of_program(context, at, bytes) };
    let found = find(at, 2 * step)?;
    let mut heap = Reservation::reserve(context, 4 * step, 0)?;
    let symmetric = heap.map(step, &found)?;
    let sent = pattern(4096, 9);
    write(context, symmetric + 2 * step as u64 - 4096, &sent)?;
    same(&read(context, at + 2 * step as u64 - 4096, 4096)?, &sent)?;
    found.export_fd()?;
    heap.unmap(step)?;
    same(&read(context, at + 2 * step as u64 - 4096, 4096)?, &sent)?;
    find(next, step)?;
    let plain = DeviceMemory::alloc(context, 2 * step)?;
    let aligned = plain.address().next_multiple_of(step as u64);
    for (what, at, bytes) in [
        ("a part", at, step),
        ("the second half", at + step as u64, step),
        ("two allocations", at, 3 * step),
        ("a size without pages", at, 2 * step - 4096),
        ("no bytes", at, 0),
        ("no memory", own.base() + 3 * step as u64, step),
        ("plain memory", aligned, step),
    ] {
        let error = refusal(find(at, bytes)).map_err(|error| format!("{what}: {error}"))?;
        ensure(error.kind() == ErrorKind::InvalidArgument, || format!("{what}: {error:?}"))?;
    }
    noted(refusal(find(at, 3 * step))?.to_string())
}

fn plain_memory(context: &Context) -> Outcome {
    let memory = DeviceMemory::alloc(context, 1 << 20)?;
    let sent = pattern(memory.bytes(), 7);
    write(context, memory.address(), &sent)?;
    same(&read(context, memory.address(), sent.len())?, &sent)?;
    refusal(DeviceMemory::alloc(context, 0))?;
    let error = refusal(DeviceMemory::alloc(context, context.device().total_memory()? + (1 << 30)))?;
    ensure(error.kind() == ErrorKind::Exhausted, || format!("{error:?}"))?;
    noted(error.to_string())
}

fn pinned_host_memory(context: &Context) -> Outcome {
    let pinned = PinnedBytes::zeroed(context, 8192)?;
    ensure(pinned.words_u64().len() == 1024 && pinned.words_u32().len() == 2048, || format!("{pinned:?}"))?;
    ensure(pinned.words_u64().iter().all(|word| word.load(Ordering::Relaxed) == 0), || "it is not zeroed".into())?;
    let sent = pattern(8192, 8);
    write(context, pinned.device(), &sent)?;
    for (word, bytes) in pinned.words_u64().iter().zip(sent.chunks_exact(8)) {
        ensure(word.load(Ordering::Acquire).to_le_bytes() == bytes, || "the host reads something else".into())?;
    }
    // SAFETY: **zero**: atomics of 0 are valid; **shared**: all fields are atomics.
    let values = unsafe { PinnedBox::<[AtomicU64; 4]>::zeroed(context) }?;
    values[3].store(0x1122_3344, Ordering::Release);
    same(&read(context, values.device() + 24, 8)?, &0x1122_3344u64.to_le_bytes())?;
    noted(format!("one address for both: {}", pinned.device() == pinned.host().as_ptr() as u64))
}

fn copies_and_fills(context: &Context) -> Outcome {
    let (one, other) = (DeviceMemory::alloc(context, 1 << 20)?, DeviceMemory::alloc(context, 1 << 20)?);
    let (a, b) = (one.address(), other.address());
    let bytes = one.bytes();
    // SAFETY: **mapped**, **unshared**: this check owns both ranges, which have that many bytes.
    unsafe {
        copy::fill_u8(context, a, 0xa5, bytes)?;
        copy::fill_u32(context, a + 4, 0x0102_0304, 2)?;
        copy::device_to_device(context, b, a, bytes)?;
    }
    let mut expected = vec![0xa5; bytes];
    expected[4..12].copy_from_slice(&[4, 3, 2, 1, 4, 3, 2, 1]);
    same(&read(context, b, bytes)?, &expected)?;

    let stream = Stream::new(context)?;
    let sent = pattern(4096, 9);
    let mut got = vec![0; 4096];
    // SAFETY: **mapped**, **unshared**: this check owns both ranges; **alive**: it waits for the stream before it
    // touches either vector.
    unsafe {
        copy::fill_u8_on(&stream, a, 1, bytes)?;
        copy::fill_u32_on(&stream, a, 2, bytes / 4)?;
        copy::host_to_device_on(&stream, a, &sent)?;
        copy::device_to_device_on(&stream, b, a, 8192)?;
        copy::device_to_host_on(&stream, &mut got, b)?;
    }
    stream.synchronize()?;
    same(&got, &sent)?;
    same(&read(context, b + 4096, 4)?, &[2, 0, 0, 0])?;
    passed()
}

fn use_from_another_thread(context: &Context) -> Outcome {
    let sent = pattern(4096, 10);
    let made = std::thread::scope(|scope| {
        let thread = scope.spawn(|| -> Result<DeviceMemory, String> {
            let memory = DeviceMemory::alloc(context, 4096).map_err(|error| error.to_string())?;
            write(context, memory.address(), &sent).map_err(|error| error.to_string())?;
            Ok(memory)
        });
        thread.join().map_err(|_| "the thread panicked".to_string())?
    })?;
    same(&read(context, made.address(), 4096)?, &sent)?;
    passed()
}

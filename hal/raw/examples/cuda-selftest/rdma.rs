//! Mutual access of a NIC and a GPU.

use std::os::fd::AsRawFd;
use std::sync::atomic::{AtomicU64, Ordering};

use oxshmem_core::ErrorKind;
use oxshmem_raw::gpu::cuda::{
    Context, DeviceMemory, MappedHost, PhysicalChunk, PinnedBytes, Reservation, device_of, dma_buf, granularity,
    synchronize_copies,
};

use crate::memory::{pattern, read, same, write};
use crate::report::{Outcome, Report, ensure, noted, passed, refusal, skipped};

/// Pages of ordinary memory.
#[repr(align(4096))]
struct Pages([AtomicU64; 1024]);

pub(crate) fn checks(report: &mut Report, gpu: &str, context: &Context) {
    report.check(&format!("{gpu}/mapped-host-memory"), || mapped_host_memory(context));
    report.check(&format!("{gpu}/mapped-registers"), || mapped_registers(context));
    report.check(&format!("{gpu}/synchronous-copies"), || synchronous_copies(context));
    report.check(&format!("{gpu}/where-memory-is"), || where_memory_is(context));
    report.check(&format!("{gpu}/dma-buf"), || a_dma_buf(context));
    report.check(&format!("{gpu}/rdma-writes-in-order"), || {
        noted(format!("{}", context.device().rdma_writes_in_order()?))
    });
}

fn pages() -> Box<Pages> {
    Box::new(Pages([const { AtomicU64::new(0) }; 1024]))
}

fn mapped_host_memory(context: &Context) -> Outcome {
    let pages = pages();
    let at = pages.0.as_ptr() as u64;
    // SAFETY: **mapped**: the pages outlive the mapping.
    let mapped = unsafe { MappedHost::memory(context, at, 8192) }?;
    let sent = pattern(8192, 3);
    write(context, mapped.device(), &sent)?;
    for (word, bytes) in pages.0.iter().zip(sent.chunks_exact(8)) {
        ensure(word.load(Ordering::Acquire).to_le_bytes() == bytes, || "the host reads something else".into())?;
    }
    pages.0[5].store(0x55, Ordering::Release);
    same(&read(context, mapped.device() + 40, 8)?, &0x55u64.to_le_bytes())?;
    // SAFETY: **mapped**: the pages outlive the mapping.
    let twice = refusal(unsafe { MappedHost::memory(context, at, 4096) })?;
    // SAFETY: **mapped**: an empty range.
    let empty = refusal(unsafe { MappedHost::memory(context, at, 0) })?;
    ensure(empty.kind() == ErrorKind::InvalidArgument, || format!("{empty:?}"))?;
    drop(mapped);
    // SAFETY: **mapped**: the pages outlive the mapping.
    drop(unsafe { MappedHost::memory(context, at, 8192) }?);
    noted(format!("a second time: {twice}"))
}

fn mapped_registers(context: &Context) -> Outcome {
    let pages = pages();
    // SAFETY: **mapped**: the pages outlive the mapping.
    match unsafe { MappedHost::registers(context, pages.0.as_ptr() as u64, 8) } {
        Ok(mapped) => noted(format!("ordinary memory passes for registers: {mapped:?}")),
        Err(error) => noted(format!("ordinary memory is refused: {error}")),
    }
}

fn synchronous_copies(context: &Context) -> Outcome {
    let memory = DeviceMemory::alloc(context, 1 << 16)?;
    synchronize_copies(context, memory.address())?;
    let error = refusal(synchronize_copies(context, 16))?;
    ensure(error.code().is_some(), || format!("{error:?}"))?;
    passed()
}

fn where_memory_is(context: &Context) -> Outcome {
    let (device, pinned, own) = (DeviceMemory::alloc(context, 64)?, PinnedBytes::zeroed(context, 64)?, pages());
    let step = granularity(&context.device())?;
    let mut space = Reservation::reserve(context, step, 0)?;
    let mapped = space.map(0, &PhysicalChunk::create(context, step)?)?;
    for (what, at, host) in [
        ("plain device memory", device.address(), false),
        ("memory mapped by hand", mapped, false),
        ("pinned memory", pinned.device(), true),
        ("ordinary memory", own.0.as_ptr() as u64, true),
    ] {
        ensure(device_of(at)?.is_none() == host, || format!("{what} is said to be elsewhere"))?;
    }
    passed()
}

fn a_dma_buf(context: &Context) -> Outcome {
    if !context.device().dma_buf_supported()? {
        return skipped("the device has no dma-bufs");
    }
    let memory = DeviceMemory::alloc(context, 4 << 20)?;
    let at = memory.address().next_multiple_of(1 << 16);
    let fd = match dma_buf(context, at, 1 << 20) {
        Ok(fd) => fd,
        // A sandbox may block the driver's system call.
        Err(error) => return skipped(error.to_string()),
    };
    ensure(fd.as_raw_fd() > 2, || format!("{fd:?}"))?;
    let outside = refusal(dma_buf(context, at, 1 << 40))?;
    noted(format!("outside of an allocation: {outside}"))
}

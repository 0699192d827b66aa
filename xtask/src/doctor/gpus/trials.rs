//! Trials of the capabilities that the driver announces. Each uses the least memory, and waits for no kernel but its own.

use std::os::fd::AsFd;

use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_raw::gpu::cuda::{
    self, Context, Device, DeviceMemory, LaunchShape, Module, PhysicalChunk, Reservation, Stream, copy, granularity,
    launch,
};

/// A kernel without parameters and effects, for every GPU since sm_70.
const EMPTY_KERNEL: &str = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry doctor()\n{\n ret;\n}\n";
const THREADS: u32 = 32;
/// The bytes that a trial copies.
const BYTES: usize = 4096;

/// Maps memory of `owner` for `user`, which copies bytes into it. `owner` then reads them.
pub(super) fn mapped_copy(user: &Context, owner: &Context) -> Result<String> {
    let chunk = PhysicalChunk::create(owner, step(&user.device(), &owner.device())?)?;
    let (of_user, of_owner) = (mapped(user, &chunk)?, mapped(owner, &chunk)?);
    // SAFETY: **mapped**: both reservations have the chunk at their first address. **unshared**: no other code has it.
    unsafe { copied(user, of_user.base(), owner, of_owner.base()) }
}

/// Exports memory as a file descriptor, imports it, and copies through both mappings.
pub(super) fn descriptor_copy(context: &Context) -> Result<String> {
    let chunk = PhysicalChunk::create(context, granularity(&context.device())?)?;
    let imported = PhysicalChunk::import_fd(context, chunk.export_fd()?.as_fd(), chunk.bytes())?;
    let (to, from) = (mapped(context, &imported)?, mapped(context, &chunk)?);
    // SAFETY: **mapped**: both reservations have the same memory at their first address. **unshared**: no other code has it.
    unsafe { copied(context, to.base(), context, from.base()) }
}

/// Copies from a GPU into memory of another one that the driver allocated and mapped, as without virtual memory management.
pub(super) fn peer_copy(user: &Context, owner: &Context) -> Result<String> {
    let memory = DeviceMemory::alloc(owner, BYTES)?;
    user.enable_peer_access(owner)?;
    // SAFETY: **mapped**: the allocation has these bytes, and `user` may access it. **unshared**: no other code has it.
    unsafe { copied(user, memory.address(), owner, memory.address()) }
}

/// Exports mapped memory as a DMA buffer.
pub(super) fn dma_buf(context: &Context) -> Result<String> {
    let chunk = PhysicalChunk::create(context, granularity(&context.device())?)?;
    let memory = mapped(context, &chunk)?;
    cuda::dma_buf(context, memory.base(), memory.bytes())?;
    Ok(format!("{} KiB exported", memory.bytes() >> 10))
}

/// Runs as many blocks of a kernel as the GPU keeps resident.
pub(super) fn collective_launch(context: &Context) -> Result<String> {
    let kernel = Module::load(context, EMPTY_KERNEL.as_bytes())?.function("doctor")?;
    let blocks = kernel.max_resident_blocks(THREADS, 0)?;
    let stream = Stream::new(context)?;
    // SAFETY: **arguments**: the kernel has no parameters. **kernel**: it accesses no memory. **early**: it is not.
    unsafe { launch(&kernel, &LaunchShape::linear(blocks, THREADS).cooperative(), &stream, &mut []) }?;
    stream.synchronize_within(std::time::Duration::from_secs(20))?;
    Ok(format!("{blocks} blocks ran at once"))
}

/// Returns the least number of bytes that both devices can map.
fn step(one: &Device, other: &Device) -> Result<usize> {
    Ok(granularity(one)?.max(granularity(other)?))
}

fn mapped(context: &Context, chunk: &PhysicalChunk) -> Result<Reservation> {
    let mut reservation = Reservation::reserve(context, chunk.bytes(), 0)?;
    reservation.map(0, chunk)?;
    Ok(reservation)
}

/// Copies bytes of `user`'s own memory to `to`, and compares them with those that `owner` then reads at `from`.
///
/// # Safety
///
/// - **mapped**: `to` for `user` and `from` for `owner` are the same memory of [`BYTES`] bytes at least.
/// - **unshared**: no other code accesses it.
unsafe fn copied(user: &Context, to: u64, owner: &Context, from: u64) -> Result<String> {
    let bytes: Vec<u8> = (0..BYTES).map(|i| (i % 251) as u8 ^ 0x5a).collect();
    let source = DeviceMemory::alloc(user, BYTES)?;
    let mut read = vec![0; BYTES];
    // SAFETY: **mapped** and **unshared**: it was just allocated with these bytes.
    unsafe { copy::host_to_device(user, source.address(), &bytes) }?;
    // SAFETY: as above for the source; by the caller for `to`.
    unsafe { copy::device_to_device(user, to, source.address(), BYTES) }?;
    // SAFETY: **mapped** and **unshared** by the caller.
    unsafe { copy::device_to_host(owner, &mut read, from) }?;
    match bytes.iter().zip(&read).position(|(wrote, read)| wrote != read) {
        None => Ok(format!("{} KiB copied and compared", BYTES >> 10)),
        Some(at) => {
            Err(Error::new(ErrorKind::Malformed, format!("copy {BYTES} bytes from {}", user.device())).because(
                format!("{} read {:#x} at byte {at}, where {:#x} was written", owner.device(), read[at], bytes[at]),
            ))
        }
    }
}

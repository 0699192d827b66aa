//! Copies and fills, by device address.
//!
//! The functions named `_on` enqueue the work on a stream and return. The others return when the work is done, and wait
//! for no kernel.
//!
//! Safety clauses that they share:
//! - **mapped**: the named device addresses are mapped for the context's device (or by the driver itself) for the named
//!   number of bytes, until the work is done.
//! - **unshared**: until then no other code writes the source, or reads or writes the destination.
//! - **alive**: until the stream has done the work, the host bytes stay in place.

use oxshmem_core::host::Result;

use super::context::Context;
use super::stream::Stream;

fn moving(bytes: usize, what: &str, context: &Context) -> String {
    format!("copy {bytes} bytes {what} {}", context.device())
}

fn filling(bytes: usize, at: u64, context: &Context) -> String {
    format!("fill {bytes} bytes at {at:#x} of {}", context.device())
}

/// Copies from the host to the device.
///
/// # Safety
///
/// **mapped** and **unshared** for `to`, as defined above.
pub unsafe fn host_to_device(context: &Context, to: u64, from: &[u8]) -> Result<()> {
    if from.is_empty() {
        return Ok(());
    }
    let _current = context.enter()?;
    let copies = context.copies();
    // SAFETY: **current**: entered above. **mapped** by the caller.
    unsafe { copies.write(context.driver(), to, from, || moving(from.len(), "from the host to", context)) }
}

/// Copies from the device to the host.
///
/// # Safety
///
/// **mapped** and **unshared** for `from`, as defined above.
pub unsafe fn device_to_host(context: &Context, to: &mut [u8], from: u64) -> Result<()> {
    if to.is_empty() {
        return Ok(());
    }
    let _current = context.enter()?;
    let (copies, bytes) = (context.copies(), to.len());
    // SAFETY: **current**: entered above. **mapped** by the caller.
    unsafe { copies.read(context.driver(), to, from, || moving(bytes, "to the host from", context)) }
}

/// Copies between device addresses, also of two devices. The ranges don't overlap.
///
/// # Safety
///
/// **mapped** and **unshared** for both, as defined above.
pub unsafe fn device_to_device(context: &Context, to: u64, from: u64, bytes: usize) -> Result<()> {
    if bytes == 0 {
        return Ok(());
    }
    let _current = context.enter()?;
    let driver = context.driver();
    // SAFETY: **mapped** and **unshared** by the caller.
    let copy = |stream| unsafe { driver.cuMemcpyDtoDAsync_v2(to, from, bytes, stream) };
    context.copies().run(driver, copy, || moving(bytes, "between device addresses by", context))
}

/// Sets bytes on the device.
///
/// # Safety
///
/// **mapped** and **unshared** for `bytes` at `at`, as defined above.
pub unsafe fn fill_u8(context: &Context, at: u64, value: u8, bytes: usize) -> Result<()> {
    if bytes == 0 {
        return Ok(());
    }
    let _current = context.enter()?;
    let driver = context.driver();
    // SAFETY: **mapped** and **unshared** by the caller.
    let fill = |stream| unsafe { driver.cuMemsetD8Async(at, value, bytes, stream) };
    context.copies().run(driver, fill, || filling(bytes, at, context))
}

/// Sets `count` 32-bit words on the device; `at` is a multiple of 4.
///
/// # Safety
///
/// **mapped** and **unshared** for `4 * count` bytes at `at`, as defined above.
pub unsafe fn fill_u32(context: &Context, at: u64, value: u32, count: usize) -> Result<()> {
    if count == 0 {
        return Ok(());
    }
    let _current = context.enter()?;
    let driver = context.driver();
    // SAFETY: **mapped** and **unshared** by the caller; the driver checks the alignment.
    let fill = |stream| unsafe { driver.cuMemsetD32Async(at, value, count, stream) };
    context.copies().run(driver, fill, || filling(4 * count, at, context))
}

/// Copies from the host to the device, in a stream.
///
/// # Safety
///
/// **mapped** and **unshared** for `to`; **alive** and **unshared** for `from`, as defined above.
pub unsafe fn host_to_device_on(stream: &Stream, to: u64, from: &[u8]) -> Result<()> {
    if from.is_empty() {
        return Ok(());
    }
    let context = stream.context();
    let _current = context.enter()?;
    // SAFETY: **mapped**, **alive** and **unshared** by the caller; the stream is alive.
    unsafe { context.driver().cuMemcpyHtoDAsync_v2(to, from.as_ptr().cast(), from.len(), stream.raw_stream()) }
        .or_cannot(|| moving(from.len(), "from the host to", context))
}

/// Copies from the device to the host, in a stream.
///
/// # Safety
///
/// **mapped** and **unshared** for `from`; **alive** and **unshared** for `to`, as defined above.
pub unsafe fn device_to_host_on(stream: &Stream, to: &mut [u8], from: u64) -> Result<()> {
    if to.is_empty() {
        return Ok(());
    }
    let context = stream.context();
    let _current = context.enter()?;
    // SAFETY: **mapped**, **alive** and **unshared** by the caller; the stream is alive.
    unsafe { context.driver().cuMemcpyDtoHAsync_v2(to.as_mut_ptr().cast(), from, to.len(), stream.raw_stream()) }
        .or_cannot(|| moving(to.len(), "to the host from", context))
}

/// Copies between device addresses, also of two devices, in a stream. The ranges don't overlap.
///
/// # Safety
///
/// **mapped** and **unshared** for both, as defined above.
pub unsafe fn device_to_device_on(stream: &Stream, to: u64, from: u64, bytes: usize) -> Result<()> {
    if bytes == 0 {
        return Ok(());
    }
    let context = stream.context();
    let _current = context.enter()?;
    // SAFETY: **mapped** and **unshared** by the caller; the stream is alive.
    unsafe { context.driver().cuMemcpyDtoDAsync_v2(to, from, bytes, stream.raw_stream()) }
        .or_cannot(|| moving(bytes, "between device addresses by", context))
}

/// Copies between any two addresses of devices or of pinned host memory, in a stream. The ranges don't overlap.
///
/// # Errors
///
/// The driver refuses a range that extends past the allocation in which it begins.
///
/// # Safety
///
/// **mapped** and **unshared** for both, as defined above.
pub unsafe fn anywhere_on(stream: &Stream, to: u64, from: u64, bytes: usize) -> Result<()> {
    if bytes == 0 {
        return Ok(());
    }
    let context = stream.context();
    let _current = context.enter()?;
    // SAFETY: **mapped** and **unshared** by the caller; the stream is alive.
    unsafe { context.driver().cuMemcpyAsync(to, from, bytes, stream.raw_stream()) }
        .or_cannot(|| moving(bytes, &format!("from {from:#x} to {to:#x} by"), context))
}

/// Sets bytes on the device, in a stream.
///
/// # Safety
///
/// **mapped** and **unshared** for `bytes` at `at`, as defined above.
pub unsafe fn fill_u8_on(stream: &Stream, at: u64, value: u8, bytes: usize) -> Result<()> {
    if bytes == 0 {
        return Ok(());
    }
    let context = stream.context();
    let _current = context.enter()?;
    // SAFETY: **mapped** and **unshared** by the caller; the stream is alive.
    unsafe { context.driver().cuMemsetD8Async(at, value, bytes, stream.raw_stream()) }
        .or_cannot(|| filling(bytes, at, context))
}

/// Sets `count` 32-bit words on the device, in a stream; `at` is a multiple of 4.
///
/// # Safety
///
/// **mapped** and **unshared** for `4 * count` bytes at `at`, as defined above.
pub unsafe fn fill_u32_on(stream: &Stream, at: u64, value: u32, count: usize) -> Result<()> {
    if count == 0 {
        return Ok(());
    }
    let context = stream.context();
    let _current = context.enter()?;
    // SAFETY: **mapped** and **unshared** by the caller; the stream is alive; the driver checks the alignment.
    unsafe { context.driver().cuMemsetD32Async(at, value, count, stream.raw_stream()) }
        .or_cannot(|| filling(count.saturating_mul(4), at, context))
}

//! Accesses of one device to another's memory.

use std::os::fd::AsFd;

use oxshmem_raw::gpu::cuda::{
    Context, DeviceMemory, LaunchShape, Module, PhysicalChunk, Reservation, Stream, granularity,
};

use crate::kernels::{PTX, write_index};
use crate::memory::{pattern, read, same, write};
use crate::report::{Outcome, Report, noted, passed, skipped};

pub(crate) fn checks(report: &mut Report, contexts: &[Context]) {
    if contexts.len() < 2 {
        report.check("pairs", || skipped("it takes two GPUs"));
    }
    for one in contexts {
        for other in contexts {
            let (a, b) = (one.device(), other.device());
            if a == b {
                continue;
            }
            let name = format!("gpu{}-in-gpu{}", a.ordinal(), b.ordinal());
            report.check(&format!("{name}/link"), || {
                noted(format!(
                    "access {}, native atomics {}, rank {}",
                    a.can_access_peer(&b)?,
                    a.native_atomics_with(&b)?,
                    a.performance_rank_to(&b)?
                ))
            });
            report.check(&format!("{name}/vmm"), || vmm(one, other, false));
            report.check(&format!("{name}/vmm-by-fd"), || vmm(one, other, true));
            report.check(&format!("{name}/peer-access"), || peer_access(one, other));
        }
    }
}

/// Maps memory of `other` for `one`; a kernel of `one` writes there, and `other` reads it.
fn vmm(one: &Context, other: &Context, by_fd: bool) -> Outcome {
    let (a, b) = (one.device(), other.device());
    if !a.can_access_peer(&b)? || !a.vmm_supported()? || !b.vmm_supported()? {
        return skipped("the devices don't reach each other so");
    }
    if by_fd && !b.posix_fd_handles_supported()? {
        return skipped("the device doesn't share memory by file descriptor");
    }
    let bytes = granularity(&a)?.max(granularity(&b)?);
    let chunk = PhysicalChunk::create(other, bytes)?;
    let for_one = if by_fd { PhysicalChunk::import_fd(one, chunk.export_fd()?.as_fd(), bytes)? } else { chunk.clone() };
    let mut near = Reservation::reserve(other, bytes, 0)?;
    let mut far = Reservation::reserve(one, bytes, 0)?;
    let (owner_at, peer_at) = (near.map(0, &chunk)?, far.map(0, &for_one)?);

    let count = (bytes / 4) as u32;
    let function = Module::load(one, PTX.as_bytes())?.function("write_index")?;
    write_index(&function, &LaunchShape::linear(count.div_ceil(256), 256), &Stream::new(one)?, peer_at, count)?;
    let expected: Vec<u8> = (0..count).flat_map(u32::to_le_bytes).collect();
    same(&read(other, owner_at, bytes)?, &expected)?;

    let sent = pattern(bytes, 11);
    write(other, owner_at, &sent)?;
    same(&read(one, peer_at, bytes)?, &sent)?;
    passed()
}

fn peer_access(one: &Context, other: &Context) -> Outcome {
    if !one.device().can_access_peer(&other.device())? {
        return skipped("the devices don't reach each other");
    }
    one.enable_peer_access(other)?;
    one.enable_peer_access(other)?;
    one.enable_peer_access(one)?;
    let memory = DeviceMemory::alloc(other, 4096)?;
    let function = Module::load(one, PTX.as_bytes())?.function("write_index")?;
    write_index(&function, &LaunchShape::linear(4, 256), &Stream::new(one)?, memory.address(), 1024)?;
    let expected: Vec<u8> = (0..1024u32).flat_map(u32::to_le_bytes).collect();
    same(&read(other, memory.address(), 4096)?, &expected)?;
    passed()
}

//! Checks of the device itself: its statements, the forms of its answers, its refusals.

use std::fs::read_dir;
use std::time::Instant;

use oxshmem_core::{AmoOp, AmoType};
use oxshmem_rdma::fabric::{Completion, EndpointRequest, Handle, INLINE_BYTES, PeerAddress, PostErrorKind};

use super::end::{Setup, request};
use super::lane::Lane;
use crate::memory::Shared;
use crate::report::{Outcome, ensure, noted, passed, refusal, skipped};

/// Maximum bytes of an address or a key.
const MOST: usize = 65535;
/// A handle that no device has given out.
const UNKNOWN: Handle = Handle(u64::MAX - 12_345);
/// Devices that are opened and dropped.
const DEVICES: usize = 32;

pub(super) fn states(setup: &Setup) -> Outcome {
    let end = setup.end(0)?;
    let caps = end.caps;
    ensure(caps.atomics.has(AmoOp::CompareSwap, AmoType::B64), || "it has no compare-and-swap of 8 bytes".into())?;
    ensure(caps.max_message_bytes >= 8, || format!("messages of {} bytes", caps.max_message_bytes))?;
    let depth = setup.options.depth;
    ensure(caps.max_depth >= depth, || format!("{} work requests, where {depth} were requested", caps.max_depth))?;
    ensure(caps.max_endpoints > 0 && caps.max_completions >= depth, || format!("{caps:?}"))?;
    ensure(end.device.capabilities() == caps, || "they have changed".into())?;
    noted(format!("{caps:?}"))
}

pub(super) fn forms(setup: &Setup) -> Outcome {
    let end = setup.end(0)?;
    let name = end.device.name();
    ensure(!name.is_empty() && end.device.describe().starts_with(name), || {
        format!("the description of {name} does not begin with its name: {}", end.device.describe())
    })?;
    ensure(end.device.address().len() <= MOST, || "its address is too long".into())?;
    ensure(end.region.remote_key.len() <= MOST, || "its keys are too long".into())?;
    let asked = EndpointRequest { depth: setup.options.depth, inline_bytes: INLINE_BYTES as u32 };
    let (endpoint, address) = end.device.create_endpoint(end.queue, &asked)?;
    ensure(address.len() < MOST, || "an endpoint's address is too long".into())?;
    ensure(endpoint.depth >= 1 && endpoint.inline_bytes <= INLINE_BYTES as u32, || format!("{endpoint:?}"))?;
    let private = Shared::new();
    let region = end.device.register(&request(end.pe, &private, false))?;
    ensure(region.remote_key.is_empty(), || "memory that is not for peers has a key for peers".into())?;
    end.device.deregister(region.handle)?;
    passed()
}

pub(super) fn malformed(setup: &Setup) -> Outcome {
    let [near, far] = setup.ends()?;
    if !far.region.remote_key.is_empty() {
        refusal(near.device.import_key(far.pe, &[]))?;
    }
    let asked = EndpointRequest { depth: setup.options.depth, inline_bytes: 0 };
    let (endpoint, address) = near.device.create_endpoint(near.queue, &asked)?;
    if far.device.address().is_empty() && address.is_empty() {
        return skipped("its addresses are empty");
    }
    refusal(near.device.connect(endpoint.handle, &PeerAddress { pe: far.pe, device: &[], endpoint: &[] }))?;
    passed()
}

pub(super) fn handles(setup: &Setup) -> Outcome {
    let [near, far] = setup.ends()?;
    let mut lane = Lane::new(setup, &near, &far, 1)?;
    let device = near.device.clone();
    refusal(device.destroy_completion_queue(lane.queue)).map_err(|_| "a queue with endpoints was destroyed")?;
    for refused in [device.deregister(UNKNOWN), device.destroy_completion_queue(UNKNOWN), device.stop(UNKNOWN)] {
        refusal(refused).map_err(|_| "an unknown handle was taken")?;
    }
    refusal(device.poll(UNKNOWN, &mut [Completion::default()])).map_err(|_| "an unknown queue was polled")?;
    let write = lane.write(1, 0, 8, 64);
    let refused = device.post(UNKNOWN, &[write]).err().ok_or("an unknown endpoint took a request")?;
    ensure((refused.posted, refused.kind) == (0, PostErrorKind::Failed), || format!("{refused:?}"))?;
    // The refusals have changed nothing.
    lane.done(0, write)?;
    let endpoint = lane.endpoints[0].handle;
    lane.give_back()?;
    refusal(device.destroy_endpoint(endpoint)).map_err(|_| "an endpoint was destroyed twice")?;
    device.deregister(near.region.handle)?;
    refusal(device.deregister(near.region.handle)).map_err(|_| "a registration ended twice")?;
    passed()
}

pub(super) fn dropped(setup: &Setup) -> Outcome {
    let counts = || ["/proc/self/fd", "/proc/self/task"].map(|folder| read_dir(folder).map_or(0, Iterator::count));
    let opened = || -> Outcome {
        let [near, far] = setup.ends()?;
        let mut lane = Lane::new(setup, &near, &far, 1)?;
        lane.done(0, lane.write(1, 0, 8, 64))?;
        passed()
    };
    // Libraries keep some objects of their first use.
    opened()?;
    let (before, begun) = (counts(), Instant::now());
    for _ in 0..DEVICES {
        opened()?;
        setup.in_time("opening and dropping devices")?;
    }
    let after = counts();
    // Other tests of this process may open files and start threads meanwhile, but not as many.
    let left = [0, 1].map(|kind| after[kind].saturating_sub(before[kind]));
    ensure(left.iter().all(|left| *left < DEVICES), || {
        format!("{} open files and {} threads are left of {DEVICES} pairs of devices", left[0], left[1])
    })?;
    noted(format!("{DEVICES} pairs of devices in {} ms", begun.elapsed().as_millis()))
}

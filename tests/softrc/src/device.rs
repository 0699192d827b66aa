//! The device of one PE.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use oxshmem_core::Pe;
use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_raw::gpu::cuda::device_of;
use oxshmem_rdma::fabric::{
    Capabilities, Completion, Endpoint, EndpointRequest, FabricDevice, Handle, Local, MemoryRegion, MemoryRequest,
    Operation, PeerAddress, PostError, PostErrorKind, Region, WorkRequest,
};

use crate::execute::Scratch;
use crate::queue::{Cq, Posted, Ready, SoftEndpoint, State};
use crate::{EmptyFetches, KnownEndpoint, Network, Registered, lock};

/// First byte of a key, which distinguishes keys from other bytes.
const KEY_TAG: u8 = 0xa5;

/// A device in software.
#[derive(Debug)]
pub struct Device {
    pub(crate) network: Arc<Network>,
    pub(crate) pe: u32,
    name: String,
    pub(crate) objects: Mutex<Objects>,
    handles: AtomicU64,
}

#[derive(Debug, Default)]
pub(crate) struct Objects {
    pub(crate) endpoints: BTreeMap<u64, SoftEndpoint>,
    pub(crate) cqs: BTreeMap<u64, Cq>,
    /// Keys of this device's registrations in the network.
    keys: BTreeSet<u32>,
    pub(crate) scratch: Scratch,
    pub(crate) random: u64,
}

impl Objects {
    /// Draws the next random number below `below`.
    pub(crate) fn draw(&mut self, below: u64) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random % below
    }
}

impl Device {
    pub(crate) fn new(network: Arc<Network>, pe: u32, name: &str) -> Self {
        let random = (network.options.seed ^ u64::from(pe) << 32).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let objects = Mutex::new(Objects { random, ..Objects::default() });
        Self { network, pe, name: name.into(), objects, handles: AtomicU64::new(1) }
    }

    fn handle(&self) -> u64 {
        self.handles.fetch_add(1, Ordering::Relaxed)
    }

    fn none(&self, what: &str) -> Error {
        Error::new(ErrorKind::InvalidArgument, format!("use {what} of {}", self.name)).because("there is no such")
    }
}

impl Drop for Device {
    /// Releases the rest, so that peers' requests fail and reach no memory that was freed.
    fn drop(&mut self) {
        let Objects { endpoints, keys, .. } = self.objects.get_mut().unwrap_or_else(PoisonError::into_inner);
        let mut connected = self.network.endpoints.write().unwrap_or_else(PoisonError::into_inner);
        endpoints.values().for_each(|endpoint| _ = connected.remove(&endpoint.number));
        let mut regions = self.network.regions.write().unwrap_or_else(PoisonError::into_inner);
        keys.iter().for_each(|key| _ = regions.remove(key));
    }
}

// SAFETY:
// - **named**: each request is checked against the registered range of its key, at both ends.
// - **until**, **once**: a request is executed when it is taken, before its one completion is made; dropping the device ends its registrations.
unsafe impl FabricDevice for Device {
    fn name(&self) -> &str {
        &self.name
    }

    fn describe(&self) -> String {
        format!("{} (in software)", self.name)
    }

    fn capabilities(&self) -> Capabilities {
        let options = self.network.options;
        Capabilities {
            max_endpoints: 1 << 16,
            max_depth: options.max_depth,
            max_completions: 1 << 22,
            max_message_bytes: options.max_message.into(),
            atomics: options.atomics,
            ordered: options.ordered,
            needs_progress: options.needs_progress,
            dma_buf: false,
            empty_fetches: options.empty_fetches != EmptyFetches::None,
        }
    }

    fn address(&self) -> Vec<u8> {
        self.name.as_bytes().to_vec()
    }

    fn register(&self, request: &MemoryRequest) -> Result<MemoryRegion> {
        let Region::Address(address) = request.region else { return Err(self.none("a DMA buffer")) };
        let gpu = if request.of_gpu { device_of(address)?.map(|gpu| gpu.ordinal()) } else { None };
        self.network.gpus.meet(gpu)?;
        let key = self.network.number();
        let base = if self.network.options.wanted_bases { request.wanted_base } else { address };
        // The base in peers' work requests may differ from the base in this PE's.
        let remote_base = if self.network.options.wanted_bases { request.wanted_base } else { 0 };
        let (bytes, remote) = (request.bytes, request.remote);
        let registered = Registered { pe: self.pe, address, gpu, bytes, base, remote_base, remote };
        self.network.regions.write().unwrap_or_else(PoisonError::into_inner).insert(key, registered);
        lock(&self.objects).keys.insert(key);
        let key = u64::from(key);
        let remote_key = if remote { [&[KEY_TAG], &wide(key).to_le_bytes()[..]].concat() } else { Vec::new() };
        Ok(MemoryRegion { handle: Handle(key), local_key: wide(key), local_base: base, remote_key, remote_base })
    }

    fn deregister(&self, region: Handle) -> Result<()> {
        let key = u32::try_from(region.0).ok().filter(|key| lock(&self.objects).keys.remove(key));
        let gone =
            key.and_then(|key| self.network.regions.write().unwrap_or_else(PoisonError::into_inner).remove(&key));
        gone.map(drop).ok_or_else(|| self.none("a registration"))
    }

    fn import_key(&self, _: Pe, key: &[u8]) -> Result<u64> {
        let key = key.strip_prefix(&[KEY_TAG]).and_then(|key| key.try_into().ok());
        key.map(u64::from_le_bytes).ok_or_else(|| self.none("a key"))
    }

    fn create_completion_queue(&self, entries: u32) -> Result<Handle> {
        let handle = self.handle();
        lock(&self.objects).cqs.insert(handle, Cq { entries, ..Cq::default() });
        Ok(Handle(handle))
    }

    fn destroy_completion_queue(&self, queue: Handle) -> Result<()> {
        let mut objects = lock(&self.objects);
        if objects.endpoints.values().any(|endpoint| endpoint.cq == queue.0) {
            return Err(self.none("a completion queue without endpoints"));
        }
        objects.cqs.remove(&queue.0).map(drop).ok_or_else(|| self.none("a completion queue"))
    }

    fn create_endpoint(&self, queue: Handle, request: &EndpointRequest) -> Result<(Endpoint, Vec<u8>)> {
        if self.network.is_full(self.pe) {
            return Err(Error::new(ErrorKind::Exhausted, "create an endpoint").because("the device is full"));
        }
        let (handle, options) = (self.handle(), self.network.options);
        let number = self.network.number();
        let made = Endpoint {
            handle: Handle(handle),
            depth: options.given_depth.unwrap_or(request.depth).min(options.max_depth),
            inline_bytes: request.inline_bytes.min(options.inline_bytes),
        };
        let endpoint = SoftEndpoint {
            made,
            number,
            cq: queue.0,
            state: State::Created,
            peer: 0,
            remote: 0,
            queue: VecDeque::new(),
            held: 0,
            silent: 0,
            posted: 0,
            wrote: 0,
        };
        lock(&self.objects).endpoints.insert(handle, endpoint);
        let known = KnownEndpoint { pe: self.pe, is_connected: false };
        self.network.endpoints.write().unwrap_or_else(PoisonError::into_inner).insert(number, known);
        Ok((made, number.to_le_bytes().to_vec()))
    }

    fn connect(&self, endpoint: Handle, to: &PeerAddress<'_>) -> Result<()> {
        let remote = to.endpoint.try_into().map(u32::from_le_bytes).map_err(|_| self.none("a peer's address"))?;
        let peers = self.network.endpoints.read().unwrap_or_else(PoisonError::into_inner);
        let peer = peers.get(&remote).ok_or_else(|| self.none("a peer's endpoint"))?.pe;
        drop(peers);
        if peer != to.pe.number() || !to.device.starts_with(format!("soft{peer}").as_bytes()) {
            return Err(self.none(&format!("an endpoint of {} for {}", String::from_utf8_lossy(to.device), to.pe)));
        }
        let mut objects = lock(&self.objects);
        let endpoint = objects.endpoints.get_mut(&endpoint.0).ok_or_else(|| self.none("an endpoint"))?;
        (endpoint.peer, endpoint.remote, endpoint.state) = (peer, remote, State::Connected);
        let mut endpoints = self.network.endpoints.write().unwrap_or_else(PoisonError::into_inner);
        endpoints.entry(endpoint.number).and_modify(|known| known.is_connected = true);
        Ok(())
    }

    fn stop(&self, endpoint: Handle) -> Result<()> {
        let mut objects = lock(&self.objects);
        let endpoint = objects.endpoints.get_mut(&endpoint.0).ok_or_else(|| self.none("an endpoint"))?;
        endpoint.state = State::Stopped;
        Ok(())
    }

    fn destroy_endpoint(&self, endpoint: Handle) -> Result<()> {
        let gone = lock(&self.objects).endpoints.remove(&endpoint.0);
        let gone = gone.ok_or_else(|| self.none("an endpoint"))?;
        self.network.endpoints.write().unwrap_or_else(PoisonError::into_inner).remove(&gone.number);
        Ok(())
    }

    fn post(&self, endpoint: Handle, list: &[WorkRequest]) -> std::result::Result<(), PostError> {
        let network = &self.network;
        if !lock(&network.panics).is_empty() && lock(&network.panics).remove(&self.pe) {
            panic!("the device of PE {} was told to", self.pe);
        }
        network.lists.fetch_add(1, Ordering::Relaxed);
        network.posted.fetch_add(list.len() as u64, Ordering::Relaxed);
        let mut objects = lock(&self.objects);
        let again = network.options.again != 0 && objects.draw(256) < network.options.again.into();
        let Objects { endpoints, cqs, .. } = &mut *objects;
        let refused = |posted, kind| Err(PostError { posted, kind, code: 0, call: "post" });
        let Some(cq) = endpoints.get(&endpoint.0).map(|endpoint| endpoint.cq) else {
            return refused(0, PostErrorKind::Failed);
        };
        if again {
            return refused(0, PostErrorKind::Again);
        }
        let before: u32 = endpoints.values().filter(|other| other.cq == cq).map(|other| other.held).sum();
        let handle = endpoint.0;
        let endpoint = endpoints.get_mut(&handle).expect("found before");
        if network.options.sink {
            let cq = cqs.get_mut(&cq).expect("an endpoint's");
            let completion = |wr: &WorkRequest| Completion { id: wr.id, ..Completion::default() };
            let ready = |wr| Ready { endpoint: handle, completion: completion(wr), frees: 0 };
            cq.ready.extend(list.iter().filter(|wr| wr.signalled).map(ready));
            return Ok(());
        }
        let peer_polls = network.polls(endpoint.peer);
        for (posted, wr) in list.iter().enumerate() {
            if endpoint.held >= endpoint.made.depth {
                network.overruns.fetch_add(1, Ordering::Relaxed);
                return refused(posted, PostErrorKind::Full);
            }
            let inline = match wr.local {
                Local::Inline { bytes, .. } => u32::from(bytes),
                Local::Memory { .. } => 0,
            };
            let is_native = match wr.op {
                Operation::Atomic(atomic) => network.options.atomics.has(atomic.op, atomic.of),
                Operation::Write | Operation::Read => true,
            };
            if inline > endpoint.made.inline_bytes || !is_native || endpoint.state == State::Created {
                return refused(posted, PostErrorKind::Failed);
            }
            endpoint.posted += 1;
            let is_write = matches!(wr.op, Operation::Write);
            let after_write = !is_write
                && match network.options.empty_fetches {
                    EmptyFetches::None => false,
                    // The last `held` requests are not known to be complete.
                    EmptyFetches::BehindWrites => endpoint.wrote + u64::from(endpoint.held) >= endpoint.posted,
                    EmptyFetches::BesideWrites => endpoint.wrote > 0,
                };
            if is_write {
                endpoint.wrote = endpoint.posted;
            }
            endpoint.held += 1;
            if cqs.get(&cq).is_none_or(|cq| before as usize + posted >= cq.entries as usize) {
                network.overruns.fetch_add(1, Ordering::Relaxed);
            }
            endpoint.queue.push_back(Posted { wr: *wr, after_write, peer_polls });
        }
        Ok(())
    }

    fn poll(&self, queue: Handle, out: &mut [Completion]) -> Result<usize> {
        self.network.polled(self.pe);
        let mut objects = lock(&self.objects);
        if !objects.cqs.contains_key(&queue.0) {
            return Err(self.none("a completion queue"));
        }
        if !self.network.options.sink {
            if objects.draw(256) < self.network.options.delay.into() || lock(&self.network.held).contains(&self.pe) {
                return Ok(0);
            }
            self.execute(&mut objects, queue.0);
        }
        let Objects { endpoints, cqs, .. } = &mut *objects;
        let cq = cqs.get_mut(&queue.0).ok_or_else(|| self.none("a completion queue"))?;
        if cq.lost {
            return Err(Error::new(ErrorKind::Fault, "poll a completion queue").because("it has overflowed"));
        }
        let count = out.len().min(cq.ready.len());
        for (to, ready) in out.iter_mut().zip(cq.ready.drain(..count)) {
            *to = ready.completion;
            if let Some(endpoint) = endpoints.get_mut(&ready.endpoint) {
                endpoint.held -= ready.frees;
            }
        }
        Ok(count)
    }
}

/// Spreads a number over all 64 bits of a key.
fn wide(key: u64) -> u64 {
    key | !key << 32
}

/// Returns the number of a key. `None`: the value is not a key.
pub(crate) fn narrow(key: u64) -> Option<u32> {
    let low = key as u32;
    (wide(low.into()) == key).then_some(low)
}

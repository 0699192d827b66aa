//! The software NIC's queues executed by a kernel: `resident` of `oxshmem-nic-kernels`, on the GPU of the queues, or on
//! a thread of the host for host PEs.
//!
//! The kernel does not run for ever. Calls such as `cuMemFree`, `cuModuleUnload`, `cuMemFreeHost`, `cuMemHostRegister`
//! and `cuCtxSynchronize` wait for every kernel that runs, so that one without an end hangs them, and with them the
//! program that the kernel serves. So it runs in *slices* of milliseconds, one behind the other, in a stream of its own,
//! for as long as there are queues. Between two slices nothing looks at the tables, and that is when they are changed.
//!
//! - `engine`: the thread that launches slices, and what it is told; `runner`: what it does between two slices,
//!   `served` with each queue, `parked` with one at which the kernel does not get on.
//! - `launch`: the kernel, on a GPU and on the host; `room`: memory for both sides.
//! - `keys`: the table of keys; `mapping`: memory of other devices and processes.

mod engine;
mod keys;
mod launch;
mod mapping;
mod parked;
mod room;
mod runner;
mod served;

use std::collections::HashMap;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use oxshmem_raw::gpu::cuda::{self, Context, Device, MappedHost};
use oxshmem_raw::memory::Memory;
use oxshmem_softnic::{DataPlane, Pinned, PlaneQueue, PlaneRegion};

use engine::Engine;

/// Whether to tell what happens: `OXSHMEM_SOFTNIC_TRACE`.
pub(super) fn traces() -> bool {
    std::env::var("OXSHMEM_SOFTNIC_TRACE").is_ok_and(|text| !text.is_empty() && text != "0")
}

/// Tells something on standard error, in one piece.
fn tell(what: String) {
    use std::io::Write;
    let text = format!("softnic engine {}: {what}\n", std::process::id());
    // Who closed it does not want to know.
    let _ = std::io::stderr().write_all(text.as_bytes());
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Where an engine runs: a GPU by ordinal, or the host.
type Site = Option<u32>;

/// The engines of this process.
#[derive(Debug, Default)]
pub(super) struct Resident {
    /// Whether there is a driver for GPUs.
    gpus: bool,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    engines: HashMap<Site, Arc<Engine>>,
    /// Which engine executes a queue, by NIC and number.
    owners: HashMap<(u16, u32), Arc<Engine>>,
    /// A GPU whose memory was met: the host's must be pinned then.
    met: Option<Device>,
}

impl Resident {
    pub(super) fn new(gpus: bool) -> Self {
        Self { gpus, state: Mutex::default() }
    }

    /// The GPU of some memory, its own or pinned for it.
    fn gpu_of(&self, at: u64) -> Option<Device> {
        if !self.gpus {
            return None;
        }
        let found = cuda::device_of(at).ok().flatten();
        found.or_else(|| cuda::pinner_of(at).ok().flatten())
    }

    fn engine(&self, site: Option<Device>) -> Result<Arc<Engine>, String> {
        let mut state = lock(&self.state);
        let key = site.map(|device| device.ordinal());
        if let Some(engine) = state.engines.get(&key) {
            return Ok(engine.clone());
        }
        let memory = match site {
            None => Memory::Host,
            Some(device) => Memory::Gpu(Context::primary(device).map_err(|error| error.to_string())?),
        };
        let engine = Arc::new(Engine::new(memory)?);
        state.engines.insert(key, engine.clone());
        Ok(engine)
    }

    fn engines(&self) -> Vec<Arc<Engine>> {
        lock(&self.state).engines.values().cloned().collect()
    }
}

impl DataPlane for Resident {
    fn pin(&self, at: u64, bytes: u64) -> Result<Option<Pinned>, String> {
        const PAGE: u64 = 4096;
        if !self.gpus {
            return Ok(None);
        }
        if let Some(device) = self.gpu_of(at) {
            lock(&self.state).met.get_or_insert(device);
            return Ok(None);
        }
        // Of a world of host PEs, whose kernels run on host threads, on a machine with GPUs.
        let Some(device) = lock(&self.state).met else { return Ok(None) };
        let context = Context::primary(device).map_err(|error| error.to_string())?;
        let (start, end) = (at - at % PAGE, (at + bytes).next_multiple_of(PAGE));
        // The driver waits for kernels that run.
        let held: Vec<_> = self.engines().iter().map(|engine| engine.hold()).collect::<Result<_, _>>()?;
        // SAFETY: **mapped**: who registers memory keeps it until it gives the registration back.
        let mapped = unsafe { MappedHost::memory(&context, start, (end - start) as usize) };
        drop(held);
        mapped.map(|mapped| Some(Box::new(mapped) as Pinned)).map_err(|error| error.to_string())
    }

    fn start(&self, mut queue: PlaneQueue) -> Result<(), String> {
        let (nic, qpn) = (queue.nic, queue.qpn);
        let site = self.gpu_of(queue.sq);
        if let Some(device) = site {
            if !queue.collapsed {
                // Its program maps them for the GPU by itself, and takes that away before the queue is destroyed.
                return Err("queues made by verbs are not for a kernel on a GPU".into());
            }
            let context = Context::primary(device).map_err(|error| error.to_string())?;
            for at in [&mut queue.sq, &mut queue.cqe, &mut queue.record, &mut queue.doorbell] {
                *at = cuda::kernel_address(&context, *at).map_err(|error| error.to_string())?;
            }
        }
        let engine = self.engine(site)?;
        engine.start(queue)?;
        lock(&self.state).owners.insert((nic, qpn), engine);
        Ok(())
    }

    fn stop(&self, nic: u16, qpn: u32) {
        let owner = lock(&self.state).owners.remove(&(nic, qpn));
        if let Some(engine) = owner {
            engine.stop(nic, qpn);
        }
    }

    fn counters(&self, nic: u16, qpn: u32) -> Option<(u16, u16)> {
        let owner = lock(&self.state).owners.get(&(nic, qpn)).cloned()?;
        owner.counters(nic, qpn)
    }

    fn learn(&self, nic: u16, region: PlaneRegion) {
        let own = |owner: &&u16| **owner == nic;
        let state = lock(&self.state);
        let (key, owners) = (region.key, state.owners.iter().map(|((nic, _), engine)| (nic, engine)));
        let found = owners.filter(|(nic, _)| own(nic)).map(|(_, engine)| engine.clone()).next();
        drop(state);
        // Who has no queue yet learns of it at its first; who has queues on several GPUs, when one parks.
        if let Some(engine) = found
            && let (Err(why), true) = (engine.learn(nic, region), traces())
        {
            tell(format!("key {key:#x} of NIC {nic}: {why}"));
        }
    }

    fn forget(&self, nic: u16, lkey: u32, rkey: u32) {
        self.engines().iter().for_each(|engine| engine.forget(nic, lkey, rkey));
    }

    fn share(&self, at: u64, bytes: u64) -> Result<(OwnedFd, u64), String> {
        match if self.gpus { cuda::device_of(at).ok().flatten() } else { None } {
            Some(device) => {
                let context = Context::primary(device).map_err(|error| error.to_string())?;
                // SAFETY: **mapped**: the region is registered, and so it stays until it is given back. What others may
                // reach of a GPU is an extent of the heap, a mapping as a whole.
                let chunk = unsafe { cuda::PhysicalChunk::mapped_at(&context, at, bytes as usize) };
                let fd = chunk.and_then(|chunk| chunk.export_fd()).map_err(|error| error.to_string())?;
                Ok((fd, 0))
            }
            None => mapping::descriptor_of(at, bytes),
        }
    }
}

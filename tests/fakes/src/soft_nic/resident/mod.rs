//! The software NIC's queues executed by a kernel: `resident` of `oxshmem-nic-kernels`, on the GPU of the queues, or
//! on a host thread for host PEs.
//!
//! The kernel does not run for ever. Calls such as `cuMemFree`, `cuModuleUnload`, `cuMemFreeHost`,
//! `cuMemHostRegister` and `cuCtxSynchronize` wait for every running kernel, so an endless kernel would hang them,
//! and with them the program that it serves. So the kernel runs in *slices* of milliseconds, one after another, in a
//! stream of its own, as long as there are queues. Nothing reads the tables between two slices, so they are changed
//! then.
//!
//! | module | has |
//! |---|---|
//! | `engine` | the thread that launches slices, and its orders |
//! | `runner` | its work between two slices: `served` for each queue, `parked` for a queue at which the kernel is
//! stuck |
//! | `launch` | the kernel, on a GPU and on the host |
//! | `room` | memory for both sides |
//! | `keys` | the table of keys |
//! | `mapping` | memory of other devices and processes |

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

/// Returns whether to trace: `OXSHMEM_SOFTNIC_TRACE`.
pub(super) fn traces() -> bool {
    std::env::var("OXSHMEM_SOFTNIC_TRACE").is_ok_and(|text| !text.is_empty() && text != "0")
}

/// Prints a line to standard error, in one piece.
fn tell(what: String) {
    use std::io::Write;
    let text = format!("softnic engine {}: {what}\n", std::process::id());
    // If standard error is closed, the line is lost.
    let _ = std::io::stderr().write_all(text.as_bytes());
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The place of an engine: a GPU by ordinal, or the host.
type Site = Option<u32>;

/// The engines of this process.
#[derive(Debug, Default)]
pub(super) struct Resident {
    /// Whether there is a GPU driver.
    gpus: bool,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    engines: HashMap<Site, Arc<Engine>>,
    /// The engine of each queue, by NIC and number.
    owners: HashMap<(u16, u32), Arc<Engine>>,
    /// A GPU whose memory is in use: host memory must then be pinned.
    met: Option<Device>,
}

impl Resident {
    pub(super) fn new(gpus: bool) -> Self {
        Self { gpus, state: Mutex::default() }
    }

    /// Returns the GPU of some memory: its owner, or the one for which it is pinned.
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
        // A world of host PEs on a machine with GPUs: its kernels run on host threads.
        let Some(device) = lock(&self.state).met else { return Ok(None) };
        let context = Context::primary(device).map_err(|error| error.to_string())?;
        let (start, end) = (at - at % PAGE, (at + bytes).next_multiple_of(PAGE));
        // The driver waits for running kernels.
        let held: Vec<_> = self.engines().iter().map(|engine| engine.hold()).collect::<Result<_, _>>()?;
        // SAFETY: **mapped**: a caller that registers memory keeps it mapped until it deregisters it.
        let mapped = unsafe { MappedHost::memory(&context, start, (end - start) as usize) };
        drop(held);
        mapped.map(|mapped| Some(Box::new(mapped) as Pinned)).map_err(|error| error.to_string())
    }

    fn start(&self, mut queue: PlaneQueue) -> Result<(), String> {
        let (nic, qpn) = (queue.nic, queue.qpn);
        let site = self.gpu_of(queue.sq);
        if let Some(device) = site {
            if !queue.collapsed {
                // Its program maps them for the GPU by itself, and unmaps them before the queue is destroyed.
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
        // A NIC without a queue gets the key at its first queue. If a NIC has queues on several GPUs, the other engines
        // get the key when a queue parks.
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
                // SAFETY: **mapped**: the region is registered, and stays mapped until it is deregistered. Memory of a
                // GPU that others reach is an extent of the heap, which is one whole mapping.
                let chunk = unsafe { cuda::PhysicalChunk::mapped_at(&context, at, bytes as usize) };
                let fd = chunk.and_then(|chunk| chunk.export_fd()).map_err(|error| error.to_string())?;
                Ok((fd, 0))
            }
            None => mapping::descriptor_of(at, bytes),
        }
    }
}

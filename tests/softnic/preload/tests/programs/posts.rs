//! Measures the cost of posting on the thread that posts: by libibverbs and libmlx5 (`ibrc`), and by entries that the
//! thread writes itself (`ibdevx`, with BlueFlame and without), in turn in one process, over the software ConnectX.
//! `--from FOLDER` names the folder of the libraries, if it is not one of the system loader's.
//!
//! The NIC is held while a round posts, so that it reads no entry meanwhile, and its threads share a core with the one that
//! posts, so that no access of theirs takes a line from its cache: a real NIC's registers are in no cache. Time is the
//! thread's own.

use std::ffi::CStr;
use std::path::PathBuf;
use std::sync::Arc;

use oxshmem_core::Pe;
use oxshmem_core::host::Result;
use oxshmem_raw::memory::Memory;
use oxshmem_rdma::fabric::{
    Completion, EndpointRequest, FabricDevice, FabricProvider, Handle, INLINE_BYTES, Local, MemoryRegion,
    MemoryRequest, OpenRequest, Operation, PeerAddress, Region, WorkRequest,
};
use oxshmem_rdma::ibdevx::Ibdevx;
use oxshmem_rdma::mlx5dv::Libraries;
use oxshmem_rdma::rc::VerbsFabric;
use oxshmem_rdma::verbs::rc::LibVerbs;
use oxshmem_rdma::wire::{NicParams, WireParams};

const DEPTH: u32 = 1024;
const ROUNDS: usize = 60;
const BYTES: u64 = 1 << 16;

/// Two connected endpoints of one provider.
struct Lane {
    device: Arc<dyn FabricDevice>,
    cq: Handle,
    endpoint: Handle,
    region: MemoryRegion,
    remote_key: u64,
    id: u64,
    // The peer.
    _far: Arc<dyn FabricDevice>,
}

fn open(provider: &dyn FabricProvider, me: u32) -> Result<Arc<dyn FabricDevice>> {
    let (nics, wire) = (NicParams::default(), WireParams::default());
    let (me, memory) = (Pe::new(me), &Memory::Host);
    let request = OpenRequest { me, memory, most: 1, useful: 1, depth: DEPTH, nics: &nics, wire: &wire };
    Ok(provider.open(&request)?.devices.remove(0))
}

impl Lane {
    fn new(provider: &dyn FabricProvider) -> Result<Self> {
        let memory = vec![0_u8; BYTES as usize].leak();
        let address = memory.as_mut_ptr().expose_provenance() as u64;
        let ask = EndpointRequest { depth: DEPTH, inline_bytes: INLINE_BYTES as u32 };
        let ends = [0, 1].map(|me| {
            let device = open(provider, me)?;
            let region = device.register(&MemoryRequest {
                region: Region::Address(address),
                bytes: BYTES,
                address,
                wanted_base: address,
                remote: true,
                of_gpu: false,
            })?;
            let cq = device.create_completion_queue(DEPTH)?;
            let (endpoint, at) = device.create_endpoint(cq, &ask)?;
            Ok((device, region, cq, endpoint, at))
        });
        let [near, far] = ends.map(|end: Result<_>| end);
        let ((near, region, cq, endpoint, at), (far, theirs, _, other, to)) = (near?, far?);
        near.connect(endpoint.handle, &PeerAddress { pe: Pe::new(1), device: &far.address(), endpoint: &to })?;
        far.connect(other.handle, &PeerAddress { pe: Pe::new(0), device: &near.address(), endpoint: &at })?;
        let remote_key = near.import_key(Pe::new(1), &theirs.remote_key)?;
        Ok(Self { device: near, cq, endpoint: endpoint.handle, region, remote_key, id: 0, _far: far })
    }

    /// Posts as many writes as the queue has room for, in lists of `list`, and waits for them. Returns the thread's
    /// nanoseconds for each write of posting, and of polling.
    fn round(&mut self, list: usize, inline: bool) -> Result<[f64; 2]> {
        let local = match inline {
            true => Local::Inline { data: [7; INLINE_BYTES], bytes: 8 },
            false => Local::Memory { address: self.region.local_base, bytes: 64, key: self.region.local_key },
        };
        let lists = DEPTH as usize / list;
        let mut all: Vec<WorkRequest> = (0..lists * list)
            .map(|number| WorkRequest {
                id: self.id + number as u64,
                op: Operation::Write,
                local,
                remote: self.region.remote_base + 4096,
                remote_key: self.remote_key,
                signalled: (number + 1) % list == 0,
            })
            .collect();
        self.id += all.len() as u64;
        hold(true);
        let began = now();
        for list in all.chunks_mut(list) {
            self.device.post(self.endpoint, list).expect("there is room");
        }
        let posted = now() - began;
        hold(false);
        let (mut out, mut left, mut polled) = ([Completion::default(); 64], lists, 0);
        while left > 0 {
            let began = now();
            let count = self.device.poll(self.cq, &mut out)?;
            if count > 0 {
                polled += now() - began;
            }
            assert!(out[..count].iter().all(|done| done.status == Default::default()), "{:?}", &out[..count]);
            left -= count;
        }
        Ok([posted, polled].map(|ns| ns as f64 / (lists * list) as f64))
    }
}

/// Keeps this thread, and those that it starts from now on, on the first core that it may use.
fn stay_on_one_core() {
    // SAFETY: `cpu_set_t` is an array of bits, for which zeros are a value.
    let [mut all, mut one]: [libc::cpu_set_t; 2] = unsafe { std::mem::zeroed() };
    // SAFETY: `all` is a live variable of the given size.
    unsafe { libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &mut all) };
    // SAFETY: each core is below the number of bits of the set.
    let first = (0..8 * size_of::<libc::cpu_set_t>()).find(|&core| unsafe { libc::CPU_ISSET(core, &all) });
    // SAFETY: the core is below the number of bits of the set.
    unsafe { libc::CPU_SET(first.unwrap_or(0), &mut one) };
    // SAFETY: `one` is a live variable of the given size.
    unsafe { libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &one) };
}

/// Returns the processor time of this thread in ns.
fn now() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a live structure of the type that the call takes.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Holds or releases all queue pairs.
fn hold(held: bool) {
    const NAME: &CStr = c"oxshmem_softnic_hold";
    // SAFETY: the name is a C string that outlives the call.
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, NAME.as_ptr()) };
    assert!(!found.is_null(), "the software NIC is not preloaded");
    // SAFETY: the function of this name has this type (`src/control.rs`).
    let call: extern "C" fn(bool) -> bool = unsafe { std::mem::transmute(found) };
    assert!(call(held), "no device is open");
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn main() -> Result<()> {
    stay_on_one_core();
    let folders: Vec<PathBuf> = std::env::args().skip(1).filter(|word| word != "--from").map(Into::into).collect();
    let libraries = Arc::new(Libraries::open_from(&folders)?);
    let verbs = VerbsFabric::new(Arc::new(LibVerbs::open_from(&folders)?));
    let plain = Ibdevx::new(libraries.clone()).with_blue_flame(false);
    let mut lanes = [
        ("ibrc", Lane::new(&verbs)?),
        ("ibdevx", Lane::new(&Ibdevx::new(libraries))?),
        ("ibdevx, plain", Lane::new(&plain)?),
    ];
    println!("{:22} {:>5} {:>15} {:>12} {:>12} {:>7}", "writes", "list", "by", "post ns", "poll ns", "ratio");
    for (what, inline) in [("8 bytes inline", true), ("64 bytes from memory", false)] {
        for list in [1, 4, 16, 128] {
            let mut times = [const { [const { Vec::new() }; 2] }; 3];
            // Each in turn, so that the machine's other work meets all alike.
            for _ in 0..ROUNDS {
                for ((_, lane), [post, poll]) in lanes.iter_mut().zip(&mut times) {
                    let [posted, polled] = lane.round(list, inline)?;
                    post.push(posted);
                    poll.push(polled);
                }
            }
            let medians = times.map(|[mut post, mut poll]| [median(&mut post), median(&mut poll)]);
            for ((name, _), [post, poll]) in lanes.iter().zip(medians) {
                let ratio = medians[0][0] / post;
                println!("{what:22} {list:>5} {name:>15} {post:>12.1} {poll:>12.1} {ratio:>6.2}x");
            }
        }
    }
    Ok(())
}

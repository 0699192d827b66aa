//! Steps on the GPUs of this machine: over NVLink, over the software ConnectX whose queues a kernel executes, and by
//! proxies that post to verbs in software.

use super::{CONFORMANCE, Counted, LITMUS, by_kernel, capi, counting, example, vendored};
use crate::gpu;
use crate::manifest::Manifest;
use crate::place::Place;
use crate::ptx;
use crate::run::Device;
use crate::steps::{Done, Step};

/// Features of a packed folder whose kernels reach remote PEs.
const REMOTE: [&str; 2] = ["ibgda", "ibrc"];
/// The queues are executed, or the data moved, by software beside the kernels, so the rounds are few.
const SHORT: [&str; 4] = ["--limit", "8", "--rounds", "0.003"];

pub(super) fn steps(place: &Place, examples: Vec<String>) -> Vec<Step<'_>> {
    let gpus = match gpu::count() {
        Ok(gpus) if gpus > 0 => gpus,
        Ok(_) => return vec![Step::skipped("conformance and examples on GPUs", "the driver sees no GPU")],
        Err(why) => return vec![Step::skipped("conformance and examples on GPUs", why.to_string())],
    };
    let n = gpus.min(4);
    let mut steps = Vec::new();
    if let Place::Checkout(root) = place {
        steps.push(Step::new("PTX for the GPUs of this machine", || {
            ptx::build_all(root, &ptx::Options::plain()).map(|_| Done::Passed)
        }));
        steps.push(Step::new("PTX that checks its arguments", || ptx::build_checked(root).map(|_| Done::Passed)));
        steps
            .push(Step::new("PTX of the suite with every transport", || ptx::build_remote(root).map(|_| Done::Passed)));
    }
    steps.push(Step::new(format!("conformance with checked kernels, {n} PEs on GPUs"), move || {
        let folder = place.ptx().join(ptx::CHECKED_FOLDER).display().to_string();
        let env = vec![("OXSHMEM_PTX_PATH".into(), folder)];
        counting(place, CONFORMANCE, Counted { env, ..Counted::of(n, Device::Gpu, &["faults"]) })
    }));
    steps.push(Step::new(format!("conformance, {n} PEs on GPUs"), move || {
        counting(place, CONFORMANCE, Counted { env: place.environment(), ..Counted::of(n, Device::Gpu, &[]) })
    }));
    if gpus == 1 {
        steps.push(Step::new("conformance, 2 PEs as threads on one GPU", move || {
            let args = ["--threads", "2", "--device", "gpu", "--rounds", "0.1", "--limit", "10"];
            let env = place.environment();
            counting(place, CONFORMANCE, Counted { world: None, env, ..Counted::of(1, Device::Gpu, &args) })
        }));
    }
    steps.extend(remote(place, gpus));
    // The program's default number of rounds takes too long: 39 million in 20 s.
    steps.push(Step::new(format!("litmus, {n} PEs on GPUs"), move || {
        let env = place.environment();
        counting(place, LITMUS, Counted { env, ..Counted::of(n, Device::Gpu, &["--rounds", "2000"]) })
    }));
    for name in examples {
        steps.push(Step::new(format!("example {name}, {n} PEs on GPUs"), move || {
            example(place, &name, Some((n, Device::Gpu)), None)
        }));
    }
    steps.push(Step::new(format!("C interface: programs, {} PEs on GPUs", n.max(2)), move || capi::on_gpus(place, n)));
    if let (Place::Checkout(root), true) = (place, gpus >= vendored::HEAT_PES) {
        steps.push(vendored::on_gpus(root));
    }
    steps
}

/// Returns steps over a NIC and over proxies. The kernels need all transports.
fn remote(place: &Place, gpus: u32) -> Vec<Step<'_>> {
    let by_nic = "conformance over the software NIC's queues executed by a kernel";
    let by_proxies = "conformance by proxies over verbs in software, 2 PEs as threads on one GPU";
    if let Some(lacks) = lacks(place) {
        return [by_nic, by_proxies].map(|name| Step::skipped(name, lacks.clone())).into();
    }
    let mut steps = Vec::new();
    if gpus > 1 {
        let name = format!("{by_nic}, 2 PEs on GPUs");
        let args = [&["--soft-nic"], &SHORT[..]].concat();
        steps.push(Step::new(name, move || by_kernel(place, counted(place, 2, Some(Device::Gpu), &args))));
    }
    let threads = ["--threads", "2", "--device", "gpu"];
    let args = [&threads[..], &["--soft-nic"], &SHORT].concat();
    let name = format!("{by_nic}, 2 PEs as threads on one GPU");
    steps.push(Step::new(name, move || by_kernel(place, counted(place, 1, None, &args))));
    let args = [&threads[..], &["--soft-verbs"], &SHORT].concat();
    steps.push(Step::new(by_proxies, move || counting(place, CONFORMANCE, counted(place, 1, None, &args))));
    steps
}

fn counted<'a>(place: &Place, n: u32, world: Option<Device>, args: &'a [&'a str]) -> Counted<'a> {
    let mut env = place.environment();
    if matches!(place, Place::Checkout(_)) {
        let folder = place.ptx().join(ptx::REMOTE_FOLDER).display().to_string();
        env.retain(|(name, _)| name != "OXSHMEM_PTX_PATH");
        env.push(("OXSHMEM_PTX_PATH".into(), folder));
    }
    Counted { world, env, ..Counted::of(n, Device::Gpu, args) }
}

/// Returns the reason why a packed folder's kernels can't reach remote PEs.
fn lacks(place: &Place) -> Option<String> {
    let Place::Packed(root) = place else { return None };
    let features = match Manifest::read(root) {
        Ok(manifest) => manifest.features,
        Err(why) => return Some(format!("{why:#}")),
    };
    let missing: Vec<&str> = REMOTE.into_iter().filter(|remote| !features.iter().any(|one| one == remote)).collect();
    (!missing.is_empty()).then(|| format!("kernels were packed without {}", missing.join(" and ")))
}

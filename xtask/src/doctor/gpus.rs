//! What the driver and the GPUs can do, from the driver itself.

use oxshmem_core::host::Result;
use oxshmem_raw::gpu::cuda::{self, Device};

use super::Check;
use crate::gpu;

/// The check that says whether there are any.
pub(super) const GPUS: &str = "GPUs";

pub(super) fn check() -> Vec<Check> {
    let mut checks = Vec::new();
    match cuda::available() {
        Ok(driver) => {
            let (major, minor) = driver.cuda();
            let module = gpu::kernel_module().map_or_else(String::new, |version| format!(", kernel module {version}"));
            checks.push(Check::can("NVIDIA driver", format!("for CUDA {major}.{minor}{module}")));
        }
        Err(why) => {
            checks.push(Check::refused("NVIDIA driver", &why));
            return checks;
        }
    }
    let devices: Result<Vec<Device>> = cuda::device_count().and_then(|count| (0..count).map(Device::get).collect());
    match devices {
        Ok(devices) if !devices.is_empty() => {
            checks.push(Check::can(GPUS, devices.len().to_string()));
            devices.iter().for_each(|device| checks.extend(of_device(device)));
            checks.extend(of_pairs(&devices));
        }
        Ok(_) => {
            checks.push(Check::cannot(GPUS, "the driver sees none", "check CUDA_VISIBLE_DEVICES and `nvidia-smi`"))
        }
        Err(why) => checks.push(Check::refused(GPUS, &why)),
    }
    checks
}

fn of_device(device: &Device) -> Vec<Check> {
    let describe = || -> Result<String> {
        let (major, minor) = device.compute_capability()?;
        let gib = device.total_memory()? >> 30;
        let (sms, bus) = (device.sm_count()?, device.pci_bus_id()?);
        Ok(format!("{}, sm_{major}{minor}, {sms} SMs, {gib} GiB, {bus}", device.name()?))
    };
    let named = |what: &str| format!("{device}: {what}");
    let mut checks = vec![match describe() {
        Ok(text) => Check::can(device.to_string(), text),
        Err(why) => Check::refused(device.to_string(), &why),
    }];
    let flags: [(&str, Result<bool>, &str, &str); 4] = [
        (
            "memory mapped by hand (VMM)",
            device.vmm_supported(),
            "this GPU and driver have none; the heap can't grow, and is shared by legacy IPC",
            "a driver for CUDA 11.2 or later",
        ),
        (
            "shared by file descriptor",
            device.posix_fd_handles_supported(),
            "this driver can't; the heap is shared by legacy IPC",
            "a driver for CUDA 11.2 or later",
        ),
        (
            "fabric handles",
            device.fabric_handles_supported(),
            "no; only several nodes on one NVLink fabric need them",
            "there: start nvidia-imex, and a driver for CUDA 12.3 or later",
        ),
        (
            "collective launch",
            device.cooperative_launch(),
            "this GPU can't keep all blocks of a kernel resident",
            "kernels that wait for other blocks need a GPU of sm_60 or later, without MPS limits",
        ),
    ];
    for (what, answer, why, todo) in flags {
        checks.push(match answer {
            Ok(true) => Check::can(named(what), "supported"),
            Ok(false) => Check::cannot(named(what), why, todo),
            Err(error) => Check::refused(named(what), &error),
        });
    }
    checks
}

/// Each pair once; what one direction can't the other can't either, or that is said.
fn of_pairs(devices: &[Device]) -> Vec<Check> {
    let mut checks = Vec::new();
    for (index, one) in devices.iter().enumerate() {
        for other in &devices[index + 1..] {
            checks.push(of_pair(one, other));
        }
    }
    checks
}

fn of_pair(one: &Device, other: &Device) -> Check {
    let what = format!("{one} <-> {other}");
    let both = |ask: &dyn Fn(&Device, &Device) -> Result<bool>| {
        Ok::<_, oxshmem_core::host::Error>(ask(one, other)? && ask(other, one)?)
    };
    let load_store = both(&|a, b| a.can_access_peer(b));
    let atomics = both(&|a, b| a.native_atomics_with(b));
    match (load_store, atomics) {
        (Ok(true), Ok(true)) => Check::can(what, "load/store and atomics"),
        (Ok(true), Ok(false)) => Check::barely(
            what,
            "load/store without atomics: they are on PCIe, not on NVLink",
            "put them on NVLink, or use pairs that are (`nvidia-smi topo -m`)",
        ),
        (Ok(false), _) => Check::cannot(
            what,
            "neither can load or store in the other's memory",
            "check `nvidia-smi topo -p2p r`; in a virtual machine P2P must be passed through; IOMMU and ACS can forbid it",
        ),
        (Err(why), _) | (_, Err(why)) => Check::refused(what, &why),
    }
}

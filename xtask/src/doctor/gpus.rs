//! The capabilities of the driver and the GPUs: those that the driver announces, each tried.

use std::os::fd::AsFd;

use oxshmem_core::host::Result;
use oxshmem_raw::gpu::cuda::{self, Context, Device, PhysicalChunk, Reservation, granularity};

use super::Check;
use crate::gpu;

/// The name of the row with the number of GPUs.
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
    // A trial needs a context. Without one, the other rows of the device give the reason.
    if let Ok(context) = Context::primary(*device) {
        checks.extend(of_context(device, &context));
    }
    let what = named("collective launch");
    checks.push(match device.cooperative_launch() {
        Ok(true) => Check::can(what, "the driver announces it"),
        Ok(false) => Check::cannot(
            what,
            "this GPU can't keep all blocks of a kernel resident",
            "kernels that wait for other blocks need a GPU of sm_60 or later, without MPS limits",
        ),
        Err(error) => Check::refused(what, &error),
    });
    checks
}

/// Returns a row for each kind of memory that the driver announces, after a trial.
fn of_context(device: &Device, context: &Context) -> Vec<Check> {
    let named = |what: &str| format!("{device}: {what}");
    vec![
        tried(
            named("memory mapped by hand (VMM)"),
            device.vmm_supported(),
            || mapped(context, context).map(|_| ()),
            "this GPU and driver have none; the heap can't grow, and is shared by legacy IPC",
            "a driver for CUDA 11.2 or later",
        ),
        tried(
            named("shared by file descriptor"),
            device.posix_fd_handles_supported(),
            || {
                let chunk = PhysicalChunk::create(context, granularity(device)?)?;
                PhysicalChunk::import_fd(context, chunk.export_fd()?.as_fd(), chunk.bytes()).map(|_| ())
            },
            "this driver can't; the heap is shared by legacy IPC",
            "a driver for CUDA 11.2 or later",
        ),
        tried(
            named("fabric handles"),
            device.fabric_handles_supported(),
            || cuda::try_fabric_handle(context),
            "this driver can't; only several nodes on one NVLink fabric need them",
            "there: start nvidia-imex, give the process a channel (nvidia-modprobe -c 0; in a container \
             --device=/dev/nvidia-caps-imex-channels/channel0), and a driver for CUDA 12.3 or later",
        ),
        tried(
            named("memory as DMA buffers"),
            device.dma_buf_supported(),
            || {
                let memory = mapped(context, context)?;
                cuda::dma_buf(context, memory.base(), memory.bytes()).map(|_| ())
            },
            "this driver can't; only NICs need them",
            "there: NVIDIA's open kernel modules, or modprobe nvidia-peermem",
        ),
    ]
}

/// Maps the least amount of memory of `owner` for kernels of `user`.
fn mapped(user: &Context, owner: &Context) -> Result<Reservation> {
    let bytes = granularity(&owner.device())?.max(granularity(&user.device())?);
    let chunk = PhysicalChunk::create(owner, bytes)?;
    let mut reservation = Reservation::reserve(user, bytes, 0)?;
    reservation.map(0, &chunk)?;
    Ok(reservation)
}

/// Returns the row of a capability: if the driver announces it, `attempt` is tried.
fn tried(
    what: String,
    announced: Result<bool>,
    attempt: impl FnOnce() -> Result<()>,
    lacks: &str,
    todo: &str,
) -> Check {
    match announced {
        Ok(true) => match attempt() {
            Ok(()) => Check::can(what, "tried"),
            Err(error) => {
                let text = error.to_string();
                let (why, hint) = text.split_once("; ").unwrap_or((&text, todo));
                Check::cannot(what, format!("the driver announces it, and yet: {why}"), hint)
            }
        },
        Ok(false) => Check::cannot(what, lacks, todo),
        Err(error) => Check::refused(what, &error),
    }
}

/// Returns a row for each pair. A row is "yes" only if both directions work.
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
        (Ok(true), Ok(true)) => {
            let attempt = || {
                let (one, other) = (Context::primary(*one)?, Context::primary(*other)?);
                mapped(&one, &other).and_then(|_| mapped(&other, &one)).map(|_| ())
            };
            // Without virtual memory management there is nothing to try.
            match both(&|a, b| Ok(a.vmm_supported()? && b.vmm_supported()?)) {
                Ok(true) => tried(what, Ok(true), attempt, "", "check `nvidia-smi topo -p2p r`"),
                _ => Check::can(what, "load/store and atomics: the driver announces them"),
            }
        }
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

#[cfg(test)]
mod tests {
    use oxshmem_core::host::{Error, ErrorKind};

    use super::super::Found;
    use super::*;

    fn fabric(announced: Result<bool>, attempt: Result<()>) -> Found {
        let mut was_tried = false;
        let announces = matches!(announced, Ok(true));
        let attempt = || {
            was_tried = true;
            attempt
        };
        let check = tried("GPU 0: fabric handles".into(), announced, attempt, "this driver can't", "start nvidia-imex");
        assert_eq!(was_tried, announces, "what the driver does not announce is not tried");
        check.found
    }

    #[test]
    fn what_the_driver_announces_counts_when_it_was_tried() {
        assert_eq!(fabric(Ok(true), Ok(())), Found::Can("tried".into()));
        let Found::Cannot { why, todo } = fabric(Ok(false), Ok(())) else { panic!() };
        assert_eq!((why.as_str(), todo.as_str()), ("this driver can't", "start nvidia-imex"));
    }

    #[test]
    fn what_the_driver_announces_and_refuses_is_no_with_its_answer_and_what_to_do() {
        let refused = Error::new(ErrorKind::System, "create memory with a fabric handle").call(
            "cuMemCreate",
            800,
            "operation not permitted",
        );
        let Found::Cannot { why, todo } = fabric(Ok(true), Err(refused)) else { panic!() };
        assert!(why.contains("the driver announces it") && why.contains("operation not permitted"), "{why}");
        assert_eq!(todo, "start nvidia-imex");
    }

    #[test]
    fn a_hint_of_the_error_goes_before_the_rows_own() {
        let refused = Error::new(ErrorKind::Exhausted, "create memory").because("0 bytes free").hint("stop others");
        let Found::Cannot { todo, .. } = fabric(Ok(true), Err(refused)) else { panic!() };
        assert_eq!(todo, "stop others");
    }

    #[test]
    fn a_driver_that_does_not_answer_is_no() {
        let lost = Error::new(ErrorKind::System, "ask GPU 0 for an attribute");
        assert!(matches!(fabric(Err(lost), Ok(())), Found::Cannot { .. }));
    }
}

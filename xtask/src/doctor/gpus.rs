//! The capabilities of the driver and the GPUs: those that the driver announces, each tried.

mod trials;

use oxshmem_core::host::Result;
use oxshmem_raw::gpu::cuda::{self, Context, Device};

use super::{Check, Found};
use crate::gpu;

/// The name of the row with the number of GPUs.
pub(super) const GPUS: &str = "GPUs";
/// The names of the rows of each GPU.
const VMM: &str = "memory mapped by hand (VMM)";
const DESCRIPTOR: &str = "shared by file descriptor";
const FABRIC: &str = "fabric handles";
const DMA_BUF: &str = "memory as DMA buffers";
const COLLECTIVE: &str = "collective launch";
/// The row of pairs on a machine without any.
const PAIRS: &str = "pairs of GPUs";

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
            checks.extend(untried("there is no driver"));
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
            checks.push(Check::cannot(GPUS, "the driver sees none", "check CUDA_VISIBLE_DEVICES and `nvidia-smi`"));
            checks.extend(untried("there is no GPU"));
        }
        Err(why) => {
            checks.push(Check::refused(GPUS, &why));
            checks.extend(untried("the driver does not list the GPUs"));
        }
    }
    checks
}

/// Returns whether all GPUs exported memory as DMA buffers in the trials of these rows, or `None` if no GPU was tried.
pub(super) fn export_dma_bufs(checks: &[Check]) -> Option<bool> {
    let rows = checks.iter().filter(|check| check.what.ends_with(DMA_BUF)).map(|check| &check.found);
    let tried: Vec<&Found> = rows.filter(|found| !matches!(found, Found::Untried(_))).collect();
    (!tried.is_empty()).then(|| tried.iter().all(|found| matches!(found, Found::Can(_))))
}

/// Returns the rows of capabilities on a machine on which nothing can be tried.
fn untried(why: &str) -> Vec<Check> {
    let all = [VMM, DESCRIPTOR, FABRIC, DMA_BUF, COLLECTIVE, PAIRS];
    all.into_iter().map(|what| Check::untried(what, why)).collect()
}

fn of_device(device: &Device) -> Vec<Check> {
    let describe = || -> Result<String> {
        let (major, minor) = device.compute_capability()?;
        let gib = device.total_memory()? >> 30;
        let (sms, bus) = (device.sm_count()?, device.pci_bus_id()?);
        Ok(format!("{}, sm_{major}{minor}, {sms} SMs, {gib} GiB, {bus}", device.name()?))
    };
    let mut checks = vec![match describe() {
        Ok(text) => Check::can(device.to_string(), text),
        Err(why) => Check::refused(device.to_string(), &why),
    }];
    match Context::primary(*device) {
        Ok(context) => checks.extend(of_context(device, &context)),
        Err(why) => {
            // All rows have the same reason, so that one row gives it.
            checks.push(Check::refused(format!("{device}: trials, which need a context"), &why));
        }
    }
    checks
}

/// Returns a row for each capability that the driver announces, after a trial.
fn of_context(device: &Device, context: &Context) -> Vec<Check> {
    let named = |what: &str| format!("{device}: {what}");
    vec![
        tried(
            named(VMM),
            device.vmm_supported(),
            || trials::mapped_copy(context, context),
            "this GPU and driver have none; the heap can't grow, and is shared by legacy IPC",
            "a driver for CUDA 11.2 or later",
        ),
        tried(
            named(DESCRIPTOR),
            device.posix_fd_handles_supported(),
            || trials::descriptor_copy(context),
            "this driver can't; the heap is shared by legacy IPC",
            "a driver for CUDA 11.2 or later",
        ),
        tried(
            named(FABRIC),
            device.fabric_handles_supported(),
            || cuda::try_fabric_handle(context).map(|()| "memory with one was created".into()),
            "this driver can't; only several nodes on one NVLink fabric need them",
            "there: start nvidia-imex, give the process a channel (nvidia-modprobe -c 0; in a container \
             --device=/dev/nvidia-caps-imex-channels/channel0), and a driver for CUDA 12.3 or later",
        ),
        tried(
            named(DMA_BUF),
            device.dma_buf_supported(),
            || trials::dma_buf(context),
            "this driver can't; only NICs need them",
            "there: NVIDIA's open kernel modules, or modprobe nvidia-peermem",
        ),
        tried(
            named(COLLECTIVE),
            device.cooperative_launch(),
            || trials::collective_launch(context),
            "this GPU can't keep all blocks of a kernel resident",
            "kernels that wait for other blocks need a GPU of sm_60 or later, without MPS limits",
        ),
    ]
}

/// Returns the row of a capability: if the driver announces it, `attempt` is tried.
fn tried(
    what: String,
    announced: Result<bool>,
    attempt: impl FnOnce() -> Result<String>,
    lacks: &str,
    todo: &str,
) -> Check {
    match announced {
        Ok(true) => match attempt() {
            Ok(how) => Check::can(what, how),
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
    if devices.len() < 2 {
        return vec![Check::untried(PAIRS, "there is one GPU")];
    }
    let mut checks = Vec::new();
    for (index, one) in devices.iter().enumerate() {
        for other in &devices[index + 1..] {
            checks.push(of_pair(one, other));
        }
    }
    checks
}

fn of_pair(one: &Device, other: &Device) -> Check {
    let both = |ask: &dyn Fn(&Device, &Device) -> Result<bool>| {
        Ok::<_, oxshmem_core::host::Error>(ask(one, other)? && ask(other, one)?)
    };
    let attempt = || {
        let has_vmm = both(&|a, b| Ok(a.vmm_supported()? && b.vmm_supported()?))?;
        let trial = if has_vmm { trials::mapped_copy } else { trials::peer_copy };
        let (one, other) = (Context::primary(*one)?, Context::primary(*other)?);
        trial(&one, &other)?;
        trial(&other, &one)
    };
    let what = format!("{one} <-> {other}");
    pair(what, both(&|a, b| a.can_access_peer(b)), both(&|a, b| a.native_atomics_with(b)), attempt)
}

/// Returns the row of a pair: if the driver announces load/store, `attempt` is tried.
fn pair(
    what: String,
    load_store: Result<bool>,
    atomics: Result<bool>,
    attempt: impl FnOnce() -> Result<String>,
) -> Check {
    let Check { what, found } = tried(
        what,
        load_store,
        attempt,
        "neither can load or store in the other's memory",
        "check `nvidia-smi topo -p2p r`; in a virtual machine P2P must be passed through; IOMMU and ACS can forbid it",
    );
    match (found, atomics) {
        (Found::Can(how), Ok(true)) => Check::can(what, format!("load/store and atomics; {how} in both directions")),
        (Found::Can(how), Ok(false)) => Check::barely(
            what,
            format!("load/store without atomics: they are on PCIe, not on NVLink; {how} in both directions"),
            "put them on NVLink, or use pairs that are (`nvidia-smi topo -m`)",
        ),
        (Found::Can(_), Err(why)) => Check::refused(what, &why),
        (found, _) => Check { what, found },
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
            attempt.map(|()| "memory with one was created".into())
        };
        let check = tried("GPU 0: fabric handles".into(), announced, attempt, "this driver can't", "start nvidia-imex");
        assert_eq!(was_tried, announces, "what the driver does not announce is not tried");
        check.found
    }

    #[test]
    fn what_the_driver_announces_counts_when_it_was_tried() {
        assert_eq!(fabric(Ok(true), Ok(())), Found::Can("memory with one was created".into()));
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
    #[test]
    fn a_pair_counts_when_a_copy_arrived_and_is_low_without_atomics() {
        let row = |load_store, atomics, copied: bool| {
            let lost = || Error::new(ErrorKind::Malformed, "copy 4096 bytes from GPU 0").because("GPU 1 read 0x0");
            let attempt = || if copied { Ok("4 KiB copied".into()) } else { Err(lost()) };
            pair("GPU 0 <-> GPU 1".into(), Ok(load_store), Ok(atomics), attempt).found
        };
        let all = "load/store and atomics; 4 KiB copied in both directions";
        assert_eq!(row(true, true, true), Found::Can(all.into()));
        let Found::Barely { why, .. } = row(true, false, true) else { panic!() };
        assert!(why.starts_with("load/store without atomics") && why.contains("4 KiB copied"), "{why}");
        for atomics in [false, true] {
            let Found::Cannot { why, .. } = row(true, atomics, false) else { panic!() };
            assert!(why.contains("the driver announces it, and yet") && why.contains("GPU 1 read 0x0"), "{why}");
            assert!(matches!(row(false, atomics, true), Found::Cannot { .. }));
        }
    }

    #[test]
    fn without_a_gpu_each_row_says_why_it_was_not_tried() {
        let rows = untried("there is no driver");
        for what in [VMM, DESCRIPTOR, FABRIC, DMA_BUF, COLLECTIVE, PAIRS] {
            assert!(rows.contains(&Check::untried(what, "there is no driver")), "{what}");
        }
        assert_eq!(export_dma_bufs(&rows), None);
    }

    #[test]
    fn nics_count_on_dma_buffers_if_each_gpu_exported_one() {
        let named = |gpu: u32| format!("GPU {gpu}: {DMA_BUF}");
        let (can, cannot) = (|gpu| Check::can(named(gpu), "exported"), |gpu| Check::cannot(named(gpu), "refused", ""));
        assert_eq!(export_dma_bufs(&[Check::can(GPUS, "2"), can(0), can(1)]), Some(true));
        assert_eq!(export_dma_bufs(&[can(0), cannot(1)]), Some(false));
    }
}

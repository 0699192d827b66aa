//! Whether a NIC can access the GPUs' memory, and a GPU the NIC's doorbells.

use super::super::Check;
use super::system::System;

/// The first Linux versions that accept DMA buffers for memory and for queues.
const DMA_BUF_MEMORY: (u32, u32) = (5, 12);
const DMA_BUF_QUEUES: (u32, u32) = (6, 1);
/// The file in which the NVIDIA driver lists its options.
const PARAMS: &str = "/proc/driver/nvidia/params";

/// Returns the rows. `dma_buf` says whether all GPUs export their memory as DMA buffers, and is `None` if there is no
/// GPU. `mlx5` says whether there is a NIC whose doorbells GPUs can ring.
pub(super) fn check(system: &System, dma_buf: Option<bool>, mlx5: bool) -> Vec<Check> {
    let mut checks = Vec::new();
    if let Some(dma_buf) = dma_buf {
        checks.push(memory(system, dma_buf));
    }
    if let Some(params) = system.read(PARAMS).filter(|_| mlx5) {
        checks.push(doorbells(&params));
    }
    checks
}

fn memory(system: &System, dma_buf: bool) -> Check {
    const WHAT: &str = "GPU memory for the NIC";
    let peermem = ["nvidia_peermem", "nv_peer_mem"].into_iter().find(|module| system.has_module(module));
    let kernel = system.kernel().unwrap_or((0, 0));
    let (major, minor) = kernel;
    match (dma_buf, peermem) {
        (true, _) if kernel >= DMA_BUF_QUEUES => {
            Check::can(WHAT, format!("as DMA buffers (GPUs have them, Linux {major}.{minor} takes them)"))
        }
        (true, Some(module)) if kernel >= DMA_BUF_MEMORY => {
            Check::can(WHAT, format!("as DMA buffers, and for queues by {module}"))
        }
        (_, Some(module)) => Check::can(WHAT, format!("by {module}")),
        (true, None) if kernel >= DMA_BUF_MEMORY => Check::barely(
            WHAT,
            format!(
                "as DMA buffers, but Linux {major}.{minor} does not take them for queues: those stay in host memory"
            ),
            "modprobe nvidia-peermem, or Linux 6.1 or later",
        ),
        (true, None) => Check::cannot(
            WHAT,
            format!("Linux {major}.{minor} takes no DMA buffers, and nvidia-peermem is not loaded"),
            "modprobe nvidia-peermem, or Linux 6.1 or later",
        ),
        (false, None) => Check::cannot(
            WHAT,
            "the GPUs give no DMA buffers, and nvidia-peermem is not loaded",
            "modprobe nvidia-peermem, or NVIDIA's open kernel modules",
        ),
    }
}

fn doorbells(params: &str) -> Check {
    const WHAT: &str = "doorbells for the GPU";
    let words = params.lines().find_map(|line| line.strip_prefix("RegistryDwords:")).unwrap_or("");
    let set = words.split(|c: char| !c.is_ascii_alphanumeric() && c != '=').any(|word| word == "PeerMappingOverride=1");
    match set {
        true => Check::can(WHAT, "PeerMappingOverride=1"),
        false => Check::barely(
            WHAT,
            "PeerMappingOverride is not set; the driver may refuse to map them, and then a host thread rings",
            "options nvidia NVreg_RegistryDwords=\"PeerMappingOverride=1;\" in /etc/modprobe.d, and load the driver anew",
        ),
    }
}

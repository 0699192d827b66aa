//! The machine of a run.

use oxshmem_raw::gpu::cuda::Device;
use serde::Serialize;

use xtask::gpu;

/// The machine.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Machine {
    pub gpus: Vec<Gpu>,
    /// The driver's kernel module.
    pub driver: Option<String>,
    pub cpu: String,
    pub cpus: usize,
    pub kernel: String,
}

/// One GPU, as the driver describes it.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Gpu {
    pub name: String,
    pub sms: u32,
    pub memory_bytes: usize,
    pub bus: String,
}

impl Machine {
    /// Describes this machine, as far as it is known.
    pub(crate) fn here() -> Self {
        let read = |file: &str| std::fs::read_to_string(file).unwrap_or_default();
        let cpuinfo = read("/proc/cpuinfo");
        let model = cpuinfo.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
        Self {
            gpus: (0..gpu::count().unwrap_or(0)).filter_map(describe).collect(),
            driver: gpu::kernel_module(),
            cpu: model.map_or("unknown", |(_, name)| name.trim()).to_string(),
            cpus: std::thread::available_parallelism().map_or(0, |cpus| cpus.get()),
            kernel: read("/proc/sys/kernel/osrelease").trim().to_string(),
        }
    }

    /// Returns the GPUs as text: their number and names.
    pub(crate) fn gpus_in_words(&self) -> String {
        let mut kinds: Vec<(&str, usize)> = Vec::new();
        for gpu in &self.gpus {
            match kinds.iter_mut().find(|(name, _)| *name == gpu.name) {
                Some((_, count)) => *count += 1,
                None => kinds.push((&gpu.name, 1)),
            }
        }
        let words: Vec<String> = kinds.iter().map(|(name, count)| format!("{count} x {name}")).collect();
        if words.is_empty() { "none".to_string() } else { words.join(", ") }
    }
}

fn describe(ordinal: u32) -> Option<Gpu> {
    let device = Device::get(ordinal).ok()?;
    Some(Gpu {
        name: device.name().ok()?,
        sms: device.sm_count().ok()?,
        memory_bytes: device.total_memory().ok()?,
        bus: device.pci_bus_id().ok()?,
    })
}

//! The machine of a world: a GPU for each PE, or host threads on all.

use std::collections::BTreeMap;
use std::sync::Arc;

use oxshmem_core::Pe;
use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_raw::gpu::cuda;

use super::agreement::all_ok;
use super::peers::Uuid;
use crate::config::{Config, DeviceChoice};
use crate::control::Control;
use crate::machine::Machine;

/// Returns the number of the first `pes` PEs that are on this PE's host.
pub(super) fn on_host(control: &Control, pes: u32) -> u32 {
    (0..pes).filter(|&pe| control.same_host(Pe::new(pe))).count() as u32
}

/// Decides on the machine, equally on every PE, and returns each PE's GPU. Collective.
pub(super) fn choose_machine(config: &Config, control: &Control) -> Result<(Arc<Machine>, Vec<Option<Uuid>>)> {
    let me = control.pe();
    let local_rank = on_host(control, me.number());
    let mine = match config.device {
        DeviceChoice::Host => Ok(None),
        DeviceChoice::GpuOrdinal(ordinal) => cuda::Device::get(ordinal).map(Some),
        DeviceChoice::Gpu | DeviceChoice::Auto => match cuda::device_count() {
            Ok(0) => Err(Error::new(ErrorKind::NotFound, "find a GPU").because("the driver sees none")),
            Ok(count) => cuda::Device::get(local_rank % count).map(Some),
            Err(error) => Err(error),
        },
    };
    let mine = mine.and_then(|device| device.map(|device| Ok((device, device.uuid()?))).transpose());
    // With the automatic choice a PE without a GPU takes host threads.
    let mine = match mine {
        Err(_) if config.device == DeviceChoice::Auto => Ok(None),
        mine => mine.map_err(|error| {
            let kind = if error.kind() == ErrorKind::NotFound { ErrorKind::NoGpu } else { error.kind() };
            Error::new(kind, format!("run on {}", config.device))
                .because(error.to_string())
                .hint("or set OXSHMEM_DEVICE=host to run on host threads (auto: where there is no GPU)")
        }),
    };
    let mine = all_ok(control, "choose what the world runs on", mine)?;
    settle(config, control, mine)
}

/// Chooses the same kind of machine on every PE, from the reports of all.
fn settle(
    config: &Config,
    control: &Control,
    mine: Option<(cuda::Device, Uuid)>,
) -> Result<(Arc<Machine>, Vec<Option<Uuid>>)> {
    let auto = config.device == DeviceChoice::Auto;
    let host_name = control.pe();
    let mut say = vec![auto as u8, mine.is_some() as u8, config.gpu_share as u8];
    if let Some((_, uuid)) = &mine {
        say.extend_from_slice(uuid);
    }
    let all = control.all_gather("choose what the world runs on", &say)?;
    let has_gpu = |report: &[u8]| report.get(1) == Some(&1);
    // The first two PEs on the same GPU, if any: the same UUID can't appear on two hosts.
    let (mut clash, mut first_on) = (None, BTreeMap::new());
    for (a, report) in all.iter().enumerate().filter(|(_, report)| has_gpu(report)) {
        let b = *first_on.entry(&report[3..]).or_insert(a);
        if b != a {
            clash.get_or_insert((b, a));
        }
    }
    let shared_is_fine = all.iter().all(|report| report.get(2) == Some(&1));
    let all_auto = all.iter().all(|report| report.first() == Some(&1));
    let all_gpu = all.iter().all(|report| has_gpu(report));
    let enough = clash.is_none() || shared_is_fine;
    if all_gpu && enough {
        let (device, _) =
            mine.ok_or_else(|| Error::new(ErrorKind::NotFound, format!("find the GPU of {host_name}")))?;
        let machine = all_ok(control, "set up the GPU", Machine::gpu(device, control.n_pes()))?;
        return Ok((machine, all.iter().map(|report| report[3..].try_into().ok()).collect()));
    }
    // A request for a named GPU must not silently get another machine.
    let some_must = all.iter().any(|report| report.first() == Some(&0) && has_gpu(report));
    if some_must && !all_gpu {
        let without = all.iter().position(|report| !has_gpu(report)).unwrap_or(0);
        return Err(Error::new(ErrorKind::Mismatch, "choose what the world runs on")
            .because(format!(
                "some PEs are configured for a GPU, and PE {without} has none or is configured for host threads"
            ))
            .about(Pe::new(without as u32)));
    }
    if let (Some((a, b)), true) = (clash, some_must || !all_auto && all_gpu) {
        let gpus = all.iter().map(|report| report[3..].to_vec()).collect::<std::collections::BTreeSet<_>>().len();
        return Err(Error::new(ErrorKind::Exhausted, "give each PE a GPU of its own")
            .because(format!("PE {a} and PE {b} would share one"))
            .amount(all.len() as u64, gpus as u64, "GPUs")
            .hint("start fewer PEs, or set OXSHMEM_GPU_SHARE=1 to let PEs share a GPU"));
    }
    Ok((Machine::host(control.n_pes()), vec![None; all.len()]))
}

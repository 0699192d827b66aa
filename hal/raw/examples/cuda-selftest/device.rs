//! The properties of each device.

use oxshmem_raw::gpu::cuda::{Context, granularity};

use crate::report::{Report, ensure, noted};

pub(crate) fn checks(report: &mut Report, gpu: &str, context: &Context) {
    let device = context.device();
    report.check(&format!("{gpu}/identity"), || {
        let uuid: String = device.uuid()?.iter().map(|byte| format!("{byte:02x}")).collect();
        let (name, place) = (device.name()?, device.pci_bus_id()?);
        ensure(!name.is_empty() && place.contains(':') && uuid != "0".repeat(32), || {
            format!("name {name:?}, place {place:?}, UUID {uuid}")
        })?;
        noted(format!("{name}, {place}, UUID {uuid}, {} MiB", device.total_memory()? >> 20))
    });
    report.check(&format!("{gpu}/attributes"), || {
        let (major, minor) = device.compute_capability()?;
        let (sms, threads, shared) =
            (device.sm_count()?, device.max_threads_per_block()?, device.max_shared_per_block()?);
        ensure(major >= 5 && sms > 0 && threads >= 512 && shared >= 48 << 10, || {
            format!("sm_{major}{minor}, {sms} SMs, {threads} threads, {shared} bytes of shared memory")
        })?;
        noted(format!("sm_{major}{minor}, {sms} SMs, {threads} threads a block, {shared} bytes of shared memory"))
    });
    report.check(&format!("{gpu}/abilities"), || {
        noted(format!(
            "cooperative launch {}, VMM {}, fd handles {}, fabric handles {}, RDMA with VMM {}, dma-buf {}, \
             maps host memory {}, unified addresses {}, host-native atomics {}, granularity {}",
            device.cooperative_launch()?,
            device.vmm_supported()?,
            device.posix_fd_handles_supported()?,
            device.fabric_handles_supported()?,
            device.gpu_direct_rdma_with_vmm()?,
            device.dma_buf_supported()?,
            device.can_map_host_memory()?,
            device.unified_addressing()?,
            device.host_native_atomics()?,
            granularity(&device)?,
        ))
    });
}

//! Fences and quiets, and the end of the program.

use oxshmem_core::{Fault, FaultStep};
use oxshmem_raw::gpu::ptx;

use crate::args;
use crate::world::all_load_store;

/// The time that the host has to end the process. It looks for the request every 20 ms.
const EXIT_NS: u64 = 10_000_000_000;

export_scopes! {
    /// Orders the group's earlier operations to a PE, or to all of them, before its later ones, on `count` queues.
    oxshmem_fence oxshmem_fence_warp oxshmem_fence_block
    (pe: i32, qps: *const i32, count: i32), if all_load_store() => shmem, on, group => {
        // SAFETY: **live** by the caller.
        let _ = shmem.fence_on(group, args::pes(pe), unsafe { args::qps(qps, count) });
    };
    /// Completes the group's earlier operations to a PE, or to all of them, on `count` queues.
    oxshmem_quiet oxshmem_quiet_warp oxshmem_quiet_block
    (pe: i32, qps: *const i32, count: i32), if all_load_store() => shmem, on, group => {
        // SAFETY: **live** by the caller.
        let _ = shmem.quiet_on(group, args::pes(pe), unsafe { args::qps(qps, count) });
    };
}

export! {
    /// Ends the program with this status: waits for the host to end this process. The caller then ends its kernel, and a
    /// host that did not see the request finds a fault.
    oxshmem_global_exit(status: i32), if true => shmem, on => {
        shmem.ask_for_exit(status);
        let start = ptx::global_timer_ns();
        while cfg!(target_arch = "nvptx64") && ptx::global_timer_ns() - start < EXIT_NS {
            ptx::sleep_ns(100_000);
        }
        let mut fault = Fault::new(FaultStep::Aborted);
        (fault.detail, fault.pe) = (status as u32, shmem.my_pe().number());
        shmem.fault(fault);
    };
}

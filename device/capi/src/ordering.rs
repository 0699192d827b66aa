//! Fences and quiets, and the end of the program.

use oxshmem_core::{Fault, FaultStep};

use crate::args;
use crate::world::all_load_store;

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
    /// Reports that the program ends with this status. The caller then ends its kernel.
    oxshmem_global_exit(status: i32), if true => shmem, on => {
        let mut fault = Fault::new(FaultStep::Aborted);
        (fault.detail, fault.pe) = (status as u32, shmem.my_pe().number());
        shmem.fault(fault);
    };
}

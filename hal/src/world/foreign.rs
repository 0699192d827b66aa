//! Launches of kernels that the program itself loaded on a GPU.

use std::ffi::c_void;

use oxshmem_core::host::Result;
use oxshmem_raw::gpu::cuda::{self, Function, LaunchShape};

use super::World;
use super::run::{allow_shared, check_fit, check_shape};
use crate::launch::Launch;
use crate::stream::Stream;

/// The name of such a kernel in errors.
const NAME: &str = "of the program";

impl World {
    /// Launches a kernel that the program loaded (`CUfunction`) on a stream. `args` has the address of each of its
    /// arguments.
    ///
    /// # Errors
    /// `InvalidArgument` on host PEs; the shape exceeds the machine (requested and available size named), or an earlier
    /// kernel has reported a fault.
    ///
    /// # Safety
    ///
    /// - **function**: `raw` names a kernel of this PE's GPU, in its primary context, that stays loaded until it has
    ///   ended.
    /// - **arguments**: `args` leads to as many addresses as the kernel has parameters, each of a value of its type.
    /// - **kernel**: the kernel's operations on them are sound.
    pub unsafe fn launch_function(
        &self,
        stream: &Stream,
        raw: *mut c_void,
        launch: Launch,
        args: *mut *mut c_void,
    ) -> Result<()> {
        self.check_stream(NAME, stream)?;
        check_shape(NAME, launch)?;
        self.check_fault("launch a kernel of the program")?;
        // SAFETY: **function** by the caller.
        let function = unsafe { Function::from_raw(self.gpu_context("kernel")?, NAME, raw) };
        allow_shared(&function, launch)?;
        if launch.collective {
            check_fit(NAME, launch, fit(&function, launch)?.into())?;
        }
        let Some(on) = stream.gpu() else { return Ok(()) };
        let shape = LaunchShape {
            grid: launch.grid,
            block: launch.block,
            dynamic_shared_bytes: launch.shared_bytes,
            cooperative: launch.collective,
            early: false,
        };
        self.about_to_launch();
        // SAFETY: **list**, **arguments** and **kernel** by the caller; **early**: it is not.
        self.check_given(unsafe { cuda::launch_list(&function, &shape, on, args) })
    }

    /// Returns the largest number of blocks of a kernel that the program loaded that can be resident at once, as
    /// [`most_resident_blocks`](World::most_resident_blocks).
    ///
    /// # Errors
    /// `InvalidArgument` on host PEs; or the driver does not answer.
    ///
    /// # Safety
    ///
    /// - **function**: as for [`launch_function`](World::launch_function).
    pub unsafe fn most_resident_blocks_of(&self, raw: *mut c_void, launch: Launch) -> Result<u64> {
        // SAFETY: **function** by the caller.
        let function = unsafe { Function::from_raw(self.gpu_context("kernel")?, NAME, raw) };
        allow_shared(&function, launch)?;
        Ok(self.share_of_gpu(fit(&function, launch)?))
    }
}

fn fit(function: &Function, launch: Launch) -> Result<u32> {
    let threads = u32::try_from(launch.threads()).unwrap_or(u32::MAX);
    function.max_resident_blocks(threads, launch.shared_bytes)
}

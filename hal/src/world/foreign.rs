//! Launches of kernels that the program itself loaded on a GPU.

use std::ffi::c_void;

use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_raw::gpu::cuda::{self, Function, LaunchAttribute, LaunchShape};

use super::World;
use super::launches::{allow_shared, check_fit, check_shape};
use super::stream::Stream;
use crate::launch::Launch;

/// The name of such a kernel in errors.
const NAME: &str = "of the program";

impl Stream<'_> {
    /// Launches a kernel that the program loaded (`CUfunction`). `args` has the address of each of its
    /// arguments. A collective launch may have `attributes` of the program, which go to the driver.
    ///
    /// # Errors
    /// `InvalidArgument` on host PEs, or if an attribute is there twice or excludes a collective launch; the shape
    /// exceeds the machine (requested and available size named), or an earlier kernel has reported a fault.
    ///
    /// # Safety
    ///
    /// - **function**: `raw` names a kernel of this PE's GPU, in its primary context, that stays loaded until it has
    ///   ended.
    /// - **arguments**: `args` leads to as many addresses as the kernel has parameters, each of a value of its type.
    /// - **kernel**: the kernel's operations on them are sound. If an attribute lets it start before the preceding kernel
    ///   has ended, each of its threads executes `griddepcontrol.wait` before it accesses memory.
    /// - **attributes**: objects that an attribute names, such as events, exist.
    pub unsafe fn launch_function(
        &self,
        raw: *mut c_void,
        launch: Launch,
        args: *mut *mut c_void,
        attributes: &[LaunchAttribute],
    ) -> Result<()> {
        let world = self.world;
        check_shape(NAME, launch)?;
        world.check_fault("launch a kernel of the program")?;
        // SAFETY: **function** by the caller.
        let function = unsafe { Function::from_raw(world.gpu_context("kernel")?, NAME, raw) };
        allow_shared(&function, launch)?;
        if !attributes.is_empty() {
            LaunchAttribute::merged(attributes)?;
            check_clusters(launch, attributes)?;
        }
        if launch.collective {
            check_fit(NAME, launch, fit(&function, launch)?.into())?;
        }
        let Some(on) = self.state.gpu() else { return Ok(()) };
        let shape = LaunchShape {
            grid: launch.grid,
            block: launch.block,
            dynamic_shared_bytes: launch.shared_bytes,
            cooperative: launch.collective,
            early: false,
        };
        world.about_to_launch();
        // SAFETY: **list**, **arguments** and **kernel** by the caller; **early**: by **kernel**; **own**: by **attributes**.
        world.check_given(unsafe { cuda::launch_list(&function, &shape, on, args, attributes) })
    }
}

impl World {
    #[cfg(feature = "capi")]
    #[doc(hidden)]
    /// Returns the largest number of blocks of a kernel that the program loaded that can be resident at once, as
    /// [`most_resident_blocks`](Stream::most_resident_blocks).
    ///
    /// # Errors
    /// `InvalidArgument` on host PEs; or the driver does not answer.
    ///
    /// # Safety
    ///
    /// - **function**: as for [`launch_function`](Stream::launch_function).
    pub unsafe fn most_resident_blocks_of(&self, raw: *mut c_void, launch: Launch) -> Result<u64> {
        // SAFETY: **function** by the caller.
        let function = unsafe { Function::from_raw(self.gpu_context("kernel")?, NAME, raw) };
        allow_shared(&function, launch)?;
        Ok(self.share_of_gpu(fit(&function, launch)?))
    }

    #[cfg(feature = "capi")]
    #[doc(hidden)]
    /// Returns the largest number of clusters of `cluster` blocks of such a kernel that can be resident at once. PEs that
    /// share a GPU share its room.
    ///
    /// # Errors
    /// As [`most_resident_blocks_of`](World::most_resident_blocks_of); or the GPU has no clusters of this size.
    ///
    /// # Safety
    ///
    /// - **function**: as for [`launch_function`](Stream::launch_function).
    pub unsafe fn most_resident_clusters_of(&self, raw: *mut c_void, launch: Launch, cluster: [u32; 3]) -> Result<u64> {
        // SAFETY: **function** by the caller.
        let function = unsafe { Function::from_raw(self.gpu_context("kernel")?, NAME, raw) };
        allow_shared(&function, launch)?;
        Ok(self.share_of_gpu(function.max_resident_clusters(cluster, launch.block, launch.shared_bytes)?))
    }
}

/// Checks that a grid consists of whole clusters, if there are clusters.
fn check_clusters(launch: Launch, attributes: &[LaunchAttribute]) -> Result<()> {
    let Some(cluster) = LaunchAttribute::cluster(attributes) else { return Ok(()) };
    if launch.grid.iter().zip(cluster).all(|(blocks, of)| of != 0 && blocks.is_multiple_of(of)) {
        return Ok(());
    }
    let shown = |[x, y, z]: [u32; 3]| format!("{x}x{y}x{z}");
    Err(Error::new(ErrorKind::InvalidArgument, "launch a kernel").because(format!(
        "a grid of {} blocks does not consist of clusters of {}",
        shown(launch.grid),
        shown(cluster)
    )))
}

fn fit(function: &Function, launch: Launch) -> Result<u32> {
    let threads = u32::try_from(launch.threads()).unwrap_or(u32::MAX);
    function.max_resident_blocks(threads, launch.shared_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grid_consists_of_whole_clusters() {
        let attribute = LaunchAttribute::of_cluster;
        let check = |grid, cluster| check_clusters(Launch::shaped(grid, [32, 1, 1]), &[attribute(cluster)]);
        check([8, 3, 1], [4, 3, 1]).unwrap();
        check_clusters(Launch::shaped([7, 1, 1], [32, 1, 1]), &[LaunchAttribute::cooperative()]).unwrap();
        for (grid, cluster) in [([7, 1, 1], [2, 1, 1]), ([8, 3, 1], [2, 2, 1]), ([8, 1, 1], [0, 1, 1])] {
            let error = check(grid, cluster).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidArgument);
            assert!(error.to_string().contains("does not consist of clusters of"), "{error}");
        }
    }
}

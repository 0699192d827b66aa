//! What kernels over the courier call: oxshmem's device library with this one remote path.
#![cfg_attr(target_arch = "nvptx64", no_std, feature(abi_ptx))]

use courier::device::CourierPath;

oxshmem_device_api::compose!(Paths<CourierPath, NoRemote>);

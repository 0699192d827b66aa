//! The device library for kernels over the courier: oxshmem's, with this one remote path.
#![cfg_attr(target_arch = "nvptx64", no_std, feature(abi_ptx))]

use courier::device::CourierPath;

oxshmem_device_api::compose!(Paths<CourierPath, NoRemote>);

//! The software ConnectX under unmodified libibverbs and libmlx5.
//!
//! A shared object for `LD_PRELOAD`. It replaces the parts of Linux that libibverbs and libmlx5 use: the device file
//! `/dev/infiniband/uverbs0`, its ioctls and mappings, and the device's entries in sysfs. Every ioctl becomes a call on
//! [`oxshmem_rdma::hca::Hca`]. The kernel driver's own work (queues of verbs, from buffers that libmlx5 allocated)
//! becomes DEVX commands here, so that the software NIC needs to know DEVX only.
//!
//! `LD_PRELOAD=target/debug/liboxshmem_softnic_preload.so ibv_devinfo -v`, and likewise any program that uses
//! libibverbs: two processes of `ibv_rc_pingpong` on one `OXSHMEM_SOFTNIC_WIRE` reach each other. Do not link with it:
//! its functions would replace libc's in the program.
//!
//! Nothing happens before a program uses InfiniBand: no file is created, no thread is started. A child of `fork` has no
//! access to its parent's contexts.
//!
//! A running program can make its NICs fail: see `control`.
//!
//! Environment:
//! - `OXSHMEM_SOFTNIC_ABSENT=1`: the driver is loaded, but there is no device; `=driver`: there is no driver either.
//! - `OXSHMEM_SOFTNIC_DENY=open,devx,umem,dmabuf,mr`: these are refused, with the kernel's errno.
//! - `OXSHMEM_SOFTNIC_TALK=1`: each ioctl and its answer are printed to stderr.
//! - The variables of the software NIC itself: [`oxshmem_softnic::Options::from_env`].

#[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
compile_error!(
    "variadic functions are stood in for by functions with their words, which is the same on these ABIs only"
);

mod config;
mod control;
mod mailbox;
mod nics;
mod shim;
mod uverbs;

//! The software ConnectX under unmodified libibverbs and libmlx5.
//!
//! A shared object for `LD_PRELOAD`. It stands in for the parts of Linux that libibverbs and libmlx5 ask: the device
//! file `/dev/infiniband/uverbs0`, its ioctls and mappings, and what sysfs says of the device. Everything below the
//! ioctls is a call on [`oxshmem_raw::rdma::hca::Hca`]; what the kernel driver does itself (queues of verbs, from buffers
//! that libmlx5 allocated) becomes DEVX commands here, so that the software NIC knows nothing but DEVX.
//!
//! `LD_PRELOAD=target/debug/liboxshmem_softnic_preload.so ibv_devinfo -v`, and likewise any program that uses
//! libibverbs. It is not to be linked with: its functions would take libc's place in the program.
//!
//! Nothing happens before a program asks for InfiniBand: no file is made, no thread is started. A child of `fork` has
//! no access to its parent's contexts.
//!
//! While it runs, a program can ask its NICs to fail: see `control`.
//!
//! Environment:
//! - `OXSHMEM_SOFTNIC_ABSENT=1`: the driver is loaded, and no device is there; `=driver`: there is no driver either.
//! - `OXSHMEM_SOFTNIC_DENY=open,devx,umem,dmabuf,mr`: these are refused, with the errno the kernel has for it.
//! - `OXSHMEM_SOFTNIC_TALK=1`: each ioctl and what it is answered go to stderr.
//! - Those of the software NIC itself: [`oxshmem_softnic::Options::from_env`].

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

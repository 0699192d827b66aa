//! The CUDA driver, opened at run time, as owning types.
//!
//! Nothing here needs a CUDA toolkit, and nothing panics without a driver: [`available`] says what
//! is missing, and every type starts from a [`Device`], which exists only where a driver does.
//!
//! An object belongs to a [`Context`] and may be used and dropped from any thread: it makes its
//! context current for the length of a call and puts back what was current before. What is
//! released while kernels still use it is gone under them; the owner waits for them first.
//!
//! | file | what |
//! |---|---|
//! | `driver` | the driver's functions, found once, and its answers as errors |
//! | `device`, `context` | which GPUs there are and what they can do; their primary contexts |
//! | `vmm`, `fabric`, `ipc`, `pinned` | memory: mapped by hand, shared by handle, on the host |
//! | `rdma` | what a NIC and a GPU need to reach each other |
//! | `module`, `launch` | PTX and cubins, kernels and their limits, launching |
//! | `stream`, `event`, `copy` | order, time, and moving bytes |

mod answer;
mod context;
pub mod copy;
mod device;
mod driver;
mod event;
mod fabric;
mod image;
mod ipc;
mod launch;
mod module;
mod pinned;
mod rdma;
mod stream;
#[cfg(test)]
mod tests;
mod vmm;

pub use context::{Context, Entered};
pub use device::Device;
pub use driver::{DriverInfo, available, device_count};
pub use event::Event;
pub use fabric::try_fabric_handle;
pub use ipc::{DeviceMemory, IPC_HANDLE_BYTES, IpcMapping};
pub use launch::{LaunchShape, launch};
pub use module::{Function, FunctionLimits, Module, Parameter};
pub use pinned::{PinnedBox, PinnedBytes};
pub use rdma::{MappedHost, device_of, dma_buf, flush_rdma_writes, kernel_address, pinner_of, synchronize_copies};
pub use stream::Stream;
pub use vmm::{PhysicalChunk, Reservation, granularity};

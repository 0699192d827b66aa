//! The CUDA driver, opened at run time, as owning types.
//!
//! No code here needs a CUDA toolkit or panics without a driver: [`available`] names the missing part, and every type
//! starts from a [`Device`], which exists only if a driver does.
//!
//! An object belongs to a [`Context`] and may be used and dropped from any thread. Each call makes the object's context
//! current and then restores the previous one. Dropping an object does not wait for kernels that use it; its owner must
//! wait first.
//!
//! | file | content |
//! |---|---|
//! | `driver`, `call_result` | the driver's functions, looked up once; its result codes as errors |
//! | `device`, `context` | the GPUs and their capabilities; their primary contexts |
//! | `vmm`, `fabric`, `ipc`, `pinned` | memory: mapped explicitly, shared by handle, on the host |
//! | `program_memory` | allocations that the program made and mapped |
//! | `rdma` | access of a NIC and a GPU to each other |
//! | `module`, `readiness`, `launch` | PTX and cubins, kernels and their limits; launches beside running kernels |
//! | `stream` with its `event`s, `copy`, `host_copies` | order, time, copies |
//! | `graph` | captures of streams, and the graphs that they leave |

mod call_result;
mod captures;
mod context;
pub mod copy;
mod device;
mod driver;
mod fabric;
mod graph;
mod host_copies;
mod image;
mod ipc;
mod launch;
mod launch_attributes;
mod link;
mod module;
mod pinned;
mod program_memory;
mod rdma;
mod readiness;
mod stream;
#[cfg(test)]
mod tests;
mod vmm;

pub use context::{Context, Entered, current_gpu};
pub use device::Device;
pub use driver::{DriverInfo, available, device_count};
pub use fabric::try_fabric_handle;
pub use graph::{BegunCapture, CapturedKernel, Graph};
pub use ipc::{DeviceMemory, IPC_HANDLE_BYTES, IpcMapping};
pub use launch::{LaunchShape, launch, launch_list};
pub use launch_attributes::LaunchAttribute;
pub use module::{Function, FunctionLimits, Library, Module, Parameter};
pub use pinned::{PinnedBox, PinnedBytes};
pub use rdma::{MappedHost, device_of, dma_buf, flush_rdma_writes, kernel_address, pinner_of, synchronize_copies};
pub use stream::{Event, Stream};
pub use vmm::{PhysicalChunk, Reservation, granularity};

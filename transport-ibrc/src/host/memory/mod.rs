//! Memory that work requests name: registered with the devices, or copied to and from memory that is.
//!
//! | file | contents |
//! |---|---|
//! | `registrations` | everything that one NIC has registered |
//! | `keys` | addresses and keys of registered memory, as progress threads read them |
//! | `bounce` | scratch memory of work requests, and the pool of bounce buffers |
//! | `gpu_flush` | visibility of a NIC's writes to kernels |

pub(in crate::host) mod bounce;
pub(in crate::host) mod gpu_flush;
pub(in crate::host) mod keys;
pub(in crate::host) mod registrations;

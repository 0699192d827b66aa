//! Memory that work requests name: registered with the devices, or copied to and from memory that is.

pub(in crate::host) mod bounce;
pub(in crate::host) mod gpu_flush;
pub(in crate::host) mod keys;
pub(in crate::host) mod registrations;
pub(in crate::host) mod staging;

//! Resources that are opened once: the provider, its devices, and the cores of the progress threads.

pub(in crate::host) mod cores;
pub(in crate::host) mod nic;
pub(in crate::host) mod provider;

//! Fakes of NICs for the worlds of a process: the software ConnectX within it or under its libibverbs, and verbs in
//! software.

pub mod soft_nic;
pub mod soft_verbs;
pub mod under_verbs;

//! Fakes of NICs for tests: the software ConnectX within a process or under its libibverbs, and verbs in software.

pub mod soft_nic;
pub mod soft_verbs;
pub mod under_verbs;

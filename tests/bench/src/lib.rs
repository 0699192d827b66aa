//! What the performance suite measures: [`perf`] in a world, [`nic_rates`] on a NIC's queues and [`proxy`] on proxies
//! without one. [`peer`] is a program that answers the suite.

pub mod nic_rates;
pub mod peer;
pub mod perf;
pub mod proxy;

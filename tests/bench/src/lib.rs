//! The measurements of the performance suite: [`perf`] in a world, [`nic_rates`] on a NIC's queues, and [`proxy`] on
//! proxies without a NIC. [`peer`] is the frame of a program that answers the suite.

pub mod nic_rates;
pub mod peer;
pub mod perf;
pub mod proxy;
mod room;

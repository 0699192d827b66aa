//! The programs that the performance suite asks, on host threads.

mod nic_rates;
mod perf;

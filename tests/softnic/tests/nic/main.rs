//! The software ConnectX, driven by a small driver of the tests' own and by the host half of IBGDA.

mod commands;
mod doorbells;
mod driver;
mod driver_bugs;
mod dynamic;
mod faults;
mod golden_data;
mod host_half;
mod ibdevx;
mod operations;
mod orders;
mod processes;
mod selftest;
mod speed;

use oxshmem_kit::fabric::CountingAllocator;

/// Lets the checks of a fabric count allocations.
#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

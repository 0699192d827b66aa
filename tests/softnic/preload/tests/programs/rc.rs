//! Checks the devices of libibverbs; `--from FOLDER` names the folder of libibverbs, if it is not one of the system
//! loader's.

use oxshmem_kit::fabric::CountingAllocator;

/// Counts allocations, so that the kit can check that posting and polling make none.
#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

fn main() -> std::process::ExitCode {
    oxshmem_kit::main("oxshmem-rc-selftest", oxshmem_rdma::verbs::rc::LibVerbs::open_from)
}

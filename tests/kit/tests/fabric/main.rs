//! The checks of a fabric's provider: verbs in software pass them, and providers that break a promise do not.

mod broken;
mod faults;
mod keeps;

use oxshmem_kit::fabric::CountingAllocator;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

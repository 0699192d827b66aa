//! A call would copy all elements of a pointer, which does not know how many it has.
use oxshmem_device_api::{Fault, NoRemote, Rma, Shmem, SymPtr, SymSlice, Thread};

fn put(shmem: &Shmem<'_, NoRemote>, dest: SymPtr<u64>, source: SymSlice<u64>) -> Result<(), Fault> {
    shmem.put(Thread, dest, source, .., shmem.my_pe())
}

fn main() {
    let _ = put;
}

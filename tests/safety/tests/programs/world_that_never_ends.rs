//! A kernel would have its world for ever.
use oxshmem_device_api::{NoRemote, Shmem, kernel};

kernel! {
    pub fn forever(_shmem: Shmem<'static, NoRemote>) {}
}

fn main() {}

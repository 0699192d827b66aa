//! A thread of the host would make calls as a GPU thread.
use oxshmem_device_api::{NoRemote, Shmem, kernel};

kernel! {
    pub fn give(shmem: Shmem<NoRemote>) {
        std::thread::scope(|scope| {
            scope.spawn(|| shmem.my_pe());
        });
    }
}

fn main() {}

//! A kernel's world would be used after the world's end.
use std::cell::Cell;

use oxshmem_device_api::{NoRemote, Shmem, kernel};

thread_local! {
    static KEPT: Cell<Option<Shmem<'static, NoRemote>>> = const { Cell::new(None) };
}

kernel! {
    pub fn keep(shmem: Shmem<NoRemote>) {
        KEPT.set(Some(shmem));
    }
}

fn main() {}

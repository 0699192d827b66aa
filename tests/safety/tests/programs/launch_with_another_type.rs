//! A kernel would take memory of one type for memory of another.
use oxshmem_core::SymPtr;
use oxshmem_device_api::{NoRemote, Shmem, kernel};
use oxshmem_hal::{Launch, Result, Stream};

kernel! {
    pub fn one_more(shmem: Shmem<NoRemote>, at: SymPtr<u64>, n: usize) {
        let _ = (shmem, at, n);
    }
}

fn launch(stream: &Stream<'_>, at: SymPtr<u8>) -> Result<()> {
    stream.launch(Launch::new(1, 32), one_more { at, n: 1 })
}

fn main() {
    let _ = launch;
}

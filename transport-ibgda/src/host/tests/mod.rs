//! Queues, rows, keys and choices, on NICs that only keep records of their objects.

mod choice;
mod doorbells;
mod host_ops;
mod keys;
mod rows;
mod several;

use std::ops::Range;
use std::sync::{Arc, Mutex};

use crate::state::{NicState, QueueState};
use oxshmem_core::Pe;
use oxshmem_core::host::{Extent, Result, Transport};
use oxshmem_raw::memory::{Memory, Windows};
use oxshmem_rdma::fake::{FakeHca, FakeMachine};

use super::{Ibgda, IbgdaConfig};

const EXTENT: u64 = 64 << 10;

fn config() -> IbgdaConfig {
    IbgdaConfig { rows: 2, spare_rows: 4, depth: 128, ..IbgdaConfig::default() }
}

/// PEs that reach each other over NICs alone.
struct World {
    pes: Vec<Ibgda>,
    windows: Vec<Arc<Mutex<Windows>>>,
    default_rows: u32,
}

fn open(config: &IbgdaConfig, nics: &[Arc<FakeHca>], me: u32, n_pes: u32) -> Result<(Ibgda, Arc<Mutex<Windows>>)> {
    let memory = Memory::Host;
    let windows = Windows::new(&memory, Pe::new(me), n_pes, 64 << 20)?;
    let windows = Arc::new(Mutex::new(windows));
    let remote: Vec<bool> = (0..n_pes).map(|pe| pe != me).collect();
    let machine = Arc::new(FakeMachine(nics.to_vec()));
    Ok((Ibgda::open(config, machine, memory, windows.clone(), Pe::new(me), n_pes, &remote)?, windows))
}

impl World {
    /// One PE for each NIC, with an extent of the heap each and no queues yet.
    fn new(config: &IbgdaConfig, nics: &[Arc<FakeHca>]) -> Self {
        Self::of(&nics.iter().map(|nic| (config.clone(), vec![nic.clone()])).collect::<Vec<_>>())
    }

    /// PEs with these settings on machines with these NICs.
    fn of(pes: &[(IbgdaConfig, Vec<Arc<FakeHca>>)]) -> Self {
        let n_pes = pes.len() as u32;
        let opened = (0..).zip(pes).map(|(me, (config, nics))| open(config, nics, me, n_pes).unwrap());
        let (opened, windows) = opened.unzip();
        let mut world = Self { pes: opened, windows, default_rows: pes[0].0.rows };
        world.grow(Extent { offset: 0, bytes: EXTENT });
        world
    }

    fn make(&self, extent: Extent) {
        self.windows.iter().for_each(|windows| windows.lock().unwrap().create(extent).unwrap());
    }

    fn grow(&mut self, extent: Extent) {
        self.make(extent);
        let offers: Vec<Vec<u8>> = self.pes.iter_mut().map(|pe| pe.offer(extent).unwrap().bytes).collect();
        for (me, pe) in self.pes.iter_mut().enumerate() {
            for (other, bytes) in offers.iter().enumerate().filter(|(other, _)| *other != me) {
                let offer = oxshmem_core::host::Offer { bytes: bytes.clone(), fds: Vec::new() };
                pe.accept(Pe::new(other as u32), extent, offer).unwrap();
            }
        }
    }

    fn make_default_rows(&mut self) -> Vec<Result<()>> {
        self.make_rows(0..self.default_rows)
    }

    fn make_rows(&mut self, rows: Range<u32>) -> Vec<Result<()>> {
        let said: Vec<Vec<Vec<u8>>> = self.pes.iter_mut().map(|pe| pe.prepare_qps(rows.clone()).unwrap()).collect();
        let to = |me: usize| said.iter().map(|messages| messages[me].clone()).collect::<Vec<_>>();
        self.pes.iter_mut().enumerate().map(|(me, pe)| pe.connect_qps(&to(me))).collect()
    }

    fn create(&mut self, rows: Range<u32>) {
        self.make_rows(rows).into_iter().for_each(Result::unwrap);
    }

    fn destroy(&mut self, rows: &[u32]) {
        self.pes.iter_mut().for_each(|pe| pe.destroy_qps(rows).unwrap());
    }
}

fn nics(count: u16) -> Vec<Arc<FakeHca>> {
    (0..count).map(|lid| FakeHca::new("mlx5_0", lid + 1)).collect()
}

/// A queue as kernels of a PE see it.
fn queue(pe: &Ibgda, number: u32) -> &QueueState {
    let at = pe.path_view().queues as *const QueueState;
    // SAFETY: the tables have room for all rows, and nothing runs meanwhile.
    unsafe { &*at.add(number as usize) }
}

/// The fields that all queues of a PE share, as its kernels see them.
fn shared(pe: &Ibgda) -> &NicState {
    // SAFETY: the tables begin with it, and nothing runs meanwhile.
    unsafe { &*(pe.path_view().shared as *const NicState) }
}

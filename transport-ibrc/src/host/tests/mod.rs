//! Choice of devices and paths, and refusals, on devices that only keep the registrations.

mod choice;
mod fake;
mod refused;
mod several;

use std::ops::Range;
use std::sync::{Arc, Mutex};

use oxshmem_core::Pe;
use oxshmem_core::host::{Error, ErrorKind, Extent, Offer, Result, Transport};
use oxshmem_raw::memory::{Memory, Windows};
use oxshmem_rdma::fake::FakeMachine;
use oxshmem_rdma::rc::VerbsFabric;

use super::{Ibrc, IbrcConfig};
use fake::{Fake, Machine};

const EXTENT: u64 = 64 << 10;

fn config() -> IbrcConfig {
    IbrcConfig { rows: 2, spare_rows: 4, depth: 16, ring_depth: 64, ..IbrcConfig::default() }
}

fn open(config: &IbrcConfig, nics: &[Arc<Fake>], me: u32, n_pes: u32) -> Result<(Ibrc, Arc<Mutex<Windows>>)> {
    let memory = Memory::Host;
    let windows = Arc::new(Mutex::new(Windows::new(&memory, Pe::new(me), n_pes, 64 << 20)?));
    let remote: Vec<bool> = (0..n_pes).map(|pe| pe != me).collect();
    let machine = VerbsFabric::new(Arc::new(Machine(FakeMachine(nics.to_vec()))));
    Ok((Ibrc::open(config, &machine, memory, windows.clone(), Pe::new(me), None, &remote)?, windows))
}

/// Returns the error of opening, and checks that no object is left.
#[track_caller]
fn refused(config: &IbrcConfig, nics: &[Arc<Fake>]) -> Error {
    let error = open(config, nics, 0, 2).unwrap_err();
    assert_eq!(nics.iter().map(|nic| nic.open_objects()).sum::<usize>(), 0, "what was opened is given back");
    error
}

/// Checks the kind, and that the text has each of these words.
#[track_caller]
fn says(error: &Error, kind: ErrorKind, words: &[&str]) {
    let text = error.to_string();
    assert_eq!(error.kind(), kind, "{text}");
    for word in words {
        assert!(text.contains(word), "`{word}` is not in: {text}");
    }
}

/// PEs that reach each other by proxies alone.
struct World {
    pes: Vec<Ibrc>,
    windows: Vec<Arc<Mutex<Windows>>>,
    default_rows: u32,
}

impl World {
    /// One PE for each device, with an extent of the heap each and no queues yet.
    fn new(config: &IbrcConfig, nics: &[Arc<Fake>]) -> Self {
        Self::of(&nics.iter().map(|nic| (config.clone(), vec![nic.clone()])).collect::<Vec<_>>())
    }

    /// PEs with these settings on machines with these devices.
    fn of(pes: &[(IbrcConfig, Vec<Arc<Fake>>)]) -> Self {
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
                let offer = Offer { bytes: bytes.clone(), fds: Vec::new() };
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
}

//! Which registers are rung by the GPU or the host, and how a GPU's driver maps their pages.

use std::sync::Mutex;

use super::*;
use crate::host::config::DoorbellBy;
use crate::host::doorbell::mapper::{HostMapper, MapHost, MappedPages};
use crate::host::doorbell::{Doorbell, Doorbells};
use crate::host::setup::Setup;
use crate::host::setup::nic::{DoorbellRegister, Nic};
use oxshmem_core::host::{Error, ErrorKind};
use oxshmem_rdma::hca::UarKind;

/// The distance between the host's addresses and those of the fake GPU's kernels.
const AWAY: u64 = 1 << 60;
const PAGE: u64 = 4096;

/// The state of a fake driver.
#[derive(Debug, Default)]
struct DriverState {
    /// The pages that are mapped.
    mapped: Vec<u64>,
    /// The number of pages that were mapped.
    count: usize,
    /// The kinds of registers whose pages it refuses to map.
    refuses: Vec<UarKind>,
}

/// A driver that maps no page twice, as CUDA does, and may refuse to map pages of some kinds of registers.
#[derive(Debug)]
struct FakeDriver {
    nic: Arc<FakeHca>,
    state: Arc<Mutex<DriverState>>,
}

#[derive(Debug)]
struct FakePages {
    at: u64,
    state: Arc<Mutex<DriverState>>,
}

impl MapHost for FakeDriver {
    unsafe fn registers(&self, at: u64, bytes: usize) -> Result<Arc<dyn MappedPages>> {
        let mut state = self.state.lock().unwrap();
        let refused = |why: &str| Err(Error::new(ErrorKind::Refused, format!("map registers at {at:#x}")).because(why));
        assert_eq!((at % PAGE, bytes as u64), (0, PAGE), "whole pages are mapped");
        if state.mapped.contains(&at) {
            return refused("already registered");
        }
        let on_page = |(_, register): &&(UarKind, u64)| register - register % PAGE == at;
        let kinds: Vec<UarKind> = self.nic.registers().iter().filter(on_page).map(|(kind, _)| *kind).collect();
        if kinds.iter().any(|kind| state.refuses.contains(kind)) {
            return refused("not permitted");
        }
        state.mapped.push(at);
        state.count += 1;
        drop(state);
        Ok(Arc::new(FakePages { at, state: self.state.clone() }))
    }

    unsafe fn memory(&self, at: u64, _: usize) -> Result<Arc<dyn MappedPages>> {
        Err(Error::new(ErrorKind::Refused, format!("map memory at {at:#x}")))
    }
}

impl MappedPages for FakePages {
    fn kernel(&self) -> u64 {
        self.at + AWAY
    }
}

impl Drop for FakePages {
    fn drop(&mut self) {
        self.state.lock().unwrap().mapped.retain(|at| *at != self.at);
    }
}

/// A NIC, and the doorbells of a fake GPU.
struct Rung {
    fake: Arc<FakeHca>,
    nic: Arc<Nic>,
    doorbells: Doorbells,
    driver: Arc<Mutex<DriverState>>,
}

impl Rung {
    fn new(by: DoorbellBy) -> Self {
        let fake = FakeHca::new("mlx5_0", 1);
        let machine = FakeMachine(vec![fake.clone()]);
        let setup = Setup::open(&config(), &machine, Memory::Host, Pe::new(0), 2, &[false, true]).unwrap();
        let state = Arc::<Mutex<DriverState>>::default();
        let driver = FakeDriver { nic: fake.clone(), state: state.clone() };
        let doorbells = Doorbells::with_mapper(&Memory::Host, Some(HostMapper::new(Box::new(driver), PAGE)), by, 16);
        Self { fake, nic: setup.nics[0].clone(), doorbells, driver: state }
    }

    fn take(&mut self) -> Taken {
        let (register, doorbell) = self.doorbells.take(&self.nic).unwrap();
        Taken { doorbell, register }
    }

    /// The pages that are mapped, and the number of pages that ever were.
    fn mapped(&self) -> (Vec<u64>, usize) {
        let state = self.driver.lock().unwrap();
        (state.mapped.clone(), state.count)
    }

    fn kinds(&self) -> Vec<UarKind> {
        self.fake.registers().iter().map(|(kind, _)| *kind).collect()
    }

    fn notes(&self) -> Vec<String> {
        self.nic.registrar.notes().into_iter().filter(|note| note.starts_with("doorbells")).collect()
    }
}

/// The doorbell is dropped first.
struct Taken {
    doorbell: Doorbell,
    register: DoorbellRegister,
}

impl Taken {
    fn is_rung_by_gpu(&self) -> bool {
        matches!(self.doorbell, Doorbell::KernelMapping(_))
    }
}

#[test]
fn a_gpu_rings_at_dedicated_registers_and_each_page_of_them_is_mapped_once_until_the_last_is_gone() {
    let mut rung = Rung::new(DoorbellBy::Auto);
    let mut taken: Vec<Taken> = (0..6).map(|_| rung.take()).collect();
    assert_eq!(rung.kinds(), [UarKind::NonCachedDedicated; 6]);
    for one in &taken {
        assert_eq!(one.doorbell.kernel(), one.register.uar.register + AWAY, "each rings its own register");
    }
    // Four registers are on the first page, two on the second.
    assert_eq!((rung.mapped().0.len(), rung.mapped().1), (2, 2));
    let first = taken[0].register.uar.base;
    taken.drain(..3);
    assert!(rung.mapped().0.contains(&first), "the fourth register needs it");
    taken.remove(0);
    assert!(!rung.mapped().0.contains(&first), "no register of the page is left");
    assert_eq!(rung.take().doorbell.kernel(), first + 0x800 + AWAY, "it can be mapped again");
    assert_eq!(rung.mapped().1, 3);
    drop(taken);
    assert!(rung.mapped().0.is_empty() && rung.kinds().is_empty());
    assert_eq!(rung.notes(), ["doorbells: dedicated non-cached registers, rung by the GPU"]);
}

#[test]
fn a_gpu_rings_at_blueflame_registers_of_their_own_where_there_are_no_dedicated_ones() {
    let mut rung = Rung::new(DoorbellBy::Gpu);
    rung.fake.refuse_with("alloc_uar dedicated", 0, 95, "Operation not supported");
    let taken = [rung.take(), rung.take(), rung.take()];
    assert_eq!(rung.kinds(), [UarKind::BlueFlame; 3]);
    assert!(taken.iter().all(Taken::is_rung_by_gpu));
    let at: Vec<u64> = taken.iter().map(|one| one.register.uar.register).collect();
    assert!(at[0] != at[1] && at[1] != at[2] && at[0] != at[2], "{at:x?}");
    let [note] = &rung.notes()[..] else { panic!("{:?}", rung.notes()) };
    assert!(
        note.starts_with("doorbells: BlueFlame registers, rung by the GPU, since dedicated non-cached: "),
        "{note}"
    );
    assert!(note.contains("95: Operation not supported"), "{note}");
}

#[test]
fn a_kind_whose_pages_the_driver_does_not_map_is_not_tried_again() {
    let mut rung = Rung::new(DoorbellBy::Auto);
    rung.driver.lock().unwrap().refuses = vec![UarKind::NonCachedDedicated];
    let taken = [rung.take(), rung.take()];
    assert_eq!(rung.kinds(), [UarKind::BlueFlame; 2], "what could not be mapped is given back");
    assert!(taken.iter().all(Taken::is_rung_by_gpu));
    let [note] = &rung.notes()[..] else { panic!("{:?}", rung.notes()) };
    assert!(note.contains("rung by the GPU, since dedicated non-cached: cannot map registers"), "{note}");
    assert!(note.contains("not permitted"), "{note}");
}

#[test]
fn where_a_gpu_can_ring_no_register_the_host_does_or_the_error_has_each_reason() {
    let refuses = vec![UarKind::NonCachedDedicated, UarKind::BlueFlame, UarKind::NonCached];
    let mut rung = Rung::new(DoorbellBy::Auto);
    rung.driver.lock().unwrap().refuses = refuses.clone();
    rung.fake.refuse("alloc_uar dedicated", 1);
    let taken = [rung.take(), rung.take()];
    // The shared register serves a CPU.
    assert_eq!(rung.kinds(), [UarKind::NonCached; 2]);
    assert!(taken.iter().all(|one| matches!(one.doorbell, Doorbell::Watched(_))));
    let notes = rung.notes();
    for part in [
        "doorbells: shared non-cached registers (",
        "rung by a thread of the host, since the GPU can't: ",
        "BlueFlame: ",
    ] {
        assert!(notes.len() == 1 && notes[0].contains(part), "{part}: {notes:?}");
    }

    let mut rung = Rung::new(DoorbellBy::Gpu);
    rung.driver.lock().unwrap().refuses = refuses;
    let error = rung.doorbells.take(&rung.nic).map(drop).unwrap_err().to_string();
    for part in ["let the GPU ring mlx5_0", "dedicated non-cached: ", "BlueFlame: ", "NIC_HANDLER=cpu"] {
        assert!(error.contains(part), "{part}: {error}");
    }
    assert!(rung.kinds().is_empty() && rung.notes().is_empty());
}

#[test]
fn a_thread_of_the_host_rings_as_asked_without_any_mapping() {
    let mut rung = Rung::new(DoorbellBy::Cpu);
    let taken = rung.take();
    assert!(matches!(taken.doorbell, Doorbell::Watched(_)) && rung.mapped().1 == 0);
    assert_eq!(rung.notes(), ["doorbells: dedicated non-cached registers, rung by a thread of the host, as asked"]);
}

#[test]
fn a_register_of_a_verbs_queue_pair_is_rung_by_the_gpu_unless_other_queue_pairs_share_it() {
    for by in [DoorbellBy::Auto, DoorbellBy::Gpu] {
        let mut rung = Rung::new(by);
        let register = rung.nic.doorbell(UarKind::BlueFlame).unwrap();
        let at = register.uar.register;
        // SAFETY: **mapped**: the fake's register is there as long as `register`, which is dropped last.
        let own = unsafe { rung.doorbells.at(&rung.nic, at, false) }.unwrap();
        assert!(matches!(own, Doorbell::KernelMapping(_)) && own.kernel() == at + AWAY);
        // SAFETY: **mapped**: the register, dropped last, keeps the page of `at` mapped.
        let shared = unsafe { rung.doorbells.at(&rung.nic, at, true) };
        match by {
            DoorbellBy::Gpu => {
                let error = shared.map(drop).unwrap_err().to_string();
                assert!(error.contains("they share doorbell registers") && error.contains("=cpu"), "{error}");
            }
            _ => assert!(matches!(shared.unwrap(), Doorbell::Watched(_)), "{:?}", rung.notes()),
        }
        drop(own);
    }
}

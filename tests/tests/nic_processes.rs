//! Processes that reach each other by a NIC alone, each with a software ConnectX of its own: one goes, or its link does.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use oxshmem_hal::{Error, Launch, Result, World};
use oxshmem_test_kernels as _;
use oxshmem_tests::soft_nic;
use oxshmem_tests::worlds::{self, Body, Processes, say};

const BODIES: &[Body] = &[("kernel puts", kernel_puts), ("host puts", host_puts), ("link", losing_the_link)];

/// Far below the limit of a wait.
const SOON: Duration = Duration::from_secs(12);
/// Elements of a put: some hundred pieces of a message are on their way at any time.
const N: usize = 32 << 10;
/// The PE to which the others put.
const TARGET: u32 = 2;

#[test]
fn enter() {
    worlds::enter(BODIES);
}

/// A folder through which the NICs of one world reach each other.
struct Wire(PathBuf);

impl Wire {
    fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("oxshmem-wire-{}-{number}", std::process::id()));
        std::fs::create_dir(&folder).unwrap();
        Self(folder)
    }

    /// Starts PEs with this body, whose NICs have this seed.
    fn start(&self, body: &str, n_pes: u32, seed: &str) -> Processes {
        let variables = [
            ("OXSHMEM_SOFTNIC_WIRE", self.0.to_str().unwrap()),
            ("OXSHMEM_SOFTNIC_SEED", seed),
            ("OXSHMEM_DISABLE_P2P", "1"),
            ("OXSHMEM_REMOTE_TRANSPORT", "ibgda"),
        ];
        Processes::start(body, n_pes, &variables)
    }

    /// The rules that some PE broke.
    fn violations(&self) -> String {
        std::fs::read_to_string(self.0.join("violations")).unwrap_or_default()
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Tells the test how a PE's work ended.
fn tell(ended: Result<()>) {
    let error: Error = ended.unwrap_err();
    say(format!("{:?} | {} | {error}", error.kind(), error.pe().map_or("nobody".into(), |pe| pe.to_string())));
}

/// Does `round` until it fails; says so when it is under way.
fn until_it_fails(mut round: impl FnMut(u64) -> Result<()>) {
    let ended = (0..).try_for_each(|at| {
        if at == 3 {
            say("at work");
        }
        round(at)
    });
    tell(ended);
}

fn kernel_puts() {
    soft_nic::install().unwrap();
    let world = World::init().unwrap();
    let (to, from) = (world.malloc::<f64>(N).unwrap(), world.malloc::<f64>(N).unwrap());
    let put = world.load("oxshmem-test-kernels").unwrap().kernel("put_f64").unwrap();
    world.barrier_all().unwrap();
    let target = world.pe_after(TARGET + world.n_pes() - world.my_pe().number());
    until_it_fails(|_| {
        world.launch(&put, Launch::new(1, 32), (to, from, N, target))?;
        world.synchronize()
    });
    drop(world);
}

fn host_puts() {
    soft_nic::install().unwrap();
    let world = World::init().unwrap();
    let to = world.malloc::<f64>(N).unwrap();
    let data = vec![1.0; N];
    world.barrier_all().unwrap();
    let target = world.pe_after(TARGET + world.n_pes() - world.my_pe().number());
    until_it_fails(|_| {
        world.put(to, &data, target)?;
        world.quiet()
    });
    drop(world);
}

#[test]
fn a_target_killed_while_puts_to_it_are_in_flight_is_named_to_each_that_put() {
    for (body, seed, after) in
        [("kernel puts", "0", 0), ("kernel puts", "9", 7), ("host puts", "0", 3), ("host puts", "4", 20)]
    {
        let wire = Wire::new();
        let mut world = wire.start(body, 3, seed);
        (0..3).for_each(|pe| world.until_said(pe, "at work"));
        // Not a wait for anything: the moment itself is what is tried.
        std::thread::sleep(Duration::from_millis(after));
        let killed = Instant::now();
        world.kill(TARGET);
        let ends = world.ends();
        assert!(killed.elapsed() < SOON, "{body}: the others took {:?}", killed.elapsed());
        assert!(ends[TARGET as usize].was_killed());
        for (pe, end) in ends.iter().enumerate().filter(|(pe, _)| *pe as u32 != TARGET) {
            assert!(end.status.success(), "{body}: PE {pe} ended with {}:\n{}", end.status, end.stderr);
            let error = &end.said[1];
            // By the NIC's error completion or by the notice of the death, whichever was first.
            let typed = error.starts_with("PeerDied |") || error.starts_with("Fault |");
            assert!(typed && error.contains(&format!("| PE {TARGET} |")), "{body}: PE {pe} said {error}");
        }
        assert_eq!(wire.violations(), "", "{body}");
    }
}

/// PE 1 takes its link down in the middle of its work, and goes on.
fn losing_the_link() {
    let nic = soft_nic::install().unwrap();
    let world = World::init().unwrap();
    let (to, from) = (world.malloc::<f64>(N).unwrap(), world.malloc::<f64>(N).unwrap());
    let get = world.load("oxshmem-test-kernels").unwrap().kernel("get_f64").unwrap();
    world.barrier_all().unwrap();
    let (me, peer) = (world.my_pe().number(), world.pe_after(1));
    until_it_fails(|at| {
        if me == 1 && at == 5 {
            nic.set_link("mlx5_0", false)?;
        }
        world.launch(&get, Launch::new(1, 32), (to, from, N, peer))?;
        world.synchronize()
    });
    drop(world);
}

#[test]
fn a_link_that_goes_down_is_a_fault_at_both_its_ends() {
    let wire = Wire::new();
    let started = Instant::now();
    let ends = wire.start("link", 2, "0").ends();
    assert!(started.elapsed() < SOON * 2, "it took {:?}", started.elapsed());
    for (pe, end) in ends.iter().enumerate() {
        assert!(end.status.success(), "PE {pe} ended with {}:\n{}", end.status, end.stderr);
        // The last word: a PE that is behind loses the link before it says that it is at work.
        let (error, other) = (end.said.last().unwrap(), format!("| PE {} |", 1 - pe));
        assert!(error.contains(&other), "PE {pe} said {error}");
    }
    let said: Vec<&String> = ends.iter().flat_map(|end| end.said.last()).collect();
    assert!(said.iter().any(|error| error.starts_with("Fault |")), "{said:?}");
    assert_eq!(wire.violations(), "");
}

//! A PE or a link goes while PEs that a NIC connects are at work: what they do until then, and what each must say of it.
//!
//! The PEs are processes of [`worlds`](crate::worlds), over software NICs that meet in a folder (`OXSHMEM_SOFTNIC_WIRE`).

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use oxshmem_hal::{Error, Launch, Result, World};
use oxshmem_test_kernels as _;

use crate::worlds::{Processes, say};

/// Elements of a put: some hundred pieces of a message are on their way at any time.
const N: usize = 32 << 10;
/// PEs of a world whose target goes, the last.
pub const PUTTERS: u32 = 2;
/// The PE to which the others put.
const TARGET: u32 = PUTTERS;
/// Far below the limit of a wait.
const SOON: Duration = Duration::from_secs(20);

/// Tells the test how a PE's work ended.
pub fn tell(error: &Error) {
    say(format!("{:?} | {} | {error}", error.kind(), error.pe().map_or("nobody".into(), |pe| pe.to_string())));
}

/// Does `round` until it fails; says so when it is under way. Then it stays until both of the first PEs have failed, each
/// for its own reason and not because this one is gone.
fn until_it_fails(me: u32, mut round: impl FnMut(u64) -> Result<()>) {
    let ended = (0..).try_for_each(|at| {
        if at == 3 {
            say("at work");
        }
        round(at)
    });
    if let Err(error) = ended {
        tell(&error);
    }
    mark_failed(me);
    (0..2).for_each(until_failed);
}

/// The file that says that a PE has failed.
fn failed(pe: u32) -> PathBuf {
    Path::new(&std::env::var_os("OXSHMEM_SOFTNIC_WIRE").unwrap_or_default()).join(format!("failed-{pe}"))
}

/// Says to the other PEs that this one has failed.
///
/// # Panics
/// If it can't be said.
pub fn mark_failed(me: u32) {
    let file = failed(me);
    std::fs::write(&file, "").unwrap_or_else(|error| panic!("write {}: {error}", file.display()));
}

/// Waits until a PE has said that.
pub fn until_failed(pe: u32) {
    while !failed(pe).exists() {
        std::thread::yield_now();
    }
}

/// A kernel puts to the target.
///
/// # Errors
/// What it needs for that can't be made.
pub fn kernel_puts(world: World) -> Result<()> {
    let (to, from) = (world.malloc::<f64>(N)?, world.malloc::<f64>(N)?);
    let put = world.load("oxshmem-test-kernels")?.kernel("put_f64")?;
    world.barrier_all()?;
    let target = world.pe_after(TARGET + world.n_pes() - world.my_pe().number());
    until_it_fails(world.my_pe().number(), |_| {
        world.launch(&put, Launch::new(1, 32), (to, from, N, target))?;
        world.synchronize()
    });
    Ok(())
}

/// The host puts to the target.
///
/// # Errors
/// What it needs for that can't be made.
pub fn host_puts(world: World) -> Result<()> {
    let to = world.malloc::<f64>(N)?;
    let data = vec![1.0; N];
    world.barrier_all()?;
    let target = world.pe_after(TARGET + world.n_pes() - world.my_pe().number());
    until_it_fails(world.my_pe().number(), |_| {
        world.put(to, &data, target)?;
        world.quiet()
    });
    Ok(())
}

/// Two PEs get from each other. PE 1 takes its link down by `cut` in the middle of its work, and goes on.
///
/// # Errors
/// What it needs for that can't be made.
pub fn losing_the_link(world: World, cut: impl Fn()) -> Result<()> {
    let (to, from) = (world.malloc::<f64>(N)?, world.malloc::<f64>(N)?);
    let get = world.load("oxshmem-test-kernels")?.kernel("get_f64")?;
    world.barrier_all()?;
    let (me, peer) = (world.my_pe().number(), world.pe_after(1));
    until_it_fails(me, |at| {
        if me == 1 && at == 5 {
            cut();
        }
        world.launch(&get, Launch::new(1, 32), (to, from, N, peer))?;
        world.synchronize()
    });
    Ok(())
}

/// Kills the target `after` all are at work; each of the others must name it, in bounded time.
///
/// # Panics
/// If one does not.
pub fn kill_the_target(mut world: Processes, after: Duration) {
    (0..=TARGET).for_each(|pe| world.until_said(pe, "at work"));
    // Not a wait for anything: the moment itself is what is tried.
    std::thread::sleep(after);
    let killed = Instant::now();
    world.kill(TARGET);
    let ends = world.ends();
    assert!(killed.elapsed() < SOON, "the others took {:?}", killed.elapsed());
    assert!(ends[TARGET as usize].was_killed());
    for (pe, end) in ends.iter().enumerate().filter(|(pe, _)| *pe as u32 != TARGET) {
        assert!(end.status.success(), "PE {pe} ended with {}:\n{}", end.status, end.stderr);
        let error = &end.said[1];
        // By the error completion or by the notice of the death, whichever was first.
        let typed = error.starts_with("PeerDied |") || error.starts_with("Fault |");
        assert!(typed && error.contains(&format!("| PE {TARGET} |")), "PE {pe} said {error}");
    }
}

/// Both PEs of a world that lost its link name the other, and one at least by a fault of its queue.
///
/// # Panics
/// If they don't.
pub fn both_ends_tell(world: Processes) {
    let started = Instant::now();
    let ends = world.ends();
    assert!(started.elapsed() < SOON * 2, "it took {:?}", started.elapsed());
    for (pe, end) in ends.iter().enumerate() {
        assert!(end.status.success(), "PE {pe} ended with {}:\n{}", end.status, end.stderr);
        // The last word: a PE that is behind loses the link before it says that it is at work.
        let (error, other) = (end.said.last().map_or("nothing", String::as_str), format!("| PE {} |", 1 - pe));
        assert!(error.contains(&other), "PE {pe} said {error}");
    }
    let said: Vec<&String> = ends.iter().flat_map(|end| end.said.last()).collect();
    assert!(said.iter().any(|error| error.starts_with("Fault |")), "{said:?}");
}

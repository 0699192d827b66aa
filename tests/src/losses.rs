//! Losses of a PE or of a link while PEs that a NIC connects are at work: the work of the PEs, and the errors that they
//! must report.
//!
//! The PEs are processes of [`worlds`](crate::worlds), over software NICs that meet in a folder
//! (`OXSHMEM_SOFTNIC_WIRE`).

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use oxshmem_hal::{Error, Launch, Result, World};
use oxshmem_test_kernels as _;

use crate::worlds::{Processes, say};

/// Elements of a put: some hundred pieces of a message are in flight at any time.
const N: usize = 32 << 10;
/// PEs that put to the target, which is the last PE.
pub const PUTTERS: u32 = 2;
/// The PE to which the others put.
const TARGET: u32 = PUTTERS;
/// Far below the limit of a wait.
const SOON: Duration = Duration::from_secs(20);

/// Reports the end of a PE's work to the test.
pub fn tell(error: &Error) {
    say(format!("{:?} | {} | {error}", error.kind(), error.pe().map_or("nobody".into(), |pe| pe.to_string())));
}

/// Repeats `round` until it fails, and reports when it is under way. Then stays until both of the first PEs have
/// failed, so that each fails for its own reason and not because this PE is gone.
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

/// Returns the file that marks a PE as failed.
fn failed(pe: u32) -> PathBuf {
    Path::new(&std::env::var_os("OXSHMEM_SOFTNIC_WIRE").unwrap_or_default()).join(format!("failed-{pe}"))
}

/// Announces to the other PEs that this PE has failed.
///
/// # Panics
/// The mark can't be written.
pub fn mark_failed(me: u32) {
    let file = failed(me);
    std::fs::write(&file, "").unwrap_or_else(|error| panic!("write {}: {error}", file.display()));
}

/// Waits until a PE has announced its failure.
pub fn until_failed(pe: u32) {
    while !failed(pe).exists() {
        std::thread::yield_now();
    }
}

/// Puts to the target from a kernel until the work fails.
///
/// # Errors
/// The world's memory or kernel can't be made.
pub fn kernel_puts(world: World) -> Result<()> {
    let (to, from) = (world.malloc::<f64>(N)?, world.malloc::<f64>(N)?);
    let put = world.modules().load("oxshmem-test-kernels")?.kernel("put_f64")?;
    world.barrier_all()?;
    let target = world.pe_after(TARGET + world.n_pes() - world.my_pe().number());
    until_it_fails(world.my_pe().number(), |_| {
        world.own_stream().launch_kernel(&put, Launch::new(1, 32), (to, from, N, target))?;
        world.own_stream().synchronize()
    });
    Ok(())
}

/// Puts to the target from the host until the work fails.
///
/// # Errors
/// The world's memory can't be made.
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

/// Lets two PEs get from each other. PE 1 takes its link down by `cut` in the middle of its work, and goes on.
///
/// # Errors
/// The world's memory or kernel can't be made.
pub fn losing_the_link(world: World, cut: impl Fn()) -> Result<()> {
    let (to, from) = (world.malloc::<f64>(N)?, world.malloc::<f64>(N)?);
    let get = world.modules().load("oxshmem-test-kernels")?.kernel("get_f64")?;
    world.barrier_all()?;
    let (me, peer) = (world.my_pe().number(), world.pe_after(1));
    until_it_fails(me, |at| {
        if me == 1 && at == 5 {
            cut();
        }
        world.own_stream().launch_kernel(&get, Launch::new(1, 32), (to, from, N, peer))?;
        world.own_stream().synchronize()
    });
    Ok(())
}

/// Kills the target at this time after all PEs are at work. Each other PE must name it, within a limit.
///
/// # Panics
/// A PE does not name it.
pub fn kill_the_target(mut world: Processes, after: Duration) {
    (0..=TARGET).for_each(|pe| world.until_said(pe, "at work"));
    // This does not wait for a condition: the moment itself is under test.
    std::thread::sleep(after);
    let killed = Instant::now();
    world.kill(TARGET);
    let ends = world.ends();
    assert!(killed.elapsed() < SOON, "the others took {:?}", killed.elapsed());
    assert!(ends[TARGET as usize].was_killed());
    for (pe, end) in ends.iter().enumerate().filter(|(pe, _)| *pe as u32 != TARGET) {
        assert!(end.status.success(), "PE {pe} ended with {}:\n{}", end.status, end.stderr);
        let error = &end.said[1];
        // The error completion or the announcement of the death comes first.
        let typed = error.starts_with("PeerDied |") || error.starts_with("Fault |");
        assert!(typed && error.contains(&format!("| PE {TARGET} |")), "PE {pe} said {error}");
    }
}

/// Checks that both PEs of a world that lost its link name the other, at least one by a fault of its queue.
///
/// # Panics
/// One of them does not.
pub fn both_ends_tell(world: Processes) {
    let started = Instant::now();
    let ends = world.ends();
    assert!(started.elapsed() < SOON * 2, "it took {:?}", started.elapsed());
    for (pe, end) in ends.iter().enumerate() {
        assert!(end.status.success(), "PE {pe} ended with {}:\n{}", end.status, end.stderr);
        // The last line: a PE that is late can lose the link before it reports that it is at work.
        let (error, other) = (end.said.last().map_or("nothing", String::as_str), format!("| PE {} |", 1 - pe));
        assert!(error.contains(&other), "PE {pe} said {error}");
    }
    let said: Vec<&String> = ends.iter().flat_map(|end| end.said.last()).collect();
    assert!(said.iter().any(|error| error.starts_with("Fault |")), "{said:?}");
}

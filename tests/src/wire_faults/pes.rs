//! The bodies of the PEs.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use oxshmem_hal::{Error, Launch, Module, SymPtr, World};
use oxshmem_test_kernels::wire::ROW;

use super::wire;
use crate::worlds::{Body, DEADLINE, say};

pub(super) const BODIES: &[Body] = &[("waiters", waiters), ("patient", patient)];

/// Threads that send rows in both directions.
const THREADS: usize = 4;
/// Rounds of one kernel of the patient body.
const BATCH: u64 = 10;
/// Time without progress after which the cut wire is mended.
const STILL: Duration = Duration::from_millis(500);

/// Memory of the rows that are sent in both directions.
struct Rows {
    rows: SymPtr<u64>,
    flags: SymPtr<u64>,
    wrong: SymPtr<u64>,
}

impl Rows {
    fn new(world: &World) -> Self {
        let words = |count| world.calloc::<u64>(count).unwrap();
        Self { rows: words(3 * ROW * THREADS), flags: words(THREADS), wrong: words(THREADS) }
    }

    fn launch(&self, world: &World, module: &Module, from: u64, to: u64) -> Result<(), Error> {
        let kernel = module.kernel("rows_to_and_fro").unwrap();
        world.own_stream().launch_kernel(
            &kernel,
            Launch::new(THREADS as u32, 1).collective(),
            (self.rows, self.flags, self.wrong, from, to),
        )
    }
}

fn read<const N: usize>(world: &World, at: SymPtr<u64>) -> [u64; N] {
    let mut words = [0; N];
    world.read(at, &mut words).unwrap();
    words
}

/// Reports a failed call: the kind, the PE that the error names, and its text.
fn tell(call: &str, error: &Error) {
    say(format!("{call} | {:?} | {} | {error}", error.kind(), error.pe().map_or("nobody".into(), |pe| pe.to_string())));
}

/// All threads wait for the other PE, each in another way, until it stops answering.
fn waiters() {
    let world = World::init().unwrap();
    let module = world.modules().load("oxshmem-test-kernels").unwrap();
    let (rows, words, inbox) = (Rows::new(&world), world.calloc::<u64>(2).unwrap(), world.calloc::<u8>(5000).unwrap());
    let stream = world.stream().unwrap();
    world.barrier_all().unwrap();
    // Threads that put and wait for signals after puts, and threads that wait for a word that no PE sets.
    rows.launch(&world, &module, 0, u64::MAX).unwrap();
    let in_vain = module.kernel("arrive_and_wait").unwrap();
    stream.launch_kernel(&in_vain, Launch::new(1, 32).collective(), (words, 1u64)).unwrap();
    while read::<THREADS>(&world, rows.flags).contains(&0) || read::<1>(&world, words) == [0] {
        std::thread::yield_now();
    }
    say("at work");
    // The host puts as well, on a queue of its own.
    let ended = loop {
        if let Err(error) = world.put(inbox, &[1; 5000], world.pe_after(1)) {
            break error;
        }
    };
    tell("a put of the host's", &ended);
    tell("threads that put", &world.own_stream().synchronize().unwrap_err());
    tell("threads that wait", &stream.synchronize().unwrap_err());
    tell("a later barrier", &world.barrier_all().unwrap_err());
    tell("finalize", &world.finalize().unwrap_err());
}

/// Goes on with its rounds while the wire is cut and mended; all rounds must be right.
fn patient() {
    let world = World::init().unwrap();
    let module = world.modules().load("oxshmem-test-kernels").unwrap();
    let rows = Rows::new(&world);
    world.barrier_all().unwrap();
    let (batches, over, failed) = (AtomicU64::new(0), AtomicBool::new(false), AtomicBool::new(false));
    std::thread::scope(|scope| {
        if world.my_pe().number() == 0 {
            scope.spawn(|| {
                let ended = cut_and_mend(&batches);
                failed.store(ended.is_err(), Ordering::Relaxed);
                say(ended.unwrap_or_else(|why| why));
                over.store(true, Ordering::Release);
            });
        }
        for batch in 0.. {
            rows.launch(&world, &module, batch * BATCH, (batch + 1) * BATCH).unwrap();
            world.own_stream().synchronize().unwrap();
            batches.store(batch + 1, Ordering::Release);
            let all = world.all_gather("whether it is over", &[u8::from(over.load(Ordering::Acquire))]).unwrap();
            if all[0] == [1] {
                break;
            }
        }
    });
    assert!(!failed.into_inner());
    let rounds = batches.into_inner() * BATCH;
    assert_eq!(read::<THREADS>(&world, rows.flags), [rounds; THREADS]);
    assert_eq!(read::<THREADS>(&world, rows.wrong), [0; THREADS], "words that are another round's");
    world.finalize().unwrap();
}

/// Cuts the wire while rounds are in flight, mends it when none has ended for a while, and checks that they go on.
fn cut_and_mend(batches: &AtomicU64) -> Result<String, String> {
    let count = || batches.load(Ordering::Acquire);
    let until = |what: &str, least: u64| {
        let started = Instant::now();
        while count() < least {
            if started.elapsed() > DEADLINE / 3 {
                return Err(format!("{what}: {} batches, and no more", count()));
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        Ok(())
    };
    until("before the wire was cut", 3)?;
    wire("cut", 1)?;
    let (started, mut last, mut since) = (Instant::now(), count(), Instant::now());
    while since.elapsed() < STILL {
        if count() != last {
            (last, since) = (count(), Instant::now());
        }
        if started.elapsed() > DEADLINE / 3 {
            wire("mend", 1)?;
            return Err("rounds come over a wire that was cut".into());
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    wire("mend", 1)?;
    let mended = Instant::now();
    until("after the wire was mended", last + 3)?;
    Ok(format!(
        "after {last} batches nothing for {STILL:?}, and on {} ms after it was mended",
        mended.elapsed().as_millis()
    ))
}

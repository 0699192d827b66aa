//! Wrong input gets a clear error on every PE that it concerns: the call, the place, and the sizes.

mod by_proxy;
mod device_calls;
mod host_calls;
mod starts;
mod teams;
mod waits;

use oxshmem_hal::{Config, Error, ErrorKind, Fault, KernelArgs, Launch, Result, SymAddr, SymPtr, World};
use oxshmem_test_kernels as _;

const MIB: u64 = 1 << 20;

/// Returns the configuration of worlds without teams, whose heaps end at 1 MiB, the library's part included.
fn config() -> Config {
    oxshmem_tests::worlds::config().with_team_bytes(0).with_heap_bytes(MIB - 0x10000)
}

/// Checks the kind and that the text contains every one of these words.
#[track_caller]
fn says(error: &Error, kind: ErrorKind, words: &[&str]) {
    let text = error.to_string();
    assert_eq!(error.kind(), kind, "{text}");
    for word in words {
        assert!(text.contains(word), "`{word}` is not in: {text}");
    }
}

fn far<T: oxshmem_hal::Element>(offset: u64) -> SymPtr<T> {
    SymPtr::new(SymAddr::new(offset))
}

fn launch(world: &World, name: &str, shape: Launch, args: impl KernelArgs) -> Result<()> {
    let kernel = world.modules().load("oxshmem-test-kernels")?.kernel(name)?;
    world.own_stream().launch_kernel(&kernel, shape, args)
}

/// Returns every PE's outcome of `body`.
fn each<R: Send>(n_pes: u32, config: &Config, body: impl Fn(&World) -> Result<R> + Sync) -> Vec<Result<R>> {
    World::threads_each(n_pes, config, body).unwrap()
}

/// Runs `body`, whose launch on PE 0 faults: the fault is PE 0's, is named to PE 1, and stays.
#[track_caller]
fn faults(body: impl Fn(&World, SymPtr<u64>) -> Result<()> + Sync) -> (Fault, Error) {
    let outcomes = each(2, &config(), |world| {
        let word = world.calloc::<u64>(64)?;
        world.barrier_all()?;
        if world.my_pe().number() == 1 {
            return world.barrier_all();
        }
        body(world, word)?;
        let error = world.own_stream().synchronize().unwrap_err();
        let again = launch(world, "wait_equal", Launch::new(1, 1), (word, 0u64)).unwrap_err();
        assert_eq!(again.fault(), error.fault(), "a launch after a fault is refused with the same fault");
        assert_eq!(world.own_stream().synchronize().unwrap_err().fault(), error.fault(), "and so is all else");
        assert_eq!(world.own_stream().barrier_all().unwrap_err().fault(), error.fault());
        Err(error)
    });
    let [Err(mine), Err(theirs)] = &outcomes[..] else { panic!("{outcomes:?}") };
    says(theirs, ErrorKind::PeerDied, &["PE 0 died: it said: ", &mine.fault().unwrap().to_string()]);
    (mine.fault().unwrap(), mine.clone())
}

const ONE: Launch = Launch::new(1, 1);
const MANY: Launch = Launch::new(2, 64);

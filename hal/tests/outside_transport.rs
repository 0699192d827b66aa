//! A transport of another crate takes part like a built-in one: it is announced, brings its settings, is chosen by its
//! name, and reaches the PEs that loads and stores don't.

use std::sync::Mutex;

use oxshmem_core::{Fault, FaultStep, PeSet, QpSet, Remote};
use oxshmem_hal::config::RemoteChoice;
use oxshmem_hal::transport::settings::{Takes, Variable};
use oxshmem_hal::transport::{Reach, Transport, TransportContext, TransportFactory};
use oxshmem_hal::{Config, DeviceChoice, ErrorKind, Pe, Result, World};
use oxshmem_raw::gpu::local::LocalAddr;
use oxshmem_raw::queue::host_path::HostPath;
use oxshmem_raw::queue::remote_queue::Signal;
use oxshmem_raw::state::{PathSlot, WorldState};

const CHUNKS: Variable = Variable {
    names: &["OXSHMEM_EXAMPLE_CHUNKS"],
    takes: Takes::Number { least: 1, most: 64 },
    auto: true,
    default: "auto",
    help: "Chunks in flight.",
};

/// The puts so far: source PE, target PE, and the setting.
static PUTS: Mutex<Vec<(Pe, Pe, Option<u32>)>> = Mutex::new(Vec::new());

/// The announced launches so far: the PE that launched, and the setting.
static LAUNCHES: Mutex<Vec<(Pe, Option<u32>)>> = Mutex::new(Vec::new());

struct ExampleFactory;

oxshmem_hal::transport::register_transport!(&ExampleFactory);

// SAFETY: **halves**: neither half reads any state.
unsafe impl TransportFactory for ExampleFactory {
    fn name(&self) -> &'static str {
        "example"
    }

    fn settings(&self) -> &'static [Variable] {
        &[CHUNKS]
    }

    fn host_path(&self) -> &'static dyn HostPath {
        &ExamplePath
    }

    fn open(&self, cx: &TransportContext<'_>, peers: &[bool]) -> Result<Box<dyn Transport + Sync>> {
        assert_eq!(cx.chosen, "example");
        Ok(Box::new(Example { me: cx.me, peers: peers.to_vec(), chunks: cx.settings.number(&CHUNKS) }))
    }
}

/// A device half that no test of this file uses: its operations fail, and nothing is outstanding on it.
#[derive(Debug)]
struct ExamplePath;

fn unused() -> std::result::Result<(), Fault> {
    Err(Fault::new(FaultStep::Aborted))
}

// SAFETY: **layout**, **named**, **own**: it reads no state, and accesses no memory.
unsafe impl HostPath for ExamplePath {
    fn name(&self) -> &'static str {
        "example"
    }

    fn layout(&self) -> u64 {
        0
    }

    unsafe fn put(
        &self,
        _: &WorldState,
        _: PathSlot,
        _: Remote,
        _: LocalAddr,
        _: usize,
    ) -> std::result::Result<(), Fault> {
        unused()
    }

    unsafe fn get(
        &self,
        _: &WorldState,
        _: PathSlot,
        _: LocalAddr,
        _: Remote,
        _: usize,
    ) -> std::result::Result<(), Fault> {
        unused()
    }

    unsafe fn put_signal(
        &self,
        _: &WorldState,
        _: PathSlot,
        _: Remote,
        _: LocalAddr,
        _: usize,
        _: Signal,
    ) -> std::result::Result<(), Fault> {
        unused()
    }

    unsafe fn quiet(&self, _: &WorldState, _: PathSlot, _: PeSet, _: QpSet<'_>) -> std::result::Result<(), Fault> {
        Ok(())
    }

    unsafe fn arrive(&self, _: &WorldState, _: PathSlot, _: Pe, _: u64) -> std::result::Result<(), Fault> {
        unused()
    }
}

#[derive(Debug)]
struct Example {
    me: Pe,
    peers: Vec<bool>,
    chunks: Option<u32>,
}

// SAFETY: **state**, **mapped**, **within**, **lent**: it has no state, maps nothing, and accesses no memory.
unsafe impl Transport for Example {
    fn name(&self) -> &str {
        "example"
    }

    fn reach(&self, pe: Pe) -> Reach {
        if self.peers[pe.index()] { Reach::Remote } else { Reach::None }
    }

    fn put(&self, to: Remote, _: &[u8]) -> Result<()> {
        PUTS.lock().unwrap().push((self.me, to.pe, self.chunks));
        Ok(())
    }

    fn get(&self, _: &mut [u8], _: Remote) -> Result<()> {
        Ok(())
    }

    fn quiet(&self) -> Result<()> {
        Ok(())
    }

    fn about_to_launch(&self) {
        LAUNCHES.lock().unwrap().push((self.me, self.chunks));
    }
}

/// Returns settings of two PEs that loads and stores don't connect.
fn apart(transport: &str) -> Config {
    let mut config = Config::new().with_device(DeviceChoice::Host).with_heap_bytes(1 << 20).with_disable_p2p(true);
    config.remote = RemoteChoice::Named(transport.into());
    config
}

#[test]
fn a_transport_that_a_linked_crate_announces_is_chosen_by_name_with_its_own_settings() {
    let config = apart("example").with_setting("OXSHMEM_EXAMPLE_CHUNKS", "8").unwrap();
    World::threads(2, &config, |world| {
        let (me, other) = (world.my_pe(), world.pe_after(1));
        assert_eq!((world.transport_to(me)?, world.transport_to(other)?), ("nvlink", "example"));
        let words = world.malloc::<u64>(1)?;
        world.put(words, &[7], other)?;
        world.barrier_all()
    })
    .unwrap();
    let mut puts = PUTS.lock().unwrap().clone();
    puts.sort();
    assert_eq!(puts, [(Pe::new(0), Pe::new(1), Some(8)), (Pe::new(1), Pe::new(0), Some(8))]);
    assert!(Config::help().contains("OXSHMEM_EXAMPLE_CHUNKS"));
}

#[test]
fn each_launch_of_a_graph_is_announced_once_to_the_transports() {
    let config = apart("example").with_setting("OXSHMEM_EXAMPLE_CHUNKS", "3").unwrap();
    World::threads(2, &config, |world| {
        // The setting tells this world from those of other tests.
        let announced = || LAUNCHES.lock().unwrap().iter().filter(|one| **one == (world.my_pe(), Some(3))).count();
        let (stream, word) = (world.stream()?, world.calloc::<u64>(1)?);
        let graph = stream.capture(|stream| stream.p(word, 1, world.my_pe()))?;
        for number in 0..3 {
            let before = announced();
            graph.launch(&stream)?;
            assert_eq!(announced(), before + 1, "launch {number}");
            stream.synchronize()?;
            assert_eq!(announced(), before + 1, "the recorded work is announced as a whole");
        }
        world.barrier_all()
    })
    .unwrap();
}

#[test]
fn a_misspelt_transport_is_an_error_that_lists_the_linked_ones_also_where_no_remote_path_is_needed() {
    for is_apart in [true, false] {
        let config = apart("exampel").with_disable_p2p(is_apart);
        let error = World::threads(2, &config, |_| Ok(())).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound);
        let text = error.to_string();
        assert!(
            text.contains("OXSHMEM_REMOTE_TRANSPORT = exampel") && text.contains("ibgda, ibrc, ibdevx, example"),
            "{text}"
        );
    }
}

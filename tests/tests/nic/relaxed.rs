//! Memory registered for relaxed ordering: writes of one queue overtake each other.

use core::ffi::c_void;

use oxshmem_core::{Pe, SymPtr};
use oxshmem_device::{Block, Rma, Shmem, Signal, Signals, Thread};
use oxshmem_raw::state::WorldState;
use oxshmem_raw::state::kernel::host_kernels;
use oxshmem_softnic::{Knobs, Options};
use oxshmem_transport_ibgda::host::IbgdaConfig;

use crate::rig::{Made, Rig, element, grid, pattern};

const ONE: Pe = Pe::new(1);
const DATA: u64 = 4096;

/// Returns a rig whose writes arrive up to a millisecond late, and later operations do not wait for them.
fn overtaking() -> Rig {
    let knobs = Knobs { seed: 3, overtake: 1024, overtake_us: 1000, ..Knobs::calm() };
    let mut made = Made { nic: Options { knobs, ..Options::default() }, ..Made::default() };
    made.config = IbgdaConfig { relaxed_ordering: true, ..made.config };
    Rig::new(made)
}

/// Returns the number of rounds, of `rounds`, in which the peer sees the signal before the `bytes` bytes of data that
/// `send` sent first.
fn early(rig: &Rig, bytes: usize, rounds: u64, send: impl Fn(&Shmem, SymPtr<u8>, SymPtr<u64>, u64) + Sync) -> u32 {
    let (data, word) = (element(DATA), element(1));
    rig.set_word(1, word, 0);
    let mut early = 0;
    for round in 1..=rounds {
        let sent = pattern(bytes, round);
        rig.set_heap(0, data, &sent);
        std::thread::scope(|scope| {
            scope.spawn(|| send(&rig.shmem(0), data, word, round));
            while rig.word(1, word) < round {
                std::thread::yield_now();
            }
            early += u32::from(rig.heap(1, data, bytes) != sent);
        });
        rig.shmem(0).quiet().unwrap();
        assert_eq!(rig.heap(1, data, bytes), sent, "behind a quiet it is there");
    }
    early
}

/// Runs the kernel that puts and signals for a stream, by a block.
fn on_stream(state: WorldState, data: SymPtr<u8>, bytes: usize, word: SymPtr<u64>, value: u64) {
    let kernel = host_kernels().find(|kernel| kernel.name == "oxshmem_put_on_stream").expect("it is linked");
    let (how, pe) = (1_u32, ONE);
    let source = state.own_address(data.addr()) as u64;
    let (data, source, bytes, word, value, how) =
        (&raw const data, &raw const source, &raw const bytes, &raw const word, &raw const value, &raw const how);
    let args: [*const c_void; 8] = [
        (&raw const state).cast(),
        data.cast(),
        source.cast(),
        bytes.cast(),
        word.cast(),
        value.cast(),
        how.cast(),
        (&raw const pe).cast(),
    ];
    // SAFETY: the kernel takes this state and these arguments, which live until it has ended.
    grid(1, 32, value as u64, || unsafe { (kernel.run)(args.as_ptr()) });
}

#[test]
fn the_nic_lets_a_signal_overtake_data_that_nobody_waited_for() {
    // This test shows the error that the tests below exclude: without a fence the signal comes first.
    let rig = overtaking();
    // On a busy machine the reader may be later than the data.
    let seen = (0..100).any(|_| {
        early(&rig, 20, 20, |shmem, data, word, value| {
            shmem.put_nbi(Thread, data, data, 20, ONE).unwrap();
            shmem.signal(Signal::set(word, value), ONE).unwrap();
        }) > 0
    });
    assert!(seen, "the software NIC kept an order that a NIC need not keep");
}

#[test]
fn a_fence_keeps_a_signal_behind_data() {
    let rig = overtaking();
    for bytes in [20, 3000] {
        let early = early(&rig, bytes, 20, |shmem, data, word, value| {
            shmem.put_nbi(Thread, data, data, bytes, ONE).unwrap();
            shmem.fence().unwrap();
            shmem.signal(Signal::set(word, value), ONE).unwrap();
        });
        assert_eq!(early, 0, "{bytes} bytes");
    }
}

#[test]
fn a_put_with_a_signal_keeps_it_behind_its_data() {
    let rig = overtaking();
    for bytes in [1, 8, 28, 29, 3000] {
        let early = early(&rig, bytes, 10, |shmem, data, word, value| {
            grid(1, 32, value, || {
                shmem.put_signal(Block, data, data, bytes, Signal::set(word, value), ONE).unwrap();
            });
        });
        assert_eq!(early, 0, "{bytes} bytes");
    }
}

#[test]
fn a_put_with_a_signal_on_a_stream_keeps_it_behind_its_data() {
    let rig = overtaking();
    for bytes in [1, 8, 28, 29, 3000] {
        let early = early(&rig, bytes, 10, |_, data, word, value| on_stream(rig.state(0), data, bytes, word, value));
        assert_eq!(early, 0, "{bytes} bytes");
    }
}

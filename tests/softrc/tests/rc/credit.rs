//! Devices whose queue pairs have more room than requested, or less.

use oxshmem_core::{AmoOp, AmoType, FaultStep, OrderingDomain, Pe, PeSet, QpResource, QpSet, Width};
use oxshmem_raw::gpu::group::Thread;
use oxshmem_raw::gpu::ptx;
use oxshmem_raw::state::RESERVED_BYTES;
use oxshmem_rdma::fabric::Status;
use oxshmem_softrc::{Failure, Options};
use oxshmem_transport_ibrc::host::IbrcConfig;

use crate::rig::{Made, Rig, at, grid, queues};

const ONE: PeSet = PeSet::One(Pe::new(1));
const TWO: PeSet = PeSet::One(Pe::new(2));
/// Work requests that the transport requests; the rings are far deeper.
const DEPTH: u32 = 16;

/// Depth of queue pairs, and inline bytes of a work request.
const GIVEN: [(u32, u32); 5] = [(DEPTH, 32), (DEPTH + 1, 8), (1 << 14, 32), (5, 12), (1, 0)];

fn rig(n_pes: u32, given: (u32, u32), options: Options) -> Rig {
    let config = IbrcConfig { depth: DEPTH, ring_depth: 1024, ..Made::default().config };
    let options = Options { given_depth: Some(given.0), inline_bytes: given.1, ..options };
    Rig::new(Made { n_pes, config, options, ..Made::default() })
}

#[test]
fn queues_of_any_depth_do_all_that_they_are_given_and_are_never_overrun() {
    for (seed, given) in (1..).zip(GIVEN) {
        // Completions are so rare that queues are full nearly always.
        let rig = rig(2, given, Options { seed, delay: 240, ..Options::default() });
        let state = rig.state(0);
        grid(2, 64, seed, || {
            let (q, thread) = (queues(&state), u64::from(ptx::linear_ctaid() * 64 + ptx::linear_tid()));
            for round in 1..=20 {
                q.p(at(1, 64 + 8 * thread), Width::B8, round).unwrap();
            }
            for _ in 0..20 {
                q.amo(at(1, 0), AmoOp::Add, AmoType::B64, 1).unwrap();
                // (In rounds of compare-and-swap.)
                q.amo(at(1, 8), AmoOp::Add, AmoType::F64, 1f64.to_bits()).unwrap();
            }
            assert_eq!(q.g(at(1, 64 + 8 * thread), Width::B8).unwrap(), 20);
            q.quiet(Thread, ONE, QpSet::Default).unwrap();
        });
        assert_eq!(rig.get_word(1, RESERVED_BYTES), 128 * 20, "{given:?}");
        assert_eq!(f64::from_bits(rig.get_word(1, RESERVED_BYTES + 8)), 128.0 * 20.0, "{given:?}");
        assert_eq!(rig.network.overruns(), 0, "{given:?}");
    }
}

#[test]
fn a_queue_that_is_deeper_than_was_asked_stops_alone_and_no_completion_is_lost() {
    let rig = rig(3, (1 << 14, 32), Options { delay: 240, ..Options::default() });
    let state = rig.state(0);
    rig.network.fail(Failure { pe: 0, to: 1, after: 100, status: Status::RemoteAccess });
    grid(1, 128, 1, || {
        let q = queues(&state);
        // The requests after the failed one all complete, flushed.
        let _ = (0..7).try_for_each(|_| q.p(at(1, 0), Width::B8, 1));
    });
    let fault = queues(&state).quiet(Thread, ONE, QpSet::Default).unwrap_err();
    assert_eq!((fault.step, fault.pe, fault.detail as u8), (FaultStep::Completion, 1, 0x13), "{fault}");
    let q = queues(&state);
    q.p(at(2, 0), Width::B8, 5).unwrap();
    q.quiet(Thread, TWO, QpSet::All).unwrap();
    assert_eq!(q.g(at(2, 0), Width::B8).unwrap(), 5);
    assert_eq!(rig.network.overruns(), 0);
}

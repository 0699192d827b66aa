//! The rate of requests through a ring and its proxy, with a device that costs nothing.

use std::time::{Duration, Instant};

use oxshmem_core::{OrderingDomain, Pe, PeSet, QpResource, QpSet, Width};
use oxshmem_raw::gpu::group::Thread;
use oxshmem_softrc::Options;
use oxshmem_transport_ibrc::host::IbrcConfig;

use crate::rig::{Made, Rig, at, queues};

const REQUESTS: u64 = 1 << 20;

/// One thread issues requests, one proxy takes them, and the device only completes them. Meant for two idle cores.
///
/// The required rate is far below the rate on such cores. On a machine with other work the result has no meaning.
#[test]
fn requests_go_through_a_ring_at_the_rate_of_memory_and_not_of_locks() {
    let config = IbrcConfig { rows: 1, depth: 4096, ring_depth: 4096, spare_rows: 0, ..IbrcConfig::default() };
    let rig = Rig::new(Made { config, options: Options { sink: true, ..Options::default() }, ..Made::default() });
    let state = rig.state(0);
    let mut best = Duration::MAX;
    for _ in 0..8 {
        let (lists, posted) = rig.network.posted();
        let started = Instant::now();
        for number in 0..REQUESTS {
            queues(&state).p(at(1, 0), Width::B8, number).unwrap();
        }
        queues(&state).quiet(Thread, PeSet::One(Pe::new(1)), QpSet::Default).unwrap();
        let took = started.elapsed();
        let (more_lists, more) = rig.network.posted();
        assert_eq!(more - posted, REQUESTS);
        println!(
            "{:.1} M requests/s, {:.0} in a list",
            REQUESTS as f64 / took.as_secs_f64() / 1e6,
            REQUESTS as f64 / (more_lists - lists) as f64
        );
        best = best.min(took);
    }
    assert!(best < Duration::from_secs(10), "{REQUESTS} requests took {best:?}");
}

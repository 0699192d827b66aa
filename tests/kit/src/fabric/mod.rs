//! Checks of a [`FabricProvider`] without a world: each of the
//! [promises of a provider](oxshmem_rdma::fabric#promises-of-a-provider), one by one, between PEs of this process.
//!
//! The author of a provider calls [`check`] in a test:
//!
//! ```ignore
//! #[test]
//! fn the_provider_keeps_its_promises() {
//!     let report = oxshmem_kit::fabric::check(|pe| MyProvider::of(pe), &Options::default());
//!     assert_eq!(report.failed, [""; 0]);
//! }
//! ```
//!
//! | file | checks |
//! |---|---|
//! | `device` | capabilities, sizes, refusals, and the release of a dropped device |
//! | `words` | whole words |
//! | `transfers` | completion of a write, of a read and of an atomic |
//! | `completions` | one completion for all before it; full queues |
//! | `order` | order |
//! | `atomics` | atomicity |
//! | `waiting` | no waiting, and no allocation |
//! | `failures` | failure, stopped endpoints, peers that are gone |
//! | `threads` | threads |
//!
//! `end` has a PE's device with its memory, and `lane` the endpoints and the completion queue of one thread.

mod allocations;
mod atomics;
mod completions;
mod device;
mod end;
mod failures;
mod lane;
mod order;
mod threads;
mod transfers;
mod waiting;
mod watch;
mod words;

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use oxshmem_core::Pe;
use oxshmem_rdma::fabric::FabricProvider;
use oxshmem_rdma::wire::{NicParams, WireParams};

use crate::report::{Outcome, Report};
pub use allocations::CountingAllocator;
use end::Setup;

/// The additional time after which a check that has not ended is one in which a call of the device does not return.
const GRACE: Duration = Duration::from_secs(2);

/// Options of [`check`].
#[derive(Clone, Debug)]
pub struct Options {
    /// The longest time of one check. It must be longer than the device takes to notice that a peer is gone.
    pub limit: Duration,
    /// The time for which each check repeats operations that race with other threads.
    pub time: Duration,
    /// Work requests that may be outstanding on an endpoint.
    pub depth: u32,
    /// Bytes of the smallest word that must be written and read whole: 2, 4 or 8. Software that copies on an emulated
    /// processor moves smaller ones byte by byte.
    pub least_word: usize,
    /// Runs only the checks whose names contain this text.
    pub only: Option<String>,
    /// Passed to [`FabricProvider::open`].
    pub nics: NicParams,
    /// Passed to [`FabricProvider::open`]. The checks of failures alone have its number of retries; the others have the
    /// greatest one, since over a wire that spoils packets a long message needs many.
    pub wire: WireParams,
}

impl Default for Options {
    /// Returns the options of a minute for each check, 200 ms of repetition, 64 work requests, words of all sizes, all
    /// checks, any NIC.
    fn default() -> Self {
        Self {
            limit: Duration::from_secs(60),
            time: Duration::from_millis(200),
            depth: 64,
            least_word: 2,
            only: None,
            nics: NicParams::default(),
            wire: WireParams::default(),
        }
    }
}

type Check = fn(&Setup) -> Outcome;

/// The promise whose checks wait until a device gives up.
const FAILURE: &str = "failure";
/// The field has 3 bits. Soft-RoCE takes this number as no limit.
const MOST_RETRIES: u8 = 7;

/// The checks, by the promise that each shows.
const CHECKS: &[(&str, &[(&str, Check)])] = &[
    (
        "device",
        &[
            ("it states what the transport needs", device::states),
            ("its names, addresses and keys have the promised form", device::forms),
            ("malformed keys and addresses are refused", device::malformed),
            ("unknown handles and a completion queue in use are refused", device::handles),
            ("a device that was dropped leaves nothing behind", device::dropped),
        ],
    ),
    (
        "whole words",
        &[
            ("an aligned word that is written is seen whole", words::written),
            ("each element of a longer write is seen whole", words::written_in_a_row),
            ("an aligned word that is read while it changes is fetched whole", words::read),
        ],
    ),
    (
        "completion",
        &[
            ("writes and reads move the bytes that they name and no others", transfers::exact),
            ("inline writes of every length move their bytes and no others", transfers::inline),
            ("a message of the greatest length arrives", transfers::longest),
            ("memory that is not for peers is a source and a destination", transfers::private),
            ("when a write completes, its bytes are there and its source may be reused", transfers::reused),
            ("when a read or an atomic completes, the local bytes are written", transfers::fetched),
            ("a fetch after writes of its endpoint brings its data", transfers::fetched_after_writes),
        ],
    ),
    (
        "one completion for all before it",
        &[
            ("a completion means that all earlier requests are complete", completions::for_all_before),
            ("each signalled request completes once, in the order of posting", completions::once_in_order),
            ("a full endpoint takes the requests for which it has room, and the others later", completions::full),
        ],
    ),
    (
        "order",
        &[
            ("a write is visible before later writes of its endpoint", order::writes),
            ("a write is visible before later atomics of its endpoint", order::atomics),
        ],
    ),
    (
        "atomicity",
        &[
            ("each native atomic fetches the old word and leaves the new one", atomics::each),
            ("atomics of several PEs and endpoints on one word lose no update", atomics::together),
        ],
    ),
    (
        "no waiting",
        &[
            ("post and poll return while the peer makes no call", waiting::returns),
            ("a peer that makes no call is reached", waiting::reached),
            ("post and poll allocate nothing in the long run", waiting::allocates),
        ],
    ),
    (
        FAILURE,
        &[
            ("a request beyond the peer's memory fails and stops its endpoint", failures::beyond),
            ("a request to memory whose registration ended fails and stops its endpoint", failures::deregistered),
            ("an unsignalled request that fails has a completion", failures::unsignalled),
            ("a stopped endpoint flushes", failures::stopped),
            ("requests to a peer that is gone fail in bounded time", failures::gone),
        ],
    ),
    ("threads", &[("threads use endpoints of their own while others register and create", threads::at_the_same_time)]),
];

/// Runs every check, prints a line for each (`ok NAME`, `FAILED NAME: error`, `skipped NAME: reason`) and returns the
/// outcomes. A name is `PROMISE: SENTENCE`.
///
/// `make` returns the provider of a PE, 0 to 2, and is called anew for each check and PE. The PEs are in this process;
/// their memory is the host's. Each check runs in a thread of its own, so that a call that never returns is a failure
/// and not the end of the test; that thread remains.
pub fn check(make: impl Fn(Pe) -> Arc<dyn FabricProvider> + Send + Sync + 'static, options: &Options) -> Report {
    let (mut report, make) = (Report::default(), Arc::new(make));
    for (promise, checks) in CHECKS {
        for (sentence, check) in *checks {
            let name = format!("{promise}: {sentence}");
            if options.only.as_ref().is_none_or(|only| name.contains(only)) {
                let mut setup = Setup::new(make.clone(), options);
                if *promise != FAILURE {
                    setup.options.wire.retry_count = MOST_RETRIES;
                }
                report.check(promise, sentence, || run(setup, *check));
            }
        }
    }
    report
}

/// Runs a check in a thread of its own, for the limit and some more time.
fn run(setup: Setup, check: Check) -> Outcome {
    let (sender, outcome) = channel();
    let limit = setup.options.limit + GRACE;
    std::thread::spawn(move || {
        // An error that is not `Send` leaves the thread as its text. Nobody receives it after the limit.
        let _ = sender.send(check(&setup).map_err(|error| error.to_string()));
    });
    match outcome.recv_timeout(limit) {
        Ok(outcome) => outcome.map_err(Into::into),
        Err(RecvTimeoutError::Disconnected) => Err("it panicked".into()),
        Err(RecvTimeoutError::Timeout) => Err(format!("a call of the device did not return within {limit:?}").into()),
    }
}

//! The transports of a build: the one file of this crate that names them and their features.

mod null;

use std::cmp::Reverse;

#[cfg(any(feature = "ibgda", feature = "ibrc"))]
use oxshmem_core::Qp;
use oxshmem_core::host::Transport;
use oxshmem_core::{
    Cmp, Completion, Fault, FaultStep, OrderingDomain, PeSet, QpResource, QpSet, Remote, SignalOp, SymAddr, SymPtr,
};
use oxshmem_raw::gpu::group::{Block, Thread};
use oxshmem_raw::gpu::local::LocalAddr;
use oxshmem_raw::state::WorldState;
use oxshmem_raw::state::wait::{self, WaitBudget};

use oxshmem_raw::gpu::ptx;
use oxshmem_raw::queue::barrier;
use oxshmem_raw::transport::{TransportContext, TransportFactory, registered};

pub(crate) use null::NullTransport;

#[cfg(not(feature = "nvlink"))]
compile_error!("oxshmem-hal needs a transport: enable the feature `nvlink`, or `ibgda` or `ibrc` which bring it along");

/// The transports in this build, by feature name.
pub const TRANSPORTS: &[&str] = &[
    #[cfg(feature = "nvlink")]
    "nvlink",
    #[cfg(feature = "ibgda")]
    "ibgda",
    #[cfg(feature = "ibrc")]
    "ibrc",
];

/// By a transport's name, the layout of the data that its kernels share with the host.
pub(crate) const LAYOUTS: &[(&str, u64)] = &[
    #[cfg(feature = "ibgda")]
    ("ibgda", oxshmem_transport_ibgda::state::LAYOUT),
    #[cfg(feature = "ibrc")]
    ("ibrc", oxshmem_transport_ibrc::state::LAYOUT),
];

/// The transport that NVSHMEM's variable `IB_ENABLE_IBGDA` is about: GPUs write the NIC's queues themselves.
pub(crate) const IBGDA: &str = "ibgda";

/// NVSHMEM's transports that post from the CPU, beside which `IB_ENABLE_IBGDA = 1` turns IBGDA on.
const BESIDE_IBGDA: [&str; 2] = ["ibrc", "ibdevx"];

/// Returns the transports to PEs that loads and stores don't reach: those compiled in and those that linked crates have
/// announced, the one with the highest priority first.
pub(crate) fn linked() -> Vec<&'static dyn TransportFactory> {
    let compiled: &[&'static dyn TransportFactory] = &[
        #[cfg(feature = "ibgda")]
        &oxshmem_transport_ibgda::host::IbgdaFactory,
        #[cfg(feature = "ibrc")]
        &oxshmem_transport_ibrc::host::IbrcFactory,
    ];
    let mut linked: Vec<_> = compiled.iter().copied().chain(registered()).collect();
    linked.sort_by_key(|transport| (Reverse(transport.priority()), transport.name()));
    linked
}

/// Returns the names of all transports of this program: `nvlink`, then every name by which another one can be chosen.
pub(crate) fn names() -> Vec<String> {
    let load_store = TRANSPORTS.iter().filter(|name| **name == "nvlink").map(|name| (*name).to_string());
    load_store.chain(linked().iter().flat_map(|transport| transport.names())).collect()
}

/// Opens the transport to the PEs that loads and stores reach (`peers`, by PE).
pub(crate) fn open_load_store(cx: &TransportContext<'_>, peers: &[bool]) -> Box<dyn Transport + Sync> {
    Box::new(oxshmem_transport_nvlink::host::NvLink::new(cx.memory.clone(), cx.windows.clone(), peers))
}

/// A transport that a PE may use.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Preference {
    /// The higher, the better.
    pub(crate) priority: u32,
    /// The name by which it is chosen.
    pub(crate) name: String,
}

/// The transport that was asked for is not linked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NotLinked;

/// Returns the transports that a PE may use, the best first: the one that was `named`, then all with a lower priority;
/// without a name all. `ibgda` says whether the user turned IBGDA on or off.
///
/// # Errors
/// The one that was named is not among `linked`.
pub(crate) fn preferences(
    named: Option<&str>,
    ibgda: Option<bool>,
    linked: &[&'static dyn TransportFactory],
) -> Result<Vec<Preference>, NotLinked> {
    let has_ibgda = linked.iter().any(|transport| transport.name() == IBGDA);
    let turned_on = ibgda == Some(true) && has_ibgda && named.is_none_or(|name| BESIDE_IBGDA.contains(&name));
    let named = if turned_on { Some(IBGDA) } else { named };
    // The only transport is used all the same.
    let without_ibgda = ibgda == Some(false) && named != Some(IBGDA) && linked.len() > 1;
    let usable = linked.iter().filter(|transport| !(without_ibgda && transport.name() == IBGDA));
    let all = usable.map(|transport| Preference { priority: transport.priority(), name: transport.name().into() });
    let Some(named) = named else { return Ok(all.collect()) };
    let chosen = linked.iter().find(|transport| transport.names().iter().any(|name| name == named)).ok_or(NotLinked)?;
    let first = Preference { priority: chosen.priority(), name: named.into() };
    let lower = all.filter(|other| other.priority < first.priority);
    Ok(std::iter::once(first.clone()).chain(lower).collect())
}

/// The barrier over all PEs, on a host PE's own threads.
pub(crate) fn barrier_all(state: &WorldState) -> Result<(), Fault> {
    barrier::barrier_all(state, Block, FAR, true)
}

cfg_if::cfg_if! {
    if #[cfg(all(feature = "ibgda", feature = "ibrc"))] {
        const FAR: oxshmem_raw::queue::chosen::ChosenFar<
            oxshmem_transport_ibgda::device::ByNic,
            oxshmem_transport_ibrc::device::ByProxy,
        > = oxshmem_raw::queue::chosen::ChosenFar(
            oxshmem_transport_ibgda::device::FAR,
            oxshmem_transport_ibrc::device::FAR,
        );

        fn far(state: &WorldState) -> impl HostQueue {
            oxshmem_raw::queue::chosen::Chosen::new(
                state,
                oxshmem_transport_ibgda::device::Queues::new(state, Qp::Default),
                oxshmem_transport_ibrc::device::Queues::new(state, Qp::Default),
            )
        }
    } else if #[cfg(feature = "ibgda")] {
        use oxshmem_transport_ibgda::device::FAR;

        fn far(state: &WorldState) -> impl HostQueue {
            oxshmem_transport_ibgda::device::Queues::new(state, Qp::Default)
        }
    } else if #[cfg(feature = "ibrc")] {
        use oxshmem_transport_ibrc::device::FAR;

        fn far(state: &WorldState) -> impl HostQueue {
            oxshmem_transport_ibrc::device::Queues::new(state, Qp::Default)
        }
    } else {
        use oxshmem_raw::queue::barrier::AllNear as FAR;
    }
}

cfg_if::cfg_if! {
    if #[cfg(any(feature = "ibgda", feature = "ibrc"))] {
        /// The queue that an operation of a host PE's own threads goes on.
        fn queue(state: &WorldState) -> impl HostQueue {
            let near = oxshmem_transport_nvlink::device::LoadStore::new(state);
            oxshmem_raw::queue::split::Split::new(state, near, far(state))
        }
    } else {
        /// The queue that an operation of a host PE's own threads goes on.
        #[cfg(feature = "nvlink")]
        fn queue(state: &WorldState) -> impl HostQueue {
            oxshmem_transport_nvlink::device::LoadStore::new(state)
        }
    }
}

/// What is asked of a queue by a host PE's own threads.
trait HostQueue: QpResource<Local = LocalAddr> + OrderingDomain {}
impl<Q: QpResource<Local = LocalAddr> + OrderingDomain> HostQueue for Q {}

/// Copies from this PE's heap to another's and then, if asked, signals there, on a host PE's own threads. A copy without
/// a signal is complete when it returns. The caller has checked that both ranges and the word are in the heap.
pub(crate) fn put(
    state: &WorldState,
    to: Remote,
    from: SymAddr,
    bytes: usize,
    signal: Option<(SymPtr<u64>, u64, SignalOp)>,
) -> Result<(), Fault> {
    // SAFETY: **owned**: in this PE's heap, which is mapped for as long as kernels run.
    let from = unsafe { LocalAddr::new(state.own_address(from)) };
    match signal {
        // That a put returns means only that its source may be written again.
        None => {
            queue(state).put(Thread, to, from, bytes, Completion::Blocking)?;
            queue(state).quiet(Thread, PeSet::One(to.pe), QpSet::Default)
        }
        Some((word, value, op)) => {
            queue(state).put_signal(Thread, to, from, bytes, word.addr(), op, value, Completion::Blocking)
        }
    }
}

/// Copies from another PE's heap to this one's, as [`put`].
pub(crate) fn get(state: &WorldState, to: SymAddr, from: Remote, bytes: usize) -> Result<(), Fault> {
    // SAFETY: **owned**: as for `put`.
    let to = unsafe { LocalAddr::new(state.own_address(to)) };
    queue(state).get(Thread, to, from, bytes, Completion::Blocking)
}

/// Completes what this PE's threads and kernels have issued, on a host PE's own threads.
pub(crate) fn quiet(state: &WorldState) -> Result<(), Fault> {
    queue(state).quiet(Thread, PeSet::All, QpSet::All)
}

/// Waits for a word of this PE's heap, on a host PE's own threads. The caller has checked that it is there.
pub(crate) fn wait(state: &WorldState, word: SymAddr, cmp: Cmp, value: u64) -> Result<(), Fault> {
    let at = state.own_address(word).cast::<u64>();
    // SAFETY: **live**: an aligned word in this PE's heap, which is mapped for as long as kernels run.
    let seen = || unsafe { ptx::ld_acquire_sys_u64(at) };
    let holds = || cmp.holds(seen(), value).then_some(());
    wait::until(state, &mut WaitBudget::new(), 1, holds, || {
        let mut fault = Fault::new(FaultStep::Wait);
        (fault.at, fault.detail) = (word.offset(), Fault::wait_detail::<u64>(cmp));
        (fault.asked, fault.seen) = (value, seen());
        fault
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(named: Option<&str>, ibgda: Option<bool>, linked: &[&'static dyn TransportFactory]) -> Vec<String> {
        preferences(named, ibgda, linked).unwrap().into_iter().map(|preference| preference.name).collect()
    }

    #[test]
    fn a_name_leaves_out_what_is_better_and_keeps_the_rest_for_pes_that_lack_it() {
        let linked = linked();
        assert_eq!(chosen(None, None, &linked), ["ibgda", "ibrc"]);
        assert_eq!(chosen(Some("ibgda"), None, &linked), ["ibgda", "ibrc"]);
        assert_eq!(chosen(Some("ibrc"), None, &linked), ["ibrc"]);
        assert_eq!(preferences(Some("tcpp"), None, &linked), Err(NotLinked));
    }

    #[test]
    fn ibgda_is_on_and_off_as_nvshmems_variable_says() {
        let linked = linked();
        for named in [None, Some("ibrc"), Some("ibdevx"), Some("ibgda")] {
            assert_eq!(chosen(named, Some(true), &linked)[0], "ibgda", "{named:?}");
        }
        assert_eq!(preferences(Some("ibdevx"), None, &linked), Err(NotLinked));
        assert_eq!(chosen(None, Some(false), &linked), ["ibrc"]);
        assert_eq!(chosen(Some("ibgda"), Some(false), &linked)[0], "ibgda", "what is named counts");
        let alone: Vec<_> = linked.iter().copied().filter(|transport| transport.name() == "ibgda").collect();
        assert_eq!(chosen(None, Some(false), &alone), ["ibgda"], "the only one is used all the same");
    }
}

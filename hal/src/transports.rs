//! The transports of a build: the one file of this crate that names them and their features.

use std::cmp::Reverse;

use oxshmem_core::host::Transport;
use oxshmem_raw::queue::host_path::HostPath;
use oxshmem_raw::transport::{TransportContext, TransportFactory, registered};

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

/// The transport that NVSHMEM's variable `IB_ENABLE_IBGDA` controls: GPUs write the NIC's queues themselves.
pub(crate) const IBGDA: &str = "ibgda";

/// The names of NVSHMEM's transports to remote PEs.
pub(crate) const OF_NVSHMEM: [&str; 6] = ["ibrc", "ibdevx", "ibgda", "gpunetio", "libfabric", "ucx"];

/// NVSHMEM's name of a path on which GPUs write the NIC's queues by another library: it chooses IBGDA.
const GPUNETIO: &str = "gpunetio";

/// NVSHMEM's CPU-posted transports, beside which `IB_ENABLE_IBGDA = 1` turns IBGDA on.
const BESIDE_IBGDA: [&str; 2] = ["ibrc", "ibdevx"];

/// Returns the transports to PEs that are not reached by load/store: those compiled in and those that linked crates
/// have announced, the one with the highest priority first.
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

/// Opens the load/store transport, which reaches `peers` (by PE).
pub(crate) fn open_load_store(cx: &TransportContext<'_>, peers: &[bool]) -> Box<dyn Transport + Sync> {
    Box::new(oxshmem_transport_nvlink::host::NvLink::new(cx.memory.clone(), cx.windows.clone(), peers))
}

/// Returns how a program gets the transport of a name, if it is one of NVSHMEM's.
pub(crate) fn how_to_get(name: &str) -> Option<&'static str> {
    Some(match name {
        IBGDA | GPUNETIO => "build oxshmem-hal and the kernels with the feature `ibgda`",
        "ibrc" | "ibdevx" => "build oxshmem-hal and the kernels with the feature `ibrc`",
        "libfabric" => {
            "build with the feature `ibrc`, and link the crate oxshmem-libfabric in tests/vendored/libfabric (`use \
             oxshmem_libfabric as _;`)"
        }
        "ucx" => {
            "build with the feature `ibrc`, and link the crate oxshmem-ucx in tests/vendored/ucx (`use oxshmem_ucx as \
             _;`)"
        }
        _ => return None,
    })
}

/// A transport that a PE may use.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Preference {
    /// The higher, the better.
    pub(crate) priority: u32,
    /// The name by which it is chosen.
    pub(crate) name: String,
}

/// The requested transport is not linked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NotLinked;

/// Returns the transports that a PE may use, the best first: the `named` one, then all with a lower priority. Without a
/// name returns all. `ibgda` is the user's setting for IBGDA, if any.
///
/// # Errors
/// The named transport is not among `linked`.
pub(crate) fn preferences(
    named: Option<&str>,
    ibgda: Option<bool>,
    linked: &[&'static dyn TransportFactory],
) -> Result<Vec<Preference>, NotLinked> {
    let named = if named == Some(GPUNETIO) { Some(IBGDA) } else { named };
    let has_ibgda = linked.iter().any(|transport| transport.name() == IBGDA);
    let turned_on = ibgda == Some(true) && has_ibgda && named.is_none_or(|name| BESIDE_IBGDA.contains(&name));
    let named = if turned_on { Some(IBGDA) } else { named };
    // If no other transport is linked, the setting has no effect.
    let without_ibgda = ibgda == Some(false) && named != Some(IBGDA) && linked.len() > 1;
    let usable = linked.iter().filter(|transport| !(without_ibgda && transport.name() == IBGDA));
    let all = usable.map(|transport| Preference { priority: transport.priority(), name: transport.name().into() });
    let Some(named) = named else { return Ok(all.collect()) };
    let chosen = linked.iter().find(|transport| transport.names().iter().any(|name| name == named)).ok_or(NotLinked)?;
    let first = Preference { priority: chosen.priority(), name: named.into() };
    let lower = all.filter(|other| other.priority < first.priority);
    Ok(std::iter::once(first.clone()).chain(lower).collect())
}

/// Returns the path of a transport, given one of the names by which it can be chosen.
pub(crate) fn host_path(name: &str) -> Option<&'static dyn HostPath> {
    let named = |transport: &&dyn TransportFactory| transport.names().iter().any(|other| other == name);
    linked().into_iter().find(named).map(TransportFactory::host_path)
}

/// The load/store path of host PEs' own threads.
#[cfg(feature = "nvlink")]
pub(crate) use oxshmem_transport_nvlink::device::LoadStore;

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
        assert_eq!(chosen(Some("ibdevx"), None, &linked), ["ibdevx"], "it comes with the proxies");
        assert_eq!(preferences(Some("tcpp"), None, &linked), Err(NotLinked));
        assert_eq!(chosen(Some("gpunetio"), None, &linked), ["ibgda", "ibrc"], "GPUs write the NIC's queues");
        assert_eq!(chosen(Some("gpunetio"), Some(false), &linked)[0], "ibgda", "what is named counts");
    }

    #[test]
    fn each_of_nvshmems_names_says_how_a_program_gets_it() {
        assert!(OF_NVSHMEM.iter().all(|name| how_to_get(name).is_some()));
        assert_eq!(how_to_get("tcpp"), None);
    }

    #[test]
    fn ibgda_is_on_and_off_as_nvshmems_variable_says() {
        let linked = linked();
        for named in [None, Some("ibrc"), Some("ibdevx"), Some("ibgda")] {
            assert_eq!(chosen(named, Some(true), &linked)[0], "ibgda", "{named:?}");
        }
        assert_eq!(preferences(Some("ucx"), None, &linked), Err(NotLinked));
        assert_eq!(chosen(None, Some(false), &linked), ["ibrc"]);
        assert_eq!(chosen(Some("ibgda"), Some(false), &linked)[0], "ibgda", "what is named counts");
        let alone: Vec<_> = linked.iter().copied().filter(|transport| transport.name() == "ibgda").collect();
        assert_eq!(chosen(None, Some(false), &alone), ["ibgda"], "the only one is used all the same");
    }
}

//! The names of variables, including those without effect here, and the lookup of a name.

use super::suggest::nearest;
use super::table::{Setting, table};

/// Variables that another part reads from the environment only, each with its meaning.
pub(super) static ELSEWHERE: &[(&str, &str)] = &[
    ("OXSHMEM_CONF", "the file that settings are read from"),
    ("OXSHMEM_PE", "the number of this PE, set by the launcher"),
    ("OXSHMEM_N_PES", "the number of PEs, set by the launcher"),
    ("OXSHMEM_UID", "the unique id of the world, set by the launcher"),
    ("NVSHMEM_BOOTSTRAP_UID_SOCK_IFNAME", "the interface whose address is in a unique id of a program in C"),
    ("OXSHMEM_ROOT", "host:port where the PEs meet"),
    ("OXSHMEM_ROOT_FD", "the listening socket that PE 0 inherits from the launcher"),
    ("OXSHMEM_SECRET", "the secret that the PEs of a world share, if there is no unique id"),
    ("OXSHMEM_HOST", "the name that this PE gives its machine, in place of the system's"),
    ("OXSHMEM_HOST_STACK_KIB", "stack of a GPU thread on host PEs"),
    ("OXSHMEM_PTX_RUSTC", "the compiler of `cargo oxshmem ptx`"),
    ("OXSHMEM_PTXAS", "the assembler of `cargo oxshmem ptx`"),
    ("OXSHMEM_KEEP_PICTURES", "keeps the pictures that tests draw"),
];

const FIND: &str =
    "PEs find each other by OXSHMEM_UID, by OXSHMEM_ROOT, by PMIx, or by what mpirun, srun and torchrun set";
const NO_PLUGIN: &str = "no bootstrap plugin is loaded: PEs find each other by themselves, also under mpirun and srun; OXSHMEM_BOOTSTRAP says how";
const DC: &str = "there are no dynamic connections: each queue pair leads to one PE";
const PROXY: &str = "a proxy thread takes all requests that are there, and is started only where one is needed";
const COLLECTIVES: &str = "the algorithms of collectives are not chosen by variables";
const NCCL: &str = "no collective goes over NCCL";
const LOADSTORE: &str = "PEs that reach each other by load and store always do";
const STDERR: &str = "the messages that OXSHMEM_DEBUG selects go to standard error unfiltered";
const NO_CE: &str = "no collective goes over copy engines";
const FETCH_SLOTS: &str = "the data of a fetch has a slot in its queue pair, as many as OXSHMEM_QP_DEPTH says";
const ALWAYS: &str = "all checks are always on";

/// NVSHMEM's variables without effect here: the names after `NVSHMEM_`, and the reason.
static WITHOUT_EFFECT: &[(&[&str], &str)] = &[
    (&["DEBUG_FILE", "DEBUG_SUBSYS"], STDERR),
    (&["INFO_HIDDEN"], "no setting is hidden; OXSHMEM_INFO=1 prints all of them"),
    (&["BOOTSTRAP_UID_SESSION_ID"], FIND),
    (
        &[
            "BOOTSTRAP_PLUGIN",
            "BOOTSTRAP_MPI_PLUGIN",
            "BOOTSTRAP_SHMEM_PLUGIN",
            "BOOTSTRAP_PMI_PLUGIN",
            "BOOTSTRAP_PMI2_PLUGIN",
            "BOOTSTRAP_PMIX_PLUGIN",
            "BOOTSTRAP_UID_PLUGIN",
        ],
        NO_PLUGIN,
    ),
    (&["BOOTSTRAP_UID_SOCK_FAMILY"], "the address is chosen by OXSHMEM_ROOT=host:port with OXSHMEM_SECRET"),
    (&["BOOTSTRAP_TWO_STAGE"], "a world takes its device when it starts, by OXSHMEM_DEVICE"),
    (
        &[
            "IBGDA_NUM_DCI",
            "IBGDA_NUM_DCT",
            "IBGDA_NUM_SHARED_DCI",
            "IBGDA_DCI_MAP_BY",
            "IBGDA_NUM_FETCH_SLOTS_PER_DCI",
        ],
        DC,
    ),
    (&["IBGDA_NUM_REQUESTS_IN_BATCH"], "a doorbell rings for all that is ready"),
    (&["IBGDA_NUM_FETCH_SLOTS_PER_RC"], "a queue pair has as many fetch slots as OXSHMEM_QP_DEPTH says"),
    (&["IB_NUM_RC_PER_DEVICE", "SRQ_DEPTH"], "it is about a transport that posts from the CPU"),
    (&["DISABLE_IB_NATIVE_ATOMICS"], "atomics of the NIC are always the NIC's"),
    (&["DISABLE_GDRCOPY"], "GDRCopy is not used"),
    (
        &["LIBFABRIC_PERSONA", "LIBFABRIC_PROVIDER", "LIBFABRIC_MAX_NIC_PER_PE"],
        "libfabric is a transport of its own, with its own variables (OXSHMEM_LIBFABRIC_*)",
    ),
    (&["DISABLE_LOCAL_ONLY_PROXY", "PROXY_REQUEST_BATCH_MAX", "BYPASS_FLUSH"], PROXY),
    (&["ASSERT_ATOMICS_SYNC"], "a wait that has ended orders all later accesses"),
    (&["DISABLE_MNNVL"], LOADSTORE),
    (&["BYPASS_ACCESSIBILITY_CHECK"], "whether a peer can be reached is always checked"),
    (&["CUMEM_GRANULARITY"], "the device says the granularity; OXSHMEM_SYMMETRIC_SIZE sets the first extent"),
    (&["MAX_TEAMS"], "the number of teams is not limited by a variable"),
    (&["CUDA_PATH"], "no CUDA toolkit is needed: the driver alone is opened, and PTX is found by OXSHMEM_PTX_PATH"),
    (&["CUDA_LIMIT_STACK_SIZE"], "the driver sizes the stack of a kernel"),
    (&["IGNORE_CUDA_MPS_ACTIVE_THREAD_PERCENTAGE"], "whether PEs may share a GPU is said by OXSHMEM_GPU_SHARE"),
    (&["ENABLE_ERROR_CHECKS"], ALWAYS),
    (&["NVTX"], "there are no NVTX ranges"),
    (&["DISABLE_NCCL"], NCCL),
    (&["DISABLE_NVLS", "DISABLE_NVLS_SHARING"], "NVLink multicast is not used"),
    (&["DISABLE_CE_COLLECTIVES", "DISABLE_SELF_WRITE_CE_COLL"], NO_CE),
    (&["HEAP_KIND"], "the symmetric heap is the device's own memory; OXSHMEM_HEAP_KIND says how that is made"),
    (&["ENABLE_RAIL_OPT"], "each PE sends by the NICs near it, and no traffic changes rails on its way"),
    (&["ENABLE_ALIGNED_MALLOC"], "every allocation is aligned to 256 bytes, and to more where the program asks"),
    (&["G_BUF_SIZE", "G_COALESCING_BUF_SIZE"], FETCH_SLOTS),
    (&["DEBUG_ATTACH_DELAY"], "a world does not wait for a debugger when it starts"),
    (&["CONF_FILE"], "settings are read from the file that OXSHMEM_CONF names"),
    (
        &[
            "BARRIER_DISSEM_KVAL",
            "BARRIER_TG_DISSEM_KVAL",
            "FCOLLECT_ALGO",
            "FCOLLECT_LL_THRESHOLD",
            "FCOLLECT_LL128_THRESHOLD",
            "FCOLLECT_NVLS_THRESHOLD",
            "FCOLLECT_NTHREADS",
            "BCAST_ALGO",
            "BCAST_TREE_KVAL",
            "REDUCE_ALGO",
            "REDUCE_SCRATCH_SIZE",
            "REDUCE_RECEXCH_KVAL",
            "REDUCE_RECURSIVE_KVAL",
            "REDUCE_NVLS_THRESHOLD",
            "REDUCE_NTHREADS",
            "REDUCESCATTER_ALGO",
            "REDUCESCATTER_NTHREADS",
            "REDUCESCATTER_NVLS_THRESHOLD",
            "REDMAXLOC_ALGO",
            "ALLTOALL_ALGO",
            "ALLTOALL_NTHREADS",
            "RDX_NUM_TPB",
            "MAX_CTAS",
        ],
        COLLECTIVES,
    ),
];

/// Variables of this project's transports. A program that does not link the transport accepts them without effect, so
/// that one settings file serves every program.
static OF_TRANSPORTS: &[&str] = &[
    "OXSHMEM_IBGDA_NIC_HANDLER",
    "NVSHMEM_IBGDA_NIC_HANDLER",
    "OXSHMEM_IBGDA_FORCE_NIC_BUF_MEMTYPE",
    "NVSHMEM_IBGDA_FORCE_NIC_BUF_MEMTYPE",
    "OXSHMEM_IBGDA_VERBS_TWIN",
    "OXSHMEM_IBGDA_DUMP",
    "OXSHMEM_IB_UDP_SPORT",
    "OXSHMEM_IB_ENABLE_RELAXED_ORDERING",
    "NVSHMEM_IB_ENABLE_RELAXED_ORDERING",
    "OXSHMEM_PROXY_THREADS",
    "OXSHMEM_PROXY_PIN",
    "OXSHMEM_PROXY_GUARD_FETCHES",
    "OXSHMEM_PROXY_RING_DEPTH",
    "OXSHMEM_IBDEVX_BLUEFLAME",
];

/// Variables in which environment modules and build scripts put NVSHMEM's installation folder. They are no settings,
/// and are not reported.
static INSTALLED: &[&str] = &["HOME", "PREFIX", "DIR", "ROOT", "SRC", "PATH", "INC", "INCLUDE", "LIB"];

/// The prefix of the variables that a software NIC reads, in any program.
const SOFTWARE_NIC: &str = "OXSHMEM_SOFTNIC_";

/// The meaning of a name.
#[derive(Clone, Copy)]
pub(super) enum KnownName {
    /// A setting.
    Honoured(Setting),
    /// Another part reads it from the environment.
    Elsewhere,
    /// A variable of NVSHMEM that has no effect here, and the reason.
    WithoutEffect(&'static str),
    /// A transport that this program does not link reads it.
    OfTransport,
    /// Not a setting, and not reported.
    Installed,
}

/// Returns the meaning of `name`, which has its prefix and is in upper case.
pub(super) fn known(name: &str) -> Option<KnownName> {
    if let Some(setting) = table().find(|setting| setting.names().contains(&name)) {
        return Some(KnownName::Honoured(setting));
    }
    if ELSEWHERE.iter().any(|(elsewhere, _)| *elsewhere == name) || name.starts_with(SOFTWARE_NIC) {
        return Some(KnownName::Elsewhere);
    }
    if OF_TRANSPORTS.contains(&name) {
        return Some(KnownName::OfTransport);
    }
    let rest = name.strip_prefix("NVSHMEM_")?;
    if INSTALLED.contains(&rest) {
        return Some(KnownName::Installed);
    }
    without_effect().find(|(without, _)| *without == rest).map(|(_, why)| KnownName::WithoutEffect(why))
}

/// Returns the names after `NVSHMEM_` that have no effect here, each with the reason.
pub(super) fn without_effect() -> impl Iterator<Item = (&'static str, &'static str)> {
    WITHOUT_EFFECT.iter().flat_map(|(names, why)| names.iter().map(move |name| (*name, *why)))
}

/// Returns the full known name that is probably meant by `name`.
pub(super) fn meant(name: &str) -> Option<String> {
    let upper = name.to_ascii_uppercase();
    let bare = |name: &'static str| name.split_once('_').map_or(name, |(_, bare)| bare);
    let set = || table().flat_map(Setting::names).chain(ELSEWHERE.iter().map(|(name, _)| name));
    let is_theirs = upper.starts_with("NVSHMEM_");
    let theirs = without_effect().map(|(name, _)| name).filter(|_| is_theirs);
    let written = upper.strip_prefix("NVSHMEM_").or(upper.strip_prefix("OXSHMEM_")).unwrap_or(&upper);
    let found = nearest(written, set().map(|name| bare(name)).chain(theirs))?;
    let whole = set().find(|name| bare(name) == found);
    Some(whole.map_or_else(|| format!("NVSHMEM_{found}"), |name| name.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_is_in_the_tables_twice() {
        let mut names: Vec<String> = table().flat_map(Setting::names).map(|n| n.to_string()).collect();
        names.extend(ELSEWHERE.iter().map(|(name, _)| name.to_string()));
        names.extend(without_effect().map(|(name, _)| format!("NVSHMEM_{name}")));
        let linked: Vec<_> = table().flat_map(Setting::names).collect();
        names.extend(OF_TRANSPORTS.iter().filter(|name| !linked.contains(name)).map(|name| name.to_string()));
        names.extend(INSTALLED.iter().map(|name| format!("NVSHMEM_{name}")));
        let count = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count);
        assert!(names.iter().all(|name| known(name).is_some()));
    }

    #[test]
    fn every_variable_of_this_projects_transports_is_known_without_them() {
        use crate::transports;
        let of_transports = transports::linked().into_iter().flat_map(|transport| transport.settings());
        for name in of_transports.flat_map(|variable| variable.names) {
            assert!(OF_TRANSPORTS.contains(name), "{name}");
        }
    }

    #[test]
    fn a_slip_is_told_the_whole_name_and_never_one_that_would_set_nothing_of_ours() {
        assert_eq!(meant("OXSHMEM_SYMETRIC_SIZE").as_deref(), Some("OXSHMEM_SYMMETRIC_SIZE"));
        assert_eq!(meant("NVSHMEM_WAIT_LIMIT").as_deref(), Some("OXSHMEM_WAIT_LIMIT"));
        assert_eq!(meant("heap_kinds").as_deref(), Some("OXSHMEM_HEAP_KIND"));
        assert_eq!(meant("NVSHMEM_MAX_TEAM").as_deref(), Some("NVSHMEM_MAX_TEAMS"));
        assert_eq!(meant("OXSHMEM_MAX_TEAM"), None);
        assert_eq!(meant("OXSHMEM_COLOUR_OF_MAGIC"), None);
    }
}

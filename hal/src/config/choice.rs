//! The settings that are a choice among a few words.

use std::fmt;

use oxshmem_raw::settings::parse_number;

/// The device that the PEs run on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DeviceChoice {
    /// A GPU for each PE of this machine where there are enough of them, else host PEs.
    #[default]
    Auto,
    /// Host PEs: kernels run on threads, and the symmetric heap is in shared memory.
    Host,
    /// One GPU for each PE of this machine, by its local rank.
    Gpu,
    /// The GPU with this ordinal, among the GPUs that are visible.
    GpuOrdinal(u32),
}

/// The largest GPU ordinal, above that of any driver so far.
pub(super) const GPU_ORDINAL_MAX: u32 = 1023;

/// The kind of memory of a GPU's symmetric heap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HeapKind {
    /// CUDA VMM memory where the device has it, else IPC.
    #[default]
    Auto,
    /// CUDA VMM memory, shared by file descriptors. Grows on demand.
    Vmm,
    /// One `cuMemAlloc` block, shared by legacy IPC handles. Can't grow.
    Ipc,
}

/// The messages that are written to standard error. Each level includes the levels before it, except `Version`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verbosity {
    /// Nothing.
    None,
    /// The version, and nothing else.
    Version,
    /// Settings and facts that the user probably did not intend: variables without effect, a slower path than expected.
    #[default]
    Warn,
    /// The version, the hardware found, and the choices made.
    Info,
    /// Each step.
    Trace,
}

/// Source of a process's PE number and meeting point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BootstrapChoice {
    /// By PMIx if the launcher offers it and libpmix is installed, else by variables.
    #[default]
    Auto,
    /// By the launcher's variables and ours.
    Env,
    /// By PMIx.
    Pmix,
}

/// The transport to PEs that are not reached by load/store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum RemoteChoice {
    /// The best that is linked.
    #[default]
    Auto,
    /// No transport: a world starts only if all of its PEs reach each other by load and store.
    None,
    /// The transport of this name, in lower case.
    Named(String),
}

impl DeviceChoice {
    pub(super) const WORDS: &str = "auto, host, gpu, gpu:N with N from 0 to 1023";

    pub(super) fn parse(text: &str) -> Option<Self> {
        let text = text.to_ascii_lowercase();
        match text.as_str() {
            "auto" => Some(Self::Auto),
            "host" => Some(Self::Host),
            "gpu" => Some(Self::Gpu),
            _ => text.strip_prefix("gpu:").and_then(|ordinal| parse_number(ordinal).ok()).map(Self::GpuOrdinal),
        }
    }
}

impl HeapKind {
    pub(super) const WORDS: &str = "auto, vmm, ipc";

    pub(super) fn parse(text: &str) -> Option<Self> {
        [Self::Auto, Self::Vmm, Self::Ipc].into_iter().find(|kind| text.eq_ignore_ascii_case(&kind.to_string()))
    }
}

impl BootstrapChoice {
    pub(super) const WORDS: &str = "auto, env, pmix";

    pub(super) fn parse(text: &str) -> Option<Self> {
        [Self::Auto, Self::Env, Self::Pmix].into_iter().find(|choice| text.eq_ignore_ascii_case(&choice.to_string()))
    }
}

impl Verbosity {
    pub(super) const WORDS: &str = "none, version, warn, info, trace (and abort, as info)";

    pub(super) fn parse(text: &str) -> Option<Self> {
        use Verbosity::*;
        // NVSHMEM has a level `abort` between info and trace that adds nothing.
        let text = if text.eq_ignore_ascii_case("abort") { "info" } else { text };
        [None, Version, Warn, Info, Trace].into_iter().find(|level| text.eq_ignore_ascii_case(&level.to_string()))
    }
}

impl RemoteChoice {
    pub(super) const WORDS: &str = "auto, none, or the name of a transport (letters, digits, _ and -)";

    pub(super) fn parse(text: &str) -> Option<Self> {
        let name = text.to_ascii_lowercase();
        let is_name = |name: &str| name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
        match name.as_str() {
            "auto" => Some(Self::Auto),
            "none" => Some(Self::None),
            "" => None,
            _ if name.len() <= 32 && is_name(&name) => Some(Self::Named(name)),
            _ => None,
        }
    }
}

impl fmt::Display for DeviceChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::Host => f.write_str("host"),
            Self::Gpu => f.write_str("gpu"),
            Self::GpuOrdinal(ordinal) => write!(f, "gpu:{ordinal}"),
        }
    }
}

impl fmt::Display for HeapKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Auto => "auto",
            Self::Vmm => "vmm",
            Self::Ipc => "ipc",
        })
    }
}

impl fmt::Display for BootstrapChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Auto => "auto",
            Self::Env => "env",
            Self::Pmix => "pmix",
        })
    }
}

impl fmt::Display for Verbosity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "none",
            Self::Version => "version",
            Self::Warn => "warn",
            Self::Info => "info",
            Self::Trace => "trace",
        })
    }
}

impl fmt::Display for RemoteChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::None => f.write_str("none"),
            Self::Named(name) => f.write_str(name),
        }
    }
}

//! The settings that are a choice among a few words.

use std::fmt;

use oxshmem_raw::settings::parse_number;

/// Which device the PEs run on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DeviceChoice {
    /// A GPU for each PE of this machine where there are enough of them, else host PEs.
    #[default]
    Auto,
    /// Host PEs: kernels on threads, the symmetric heap in shared memory.
    Host,
    /// One GPU for each PE of this machine, by its local rank.
    Gpu,
    /// The GPU with this ordinal, as the driver counts those that are visible.
    GpuOrdinal(u32),
}

/// GPU ordinals end here; no driver counts so far.
pub(super) const GPU_ORDINAL_MAX: u32 = 1023;

/// What the symmetric heap of a GPU is made of.
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

/// How much is told on standard error. Each level tells what the levels before it tell, the version apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verbosity {
    /// Nothing.
    None,
    /// The version, and nothing else.
    Version,
    /// What is probably not meant: variables without effect, a slower path than expected.
    #[default]
    Warn,
    /// The version, what was found and what was chosen.
    Info,
    /// Each step.
    Trace,
}

/// How a process learns which PE it is, and where it meets the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BootstrapChoice {
    /// By PMIx where the launcher offers it and libpmix is there, else by variables.
    #[default]
    Auto,
    /// By variables: the launcher's and ours.
    Env,
    /// By PMIx.
    Pmix,
}

/// Which transport carries operations to PEs that loads and stores don't reach.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum RemoteChoice {
    /// Whichever is compiled in and works.
    #[default]
    Auto,
    /// None: a world whose PEs don't all reach each other by load and store can't start.
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
        // NVSHMEM has a level `abort` between info and trace that tells nothing more.
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

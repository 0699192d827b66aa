//! Providers: linking, lookup by name, and opening.

use std::fmt;
use std::sync::Arc;

use oxshmem_core::Pe;
use oxshmem_core::host::Result;

use super::device::FabricDevice;
use oxshmem_raw::memory::Memory;
use oxshmem_raw::nic_params::{NicParams, WireParams};
use oxshmem_raw::settings::{Settings, Variable};

/// Opens devices of one library.
pub trait FabricProvider: Send + Sync + fmt::Debug {
    /// Returns the name by which a user chooses it: `libfabric`.
    fn name(&self) -> &str;

    /// Describes the library: "libibverbs 1.14.44.0 from /usr/lib/...".
    fn describe(&self) -> String;

    /// Opens the devices that a PE uses, in the order in which its rows take turns among them: at least one, at most
    /// [`OpenRequest::most`].
    ///
    /// # Errors
    /// There is no usable device, or not as many as requested: the error names the deficiency of each.
    fn open(&self, request: &OpenRequest<'_>) -> Result<OpenDevices>;
}

/// Devices that were opened.
#[derive(Debug)]
pub struct OpenDevices {
    /// In the order of use.
    pub devices: Vec<Arc<dyn FabricDevice>>,
    /// Devices that are not used, and the reasons, one line each.
    pub left_out: Vec<String>,
    /// Facts that the user may not expect, one line each.
    pub warnings: Vec<String>,
}

/// A PE's requirements for its devices.
#[derive(Debug)]
pub struct OpenRequest<'a> {
    /// The PE.
    pub me: Pe,
    /// The memory of its kernels: devices near the GPU are preferred.
    pub memory: &'a Memory,
    /// Maximum number of devices, because each is served by a progress thread of its own.
    pub most: u32,
    /// Number of devices that the PE can keep busy. Ignored if the user requests a number.
    pub useful: u32,
    /// Number of outstanding work requests on each endpoint. A device that allows fewer is not usable.
    pub depth: u32,
    /// The devices that the user allows, and their number.
    pub nics: &'a NicParams,
    /// Parameters of InfiniBand and RoCE, for providers of those.
    pub wire: &'a WireParams,
}

/// The parameters for creating a provider.
#[derive(Debug)]
pub struct ProviderContext<'a> {
    /// The PE that will use it. PEs may be threads of one process.
    pub me: Pe,
    /// The values of [`ProviderEntry::variables`].
    pub settings: &'a Settings,
}

/// A provider that is linked into this program: see [`register_provider!`](crate::register_provider).
#[derive(Debug)]
pub struct ProviderEntry {
    /// Name by which a user chooses it: lower case, no spaces.
    pub name: &'static str,
    /// Variables that it reads, each `OXSHMEM_<NAME>_...`. The configuration parses, checks and reports them.
    pub variables: &'static [Variable],
    /// Creates the provider.
    pub create: fn(&ProviderContext<'_>) -> Result<Arc<dyn FabricProvider>>,
}

inventory::collect!(ProviderEntry);

/// Returns the names of all linked providers, sorted.
pub fn provider_names() -> Vec<&'static str> {
    let mut names: Vec<_> = inventory::iter::<ProviderEntry>.into_iter().map(|entry| entry.name).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Returns the linked provider with this name.
pub fn find_provider(name: &str) -> Option<&'static ProviderEntry> {
    inventory::iter::<ProviderEntry>.into_iter().find(|entry| entry.name == name)
}

/// Links a provider into every program that uses this crate (`use my_fabric as _;`).
///
/// ```
/// # use std::sync::Arc;
/// # use oxshmem_core::host::{Error, ErrorKind, Result};
/// # use oxshmem_rdma::fabric::{FabricProvider, ProviderContext, find_provider, provider_names};
/// # use oxshmem_raw::settings::{Takes, Variable};
/// const PROVIDER: Variable = Variable {
///     names: &["OXSHMEM_LIBFABRIC_PROVIDER"],
///     takes: Takes::Words(&[&["tcp"], &["verbs"]]),
///     auto: true,
///     default: "auto",
///     help: "Which of libfabric's providers; auto: the first.",
/// };
///
/// fn create(_: &ProviderContext<'_>) -> Result<Arc<dyn FabricProvider>> {
///     Err(Error::new(ErrorKind::NotFound, "open libfabric").because("libfabric.so.1 is not installed"))
/// }
///
/// oxshmem_rdma::register_provider! {
///     name: "libfabric",
///     variables: &[PROVIDER],
///     create: create,
/// }
/// # assert_eq!((provider_names(), find_provider("ucx").is_none()), (vec!["libfabric"], true));
/// ```
#[macro_export]
macro_rules! register_provider {
    (name: $name:expr, variables: $variables:expr, create: $create:expr $(,)?) => {
        $crate::inventory::submit! {
            $crate::fabric::ProviderEntry { name: $name, variables: $variables, create: $create }
        }
    };
}

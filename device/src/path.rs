//! The remote paths of this build. No other file of this crate names transport features.

use oxshmem_device_api::NoRemote;
#[cfg(any(feature = "ibgda", feature = "ibrc"))]
use oxshmem_device_api::Paths;

#[cfg(not(feature = "nvlink"))]
compile_error!(
    "oxshmem-device needs a transport: enable the feature `nvlink`, or `ibgda` or `ibrc` which bring it along"
);

#[cfg(feature = "ibrc")]
type Proxies = Paths<oxshmem_transport_ibrc::device::ProxyPath, NoRemote>;
#[cfg(not(feature = "ibrc"))]
type Proxies = NoRemote;

#[cfg(feature = "ibgda")]
type Nics = Paths<oxshmem_transport_ibgda::device::NicPath, Proxies>;
#[cfg(not(feature = "ibgda"))]
type Nics = Proxies;

/// The list, in the order in which the paths are tested.
pub(crate) type Remote = Nics;

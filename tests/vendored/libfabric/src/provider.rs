//! The provider: which of libfabric's interfaces a PE uses.

use std::sync::Arc;
use std::time::Duration;

use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_raw::fabric::{FabricProvider, OpenDevices, OpenRequest, ProviderContext};
use oxshmem_raw::memory::Memory;

use crate::device::Device;
use crate::libfabric::domain::{Domain, Facts, Info, interfaces};
use crate::libfabric::library::Library;

/// The variable that names one of libfabric's own providers.
const PROVIDER: &str = "OXSHMEM_LIBFABRIC_PROVIDER";
/// The variable that names an interface.
const DOMAIN: &str = "OXSHMEM_LIBFABRIC_DOMAIN";
/// The variable that limits how long a peer may take.
const LIMIT: &str = "OXSHMEM_LIBFABRIC_LIMIT";

/// The provider that is used unless the user names another.
const DEFAULT_PROVIDER: &str = "tcp";
/// How long an operation may take unless the user says otherwise: longer than TCP takes to find a dead host's network
/// gone, shorter than the world's own wait limit.
const DEFAULT_LIMIT: Duration = Duration::from_secs(30);
/// The form of addresses that most hosts have in common: `FI_SOCKADDR_IN`.
const IPV4: u32 = 2;

/// Opens interfaces of libfabric.
#[derive(Debug)]
pub(crate) struct LibFabric;

oxshmem_raw::register_provider! {
    name: "libfabric",
    variables: &[
        (PROVIDER, "libfabric's provider: tcp (default), shm, or another with FI_EP_RDM, FI_RMA and FI_ATOMIC"),
        (DOMAIN, "the interface, as `fi_info` lists domains: eth0, lo (default: the first with an IPv4 address)"),
        (LIMIT, "seconds after which an operation that has not ended has failed: 1 to 3600 (default 30)"),
    ],
    create: create,
}

fn create(_: &ProviderContext<'_>) -> Result<Arc<dyn FabricProvider>> {
    Library::get()?;
    Ok(Arc::new(LibFabric))
}

impl FabricProvider for LibFabric {
    fn name(&self) -> &str {
        "libfabric"
    }

    fn describe(&self) -> String {
        match Library::get().map(Library::version) {
            Ok((major, minor)) => format!("libfabric {major}.{minor}"),
            Err(error) => error.to_string(),
        }
    }

    fn open(&self, request: &OpenRequest<'_>) -> Result<OpenDevices> {
        let name = request.settings.get(PROVIDER).unwrap_or(DEFAULT_PROVIDER);
        let action = || format!("use libfabric's provider {name}");
        if let Memory::Gpu(_) = request.memory {
            return Err(Error::new(ErrorKind::Unreachable, action())
                .because("this crate registers memory of the host alone, and the heap is in a GPU's memory")
                .hint("run on host threads (OXSHMEM_DEVICE=host), or choose another transport"));
        }
        let limit = limit(request.settings.get(LIMIT))?;
        let found = interfaces(name)?;
        let listed = found.iter().map(|(facts, _)| facts.domain.clone()).collect::<Vec<_>>().join(", ");
        let Some((facts, info)) = choose(found, request.settings.get(DOMAIN)) else {
            let error = Error::new(ErrorKind::NotFound, action());
            return Err(match request.settings.get(DOMAIN) {
                Some(domain) if !listed.is_empty() => {
                    error.because(format!("{DOMAIN} names {domain}, and it has {listed}"))
                }
                _ => error
                    .because(
                        "it has no interface with reliable endpoints (FI_EP_RDM) and remote memory access (FI_RMA)",
                    )
                    .hint(format!("`fi_info -t FI_EP_RDM` lists those that are there; {PROVIDER} chooses one")),
            });
        };
        let device = Device::open(Arc::new(Domain::open(facts, info)?), limit)?;
        Ok(OpenDevices { devices: vec![Arc::new(device)], left_out: Vec::new(), warnings: Vec::new() })
    }
}

/// Chooses the named interface, or the first that has an IPv4 address and is not the loopback, or the first.
fn choose(mut found: Vec<(Facts, Info)>, domain: Option<&str>) -> Option<(Facts, Info)> {
    let index = match domain {
        Some(domain) => found.iter().position(|(facts, _)| facts.domain == domain)?,
        None => {
            let usual = |(facts, _): &(Facts, Info)| facts.address_format == IPV4 && facts.domain != "lo";
            found.iter().position(usual).unwrap_or(0)
        }
    };
    (index < found.len()).then(|| found.swap_remove(index))
}

fn limit(value: Option<&str>) -> Result<Duration> {
    let Some(text) = value else { return Ok(DEFAULT_LIMIT) };
    match text.parse() {
        Ok(seconds @ 1..=3600) => Ok(Duration::from_secs(seconds)),
        _ => Err(Error::new(ErrorKind::InvalidArgument, format!("use {LIMIT} = {text}"))
            .because("it is not a number of seconds from 1 to 3600")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_a_number_of_seconds_in_its_range() {
        assert_eq!(limit(None).unwrap(), DEFAULT_LIMIT);
        assert_eq!(limit(Some("5")).unwrap(), Duration::from_secs(5));
        for wrong in ["0", "3601", "soon", ""] {
            assert!(limit(Some(wrong)).unwrap_err().to_string().contains("1 to 3600"), "{wrong}");
        }
    }
}

//! The provider: chooses the interfaces of libfabric that a PE uses.

use std::sync::Arc;
use std::time::Duration;

use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_core::{AmoOp, AmoType};
use oxshmem_rdma::fabric::{FabricProvider, OpenDevices, OpenRequest, ProviderContext};
use oxshmem_raw::memory::Memory;
use oxshmem_raw::settings::{Settings, Takes, Variable};

use crate::device::{Device, native};
use crate::libfabric::domain::{Atomics, Domain, Facts, Info, interfaces};
use crate::libfabric::library::Library;

/// Names one of libfabric's own providers.
pub(crate) const PROVIDER: Variable = Variable {
    names: &["OXSHMEM_LIBFABRIC_PROVIDER"],
    takes: Takes::Text { form: "a provider as `fi_info` lists it", check: not_empty },
    auto: false,
    default: "tcp",
    help: "Which of libfabric's providers is used: tcp, shm, or another with FI_EP_RDM and FI_RMA.",
};

/// Names an interface.
pub(crate) const DOMAIN: Variable = Variable {
    names: &["OXSHMEM_LIBFABRIC_DOMAIN"],
    takes: Takes::Text { form: "a domain as `fi_info` lists it", check: not_empty },
    auto: true,
    default: "auto",
    help: "Which interface libfabric uses, such as eth0 or lo; auto: the first with an IPv4 address.",
};

/// The longest time of an operation. The default is longer than TCP takes to detect that a host's network is gone, and
/// shorter than the world's own wait limit.
pub(crate) const LIMIT: Variable = Variable {
    names: &["OXSHMEM_LIBFABRIC_LIMIT"],
    takes: Takes::Number { least: 1, most: 3600 },
    auto: false,
    default: "30",
    help: "Seconds after which an incomplete operation of libfabric has failed.",
};

/// Chooses the way of atomics.
pub(crate) const ATOMICS: Variable = Variable {
    names: &["OXSHMEM_LIBFABRIC_ATOMICS"],
    takes: Takes::Words(&[&["native"], &["messages"]]),
    auto: true,
    default: "auto",
    help: "Whether atomics are libfabric's (FI_ATOMIC), or messages that the target executes; auto: libfabric's if the \
           provider has compare-and-swap of 8 bytes.",
};

/// The address format that most hosts have in common: `FI_SOCKADDR_IN`.
const IPV4: u32 = 2;

/// Opens interfaces of libfabric.
#[derive(Debug)]
pub(crate) struct LibFabric {
    provider: String,
    /// `None`: the provider chooses.
    domain: Option<String>,
    /// `None`: libfabric's, if the provider has those that are needed.
    atomics: Option<Atomics>,
    limit: Duration,
}

oxshmem_rdma::register_provider! {
    name: "libfabric",
    variables: &[PROVIDER, DOMAIN, ATOMICS, LIMIT],
    create: create,
}

fn create(context: &ProviderContext<'_>) -> Result<Arc<dyn FabricProvider>> {
    Library::get()?;
    Ok(Arc::new(LibFabric::with(context.settings)))
}

fn not_empty(text: &str) -> std::result::Result<(), String> {
    if text.is_empty() { Err("it is empty".into()) } else { Ok(()) }
}

impl LibFabric {
    pub(crate) fn with(settings: &Settings) -> Self {
        let seconds = settings.number(&LIMIT).expect("the limit is a number");
        Self {
            provider: settings.text(&PROVIDER).into(),
            domain: settings.is_set(&DOMAIN).then(|| settings.text(&DOMAIN).into()),
            atomics: settings.is_set(&ATOMICS).then(|| match settings.text(&ATOMICS) {
                "messages" => Atomics::Messages,
                _ => Atomics::Native,
            }),
            limit: Duration::from_secs(seconds.into()),
        }
    }
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
        let name = self.provider.as_str();
        if let Memory::Gpu(_) = request.memory {
            return Err(Error::new(ErrorKind::Unreachable, use_of(name))
                .because("this crate registers memory of the host alone, and the heap is in a GPU's memory")
                .hint("run on host threads (OXSHMEM_DEVICE=host), or choose another transport"));
        }
        let device = open_by(self.atomics, |atomics| self.device(atomics))?
            .ok_or_else(|| self.no_interface(self.atomics.unwrap_or(Atomics::Messages)))?;
        Ok(OpenDevices { devices: vec![Arc::new(device)], left_out: Vec::new(), warnings: Vec::new() })
    }
}

/// Opens by the chosen way of atomics; without a choice by libfabric's, or by messages if there is none of those.
fn open_by<T>(chosen: Option<Atomics>, mut open: impl FnMut(Atomics) -> Result<Option<T>>) -> Result<Option<T>> {
    match (chosen, open(chosen.unwrap_or(Atomics::Native))?) {
        (None, None) => open(Atomics::Messages),
        (_, opened) => Ok(opened),
    }
}

fn use_of(provider: &str) -> String {
    format!("use libfabric's provider {provider}")
}

impl LibFabric {
    /// Opens the interface, if there is one that has this way of atomics.
    fn device(&self, atomics: Atomics) -> Result<Option<Device>> {
        let found = interfaces(&self.provider, atomics)?;
        let Some((facts, info)) = choose(found, self.domain.as_deref()) else { return Ok(None) };
        let domain = Arc::new(Domain::open(facts, info)?);
        if atomics == Atomics::Native && !native(&domain).has(AmoOp::CompareSwap, AmoType::B64) {
            return Ok(None);
        }
        Device::open(domain, atomics, self.limit).map(Some)
    }

    /// Returns the error of a provider that has no interface with this way of atomics.
    fn no_interface(&self, atomics: Atomics) -> Error {
        let error = Error::new(ErrorKind::NotFound, use_of(&self.provider));
        let found = interfaces(&self.provider, atomics).unwrap_or_default();
        let listed = found.iter().map(|(facts, _)| facts.domain.clone()).collect::<Vec<_>>().join(", ");
        let needed = match atomics {
            Atomics::Native => "compare-and-swap of 8 bytes (FI_ATOMIC)",
            Atomics::Messages => "messages (FI_MSG)",
        };
        match &self.domain {
            Some(domain) if !listed.is_empty() && found.iter().all(|(facts, _)| facts.domain != *domain) => {
                error.because(format!("{} names {domain}, and it has {listed}", DOMAIN.names[0]))
            }
            _ => error
                .because(format!(
                    "it has no interface with reliable endpoints (FI_EP_RDM), memory access (FI_RMA) and {needed}"
                ))
                .hint(format!("`fi_info -t FI_EP_RDM` lists those that are there; {} chooses one", PROVIDER.names[0])),
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn atomics_are_messages_if_that_is_chosen_or_the_provider_has_none_of_its_own() {
        let ways = |chosen, has: &[Atomics]| {
            let mut tried = Vec::new();
            let opened = open_by(chosen, |way| {
                tried.push(way);
                Ok(has.contains(&way).then_some(way))
            });
            (opened.unwrap(), tried)
        };
        let (native, messages) = (Atomics::Native, Atomics::Messages);
        assert_eq!(ways(None, &[native, messages]), (Some(native), vec![native]));
        assert_eq!(ways(None, &[messages]), (Some(messages), vec![native, messages]));
        assert_eq!(ways(None, &[]), (None, vec![native, messages]));
        assert_eq!(ways(Some(native), &[messages]), (None, vec![native]));
        assert_eq!(ways(Some(messages), &[native, messages]), (Some(messages), vec![messages]));
    }

    #[test]
    fn settings_reach_the_provider_and_their_defaults_are_the_documented_ones() {
        let mut settings = Settings::default();
        let usual = LibFabric::with(&settings);
        assert_eq!((&*usual.provider, usual.domain, usual.limit), ("tcp", None, Duration::from_secs(30)));
        assert_eq!(usual.atomics, None);
        for (word, way) in [("auto", None), ("native", Some(Atomics::Native)), ("messages", Some(Atomics::Messages))] {
            settings.set(&ATOMICS, word).unwrap();
            assert_eq!(LibFabric::with(&settings).atomics, way, "{word}");
        }
        settings.set(&PROVIDER, "shm").unwrap();
        settings.set(&DOMAIN, "lo").unwrap();
        settings.set(&LIMIT, "5").unwrap();
        let set = LibFabric::with(&settings);
        assert_eq!((&*set.provider, set.domain.as_deref(), set.limit), ("shm", Some("lo"), Duration::from_secs(5)));
        for wrong in ["0", "3601", "soon", ""] {
            assert!(settings.set(&LIMIT, wrong).is_err(), "{wrong}");
        }
        assert!(settings.set(&PROVIDER, "").is_err());
    }
}

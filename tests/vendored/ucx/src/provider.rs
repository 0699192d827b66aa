//! The provider: opens UCX with the transports and networks that a PE uses.

use std::sync::Arc;
use std::time::Duration;

use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_raw::memory::Memory;
use oxshmem_raw::settings::{Settings, Takes, Variable};
use oxshmem_rdma::fabric::{FabricProvider, OpenDevices, OpenRequest, ProviderContext};

use crate::device::Device;
use crate::ucp::library::Library;

/// Names the transports of UCX.
pub(crate) const TLS: Variable = Variable {
    names: &["OXSHMEM_UCX_TLS"],
    takes: Takes::Text { form: "transports as `ucx_info -d` lists them, with commas", check: not_empty },
    auto: true,
    default: "auto",
    help: "Which transports UCX uses, such as tcp, sm, rc or dc_mlx5; auto: as UCX_TLS says, or all.",
};

/// Names networks.
pub(crate) const NET_DEVICES: Variable = Variable {
    names: &["OXSHMEM_UCX_NET_DEVICES"],
    takes: Takes::Text { form: "devices as `ucx_info -d` lists them, with commas", check: not_empty },
    auto: true,
    default: "auto",
    help: "Which network devices UCX uses, such as eth0 or mlx5_0:1; auto: as UCX_NET_DEVICES says, or all.",
};

/// The longest time of an operation. The default is longer than UCX takes to notice that a peer is gone, and shorter
/// than the world's own wait limit.
pub(crate) const LIMIT: Variable = Variable {
    names: &["OXSHMEM_UCX_LIMIT"],
    takes: Takes::Number { least: 1, most: 3600 },
    auto: false,
    default: "30",
    help: "Seconds after which an incomplete operation of UCX has failed.",
};

/// Opens UCX.
#[derive(Debug)]
pub(crate) struct Ucx {
    /// Settings besides those of UCX's own variables.
    settings: Vec<(&'static str, String)>,
    limit: Duration,
}

oxshmem_rdma::register_provider! {
    name: "ucx",
    variables: &[TLS, NET_DEVICES, LIMIT],
    create: create,
}

fn create(context: &ProviderContext<'_>) -> Result<Arc<dyn FabricProvider>> {
    Library::get()?;
    Ok(Arc::new(Ucx::with(context.settings)))
}

fn not_empty(text: &str) -> std::result::Result<(), String> {
    if text.is_empty() { Err("it is empty".into()) } else { Ok(()) }
}

impl Ucx {
    pub(crate) fn with(settings: &Settings) -> Self {
        let seconds = settings.number(&LIMIT).expect("the limit is a number");
        let set = [("TLS", TLS), ("NET_DEVICES", NET_DEVICES)].into_iter().filter(|(_, of)| settings.is_set(of));
        Self {
            settings: set.map(|(name, of)| (name, settings.text(&of).into())).collect(),
            limit: Duration::from_secs(seconds.into()),
        }
    }
}

impl FabricProvider for Ucx {
    fn name(&self) -> &str {
        "ucx"
    }

    fn describe(&self) -> String {
        match Library::get().map(Library::version) {
            Ok((major, minor, release)) => format!("UCX {major}.{minor}.{release}"),
            Err(error) => error.to_string(),
        }
    }

    fn open(&self, request: &OpenRequest<'_>) -> Result<OpenDevices> {
        if let Memory::Gpu(_) = request.memory {
            return Err(Error::new(ErrorKind::Unreachable, "use UCX")
                .because("this crate registers memory of the host alone, and the heap is in a GPU's memory")
                .hint("run on host threads (OXSHMEM_DEVICE=host), or choose another transport"));
        }
        let settings: Vec<_> = self.settings.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let device = Device::open(&settings, self.limit).map_err(|error| {
            error.hint(format!("`ucx_info -d` lists the transports and devices that {} can name", TLS.names[0]))
        })?;
        Ok(OpenDevices { devices: vec![Arc::new(device)], left_out: Vec::new(), warnings: Vec::new() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_reach_the_provider_and_their_defaults_are_the_documented_ones() {
        let mut settings = Settings::default();
        let usual = Ucx::with(&settings);
        assert_eq!((usual.settings, usual.limit), (vec![], Duration::from_secs(30)));
        settings.set(&TLS, "tcp,sm").unwrap();
        settings.set(&NET_DEVICES, "lo").unwrap();
        settings.set(&LIMIT, "5").unwrap();
        let set = Ucx::with(&settings);
        assert_eq!(set.settings, [("TLS", "tcp,sm".to_string()), ("NET_DEVICES", "lo".to_string())]);
        assert_eq!(set.limit, Duration::from_secs(5));
        for wrong in ["0", "3601", "soon", ""] {
            assert!(settings.set(&LIMIT, wrong).is_err(), "{wrong}");
        }
        assert!(settings.set(&TLS, "").is_err());
    }
}

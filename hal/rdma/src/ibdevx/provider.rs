//! Opens NICs that libmlx5 drives.

use std::sync::Arc;

use oxshmem_core::host::{Error, Result};
use oxshmem_raw::settings::{Takes, Variable};

use super::device::IbdevxDevice;
use super::nic::{OpenNic, usable};
use crate::fabric::{FabricDevice, FabricProvider, OpenDevices, OpenRequest, ProviderContext, ProviderEntry};
use crate::hca::Provider;
use crate::mlx5dv::Libraries;
use crate::wire::{self, Candidates, Choices};

/// The name by which a user chooses this fabric.
pub const NAME: &str = "ibdevx";

/// Advice for a machine on which this fabric is not usable.
const IBRC: &str = "OXSHMEM_REMOTE_TRANSPORT=ibrc posts by verbs, which need neither libmlx5 nor DEVX";

const BLUEFLAME: Variable = Variable {
    names: &["OXSHMEM_IBDEVX_BLUEFLAME"],
    takes: Takes::Flag,
    auto: false,
    default: "1",
    help: "Whether `ibdevx` sends a single entry to the NIC together with its doorbell, where the NIC can.",
};

/// The fabric, as the proxy transport chooses it.
pub const ENTRY: ProviderEntry = ProviderEntry { name: NAME, variables: &[BLUEFLAME], create };

fn create(cx: &ProviderContext<'_>) -> Result<Arc<dyn FabricProvider>> {
    let libraries = Libraries::open().map_err(|error| {
        Error::new(error.kind(), "write the queues of NICs from threads of the host (ibdevx)")
            .because(error.to_string())
            .hint(format!("install libibverbs and libmlx5, or {IBRC}"))
    })?;
    Ok(Arc::new(Ibdevx::new(Arc::new(libraries)).with_blue_flame(cx.settings.flag(&BLUEFLAME).unwrap_or(true))))
}

/// NICs that libmlx5 drives, or those of another [`Provider`].
#[derive(Clone, Debug)]
pub struct Ibdevx {
    nics: Arc<dyn Provider>,
    blue_flame: bool,
}

impl Ibdevx {
    /// Makes a provider of fabrics of these NICs.
    pub fn new(nics: Arc<dyn Provider>) -> Self {
        Self { nics, blue_flame: true }
    }

    /// Sets whether a single entry goes to the NIC together with its doorbell, where the NIC can.
    #[must_use]
    pub fn with_blue_flame(self, blue_flame: bool) -> Self {
        Self { blue_flame, ..self }
    }
}

impl FabricProvider for Ibdevx {
    fn name(&self) -> &str {
        NAME
    }

    fn describe(&self) -> String {
        self.nics.describe()
    }

    fn open(&self, request: &OpenRequest<'_>) -> Result<OpenDevices> {
        let open = |name: &str| self.nics.open(name).and_then(|hca| usable(hca, request.depth));
        let candidates = Candidates { found: self.nics.list()?, from: self.describe(), only_mlx5: true, open: &open };
        // A machine with other NICs needs another fabric. Without any, the error has advice of its own.
        let is_mlx5 = candidates.found.iter().any(|nic| nic.is_mlx5);
        let other_fabric = !is_mlx5 && !candidates.found.is_empty();
        let chosen = wire::choose_for_proxies(request, &candidates);
        let chosen = chosen.map_err(|error| if other_fabric { error.hint(IBRC) } else { error })?;
        let Choices { ports, left_out, missed: warnings } = chosen;
        let device = |choice| {
            let nic = OpenNic::new(request, choice, self.blue_flame)?;
            Ok(Arc::new(IbdevxDevice::new(nic)) as Arc<dyn FabricDevice>)
        };
        Ok(OpenDevices { devices: ports.into_iter().map(device).collect::<Result<_>>()?, left_out, warnings })
    }
}

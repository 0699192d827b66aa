//! Tools that steps use and that are fetched if this system lacks them.

use std::path::Path;
use std::thread;

use anyhow::Result;

use super::{build_systems, capi, nvrtc};
use crate::capi::{Nvcc, fetch_writer};
use crate::mpi::OpenMpi;
use crate::ptx::{Ptxas, Toolchain};
use crate::rdma::Rdma;
use crate::{fabrics, rxe, steps};

/// Fetches a tool.
type Fetch = fn(&Path) -> Result<()>;

/// The tools, in the order in which steps need them.
const TOOLS: [Fetch; 13] = [
    |root| Rdma::find(root).map(drop),
    |root| OpenMpi::find(root).map(drop),
    |root| Ptxas::find(root, None).map(drop),
    |root| Toolchain::find(root, None).map(drop),
    |root| Nvcc::find(root, None).map(drop),
    |root| capi::nvshmem_home(root).map(drop),
    |root| nvrtc::library(root).map(drop),
    fetch_writer,
    |root| capi::with_triton(root, capi::TRITONS[0]).map(drop),
    rxe::fetch,
    |root| fabrics::LIBFABRIC.environment(root).map(drop),
    |root| fabrics::UCX.environment(root).map(drop),
    build_systems::fetch,
];

/// Fetches all tools while steps run, mostly waiting for the network. A step that needs a tool waits for it.
pub(super) fn fetch_in_background(root: &Path) {
    let root = root.to_path_buf();
    thread::spawn(move || {
        steps::while_processors_are_idle();
        for fetch in TOOLS {
            // The step that needs the tool tries again, and reports the reason.
            let _ = fetch(&root);
        }
    });
}

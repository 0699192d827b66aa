//! The requirements of worlds over several nodes: a NIC, its libraries, and access between the NIC and the GPUs.

mod pcie;
mod ports;
mod proxies;
mod reach;
mod system;
#[cfg(test)]
mod tests;

use oxshmem_rdma::hca::Provider;
use oxshmem_rdma::mlx5dv::Libraries;
use oxshmem_rdma::rc::RcProvider;
use oxshmem_rdma::verbs::rc::LibVerbs;

use super::Check;
use crate::called;
use crate::place::Place;
use crate::rdma::Rdma;
use system::{Nic, System};

/// The name of the row with the number of NICs.
pub(super) const NICS: &str = "NICs";
const LIBRARIES: &str = "libibverbs, libmlx5";
const VERBS: &str = "libibverbs alone";

/// Returns all rows. `dma_buf` says whether all GPUs export their memory as DMA buffers; it is `None` if there is no GPU.
pub(super) fn check(place: &Place, dma_buf: Option<bool>) -> Vec<Check> {
    let (libraries, answer) = libraries(place);
    let provider = libraries.as_ref().map(|libraries| libraries as &dyn Provider);
    let mut checks = vec![answer];
    let verbs = verbs(place);
    if let (None, Some(verbs)) = (&libraries, &verbs) {
        checks.push(Check::can(VERBS, format!("{}: proxies need no more", verbs.describe())));
    }
    let proxied = verbs.as_ref().map(|verbs| verbs as &dyn RcProvider);
    checks.extend(of(&System::here(), provider, proxied, dma_buf));
    checks
}

/// Returns libibverbs as proxies use it, which does not need libmlx5.
fn verbs(place: &Place) -> Option<LibVerbs> {
    let unpacked = || match place {
        Place::Checkout(root) => LibVerbs::open_from(Rdma::at_hand(root)?.library_folders()).ok(),
        Place::Packed(_) => None,
    };
    LibVerbs::open().ok().or_else(unpacked)
}

/// Returns every row but that of the libraries. `dma_buf` says whether all GPUs export their memory as DMA buffers; it
/// is `None` if there is no GPU.
fn of(
    system: &System,
    provider: Option<&dyn Provider>,
    proxied: Option<&dyn RcProvider>,
    dma_buf: Option<bool>,
) -> Vec<Check> {
    let nics = system.nics();
    let mut checks = vec![found(system, &nics)];
    for nic in &nics {
        checks.push(of_nic(nic));
        checks.push(file(system, nic));
        if nic.is_mlx5 {
            checks.extend(provider.map(|provider| devx(provider, nic)));
            checks.extend(pcie::check(nic));
        }
        checks.extend(proxied.map(|verbs| proxies::check(verbs, &nic.name)));
        checks.extend(ports::check(nic));
    }
    if !nics.is_empty() {
        checks.extend(reach::check(system, dma_buf, nics.iter().any(|nic| nic.is_mlx5)));
    }
    checks
}

fn libraries(place: &Place) -> (Option<Libraries>, Check) {
    let error = match Libraries::open() {
        Ok(libraries) => {
            let check = Check::can(LIBRARIES, libraries.describe());
            return (Some(libraries), check);
        }
        Err(error) => error,
    };
    let unpacked = match place {
        Place::Checkout(root) => Rdma::at_hand(root),
        Place::Packed(_) => None,
    };
    match unpacked.and_then(|rdma| Libraries::open_from(rdma.library_folders()).ok()) {
        Some(libraries) => {
            let why = format!("not the system's, but {}", libraries.describe());
            let todo = format!("for programs too: install rdma-core, or eval \"$({} rdma)\"", called());
            (Some(libraries), Check::barely(LIBRARIES, why, todo))
        }
        None => (None, Check::refused(LIBRARIES, &error)),
    }
}

fn found(system: &System, nics: &[Nic]) -> Check {
    if !nics.is_empty() {
        return Check::can(NICS, nics.len().to_string());
    }
    let idle = system.mellanox_on_pci();
    match idle.is_empty() {
        true => Check::cannot(
            NICS,
            "no ConnectX on PCI, and none in /sys/class/infiniband",
            "only worlds over several nodes need one; in a virtual machine it must be passed through",
        ),
        false => Check::cannot(
            NICS,
            format!("no driver has {}: /sys/class/infiniband has none", idle.join(", ")),
            "modprobe mlx5_ib ib_uverbs",
        ),
    }
}

fn of_nic(nic: &Nic) -> Check {
    let of = |file: &str| nic.read(file).filter(|text| !text.is_empty());
    let mut parts: Vec<String> = of("hca_type").into_iter().collect();
    parts.extend(of("fw_ver").map(|version| format!("firmware {version}")));
    parts.extend(of("board_id").map(|board| format!("board {board}")));
    parts.extend(nic.pci.clone());
    parts.extend(of("device/numa_node").filter(|node| node != "-1").map(|node| format!("NUMA node {node}")));
    let text = parts.join(", ");
    match nic.is_mlx5 {
        true => Check::can(&nic.name, text),
        false => Check::barely(
            &nic.name,
            format!("{text}; it is no ConnectX, so a GPU can't write its queues, and proxies post for it"),
            "OXSHMEM_REMOTE_TRANSPORT=ibrc; or name the ConnectX to use in OXSHMEM_HCA_LIST, if there is one",
        ),
    }
}

fn file(system: &System, nic: &Nic) -> Check {
    let what = format!("{}: device file", nic.name);
    let Some(uverbs) = nic.uverbs() else {
        return Check::cannot(what, "the kernel has made none", "modprobe ib_uverbs");
    };
    let path = format!("/dev/infiniband/{uverbs}");
    match system.may_read_and_write(&path) {
        Ok(()) => Check::can(what, format!("{path} may be read and written")),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Check::cannot(
            what,
            format!("{path} is not there"),
            "in a container: --device=/dev/infiniband; else check udev",
        ),
        Err(error) => Check::cannot(
            what,
            format!("{path}: {error}"),
            format!("chmod 666 {path}, by a udev rule to stay; or join the file's group"),
        ),
    }
}

fn devx(provider: &dyn Provider, nic: &Nic) -> Check {
    let what = format!("{}: DEVX", nic.name);
    match provider.open(&nic.name) {
        // Opening the NIC queries its capabilities from the firmware.
        Ok(_) => Check::can(what, "commands get to the firmware"),
        Err(error) => Check::refused(what, &error),
    }
}

//! The distance between a NIC and the device on which a PE's kernels run.

use std::path::Path;

use crate::hca::Found;
use oxshmem_raw::memory::Memory;

/// The folder in which Linux lists PCI devices.
const DEVICES: &str = "/sys/bus/pci/devices";

/// The kind of path between a NIC and a GPU, the shortest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Distance {
    /// Through PCI switches alone.
    Switch,
    /// Through one root complex.
    Root,
    /// Between root complexes of one NUMA node.
    Node,
    /// Between NUMA nodes, or unknown.
    Other,
}

impl Distance {
    /// Returns the description for people.
    pub fn text(self) -> &'static str {
        match self {
            Self::Switch => "behind the same PCI switch",
            Self::Root => "at the same PCI root",
            Self::Node => "at the same NUMA node",
            Self::Other => "at another NUMA node, or nobody knows where",
        }
    }
}

/// The location of a device: its path from the PCI root, outermost bridge first, and its NUMA node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PciLocation {
    path: Vec<String>,
    numa: Option<u32>,
}

impl PciLocation {
    /// Finds the device on which the kernels of `memory` run.
    pub fn of_kernels(memory: &Memory) -> Self {
        match memory {
            Memory::Host => Self::default(),
            Memory::Gpu(context) => match context.device().pci_bus_id() {
                Ok(id) => Self::of_device(Path::new(DEVICES), &id),
                Err(_) => Self::default(),
            },
        }
    }

    /// Finds a NIC.
    pub fn of_nic(found: &Found) -> Self {
        let at = match found.pci {
            Some((domain, bus, device, function)) => {
                Self::of_device(Path::new(DEVICES), &format!("{domain:04x}:{bus:02x}:{device:02x}.{function:x}"))
            }
            None => Self::default(),
        };
        Self { numa: found.numa_node.or(at.numa), ..at }
    }

    /// Finds the device with this system name, such as `0000:1b:00.0`.
    fn of_device(devices: &Path, id: &str) -> Self {
        let link = devices.join(id);
        let path = std::fs::canonicalize(&link).map(|path| path_from_root(&path)).unwrap_or_default();
        let numa = std::fs::read_to_string(link.join("numa_node")).ok().and_then(|text| text.trim().parse().ok());
        Self { path, numa }
    }

    /// Returns the distance to `other`.
    pub fn distance(&self, other: &Self) -> Distance {
        // The device and the port that leads to it alone are left out: the bridges that both devices share count.
        let shared = self.path.iter().zip(&other.path).take_while(|(mine, theirs)| mine == theirs).count();
        match shared {
            0 if self.numa.is_some() && self.numa == other.numa => Distance::Node,
            0 => Distance::Other,
            1 => Distance::Root,
            _ => Distance::Switch,
        }
    }
}

/// Returns the PCI parts of a path in sysfs: the root complex, then bridges, then the device.
fn path_from_root(path: &Path) -> Vec<String> {
    let parts = path.iter().map(|part| part.to_string_lossy().into_owned());
    parts.skip_while(|part| !part.starts_with("pci")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(path: &str, numa: u32) -> PciLocation {
        PciLocation { path: path_from_root(Path::new(path)), numa: Some(numa) }
    }

    #[test]
    fn a_nic_behind_the_gpus_switch_is_nearer_than_one_at_its_root_its_node_or_elsewhere() {
        let gpu = at("/sys/devices/pci0000:15/0000:15:01.0/0000:16:00.0/0000:17:00.0", 0);
        let ways = [
            ("/sys/devices/pci0000:15/0000:15:01.0/0000:16:00.0/0000:18:00.0", 0, Distance::Switch),
            ("/sys/devices/pci0000:15/0000:15:01.0/0000:1a:00.0/0000:1b:00.0", 0, Distance::Switch),
            ("/sys/devices/pci0000:15/0000:15:02.0/0000:20:00.0", 0, Distance::Root),
            ("/sys/devices/pci0000:37/0000:37:01.0/0000:38:00.0", 0, Distance::Node),
            ("/sys/devices/pci0000:97/0000:97:01.0/0000:98:00.0", 1, Distance::Other),
        ];
        for (path, numa, distance) in ways {
            assert_eq!(gpu.distance(&at(path, numa)), distance, "{path}");
        }
        assert!(ways.windows(2).all(|pair| pair[0].2 <= pair[1].2));
        assert_eq!(gpu.distance(&PciLocation::default()), Distance::Other);
        assert_eq!(PciLocation::default().distance(&PciLocation::default()), Distance::Other);
    }
}

//! The system's files on a NIC that is not opened: `/sys/class/infiniband`.

use std::fs;
use std::path::{Path, PathBuf};

use crate::hca::GidKind;

/// Returns the system's `/sys`, or the folder that `SYSFS_PATH` names, as for libibverbs.
pub fn root() -> PathBuf {
    std::env::var_os("SYSFS_PATH").filter(|path| !path.is_empty()).map_or_else(|| PathBuf::from("/sys"), PathBuf::from)
}

/// Returns the PCI address of a NIC: domain, bus, device and function. `sys` is [`root`].
pub fn pci(sys: &Path, name: &str) -> Option<(u32, u8, u8, u8)> {
    let device = fs::read_link(class(sys, name).join("device")).ok()?;
    pci_address(device.file_name()?.to_str()?)
}

/// Returns the NUMA node of a NIC, if it has one.
pub fn numa_node(sys: &Path, name: &str) -> Option<u32> {
    // -1 means none.
    fs::read_to_string(class(sys, name).join("device/numa_node")).ok()?.trim().parse().ok()
}

/// Reports whether the NIC was put on top of a network interface: Soft-RoCE alone has this file.
pub fn is_on_interface(sys: &Path, name: &str) -> bool {
    class(sys, name).join("parent").is_file()
}

/// Returns the kind of an entry of a GID table; `None` for an unused entry.
pub fn gid_kind(sys: &Path, name: &str, port: u8, index: u32, ethernet: bool) -> Option<GidKind> {
    let file = class(sys, name).join(format!("ports/{port}/gid_attrs/types/{index}"));
    // Reading the type of an unused entry is refused (EINVAL).
    match (fs::read_to_string(file).ok()?.trim(), ethernet) {
        ("RoCE v2", _) => Some(GidKind::RoceV2),
        (_, true) => Some(GidKind::RoceV1),
        (_, false) => Some(GidKind::InfiniBand),
    }
}

/// Returns the device file of a NIC, such as `/dev/infiniband/uverbs0`.
pub fn device_file(sys: &Path, name: &str) -> Option<PathBuf> {
    let entries = fs::read_dir(class(sys, name).join("device/infiniband_verbs")).ok()?;
    let first = entries.flatten().map(|entry| entry.file_name()).min()?;
    Some(Path::new("/dev/infiniband").join(first))
}

fn class(sys: &Path, name: &str) -> PathBuf {
    sys.join("class/infiniband").join(name)
}

/// Parses a PCI address such as `0000:17:00.1`, which is hexadecimal.
fn pci_address(text: &str) -> Option<(u32, u8, u8, u8)> {
    let (place, function) = text.rsplit_once('.')?;
    let mut parts = place.split(':');
    let domain = u32::from_str_radix(parts.next()?, 16).ok()?;
    let bus = u8::from_str_radix(parts.next()?, 16).ok()?;
    let device = u8::from_str_radix(parts.next()?, 16).ok()?;
    let function = u8::from_str_radix(function, 16).ok()?;
    parts.next().is_none().then_some((domain, bus, device, function))
}

#[cfg(test)]
mod tests {
    use oxshmem_raw::os::private::Scratch;

    use super::*;

    /// Returns a made-up `/sys` with one NIC, in a folder of its own.
    fn made_up() -> Scratch {
        let sys = Scratch::new("sysfs").unwrap();
        let pci = sys.join("devices/pci0000:16/0000:17:00.1");
        let nic = pci.join("infiniband/mlx5_3");
        for folder in
            [nic.join("ports/1/gid_attrs/types"), pci.join("infiniband_verbs/uverbs3"), sys.join("class/infiniband")]
        {
            fs::create_dir_all(folder).unwrap();
        }
        std::os::unix::fs::symlink("../../../0000:17:00.1", nic.join("device")).unwrap();
        std::os::unix::fs::symlink(&nic, sys.join("class/infiniband/mlx5_3")).unwrap();
        fs::write(pci.join("numa_node"), "1\n").unwrap();
        fs::write(nic.join("ports/1/gid_attrs/types/0"), "IB/RoCE v1\n").unwrap();
        fs::write(nic.join("ports/1/gid_attrs/types/1"), "RoCE v2\n").unwrap();
        sys
    }

    #[test]
    fn a_nic_is_found_on_pci_with_its_node_and_its_device_file() {
        let sys = made_up();
        assert_eq!(pci(&sys, "mlx5_3"), Some((0, 0x17, 0, 1)));
        assert_eq!(numa_node(&sys, "mlx5_3"), Some(1));
        assert_eq!(device_file(&sys, "mlx5_3"), Some(PathBuf::from("/dev/infiniband/uverbs3")));
        assert_eq!(pci(&sys, "mlx5_4"), None, "there is no such NIC");
        fs::write(sys.join("devices/pci0000:16/0000:17:00.1/numa_node"), "-1\n").unwrap();
        assert_eq!(numa_node(&sys, "mlx5_3"), None, "-1 is no node");
        assert!(!is_on_interface(&sys, "mlx5_3"));
        fs::write(sys.join("class/infiniband/mlx5_3/parent"), "eth0\n").unwrap();
        assert!(is_on_interface(&sys, "mlx5_3"), "whatever it is called");
    }

    #[test]
    fn the_kind_of_a_gid_depends_on_the_wire() {
        let sys = made_up();
        let kind = |index, ethernet| gid_kind(&sys, "mlx5_3", 1, index, ethernet);
        assert_eq!(kind(0, true), Some(GidKind::RoceV1));
        assert_eq!(kind(0, false), Some(GidKind::InfiniBand));
        assert_eq!(kind(1, true), Some(GidKind::RoceV2));
        assert_eq!(kind(2, true), None, "not in use");
    }

    #[test]
    fn an_address_on_pci_is_hexadecimal() {
        assert_eq!(pci_address("0001:a3:1f.7"), Some((1, 0xa3, 0x1f, 7)));
        for wrong in ["", "virtio0", "0000:17:00", "17:00.0", "0000:17:00:00.0"] {
            assert_eq!(pci_address(wrong), None, "{wrong}");
        }
    }
}

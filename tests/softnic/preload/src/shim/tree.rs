//! The emulated sysfs: the devices, as files in a folder of this process.

use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use oxshmem_raw::os::private::Scratch;
use oxshmem_rdma::hca::{Gid, GidKind, LinkLayer, Port};

use crate::config::{Presence, nics};

/// Location of the devices on PCI: a bus that few machines have.
pub(super) const PCI_BUS: &str = "/sys/devices/pci0000:fe";
/// Start of the links to them.
pub(super) const PCI_LINKS: &str = "/sys/bus/pci/devices/0000:fe:";
/// PCI identifiers: Mellanox, ConnectX-7.
const VENDOR: u32 = 0x15b3;
/// See [`VENDOR`].
pub(crate) const PART: u32 = 0x1021;

/// The purpose of the tree's folder.
const PURPOSE: &str = "softnic-sysfs";

/// The version of its firmware, if the NIC has none of its own.
pub(crate) const FIRMWARE: &str = "28.39.1002";

/// One device.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Device(pub(crate) u32);

impl Device {
    /// Returns its InfiniBand name.
    pub(crate) fn name(self) -> String {
        format!("mlx5_{}", self.0)
    }

    /// Returns its GUID before it is opened; afterwards its first port's is known.
    fn guid(self) -> u64 {
        0x0c42_a103_0000_0001 + u64::from(self.0)
    }

    fn pci(self) -> String {
        format!("0000:fe:{:02x}.0", self.0)
    }
}

/// Creates the tree. Returns its root.
pub(super) fn make(presence: Presence) -> io::Result<PathBuf> {
    Scratch::sweep(PURPOSE);
    // Kept: a process that forks has the tree of its parent, which must not go with the child's.
    let root = Scratch::new(PURPOSE).map_err(io::Error::other)?.keep();
    write(&root.join("etc/libibverbs.d/mlx5.driver"), &format!("driver {}", driver(&root)))?;
    if presence == Presence::Nothing {
        return Ok(root);
    }
    write(&root.join("sys/class/infiniband_verbs/abi_version"), "6")?;
    fs::create_dir_all(root.join("sys/class/infiniband"))?;
    fs::create_dir_all(root.join("dev/infiniband"))?;
    if presence == Presence::DriverOnly {
        return Ok(root);
    }
    for index in 0..nics() {
        device(&root, Device(index))?;
    }
    Ok(root)
}

/// Returns configuration for libibverbs: it loads the libmlx5 beside it, and no other driver, whose complaints would
/// get into a test's output. An unpacked libibverbs searches only Debian's folders for its drivers, and its
/// configuration has no paths with blanks: a link in the tree leads to the library's folder.
fn driver(root: &Path) -> String {
    let beside = loaded_from("/libibverbs.so").and_then(|library| Some(library.parent()?.join("libibverbs")));
    let is_there = |folder: &Path| {
        fs::read_dir(folder).is_ok_and(|entries| {
            entries.flatten().any(|entry| entry.file_name().as_encoded_bytes().starts_with(b"libmlx5-rdmav"))
        })
    };
    match beside {
        Some(folder) if is_there(&folder) => {
            let link = root.join("drivers");
            let folder = symlink(&folder, &link).map_or(folder, |()| link);
            folder.join("libmlx5").display().to_string()
        }
        _ => "mlx5".to_owned(),
    }
}

/// Returns the path of the loaded library whose path contains `part`.
fn loaded_from(part: &str) -> Option<PathBuf> {
    struct Search<'a> {
        part: &'a str,
        found: Option<PathBuf>,
    }
    unsafe extern "C" fn look(info: *mut libc::dl_phdr_info, _bytes: usize, search: *mut libc::c_void) -> libc::c_int {
        // SAFETY: the loader's description of one library is valid during this call.
        let name = unsafe { (*info).dlpi_name };
        // SAFETY: the search is the one that the call below passes, which nothing else uses meanwhile.
        let search = unsafe { &mut *search.cast::<Search<'_>>() };
        if name.is_null() {
            return 0;
        }
        // SAFETY: a name is a C string.
        let name = unsafe { std::ffi::CStr::from_ptr(name) }.to_string_lossy();
        if !name.contains(search.part) {
            return 0;
        }
        search.found = Some(PathBuf::from(name.as_ref()));
        1
    }
    let mut search = Search { part, found: None };
    // SAFETY: the function takes the search by its own type, and does not use it after the call returns.
    unsafe { libc::dl_iterate_phdr(Some(look), (&raw mut search).cast()) };
    search.found
}

fn write(path: &Path, content: &str) -> io::Result<()> {
    if let Some(above) = path.parent() {
        fs::create_dir_all(above)?;
    }
    fs::write(path, format!("{content}\n"))
}

fn link(target: &str, at: &Path) -> io::Result<()> {
    if let Some(above) = at.parent() {
        fs::create_dir_all(above)?;
    }
    symlink(target, at)
}

/// Returns the tree's file for a path of the machine.
fn inside(root: &Path, path: &str) -> PathBuf {
    root.join(path.trim_start_matches('/'))
}

fn guid(value: u64) -> String {
    format!("{:04x}:{:04x}:{:04x}:{:04x}", value >> 48, value >> 32 & 0xffff, value >> 16 & 0xffff, value & 0xffff)
}

fn device(root: &Path, device: Device) -> io::Result<()> {
    let pci = device_folder(root, device);
    let modalias = format!("pci:v{VENDOR:08X}d{PART:08X}sv000015B3sd00000058bc02sc07i00");
    for (name, content) in [
        ("vendor", format!("{VENDOR:#06x}")),
        ("device", format!("{PART:#06x}")),
        ("subsystem_vendor", "0x15b3".into()),
        ("subsystem_device", "0x0058".into()),
        ("class", "0x020700".into()),
        ("revision", "0x00".into()),
        ("modalias", modalias),
        ("numa_node", "0".into()),
        ("local_cpus", "1".into()),
        ("local_cpulist", "0".into()),
        ("max_link_speed", "32.0 GT/s PCIe".into()),
        ("max_link_width", "16".into()),
        ("current_link_speed", "32.0 GT/s PCIe".into()),
        ("current_link_width", "16".into()),
    ] {
        write(&pci.join(name), &content)?;
    }
    let (name, address, number) = (device.name(), device.pci(), device.0);
    link(&format!("../../../devices/pci0000:fe/{address}"), &inside(root, "/sys/bus/pci/devices").join(&address))?;

    let ib = pci.join("infiniband").join(&name);
    for (file, content) in [
        ("node_type", "1: CA"),
        ("node_desc", "oxshmem software ConnectX"),
        ("fw_ver", FIRMWARE),
        ("hca_type", "MT4129"),
        ("hw_rev", "0"),
        ("board_id", "OXS0000000001"),
    ] {
        write(&ib.join(file), content)?;
    }
    link(&format!("../../../{address}"), &ib.join("device"))?;
    link(
        &format!("../../devices/pci0000:fe/{address}/infiniband/{name}"),
        &inside(root, "/sys/class/infiniband").join(&name),
    )?;
    let before_it_is_opened = Port {
        number: 1,
        state: 4,
        link: LinkLayer::InfiniBand,
        lid: 0,
        active_mtu: 5,
        gids: 0,
        pkeys: 1,
        grh_required: false,
    };
    guids(root, device, device.guid())?;
    port(root, device, &before_it_is_opened, &[])?;

    let uverbs = format!("uverbs{number}");
    let verbs = pci.join("infiniband_verbs").join(&uverbs);
    // The number of /dev/null, which is opened in place of the device file: libibverbs compares the two.
    write(&verbs.join("dev"), "1:3")?;
    write(&verbs.join("ibdev"), &name)?;
    write(&verbs.join("abi_version"), "1")?;
    link(&format!("../../../{address}"), &verbs.join("device"))?;
    link(
        &format!("../../devices/pci0000:fe/{address}/infiniband_verbs/{uverbs}"),
        &inside(root, "/sys/class/infiniband_verbs").join(&uverbs),
    )?;
    link("/dev/null", &inside(root, "/dev/infiniband").join(&uverbs))
}

fn device_folder(root: &Path, device: Device) -> PathBuf {
    inside(root, PCI_BUS).join(device.pci())
}

/// Writes a device's GUID.
pub(crate) fn guids(root: &Path, device: Device, value: u64) -> io::Result<()> {
    let ib = device_folder(root, device).join("infiniband").join(device.name());
    write(&ib.join("node_guid"), &guid(value))?;
    write(&ib.join("sys_image_guid"), &guid(value))
}

/// Writes a port's entries in sysfs.
pub(crate) fn port(root: &Path, device: Device, port: &Port, gids: &[Gid]) -> io::Result<()> {
    let at = device_folder(root, device).join("infiniband").join(device.name());
    let at = at.join("ports").join(port.number.to_string());
    let state = match port.state {
        1 => "1: DOWN",
        2 => "2: INIT",
        3 => "3: ARMED",
        _ => "4: ACTIVE",
    };
    let (link, rate) = match port.link {
        LinkLayer::InfiniBand => ("InfiniBand", "400 Gb/sec (4X NDR)"),
        LinkLayer::Ethernet => ("Ethernet", "400 Gb/sec (4X NDR)"),
    };
    for (name, content) in [
        ("state", state.to_owned()),
        ("phys_state", if port.state == 1 { "3: Disabled" } else { "5: LinkUp" }.to_owned()),
        ("link_layer", link.to_owned()),
        ("rate", rate.to_owned()),
        ("lid", format!("{:#x}", port.lid)),
        ("sm_lid", "0x1".to_owned()),
        ("lid_mask_count", "0".to_owned()),
        ("sm_sl", "0".to_owned()),
        ("cap_mask", "0xa651e848".to_owned()),
        ("pkeys/0", "0xffff".to_owned()),
    ] {
        write(&at.join(name), &content)?;
    }
    for gid in gids {
        let words: Vec<String> = gid.raw.chunks(2).map(|two| format!("{:02x}{:02x}", two[0], two[1])).collect();
        write(&at.join("gids").join(gid.index.to_string()), &words.join(":"))?;
        let kind = match gid.kind {
            GidKind::InfiniBand | GidKind::RoceV1 => "IB/RoCE v1",
            GidKind::RoceV2 => "RoCE v2",
        };
        write(&at.join("gid_attrs/types").join(gid.index.to_string()), kind)?;
    }
    Ok(())
}

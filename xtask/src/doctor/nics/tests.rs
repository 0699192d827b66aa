//! The checks, on fake systems.

use std::fs;
use std::os::unix::fs::symlink;
use std::sync::Arc;

use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_raw::os::private::Scratch;
use oxshmem_rdma::hca::{Found, Hca, Provider};
use oxshmem_rdma::rc::{RcDevice, RcProvider};

use super::super::Found as Answer;
use super::system::System;
use super::{Check, NICS, of, pcie};

/// A system with one NIC in a folder of its own, which is removed with it.
struct MadeUp(Scratch);

impl MadeUp {
    fn empty(name: &str) -> Self {
        Self(Scratch::new(&format!("nics-{name}")).unwrap())
    }

    /// A ConnectX-7 on InfiniBand without any defect.
    fn healthy(name: &str) -> Self {
        let system = Self::empty(name);
        let device = "sys/devices/pci0000:16/0000:17:00.0";
        let nic = format!("{device}/infiniband/mlx5_0");
        for (file, text) in [
            ("vendor", "0x15b3"),
            ("class", "0x020700"),
            ("numa_node", "1"),
            ("infiniband_verbs/uverbs0/ibdev", "mlx5_0"),
        ] {
            system.put(&format!("{device}/{file}"), text);
        }
        for (file, text) in [
            ("hca_type", "MT4129"),
            ("fw_ver", "28.39.1002"),
            ("board_id", "MT_0000000838"),
            ("ports/1/state", "4: ACTIVE"),
            ("ports/1/phys_state", "5: LinkUp"),
            ("ports/1/link_layer", "InfiniBand"),
            ("ports/1/rate", "400 Gb/sec (4X NDR)"),
            ("ports/1/lid", "0x1a"),
            ("ports/1/gids/0", "fe80:0000:0000:0000:b83f:d203:0012:3456"),
            ("ports/1/gids/1", "0000:0000:0000:0000:0000:0000:0000:0000"),
            ("ports/1/gid_attrs/types/0", "IB/RoCE v1"),
        ] {
            system.put(&format!("{nic}/{file}"), text);
        }
        fs::write(system.0.join(device).join("config"), pcie::made_up(true, true, 16)).unwrap();
        symlink("../../../0000:17:00.0", system.0.join(&nic).join("device")).unwrap();
        fs::create_dir_all(system.0.join("sys/class/infiniband")).unwrap();
        symlink(system.0.join(&nic), system.0.join("sys/class/infiniband/mlx5_0")).unwrap();
        system.put("dev/infiniband/uverbs0", "");
        system.put("proc/sys/kernel/osrelease", "6.8.0-45-generic");
        system.put("proc/modules", "mlx5_ib 1 0 - Live 0x0\nnvidia_peermem 16384 0 - Live 0x0");
        system.put("proc/driver/nvidia/params", "ResmanDebugLevel: 1\nRegistryDwords: \"PeerMappingOverride=1;\"");
        system
    }

    fn put(&self, file: &str, text: &str) -> &Self {
        let file = self.0.join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, format!("{text}\n")).unwrap();
        self
    }

    fn put_nic(&self, file: &str, text: &str) -> &Self {
        self.put(&format!("sys/class/infiniband/mlx5_0/{file}"), text)
    }

    fn take(&self, path: &str) -> &Self {
        let path = self.0.join(path);
        if path.is_dir() {
            fs::remove_dir_all(path).unwrap()
        } else {
            fs::remove_file(path).unwrap()
        }
        self
    }

    fn checks(&self) -> Vec<Check> {
        of(&System::at(&self.0), Some(&Refusing), Some(&NoVerbs), Some(true))
    }

    /// Returns the finding and the remedy of the row `what`.
    fn said(&self, what: &str) -> (&'static str, String, String) {
        said(&self.checks(), what)
    }
}

impl Drop for MadeUp {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn said(checks: &[Check], what: &str) -> (&'static str, String, String) {
    let check = checks.iter().find(|check| check.what == what);
    match &check.unwrap_or_else(|| panic!("nothing is said of {what}: {checks:#?}")).found {
        Answer::Can(how) => ("yes", how.clone(), String::new()),
        Answer::Barely { why, todo } => ("low", why.clone(), todo.clone()),
        Answer::Cannot { why, todo } => ("no", why.clone(), todo.clone()),
        Answer::Untried(why) => ("-", why.clone(), String::new()),
    }
}

/// Verbs that open nothing.
#[derive(Debug)]
struct NoVerbs;

impl RcProvider for NoVerbs {
    fn describe(&self) -> String {
        "made up".into()
    }

    fn list(&self) -> Result<Vec<Found>> {
        Ok(Vec::new())
    }

    fn open(&self, _: &str) -> Result<Arc<dyn RcDevice>> {
        Err(Error::new(ErrorKind::System, "open the device").because("it is made up").hint("ask a real one"))
    }
}

/// Libraries that open nothing.
#[derive(Debug)]
struct Refusing;

impl Provider for Refusing {
    fn describe(&self) -> String {
        "made up".into()
    }

    fn list(&self) -> Result<Vec<Found>> {
        Ok(Vec::new())
    }

    fn open(&self, name: &str) -> Result<Arc<dyn Hca>> {
        Err(Error::new(ErrorKind::Incompatible, format!("open the NIC {name} with DEVX"))
            .call("mlx5dv_open_device", 95, "Operation not supported")
            .hint("a newer firmware"))
    }
}

#[test]
fn a_healthy_nic_is_described_and_only_what_refuses_is_complained_about() {
    let system = MadeUp::healthy("healthy");
    let checks = system.checks();
    let of = |what: &str| said(&checks, what);
    assert_eq!(of(NICS), ("yes", "1".into(), String::new()));
    let text = "MT4129, firmware 28.39.1002, board MT_0000000838, 0000:17:00.0, NUMA node 1";
    assert_eq!(of("mlx5_0"), ("yes", text.into(), String::new()));
    assert_eq!(of("mlx5_0 port 1").1, "active: InfiniBand, 400 Gb/sec (4X NDR), LID 26");
    assert_eq!(of("mlx5_0 port 1: GIDs").1, "0: fe80::b83f:d203:12:3456 InfiniBand");
    assert_eq!(of("mlx5_0: PCIe").1, "generation 5, 16 lanes");
    let (mark, why, todo) = of("mlx5_0: DEVX");
    assert_eq!((mark, todo.as_str()), ("no", "a newer firmware"));
    assert!(why.contains("mlx5dv_open_device returned 95"), "{why}");
    assert_eq!(of("mlx5_0: proxies"), ("no", "cannot open the device: it is made up".into(), "ask a real one".into()));
    let complaints = checks.iter().filter(|check| !matches!(check.found, Answer::Can(_))).count();
    assert_eq!(complaints, 2, "{checks:#?}");
}

#[test]
fn a_machine_without_a_nic_is_told_from_one_whose_nic_has_no_driver() {
    let system = MadeUp::empty("none");
    let (mark, why, _) = system.said(NICS);
    assert_eq!(mark, "no");
    assert!(why.contains("no ConnectX on PCI"), "{why}");
    assert_eq!(system.checks().len(), 1, "nothing else is asked of a machine without a NIC");
    system.put("sys/bus/pci/devices/0000:17:00.0/vendor", "0x15b3");
    system.put("sys/bus/pci/devices/0000:17:00.0/class", "0x020700");
    let (_, why, todo) = system.said(NICS);
    assert!(why.contains("no driver has 0000:17:00.0") && todo.contains("modprobe mlx5_ib"), "{why}; {todo}");
}

#[test]
fn a_port_that_is_not_active_says_what_is_missing() {
    let system = MadeUp::healthy("port");
    let with = |state: &str, physical: &str, link: &str| {
        system.put_nic("ports/1/state", state).put_nic("ports/1/phys_state", physical);
        system.put_nic("ports/1/link_layer", link).said("mlx5_0 port 1")
    };
    for (state, physical, link, todo) in [
        ("2: INIT", "5: LinkUp", "InfiniBand", "subnet manager"),
        ("1: DOWN", "2: Polling", "InfiniBand", "cable"),
        ("1: DOWN", "3: Disabled", "Ethernet", "ip link set"),
    ] {
        let (mark, why, said) = with(state, physical, link);
        assert!(mark == "no" && said.contains(todo), "{state} {physical}: {why}; {said}");
    }
}

#[test]
fn on_ethernet_a_gid_of_roce_v2_with_an_address_is_asked_for() {
    let system = MadeUp::healthy("gids");
    system.put_nic("ports/1/link_layer", "Ethernet");
    let (mark, why, _) = system.said("mlx5_0 port 1: GIDs");
    assert!(mark == "no" && why.contains("no RoCE v2"), "{why}");
    system.put_nic("ports/1/gids/1", "fe80:0000:0000:0000:b83f:d203:0012:3456");
    system.put_nic("ports/1/gid_attrs/types/1", "RoCE v2");
    let (mark, _, todo) = system.said("mlx5_0 port 1: GIDs");
    assert!(mark == "low" && todo.contains("IP address"), "{todo}");
    system.put_nic("ports/1/gids/3", "0000:0000:0000:0000:0000:ffff:0a00:0005");
    system.put_nic("ports/1/gid_attrs/types/3", "RoCE v2");
    let (mark, text, _) = system.said("mlx5_0 port 1: GIDs");
    assert!(mark == "yes" && text.starts_with("3: 10.0.0.5 RoCE v2; 1: fe80"), "{text}");
}

#[test]
fn a_device_file_that_is_not_there_or_not_made_says_how_to_get_it() {
    let system = MadeUp::healthy("file");
    system.take("dev/infiniband/uverbs0");
    let (mark, why, todo) = system.said("mlx5_0: device file");
    assert!(mark == "no" && why.contains("/dev/infiniband/uverbs0 is not there"), "{why}");
    assert!(todo.contains("--device=/dev/infiniband"), "{todo}");
    system.take("sys/devices/pci0000:16/0000:17:00.0/infiniband_verbs");
    assert_eq!(system.said("mlx5_0: device file").2, "modprobe ib_uverbs");
}

#[test]
fn what_pcie_does_not_do_comes_with_the_command_for_this_nic() {
    let system = MadeUp::healthy("pcie");
    let config = system.0.join("sys/devices/pci0000:16/0000:17:00.0/config");
    fs::write(&config, pcie::made_up(false, false, 8)).unwrap();
    assert!(system.said("mlx5_0: PCIe").1.contains("8 lanes; it could have generation 5, 16 lanes"));
    for what in ["mlx5_0: relaxed ordering", "mlx5_0: PCIe atomics"] {
        let (mark, _, todo) = system.said(what);
        assert!(mark == "low" && todo.contains("setpci -s 0000:17:00.0 CAP_EXP+"), "{what}: {todo}");
    }
    fs::write(&config, &pcie::made_up(true, true, 16)[..64]).unwrap();
    assert!(system.said("mlx5_0: PCIe").1.contains("only root"));
}

#[test]
fn how_the_nic_gets_at_gpu_memory_depends_on_kernel_gpu_and_module() {
    let system = MadeUp::healthy("reach");
    const WHAT: &str = "GPU memory for the NIC";
    let with = |dma_buf: bool| said(&of(&System::at(&system.0), None, None, Some(dma_buf)), WHAT);
    assert_eq!(with(true).1, "as DMA buffers (GPUs have them, Linux 6.8 takes them)");
    assert_eq!(with(false).1, "by nvidia_peermem");
    system.put("proc/sys/kernel/osrelease", "5.15.0-91");
    assert!(with(true).1.contains("for queues by nvidia_peermem"));
    system.put("proc/modules", "mlx5_ib 1 0");
    assert_eq!(with(true).0, "low", "queues stay in host memory");
    system.put("proc/sys/kernel/osrelease", "4.18.0-553.el8");
    assert_eq!((with(true).0, with(false).0), ("no", "no"));
    assert!(with(false).2.contains("modprobe nvidia-peermem"));
    let without_gpu = of(&System::at(&system.0), None, None, None);
    assert!(without_gpu.iter().all(|check| check.what != WHAT), "there is no GPU to ask about");
}

#[test]
fn a_driver_loaded_without_the_override_is_told_how_to_get_it() {
    let system = MadeUp::healthy("override");
    const WHAT: &str = "doorbells for the GPU";
    assert_eq!(system.said(WHAT).0, "yes");
    for other in ["RegistryDwords: \"\"", "RegistryDwords: \"PeerMappingOverride=10;\"", ""] {
        system.put("proc/driver/nvidia/params", other);
        let (mark, _, todo) = system.said(WHAT);
        assert!(mark == "low" && todo.contains("PeerMappingOverride=1"), "{other}: {todo}");
    }
}

#[test]
fn a_nic_that_is_no_connectx_is_asked_for_what_proxies_need_and_not_for_what_a_gpu_does() {
    let system = MadeUp::healthy("other");
    system.put("sys/devices/pci0000:16/0000:17:00.0/vendor", "0x8086");
    let (mark, why, todo) = system.said("mlx5_0");
    assert!(mark == "low" && why.contains("no ConnectX") && todo.contains("OXSHMEM_REMOTE_TRANSPORT=ibrc"), "{why}");
    let checks = system.checks();
    let asks = |what: &str| checks.iter().any(|check| check.what == what);
    assert!(asks("mlx5_0: proxies") && asks("mlx5_0: device file") && asks("GPU memory for the NIC"), "{checks:#?}");
    assert!(!asks("mlx5_0: DEVX") && !asks("doorbells for the GPU"), "{checks:#?}");
    assert!(system.0.is_dir());
}

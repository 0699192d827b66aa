//! Paths that lead to the emulated device.

use std::ffi::{CStr, CString, c_char};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use crate::config::{Presence, nics};
use crate::shim::tree::{self, Device};

/// Folders whose files the tree replaces.
const STAND_INS: [&str; 5] =
    ["/sys/class/infiniband", "/sys/class/infiniband_verbs", tree::PCI_BUS, "/dev/infiniband", "/etc/libibverbs.d"];

/// Start of a device file's path; the device's number follows.
const DEVICE_FILE: &str = "/dev/infiniband/uverbs";

/// Returns the device whose file a path names.
pub(super) fn device(path: *const c_char) -> Option<Device> {
    if path.is_null() {
        return None;
    }
    // SAFETY: the caller gave a path to a function that takes C strings, and it is not null.
    let path = unsafe { CStr::from_ptr(path) }.to_bytes();
    let number = path.strip_prefix(DEVICE_FILE.as_bytes())?;
    let number = std::str::from_utf8(number).ok()?.parse().ok()?;
    (number < nics()).then_some(Device(number))
}

/// A tree, and the process that made it.
struct Made {
    process: u32,
    root: PathBuf,
}

static TREE: Mutex<Option<Made>> = Mutex::new(None);

/// Returns the replacement for `path`, if there is one.
pub(super) fn stand_in(path: *const c_char) -> Option<CString> {
    if path.is_null() {
        return None;
    }
    // SAFETY: the caller gave a path to a function that takes C strings, and it is not null.
    let path = unsafe { CStr::from_ptr(path) }.to_bytes();
    if !STAND_INS.iter().any(|above| lies_below(path, above.as_bytes()))
        && !path.starts_with(tree::PCI_LINKS.as_bytes())
    {
        return None;
    }
    let root = root()?;
    let mut full = root.as_os_str().as_bytes().to_vec();
    full.extend_from_slice(path);
    CString::new(full).ok()
}

/// Returns the machine's path that a path into the tree replaces.
pub(super) fn as_the_machine_has_it(path: &[u8]) -> Option<&[u8]> {
    let made = TREE.lock().ok()?;
    path.strip_prefix(made.as_ref()?.root.as_os_str().as_bytes())
}

fn lies_below(path: &[u8], above: &[u8]) -> bool {
    path.strip_prefix(above).is_some_and(|rest| rest.first().is_none_or(|&next| next == b'/'))
}

/// Returns this process's tree, created on first use.
fn root() -> Option<PathBuf> {
    let mut made = TREE.lock().ok()?;
    let process = std::process::id();
    if let Some(made) = made.as_ref()
        && made.process == process
    {
        return Some(made.root.clone());
    }
    match tree::make(Presence::asked()) {
        Ok(root) => {
            *made = Some(Made { process, root: root.clone() });
            Some(root)
        }
        Err(error) => {
            eprintln!("oxshmem software NIC: cannot make its sysfs: {error}");
            None
        }
    }
}

/// Runs `change` on this process's tree, if it has one.
pub(crate) fn with_tree(change: impl FnOnce(&Path)) {
    let Ok(made) = TREE.lock() else { return };
    if let Some(made) = made.as_ref()
        && made.process == std::process::id()
    {
        change(&made.root);
    }
}

extern "C" fn remove_tree() {
    with_tree(|root| drop(std::fs::remove_dir_all(root)));
}

/// Called by the loader when the process ends normally.
#[used]
#[unsafe(link_section = ".fini_array")]
static REMOVE_TREE: extern "C" fn() = remove_tree;

//! The identity of a PE's host.

use std::os::linux::fs::MetadataExt;

use crate::bootstrap::meeting::uid::random;

/// Returns bytes that are equal on two PEs if they share one kernel and one network namespace, so that each can reach
/// the other's UNIX sockets. If they can't be read, the PE counts as a host of its own.
pub(super) fn host_identity() -> Vec<u8> {
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id");
    let namespace = std::fs::metadata("/proc/self/ns/net");
    match (boot, namespace) {
        (Ok(boot), Ok(namespace)) => {
            format!("{} net {}:{}", boot.trim(), namespace.st_dev(), namespace.st_ino()).into_bytes()
        }
        _ => match random::<16>() {
            Ok(bytes) => bytes.to_vec(),
            Err(_) => std::process::id().to_le_bytes().to_vec(),
        },
    }
}

//! The number of progress threads, and the cores on which they run.
//!
//! Progress threads are kept on the cores of the NIC's NUMA node (if it is unknown, the GPU's) that the process may
//! use. They share the set of cores and are not bound to one each: the system knows best which cores are busy, and
//! other PEs of the host use the same set.

use std::mem::size_of;
use std::path::Path;

use oxshmem_raw::memory::Memory;

/// Cores of the process for each proxy.
const CORES_OF_ONE: usize = 8;
/// Useful proxies of a NIC, at most: four take requests as fast as a GPU writes them.
const MOST_OF_NIC: usize = 4;

/// Returns the default number of proxies: one for eight `cores` of the process, at least one, at most four for each
/// NIC, and at most one for each queue.
pub(in crate::host) fn default_proxies(memory: &Memory, cores: usize, nics: usize, queues: usize) -> u32 {
    // The kernels of a host PE need the cores themselves.
    let wanted = if matches!(memory, Memory::Host) { 1 } else { cores / CORES_OF_ONE };
    wanted.min(MOST_OF_NIC * nics.max(1)).min(queues).max(1) as u32
}

/// Returns the cores that this process may use, in order. Empty if the system does not say.
pub(in crate::host) fn allowed_cores() -> Vec<usize> {
    // SAFETY: `cpu_set_t` is an array of bits, for which zeros are a value.
    let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    // SAFETY: `set` is a local variable of the given size.
    let known = unsafe { libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &mut set) } == 0;
    let count = if known { 8 * size_of::<libc::cpu_set_t>() } else { 0 };
    // SAFETY: `core` is below the number of bits of the set.
    (0..count).filter(|&core| unsafe { libc::CPU_ISSET(core, &set) }).collect()
}

/// Returns the cores that are both `allowed` and `near`, to keep `proxies` threads on. `None`: there is not at least
/// one more core than threads, and the threads stay unbound.
pub(in crate::host) fn chosen_cores(allowed: &[usize], near: &[usize], proxies: u32) -> Option<Vec<usize>> {
    let both: Vec<usize> = near.iter().copied().filter(|core| allowed.contains(core)).collect();
    (both.len() > proxies as usize + 1).then_some(both)
}

/// Returns the cores of the NIC's NUMA node, or else of the GPU's. Empty if neither is known.
pub(in crate::host) fn near_cores(memory: &Memory, of_nic: Option<u32>) -> Vec<usize> {
    let node = |file: &Path| {
        let text = std::fs::read_to_string(file).ok()?;
        // -1: the device is near all.
        text.trim().parse::<u32>().ok()
    };
    let of_gpu = || match memory {
        Memory::Gpu(context) => {
            let bus = context.device().pci_bus_id().ok()?.to_lowercase();
            // The system's name of the domain has 4 digits, the driver's 4 or 8.
            let (domain, rest) = bus.split_once(':')?;
            let domain = &domain[domain.len().saturating_sub(4)..];
            node(Path::new(&format!("/sys/bus/pci/devices/{domain}:{rest}/numa_node")))
        }
        Memory::Host => None,
    };
    let cores = of_nic
        .or_else(of_gpu)
        .and_then(|node| std::fs::read_to_string(format!("/sys/devices/system/node/node{node}/cpulist")).ok());
    cores.map_or_else(Vec::new, |list| parse(&list))
}

/// Parses a list like `0-3,8`. Other parts are left out.
fn parse(list: &str) -> Vec<usize> {
    let part = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        Some(first.parse().ok()?..=last.parse().ok()?)
    };
    list.trim().split(',').filter_map(part).flatten().collect()
}

/// Keeps this thread on `cores`. If the system refuses, the thread is unbound.
pub(in crate::host) fn stay_on(cores: &[usize]) {
    // SAFETY: `cpu_set_t` is an array of bits, for which zeros are a value.
    let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    for &core in cores.iter().filter(|&&core| core < 8 * size_of::<libc::cpu_set_t>()) {
        // SAFETY: `core` is below the number of bits of the set.
        unsafe { libc::CPU_SET(core, &mut set) }
    }
    // SAFETY: `set` is a local variable of the given size.
    let done = unsafe { libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &set) };
    let _ = done;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_pe_has_one_proxy_and_no_pe_more_than_queues() {
        assert_eq!(default_proxies(&Memory::Host, 128, 2, 64), 1);
        assert_eq!(default_proxies(&Memory::Host, 0, 0, 0), 1);
    }

    #[test]
    fn proxies_stay_near_where_one_core_more_than_they_is_near() {
        let allowed: Vec<usize> = (0..8).collect();
        assert_eq!(chosen_cores(&allowed, &[4, 5, 6, 9], 1), Some(vec![4, 5, 6]));
        assert_eq!(chosen_cores(&allowed, &[4, 5, 6, 9], 2), None);
        assert_eq!(chosen_cores(&allowed, &[], 1), None);
        assert_eq!(chosen_cores(&[0, 1], &[0, 1, 2, 3], 1), None);
    }

    #[test]
    fn lists_of_cores_are_read_as_the_system_writes_them() {
        assert_eq!(parse("0-3,8,10-11\n"), [0, 1, 2, 3, 8, 10, 11]);
        assert_eq!(parse("\n"), [] as [usize; 0]);
    }

    #[test]
    fn a_thread_stays_on_the_cores_that_it_was_told() {
        let allowed = allowed_cores();
        let last = *allowed.last().unwrap();
        let seen = std::thread::spawn(move || {
            stay_on(&[last]);
            allowed_cores()
        });
        assert_eq!(seen.join().unwrap(), [last]);
        assert_eq!(allowed_cores(), allowed);
    }
}

//! The requirements of host PEs on the operating system.

use std::ffi::CString;

use super::Check;

/// Host PEs keep their symmetric heaps in shared memory; smaller sizes are soon exhausted.
const SHM_COMFORT: u64 = 1 << 30;
/// A world's sockets and passed descriptors grow with its PEs.
const FILES_COMFORT: u64 = 1024;
/// A NIC registers the memory that it accesses, and registered memory is locked.
const MEMLOCK_COMFORT: u64 = 1 << 30;

pub(super) fn check() -> Vec<Check> {
    vec![cores(), dev_shm(), memfd(), open_files(), memlock()]
}

fn cores() -> Check {
    match std::thread::available_parallelism() {
        Ok(cores) => Check::can("cores", format!("{cores} for this process")),
        Err(error) => Check::cannot("cores", error.to_string(), ""),
    }
}

fn dev_shm() -> Check {
    const WHAT: &str = "shared memory";
    let path = CString::new("/dev/shm").expect("it has no NUL");
    let mut stat = std::mem::MaybeUninit::<libc::statvfs>::zeroed();
    // SAFETY: `path` ends in NUL, and `stat` is writable and of the type that the call fills.
    let answer = unsafe { libc::statvfs(path.as_ptr(), stat.as_mut_ptr()) };
    if answer != 0 {
        let why = format!("/dev/shm: {}", std::io::Error::last_os_error());
        return Check::cannot(WHAT, why, "mount a tmpfs on /dev/shm");
    }
    // SAFETY: zeroed memory is a valid `statvfs`, and the call has filled it.
    let stat = unsafe { stat.assume_init() };
    let (size, free) = (stat.f_blocks * stat.f_frsize, stat.f_bavail * stat.f_frsize);
    let text = format!("/dev/shm has {} free of {}", mib(free), mib(size));
    match free < SHM_COMFORT {
        true => Check::barely(WHAT, text, "mount -o remount,size=4G /dev/shm; in a container: --shm-size=4g"),
        false => Check::can(WHAT, text),
    }
}

fn memfd() -> Check {
    const WHAT: &str = "memory without a name";
    let name = CString::new("oxshmem-doctor").expect("it has no NUL");
    // SAFETY: `name` ends in NUL.
    let fd = unsafe { libc::memfd_create(name.as_ptr(), libc::MFD_CLOEXEC) };
    if fd < 0 {
        let why = format!("memfd_create: {}", std::io::Error::last_os_error());
        return Check::cannot(WHAT, why, "Linux 3.17 or later has it; a seccomp filter may refuse it");
    }
    // SAFETY: `fd` was opened above, and nothing else owns it.
    unsafe { libc::close(fd) };
    Check::can(WHAT, "memfd_create works")
}

fn open_files() -> Check {
    let (now, most) = limit(libc::RLIMIT_NOFILE);
    let text = format!("{} now, {} at most", plain(now), plain(most));
    match now < FILES_COMFORT {
        true => Check::barely("open files", text, "ulimit -n 4096"),
        false => Check::can("open files", text),
    }
}

fn memlock() -> Check {
    let (now, _) = limit(libc::RLIMIT_MEMLOCK);
    if now == libc::RLIM_INFINITY {
        return Check::can("locked memory", "no limit");
    }
    let text = format!("{} at most", mib(now));
    match now < MEMLOCK_COMFORT {
        true => Check::barely(
            "locked memory",
            format!("{text}; only transports over a NIC need more"),
            "ulimit -l unlimited; for good in /etc/security/limits.conf",
        ),
        false => Check::can("locked memory", text),
    }
}

/// Returns the current limit, and the highest that this process may set.
fn limit(which: libc::__rlimit_resource_t) -> (u64, u64) {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: `limit` is writable and of the type that the call fills.
    unsafe { libc::getrlimit(which, &mut limit) };
    (limit.rlim_cur, limit.rlim_max)
}

fn plain(limit: u64) -> String {
    if limit == libc::RLIM_INFINITY { "no limit".to_string() } else { limit.to_string() }
}

fn mib(bytes: u64) -> String {
    format!("{} MiB", bytes >> 20)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_check_of_the_host_gives_an_answer() {
        let checks = check();
        assert_eq!(checks.len(), 5);
        assert!(checks.contains(&Check::can("memory without a name", "memfd_create works")));
    }

    #[test]
    fn a_limit_of_infinity_is_written_as_none() {
        assert_eq!(
            (plain(libc::RLIM_INFINITY), plain(64), mib(64 << 20)),
            ("no limit".into(), "64".into(), "64 MiB".into())
        );
    }
}

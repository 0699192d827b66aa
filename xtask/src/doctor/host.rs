//! The requirements of host PEs on the operating system.

use std::ffi::CString;
use std::fs::OpenOptions;
use std::io::{self, Read};
use std::path::Path;
use std::sync::atomic::Ordering;

use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_raw::os::shm::{HostReservation, SharedWords, ShmChunk};

use super::Check;

/// MPI libraries and NCCL share memory of this file system; smaller sizes are soon exhausted.
const SHM_COMFORT: u64 = 1 << 30;
/// The bytes that a trial writes to shared memory, if there are so many.
const SHM_TRIED: u64 = 64 << 20;
/// A world's sockets and passed descriptors grow with its PEs.
const FILES_COMFORT: u64 = 1024;
/// A NIC registers the memory that it accesses, and registered memory is locked.
const MEMLOCK_COMFORT: u64 = 1 << 30;
/// The memory behind all addresses that a trial locks: the system counts addresses, so that a trial needs no more of it.
const LOCKED_CHUNK: usize = 16 << 20;

pub(super) fn check() -> Vec<Check> {
    vec![cores(), dev_shm(), memfd(), open_files(), memlock()]
}

fn cores() -> Check {
    let cores = std::thread::available_parallelism();
    Check::of("cores", cores.map(|cores| format!("{cores} for this process")), "")
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
    let bytes = free.min(SHM_TRIED);
    shm_row(size, free, bytes, write_file(Path::new("/dev/shm"), bytes))
}

/// Returns the row of `/dev/shm`, which has `free` of `size` bytes, after a trial wrote a file of `bytes`.
fn shm_row(size: u64, free: u64, bytes: u64, written: io::Result<()>) -> Check {
    const WHAT: &str = "shared memory";
    const TODO: &str = "mount -o remount,size=4G /dev/shm; in a container: --shm-size=4g";
    let text = format!("/dev/shm has {} free of {}", mib(free), mib(size));
    match written {
        Err(error) => {
            Check::cannot(WHAT, format!("{text}, and a file of {} can't be written: {error}", mib(bytes)), TODO)
        }
        Ok(()) if free < SHM_COMFORT => {
            Check::barely(WHAT, format!("{text}; MPI and NCCL may need more, this library does not"), TODO)
        }
        Ok(()) => Check::can(WHAT, format!("{text}; a file of {} was written", mib(bytes))),
    }
}

/// Writes a file of so many bytes in a folder, and removes it.
fn write_file(folder: &Path, bytes: u64) -> io::Result<()> {
    let path = folder.join(format!("oxshmem-doctor-{}", std::process::id()));
    let mut file = OpenOptions::new().write(true).create_new(true).open(&path)?;
    // The file lives until it is closed, also if this process is killed.
    std::fs::remove_file(&path)?;
    io::copy(&mut io::repeat(1).take(bytes), &mut file).map(drop)
}

fn memfd() -> Check {
    let shared = share_memory(LOCKED_CHUNK);
    Check::of(
        "memory without a name",
        shared.map(|()| format!("{} was created, sealed and mapped twice", mib(LOCKED_CHUNK as u64))),
        "memfd_create needs Linux 3.17 or later; a seccomp filter or a limit of the cgroup may refuse it",
    )
}

/// Creates memory as a host PE's heap is, and reads through a second mapping what was written through the first.
fn share_memory(bytes: usize) -> Result<()> {
    let chunk = ShmChunk::create(bytes)?;
    let (one, other) = (SharedWords::map(&chunk)?, SharedWords::map(&chunk)?);
    (1..).zip(one.words()).for_each(|(number, word)| word.store(number, Ordering::Relaxed));
    match (1..).zip(other.words()).find(|(number, word)| word.load(Ordering::Relaxed) != *number) {
        None => Ok(()),
        Some((number, _)) => Err(Error::new(ErrorKind::Malformed, format!("share {bytes} bytes of memory"))
            .because(format!("word {number} has another value in the second mapping"))),
    }
}

fn open_files() -> Check {
    let (now, most) = limit(libc::RLIMIT_NOFILE);
    let text = format!("{} now, {} at most", plain(now), plain(most));
    Check::low_unless(now >= FILES_COMFORT, "open files".into(), text.clone(), (text, "ulimit -n 4096".into()))
}

fn memlock() -> Check {
    memlock_row(limit(libc::RLIMIT_MEMLOCK).0, lock(MEMLOCK_COMFORT as usize))
}

/// Returns the row of locked memory after a trial locked the comfortable amount: a process with CAP_IPC_LOCK may lock more
/// than its limit.
fn memlock_row(limit: u64, locked: std::result::Result<(), String>) -> Check {
    const WHAT: &str = "locked memory";
    const TODO: &str = "ulimit -l unlimited; for good in /etc/security/limits.conf";
    let most = if limit == libc::RLIM_INFINITY { "no limit".to_string() } else { format!("{} at most", mib(limit)) };
    match locked {
        Ok(()) => Check::can(WHAT, format!("{most}; {} were locked", mib(MEMLOCK_COMFORT))),
        Err(_) if limit < MEMLOCK_COMFORT => {
            Check::barely(WHAT, format!("{most}; only transports over a NIC need more"), TODO)
        }
        Err(why) => Check::cannot(WHAT, format!("{most}, and yet {} can't be locked: {why}", mib(MEMLOCK_COMFORT)), ""),
    }
}

/// Locks so many bytes of addresses, which share little memory, and releases them.
fn lock(bytes: usize) -> std::result::Result<(), String> {
    let mapped = || -> Result<HostReservation> {
        let chunk = ShmChunk::create(LOCKED_CHUNK)?;
        let mut reservation = HostReservation::reserve(bytes)?;
        for offset in (0..bytes).step_by(LOCKED_CHUNK) {
            reservation.map(offset, &chunk)?;
        }
        Ok(reservation)
    };
    let reservation = mapped().map_err(|error| error.to_string())?;
    // SAFETY: the reservation has memory mapped at all of these addresses. Its end unmaps them, which unlocks them.
    match unsafe { libc::mlock(reservation.base().as_ptr().cast(), bytes) } {
        0 => Ok(()),
        _ => Err(format!("mlock: {}", io::Error::last_os_error())),
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
    use super::super::Found;
    use oxshmem_raw::os::private::Scratch;

    use super::*;

    #[test]
    fn every_check_of_the_host_gives_an_answer() {
        let checks = check();
        assert_eq!(checks.len(), 5);
        assert!(checks.contains(&Check::can("memory without a name", "16 MiB was created, sealed and mapped twice")));
    }

    #[test]
    fn shared_memory_counts_when_a_file_was_written() {
        let row = |free, written| shm_row(4 << 30, free, 64 << 20, written).found;
        assert_eq!(
            row(2 << 30, Ok(())),
            Found::Can("/dev/shm has 2048 MiB free of 4096 MiB; a file of 64 MiB was written".into())
        );
        assert!(matches!(row(64 << 20, Ok(())), Found::Barely { .. }));
        let full = io::Error::from_raw_os_error(libc::ENOSPC);
        let Found::Cannot { why, todo } = row(2 << 30, Err(full)) else { panic!() };
        assert!(why.contains("a file of 64 MiB can't be written: No space left") && todo.contains("shm-size"), "{why}");
    }

    #[test]
    fn a_trial_writes_all_bytes_and_leaves_no_file() {
        let folder = Scratch::new("doctor-test").unwrap();
        write_file(&folder, 5000).unwrap();
        let left = std::fs::read_dir(&folder).unwrap().count();
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(left, 0);
        assert!(write_file(&folder, 1).is_err(), "the folder is gone");
    }

    #[test]
    fn locked_memory_counts_when_it_was_locked() {
        let row = |limit, locked: std::result::Result<(), &str>| memlock_row(limit, locked.map_err(Into::into)).found;
        assert_eq!(row(8 << 20, Ok(())), Found::Can("8 MiB at most; 1024 MiB were locked".into()));
        assert_eq!(row(libc::RLIM_INFINITY, Ok(())), Found::Can("no limit; 1024 MiB were locked".into()));
        let Found::Barely { why, todo } = row(8 << 20, Err("mlock: ENOMEM")) else { panic!() };
        assert!(why.starts_with("8 MiB at most") && todo.contains("ulimit -l"), "{why}");
        let Found::Cannot { why, .. } = row(libc::RLIM_INFINITY, Err("mlock: refused")) else { panic!() };
        assert!(why.contains("no limit, and yet 1024 MiB can't be locked: mlock: refused"), "{why}");
    }

    #[test]
    fn a_limit_of_infinity_is_written_as_none() {
        assert_eq!(
            (plain(libc::RLIM_INFINITY), plain(64), mib(64 << 20)),
            ("no limit".into(), "64".into(), "64 MiB".into())
        );
    }
}

//! The limit of locked memory, for errors of calls that pin memory.

use std::fs;

use oxshmem_core::host::Error;

use super::answer::MEMLOCK;

/// Returns the error of a call that was to pin `bytes` bytes. If the system had no memory for it, the error has the
/// limit.
pub(crate) fn explained(error: Error, bytes: u64) -> Error {
    match error.code() {
        Some(code) if code == i64::from(libc::ENOMEM) => of_limit(error, bytes, limit(), pinned()),
        _ => error,
    }
}

fn of_limit(error: Error, bytes: u64, limit: Option<u64>, pinned: u64) -> Error {
    let Some(limit) = limit else {
        return error
            .because("not for the limit of locked memory: `ulimit -l` is unlimited")
            .hint("the device's tables or this machine's memory are used up; register less, or see dmesg");
    };
    let left = limit.saturating_sub(pinned);
    if bytes <= left {
        return error;
    }
    error
        .because(format!("`ulimit -l` lets this process lock {limit} bytes, of which {pinned} are locked"))
        .amount(bytes, left, "bytes of locked memory")
        .hint(MEMLOCK)
}

/// Returns the bytes that this process may lock; `None`: no limit.
fn limit() -> Option<u64> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: `limit` is a live structure of its type.
    let answered = unsafe { libc::getrlimit(libc::RLIMIT_MEMLOCK, &mut limit) };
    (answered == 0 && limit.rlim_cur != libc::RLIM_INFINITY).then_some(limit.rlim_cur)
}

/// Returns the bytes that drivers have pinned for this process, which count against the limit.
fn pinned() -> u64 {
    fs::read_to_string("/proc/self/status").map_or(0, |status| pinned_of(&status))
}

fn pinned_of(status: &str) -> u64 {
    let line = status.lines().find_map(|line| line.strip_prefix("VmPin:"));
    let kib = line.and_then(|rest| rest.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
    kib.unwrap_or(0) << 10
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verbs::answer;

    fn refused(errno: i32) -> Error {
        answer::error("register 1048576 bytes on rxe0", "ibv_reg_mr_iova2", errno)
    }

    #[test]
    fn too_low_a_limit_of_locked_memory_is_reported_with_both_amounts_and_the_fix() {
        let text = of_limit(refused(libc::ENOMEM), 1 << 20, Some(64 << 10), 4096).to_string();
        for part in [
            "cannot register 1048576 bytes on rxe0",
            "`ulimit -l` lets this process lock 65536 bytes, of which 4096 are locked",
            "1048576 bytes of locked memory asked, 61440 available",
            "(ibv_reg_mr_iova2 returned 12: Cannot allocate memory)",
            "`ulimit -l unlimited`",
            "--ulimit memlock=-1",
        ] {
            assert!(text.contains(part), "{part} in: {text}");
        }
    }

    #[test]
    fn a_sufficient_limit_is_not_blamed() {
        let text = of_limit(refused(libc::ENOMEM), 1 << 20, None, 0).to_string();
        assert!(text.contains("`ulimit -l` is unlimited") && text.contains("tables"), "{text}");
        let fits = of_limit(refused(libc::ENOMEM), 1 << 20, Some(1 << 30), 0);
        assert!(fits.how_much().is_none() && fits.to_string().contains("may be too low"), "{fits}");
        let other = explained(refused(libc::EFAULT), 1 << 20).to_string();
        assert!(other == refused(libc::EFAULT).to_string(), "{other}");
    }

    #[test]
    fn the_locked_bytes_of_this_process_are_those_that_the_system_reports() {
        assert_eq!(pinned_of("VmLck:\t       8 kB\nVmPin:\t      16 kB\nVmHWM:\t 9 kB\n"), 16384);
        assert_eq!(pinned_of("VmLck: 0 kB"), 0);
        let mut now = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: `now` is a live structure of its type.
        unsafe { libc::getrlimit(libc::RLIMIT_MEMLOCK, &mut now) };
        let low = libc::rlimit { rlim_cur: now.rlim_max.min(32 << 10), ..now };
        // SAFETY: `low` is a live structure of its type; no test of this process locks memory.
        assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_MEMLOCK, &low) }, 0);
        assert_eq!(limit(), Some(low.rlim_cur));
        let text = explained(refused(libc::ENOMEM), 1 << 40).to_string();
        assert!(text.contains(&format!("lock {} bytes", low.rlim_cur)), "{text}");
        // SAFETY: `now` is a live structure of its type, with the original limit.
        assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_MEMLOCK, &now) }, 0);
    }
}

//! Stacks, kept from one launch to the next.

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use corosensei::stack::DefaultStack;
use oxshmem_core::{Error, ErrorKind};

/// The environment variable that sets the stack of a GPU thread on the host, in KiB (128 if unset).
///
/// A guard page ends each stack: a GPU thread that needs more dies of SIGSEGV.
pub const STACK_VARIABLE: &str = "OXSHMEM_HOST_STACK_KIB";

/// Enough for a panic that prints its backtrace. Only pages that are touched take memory.
const DEFAULT_KIB: usize = 128;
const SMALLEST_KIB: usize = 16;
const LARGEST_KIB: usize = 64 * 1024;

/// So many stacks are kept when no grid uses them; the others are unmapped.
const MAX_FREE: usize = 8192;

/// What Linux allows where it doesn't say.
const DEFAULT_MAX_MAPPINGS: usize = 65530;

/// The stacks of the process. PEs that are threads share them, so that none hoards what another needs.
struct Pool {
    free: Vec<DefaultStack>,
    mapped: usize,
}

static POOL: Mutex<Pool> = Mutex::new(Pool { free: Vec::new(), mapped: 0 });

fn pool() -> MutexGuard<'static, Pool> {
    POOL.lock().unwrap_or_else(PoisonError::into_inner)
}

/// GPU threads that can be suspended at the same time in this process, at most; the threads of a
/// collective grid all are.
///
/// A stack takes two mappings. A quarter of those that the system allows to a process is left for
/// everything else: an allocator that gets none aborts.
pub fn most_resident_threads() -> usize {
    static MOST: OnceLock<usize> = OnceLock::new();
    *MOST.get_or_init(|| {
        let text = std::fs::read_to_string("/proc/sys/vm/max_map_count").unwrap_or_default();
        let mappings: usize = text.trim().parse().unwrap_or(DEFAULT_MAX_MAPPINGS);
        (mappings / 8).saturating_mul(3).max(1024)
    })
}

/// Bytes of one stack.
///
/// # Errors
///
/// `InvalidArgument` if the variable is set to what is not a number of KiB in range.
fn stack_bytes() -> Result<usize, Error> {
    static BYTES: OnceLock<Result<usize, Error>> = OnceLock::new();
    BYTES
        .get_or_init(|| match std::env::var(STACK_VARIABLE) {
            Err(std::env::VarError::NotPresent) => Ok(DEFAULT_KIB * 1024),
            Err(std::env::VarError::NotUnicode(text)) => parse_kib(&text.to_string_lossy()),
            Ok(text) => parse_kib(&text),
        })
        .clone()
}

pub(super) fn parse_kib(text: &str) -> Result<usize, Error> {
    match text.trim().parse::<usize>() {
        Ok(kib) if (SMALLEST_KIB..=LARGEST_KIB).contains(&kib) => Ok(kib * 1024),
        _ => Err(Error::new(ErrorKind::InvalidArgument, format!("use {STACK_VARIABLE}={text:?}"))
            .because(format!("it is the stack of a GPU thread in KiB, {SMALLEST_KIB} to {LARGEST_KIB}"))),
    }
}

/// A stack from the pool or a new one.
///
/// # Errors
///
/// `Exhausted` if the process has as many as it may, or the system gives no more.
pub(super) fn take() -> Result<DefaultStack, Error> {
    let mut pool = pool();
    if let Some(stack) = pool.free.pop() {
        return Ok(stack);
    }
    let bytes = stack_bytes()?;
    let refused = || {
        Error::new(ErrorKind::Exhausted, format!("map a stack of {} KiB for a GPU thread", bytes / 1024))
            .because("each suspended GPU thread of the process has one")
            .amount(pool.mapped as u64 + 1, most_resident_threads() as u64, "stacks")
            .hint("launch fewer or smaller blocks at a time, or raise vm.max_map_count")
    };
    if pool.mapped >= most_resident_threads() {
        return Err(refused());
    }
    let stack = DefaultStack::new(bytes)
        .map_err(|no| refused().call("mmap", no.raw_os_error().unwrap_or(0).into(), no.to_string()))?;
    pool.mapped += 1;
    Ok(stack)
}

/// Puts stacks back.
pub(super) fn put(stacks: impl Iterator<Item = DefaultStack>) {
    let mut pool = pool();
    for stack in stacks {
        if pool.free.len() < MAX_FREE {
            pool.free.push(stack);
        } else {
            pool.mapped -= 1;
        }
    }
}

//! Stacks of coroutines, kept between launches.

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use corosensei::stack::DefaultStack;
use oxshmem_core::{Error, ErrorKind};

/// Name of the environment variable that sets the stack size of a GPU thread on the host, in KiB (256 if unset).
///
/// A guard page ends each stack: a GPU thread that needs more is killed by SIGSEGV.
pub const STACK_VARIABLE: &str = "OXSHMEM_HOST_STACK_KIB";

/// Enough for a panic that prints its backtrace. Only pages that are touched occupy memory.
const DEFAULT_KIB: usize = 256;
const SMALLEST_KIB: usize = 16;
const LARGEST_KIB: usize = 64 * 1024;

/// Number of stacks kept while no grid uses them; the others are unmapped.
const MAX_FREE: usize = 8192;

/// Linux's default limit of mappings, for systems that don't report theirs.
const DEFAULT_MAX_MAPPINGS: usize = 65530;

/// The stacks of the process. PEs that are threads share them, so that none keeps stacks that another one needs.
struct Pool {
    free: Vec<DefaultStack>,
    mapped: usize,
}

static POOL: Mutex<Pool> = Mutex::new(Pool { free: Vec::new(), mapped: 0 });

fn pool() -> MutexGuard<'static, Pool> {
    POOL.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the largest number of GPU threads that can be suspended at a time in this process. All threads of a
/// collective grid can be.
///
/// A stack takes two mappings. A quarter of the mappings that the system allows to a process is left for other uses,
/// because an allocator that gets no mapping aborts.
pub fn most_resident_threads() -> usize {
    static MOST: OnceLock<usize> = OnceLock::new();
    *MOST.get_or_init(|| {
        let text = std::fs::read_to_string("/proc/sys/vm/max_map_count").unwrap_or_default();
        let mappings: usize = text.trim().parse().unwrap_or(DEFAULT_MAX_MAPPINGS);
        (mappings / 8).saturating_mul(3).max(1024)
    })
}

/// Returns the size of one stack in bytes.
///
/// # Errors
///
/// `InvalidArgument` if the variable is set to anything but a number of KiB in range.
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
            .because(format!("its value is the stack size of a GPU thread in KiB, {SMALLEST_KIB} to {LARGEST_KIB}"))),
    }
}

/// Takes a stack from the pool, or maps a new one.
///
/// # Errors
///
/// `Exhausted` if the process has reached its limit, or the system provides no more memory.
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

/// Returns stacks to the pool.
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

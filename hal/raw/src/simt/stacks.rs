//! Stacks, kept by each OS thread from one launch to the next.

use std::cell::RefCell;
use std::sync::OnceLock;

use corosensei::stack::DefaultStack;
use oxshmem_core::{Error, ErrorKind};

/// The environment variable that sets the stack of a GPU thread on the host, in KiB.
pub const STACK_VARIABLE: &str = "OXSHMEM_HOST_STACK_KIB";

/// Enough for a panic that prints its backtrace. Only pages that are touched take memory.
const DEFAULT_KIB: usize = 128;
const SMALLEST_KIB: usize = 16;
const LARGEST_KIB: usize = 64 * 1024;

/// An OS thread keeps so many stacks after a launch; the others are unmapped.
const KEPT: usize = 8192;

thread_local! {
    static POOL: RefCell<Vec<DefaultStack>> = const { RefCell::new(Vec::new()) };
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

/// A stack from the pool or a new one; `in_use` are held by this grid already.
///
/// # Errors
///
/// `Exhausted` if the system gives no more mappings.
pub(super) fn take(in_use: usize) -> Result<DefaultStack, Error> {
    if let Some(stack) = POOL.with_borrow_mut(Vec::pop) {
        return Ok(stack);
    }
    let bytes = stack_bytes()?;
    DefaultStack::new(bytes).map_err(|refusal| {
        let code = i64::from(refusal.raw_os_error().unwrap_or(0));
        Error::new(ErrorKind::Exhausted, format!("map a stack of {} KiB for a GPU thread", bytes / 1024))
            .because(format!("{in_use} GPU threads of this grid are suspended, each on a stack of its own"))
            .call("mmap", code, refusal.to_string())
            .hint("launch fewer or smaller blocks, or raise vm.max_map_count: a stack takes two mappings")
    })
}

/// Puts a stack back.
pub(super) fn put(stack: DefaultStack) {
    POOL.with_borrow_mut(|pool| {
        if pool.len() < KEPT {
            pool.push(stack);
        }
    });
}

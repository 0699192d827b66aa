//! Kernels made ready for launches beside running ones.
//!
//! Two steps of a launch wait until no kernel of the context runs: the driver loads a kernel at its first launch
//! (unless `CUDA_MODULE_LOADING=EAGER` was set before the driver was initialised), and enlarges the stacks of all
//! threads for a kernel that needs larger ones than any before. But a running kernel may wait for this very launch,
//! directly or through another PE. So both steps are taken earlier: for a module's kernels when it is loaded, and for a
//! kernel when it is looked up.
//!
//! Each step is an attempt: if it fails, the launch repeats it and reports the error.

use std::ptr;
use std::sync::{Mutex, PoisonError};

use cudarc::driver::sys::{CUfunction, CUfunction_attribute, CUlimit, CUmodule};

use super::call_result::code;
use super::context::{Context, Entered};

/// The largest stack of a thread in bytes for which there is room from the moment that a module is loaded. The room is
/// that of all threads that a GPU can hold: 1.1 GB with 132 multiprocessors of 2,048 threads. A kernel that needs more
/// may be one that the program never launches.
const MOST_AT_LOAD: usize = 4096;

/// Held while the limit is read and raised, so that no thread lowers it.
static STACK_LIMIT: Mutex<()> = Mutex::new(());

/// Makes a module's kernels ready, except for stacks of more than 4,096 bytes.
///
/// # Safety
///
/// - **loaded**: the module is loaded in the context.
pub(super) unsafe fn of_module(context: &Context, module: CUmodule) {
    let Ok(current) = context.enter() else { return };
    let (driver, mut count) = (context.driver(), 0);
    // SAFETY: `count` is a valid out pointer; **loaded** by the caller.
    let counted = unsafe { driver.cuModuleGetFunctionCount(&mut count, module) };
    if counted.is_none_or(|result| result.code() != code::SUCCESS) {
        return;
    }
    let mut functions: Vec<CUfunction> = vec![ptr::null_mut(); count as usize];
    // SAFETY: there is room for `count` functions; **loaded** by the caller.
    let listed = unsafe { driver.cuModuleEnumerateFunctions(functions.as_mut_ptr(), count, module) };
    if listed.is_none_or(|result| result.code() != code::SUCCESS) {
        return;
    }
    // SAFETY: the driver has just listed them as the module's.
    let stacks = functions.into_iter().filter_map(|function| unsafe { load(&current, context, function) });
    if let Some(largest) = stacks.filter(|bytes| *bytes <= MOST_AT_LOAD).max() {
        make_room(&current, context, largest);
    }
}

/// Makes a kernel ready.
///
/// # Safety
///
/// - **loaded**: the function's module is loaded in the context.
pub(super) unsafe fn of_function(context: &Context, function: CUfunction) {
    let Ok(current) = context.enter() else { return };
    // SAFETY: **loaded** by the caller.
    if let Some(bytes) = unsafe { load(&current, context, function) } {
        make_room(&current, context, bytes);
    }
}

/// Loads a kernel, and returns the bytes of a thread's stack.
///
/// # Safety
///
/// - **loaded**: the function's module is loaded in the context.
unsafe fn load(_current: &Entered<'_>, context: &Context, function: CUfunction) -> Option<usize> {
    let (driver, mut bytes) = (context.driver(), 0);
    // SAFETY: **loaded** by the caller, and the context is current.
    if let Some(result) = unsafe { driver.cuFuncLoad(function) } {
        result.ignore();
    }
    let attribute = CUfunction_attribute::CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES;
    // SAFETY: `bytes` is a valid out pointer; **loaded** by the caller.
    let asked = unsafe { driver.cuFuncGetAttribute(&mut bytes, attribute, function) };
    (asked.code() == code::SUCCESS).then_some(usize::try_from(bytes).ok()?)
}

/// Raises the context's limit for a thread's stack to `bytes`; to do so it waits until no kernel runs.
fn make_room(_current: &Entered<'_>, context: &Context, bytes: usize) {
    let (driver, mut now) = (context.driver(), 0);
    let _alone = STACK_LIMIT.lock().unwrap_or_else(PoisonError::into_inner);
    // SAFETY: `now` is a valid out pointer, and the context is current.
    let asked = unsafe { driver.cuCtxGetLimit(&mut now, CUlimit::CU_LIMIT_STACK_SIZE) };
    if asked.code() == code::SUCCESS && bytes > now {
        // SAFETY: the context is current, and the driver validates the value.
        unsafe { driver.cuCtxSetLimit(CUlimit::CU_LIMIT_STACK_SIZE, bytes) }.ignore();
    }
}

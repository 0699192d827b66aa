//! Launching a kernel.

use core::ffi::c_void;
use core::ptr;

use cudarc::driver::sys::CUlaunchConfig;
use oxshmem_core::host::{Error, ErrorKind, Result};

use super::call_result::{CallResult, code};
use super::launch_attributes::LaunchAttribute;
use super::module::Function;
use super::stream::Stream;

/// The shape of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchShape {
    /// Blocks in x, y and z.
    pub grid: [u32; 3],
    /// Threads of a block in x, y and z.
    pub block: [u32; 3],
    /// Shared memory of a block in bytes, in addition to the kernel's static shared memory.
    pub dynamic_shared_bytes: u32,
    /// Whether all blocks must be resident at once, so that they can wait for each other.
    pub cooperative: bool,
    /// Whether the kernel may start before the previous kernel of the stream has ended, if that kernel permits it
    /// (`griddepcontrol.launch_dependents`). It is for kernels that wait by themselves; see [`launch`].
    pub early: bool,
}

impl LaunchShape {
    /// Returns a plain launch of `blocks` blocks of `threads` threads, in x.
    pub const fn linear(blocks: u32, threads: u32) -> Self {
        Self { grid: [blocks, 1, 1], block: [threads, 1, 1], dynamic_shared_bytes: 0, cooperative: false, early: false }
    }

    /// Makes all blocks resident at once.
    pub const fn cooperative(mut self) -> Self {
        self.cooperative = true;
        self
    }

    /// Lets it start as soon as the previous kernel permits it.
    pub const fn early(mut self) -> Self {
        self.early = true;
        self
    }

    /// Returns the total number of blocks.
    pub fn blocks(&self) -> u64 {
        product(self.grid)
    }

    /// Returns the total number of threads in a block.
    pub fn threads(&self) -> u64 {
        product(self.block)
    }
}

fn product(of: [u32; 3]) -> u64 {
    of.iter().fold(1, |all, &one| u64::saturating_mul(all, u64::from(one)))
}

/// Launches a kernel on a stream. It runs after the work enqueued on the stream before.
///
/// `arguments` has one pointer for each parameter of the kernel, in order; the values are copied before this returns.
///
/// # Errors
///
/// `InvalidArgument` for an empty grid or block, or a stream of another device; `Exhausted`, with the limit, for too
/// many threads, too much shared memory, or a cooperative grid larger than the number of blocks resident at once. A
/// later call reports errors of the running kernel.
///
/// # Safety
///
/// - **arguments**: there are as many as the kernel has parameters, each pointing to a value of its type.
/// - **kernel**: the kernel's operations on them are sound: every address it uses is mapped for this device until it
///   ends, and its writes race with no other access.
/// - **early**: with [`LaunchShape::early`], the kernel was built for sm_90 or later, and each of its threads executes
///   `griddepcontrol.wait` before it reads or writes memory. A kernel enqueued after it without `early` still starts
///   only when it has ended.
pub unsafe fn launch(
    function: &Function,
    shape: &LaunchShape,
    stream: &Stream,
    arguments: &mut [*mut c_void],
) -> Result<()> {
    // SAFETY: **list**: it is the slice's. **arguments**, **kernel** and **early** by the caller.
    unsafe { launch_list(function, shape, stream, arguments.as_mut_ptr(), &[]) }
}

/// Launches as [`launch`], with a list of arguments whose length the kernel determines. A cooperative launch may have
/// `own` attributes of the program.
///
/// # Errors
///
/// As [`launch`]; `InvalidArgument` as [`LaunchAttribute::merged`].
///
/// # Safety
///
/// - **list**: `list` leads to as many pointers as the kernel has parameters.
/// - **arguments**, **kernel**, **early**: as for [`launch`]; **early** also if `own` has the attribute for it.
/// - **own**: objects that an attribute names, such as events, exist.
pub unsafe fn launch_list(
    function: &Function,
    shape: &LaunchShape,
    stream: &Stream,
    list: *mut *mut c_void,
    own: &[LaunchAttribute],
) -> Result<()> {
    if shape.blocks() == 0 || shape.threads() == 0 {
        return Err(Error::new(ErrorKind::InvalidArgument, action(function, shape))
            .because("a grid and a block have at least 1 in each direction"));
    }
    let (of_function, of_stream) = (function.context().device(), stream.context().device());
    if of_function != of_stream {
        return Err(Error::new(ErrorKind::InvalidArgument, action(function, shape))
            .because(format!("the kernel is loaded on {of_function}, and the stream is one of {of_stream}")));
    }
    let _current = function.context().enter()?;
    let driver = function.context().driver();
    let ([gx, gy, gz], [bx, by, bz]) = (shape.grid, shape.block);
    let shared = shape.dynamic_shared_bytes;
    let mut attributes = match (own, shape.early) {
        ([], false) => Vec::new(),
        ([], true) if shape.cooperative => vec![LaunchAttribute::early(), LaunchAttribute::cooperative()],
        ([], true) => vec![LaunchAttribute::early()],
        (own, _) => LaunchAttribute::merged(own)?,
    };
    let result = if !attributes.is_empty() {
        let config = CUlaunchConfig {
            gridDimX: gx,
            gridDimY: gy,
            gridDimZ: gz,
            blockDimX: bx,
            blockDimY: by,
            blockDimZ: bz,
            sharedMemBytes: shared,
            hStream: stream.raw_stream(),
            // It has the layout of the driver's type.
            attrs: attributes.as_mut_ptr().cast(),
            numAttrs: attributes.len() as u32,
        };
        // SAFETY: function and stream are alive and of one device, and the attribute count is that of the array.
        // **arguments**, **kernel**, **early** and **own** by the caller; null means no extra options.
        unsafe { driver.cuLaunchKernelEx(&config, function.raw, list, ptr::null_mut()) }
    } else if shape.cooperative {
        // SAFETY: function and stream are alive and of one device; **arguments** and **kernel** by the caller.
        unsafe {
            driver.cuLaunchCooperativeKernel(function.raw, gx, gy, gz, bx, by, bz, shared, stream.raw_stream(), list)
        }
    } else {
        let extra = ptr::null_mut();
        // SAFETY: function and stream are alive and of one device; **arguments** and **kernel** by the caller; null
        // means no extra options.
        unsafe { driver.cuLaunchKernel(function.raw, gx, gy, gz, bx, by, bz, shared, stream.raw_stream(), list, extra) }
    };
    if result.code() == code::SUCCESS { Ok(()) } else { Err(explain(function, shape, &result)) }
}

fn action(function: &Function, shape: &LaunchShape) -> String {
    let LaunchShape { grid: [gx, gy, gz], block: [bx, by, bz], cooperative, .. } = shape;
    let how = if *cooperative { "cooperatively launch" } else { "launch" };
    format!("{how} kernel `{}` with {gx}x{gy}x{gz} blocks of {bx}x{by}x{bz} threads", function.name())
}

/// Explains the failure of a launch: the driver's codes don't state which size is too large, so it is compared with the
/// limits.
fn explain(function: &Function, shape: &LaunchShape, result: &CallResult) -> Error {
    let error = result.error(action(function, shape));
    let too_large = [code::INVALID_VALUE, code::LAUNCH_OUT_OF_RESOURCES, code::COOPERATIVE_LAUNCH_TOO_LARGE]
        .contains(&result.code());
    if !too_large {
        return error;
    }
    let Ok(limits) = function.limits() else { return error };
    let over = |asked: u64, limit: u64, unit: &'static str| {
        Error::new(ErrorKind::Exhausted, action(function, shape)).amount(asked, limit, unit)
    };
    if shape.threads() > u64::from(limits.max_threads_per_block) {
        return over(shape.threads(), limits.max_threads_per_block.into(), "threads a block")
            .because(format!("the kernel needs {} registers a thread", limits.registers));
    }
    if shape.dynamic_shared_bytes > limits.max_dynamic_shared_bytes {
        return over(
            shape.dynamic_shared_bytes.into(),
            limits.max_dynamic_shared_bytes.into(),
            "bytes of dynamic shared memory a block",
        )
        .hint("a kernel that needs more says so with `Function::set_max_dynamic_shared`");
    }
    let resident = function.max_resident_blocks(shape.threads() as u32, shape.dynamic_shared_bytes);
    match resident {
        Ok(resident) if shape.cooperative && shape.blocks() > u64::from(resident) => {
            over(shape.blocks(), resident.into(), "blocks")
                .because("all blocks must be resident at once")
                .hint(format!("launch at most {resident} blocks of {} threads", shape.threads()))
        }
        _ => error,
    }
}

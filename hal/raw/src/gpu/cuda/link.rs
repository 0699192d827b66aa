//! PTX with functions, compiled and linked by the driver.

use core::ffi::{CStr, c_void};
use core::ptr;

use cudarc::driver::sys::{CUjit_option, CUjitInputType, CUlinkState};
use oxshmem_core::host::Result;

use super::call_result::CallResult;
use super::context::Context;
use super::image::Image;

/// Number of bytes kept of each of the compiler's logs.
const LOG_BYTES: usize = 8192;

/// The options that give a call of the driver's compiler two buffers for its logs.
pub(super) struct Logs {
    info: Vec<u8>,
    errors: Vec<u8>,
    options: [CUjit_option; 4],
    values: [*mut c_void; 4],
}

impl Logs {
    /// The number of options.
    pub(super) const OPTIONS: u32 = 4;

    pub(super) fn new() -> Self {
        let (mut info, mut errors) = (vec![0u8; LOG_BYTES], vec![0u8; LOG_BYTES]);
        // A number is passed as the pointer value itself; the driver overwrites it with the number that it used. The
        // buffers stay in place when the vectors are moved.
        let values = [
            info.as_mut_ptr().cast(),
            ptr::without_provenance_mut(LOG_BYTES),
            errors.as_mut_ptr().cast(),
            ptr::without_provenance_mut(LOG_BYTES),
        ];
        let options = [
            CUjit_option::CU_JIT_INFO_LOG_BUFFER,
            CUjit_option::CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
            CUjit_option::CU_JIT_ERROR_LOG_BUFFER,
            CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
        ];
        Self { info, errors, options, values }
    }

    /// Returns the options and their values.
    pub(super) fn as_options(&mut self) -> (*mut CUjit_option, *mut *mut c_void) {
        (self.options.as_mut_ptr(), self.values.as_mut_ptr())
    }

    /// Returns the log of a successful call; usually empty.
    pub(super) fn info(&self) -> String {
        text(&self.info)
    }

    /// Converts the result of a call to one with the compiler's logs.
    pub(super) fn explain(&self, result: CallResult, action: impl FnOnce() -> String) -> Result<()> {
        result.or_cannot(action).map_err(|error| {
            let logs = [text(&self.errors), self.info()];
            let log = logs.into_iter().filter(|log| !log.is_empty()).collect::<Vec<_>>().join("\n");
            if log.is_empty() { error } else { error.because(format!("the PTX compiler says:\n{log}\n")) }
        })
    }
}

fn text(buffer: &[u8]) -> String {
    CStr::from_bytes_until_nul(buffer)
        .map_or_else(|_| String::from_utf8_lossy(buffer), |text| text.to_string_lossy())
        .trim_end()
        .to_string()
}

/// Machine code that the driver has linked.
pub(super) struct Linked<'c> {
    context: &'c Context,
    state: CUlinkState,
    code: *const c_void,
    /// The driver writes to them until the state is destroyed.
    logs: Logs,
}

impl<'c> Linked<'c> {
    /// Compiles and links PTX. A load of the same PTX would compile each function once more for every kernel that
    /// reaches it, or into that kernel, and take four to five times as long; and kernels would need more registers and
    /// stack. Either result is in the driver's cache for later programs.
    pub(super) fn of(context: &'c Context, ptx: &Image, action: impl Fn() -> String) -> Result<Self> {
        let (driver, mut logs) = (context.driver(), Logs::new());
        let (options, values) = logs.as_options();
        let mut state = ptr::null_mut();
        // SAFETY: `state` is a valid out pointer. There are four options with their four values, whose buffers are in
        // the result.
        unsafe { driver.cuLinkCreate_v2(Logs::OPTIONS, options, values, &mut state) }.or_cannot(&action)?;
        let mut linked = Self { context, state, code: ptr::null(), logs };
        let (mut code, mut bytes) = (ptr::null_mut(), 0);
        let kind = CUjitInputType::CU_JIT_INPUT_PTX;
        // SAFETY: the state exists; the image is text that ends in a NUL, which the size includes; there are no options.
        let added = unsafe {
            let (at, bytes) = (ptx.as_ptr().cast_mut().cast(), ptx.text_bytes() + 1);
            driver.cuLinkAddData_v2(state, kind, at, bytes, c"module".as_ptr(), 0, ptr::null_mut(), ptr::null_mut())
        };
        linked.logs.explain(added, &action)?;
        // SAFETY: the state exists, and both out pointers are valid.
        let completed = unsafe { driver.cuLinkComplete(state, &mut code, &mut bytes) };
        linked.logs.explain(completed, &action)?;
        linked.code = code;
        Ok(linked)
    }

    /// Returns the address of the machine code, which lives as long as this value.
    pub(super) fn code(&self) -> *const c_void {
        self.code
    }
}

impl Drop for Linked<'_> {
    fn drop(&mut self) {
        // SAFETY: this value alone has the state, and its code is no longer used.
        unsafe { self.context.driver().cuLinkDestroy(self.state) }.ignore();
    }
}

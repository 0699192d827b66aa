//! The driver's result codes, as errors.

use core::ffi::{CStr, c_char, c_uint};
use core::ptr;

use oxshmem_core::host::{Error, ErrorKind, Result};

/// The codes that this module distinguishes. Source: `cuda.h`, `CUresult`.
pub(super) mod code {
    pub(crate) const SUCCESS: u32 = 0;
    pub(crate) const INVALID_VALUE: u32 = 1;
    pub(crate) const OUT_OF_MEMORY: u32 = 2;
    pub(crate) const NOT_INITIALIZED: u32 = 3;
    pub(crate) const STUB_LIBRARY: u32 = 34;
    pub(crate) const NO_DEVICE: u32 = 100;
    pub(crate) const INVALID_DEVICE: u32 = 101;
    pub(crate) const INVALID_IMAGE: u32 = 200;
    pub(crate) const NO_BINARY_FOR_GPU: u32 = 209;
    pub(crate) const ECC_UNCORRECTABLE: u32 = 214;
    pub(crate) const PEER_ACCESS_UNSUPPORTED: u32 = 217;
    pub(crate) const INVALID_PTX: u32 = 218;
    pub(crate) const UNSUPPORTED_PTX_VERSION: u32 = 222;
    pub(crate) const NOT_FOUND: u32 = 500;
    pub(crate) const NOT_READY: u32 = 600;
    pub(crate) const ILLEGAL_ADDRESS: u32 = 700;
    pub(crate) const LAUNCH_OUT_OF_RESOURCES: u32 = 701;
    pub(crate) const LAUNCH_TIMEOUT: u32 = 702;
    pub(crate) const PEER_ACCESS_ALREADY_ENABLED: u32 = 704;
    pub(crate) const ASSERT: u32 = 710;
    pub(crate) const HARDWARE_STACK_ERROR: u32 = 714;
    pub(crate) const LAUNCH_FAILED: u32 = 719;
    pub(crate) const COOPERATIVE_LAUNCH_TOO_LARGE: u32 = 720;
    pub(crate) const NOT_PERMITTED: u32 = 800;
    pub(crate) const NOT_SUPPORTED: u32 = 801;
    pub(crate) const SYSTEM_NOT_READY: u32 = 802;
    pub(crate) const SYSTEM_DRIVER_MISMATCH: u32 = 803;
    pub(crate) const CAPTURE_UNSUPPORTED: u32 = 900;
    pub(crate) const CAPTURE_WRONG_THREAD: u32 = 908;
    pub(crate) const GRAPH_UPDATE_FAILURE: u32 = 910;
    pub(crate) const UNKNOWN: u32 = 999;
}

/// A driver function that writes the address of a text about a code, `cuGetErrorName` or `cuGetErrorString`.
type TextOfCode = unsafe extern "C" fn(c_uint, *mut *const c_char) -> c_uint;

/// The driver's functions that describe its codes.
#[derive(Clone, Copy)]
pub(super) struct CodeTexts {
    /// `cuGetErrorName`.
    pub(super) name: TextOfCode,
    /// `cuGetErrorString`.
    pub(super) words: TextOfCode,
}

/// The result of one driver call.
#[must_use]
pub(super) struct CallResult {
    texts: CodeTexts,
    call: &'static str,
    code: u32,
}

impl CallResult {
    pub(super) const fn new(texts: CodeTexts, call: &'static str, code: u32) -> Self {
        Self { texts, call, code }
    }

    /// Returns the code as a number.
    pub(super) const fn code(&self) -> u32 {
        self.code
    }

    /// Returns success, or the error "cannot `action`".
    pub(super) fn or_cannot(self, action: impl FnOnce() -> String) -> Result<()> {
        if self.code == code::SUCCESS { Ok(()) } else { Err(self.error(action())) }
    }

    /// Returns whether the queried work is done.
    pub(super) fn ready(self, action: impl FnOnce() -> String) -> Result<bool> {
        match self.code {
            code::NOT_READY => Ok(false),
            _ => self.or_cannot(action).map(|()| true),
        }
    }

    /// Ignores the result. It is for `Drop`, which can't report it: the object is gone in any case, and a failed
    /// context reports its error at the next call. It is also for attempts that a later call repeats.
    pub(super) fn ignore(self) {}

    /// Builds the error "cannot `action`" from a result that is not success.
    pub(super) fn error(&self, action: impl Into<String>) -> Error {
        let error = Error::new(kind(self.code), action).call(self.call, i64::from(self.code), self.text());
        match hint(self.code) {
            Some(hint) => error.hint(hint),
            None => error,
        }
    }

    fn text(&self) -> String {
        let mut name = ptr::null();
        // SAFETY: `name` is a valid out pointer, and the driver, which stays loaded, accepts any code.
        let named = unsafe { (self.texts.name)(self.code, &mut name) };
        let mut words = ptr::null();
        // SAFETY: `words` is a valid out pointer, and the driver, which stays loaded, accepts any code.
        let worded = unsafe { (self.texts.words)(self.code, &mut words) };
        match (owned(named, name), owned(worded, words)) {
            (Some(name), Some(words)) => format!("{name}, {words}"),
            (Some(text), None) | (None, Some(text)) => text,
            (None, None) => "a code that this driver has no name for".into(),
        }
    }
}

fn owned(result: u32, text: *const c_char) -> Option<String> {
    if result != code::SUCCESS || text.is_null() {
        return None;
    }
    // SAFETY: after success the text is a C string of the driver, which stays loaded.
    let text = unsafe { CStr::from_ptr(text) };
    Some(text.to_string_lossy().into_owned())
}

const fn kind(result: u32) -> ErrorKind {
    match result {
        // A call that a capture does not allow is a mistake of the program, and the device goes on.
        code::INVALID_VALUE | code::CAPTURE_UNSUPPORTED..=code::CAPTURE_WRONG_THREAD | code::GRAPH_UPDATE_FAILURE => {
            ErrorKind::InvalidArgument
        }
        code::OUT_OF_MEMORY | code::LAUNCH_OUT_OF_RESOURCES | code::COOPERATIVE_LAUNCH_TOO_LARGE => {
            ErrorKind::Exhausted
        }
        code::NO_DEVICE | code::NOT_FOUND => ErrorKind::NotFound,
        code::INVALID_DEVICE => ErrorKind::OutOfRange,
        code::INVALID_IMAGE | code::INVALID_PTX => ErrorKind::Malformed,
        code::STUB_LIBRARY
        | code::NO_BINARY_FOR_GPU
        | code::UNSUPPORTED_PTX_VERSION
        | code::NOT_SUPPORTED
        | code::SYSTEM_DRIVER_MISMATCH => ErrorKind::Incompatible,
        code::PEER_ACCESS_UNSUPPORTED => ErrorKind::Unreachable,
        code::NOT_PERMITTED => ErrorKind::Refused,
        _ => ErrorKind::System,
    }
}

const fn hint(result: u32) -> Option<&'static str> {
    Some(match result {
        code::NOT_INITIALIZED => {
            "a process that forked after it used CUDA can't go on using it in the child: start the child with exec"
        }
        code::STUB_LIBRARY => "the library found is the toolkit's stub: take its folder out of LD_LIBRARY_PATH",
        code::NO_DEVICE => "no GPU is visible: check `nvidia-smi` and CUDA_VISIBLE_DEVICES",
        code::NO_BINARY_FOR_GPU => "the module was built for another GPU architecture: build it for this one",
        code::UNSUPPORTED_PTX_VERSION => "the PTX is newer than the driver: update the driver, or build older PTX",
        code::ECC_UNCORRECTABLE => "the GPU's memory has an uncorrectable error: reset or replace the GPU",
        code::ILLEGAL_ADDRESS | code::ASSERT | code::HARDWARE_STACK_ERROR | code::LAUNCH_FAILED => {
            "a kernel that ran earlier may be the cause; the context can't be used any more, so restart the process \
             (compute-sanitizer finds the place)"
        }
        code::LAUNCH_TIMEOUT => "this GPU also drives a display, which limits how long a kernel may run",
        code::SYSTEM_NOT_READY => "the NVSwitch fabric is not up: check that nvidia-fabricmanager runs",
        code::SYSTEM_DRIVER_MISMATCH => "the driver's library and its kernel module differ: reboot, or reload it",
        code::CAPTURE_UNSUPPORTED..=code::CAPTURE_WRONG_THREAD => {
            "a stream is being captured into a graph: until the capture ends, synchronize with nothing that it captures, \
             and with no whole device"
        }
        code::UNKNOWN => "check that the nvidia kernel modules are loaded and /dev/nvidia* can be opened",
        _ => return None,
    })
}

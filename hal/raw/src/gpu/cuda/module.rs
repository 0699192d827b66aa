//! Modules of kernels, from PTX or from a binary.

use core::ffi::{c_int, c_void};
use core::{fmt, ptr};
use std::ffi::CString;
use std::hash::{DefaultHasher, Hasher};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use cudarc::driver::sys::{CUfunction, CUfunction_attribute, CUlaunchConfig, CUlibrary, CUmodule};
use oxshmem_core::host::{Error, ErrorKind, Result};

use super::call_result::code;
use super::context::Context;
use super::image::Image;
use super::launch_attributes::LaunchAttribute;
use super::link::{Linked, Logs};
use super::readiness;

/// Kernels and global variables, loaded into a context. A [`Function`] keeps its module loaded.
#[derive(Clone)]
pub struct Module(Arc<Loaded>);

pub(super) struct Loaded {
    pub(super) context: Context,
    raw: CUmodule,
    owned: bool,
    log: String,
}

// SAFETY: the pointer only names the module, and the driver's functions accept it from any thread.
unsafe impl Send for Loaded {}
// SAFETY: as for `Send`; besides, no field changes after construction.
unsafe impl Sync for Loaded {}

impl Drop for Loaded {
    fn drop(&mut self) {
        if !self.owned {
            return;
        }
        let _current = self.context.enter();
        // SAFETY: this value alone owns the module, and every function of it holds a reference, so none is left.
        unsafe { self.context.driver().cuModuleUnload(self.raw) }.ignore();
    }
}

/// The modules that this process has loaded.
static LOADED: Mutex<Vec<(Key, Weak<Loaded>)>> = Mutex::new(Vec::new());

/// A context and the image of a module.
#[derive(PartialEq, Eq)]
struct Key {
    context: usize,
    bytes: usize,
    hashes: [u64; 2],
}

impl Key {
    fn of(context: &Context, image: &[u8]) -> Self {
        let hashes = [0, 1].map(|seed: u8| {
            let mut hasher = DefaultHasher::new();
            hasher.write_u8(seed);
            hasher.write(image);
            hasher.finish()
        });
        Self { context: context.raw().addr(), bytes: image.len(), hashes }
    }
}

impl Module {
    /// Loads PTX text (which the driver compiles for this device), a cubin or a fatbin, so that the launch of its
    /// kernels waits for no kernel that runs. This call may wait until no kernel of the context runs.
    ///
    /// An image that is loaded in the context already is not loaded again: both values are the same module, with the
    /// same global variables. Of several PEs of one process, therefore, only the first one waits, and none waits for a
    /// kernel that waits for that PE.
    ///
    /// # Errors
    ///
    /// `Malformed` if it is none of these, is truncated, or doesn't compile; the text includes the compiler's log.
    /// `Incompatible` if it is for other devices or for a newer driver.
    pub fn load(context: &Context, image: &[u8]) -> Result<Self> {
        let key = Key::of(context, image);
        // Held until it is loaded, so that a second thread does not load it as well.
        let mut all = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|(_, loaded)| loaded.strong_count() > 0);
        if let Some(loaded) = all.iter().find(|(of, _)| *of == key).and_then(|(_, loaded)| loaded.upgrade()) {
            return Ok(Self(loaded));
        }
        let loaded = Arc::new(Self::load_anew(context, image)?);
        all.push((key, Arc::downgrade(&loaded)));
        Ok(Self(loaded))
    }

    fn load_anew(context: &Context, image: &[u8]) -> Result<Loaded> {
        let loadable = Image::new(image)?;
        let _current = context.enter()?;
        let action = || format!("load a module of {} bytes on {}", image.len(), context.device());
        let linked = loadable.has_functions().then(|| Linked::of(context, &loadable, action)).transpose()?;
        let code = linked.as_ref().map_or(loadable.as_ptr().cast(), Linked::code);
        let (mut logs, mut raw) = (Logs::new(), ptr::null_mut());
        let (options, values) = logs.as_options();
        // SAFETY: `raw` is a valid out pointer. The image is complete and ends in a NUL, or is the driver's own machine
        // code. There are four options with their four values, whose buffers outlive the call.
        let result = unsafe { context.driver().cuModuleLoadDataEx(&mut raw, code, Logs::OPTIONS, options, values) };
        logs.explain(result, action)?;
        // SAFETY: **loaded** just now.
        unsafe { readiness::of_module(context, raw) };
        Ok(Loaded { context: context.clone(), raw, owned: true, log: logs.info() })
    }

    /// Wraps a module that the program loaded and unloads itself.
    ///
    /// # Safety
    ///
    /// - **module**: `raw` is a `CUmodule` of this context that stays loaded while the result, a function of it or a
    ///   graph with such a function exists.
    pub unsafe fn from_raw(context: &Context, raw: *mut c_void) -> Self {
        Self(Arc::new(Loaded { context: context.clone(), raw: raw.cast(), owned: false, log: String::new() }))
    }

    /// Returns the compiler's log of a successful load; usually empty.
    pub fn log(&self) -> &str {
        &self.0.log
    }

    /// Returns the context that it is loaded into.
    pub fn context(&self) -> &Context {
        &self.0.context
    }

    /// Returns the kernel of this name. If its stack needs more room than there is, this call waits until no kernel of
    /// the context runs; the launch then does not.
    ///
    /// # Errors
    ///
    /// `NotFound` if there is none.
    pub fn function(&self, name: &str) -> Result<Function> {
        let action = || format!("find the kernel `{name}` in a module on {}", self.0.context.device());
        let text = c_name(name, action)?;
        let _current = self.0.context.enter()?;
        let mut raw = ptr::null_mut();
        // SAFETY: `raw` is a valid out pointer, the module is loaded, and the name is a C string.
        let result = unsafe { self.0.context.driver().cuModuleGetFunction(&mut raw, self.0.raw, text.as_ptr()) };
        result.or_cannot(action)?;
        // SAFETY: **loaded**: `self` keeps the module loaded.
        unsafe { readiness::of_function(&self.0.context, raw) };
        Ok(Function { module: self.0.clone(), raw, name: name.into() })
    }

    /// Returns address and size in bytes of the global variable of this name, if there is one.
    pub fn global(&self, name: &str) -> Result<Option<(u64, usize)>> {
        let action = || format!("find the global `{name}` in a module on {}", self.0.context.device());
        let text = c_name(name, action)?;
        let _current = self.0.context.enter()?;
        let (mut at, mut bytes) = (0, 0);
        // SAFETY: both are valid out pointers, the module is loaded, and the name is a C string.
        let result =
            unsafe { self.0.context.driver().cuModuleGetGlobal_v2(&mut at, &mut bytes, self.0.raw, text.as_ptr()) };
        if result.code() == code::NOT_FOUND {
            return Ok(None);
        }
        result.or_cannot(action)?;
        Ok(Some((at, bytes)))
    }
}

/// A library of kernels that the program loaded and unloads itself. It is loaded into each context at its first use
/// there.
#[derive(Debug)]
pub struct Library {
    context: Context,
    raw: CUlibrary,
}

impl Library {
    /// Wraps the program's library.
    ///
    /// # Safety
    ///
    /// - **library**: `raw` is a `CUlibrary` that stays loaded while the result exists.
    pub unsafe fn from_raw(context: &Context, raw: *mut c_void) -> Self {
        Self { context: context.clone(), raw: raw.cast() }
    }

    /// Returns address, in this context, and size in bytes of the global variable of this name, if there is one.
    ///
    /// # Errors
    ///
    /// `Incompatible` if the driver has no libraries (before CUDA 12.0).
    pub fn global(&self, name: &str) -> Result<Option<(u64, usize)>> {
        let action = || format!("find the global `{name}` in a library on {}", self.context.device());
        let text = c_name(name, action)?;
        let _current = self.context.enter()?;
        let (mut at, mut bytes) = (0, 0);
        // SAFETY: both are valid out pointers, the library is loaded, and the name is a C string.
        match unsafe { self.context.driver().cuLibraryGetGlobal(&mut at, &mut bytes, self.raw, text.as_ptr()) } {
            None => {
                Err(Error::new(ErrorKind::Incompatible, action()).because("the driver has no libraries of kernels"))
            }
            Some(result) if result.code() == code::NOT_FOUND => Ok(None),
            Some(result) => result.or_cannot(action).map(|()| Some((at, bytes))),
        }
    }
}

impl fmt::Debug for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Module").field(&self.0.context).finish()
    }
}

fn c_name(name: &str, action: impl FnOnce() -> String) -> Result<CString> {
    CString::new(name)
        .map_err(|_| Error::new(ErrorKind::NotFound, action().replace('\0', "\\0")).because("no name has a NUL in it"))
}

/// A kernel of a [`Module`].
#[derive(Clone)]
pub struct Function {
    pub(super) module: Arc<Loaded>,
    pub(super) raw: CUfunction,
    name: String,
}

// SAFETY: the pointer only names the function, and the driver's functions accept it from any thread.
unsafe impl Send for Function {}
// SAFETY: as for `Send`; besides, no field changes after construction.
unsafe impl Sync for Function {}

/// A kernel's resources and limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FunctionLimits {
    /// Registers per thread.
    pub registers: u32,
    /// Largest number of threads in a block, given its registers.
    pub max_threads_per_block: u32,
    /// Local memory per thread in bytes: spills and arrays.
    pub local_bytes: u32,
    /// Static shared memory per block in bytes.
    pub static_shared_bytes: u32,
    /// Largest dynamic shared memory per block in bytes that a launch may request.
    pub max_dynamic_shared_bytes: u32,
}

/// The location of a kernel's parameter in its parameter space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Offset in bytes.
    pub offset: usize,
    /// Size in bytes.
    pub bytes: usize,
}

impl Function {
    /// Wraps a kernel that the program loaded and unloads itself; `name` is for errors.
    ///
    /// # Safety
    ///
    /// - **function**: `raw` is a `CUfunction` (or a `CUkernel`) of this context that stays loaded while the result
    ///   exists.
    pub unsafe fn from_raw(context: &Context, name: &str, raw: *mut c_void) -> Self {
        let module = Loaded { context: context.clone(), raw: ptr::null_mut(), owned: false, log: String::new() };
        Self { module: Arc::new(module), raw: raw.cast(), name: name.into() }
    }

    /// Returns the name in the module.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the context that it is loaded into.
    pub fn context(&self) -> &Context {
        &self.module.context
    }

    /// Returns its resources and limits.
    pub fn limits(&self) -> Result<FunctionLimits> {
        use CUfunction_attribute as A;
        Ok(FunctionLimits {
            registers: self.attribute(A::CU_FUNC_ATTRIBUTE_NUM_REGS)?,
            max_threads_per_block: self.attribute(A::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
            local_bytes: self.attribute(A::CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)?,
            static_shared_bytes: self.attribute(A::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)?,
            max_dynamic_shared_bytes: self.attribute(A::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)?,
        })
    }

    /// Returns its parameters in order, or `None` if the driver lacks the query (CUDA 12.4).
    pub fn parameters(&self) -> Result<Option<Vec<Parameter>>> {
        let _current = self.context().enter()?;
        let mut found = Vec::new();
        loop {
            let (mut offset, mut bytes) = (0, 0);
            // SAFETY: both are valid out pointers, and the function is loaded; an index past the last parameter gives
            // an error code.
            let result =
                unsafe { self.context().driver().cuFuncGetParamInfo(self.raw, found.len(), &mut offset, &mut bytes) };
            let Some(result) = result else { return Ok(None) };
            if result.code() == code::INVALID_VALUE {
                return Ok(Some(found));
            }
            result.or_cannot(|| format!("ask kernel `{}` for its parameter {}", self.name, found.len()))?;
            found.push(Parameter { offset, bytes });
        }
    }

    /// Lets launches request up to `bytes` of shared memory per block, beyond the default limit of 48 KiB.
    ///
    /// # Errors
    ///
    /// `Exhausted`, with the amount that the device has left after the kernel's static shared memory.
    pub fn set_max_dynamic_shared(&self, bytes: u32) -> Result<()> {
        let device = self.context().device();
        let action = || format!("let kernel `{}` use {bytes} bytes of shared memory a block", self.name);
        let declared = self.attribute(CUfunction_attribute::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)?;
        let most = device.max_shared_per_block()?.saturating_sub(declared);
        if bytes > most {
            return Err(Error::new(ErrorKind::Exhausted, action())
                .because(format!("{device} has no more for a block, and the kernel declares {declared} bytes itself"))
                .amount(u64::from(bytes), u64::from(most), "bytes"));
        }
        let _current = self.context().enter()?;
        let attribute = CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        // SAFETY: the function is loaded, and the driver validates the value.
        unsafe { self.context().driver().cuFuncSetAttribute(self.raw, attribute, bytes as c_int) }.or_cannot(action)
    }

    /// Returns the number of its blocks that fit on one SM at a time.
    pub fn max_active_blocks_per_sm(&self, threads: u32, dynamic_shared_bytes: u32) -> Result<u32> {
        let _current = self.context().enter()?;
        let threads = c_int::try_from(threads).unwrap_or(c_int::MAX);
        let mut blocks = 0;
        // SAFETY: `blocks` is a valid out pointer, and the function is loaded.
        unsafe {
            self.context().driver().cuOccupancyMaxActiveBlocksPerMultiprocessor(
                &mut blocks,
                self.raw,
                threads,
                dynamic_shared_bytes as usize,
            )
        }
        .or_cannot(|| format!("ask how many blocks of {threads} threads of kernel `{}` fit on an SM", self.name))?;
        Ok(blocks.max(0) as u32)
    }

    /// Returns the number of its blocks that the whole device holds at a time: the largest cooperative grid.
    pub fn max_resident_blocks(&self, threads: u32, dynamic_shared_bytes: u32) -> Result<u32> {
        let of_one = self.max_active_blocks_per_sm(threads, dynamic_shared_bytes)?;
        Ok(of_one.saturating_mul(self.context().device().sm_count()?))
    }

    /// Returns the number of clusters of `cluster` blocks that the whole device holds at a time. A cluster is within one
    /// GPC, so they may have fewer blocks than [`max_resident_blocks`](Self::max_resident_blocks).
    pub fn max_resident_clusters(&self, cluster: [u32; 3], block: [u32; 3], dynamic_shared_bytes: u32) -> Result<u32> {
        let _current = self.context().enter()?;
        let mut attribute = LaunchAttribute::of_cluster(cluster);
        let config = CUlaunchConfig {
            gridDimX: cluster[0],
            gridDimY: cluster[1],
            gridDimZ: cluster[2],
            blockDimX: block[0],
            blockDimY: block[1],
            blockDimZ: block[2],
            sharedMemBytes: dynamic_shared_bytes,
            hStream: ptr::null_mut(),
            // It has the layout of the driver's type.
            attrs: ptr::from_mut(&mut attribute).cast(),
            numAttrs: 1,
        };
        let mut clusters = 0;
        // SAFETY: `clusters` is a valid out pointer, the function is loaded, and the configuration has one attribute.
        unsafe { self.context().driver().cuOccupancyMaxActiveClusters(&mut clusters, self.raw, &config) }
            .or_cannot(|| format!("ask how many clusters of {cluster:?} blocks of kernel `{}` fit", self.name))?;
        Ok(clusters.max(0) as u32)
    }

    fn attribute(&self, attribute: CUfunction_attribute) -> Result<u32> {
        let _current = self.context().enter()?;
        let mut value = 0;
        // SAFETY: `value` is a valid out pointer, and the function is loaded.
        unsafe { self.context().driver().cuFuncGetAttribute(&mut value, attribute, self.raw) }
            .or_cannot(|| format!("ask kernel `{}` for {attribute:?}", self.name))?;
        Ok(value.max(0) as u32)
    }
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Function({})", self.name)
    }
}

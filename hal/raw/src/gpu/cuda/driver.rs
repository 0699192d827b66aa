//! The driver's functions, looked up once.

use core::ffi::{c_char, c_int, c_uchar, c_uint, c_ulonglong, c_void};
use std::sync::OnceLock;

use cudarc::driver::sys::{
    self, CUDA_KERNEL_NODE_PARAMS_v2, CUcontext, CUdevice, CUdevice_P2PAttribute, CUdeviceptr, CUevent, CUfunction,
    CUfunction_attribute, CUgraph, CUgraphExec, CUgraphNode, CUipcMemHandle, CUjit_option, CUjitInputType,
    CUlaunchConfig, CUlibrary, CUlimit, CUlinkState, CUmemAccessDesc, CUmemAllocationGranularity_flags,
    CUmemAllocationHandleType, CUmemAllocationProp, CUmemGenericAllocationHandle, CUmemRangeHandleType, CUmodule,
    CUpointer_attribute, CUstream, CUstreamBatchMemOpParams, CUuuid,
};
use oxshmem_core::host::{Error, ErrorKind, Result};

use super::call_result::{CallResult, CodeTexts};

/// Declares the table of the driver's functions, its lookup, and a method for each function.
///
/// The functions are cudarc's with one difference: the result is read as a number. cudarc's `CUresult` is a closed
/// enum. A driver newer than the bindings returns codes that the enum lacks, and such a code must not become a value of
/// the enum. For the functions under `as bound`, the compiler compares the argument types with cudarc's. Those under
/// `by number` also accept codes of newer drivers. Those under `if present` are newer than the bindings, or rarely
/// needed.
macro_rules! driver_functions {
    (
        as bound { $($name:ident($($arg:ident: $ty:ty),*);)* }
        by number { $($plain:ident($($plain_arg:ident: $plain_ty:ty),*);)* }
        if present { $($late:ident($($late_arg:ident: $late_ty:ty),*);)* }
    ) => {
        /// The driver's functions.
        #[allow(non_snake_case)]
        pub(super) struct Driver {
            $($name: unsafe extern "C" fn($($ty),*) -> c_uint,)*
            $($plain: unsafe extern "C" fn($($plain_ty),*) -> c_uint,)*
            $($late: Option<unsafe extern "C" fn($($late_ty),*) -> c_uint>,)*
            texts: CodeTexts,
        }

        $(const _: unsafe fn($($ty),*) -> sys::CUresult = sys::$name;)*

        impl Driver {
            /// Finds the functions of the driver.
            ///
            /// # Safety
            ///
            /// - **present**: libcuda can be opened.
            unsafe fn find() -> Result<Self> {
                Ok(Self {
                    $(
                        // SAFETY: **present** by the caller; **type** by the comparison with cudarc's types.
                        $name: unsafe { symbol(concat!(stringify!($name), "\0")) }?,
                    )*
                    $(
                        // SAFETY: **present** by the caller; **type** follows cuda.h, with enums as numbers.
                        $plain: unsafe { symbol(concat!(stringify!($plain), "\0")) }?,
                    )*
                    $(
                        // SAFETY: **present** by the caller; **type** follows cuda.h of CUDA 12.4 or earlier.
                        $late: unsafe { symbol(concat!(stringify!($late), "\0")) }.ok(),
                    )*
                    texts: CodeTexts {
                        // SAFETY: **present** by the caller; **type** follows cuda.h, with enums as numbers.
                        name: unsafe { symbol("cuGetErrorName\0") }?,
                        // SAFETY: **present** by the caller; **type** follows cuda.h, with enums as numbers.
                        words: unsafe { symbol("cuGetErrorString\0") }?,
                    },
                })
            }
        }

        #[allow(non_snake_case, clippy::too_many_arguments)]
        impl Driver {
            $(
                #[doc = concat!("# Safety\n\nAs `", stringify!($name), "` asks for.")]
                pub(super) unsafe fn $name(&self, $($arg: $ty),*) -> CallResult {
                    // SAFETY: the caller fulfils the contract of the driver function of this name.
                    let code = unsafe { (self.$name)($($arg),*) };
                    CallResult::new(self.texts, stringify!($name), code)
                }
            )*
            $(
                #[doc = concat!("# Safety\n\nAs `", stringify!($plain), "` asks for.")]
                pub(super) unsafe fn $plain(&self, $($plain_arg: $plain_ty),*) -> CallResult {
                    // SAFETY: the caller fulfils the contract of the driver function of this name.
                    let code = unsafe { (self.$plain)($($plain_arg),*) };
                    CallResult::new(self.texts, stringify!($plain), code)
                }
            )*
            $(
                #[doc = concat!("# Safety\n\nAs `", stringify!($late), "` asks for.")]
                pub(super) unsafe fn $late(&self, $($late_arg: $late_ty),*) -> Option<CallResult> {
                    let function = self.$late?;
                    // SAFETY: the caller fulfils the contract of the driver function of this name.
                    let code = unsafe { function($($late_arg),*) };
                    Some(CallResult::new(self.texts, stringify!($late), code))
                }
            )*
        }
    };
}

driver_functions! {
    as bound {
        cuInit(flags: c_uint);
        cuDriverGetVersion(version: *mut c_int);
        cuDeviceGet(device: *mut CUdevice, ordinal: c_int);
        cuDeviceGetCount(count: *mut c_int);
        cuDeviceGetName(name: *mut c_char, length: c_int, device: CUdevice);
        cuDeviceGetUuid_v2(uuid: *mut CUuuid, device: CUdevice);
        cuDeviceGetPCIBusId(text: *mut c_char, length: c_int, device: CUdevice);
        cuDeviceTotalMem_v2(bytes: *mut usize, device: CUdevice);
        cuDeviceCanAccessPeer(can: *mut c_int, device: CUdevice, peer: CUdevice);
        cuDeviceGetP2PAttribute(value: *mut c_int, attribute: CUdevice_P2PAttribute, from: CUdevice, to: CUdevice);
        cuDevicePrimaryCtxRetain(context: *mut CUcontext, device: CUdevice);
        cuDevicePrimaryCtxRelease_v2(device: CUdevice);
        cuCtxSetCurrent(context: CUcontext);
        cuCtxGetDevice(device: *mut CUdevice);
        cuCtxPushCurrent_v2(context: CUcontext);
        cuCtxPopCurrent_v2(context: *mut CUcontext);
        cuCtxSynchronize();
        cuCtxGetLimit(value: *mut usize, limit: CUlimit);
        cuCtxSetLimit(limit: CUlimit, value: usize);
        cuCtxEnablePeerAccess(peer: CUcontext, flags: c_uint);
        cuMemGetInfo_v2(free: *mut usize, total: *mut usize);
        cuMemGetAllocationGranularity(
            bytes: *mut usize, prop: *const CUmemAllocationProp, option: CUmemAllocationGranularity_flags
        );
        cuMemCreate(
            handle: *mut CUmemGenericAllocationHandle, bytes: usize, prop: *const CUmemAllocationProp,
            flags: c_ulonglong
        );
        cuMemRelease(handle: CUmemGenericAllocationHandle);
        cuMemExportToShareableHandle(
            to: *mut c_void, handle: CUmemGenericAllocationHandle, kind: CUmemAllocationHandleType, flags: c_ulonglong
        );
        cuMemImportFromShareableHandle(
            handle: *mut CUmemGenericAllocationHandle, from: *mut c_void, kind: CUmemAllocationHandleType
        );
        cuMemGetAddressRange_v2(base: *mut CUdeviceptr, bytes: *mut usize, at: CUdeviceptr);
        cuMemRetainAllocationHandle(handle: *mut CUmemGenericAllocationHandle, at: *mut c_void);
        cuMemAddressReserve(
            base: *mut CUdeviceptr, bytes: usize, alignment: usize, wish: CUdeviceptr, flags: c_ulonglong
        );
        cuMemAddressFree(base: CUdeviceptr, bytes: usize);
        cuMemMap(
            at: CUdeviceptr, bytes: usize, offset: usize, handle: CUmemGenericAllocationHandle, flags: c_ulonglong
        );
        cuMemUnmap(at: CUdeviceptr, bytes: usize);
        cuMemSetAccess(at: CUdeviceptr, bytes: usize, access: *const CUmemAccessDesc, count: usize);
        cuMemAlloc_v2(at: *mut CUdeviceptr, bytes: usize);
        cuMemFree_v2(at: CUdeviceptr);
        cuIpcGetMemHandle(handle: *mut CUipcMemHandle, at: CUdeviceptr);
        cuIpcOpenMemHandle_v2(at: *mut CUdeviceptr, handle: CUipcMemHandle, flags: c_uint);
        cuIpcCloseMemHandle(at: CUdeviceptr);
        cuMemHostAlloc(at: *mut *mut c_void, bytes: usize, flags: c_uint);
        cuMemFreeHost(at: *mut c_void);
        cuMemHostRegister_v2(at: *mut c_void, bytes: usize, flags: c_uint);
        cuMemHostUnregister(at: *mut c_void);
        cuMemGetHandleForAddressRange(
            handle: *mut c_void, at: CUdeviceptr, bytes: usize, kind: CUmemRangeHandleType, flags: c_ulonglong
        );
        cuPointerSetAttribute(value: *const c_void, attribute: CUpointer_attribute, at: CUdeviceptr);
        cuMemHostGetDevicePointer_v2(device_at: *mut CUdeviceptr, at: *mut c_void, flags: c_uint);
        cuModuleLoadDataEx(
            module: *mut CUmodule, image: *const c_void, count: c_uint, options: *mut CUjit_option,
            values: *mut *mut c_void
        );
        cuModuleUnload(module: CUmodule);
        cuLinkCreate_v2(
            count: c_uint, options: *mut CUjit_option, values: *mut *mut c_void, state: *mut CUlinkState
        );
        cuLinkAddData_v2(
            state: CUlinkState, kind: CUjitInputType, data: *mut c_void, bytes: usize, name: *const c_char,
            count: c_uint, options: *mut CUjit_option, values: *mut *mut c_void
        );
        cuLinkComplete(state: CUlinkState, code: *mut *mut c_void, bytes: *mut usize);
        cuLinkDestroy(state: CUlinkState);
        cuModuleGetFunction(function: *mut CUfunction, module: CUmodule, name: *const c_char);
        cuModuleGetGlobal_v2(at: *mut CUdeviceptr, bytes: *mut usize, module: CUmodule, name: *const c_char);
        cuFuncGetAttribute(value: *mut c_int, attribute: CUfunction_attribute, function: CUfunction);
        cuFuncSetAttribute(function: CUfunction, attribute: CUfunction_attribute, value: c_int);
        cuOccupancyMaxActiveBlocksPerMultiprocessor(
            blocks: *mut c_int, function: CUfunction, threads: c_int, shared_bytes: usize
        );
        cuOccupancyMaxActiveClusters(clusters: *mut c_int, function: CUfunction, config: *const CUlaunchConfig);
        cuStreamCreate(stream: *mut CUstream, flags: c_uint);
        cuStreamCreateWithPriority(stream: *mut CUstream, flags: c_uint, priority: c_int);
        cuCtxGetStreamPriorityRange(least: *mut c_int, greatest: *mut c_int);
        cuStreamDestroy_v2(stream: CUstream);
        cuStreamSynchronize(stream: CUstream);
        cuStreamQuery(stream: CUstream);
        cuStreamWaitEvent(stream: CUstream, event: CUevent, flags: c_uint);
        cuStreamGetCtx(stream: CUstream, context: *mut CUcontext);
        cuStreamEndCapture(stream: CUstream, graph: *mut CUgraph);
        cuGraphInstantiateWithFlags(exec: *mut CUgraphExec, graph: CUgraph, flags: c_ulonglong);
        cuGraphLaunch(exec: CUgraphExec, stream: CUstream);
        cuGraphDestroy(graph: CUgraph);
        cuGraphExecDestroy(exec: CUgraphExec);
        cuGraphDebugDotPrint(graph: CUgraph, path: *const c_char, flags: c_uint);
        cuGraphKernelNodeGetParams_v2(node: CUgraphNode, params: *mut CUDA_KERNEL_NODE_PARAMS_v2);
        cuGraphExecKernelNodeSetParams_v2(
            exec: CUgraphExec, node: CUgraphNode, params: *const CUDA_KERNEL_NODE_PARAMS_v2
        );
        cuEventCreate(event: *mut CUevent, flags: c_uint);
        cuEventDestroy_v2(event: CUevent);
        cuEventRecord(event: CUevent, stream: CUstream);
        cuEventQuery(event: CUevent);
        cuEventSynchronize(event: CUevent);
        cuEventElapsedTime(milliseconds: *mut f32, start: CUevent, end: CUevent);
        cuLaunchKernel(
            function: CUfunction, grid_x: c_uint, grid_y: c_uint, grid_z: c_uint, block_x: c_uint, block_y: c_uint,
            block_z: c_uint, shared_bytes: c_uint, stream: CUstream, arguments: *mut *mut c_void,
            extra: *mut *mut c_void
        );
        cuLaunchCooperativeKernel(
            function: CUfunction, grid_x: c_uint, grid_y: c_uint, grid_z: c_uint, block_x: c_uint, block_y: c_uint,
            block_z: c_uint, shared_bytes: c_uint, stream: CUstream, arguments: *mut *mut c_void
        );
        cuLaunchKernelEx(
            config: *const CUlaunchConfig, function: CUfunction, arguments: *mut *mut c_void, extra: *mut *mut c_void
        );
        cuPointerGetAttribute(data: *mut c_void, attribute: CUpointer_attribute, ptr: CUdeviceptr);
        cuMemcpyHtoDAsync_v2(to: CUdeviceptr, from: *const c_void, bytes: usize, stream: CUstream);
        cuMemcpyDtoHAsync_v2(to: *mut c_void, from: CUdeviceptr, bytes: usize, stream: CUstream);
        cuMemcpyDtoDAsync_v2(to: CUdeviceptr, from: CUdeviceptr, bytes: usize, stream: CUstream);
        cuMemcpyAsync(to: CUdeviceptr, from: CUdeviceptr, bytes: usize, stream: CUstream);
        cuMemsetD8Async(at: CUdeviceptr, value: c_uchar, count: usize, stream: CUstream);
        cuMemsetD32Async(at: CUdeviceptr, value: c_uint, count: usize, stream: CUstream);
    }
    by number {
        cuMemGetAllocationPropertiesFromHandle(properties: *mut c_void, handle: CUmemGenericAllocationHandle);
        cuDeviceGetAttribute(value: *mut c_int, attribute: c_uint, device: CUdevice);
        cuStreamBeginCapture_v2(stream: CUstream, mode: c_uint);
        cuStreamIsCapturing(stream: CUstream, status: *mut c_uint);
        cuStreamGetCaptureInfo_v2(
            stream: CUstream, status: *mut c_uint, id: *mut u64, graph: *mut CUgraph, last: *mut *const CUgraphNode,
            count: *mut usize
        );
    }
    if present {
        cuStreamBatchMemOp_v2(stream: CUstream, count: c_uint, operations: *mut CUstreamBatchMemOpParams, flags: c_uint);
        cuStreamWaitValue32_v2(stream: CUstream, at: CUdeviceptr, value: c_uint, flags: c_uint);
        cuStreamWriteValue32_v2(stream: CUstream, at: CUdeviceptr, value: c_uint, flags: c_uint);
        cuFlushGPUDirectRDMAWrites(target: c_uint, scope: c_uint);
        cuLibraryGetGlobal(at: *mut CUdeviceptr, bytes: *mut usize, library: CUlibrary, name: *const c_char);
        cuStreamGetId(stream: CUstream, id: *mut u64);
        cuModuleGetFunctionCount(count: *mut c_uint, module: CUmodule);
        cuModuleEnumerateFunctions(functions: *mut CUfunction, count: c_uint, module: CUmodule);
        cuFuncLoad(function: CUfunction);
        cuFuncGetParamInfo(function: CUfunction, index: usize, offset: *mut usize, bytes: *mut usize);
    }
}

/// Finds a function of the driver by name.
///
/// # Safety
///
/// - **present**: libcuda can be opened.
/// - **type**: `F` is a function pointer of the named function's type.
unsafe fn symbol<F: Copy>(name_with_nul: &'static str) -> Result<F> {
    const { assert!(size_of::<F>() == size_of::<*const c_void>()) };
    // SAFETY: **present** by the caller.
    let address = unsafe { address_of(name_with_nul) }?;
    // SAFETY: **type**: the address is that of the named function, and a function pointer has the size of an address.
    Ok(unsafe { core::mem::transmute_copy(&address) })
}

/// Returns the address of a function of the driver.
///
/// # Safety
///
/// - **present**: libcuda can be opened.
unsafe fn address_of(name_with_nul: &'static str) -> Result<*const c_void> {
    // SAFETY: by **present** cudarc can open the library and doesn't panic.
    let library = unsafe { sys::culib() };
    // SAFETY: a symbol's address may be read as a pointer to any type.
    let found = unsafe { library.get::<*const c_void>(name_with_nul.as_bytes()) };
    match found {
        Ok(symbol) => Ok(*symbol),
        Err(_) => {
            let name = name_with_nul.trim_end_matches('\0');
            Err(Error::new(ErrorKind::Incompatible, "use the CUDA driver")
                .because(format!("libcuda.so.1 has no function {name}"))
                .hint("update the NVIDIA driver: version 525 (CUDA 12.0) or later is needed"))
        }
    }
}

fn load() -> Result<(Driver, DriverInfo)> {
    // SAFETY: opening libcuda runs NVIDIA's initialisers, which have no precondition.
    let present = unsafe { sys::is_culib_present() };
    if !present {
        return Err(Error::new(ErrorKind::NotFound, "open the CUDA driver").because("libcuda.so.1 not found").hint(
            "install the NVIDIA driver; in a container, give it the GPUs and the driver's libraries \
                 (`--gpus all`); if it is in an unusual place, name its folder in LD_LIBRARY_PATH",
        ));
    }
    // SAFETY: **present** was checked above.
    let driver = unsafe { Driver::find() }?;
    // SAFETY: flags are 0 as required; the function may be called from any thread at any time.
    unsafe { driver.cuInit(0) }.or_cannot(|| "initialise the CUDA driver".into())?;
    let mut version = 0;
    // SAFETY: `version` is a valid out pointer for a c_int.
    unsafe { driver.cuDriverGetVersion(&mut version) }.or_cannot(|| "ask the CUDA driver for its version".into())?;
    Ok((driver, DriverInfo { version }))
}

fn loaded() -> Result<&'static (Driver, DriverInfo)> {
    static LOADED: OnceLock<Result<(Driver, DriverInfo)>> = OnceLock::new();
    LOADED.get_or_init(load).as_ref().map_err(Clone::clone)
}

/// Returns the driver; the first call opens and initialises it.
pub(super) fn driver() -> Result<&'static Driver> {
    loaded().map(|(driver, _)| driver)
}

/// Information about the CUDA driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DriverInfo {
    /// The supported CUDA version: 1000 * major + 10 * minor.
    pub version: i32,
}

impl DriverInfo {
    /// Returns the major and minor CUDA version.
    pub const fn cuda(&self) -> (i32, i32) {
        (self.version / 1000, self.version % 1000 / 10)
    }
}

/// Opens and initialises the CUDA driver. Later calls return the result of the first one.
///
/// # Errors
///
/// `NotFound` if there is no libcuda.so.1, or if it finds no GPU; `Incompatible` if it is too old or doesn't match the
/// kernel module; otherwise the error of `cuInit`.
pub fn available() -> Result<DriverInfo> {
    loaded().map(|(_, info)| *info)
}

/// Returns the number of GPUs that the driver shows to this process.
///
/// # Errors
///
/// Those of [`available`].
pub fn device_count() -> Result<u32> {
    let driver = driver()?;
    let mut count = 0;
    // SAFETY: `count` is a valid out pointer for a c_int.
    unsafe { driver.cuDeviceGetCount(&mut count) }.or_cannot(|| "count the GPUs".into())?;
    Ok(count.max(0) as u32)
}

//! Launches of the program's kernels.

use std::ffi::{CStr, c_int, c_void};
use std::mem::MaybeUninit;
use std::sync::{Mutex, PoisonError};

use oxshmem_hal::{Error, ErrorKind, Launch, LaunchAttribute, Result};

use crate::device::forget;
use crate::face::Face;
use crate::pointers::{give, not_null};

/// CUDA's `dim3`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
struct Dim3 {
    x: u32,
    y: u32,
    z: u32,
}

/// CUDA's `cudaLaunchConfig_t`, which is all of `nvshmemx_collective_launch_attr_t`.
#[derive(Debug)]
#[repr(C)]
struct LaunchConfig {
    grid: Dim3,
    block: Dim3,
    shared_bytes: usize,
    stream: *mut c_void,
    attributes: *const LaunchAttribute,
    n_attributes: u32,
}
const _: () = assert!(size_of::<LaunchConfig>() == 56 && std::mem::offset_of!(LaunchConfig, stream) == 32);

/// Gives the driver's kernel for a kernel's symbol, as CUDA's `cudaGetFuncBySymbol`.
type BySymbol = unsafe extern "C" fn(function: *mut *mut c_void, symbol: *const c_void) -> c_int;

/// The functions of the program's CUDA runtimes, one for each announcement. Each shared object of the program can have a
/// runtime of its own, which alone knows the object's kernels; others share one.
static RUNTIMES: Mutex<Vec<BySymbol>> = Mutex::new(Vec::new());

/// Announces `cudaGetFuncBySymbol` of a CUDA runtime that is linked into the program statically, so that launches find
/// its kernels by their symbols. The device library's archive calls it when the program is loaded.
#[unsafe(no_mangle)]
extern "C" fn oxshmem_register_runtime(by_symbol: BySymbol) {
    RUNTIMES.lock().unwrap_or_else(PoisonError::into_inner).push(by_symbol);
}

/// Takes one announcement of a runtime back, when the shared object that made it is closed.
#[unsafe(no_mangle)]
extern "C" fn oxshmem_forget_runtime(by_symbol: BySymbol) {
    forget(&RUNTIMES, |known| *known as usize == by_symbol as usize);
}

/// Returns `cudaGetFuncBySymbol` of each CUDA runtime of the program: those that were announced, first the one that is
/// in the same object as the symbol, then that of a shared library.
fn runtimes(symbol: *const c_void) -> Vec<BySymbol> {
    const NAME: &CStr = c"cudaGetFuncBySymbol";
    let mut all: Vec<BySymbol> = Vec::new();
    for by_symbol in RUNTIMES.lock().unwrap_or_else(PoisonError::into_inner).iter() {
        if !all.iter().any(|known| *known as usize == *by_symbol as usize) {
            all.push(*by_symbol);
        }
    }
    let own = object_of(symbol);
    // A runtime that is asked for another one's kernel keeps the error for the program's next cudaGetLastError.
    all.sort_by_key(|by_symbol| object_of(*by_symbol as *const c_void) != own);
    // SAFETY: the name is a C string.
    let shared = unsafe { libc::dlsym(libc::RTLD_DEFAULT, NAME.as_ptr()) };
    if !shared.is_null() && !all.iter().any(|known| *known as usize == shared as usize) {
        // SAFETY: the CUDA runtime's function has this type.
        all.push(unsafe { std::mem::transmute::<*mut c_void, BySymbol>(shared) });
    }
    all
}

/// Returns the address at which the program or the shared library that has `address` is loaded; 0 if none has it.
fn object_of(address: *const c_void) -> usize {
    let mut found = MaybeUninit::<libc::Dl_info>::zeroed();
    // SAFETY: `found` is a valid out pointer, and any address may be asked for.
    match unsafe { libc::dladdr(address, found.as_mut_ptr()) } {
        0 => 0,
        // SAFETY: zeroed memory is a valid `Dl_info`, and the call has filled it.
        _ => unsafe { found.assume_init() }.dli_fbase as usize,
    }
}

/// Returns the driver's kernel for a symbol from the first of the runtimes that knows it, or else the answer of the
/// first.
fn kernel_in(runtimes: &[BySymbol], symbol: *const c_void) -> std::result::Result<*mut c_void, c_int> {
    let mut refused = None;
    for by_symbol in runtimes {
        let mut function = std::ptr::null_mut();
        // SAFETY: `function` is a valid out pointer; the runtime looks the symbol up.
        match unsafe { by_symbol(&mut function, symbol) } {
            0 => return Ok(function),
            code => refused = refused.or(Some(code)),
        }
    }
    Err(refused.unwrap_or(-1))
}

/// Returns the driver's kernel for a kernel's symbol in the program.
///
/// # Errors
/// The program does not share its CUDA runtime, or the symbol is no kernel.
fn function_of(symbol: *const c_void) -> Result<*mut c_void> {
    let refuse = |why: String| {
        Error::new(ErrorKind::Incompatible, format!("find the kernel {symbol:p}"))
            .because(why)
            .hint("pass its CUfunction (cudaGetFuncBySymbol) to oxshmem_collective_launch")
    };
    let runtimes = runtimes(symbol);
    if runtimes.is_empty() {
        let why = "the program neither links the CUDA runtime as a shared library nor announces its own";
        return Err(refuse(why.into()));
    }
    kernel_in(&runtimes, symbol).map_err(|code| {
        refuse(format!("cudaGetFuncBySymbol of the program's {} CUDA runtimes returned {code}", runtimes.len()))
    })
}

/// Returns a collective launch of this shape.
fn shape(grid: Dim3, block: Dim3, shared_bytes: usize) -> Result<Launch> {
    let bytes = u32::try_from(shared_bytes).map_err(|_| {
        Error::new(ErrorKind::OutOfRange, "launch a kernel").because(format!("{shared_bytes} bytes of shared memory"))
    })?;
    let list = |dim: Dim3| [dim.x, dim.y, dim.z];
    Ok(Launch::shaped(list(grid), list(block)).shared_bytes(bytes).collective())
}

/// Returns the attributes of a configuration.
///
/// # Errors
/// They are at no address; or one is there twice, or excludes a collective launch.
///
/// # Safety
///
/// **pointers**, as the crate defines them, for the attributes.
unsafe fn attributes(config: &LaunchConfig) -> Result<&[LaunchAttribute]> {
    if config.n_attributes == 0 {
        return Ok(&[]);
    }
    let first = not_null(config.attributes, "the list of attributes")?;
    // SAFETY: **pointers** by the caller; it is not null.
    let own = unsafe { std::slice::from_raw_parts(first, config.n_attributes as usize) };
    LaunchAttribute::merged(own).map(|_| own)
}

/// Returns the largest grid of at most `blocks` blocks that consists of at most `clusters` whole clusters.
fn grid_of_clusters(blocks: u64, clusters: u64, [x, y, z]: [u32; 3]) -> [u32; 3] {
    let most = u32::try_from(blocks).unwrap_or(u32::MAX) / x.saturating_mul(y).saturating_mul(z);
    [u32::try_from(clusters).unwrap_or(u32::MAX).min(most) * x, y, z]
}

/// Returns the largest grid of a collective launch: of whole clusters, if there are clusters.
///
/// # Safety
///
/// As [`launch`].
unsafe fn largest_grid(
    face: &Face,
    function: *mut c_void,
    launch: Launch,
    cluster: Option<[u32; 3]>,
) -> Result<[u32; 3]> {
    // SAFETY: **function** by the caller.
    let blocks = unsafe { face.world.most_resident_blocks_of(function, launch) }?;
    let Some(cluster) = cluster else { return Ok([u32::try_from(blocks).unwrap_or(u32::MAX), 1, 1]) };
    // The launch refuses clusters of no blocks.
    let cluster = cluster.map(|blocks| blocks.max(1));
    // SAFETY: **function** by the caller.
    let clusters = unsafe { face.world.most_resident_clusters_of(function, launch, cluster) }?;
    Ok(grid_of_clusters(blocks, clusters, cluster))
}

/// Launches a kernel so that all of its blocks are resident at once. A grid of no blocks stands for the largest grid
/// that is, of whole clusters.
///
/// # Safety
///
/// **pointers** and **stream**, as the crate defines them; `function` is a loaded kernel.
unsafe fn launch(
    face: &Face,
    function: *mut c_void,
    (grid, block): (Dim3, Dim3),
    args: *mut *mut c_void,
    shared_bytes: usize,
    stream: *mut c_void,
    own: &[LaunchAttribute],
) -> Result<()> {
    let mut launch = shape(grid, block, shared_bytes)?;
    if launch.grid == [0; 3] {
        // SAFETY: as for this function, by the caller.
        launch.grid = unsafe { largest_grid(face, function, launch, LaunchAttribute::cluster(own)) }?;
    }
    // SAFETY: **stream** by the caller; **function**, **arguments**, **kernel**, **attributes**: by **pointers**.
    unsafe { face.on(stream, |stream| stream.launch_function(function, launch, args, own)) }
}

/// # Safety
///
/// As [`launch`].
unsafe fn query(
    face: &Face,
    function: *mut c_void,
    block: Dim3,
    shared_bytes: usize,
    grid_size: *mut c_int,
) -> Result<()> {
    let launch = shape(Dim3 { x: 1, y: 1, z: 1 }, block, shared_bytes)?;
    // SAFETY: **function** by the caller.
    let most = unsafe { face.world.most_resident_blocks_of(function, launch) }?;
    // SAFETY: **pointers** by the caller.
    unsafe { give(grid_size, c_int::try_from(most).unwrap_or(c_int::MAX)) };
    Ok(())
}

export! {
    /// Launches a kernel by its symbol.
    fn nvshmemx_collective_launch(
        symbol: *const c_void, grid: Dim3, block: Dim3, args: *mut *mut c_void, shared_bytes: usize, stream: *mut c_void,
    ) -> c_int = launch_status |face| {
        // SAFETY: **pointers** and **stream** by the caller.
        unsafe { launch(face, function_of(symbol)?, (grid, block), args, shared_bytes, stream, &[]) }
    };
    /// The same, with a launch configuration, whose attributes go to the driver beside that of a cooperative launch.
    fn nvshmemx_collective_launch_attr(config: *const LaunchConfig, symbol: *const c_void, args: *mut *mut c_void)
        -> c_int = launch_status |face| {
        // SAFETY: **pointers** by the caller; it is not null.
        let config = unsafe { not_null(config, "the configuration")?.read() };
        let shape = (config.grid, config.block);
        // SAFETY: **pointers** and **stream** by the caller.
        unsafe {
            let own = attributes(&config)?;
            launch(face, function_of(symbol)?, shape, args, config.shared_bytes, config.stream, own)
        }
    };
    /// Gives the largest grid of a collective launch.
    fn nvshmemx_collective_launch_query_gridsize(
        symbol: *const c_void, block: Dim3, args: *mut *mut c_void, shared_bytes: usize, grid_size: *mut c_int,
    ) -> c_int = status |face| {
        let _ = args;
        // SAFETY: **pointers** by the caller.
        unsafe { query(face, function_of(symbol)?, block, shared_bytes, grid_size) }
    };
    /// Launches a kernel by its `CUfunction`, for programs whose CUDA runtime is linked statically.
    fn oxshmem_collective_launch(
        function: *mut c_void, grid: Dim3, block: Dim3, args: *mut *mut c_void, shared_bytes: usize,
        stream: *mut c_void,
    ) -> c_int = launch_status |face| {
        // SAFETY: **pointers** and **stream** by the caller.
        unsafe { launch(face, function, (grid, block), args, shared_bytes, stream, &[]) }
    };
    /// Gives the largest grid of a collective launch of a `CUfunction`.
    fn oxshmem_collective_launch_query_gridsize(
        function: *mut c_void, block: Dim3, shared_bytes: usize, grid_size: *mut c_int,
    ) -> c_int = status |face| {
        // SAFETY: **pointers** by the caller.
        unsafe { query(face, function, block, shared_bytes, grid_size) }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A runtime that knows the kernel with this symbol alone.
    unsafe extern "C" fn knows<const SYMBOL: usize>(function: *mut *mut c_void, symbol: *const c_void) -> c_int {
        if symbol as usize != SYMBOL {
            return 90 + SYMBOL as c_int;
        }
        // SAFETY: `function` is the caller's out pointer.
        unsafe { function.write((10 * SYMBOL) as *mut c_void) };
        0
    }

    #[test]
    fn the_largest_grid_consists_of_the_clusters_that_fit_in_each_direction() {
        for (clusters, cluster, grid) in [
            (26, [5, 1, 1], [130, 1, 1]),
            // Some SMs of a GPC are left over.
            (31, [4, 1, 1], [124, 1, 1]),
            (66, [1, 2, 1], [66, 2, 1]),
            (8, [2, 2, 4], [16, 2, 4]),
            // No more blocks than fit without clusters.
            (100, [2, 1, 1], [132, 1, 1]),
            (u64::MAX, [1, 1, 1], [132, 1, 1]),
            (0, [16, 1, 1], [0, 1, 1]),
            (1, [u32::MAX; 3], [0, u32::MAX, u32::MAX]),
        ] {
            assert_eq!(grid_of_clusters(132, clusters, cluster), grid, "{clusters} of {cluster:?}");
        }
    }

    #[test]
    fn each_runtime_is_asked_until_one_knows_the_kernel() {
        let both: [BySymbol; 2] = [knows::<1>, knows::<2>];
        for symbol in [1, 2] {
            let found = kernel_in(&both, symbol as *const c_void);
            assert_eq!(found, Ok((10 * symbol) as *mut c_void), "symbol {symbol}");
        }
        assert_eq!(kernel_in(&both, 3 as *const c_void), Err(91), "the first one's answer");
    }

    #[test]
    fn a_second_runtime_does_not_replace_the_first_and_the_one_in_the_symbols_object_is_asked_first() {
        for by_symbol in [knows::<4>, knows::<5>, knows::<4>] {
            oxshmem_register_runtime(by_symbol);
        }
        let far = libc::getpid as *const c_void;
        // SAFETY: the function is only compared, and never called.
        let elsewhere = unsafe { std::mem::transmute::<*const c_void, BySymbol>(far) };
        oxshmem_register_runtime(elsewhere);
        let order = |symbol| runtimes(symbol).iter().map(|known| *known as usize).collect::<Vec<_>>();
        let (own, other) = ([knows::<4>, knows::<5>].map(|known: BySymbol| known as usize), elsewhere as usize);
        assert_eq!(order(knows::<4> as *const c_void)[..3], [own[0], own[1], other]);
        assert_eq!(order(far)[..3], [other, own[0], own[1]]);
        // A runtime is asked until each object that announced it is closed.
        oxshmem_forget_runtime(knows::<4>);
        assert_eq!(order(knows::<4> as *const c_void)[..2], [own[1], own[0]]);
        oxshmem_forget_runtime(knows::<4>);
        assert!(!order(far).contains(&own[0]) && order(far).contains(&own[1]));
        RUNTIMES.lock().unwrap().clear();
    }
}

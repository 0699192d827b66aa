//! The device's side of a program: its modules, launches, queue pairs and buffers.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::mem::MaybeUninit;
use std::sync::{Mutex, PoisonError};

use oxshmem_hal::{Error, ErrorKind, Launch, Result};

use crate::face::Face;
use crate::life::in_running_world;
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
    attributes: *const c_void,
    n_attributes: u32,
}
const _: () = assert!(size_of::<LaunchConfig>() == 56 && std::mem::offset_of!(LaunchConfig, stream) == 32);

/// Finds a variable of the device functions that are linked into the program: writes its address in the current context
/// and its size, and returns 0 if there is one.
type Find = unsafe extern "C" fn(name: *const c_char, address: *mut u64, bytes: *mut usize) -> c_int;

/// The device functions that are linked into this program, which announce themselves when it starts.
static LINKED: Mutex<Vec<Find>> = Mutex::new(Vec::new());

/// Announces device functions that are linked into the program. The device library's archive calls it when the program
/// is loaded; the world's start then gives them its state.
#[unsafe(no_mangle)]
extern "C" fn oxshmem_register_device_functions(find: Find) {
    LINKED.lock().unwrap_or_else(PoisonError::into_inner).push(find);
}

/// Takes an announcement back. The device library's archive calls it when the shared object that has the functions is
/// closed: its variables end, and the world writes its state there no more.
#[unsafe(no_mangle)]
extern "C" fn oxshmem_forget_device_functions(find: Find) {
    forget(&LINKED, |known| *known as usize == find as usize);
    in_running_world(|face| {
        face.linked.lock().unwrap_or_else(PoisonError::into_inner).retain(|key| *key != find as usize);
        face.world.unlink(find as *mut c_void);
    });
}

/// Removes the first entry that `is_it` accepts, if there is one.
fn forget<T>(list: &Mutex<Vec<T>>, is_it: impl FnMut(&T) -> bool) {
    let mut list = list.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(at) = list.iter().position(is_it) {
        list.remove(at);
    }
}

impl Face {
    /// Gives the device functions that are linked into the program the world's state, unless an earlier call has: a
    /// shared object that the program opened since then has some of its own.
    pub(crate) fn link_program(&self) -> Result<()> {
        if self.world.on_host() {
            return Ok(());
        }
        let all = LINKED.lock().unwrap_or_else(PoisonError::into_inner).clone();
        // The list is right between any two links.
        let mut linked = self.linked.lock().unwrap_or_else(PoisonError::into_inner);
        for find in all {
            let key = find as usize;
            if linked.contains(&key) {
                continue;
            }
            let variable = |name: &str| {
                let (name, mut address, mut bytes) = (std::ffi::CString::new(name).ok()?, 0, 0);
                // SAFETY: the archive's function takes a C string and two out pointers.
                let found = unsafe { find(name.as_ptr(), &mut address, &mut bytes) };
                (found == 0).then_some((address, bytes))
            };
            // SAFETY: **variables**: those of the program stay as long as it, and those of a shared object until it takes
            // its announcement back, which unlinks them.
            unsafe { self.world.link_program(key as u64, variable) }?;
            linked.push(key);
        }
        Ok(())
    }
}

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

/// Launches a kernel so that all of its blocks are resident at once. A grid of no blocks stands for the largest grid
/// that is.
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
) -> Result<()> {
    let mut launch = shape(grid, block, shared_bytes)?;
    if launch.grid == [0; 3] {
        // SAFETY: **function** by the caller.
        let most = unsafe { face.world.most_resident_blocks_of(function, launch) }?;
        launch.grid = [u32::try_from(most).unwrap_or(u32::MAX), 1, 1];
    }
    // SAFETY: **stream** by the caller; **function**, **arguments**, **kernel**: by **pointers**.
    unsafe { face.on(stream, |stream| face.world.launch_function(stream, function, launch, args)) }
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

/// Takes the world's state from a module or library of the program.
///
/// # Errors
/// It has none: it was not initialised, or its end has come before.
fn end_of(face: &Face, raw: *mut c_void, what: &str) -> Result<()> {
    if face.world.unlink(raw) {
        return Ok(());
    }
    Err(Error::new(ErrorKind::InvalidArgument, format!("end the use of the {what} {raw:p}"))
        .because(format!("it is not initialised: nvshmemx_cu{what}_init must come first")))
}

export! {
    /// Launches a kernel by its symbol.
    fn nvshmemx_collective_launch(
        symbol: *const c_void, grid: Dim3, block: Dim3, args: *mut *mut c_void, shared_bytes: usize, stream: *mut c_void,
    ) -> c_int = launch_status |face| {
        // SAFETY: **pointers** and **stream** by the caller.
        unsafe { launch(face, function_of(symbol)?, (grid, block), args, shared_bytes, stream) }
    };
    /// The same, with a launch configuration. Its attributes must be none, since a launch is cooperative.
    fn nvshmemx_collective_launch_attr(config: *const LaunchConfig, symbol: *const c_void, args: *mut *mut c_void)
        -> c_int = launch_status |face| {
        if config.is_null() {
            return Err(Error::new(ErrorKind::InvalidArgument, "launch a kernel").because("the configuration is null"));
        }
        // SAFETY: **pointers** by the caller; it is not null.
        let config = unsafe { config.read() };
        if config.n_attributes > 0 {
            return Err(Error::new(ErrorKind::Incompatible, "launch a kernel")
                .because(format!("the configuration has {} attributes of its own", config.n_attributes)));
        }
        let shape = (config.grid, config.block);
        // SAFETY: **pointers** and **stream** by the caller.
        unsafe { launch(face, function_of(symbol)?, shape, args, config.shared_bytes, config.stream) }
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
        unsafe { launch(face, function, (grid, block), args, shared_bytes, stream) }
    };
    /// Gives the largest grid of a collective launch of a `CUfunction`.
    fn oxshmem_collective_launch_query_gridsize(
        function: *mut c_void, block: Dim3, shared_bytes: usize, grid_size: *mut c_int,
    ) -> c_int = status |face| {
        // SAFETY: **pointers** by the caller.
        unsafe { query(face, function, block, shared_bytes, grid_size) }
    };

    fn nvshmemx_cumodule_init(module: *mut c_void) -> c_int = status |face| {
        // SAFETY: **module**: by **pointers** of the caller, until nvshmemx_cumodule_finalize.
        unsafe { face.world.link_module(module) }
    };
    fn nvshmemx_cumodule_finalize(module: *mut c_void) -> c_int = status |face| {
        end_of(face, module, "module")
    };
    fn nvshmemx_culibrary_init(library: *mut c_void) -> c_int = status |face| {
        // SAFETY: **library**: by **pointers** of the caller, until nvshmemx_culibrary_finalize.
        unsafe { face.world.link_library(library) }
    };
    fn nvshmemx_culibrary_finalize(library: *mut c_void) -> c_int = status |face| {
        end_of(face, library, "library")
    };

    /// Makes queue pairs. The array of their handles is the program's, which frees it by `free` after the end.
    fn nvshmemx_qp_create(count: c_int, made: *mut *mut c_int) -> c_int = status |face| {
        // The call is collective: with a null pointer the other PEs still make theirs.
        let handles = face.world.qp_create(u32::try_from(count).unwrap_or(0))?;
        not_null(made, "the place for the handles")?;
        // SAFETY: any size may be asked for.
        let array: *mut c_int = unsafe { libc::malloc(handles.len() * size_of::<c_int>()) }.cast();
        if array.is_null() {
            return Err(Error::new(ErrorKind::Exhausted, "return the handles of queue pairs").because("out of memory"));
        }
        // SAFETY: the array has room for all handles; **pointers** by the caller.
        unsafe {
            (0..).zip(&handles).for_each(|(i, handle): (usize, _)| array.add(i).write(handle.raw()));
            give(made, array);
        }
        Ok(())
    };

    fn nvshmemx_buffer_register(address: *mut c_void, bytes: usize) -> c_int = status |face| {
        face.world.register_buffer(address as u64, bytes as u64)?;
        face.buffers().insert(address as u64);
        Ok(())
    };
    fn nvshmemx_buffer_unregister(address: *mut c_void) -> c_int = status |face| {
        face.world.unregister_buffer(address as u64)?;
        face.buffers().remove(&(address as u64));
        Ok(())
    };
    fn nvshmemx_buffer_unregister_all() = or_exit |face| {
        let all = std::mem::take(&mut *face.buffers());
        all.into_iter().try_for_each(|address| face.world.unregister_buffer(address))
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

    #[test]
    fn device_functions_of_a_closed_object_are_looked_up_no_more() {
        unsafe extern "C" fn finds<const CODE: c_int>(_: *const c_char, _: *mut u64, _: *mut usize) -> c_int {
            CODE
        }
        let (closed, kept): (Find, Find) = (finds::<1>, finds::<2>);
        let known = |find: Find| LINKED.lock().unwrap().iter().any(|known| *known as usize == find as usize);
        oxshmem_register_device_functions(closed);
        oxshmem_register_device_functions(kept);
        oxshmem_forget_device_functions(closed);
        assert!(!known(closed) && known(kept));
        // An object that is opened at the same place later is new.
        oxshmem_register_device_functions(closed);
        assert!(known(closed));
        [closed, kept].into_iter().for_each(|find| oxshmem_forget_device_functions(find));
        assert!(!known(closed) && !known(kept));
    }
}

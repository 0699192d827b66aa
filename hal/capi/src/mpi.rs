//! Start by an MPI communicator, through the MPI library that the program has loaded.
//!
//! MPI has no common binary interface: in Open MPI a handle is a pointer, in MPICH and its relatives (Intel MPI,
//! MVAPICH, Cray MPICH) a number. The library in the process says which.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::mem::transmute;

use oxshmem_hal::bootstrap::UniqueId;
use oxshmem_hal::{Error, ErrorKind, Result};

use crate::ids::make_id;

/// Files under which MPI libraries are loaded, for programs that load them with their symbols hidden.
const FILES: [&CStr; 5] = [c"libmpi.so.40", c"libmpi.so.12", c"libmpich.so.12", c"libmpi.so", c"libmpi_cray.so.12"];
/// `MPI_BYTE` of MPICH and its relatives.
const MPICH_BYTE: usize = 0x4c00_010d;
/// The size of the text of `MPI_Get_library_version`.
const MAX_VERSION: usize = 8192;

type Byte = u8;
/// Bytes of a message: whether there is an id, and the id.
const MESSAGE: usize = 1 + 128;

/// A handle as an argument: a pointer, or a number in the low half. Both are passed in one register.
type Handle = usize;

/// The functions that are needed. A handle that is a number occupies the register of a pointer.
struct Mpi {
    comm_rank: unsafe extern "C" fn(Handle, *mut c_int) -> c_int,
    comm_size: unsafe extern "C" fn(Handle, *mut c_int) -> c_int,
    bcast: unsafe extern "C" fn(*mut c_void, c_int, Handle, c_int, Handle) -> c_int,
    /// `MPI_BYTE`.
    byte: Handle,
    handles: Handles,
}

/// The kind of a library's handles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Handles {
    Pointers,
    Numbers,
}

/// A library in the process, or the process's own symbols.
#[derive(Clone, Copy)]
struct Loaded(*mut c_void);

impl Loaded {
    fn symbol(self, name: &CStr) -> Option<*mut c_void> {
        // SAFETY: the handle is `RTLD_DEFAULT` or of a loaded library, and the name is a C string.
        let found = unsafe { libc::dlsym(self.0, name.as_ptr()) };
        (!found.is_null()).then_some(found)
    }
}

fn refuse(why: impl Into<String>) -> Error {
    Error::new(ErrorKind::Incompatible, "start by an MPI communicator").because(why)
}

impl Mpi {
    /// Finds the MPI library that the program has loaded.
    fn find() -> Result<Self> {
        let visible = Some(Loaded(libc::RTLD_DEFAULT)).filter(|own| own.symbol(c"MPI_Comm_rank").is_some());
        let hidden = || {
            FILES.iter().find_map(|file| {
                // SAFETY: the name is a C string; a library is opened only if it is loaded already, so that no
                // initialiser runs. It stays open.
                let handle = unsafe { libc::dlopen(file.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
                (!handle.is_null()).then_some(Loaded(handle))
            })
        };
        let Some(library) = visible.or_else(hidden) else {
            return Err(refuse("no MPI library is loaded in this process")
                .hint("link the program with MPI and call MPI_Init before"));
        };
        let symbol = |name: &CStr| {
            library.symbol(name).ok_or_else(|| refuse(format!("the MPI library has no {}", name.to_string_lossy())))
        };
        // SAFETY: it has this type in every MPI library, and may be called at any time.
        let is_started = unsafe {
            let mut flag: c_int = 0;
            transmute::<*mut c_void, unsafe extern "C" fn(*mut c_int) -> c_int>(symbol(c"MPI_Initialized")?)(&mut flag);
            flag != 0
        };
        if !is_started {
            return Err(refuse("MPI is not initialised").hint("call MPI_Init before"));
        }
        let (handles, byte) = match library.symbol(c"ompi_mpi_byte") {
            Some(byte) => (Handles::Pointers, byte as usize),
            None => {
                // SAFETY: it has this type in every MPI library.
                let version =
                    unsafe { version(transmute::<*mut c_void, Version>(symbol(c"MPI_Get_library_version")?)) };
                if !has_numbers(&version) {
                    return Err(refuse(format!("the handles of this MPI library are not known: {version}"))
                        .hint("start by a unique id instead (NVSHMEMX_INIT_WITH_UNIQUEID), broadcast by MPI"));
                }
                (Handles::Numbers, MPICH_BYTE)
            }
        };
        // SAFETY: they have these types, with handles as `Handle` describes.
        unsafe {
            Ok(Self {
                comm_rank: transmute::<*mut c_void, unsafe extern "C" fn(Handle, *mut c_int) -> c_int>(symbol(
                    c"MPI_Comm_rank",
                )?),
                comm_size: transmute::<*mut c_void, unsafe extern "C" fn(Handle, *mut c_int) -> c_int>(symbol(
                    c"MPI_Comm_size",
                )?),
                bcast: transmute::<*mut c_void, unsafe extern "C" fn(*mut c_void, c_int, Handle, c_int, Handle) -> c_int>(
                    symbol(c"MPI_Bcast")?,
                ),
                byte,
                handles,
            })
        }
    }

    /// Reads the communicator at an address.
    ///
    /// # Safety
    ///
    /// **pointers**, as the crate defines them: `at` leads to an `MPI_Comm`.
    unsafe fn comm(&self, at: *const c_void) -> Handle {
        // SAFETY: **pointers** by the caller: a communicator has the size of its kind.
        unsafe {
            match self.handles {
                Handles::Pointers => at.cast::<usize>().read(),
                Handles::Numbers => at.cast::<u32>().read() as usize,
            }
        }
    }

    /// Makes a call that returns a number.
    fn number(&self, name: &str, call: unsafe extern "C" fn(Handle, *mut c_int) -> c_int, comm: Handle) -> Result<u32> {
        let mut value = 0;
        // SAFETY: the communicator is the program's, and `value` is a valid out pointer.
        succeeded(name, unsafe { call(comm, &mut value) })?;
        u32::try_from(value).map_err(|_| refuse(format!("{name} gives {value}")))
    }
}

type Version = unsafe extern "C" fn(*mut c_char, *mut c_int) -> c_int;

/// # Safety
///
/// - **type**: it is `MPI_Get_library_version`.
unsafe fn version(get: Version) -> String {
    let (mut text, mut length) = (vec![0u8; MAX_VERSION + 1], 0);
    // SAFETY: **type** by the caller; the text has room for the longest version.
    unsafe { get(text.as_mut_ptr().cast(), &mut length) };
    let text = CStr::from_bytes_until_nul(&text).map(CString::from).unwrap_or_default();
    text.to_string_lossy().lines().next().unwrap_or_default().to_string()
}

/// Returns whether the handles of this library are numbers.
fn has_numbers(version: &str) -> bool {
    ["MPICH", "MVAPICH", "Intel"].iter().any(|name| version.contains(name))
}

fn succeeded(name: &str, code: c_int) -> Result<()> {
    match code {
        0 => Ok(()),
        code => Err(refuse(format!("{name} returned {code}"))),
    }
}

/// Returns PE, number of PEs and unique id of the ranks of a communicator. Collective over it.
///
/// # Errors
/// The program has loaded no MPI library, or one whose handles are not known; an MPI call failed.
///
/// # Safety
///
/// **pointers**, as the crate defines them: `comm` leads to an `MPI_Comm`.
pub(crate) unsafe fn by_comm(comm: *const c_void) -> Result<(u32, u32, UniqueId)> {
    let mpi = Mpi::find()?;
    // SAFETY: **pointers** by the caller.
    let comm = unsafe { mpi.comm(comm) };
    let rank = mpi.number("MPI_Comm_rank", mpi.comm_rank, comm)?;
    let n_ranks = mpi.number("MPI_Comm_size", mpi.comm_size, comm)?;
    // Rank 0 always sends, so that no rank waits for one that failed.
    let made = if rank == 0 { make_id().map(Some) } else { Ok(None) };
    let mut message: [Byte; MESSAGE] = [0; MESSAGE];
    if let Ok(Some(id)) = &made {
        message[0] = 1;
        message[1..].copy_from_slice(&id.to_bytes());
    }
    // SAFETY: the communicator is the program's, and the buffer has so many bytes.
    succeeded("MPI_Bcast", unsafe { (mpi.bcast)(message.as_mut_ptr().cast(), MESSAGE as c_int, mpi.byte, 0, comm) })?;
    made?;
    if message[0] != 1 {
        return Err(refuse("rank 0 could not make the id of the world"));
    }
    let mut id = [0; MESSAGE - 1];
    id.copy_from_slice(&message[1..]);
    Ok((rank, n_ranks, UniqueId::from_bytes(id)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kind_of_handles_follows_from_the_librarys_own_text() {
        for numbers in ["MPICH Version: 4.0.2", "Intel(R) MPI Library 2021.9", "CRAY MPICH version 8.1", "MVAPICH 3.0"]
        {
            assert!(has_numbers(numbers), "{numbers}");
        }
        assert!(!has_numbers("Open MPI v4.1.4") && !has_numbers(""));
    }
}

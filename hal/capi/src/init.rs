//! Start and end.

use std::ffi::{c_int, c_void};
use std::sync::Once;
use std::sync::atomic::{AtomicI32, Ordering};

use oxshmem_hal::bootstrap::{BootstrapConfig, UniqueId};
use oxshmem_hal::{Bootstrapped, Config, DeviceChoice, Error, ErrorKind, Pe, Result};

use crate::ids::{decode, encode, make_id, meeting_at, used};
use crate::life::Start;
use crate::pointers::{give, not_null, null};
use crate::types::{InitAttr, UniqueIdArgs, UniqueIdC, version_in, version_of};
use crate::{call, life, mpi, settings};

/// NVSHMEM's flags of `nvshmemx_init_attr`.
const WITH_MPI_COMM: u32 = 1 << 1;
const WITH_UNIQUEID: u32 = 1 << 3;
/// The flags that are not served, by name.
const OTHER_FLAGS: [(u32, &str); 2] = [(1, "NVSHMEMX_INIT_THREAD_PES"), (1 << 2, "NVSHMEMX_INIT_WITH_SHMEM")];

/// `NVSHMEM_THREAD_SERIALIZED`, the level that NVSHMEM provides.
const THREAD_SERIALIZED: c_int = 2;
/// `NVSHMEM_THREAD_MULTIPLE`: any thread may call at any time. The library always allows it.
const THREAD_MULTIPLE: c_int = 3;

/// The thread level of the latest start: that of NVSHMEM, or the highest if the program asked for it.
static LEVEL: AtomicI32 = AtomicI32::new(THREAD_SERIALIZED);

/// Returns the level that a start provides for a requested one.
fn provide(requested: c_int) -> c_int {
    let level = requested.clamp(THREAD_SERIALIZED, THREAD_MULTIPLE);
    LEVEL.store(level, Ordering::Relaxed);
    level
}

/// The version of NVSHMEM whose headers fit.
const MAJOR: c_int = 3;

/// Joins the world that the launcher made, or makes a world of one PE.
#[unsafe(no_mangle)]
extern "C" fn nvshmem_init() {
    let name = "nvshmem_init";
    call::guarded(|| life::start(|| start(None))).unwrap_or_else(|error| call::exit(name, &error));
    provide(THREAD_SERIALIZED);
}

/// Starts as [`nvshmem_init`].
#[unsafe(no_mangle)]
unsafe extern "C" fn nvshmem_init_thread(requested: c_int, provided: *mut c_int) -> c_int {
    call::status_of("nvshmem_init_thread", || {
        if !(0..=THREAD_MULTIPLE).contains(&requested) {
            return Err(Error::new(ErrorKind::InvalidArgument, format!("start with thread level {requested}"))
                .because("levels are NVSHMEM_THREAD_SINGLE (0) to NVSHMEM_THREAD_MULTIPLE (3)"));
        }
        life::start(|| start(None))?;
        // SAFETY: **pointers** by the caller.
        unsafe { give(provided, provide(requested)) };
        Ok(())
    })
}

/// Starts by a unique id, an MPI communicator, or (without a flag) the launcher.
#[unsafe(no_mangle)]
unsafe extern "C" fn nvshmemx_init_attr(flags: u32, attr: *const InitAttr) -> c_int {
    // SAFETY: **pointers** by the caller.
    call::status_of("nvshmemx_init_attr", || unsafe { start_by(flags, attr) })
}

/// The same without a device library.
#[unsafe(no_mangle)]
unsafe extern "C" fn nvshmemx_hostlib_init_attr(flags: u32, attr: *const InitAttr) -> c_int {
    // SAFETY: **pointers** by the caller.
    call::status_of("nvshmemx_hostlib_init_attr", || unsafe { start_by(flags, attr) })
}

/// `nvshmemi_version_t`: the version of the headers that a program was compiled with.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
struct HeaderVersion {
    major: c_int,
    minor: c_int,
    patch: c_int,
}

impl HeaderVersion {
    /// Checks that a program's library or headers are of the version that is served.
    fn check(self) -> Result<()> {
        let Self { major, minor, patch } = self;
        if major == MAJOR {
            return Ok(());
        }
        Err(Error::new(ErrorKind::Incompatible, "start a program of NVSHMEM's headers")
            .because(format!("they are of version {major}.{minor}.{patch}, and this library serves {MAJOR}.x")))
    }
}

/// Starts a program that was compiled with NVSHMEM's own headers, whose inline functions call this function of C++.
#[unsafe(export_name = "_Z20nvshmemi_init_threadiPijP21nvshmemx_init_attr_v218nvshmemi_version_t")]
unsafe extern "C" fn init_thread_of_headers(
    requested: c_int,
    provided: *mut c_int,
    flags: u32,
    attr: *const InitAttr,
    version: HeaderVersion,
) -> c_int {
    call::status_of("nvshmemi_init_thread", || {
        version.check()?;
        // SAFETY: **pointers** by the caller.
        unsafe {
            start_by(flags, attr)?;
            give(provided, provide(requested));
        }
        Ok(())
    })
}

/// Finds the state of NVSHMEM's own device library, which a program has linked.
type FindState = unsafe extern "C" fn(state: *mut *mut c_void, of_transport: *mut *mut c_void);

/// Starts a program that has linked NVSHMEM's own device library, which calls this function. The library's kernels read a
/// state that only NVSHMEM's host library writes; a program that makes calls of the host alone needs none.
#[unsafe(no_mangle)]
unsafe extern "C" fn nvshmemid_hostlib_init_attr(
    requested: c_int,
    provided: *mut c_int,
    flags: u32,
    attr: *const InitAttr,
    version: HeaderVersion,
    find_state: Option<FindState>,
) -> c_int {
    let name = "nvshmemid_hostlib_init_attr";
    call::status_of(name, || {
        version.check()?;
        // SAFETY: **pointers** by the caller.
        unsafe {
            start_by(flags, attr)?;
            give(provided, provide(requested));
        }
        // The PEs of a world that waits for the program's choice of a GPU are on GPUs.
        if find_state.is_some() && life::query(|_| Some(true), |face| Ok(!face.world.on_host()))? {
            static ONCE: Once = Once::new();
            ONCE.call_once(|| call::report(name, &of_other_device_library(version)));
        }
        Ok(())
    })
}

/// Returns the message about kernels that can't work.
fn of_other_device_library(version: HeaderVersion) -> Error {
    let HeaderVersion { major, minor, patch } = version;
    Error::new(ErrorKind::Incompatible, "serve kernels with NVSHMEM's own device library")
        .because(format!(
            "the program has linked it ({major}.{minor}.{patch}), and oxshmem does not have its private state"
        ))
        .hint("host functions work; link liboxshmem_device.a of this library for kernels")
}

/// Ends such a program's use of the library. The state of its device library is not known here.
#[unsafe(no_mangle)]
extern "C" fn nvshmemid_hostlib_finalize(_state: *mut c_void, _of_transport: *mut c_void) {
    end("nvshmemid_hostlib_finalize");
}

#[unsafe(no_mangle)]
extern "C" fn nvshmemid_init_status() -> c_int {
    nvshmemx_init_status()
}

/// Ends such a program.
#[unsafe(no_mangle)]
extern "C" fn nvshmemi_finalize() {
    end("nvshmem_finalize");
}

#[unsafe(no_mangle)]
extern "C" fn nvshmem_finalize() {
    end("nvshmem_finalize");
}

#[unsafe(no_mangle)]
extern "C" fn nvshmemx_hostlib_finalize() {
    end("nvshmemx_hostlib_finalize");
}

#[unsafe(no_mangle)]
extern "C" fn nvshmemx_init_status() -> c_int {
    life::status()
}

/// Makes the id of a world, of which this process need not be a PE.
#[unsafe(no_mangle)]
unsafe extern "C" fn nvshmemx_get_uniqueid(id: *mut UniqueIdC) -> c_int {
    call::status_of("nvshmemx_get_uniqueid", || {
        let at = not_null(id.cast_const(), "the unique id")?;
        // SAFETY: **pointers** by the caller; it is not null.
        unsafe { at.cast_mut().write(encode(&make_id()?)) };
        Ok(())
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn nvshmemx_set_attr_uniqueid_args(
    my_rank: c_int,
    n_ranks: c_int,
    id: *const UniqueIdC,
    attr: *mut InitAttr,
) -> c_int {
    call::status_of("nvshmemx_set_attr_uniqueid_args", || {
        not_null(id, "the unique id")?;
        not_null(attr.cast_const(), "the attributes")?;
        let args = UniqueIdArgs { version: version_of::<UniqueIdArgs>(1), id, my_rank, n_ranks };
        // SAFETY: **pointers** by the caller; it is not null.
        unsafe { (*attr).args.uid_args = args };
        Ok(())
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn nvshmemx_set_attr_mpi_comm_args(comm: *const c_void, attr: *mut InitAttr) -> c_int {
    call::status_of("nvshmemx_set_attr_mpi_comm_args", || {
        not_null(comm, "the address of the communicator")?;
        not_null(attr.cast_const(), "the attributes")?;
        // SAFETY: **pointers** by the caller; it is not null.
        unsafe { (*attr).mpi_comm = comm };
        Ok(())
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn nvshmem_query_thread(provided: *mut c_int) {
    // SAFETY: **pointers** by the caller.
    unsafe { give(provided, LEVEL.load(Ordering::Relaxed)) };
}

/// Ends all processes of the program with this status.
#[unsafe(no_mangle)]
extern "C" fn nvshmem_global_exit(status: c_int) {
    life::announce_exit(status);
    std::process::exit(status)
}

/// Ends the world. A fork of a process that started has no world to end, and its exit handlers may call this.
fn end(name: &str) {
    if life::is_forked() {
        return;
    }
    if let Err(error) = call::guarded(life::end) {
        call::report(name, &error);
    }
}

/// # Safety
///
/// **pointers**, as the crate defines them.
unsafe fn start_by(flags: u32, attr: *const InitAttr) -> Result<()> {
    life::start(|| {
        if let Some((_, name)) = OTHER_FLAGS.iter().find(|(flag, _)| flags & flag != 0) {
            return Err(Error::new(ErrorKind::Incompatible, format!("start with {name}")).because(
                "a world starts by the launcher (0), NVSHMEMX_INIT_WITH_MPI_COMM or NVSHMEMX_INIT_WITH_UNIQUEID",
            ));
        }
        // SAFETY: **pointers** by the caller.
        let attr = if attr.is_null() { None } else { Some(unsafe { attr.read() }) };
        let version = attr.map(|attr| version_in::<InitAttr>(attr.version, 2, "nvshmemx_init_attr_t")).transpose()?;
        let needed = || attr.ok_or_else(|| null("the attributes"));
        let device = attr.filter(|_| version == Some(Some(2))).map(|attr| attr.args.cuda_device_id);
        match flags {
            0 => start(device),
            WITH_MPI_COMM => {
                let comm = not_null(needed()?.mpi_comm, "the address of the communicator")?;
                // SAFETY: **pointers** by the caller; it is not null.
                start_with(device, unsafe { mpi::by_comm(comm) }?)
            }
            // SAFETY: **pointers** by the caller.
            WITH_UNIQUEID => start_with(device, unsafe { by_id(&needed()?.args.uid_args) }?),
            _ => Err(Error::new(ErrorKind::InvalidArgument, format!("start with flags {flags:#x}"))
                .because("one of NVSHMEMX_INIT_WITH_MPI_COMM and NVSHMEMX_INIT_WITH_UNIQUEID, or none")),
        }
    })?;
    provide(THREAD_SERIALIZED);
    Ok(())
}

/// Meets the PEs of the launcher.
fn start(device: Option<c_int>) -> Result<Start> {
    let config = settings::config(device)?;
    Ok(Start { met: Bootstrapped::by_launcher(&config)?, config: chosen(config) })
}

fn start_with(device: Option<c_int>, (pe, n_pes, id): (u32, u32, UniqueId)) -> Result<Start> {
    let config = settings::config(device)?;
    let (host, root) = (std::env::var("OXSHMEM_HOST").ok(), meeting_at(id.clone(), pe));
    let bootstrap = BootstrapConfig { pe: Pe::new(pe), n_pes, root, limit: config.wait_limit, host };
    let met = Bootstrapped::by(&bootstrap);
    // The root has taken the maker's socket also if the start failed. PE 0 then listens at the address again.
    if met.is_ok() || pe == 0 {
        used(&id);
    }
    Ok(Start { met: met?, config: chosen(config) })
}

/// Returns the settings of a world that starts at once; `None` if there are GPUs and the program has not chosen one. It
/// can choose it by its PE's place on the host, which it learns from the start.
fn chosen(config: Config) -> Option<Config> {
    let is_open = config.device == DeviceChoice::Auto && oxshmem_hal::gpu_count().is_ok_and(|count| count > 0);
    (!is_open).then_some(config)
}

/// Returns PE, number of PEs and meeting point.
///
/// # Safety
///
/// **pointers**, as the crate defines them, for the id.
unsafe fn by_id(args: &UniqueIdArgs) -> Result<(u32, u32, UniqueId)> {
    let id = not_null(args.id, "the unique id")?;
    // SAFETY: **pointers** by the caller; it is not null.
    let id = decode(&unsafe { id.read() })?;
    let number = |value: c_int, what: &str| {
        u32::try_from(value).map_err(|_| {
            Error::new(ErrorKind::InvalidArgument, "start by a unique id").because(format!("{what} is {value}"))
        })
    };
    let (pe, n_pes) = (number(args.my_rank, "the rank")?, number(args.n_ranks, "the number of ranks")?);
    Ok((pe, n_pes, id))
}

//! The life of the default world: not started, bootstrapped, running, ended.

use std::ffi::c_int;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU32, Ordering};
use std::sync::{Once, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use oxshmem_hal::{Bootstrapped, Config, Error, ErrorKind, Pe, Result};

use crate::face::Face;
use crate::process::end_process;

static LIFE: RwLock<Life> = RwLock::new(Life { stage: Stage::Out, starts: AtomicU32::new(0), ended: None });

/// The number of this PE in the latest world, -1 before the first: messages need it without the lock.
static MY_PE: AtomicI64 = AtomicI64::new(-1);

/// Whether there is a world, or one is being made.
static HAS_WORLD: AtomicBool = AtomicBool::new(false);

/// Whether this process is a fork of one that had a world: the parent has it, and the threads and connections that serve it.
static FORKED: AtomicBool = AtomicBool::new(false);

/// `nvshmemx_init_status_t`.
const NOT_INITIALIZED: c_int = 0;
const IS_BOOTSTRAPPED: c_int = 1;
const IS_INITIALIZED: c_int = 2;

/// Calls hold it for reading, the first start and the last end for writing: that end waits for calls of other threads.
/// Starts and ends within hold it for reading, since another thread's wait may need what this thread does next.
struct Life {
    stage: Stage,
    /// The number of starts that no end has matched. NVSHMEM's starts nest.
    starts: AtomicU32,
    /// The end of the last world, if there was one.
    ended: Option<Ended>,
}

/// The stage of the default world.
enum Stage {
    /// There is none.
    Out,
    /// The PEs have met, and the first call that needs the device makes the world.
    Met(Bootstrapped),
    Running(Box<Face>),
}

/// Why there is no world any more.
#[derive(Clone, Copy)]
enum Ended {
    /// The program ended it.
    Finalised,
    /// It could not be made.
    Failed,
}

/// A world to be: its PEs, and its settings, which may wait for the program's choice of a GPU.
pub(crate) struct Start {
    pub(crate) met: Bootstrapped,
    /// `None` for a world whose first call that needs the device chooses it.
    pub(crate) config: Option<Config>,
}

impl Life {
    /// Counts another start of the present world. Returns whether there is one.
    fn start_again(&self) -> Result<bool> {
        match &self.stage {
            Stage::Out => return Ok(false),
            Stage::Met(_) => {}
            Stage::Running(face) => face.link_program()?,
        }
        self.starts.fetch_add(1, Ordering::Relaxed);
        Ok(true)
    }

    /// Counts an end. Returns false, and counts none, if it is the last.
    fn end_one_of_several(&self) -> bool {
        let less = |starts: u32| (starts > 1).then(|| starts - 1);
        self.starts.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_ok()
    }

    /// Makes the world of PEs that have met. Collective. There is none if it fails.
    fn run(&mut self, met: Bootstrapped, config: Config) -> Result<()> {
        (self.stage, self.ended) = (Stage::Out, Some(Ended::Failed));
        let made = met.start(config).and_then(Face::new);
        HAS_WORLD.store(made.is_ok(), Ordering::Relaxed);
        self.stage = Stage::Running(Box::new(made?));
        Ok(())
    }

    fn absent(&self) -> Error {
        Error::new(ErrorKind::InvalidArgument, "make the call").because(match self.ended {
            None => "the library is not initialised: nvshmem_init must come first",
            Some(Ended::Finalised) => "the library is finalised: nvshmem_finalize has been called",
            Some(Ended::Failed) => "the library could not be initialised, as the first error says",
        })
    }
}

fn read() -> RwLockReadGuard<'static, Life> {
    // A panic while a world is made leaves the stage `Out`.
    LIFE.read().unwrap_or_else(PoisonError::into_inner)
}

fn write() -> RwLockWriteGuard<'static, Life> {
    // As in `read`.
    LIFE.write().unwrap_or_else(PoisonError::into_inner)
}

/// Refuses a call of a forked process. Another thread of the parent may have held the locks at the fork.
fn refuse_fork() -> Result<()> {
    match is_forked() {
        false => Ok(()),
        true => Err(Error::new(ErrorKind::InvalidArgument, "make the call").because(
            "this process is a fork of one that had called nvshmem_init, and the world is that of its parent alone",
        )),
    }
}

/// Returns whether this process is a fork of one that had a world.
pub(crate) fn is_forked() -> bool {
    FORKED.load(Ordering::Relaxed)
}

extern "C" fn note_fork() {
    MY_PE.store(-1, Ordering::Relaxed);
    if HAS_WORLD.load(Ordering::Relaxed) {
        FORKED.store(true, Ordering::Relaxed);
    }
}

/// Runs a call on the default world.
///
/// # Errors
/// There is no default world, it could not be made, or the call failed.
pub(crate) fn with<R>(call: impl FnOnce(&Face) -> Result<R>) -> Result<R> {
    refuse_fork()?;
    loop {
        let life = read();
        match &life.stage {
            Stage::Running(face) => return call(face),
            Stage::Out => return Err(life.absent()),
            Stage::Met(_) => {}
        }
        drop(life);
        complete()?;
    }
}

/// Answers a query about the PEs, which needs no device: by `met` before there is a world.
///
/// # Errors
/// There is no default world, or the query failed.
pub(crate) fn query<R>(
    met: impl FnOnce(&Bootstrapped) -> Option<R>,
    running: impl FnOnce(&Face) -> Result<R>,
) -> Result<R> {
    refuse_fork()?;
    if let Stage::Met(pes) = &read().stage
        && let Some(answer) = met(pes)
    {
        return Ok(answer);
    }
    with(running)
}

/// Makes the world of PEs that have met, unless another thread has, on the GPU that is current now.
#[cold]
fn complete() -> Result<()> {
    let config = crate::settings::config(None)?;
    let mut life = write();
    match std::mem::replace(&mut life.stage, Stage::Out) {
        Stage::Met(met) => life.run(met, config),
        other => {
            life.stage = other;
            Ok(())
        }
    }
}

/// Reports whether the program has ended the world, and has made no other.
pub(crate) fn is_finalised() -> bool {
    let life = read();
    matches!((&life.stage, life.ended), (Stage::Out, Some(Ended::Finalised)))
}

/// Returns `nvshmemx_init_status`. After its end the library is bootstrapped, as NVSHMEM is.
pub(crate) fn status() -> c_int {
    if is_forked() {
        return NOT_INITIALIZED;
    }
    let life = read();
    match life.stage {
        Stage::Out if !matches!(life.ended, Some(Ended::Finalised)) => NOT_INITIALIZED,
        Stage::Out | Stage::Met(_) => IS_BOOTSTRAPPED,
        Stage::Running(_) => IS_INITIALIZED,
    }
}

/// Makes the default world by `make`, or counts another start of the present one, which gives its state to the device
/// functions of shared objects that were opened since the last start.
///
/// # Errors
/// The world could not be made, or such device functions are of another version.
pub(crate) fn start(make: impl FnOnce() -> Result<Start>) -> Result<()> {
    static WATCHED: Once = Once::new();
    refuse_fork()?;
    if read().start_again()? {
        return Ok(());
    }
    let mut life = write();
    // Another thread may have made the world meanwhile.
    if life.start_again()? {
        return Ok(());
    }
    // Without memory for the handler, a fork is not noticed.
    // SAFETY: the handler stores to an atomic, which it may do in any state of the process. The C library forgets it when
    // this library is closed.
    let watch = || unsafe { libc::pthread_atfork(None, None, Some(note_fork)) };
    WATCHED.call_once(|| {
        let _ = watch();
    });
    HAS_WORLD.store(true, Ordering::Relaxed);
    let Start { met, config } = make().inspect_err(|_| HAS_WORLD.store(false, Ordering::Relaxed))?;
    MY_PE.store(met.my_pe().number().into(), Ordering::Relaxed);
    met.on_exit(|pe, status| end_process(&format!("{pe} ended the program"), status));
    life.starts = AtomicU32::new(1);
    match config {
        Some(config) => life.run(met, config),
        None => {
            life.stage = Stage::Met(met);
            Ok(())
        }
    }
}

/// Ends the default world, if this is the last of its ends.
///
/// # Errors
/// There is none, or it could not end in good order; it is over in any case.
pub(crate) fn end() -> Result<()> {
    refuse_fork()?;
    let life = read();
    if matches!(life.stage, Stage::Out) {
        return Err(life.absent());
    }
    if life.end_one_of_several() {
        return Ok(());
    }
    drop(life);
    let mut life = write();
    if life.end_one_of_several() {
        return Ok(());
    }
    let ended = match std::mem::replace(&mut life.stage, Stage::Out) {
        Stage::Out => return Ok(()),
        Stage::Met(met) => met.leave(),
        Stage::Running(face) => face.finalize(),
    };
    life.ended = Some(Ended::Finalised);
    HAS_WORLD.store(false, Ordering::Relaxed);
    ended
}

/// Announces to the other PEs that this one can't continue.
pub(crate) fn give_up(reason: &str) {
    at_once(|met| met.give_up(reason), |face| face.world.give_up(reason));
}

/// Announces to the other PEs that the program ends with this status.
pub(crate) fn announce_exit(status: i32) {
    at_once(|met| met.announce_exit(status), |face| face.world.announce_exit(status));
}

/// Does something without waiting, unless there is no world, or another thread is about to make or to end it.
pub(crate) fn in_running_world(what: impl FnOnce(&Face)) {
    at_once(|_| (), what);
}

fn at_once(met: impl FnOnce(&Bootstrapped), running: impl FnOnce(&Face)) {
    if is_forked() {
        return;
    }
    if let Ok(life) = LIFE.try_read() {
        match &life.stage {
            Stage::Out => {}
            Stage::Met(pes) => met(pes),
            Stage::Running(face) => running(face),
        }
    }
}

/// Returns this PE, if there is or was a world.
pub(crate) fn my_pe() -> Option<Pe> {
    u32::try_from(MY_PE.load(Ordering::Relaxed)).ok().map(Pe::new)
}

#[cfg(test)]
mod tests {
    use oxshmem_hal::bootstrap::{BootstrapConfig, RootAt};

    use super::*;

    #[test]
    fn a_world_whose_program_has_not_chosen_a_gpu_is_bootstrapped_until_a_call_needs_it() {
        assert_eq!(status(), NOT_INITIALIZED);
        let bootstrap = BootstrapConfig { pe: Pe::new(0), n_pes: 1, root: RootAt::Alone, limit: None, host: None };
        let open = || Ok(Start { met: Bootstrapped::by(&bootstrap)?, config: None });
        let unused = |_: &Face| -> Result<u32> { panic!("it needs no device") };
        for is_used in [false, true] {
            start(open).unwrap();
            start(|| panic!("there is a world")).unwrap();
            end().unwrap();
            assert_eq!(query(|met| Some(met.n_pes()), unused).unwrap(), 1);
            assert_eq!(query(|met| Some(met.place_on_host().1), unused).unwrap(), 1);
            in_running_world(|_| panic!("there is no device"));
            assert_eq!(status(), IS_BOOTSTRAPPED);
            if is_used {
                assert_eq!(query(|_| None, |face| Ok(face.world.n_pes())).unwrap(), 1);
                assert_eq!(status(), IS_INITIALIZED);
                with(|face| face.world.barrier_all()).unwrap();
            }
            end().unwrap();
            assert_eq!(status(), IS_BOOTSTRAPPED);
            let over = end().unwrap_err().to_string();
            assert!(over.contains("finalised"), "{over}");
        }
    }
}

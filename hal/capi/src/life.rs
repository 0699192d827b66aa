//! The life of the default world: not started, running, ended.

use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use oxshmem_hal::{Error, ErrorKind, Pe, Result, World};

use crate::face::Face;

static LIFE: RwLock<Life> = RwLock::new(Life { face: None, starts: AtomicU32::new(0), ended: false });

/// This PE's number while there is a world, otherwise -1: messages need it without the lock.
static MY_PE: AtomicI64 = AtomicI64::new(-1);

/// Calls hold it for reading, the first start and the last end for writing: that end waits for calls of other threads.
/// Starts and ends within hold it for reading, since another thread's wait may need what this thread does next.
struct Life {
    face: Option<Face>,
    /// The number of starts that no end has matched. NVSHMEM's starts nest.
    starts: AtomicU32,
    /// Whether there was a world that ended.
    ended: bool,
}

impl Life {
    /// Counts another start of the present world. Returns whether there is one.
    fn start_again(&self) -> Result<bool> {
        let Some(face) = &self.face else { return Ok(false) };
        face.link_program()?;
        self.starts.fetch_add(1, Ordering::Relaxed);
        Ok(true)
    }

    /// Counts an end. Returns false, and counts none, if it is the last.
    fn end_one_of_several(&self) -> bool {
        let less = |starts: u32| (starts > 1).then(|| starts - 1);
        self.starts.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_ok()
    }
}

fn read() -> RwLockReadGuard<'static, Life> {
    // The state changes in one statement each.
    LIFE.read().unwrap_or_else(PoisonError::into_inner)
}

fn write() -> RwLockWriteGuard<'static, Life> {
    // The state changes in one statement each.
    LIFE.write().unwrap_or_else(PoisonError::into_inner)
}

/// Runs a call on the default world.
///
/// # Errors
/// There is no default world, or the call failed.
pub(crate) fn with<R>(call: impl FnOnce(&Face) -> Result<R>) -> Result<R> {
    let life = read();
    match &life.face {
        Some(face) => call(face),
        None => Err(Error::new(ErrorKind::InvalidArgument, "make the call").because(match life.ended {
            false => "the library is not initialised: nvshmem_init must come first",
            true => "the library is finalised: nvshmem_finalize has been called",
        })),
    }
}

/// Returns whether there is a default world.
pub(crate) fn is_running() -> bool {
    read().face.is_some()
}

/// Makes the default world by `make`, or counts another start of the present one, which gives its state to the device
/// functions of shared objects that were opened since the last start.
///
/// # Errors
/// The world could not be made, or such device functions are of another version.
pub(crate) fn start(make: impl FnOnce() -> Result<World>) -> Result<()> {
    if read().start_again()? {
        return Ok(());
    }
    let mut life = write();
    // Another thread may have made the world meanwhile.
    if life.start_again()? {
        return Ok(());
    }
    let world = make()?;
    MY_PE.store(world.my_pe().number().into(), Ordering::Relaxed);
    let face = Face::new(world).inspect_err(|_| MY_PE.store(-1, Ordering::Relaxed))?;
    (life.face, life.starts) = (Some(face), AtomicU32::new(1));
    Ok(())
}

/// Ends the default world, if this is the last of its ends.
///
/// # Errors
/// There is none, or it could not end in good order; it is over in any case.
pub(crate) fn end() -> Result<()> {
    with(|_| Ok(()))?;
    if read().end_one_of_several() {
        return Ok(());
    }
    let mut life = write();
    if life.end_one_of_several() {
        return Ok(());
    }
    let Some(face) = life.face.take() else { return Ok(()) };
    life.ended = true;
    let ended = face.finalize();
    MY_PE.store(-1, Ordering::Relaxed);
    ended
}

/// Announces to the other PEs that this one can't continue.
pub(crate) fn give_up(reason: &str) {
    in_running_world(|face| face.world.give_up(reason));
}

/// Announces to the other PEs that the program ends with this status.
pub(crate) fn announce_exit(status: i32) {
    in_running_world(|face| face.world.announce_exit(status));
}

/// Does something without waiting, unless there is no world, or another thread is about to make or to end it.
pub(crate) fn in_running_world(what: impl FnOnce(&Face)) {
    if let Ok(life) = LIFE.try_read() {
        life.face.as_ref().map(what);
    }
}

/// Returns this PE, if there is a world.
pub(crate) fn my_pe() -> Option<Pe> {
    u32::try_from(MY_PE.load(Ordering::Relaxed)).ok().map(Pe::new)
}

//! The end of a whole program by one PE.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use oxshmem_core::Pe;
use oxshmem_core::host::Result;

use super::World;
use crate::control::{Control, spawn};

/// The reason that a PE announces, before the status.
const EXIT: &str = "it ended the program with status ";

impl World {
    #[cfg(feature = "capi")]
    #[doc(hidden)]
    /// Announces to all PEs that this one can't continue, with the reason, and stops this PE's kernels. The calls of
    /// the other PEs end with `PeerDied` and this text. Not collective. The announcement has left this process when
    /// this returns, so that the program may end its process; this PE can make no further collective call.
    pub fn give_up(&self, reason: &str) {
        self.abort();
        self.control.give_up(reason);
    }

    #[cfg(feature = "capi")]
    #[doc(hidden)]
    /// Announces to all PEs that the program ends with this exit status, and stops this PE's kernels. Not collective.
    ///
    /// The program ends its own process afterwards; those of the other PEs end if they asked to be informed
    /// ([`on_exit`](World::on_exit)), and otherwise treat this PE as dead.
    pub fn announce_exit(&self, status: i32) {
        self.give_up(&reason(status));
    }

    #[cfg(feature = "capi")]
    #[doc(hidden)]
    /// Registers a function that is called, by a thread of the library, when another PE has announced the end of the
    /// program: with that PE and the status.
    pub fn on_exit(&self, ended: impl Fn(Pe, i32) + Send + Sync + 'static) {
        on_exit(&self.control, ended);
    }
}

pub(super) fn on_exit(control: &Control, ended: impl Fn(Pe, i32) + Send + Sync + 'static) {
    control.on_death(Box::new(move |pe, reason| {
        if let Some(status) = status_in(reason) {
            ended(pe, status);
        }
    }));
}

/// Returns the reason that announces an exit status.
pub(super) fn reason(status: i32) -> String {
    format!("{EXIT}{status}")
}

/// The time between two looks at the word by which a kernel ends the program.
const BETWEEN_LOOKS: Duration = Duration::from_millis(20);

#[doc(hidden)]
/// A thread that waits for a kernel to end the program. Ends when this is dropped.
#[derive(Debug)]
pub struct ExitWatch {
    /// Dropping it ends the thread.
    goes_on: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for ExitWatch {
    fn drop(&mut self) {
        self.goes_on = None;
        // A thread that panicked has reported that.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

impl World {
    #[cfg(feature = "capi")]
    #[doc(hidden)]
    /// Waits, in a thread of its own, for a kernel of this PE to end the program. Announces that to all PEs, as
    /// [`announce_exit`](World::announce_exit), and then calls `ended` with the status.
    ///
    /// # Errors
    /// The process can have no more threads.
    pub fn watch_exits(&self, ended: impl FnOnce(i32) + Send + 'static) -> Result<ExitWatch> {
        let (machine, control) = (self.machine.clone(), self.control.clone());
        let (goes_on, over) = channel::<()>();
        let watch = move || {
            while over.recv_timeout(BETWEEN_LOOKS) == Err(RecvTimeoutError::Timeout) {
                if let Some(status) = machine.exit_status() {
                    control.give_up(&reason(status));
                    return ended(status);
                }
            }
        };
        let thread = spawn("oxshmem-exit", watch)?;
        Ok(ExitWatch { goes_on: Some(goes_on), thread: Some(thread) })
    }
}

/// Returns the status that a PE's reason announces; `None` if it is another reason.
fn status_in(reason: &str) -> Option<i32> {
    reason.rsplit_once(EXIT)?.1.parse().ok()
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::time::Duration;

    use oxshmem_raw::state::fault::ask_for_exit;

    use super::*;
    use crate::{Config, DeviceChoice, Error, ErrorKind};

    #[test]
    fn the_end_of_the_program_reaches_every_other_pe_with_its_status() {
        let config = Config::new().with_device(DeviceChoice::Host).with_heap_bytes(1 << 20);
        let ended = World::threads_each(3, &config, |world| {
            let (send, received) = channel();
            world.on_exit(move |pe, status| send.send((pe, status)).unwrap_or_default());
            world.barrier_all()?;
            if world.my_pe() == Pe::new(1) {
                world.announce_exit(-7);
                return Err(Error::new(ErrorKind::Refused, "continue"));
            }
            Ok(received.recv_timeout(Duration::from_secs(20)).unwrap())
        });
        let ended: Vec<_> = ended.unwrap().into_iter().map(Result::ok).collect();
        // The world of a PE that was informed ends without its peer, so that its own outcome may be an error.
        assert!(ended.iter().flatten().all(|told| *told == (Pe::new(1), -7)), "{ended:?}");
    }

    #[test]
    fn a_kernel_ends_the_program_of_every_pe_with_its_status() {
        let config = Config::new().with_device(DeviceChoice::Host).with_heap_bytes(1 << 20);
        let ended = World::threads_each(3, &config, |world| {
            let (send, received) = channel();
            let (own, others) = (send.clone(), send);
            let _watch = world.watch_exits(move |status| own.send((None, status)).unwrap_or_default())?;
            world.on_exit(move |pe, status| others.send((Some(pe), status)).unwrap_or_default());
            world.barrier_all()?;
            let is_caller = world.my_pe() == Pe::new(2);
            if is_caller {
                ask_for_exit(&world.state(), -9);
            }
            let ended = received.recv_timeout(Duration::from_secs(20)).unwrap();
            assert_eq!(ended, ((!is_caller).then_some(Pe::new(2)), -9));
            Err::<(), _>(Error::new(ErrorKind::Refused, "continue"))
        });
        assert_eq!(ended.unwrap().len(), 3);
    }

    #[test]
    fn a_watch_for_the_end_ends_with_its_world_without_a_call() {
        let config = Config::new().with_device(DeviceChoice::Host).with_heap_bytes(1 << 20);
        World::threads(1, &config, |world| {
            let (send, received) = channel();
            drop(world.watch_exits(move |status| send.send(status).unwrap_or_default())?);
            // The thread has ended and has dropped its end.
            assert_eq!(received.recv(), Err(std::sync::mpsc::RecvError));
            Ok(())
        })
        .unwrap();
    }

    #[test]
    fn other_reasons_are_no_status() {
        assert_eq!(status_in("it said: it ended the program with status 3"), Some(3));
        for other in ["it said: it ended the program", "it ended the program with status x", ""] {
            assert_eq!(status_in(other), None, "{other}");
        }
    }
}

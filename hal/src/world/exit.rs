//! The end of a whole program by one PE.

use oxshmem_core::Pe;

use super::World;

/// The reason that a PE announces, before the status.
const EXIT: &str = "it ended the program with status ";

impl World {
    /// Announces to all PEs that this one can't continue, with the reason, and stops this PE's kernels. The calls of
    /// the other PEs end with `PeerDied` and this text. Not collective. The announcement has left this process when
    /// this returns, so that the program may end its process; this PE can make no further collective call.
    pub fn give_up(&self, reason: &str) {
        self.abort();
        self.control.give_up(reason);
    }

    /// Announces to all PEs that the program ends with this exit status, and stops this PE's kernels. Not collective.
    ///
    /// The program ends its own process afterwards; those of the other PEs end if they asked to be informed
    /// ([`on_exit`](World::on_exit)), and otherwise treat this PE as dead.
    pub fn announce_exit(&self, status: i32) {
        self.give_up(&format!("{EXIT}{status}"));
    }

    /// Registers a function that is called, by a thread of the library, when another PE has announced the end of the
    /// program: with that PE and the status.
    pub fn on_exit(&self, ended: impl Fn(Pe, i32) + Send + Sync + 'static) {
        self.control.on_death(Box::new(move |pe, reason| {
            if let Some(status) = status_in(reason) {
                ended(pe, status);
            }
        }));
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
    fn other_reasons_are_no_status() {
        assert_eq!(status_in("it said: it ended the program with status 3"), Some(3));
        for other in ["it said: it ended the program", "it ended the program with status x", ""] {
            assert_eq!(status_in(other), None, "{other}");
        }
    }
}

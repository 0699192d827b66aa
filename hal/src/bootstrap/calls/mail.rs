//! Messages from one PE to another, outside of collective calls.
//!
//! A message takes the way through the tree: up to the first PE whose subtree has its destination, then down. Messages
//! from one PE to another arrive in order. A message to a PE that is gone is dropped, and the sender learns of the death
//! as of any other. The destination's monitor thread passes the message on, so that its program need not make a call.

use std::fmt;
use std::sync::{Mutex, Weak};

use oxshmem_core::{Error, ErrorKind, Pe, Result};
use oxshmem_raw::transport::{PeerEvent, PeerMessages};

use super::{Calls, lock};
use crate::bootstrap::connection::Deadline;
use crate::bootstrap::frame::{Frame, FrameKind, MAX_BLOB_BYTES};

/// Called for each message with its sender.
type OnMail = Box<dyn Fn(Pe, &[u8]) + Send + Sync>;

/// The functions that take the mail of this PE, by channel.
#[derive(Default)]
pub(in crate::bootstrap) struct Mailbox(Mutex<Vec<(u8, OnMail)>>);

impl Mailbox {
    /// Passes a message on. The mail of a channel without a reader is dropped.
    pub(in crate::bootstrap) fn deliver(&self, frame: &Frame<'_>) {
        for (_, read) in lock(&self.0).iter().filter(|(channel, _)| *channel == frame.op) {
            // A panic in a reader must not stop the monitor thread.
            let read = || read(Pe::new(frame.seq as u32), frame.blob);
            let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(read));
        }
    }
}

/// The owner of a PE's calls, unless it is gone.
pub(in crate::bootstrap) type WeakCalls = Weak<dyn AsRef<Calls> + Send + Sync>;

/// This PE's end of a channel. It does not keep the world alive.
pub struct Mail {
    calls: WeakCalls,
    channel: u8,
}

impl Mail {
    pub(in crate::bootstrap) fn new(calls: WeakCalls, channel: u8) -> Self {
        Self { calls, channel }
    }
}

impl fmt::Debug for Mail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Mail(channel {})", self.channel)
    }
}

impl PeerMessages for Mail {
    fn send(&self, to: Pe, message: &[u8]) -> Result<()> {
        let error = |kind| Error::new(kind, format!("send a message to {to}")).about(to);
        let owner = self.calls.upgrade();
        let owner = owner.ok_or_else(|| error(ErrorKind::Refused).because("this PE has left the world"))?;
        if message.len() > MAX_BLOB_BYTES {
            return Err(error(ErrorKind::OutOfRange).amount(message.len() as u64, MAX_BLOB_BYTES as u64, "bytes"));
        }
        let calls = (*owner).as_ref();
        let seq = calls.pe.number().into();
        let frame =
            Frame { kind: FrameKind::Mail, op: self.channel, pe: to.number(), count: 0, seq, step: "", blob: message };
        calls.send(&frame, Deadline::after(calls.limit));
        Ok(())
    }

    fn receive(&self, act: Box<dyn Fn(Pe, PeerEvent<'_>) + Send + Sync>) {
        let Some(owner) = self.calls.upgrade() else { return };
        let act = std::sync::Arc::new(act);
        let of_death = act.clone();
        let monitor = &(*owner).as_ref().monitor;
        let read: OnMail = Box::new(move |from, message| act(from, PeerEvent::Message(message)));
        lock(&monitor.mailbox.0).push((self.channel, read));
        monitor.subscribe(Box::new(move |pe, reason| of_death(pe, PeerEvent::Died(reason))));
    }
}

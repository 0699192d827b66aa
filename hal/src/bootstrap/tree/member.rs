//! One connection of a hub: what has arrived in part, and what is still to send.

use std::collections::VecDeque;
use std::io;
use std::ops::Range;
use std::os::fd::AsFd;
use std::sync::Arc;

use nix::poll::{PollFd, PollFlags};

use crate::bootstrap::connection::Connection;
use crate::bootstrap::frame::Inbox;

/// One connection that is trusted.
pub(in crate::bootstrap) struct Member {
    pub connection: Connection,
    /// The PEs whose frames come by it.
    pub pes: Range<u32>,
    /// It leads to a PE that joins, and will end when the PE is connected to its parent.
    pub joins: bool,
    pub inbox: Inbox,
    /// Pieces to send. Of the first one, `sent` bytes are sent.
    outbox: VecDeque<Arc<[u8]>>,
    sent: usize,
}

impl Member {
    pub(in crate::bootstrap) fn new(connection: Connection, pes: Range<u32>) -> Self {
        Self { connection, pes, joins: false, inbox: Inbox::default(), outbox: VecDeque::new(), sent: 0 }
    }

    /// Queues pieces to send.
    pub(in crate::bootstrap) fn queue(&mut self, pieces: impl IntoIterator<Item = Arc<[u8]>>) {
        self.outbox.extend(pieces);
    }

    /// Whether everything queued has been sent.
    pub(in crate::bootstrap) fn is_idle(&self) -> bool {
        self.outbox.is_empty()
    }

    /// Sends as much as fits now.
    pub(in crate::bootstrap) fn flush(&mut self) -> io::Result<()> {
        while let Some(first) = self.outbox.front() {
            match self.connection.send_some(&first[self.sent..]) {
                Ok(bytes) => self.sent += bytes,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) => return Err(error),
            }
            if self.sent == first.len() {
                self.outbox.pop_front();
                self.sent = 0;
            }
        }
        Ok(())
    }

    /// Reads what has arrived into the inbox; an error says why the connection is at its end.
    pub(in crate::bootstrap) fn read(&mut self, buffer: &mut [u8]) -> Result<(), String> {
        match self.connection.recv_some(buffer) {
            Ok(0) => Err("its connection closed before it left".into()),
            Ok(bytes) => {
                self.inbox.push(&buffer[..bytes]);
                Ok(())
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(()),
            Err(error) => Err(format!("its connection broke: {error}")),
        }
    }

    /// Returns the entry by which to wait until it can receive, or send if there is something to send.
    pub(in crate::bootstrap) fn poll_fd(&self) -> PollFd<'_> {
        let out = if self.is_idle() { PollFlags::empty() } else { PollFlags::POLLOUT };
        PollFd::new(self.connection.as_fd(), PollFlags::POLLIN | out)
    }
}

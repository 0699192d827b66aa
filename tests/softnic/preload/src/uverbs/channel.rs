//! Channels of completion events: descriptors from which a program reads 8 bytes for each event.

use std::collections::VecDeque;
use std::os::fd::{AsRawFd, FromRawFd, IntoRawFd, OwnedFd, RawFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use super::attrs::{Answer, Errno};

/// Both ends of a channel.
#[derive(Debug)]
pub(crate) struct Channel {
    ours: OwnedFd,
    /// The program's end, which the program closes.
    theirs: RawFd,
}

/// The events of one completion queue on its channel.
#[derive(Clone, Debug)]
pub(crate) struct Events {
    channel: Arc<Channel>,
    /// The program's own name of the queue, which is the content of an event.
    name: u64,
    sent: Arc<AtomicU32>,
}

/// Returns two connected descriptors, ours and the program's. They are sockets and no pipe, so that an event is read
/// whole, and a program that closed its end raises no SIGPIPE.
pub(super) fn pair() -> Answer<(OwnedFd, OwnedFd)> {
    let mut ends = [0; 2];
    // SAFETY: there is room for two descriptors.
    let made =
        unsafe { libc::socketpair(libc::AF_UNIX, libc::SOCK_SEQPACKET | libc::SOCK_CLOEXEC, 0, ends.as_mut_ptr()) };
    if made != 0 {
        return Err(Errno(libc::EMFILE));
    }
    // SAFETY: `socketpair` has just returned this descriptor, which nothing else owns.
    let theirs = unsafe { OwnedFd::from_raw_fd(ends[0]) };
    // SAFETY: `socketpair` has just returned this descriptor, which nothing else owns.
    let ours = unsafe { OwnedFd::from_raw_fd(ends[1]) };
    Ok((ours, theirs))
}

/// Sends an event. A full socket means that the program reads no events; it loses them.
pub(super) fn send(end: &OwnedFd, event: &[u8]) {
    let flags = libc::MSG_NOSIGNAL | libc::MSG_DONTWAIT;
    // SAFETY: the event has the given length, and the descriptor is this process's.
    unsafe { libc::send(end.as_raw_fd(), event.as_ptr().cast(), event.len(), flags) };
}

impl Channel {
    /// Makes a channel. Returns it and the program's descriptor.
    pub(super) fn new() -> Answer<(Arc<Self>, RawFd)> {
        let (ours, theirs) = pair()?;
        let theirs = theirs.into_raw_fd();
        Ok((Arc::new(Self { ours, theirs }), theirs))
    }

    /// Takes an event that the program has not read.
    fn unread(&self) -> Option<u64> {
        let mut event = [0; 8];
        // SAFETY: there is room for the given length. The descriptor is the program's end, which it keeps open while
        // completion queues use the channel.
        let got = unsafe { libc::recv(self.theirs, event.as_mut_ptr().cast(), event.len(), libc::MSG_DONTWAIT) };
        (got == 8).then_some(u64::from_ne_bytes(event))
    }
}

impl Events {
    pub(super) fn new(channel: Arc<Channel>, name: u64) -> Self {
        Self { channel, name, sent: Arc::default() }
    }

    /// Raises an event.
    pub(super) fn raise(&self) {
        self.sent.fetch_add(1, Ordering::AcqRel);
        send(&self.channel.ours, &self.name.to_ne_bytes());
    }

    /// Removes the events that the program has not read. Returns the number of those that it has.
    pub(super) fn end(&self) -> u32 {
        let unread: VecDeque<u64> = std::iter::from_fn(|| self.channel.unread()).collect();
        let (own, others): (Vec<u64>, Vec<u64>) = unread.into_iter().partition(|name| *name == self.name);
        others.iter().for_each(|name| send(&self.channel.ours, &name.to_ne_bytes()));
        self.sent.load(Ordering::Acquire) - own.len() as u32
    }
}

//! Channels of events: descriptors from which a program reads a record of 8 or 16 bytes for each event.

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

/// The events of one kind and one object on a channel.
#[derive(Clone, Debug)]
pub(crate) struct Events {
    channel: Arc<Channel>,
    /// The content of an event, which has the program's own name of the object.
    record: Vec<u8>,
    sent: Arc<AtomicU32>,
}

/// Returns two connected descriptors, ours and the program's. They are sockets and no pipe, so that an event is read
/// whole, and a program that closed its end raises no SIGPIPE.
fn pair() -> Answer<(OwnedFd, OwnedFd)> {
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
fn send(end: &OwnedFd, event: &[u8]) {
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

    /// Sends an event.
    pub(super) fn send(&self, record: &[u8]) {
        send(&self.ours, record);
    }

    /// Takes an event that the program has not read.
    fn unread(&self) -> Option<Vec<u8>> {
        let mut event = vec![0; 16];
        // SAFETY: there is room for the given length. The descriptor is the program's end, which it keeps open while
        // objects use the channel.
        let got = unsafe { libc::recv(self.theirs, event.as_mut_ptr().cast(), event.len(), libc::MSG_DONTWAIT) };
        event.truncate(usize::try_from(got).ok()?);
        (!event.is_empty()).then_some(event)
    }
}

impl Events {
    pub(super) fn new(channel: Arc<Channel>, record: Vec<u8>) -> Self {
        Self { channel, record, sent: Arc::default() }
    }

    /// Raises an event.
    pub(super) fn raise(&self) {
        self.sent.fetch_add(1, Ordering::AcqRel);
        self.channel.send(&self.record);
    }

    /// Removes the events that the program has not read. Returns the number of those that it has.
    pub(super) fn end(&self) -> u32 {
        let unread = std::iter::from_fn(|| self.channel.unread());
        let (own, others): (Vec<_>, Vec<_>) = unread.partition(|record| *record == self.record);
        others.iter().for_each(|record| self.channel.send(record));
        self.sent.load(Ordering::Acquire) - own.len() as u32
    }
}

//! All-to-all: each PE passes a block of data to every other PE.
//!
//! In a small world all data go to all PEs by one collective call. In a large one that would be N^2 blocks at each PE;
//! instead PE `p` connects to the PEs `p + 1`, `p + 2`, `p + 4` and so on, modulo N, and blocks travel in as many
//! rounds (Bruck's algorithm): in the round of distance `d`, a PE sends its neighbour the blocks whose distance to
//! their destination has the bit `d`. A PE sends N/2 blocks in each round, and holds N.

use std::collections::BTreeMap;
use std::io;
use std::net::TcpListener;
use std::os::fd::AsFd;

use nix::poll::{PollFd, PollFlags};
use oxshmem_core::{Error, ErrorKind, Pe, Result};

use super::{Calls, Exchange, ExchangeError, agree_on_outcome};
use crate::bootstrap::addresses;
use crate::bootstrap::connection::{Connection, lacks_descriptors, poll};
use crate::bootstrap::frame::{MAX_BLOB_BYTES, Op};
use crate::bootstrap::meeting::handshake::{Admission, AdmittedPe};
use crate::bootstrap::meeting::uid::Secret;
use crate::bootstrap::meeting::{Ends, join_at};

/// The largest world whose data go to all PEs. It takes less time than connections between PEs.
pub(crate) const SMALL: u32 = 64;
/// First byte of a PE's announcement, before its addresses: whether it has a block that is not empty.
const NO_DATA: u8 = 0;
const DATA: u8 = 1;

/// Passes `mine`, which has one block for each PE, and returns the blocks for this PE, by PE. `number` counts the
/// exchanges of this world. Without a secret the PEs are threads of one process.
///
/// # Errors
/// As collective calls, and on every PE the reason of the first one that could not pass its blocks.
pub(crate) fn exchange(
    secret: Option<&Secret>,
    number: u64,
    calls: &Calls,
    step: &str,
    mine: &[Vec<u8>],
) -> Result<Vec<Vec<u8>>> {
    let refuse = |failed: ExchangeError| failed.refuse(calls, Op::Swap, step);
    if let Some(asked) = mine.iter().map(Vec::len).find(|bytes| *bytes > MAX_BLOB_BYTES) {
        let text = format!("a block has {asked} bytes, {MAX_BLOB_BYTES} are allowed");
        return refuse(ExchangeError::new(ErrorKind::OutOfRange, text));
    }
    if mine.len() != calls.n_pes as usize {
        let text = format!("it has {} blocks for {} PEs", mine.len(), calls.n_pes);
        return refuse(ExchangeError::new(ErrorKind::OutOfRange, text));
    }
    let Some(secret) = secret.filter(|_| calls.n_pes > SMALL) else {
        let mut all = Vec::with_capacity(mine.len());
        for theirs in calls.call(Op::Swap, step, &encode(mine.iter()))? {
            let for_me = decode(&theirs).and_then(|mut blocks| blocks.nth(calls.pe.index()));
            all.push(for_me.map(<[u8]>::to_vec).ok_or_else(malformed));
        }
        // All PEs have the same bytes, and fail alike.
        let mine: Result<Vec<_>, ExchangeError> = all.into_iter().collect();
        return mine.map_err(|failed| failed.error(Op::Swap, step, calls.pe));
    };
    let one_host = calls.same_host.iter().all(|same| *same);
    let opened = addresses::listen_beside((addresses::loopback(), 0).into(), one_host).map_err(ExchangeError::from);
    let (listener, own) = match opened {
        Ok(opened) => opened,
        Err(failed) => return refuse(failed),
    };
    let has_data = if mine.iter().all(Vec::is_empty) { NO_DATA } else { DATA };
    let all = calls.call(Op::Swap, step, &[&[has_data], &addresses::encode(&own)[..]].concat())?;
    if all.iter().all(|theirs| theirs.first() == Some(&NO_DATA)) {
        return Ok(mine.to_vec());
    }
    let swap = Swap { exchange: Exchange::new(calls, (Op::Swap, b"swap"), step, secret, number), all: &all };
    agree_on_outcome(calls, Op::Swap, step, swap.run(&listener, mine))
}

/// One PE's part in an exchange over connections.
struct Swap<'a> {
    exchange: Exchange<'a>,
    /// By PE: its announcement.
    all: &'a [Vec<u8>],
}

/// Returns the distances of a world's rounds.
pub(crate) fn distances(n_pes: u32) -> impl Iterator<Item = u32> {
    (0..u32::BITS).map(|bit| 1 << bit).take_while(move |distance| *distance < n_pes)
}

impl Swap<'_> {
    fn run(&self, listener: &TcpListener, mine: &[Vec<u8>]) -> Result<Vec<Vec<u8>>, ExchangeError> {
        let (me, n) = (self.exchange.calls.pe.number(), self.exchange.calls.n_pes);
        let (to, mut from) = std::thread::scope(|scope| {
            let accepting = scope.spawn(|| self.accept(listener));
            let to = distances(n).map(|distance| self.connect((me + distance) % n)).collect::<Result<Vec<_>, _>>();
            let from =
                accepting.join().map_err(|_| ExchangeError::new(ErrorKind::System, "the accepting thread ended"));
            Ok::<_, ExchangeError>((to?, from??))
        })?;
        // At first the block for the PE at distance `i` is at `i`, in the end the block from the PE at that distance.
        let mut blocks: Vec<Vec<u8>> = (0..n).map(|i| mine[((me + i) % n) as usize].clone()).collect();
        for (distance, to) in distances(n).zip(to) {
            let from = from.remove(&((me + n - distance) % n)).ok_or_else(malformed)?;
            let travels = |i: &usize| *i as u32 & distance != 0;
            let sent = encode((0..n as usize).filter(travels).map(|i| &blocks[i]));
            let received = self.transfer(&to, &sent, &from)?;
            let mut theirs = decode(&received).ok_or_else(malformed)?;
            for i in (0..n as usize).filter(travels) {
                blocks[i] = theirs.next().ok_or_else(malformed)?.to_vec();
            }
        }
        Ok((0..n).map(|pe| std::mem::take(&mut blocks[((me + n - pe) % n) as usize])).collect())
    }

    /// Accepts the PEs at the other side of each distance.
    fn accept(&self, listener: &TcpListener) -> Result<BTreeMap<u32, Connection>, ExchangeError> {
        let (me, n) = (self.exchange.calls.pe.number(), self.exchange.calls.n_pes);
        let expected = distances(n).map(|distance| (me + n - distance) % n);
        let mut admission = Admission::new(self.exchange.secret_of(me), n, me, expected);
        let mut from = BTreeMap::new();
        listener.set_nonblocking(true)?;
        while !admission.is_complete() {
            self.exchange.check_progress()?;
            let mut fds = vec![PollFd::new(listener.as_fd(), PollFlags::POLLIN)];
            fds.extend(admission.sockets().map(|fd| PollFd::new(fd, PollFlags::POLLIN)));
            poll(&mut fds, self.exchange.next_check())?;
            let ready: Vec<bool> = fds.iter().map(|fd| fd.any().unwrap_or(true)).collect();
            let accepted = if ready[0] { listener.accept().map(Some) } else { Ok(None) };
            match accepted {
                Ok(Some((stream, _))) => admission.add(Connection::tcp(stream)?),
                Err(error) if lacks_descriptors(&error) => return Err(error.into()),
                _ => {}
            }
            from.extend(
                admission.advance(&ready[1..]).into_iter().map(|AdmittedPe { pe, connection }| (pe, connection)),
            );
        }
        Ok(from)
    }

    fn connect(&self, pe: u32) -> Result<Connection, ExchangeError> {
        let addresses = self.all[pe as usize].get(1..).and_then(addresses::decode).ok_or_else(malformed)?;
        let ends = Ends { pe: self.exchange.calls.pe, n_pes: self.exchange.calls.n_pes, to: Pe::new(pe) };
        let check = || self.exchange.check_progress().map_err(|failed| Error::new(failed.kind, failed.text));
        Ok(join_at(ends, &addresses, &self.exchange.secret_of(pe), self.exchange.calls.limit, check)?)
    }

    /// Sends `bytes` after their number to one PE and receives such a message from another, both at once.
    fn transfer(&self, to: &Connection, bytes: &[u8], from: &Connection) -> Result<Vec<u8>, ExchangeError> {
        let head = (bytes.len() as u64).to_le_bytes();
        let (mut sent, mut received) = (0, Vec::new());
        let mut buffer = vec![0; 1 << 16];
        let whole = |received: &[u8]| {
            let (bytes, rest) = received.split_first_chunk()?;
            Some(u64::from_le_bytes(*bytes) == rest.len() as u64)
        };
        while sent < head.len() + bytes.len() || whole(&received) != Some(true) {
            let left = if sent < head.len() { &head[sent..] } else { &bytes[sent - head.len()..] };
            let out = if left.is_empty() { PollFlags::empty() } else { PollFlags::POLLOUT };
            let input = if whole(&received) == Some(true) { PollFlags::empty() } else { PollFlags::POLLIN };
            let mut fds = [PollFd::new(to.as_fd(), out), PollFd::new(from.as_fd(), input)];
            poll(&mut fds, self.exchange.next_check())?;
            self.exchange.check_progress()?;
            if !left.is_empty() {
                sent += some(to.send_some(left))?.unwrap_or(0);
            }
            if !input.is_empty()
                && let Some(read) = some(from.recv_some(&mut buffer))?
            {
                if read == 0 {
                    return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
                }
                received.extend_from_slice(&buffer[..read]);
            }
        }
        received.drain(..head.len());
        Ok(received)
    }
}

/// Returns `None` if nothing can be moved now.
fn some(moved: io::Result<usize>) -> io::Result<Option<usize>> {
    match moved {
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
        moved => moved.map(Some),
    }
}

fn malformed() -> ExchangeError {
    ExchangeError::new(ErrorKind::Malformed, "a PE sent blocks in another form")
}

/// Encodes blocks: the length of each as a `u32`, and its bytes.
fn encode<'a>(blocks: impl Iterator<Item = &'a Vec<u8>>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for block in blocks {
        bytes.extend((block.len() as u32).to_le_bytes());
        bytes.extend(block);
    }
    bytes
}

/// Decodes blocks; `None` if the bytes have another form.
fn decode(bytes: &[u8]) -> Option<impl Iterator<Item = &[u8]>> {
    let (mut blocks, mut rest) = (Vec::new(), bytes);
    while !rest.is_empty() {
        let (length, after) = rest.split_first_chunk()?;
        let (block, after) = after.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        blocks.push(block);
        rest = after;
    }
    Some(blocks.into_iter())
}

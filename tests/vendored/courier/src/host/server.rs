//! The courier's thread: executes requests in the order of each mailbox.

use std::mem::offset_of;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::Duration;

use oxshmem_core::host::{Error, ErrorKind, HostAmo, Result};
use oxshmem_core::{Pe, Remote, SymAddr};
use oxshmem_raw::memory::Chunk;

use super::heaps::Heaps;
use crate::state::{DEPTH, Kind, Slot};

/// Rounds without a request after which the thread sleeps.
const IDLE_ROUNDS: u32 = 1000;
/// The longest sleep between two polls, unless a launch wakes the thread.
const NAP: Duration = Duration::from_micros(50);
/// Bytes before the first slot, which contain the word that reports the end of the thread.
const SLOTS: usize = size_of::<Slot>();
/// Bytes of the slots of one mailbox.
const MAILBOX: usize = DEPTH as usize * size_of::<Slot>();

/// The slots of all mailboxes, in host memory.
#[derive(Debug)]
pub(super) struct Requests(Chunk);

impl Requests {
    /// Returns the size in bytes for this number of PEs.
    pub(super) const fn bytes(n_pes: usize) -> usize {
        SLOTS + n_pes * MAILBOX
    }

    /// Wraps zeroed memory of this size on the host.
    pub(super) fn new(memory: Chunk) -> Self {
        Self(memory)
    }

    /// Returns the address of the slots to PE `pe`, for kernels.
    pub(super) fn kernel_slots(&self, pe: usize) -> u64 {
        self.0.kernel() + (SLOTS + pe * MAILBOX) as u64
    }

    /// Returns the address of the word that is 1 once the thread has ended, for kernels.
    pub(super) fn kernel_ended(&self) -> u64 {
        self.0.kernel()
    }

    /// Returns the word at this offset.
    fn word(&self, at: usize) -> &AtomicU64 {
        assert!(at.is_multiple_of(8) && at + 8 <= self.0.bytes());
        let base = self.0.host().expect("the chunk is on the host");
        // SAFETY: the word is aligned and in the chunk, which lives as long as `self`. Kernels and this thread access
        // it by atomics alone.
        unsafe { AtomicU64::from_ptr((base as usize + at) as *mut u64) }
    }
}

/// The thread, and its shared state with the control plane.
#[derive(Debug)]
pub(super) struct Server {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    requests: Requests,
    heaps: Arc<Heaps>,
    stop: AtomicBool,
    failure: OnceLock<Error>,
}

impl Server {
    /// Starts the thread, which serves the mailboxes to these peers.
    pub(super) fn start(me: Pe, requests: Requests, peers: &[bool], heaps: Arc<Heaps>) -> Result<Self> {
        let (stop, failure) = (AtomicBool::new(false), OnceLock::new());
        let shared = Arc::new(Shared { requests, heaps, stop, failure });
        // For each peer, the index of the next request.
        let mut next: Vec<_> = (0u64..).zip(peers).filter(|(_, is_peer)| **is_peer).map(|(pe, _)| (pe, 0)).collect();
        let body = {
            let shared = shared.clone();
            move || {
                if let Err(error) = shared.serve(&mut next) {
                    eprintln!("the courier of {me} has stopped: {error}");
                    let _ = shared.failure.set(error);
                }
                // Waiting threads see that no answer will come.
                shared.requests.word(0).store(1, Ordering::Release);
            }
        };
        let thread = std::thread::Builder::new().name(format!("courier-{}", me.number())).spawn(body);
        let thread = thread.map_err(|error| super::system("start the courier's thread", "clone", &error))?;
        Ok(Self { shared, thread: Some(thread) })
    }

    /// Wakes the thread if it sleeps.
    pub(super) fn wake(&self) {
        if let Some(thread) = &self.thread {
            thread.thread().unpark();
        }
    }

    /// Returns the error that ended the thread.
    pub(super) fn failure(&self) -> Option<&Error> {
        self.shared.failure.get()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Relaxed);
        self.wake();
        if let Some(thread) = self.thread.take() {
            // A panic of the thread has been reported already.
            let _ = thread.join();
        }
    }
}

impl Shared {
    /// Serves requests until the world ends.
    fn serve(&self, next: &mut [(u64, u64)]) -> Result<()> {
        let mut idle = 0;
        while !self.stop.load(Ordering::Relaxed) {
            let mut served = false;
            for (pe, index) in &mut *next {
                while self.serve_one(*pe, *index)? {
                    (*index, served) = (*index + 1, true);
                }
            }
            idle = if served { 0 } else { idle + 1 };
            match idle {
                0 => {}
                1..=IDLE_ROUNDS => std::thread::yield_now(),
                _ => std::thread::park_timeout(NAP),
            }
        }
        Ok(())
    }

    /// Executes the request with this index to this PE, if it has been written. Returns whether it had.
    fn serve_one(&self, pe: u64, index: u64) -> Result<bool> {
        let slot = SLOTS + pe as usize * MAILBOX + (index % DEPTH) as usize * size_of::<Slot>();
        let word = |field| self.requests.word(slot + field);
        let turn = word(offset_of!(Slot, turn));
        let requested = 3 * (index / DEPTH) + 1;
        if turn.load(Ordering::Acquire) != requested {
            return Ok(false);
        }
        let [kind, remote, local, bytes, operand] = [
            offset_of!(Slot, kind),
            offset_of!(Slot, remote),
            offset_of!(Slot, local),
            offset_of!(Slot, bytes),
            offset_of!(Slot, operand),
        ]
        .map(|field| word(field).load(Ordering::Relaxed));
        let remote = Remote { pe: Pe::new(pe as u32), at: SymAddr::new(remote) };
        let answer = self.execute(Kind::from_word(kind), remote, local, bytes, operand)?;
        word(offset_of!(Slot, answer)).store(answer, Ordering::Relaxed);
        turn.store(requested + 1, Ordering::Release);
        Ok(true)
    }

    fn execute(&self, kind: Option<Kind>, remote: Remote, local: u64, bytes: u64, operand: u64) -> Result<u64> {
        let mut word = operand.to_ne_bytes();
        let element = word.get_mut(..bytes as usize);
        match (kind, element) {
            // SAFETY: **local**: the kernel's thread keeps its memory mapped while it waits for the answer.
            (Some(Kind::Put), _) => unsafe { self.heaps.put(remote, local, bytes).map(|()| 0) },
            // SAFETY: **local**: the kernel's thread keeps its memory mapped while it waits for the answer.
            (Some(Kind::Get), _) => unsafe { self.heaps.get(local, remote, bytes).map(|()| 0) },
            (Some(Kind::Write), Some(element)) => self.heaps.write(remote, element).map(|()| 0),
            (Some(Kind::Read), Some(element)) => {
                self.heaps.read(element, remote)?;
                Ok(u64::from_ne_bytes(word))
            }
            (Some(Kind::Amo(op, of)), _) => self.heaps.atomic(remote, HostAmo { op, of, operand, compare: local }),
            (None, _) | (Some(Kind::Write | Kind::Read), None) => Err(Error::new(
                ErrorKind::Malformed,
                format!("execute a request to {}: kind {kind:?}, {bytes} bytes", remote.pe),
            )
            .because("no kernel of this version writes such a request")
            .about(remote.pe)),
        }
    }
}

#[cfg(test)]
mod tests {
    use oxshmem_raw::memory::Memory;

    use super::super::heaps::tests::heaps;
    use super::*;

    /// Returns a word of slot `number` of the mailbox to PE 1.
    fn word(server: &Server, number: usize, field: usize) -> &AtomicU64 {
        server.shared.requests.word(SLOTS + MAILBOX + number * size_of::<Slot>() + field)
    }

    fn request(server: &Server, number: usize, kind: u64, remote: u64, bytes: u64, operand: u64) {
        for (field, value) in [
            (offset_of!(Slot, kind), kind),
            (offset_of!(Slot, remote), remote),
            (offset_of!(Slot, bytes), bytes),
            (offset_of!(Slot, operand), operand),
        ] {
            word(server, number, field).store(value, Ordering::Relaxed);
        }
        word(server, number, offset_of!(Slot, turn)).store(1, Ordering::Release);
        server.wake();
    }

    #[test]
    fn requests_are_executed_in_the_order_of_their_slots_and_a_malformed_one_ends_the_thread() {
        let (heaps, _theirs, _) = heaps();
        let requests = Requests::new(Chunk::on_host(&Memory::Host, Requests::bytes(2)).unwrap());
        let server = Server::start(Pe::new(0), requests, &[false, true], Arc::new(heaps)).unwrap();
        let turn = |number| word(&server, number, offset_of!(Slot, turn)).load(Ordering::Acquire);
        // The read is there first, and waits for the write in the slot before it.
        request(&server, 1, Kind::Read.word(), 8, 4, 0);
        request(&server, 0, Kind::Write.word(), 8, 4, 0x0403_0201);
        while turn(1) != 2 {
            std::thread::yield_now();
        }
        let answer = word(&server, 1, offset_of!(Slot, answer)).load(Ordering::Relaxed);
        assert_eq!((turn(0), answer), (2, 0x0403_0201));
        assert!(server.failure().is_none() && server.shared.requests.word(0).load(Ordering::Acquire) == 0);

        request(&server, 2, Kind::Write.word(), 8, 9, 0);
        while server.shared.requests.word(0).load(Ordering::Acquire) == 0 {
            std::thread::yield_now();
        }
        assert_eq!(turn(2), 1, "there is no answer");
        assert_eq!(server.failure().unwrap().kind(), ErrorKind::Malformed);
    }
}

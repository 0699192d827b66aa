//! The control plane of a world, as its PEs use it: collective calls, mail and deaths.
//!
//! [`Control`] is one PE's handle. Its calls go through the tree that the [bootstrap](crate::bootstrap) has formed,
//! unless all PEs are on one host and meet in shared memory. A connection that ends before its PE
//! [left](Control::leave) counts as the PE's death, which the root announces to all others.

mod calls;
mod identity;

use std::collections::BTreeMap;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::thread::JoinHandle;
use std::time::Duration;

use oxshmem_core::{Error, ErrorKind, Pe, Result};
use oxshmem_raw::os::shm::{SharedWords, ShmChunk};

pub use self::calls::fds::MAX_FDS;
use self::calls::fds::{FdChannel, InProcessFds};
use self::calls::host_calls::{HostCalls, count_cores, own_cores};
use self::calls::monitor::siblings;
use self::calls::{Calls, lock, swap, watch};
pub use self::calls::{Mail, OnDeath};
use self::identity::host_identity;
use crate::bootstrap::addresses;
use crate::bootstrap::connection::{Connection, Deadline};
use crate::bootstrap::frame::{Frame, FrameKind, MAX_STEP_BYTES, Op};
use crate::bootstrap::meeting::handshake::Admission;
use crate::bootstrap::meeting::uid::Secret;
use crate::bootstrap::meeting::{BootstrapConfig, Meeting};
use crate::bootstrap::tree::hub::Hub;
use crate::bootstrap::tree::joining::{self, Place};
use crate::bootstrap::tree::{FAN_OUT, Tree};

/// One PE's handle to the control plane of its world. Clones are handles of the same PE.
///
/// All PEs make the same collective calls in the same order. Each call names its `step`, so that an error can
/// distinguish a mistake from a delay. No call waits longer than the limit, and the death of a PE ends the calls of
/// all. Dropping the last clone without [`leave`](Self::leave) counts as this PE's death.
#[derive(Clone)]
pub struct Control(Arc<ControlInner>);

struct ControlInner {
    calls: Calls,
    /// The monitor thread; the thread of the root, on PE 0, or of a PE to which others connect; the thread that connects
    /// siblings.
    threads: Mutex<Vec<JoinHandle<()>>>,
    fd_channel: FdChannel,
    exchanges: AtomicU64,
}

impl Control {
    /// Connects this PE to the others of its world. Collective: returns once all are connected.
    ///
    /// # Errors
    /// `OutOfRange` if `pe` is not below `n_pes`; `Unreachable` or `Timeout` if PE 0 can't be reached within the limit;
    /// `Timeout`, with the missing PEs; `Refused` if the secrets differ; `System` if PE 0 can't listen.
    pub fn connect(config: &BootstrapConfig) -> Result<Self> {
        Self::connect_in_tree(config, FAN_OUT)
    }

    /// Connects as [`connect`](Self::connect), with another number of PEs for which one PE passes calls on. PE 0's
    /// value counts.
    ///
    /// # Errors
    /// As [`connect`](Self::connect).
    pub fn connect_in_tree(config: &BootstrapConfig, fan_out: u32) -> Result<Self> {
        let BootstrapConfig { pe, n_pes, .. } = *config;
        if n_pes == 0 || n_pes > crate::bootstrap::MAX_PES || pe.number() >= n_pes {
            return Err(Error::new(ErrorKind::OutOfRange, format!("start {pe} of {n_pes}"))
                .because(format!("a world has 1 to {} PEs, numbered from 0", crate::bootstrap::MAX_PES)));
        }
        let limit = countable(config.limit);
        let Place { connection, secret, hub, for_siblings } = match config.root.meeting(pe, n_pes, limit)? {
            Meeting::Listen { listener, waiting, secret, when_complete } => {
                let (ours, root_end) = Connection::pair()?;
                let mut admission = Admission::new(secret.clone(), n_pes, 0, 1..n_pes);
                waiting.into_iter().for_each(|connection| admission.add(connection));
                let tree = Tree { n_pes, fan_out: fan_out.max(1) };
                let root = Hub::root(tree, root_end, listener, admission, limit, when_complete);
                Place { connection: ours, secret, hub: Some(root), for_siblings: None }
            }
            Meeting::Alone => {
                let (ours, root_end) = Connection::pair()?;
                let hub = Some(Hub::complete(vec![root_end], limit));
                Place { connection: ours, secret: Secret::fresh()?, hub, for_siblings: None }
            }
            Meeting::Join { name, find } => joining::take_place(pe, n_pes, &name, limit, config.root.is_name(), find)?,
        };
        let mut inner = ControlInner::new(pe, n_pes, limit, connection, FdChannel::Sockets(secret.clone()))?;
        lock(&inner.threads).extend(hub.map(|hub| spawn("oxshmem-hub", move || hub.serve())).transpose()?);
        let identity = config.host.as_ref().map_or_else(host_identity, |host| host.clone().into_bytes());
        let all =
            inner.calls.call(Op::Connect, "connect", &siblings::announcement(&identity, for_siblings.as_ref()))?;
        inner.calls.same_host = all.iter().map(|other| siblings::announced(other).0 == identity).collect();
        // Without these connections, deaths after the root's are not announced.
        if let Some((listener, _)) = for_siblings {
            let addresses =
                (0..).zip(&all).filter_map(|(pe, other)| Some((pe, addresses::decode(siblings::announced(other).1)?)));
            let (all, monitor) = (addresses.collect::<BTreeMap<_, _>>(), inner.calls.monitor.clone());
            inner.calls.monitor.expect_siblings(all.keys().copied());
            let meet = move || {
                siblings::meet(&listener, &all, n_pes, &secret, &monitor);
                monitor.siblings_met();
            };
            let meeting = spawn("oxshmem-siblings", meet).inspect_err(|_| inner.calls.monitor.siblings_met());
            lock(&inner.threads).extend(meeting.ok());
        }
        inner.share_memory()?;
        Ok(Self(Arc::new(inner)))
    }

    /// Creates a world whose PEs are threads of this process, and returns one handle for each, indexed by PE.
    ///
    /// # Errors
    /// `OutOfRange` for no PEs or too many; `System` if the process has no sockets or threads left.
    pub fn in_process(n_pes: u32, limit: Option<Duration>) -> Result<Vec<Self>> {
        if n_pes == 0 || n_pes > crate::bootstrap::MAX_PES {
            return Err(Error::new(ErrorKind::OutOfRange, format!("start a world of {n_pes} PEs"))
                .because(format!("a world has 1 to {} PEs", crate::bootstrap::MAX_PES)));
        }
        let limit = countable(limit);
        let connections = (0..n_pes).map(|_| Connection::pair()).collect::<Result<Vec<_>>>()?;
        let (ours, root_ends): (Vec<_>, Vec<_>) = connections.into_iter().unzip();
        let root = Hub::complete(root_ends, limit);
        let offered = Arc::new(InProcessFds::default());
        // Without the memory, calls go through the root, which costs time alone.
        let memory = HostCalls::create(n_pes).and_then(|chunk| SharedWords::map(&chunk)).ok().map(Arc::new);
        let spins = std::thread::available_parallelism().is_ok_and(|cores| cores.get() >= n_pes as usize);
        let mut pes = (0..)
            .zip(ours)
            .map(|(pe, connection)| {
                let mut inner =
                    ControlInner::new(Pe::new(pe), n_pes, limit, connection, FdChannel::InProcess(offered.clone()))?;
                inner.calls.same_host.fill(true);
                inner.calls.host_calls = memory.clone().map(|memory| HostCalls::new(memory, pe, n_pes, spins, limit));
                Ok(inner)
            })
            .collect::<Result<Vec<_>>>()?;
        lock(&pes[0].threads).push(spawn("oxshmem-hub", move || root.serve())?);
        Ok(pes.drain(..).map(|inner| Self(Arc::new(inner))).collect())
    }

    /// Returns this PE.
    pub fn pe(&self) -> Pe {
        self.0.calls.pe
    }

    /// Returns the number of PEs in the world.
    pub fn n_pes(&self) -> u32 {
        self.0.calls.n_pes
    }

    /// Returns whether other PEs of the world are threads of this process.
    pub fn is_in_process(&self) -> bool {
        self.n_pes() > 1 && matches!(self.0.fd_channel, FdChannel::InProcess(_))
    }

    /// Returns whether the connections by which PEs announce deaths once the root is dead are made, or given up.
    #[doc(hidden)]
    pub fn is_settled(&self) -> bool {
        !self.0.calls.monitor.is_meeting_siblings()
    }

    /// Returns the longest wait of a call; `None` waits without limit.
    pub fn limit(&self) -> Option<Duration> {
        self.0.calls.limit
    }

    /// Collective: gathers one blob of at most [`MAX_BLOB_BYTES`](crate::bootstrap::MAX_BLOB_BYTES) bytes from each PE
    /// and returns all of them, indexed by PE.
    ///
    /// # Errors
    /// `Mismatch` on every PE if they name different steps, with the PEs and their steps; `Timeout` with the missing
    /// PEs, at once on every PE that arrived and later on the others; `PeerDied`; `OutOfRange` on every PE if a blob or
    /// a name is too long.
    pub fn all_gather(&self, step: &str, mine: &[u8]) -> Result<Vec<Vec<u8>>> {
        self.0.calls.call(Op::Gather, step, mine)
    }

    /// Collective: returns once all PEs have arrived.
    ///
    /// # Errors
    /// As [`all_gather`](Self::all_gather).
    pub fn barrier(&self, step: &str) -> Result<()> {
        self.0.calls.call(Op::Barrier, step, &[]).map(drop)
    }

    /// Collective: succeeds if all PEs pass the same values. Each value has a name for the error.
    ///
    /// # Errors
    /// `Mismatch` on every PE if the values differ, with two PEs and the first value that differs; otherwise as
    /// [`all_gather`](Self::all_gather).
    pub fn agree(&self, step: &str, values: &[(&'static str, u64)]) -> Result<()> {
        self.0.calls.agree(step, values)
    }

    /// Collective: each PE passes file descriptors and receives duplicates of the descriptors of every PE on its host,
    /// indexed by PE and in the order passed. PEs on other hosts have `None`; this PE's own entry holds duplicates too.
    /// Close-on-exec is set.
    ///
    /// # Errors
    /// As [`all_gather`](Self::all_gather); `Exhausted` on every PE if one has too few descriptors left, `OutOfRange`
    /// if one passes more than [`MAX_FDS`].
    pub fn exchange_fds(&self, step: &str, mine: &[BorrowedFd<'_>]) -> Result<Vec<Option<Vec<OwnedFd>>>> {
        let number = self.0.exchanges.fetch_add(1, Ordering::Relaxed);
        self.0.fd_channel.exchange(number, &self.0.calls, step, mine)
    }

    /// Collective: passes each PE's blocks, one for each PE and each of at most
    /// [`MAX_BLOB_BYTES`](crate::bootstrap::MAX_BLOB_BYTES) bytes, and returns the blocks for this PE, by PE. With N
    /// PEs and blocks of one size, a PE sends N log N / 2 blocks at most; [`all_gather`](Self::all_gather) would give
    /// it N^2.
    ///
    /// # Errors
    /// As [`all_gather`](Self::all_gather); `OutOfRange` on every PE if one has another number of blocks; `Unreachable`
    /// on every PE if one can't connect to another.
    pub fn all_to_all(&self, step: &str, mine: &[Vec<u8>]) -> Result<Vec<Vec<u8>>> {
        let number = self.0.exchanges.fetch_add(1, Ordering::Relaxed);
        swap::exchange(self.0.fd_channel.secret(), number, &self.0.calls, step, mine)
    }

    /// Returns whether `pe` runs on this host, under the same kernel and in the same network namespace.
    pub fn same_host(&self, pe: Pe) -> bool {
        self.0.calls.is_same_host(pe)
    }

    /// Registers a function that the monitor thread calls once for each PE found dead or gone, with the reason,
    /// including the PEs that are dead already. The function should be short, and must not make collective calls or
    /// hold a clone of this handle. Leaving and dropping wait for a call in progress: the caller must then hold no lock
    /// that the function takes.
    pub fn on_death(&self, on_death: OnDeath) {
        self.0.calls.monitor.subscribe(on_death);
    }

    /// Returns this PE's end of a channel by which any two PEs exchange messages outside of collective calls. Each
    /// channel has a number. The messages go through the tree.
    pub fn mail(&self, channel: u8) -> Mail {
        let inner: Weak<ControlInner> = Arc::downgrade(&self.0);
        Mail::new(inner, channel)
    }

    /// Returns the PE that was found dead first, if any.
    pub fn dead(&self) -> Option<Pe> {
        self.0.calls.monitor.dead()
    }

    /// Returns the same PE as [`dead`](Self::dead), with the reason in words.
    pub fn death(&self) -> Option<(Pe, String)> {
        self.0.calls.monitor.death()
    }

    /// The reason in words why `pe` was found dead, if it was.
    pub fn death_of(&self, pe: Pe) -> Option<String> {
        self.0.calls.monitor.death_of(pe)
    }

    /// Waits until `pe` is found dead, for `limit` at most, and returns whether it is.
    pub fn is_dead_within(&self, pe: Pe, limit: Duration) -> bool {
        self.0.calls.monitor.is_dead_within(pe, Deadline::after(Some(limit)))
    }

    /// Announces to all PEs that this PE can't continue, with the reason. Their calls and this PE's calls end with
    /// `PeerDied` and this text. Not collective; best effort, without a report.
    pub fn fail(&self, reason: &str) {
        self.announce(reason, None);
    }

    /// Announces as [`fail`](Self::fail), with the error's text. This PE's later calls have its kind and name its PE.
    pub fn fail_of(&self, error: &Error) {
        self.announce(&error.to_string(), error.pe().map(|pe| (error.kind(), pe)));
    }

    fn announce(&self, reason: &str, about: Option<(ErrorKind, Pe)>) {
        // A root that was stopped would not learn otherwise why others no longer waited for it.
        let before = self.0.calls.monitor.gave_up().filter(|why| !reason.contains(why));
        let reason = &before.map_or_else(|| reason.into(), |why| format!("{reason}; before, {why}"));
        let mut end = reason.len().min(MAX_STEP_BYTES);
        while !reason.is_char_boundary(end) {
            end -= 1;
        }
        let blob = format!("it said: {}", &reason[..end]);
        let pe = self.0.calls.pe.number();
        let frame = Frame { kind: FrameKind::Fail, op: 0, pe, count: 0, seq: 0, step: "", blob: blob.as_bytes() };
        self.0.calls.monitor.send(&frame, Deadline::after(self.0.calls.limit));
        self.0.calls.monitor.failed(reason, about);
    }

    /// Announces as [`fail`](Self::fail), and closes the connection. When this returns, the announcement has left this
    /// process, which may end at once, even if it is the one that passes messages on. Later calls of this PE fail.
    pub fn give_up(&self, reason: &str) {
        self.fail(reason);
        self.0.close();
    }

    /// Leaves the world properly. Collective. Afterwards a closed connection does not count as a death, and no thread
    /// and no descriptor of the control plane is left on this PE, even if clones of the handle exist.
    ///
    /// # Errors
    /// As [`all_gather`](Self::all_gather); the connection is closed in any case.
    pub fn leave(self) -> Result<()> {
        let left = self.0.calls.call(Op::Leave, "leave", &[]).map(drop);
        self.0.close();
        left
    }
}

impl std::fmt::Debug for Control {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Control({} of {})", self.0.calls.pe, self.0.calls.n_pes)
    }
}

impl ControlInner {
    fn new(pe: Pe, n_pes: u32, limit: Option<Duration>, connection: Connection, fd_channel: FdChannel) -> Result<Self> {
        let calls = Calls::new(pe, n_pes, limit, connection)?;
        let monitor = calls.monitor.clone();
        let monitor_thread = spawn("oxshmem-monitor", move || watch(&monitor))?;
        Ok(Self { calls, threads: Mutex::new(vec![monitor_thread]), fd_channel, exchanges: AtomicU64::new(0) })
    }

    /// Shares memory for collective calls if all PEs are on this host: PE 0 creates it. Collective.
    fn share_memory(&mut self) -> Result<()> {
        let calls = &self.calls;
        if !calls.same_host.iter().all(|same| *same) {
            return Ok(());
        }
        let step = "share memory for collective calls";
        // Without the memory, calls go through the root, which costs time alone.
        let own = (calls.pe.number() == 0).then(|| HostCalls::create(calls.n_pes)).and_then(Result::ok);
        let fds: Vec<_> = own.iter().map(ShmChunk::fd).collect();
        let number = self.exchanges.fetch_add(1, Ordering::Relaxed);
        let received = match self.fd_channel.exchange(number, calls, step, &fds) {
            Ok(mut received) => received.swap_remove(0),
            Err(error) if matches!(error.kind(), ErrorKind::PeerDied | ErrorKind::Timeout) => return Err(error),
            // Every PE has this error.
            Err(_) => return Ok(()),
        };
        let theirs = received.and_then(|mut fds| fds.pop());
        let chunk = theirs.and_then(|fd| ShmChunk::from_fd(fd, HostCalls::bytes(calls.n_pes)).ok());
        let memory = chunk.and_then(|chunk| SharedWords::map(&chunk).ok());
        // A PE may spin if each PE has a core to itself.
        let mine = if memory.is_some() { own_cores() } else { Vec::new() };
        let all = calls.call(Op::Gather, step, &mine)?;
        if let Some(memory) = memory.filter(|_| all.iter().all(|cores| !cores.is_empty())) {
            let spins = count_cores(&all) >= calls.n_pes as usize;
            let (pe, n_pes, limit) = (calls.pe.number(), calls.n_pes, calls.limit);
            self.calls.host_calls = Some(HostCalls::new(Arc::new(memory), pe, n_pes, spins, limit));
        }
        Ok(())
    }

    fn close(&self) {
        self.calls.monitor.close();
        let threads = std::mem::take(&mut *lock(&self.threads));
        // A callback that holds the last clone is dropped by the monitor thread, which can't wait for itself.
        let others = threads.into_iter().filter(|thread| thread.thread().id() != std::thread::current().id());
        others.for_each(|thread| drop(thread.join()));
    }
}

impl AsRef<Calls> for ControlInner {
    fn as_ref(&self) -> &Calls {
        &self.calls
    }
}

impl Drop for ControlInner {
    fn drop(&mut self) {
        self.close();
    }
}

const _: () = {
    const fn threads_may_share<T: Send + Sync>() {}
    threads_may_share::<Control>();
};

/// Treats a limit of ten years or more as no limit, since clocks can't count that far.
fn countable(limit: Option<Duration>) -> Option<Duration> {
    limit.filter(|limit| *limit < Duration::from_secs(10 * 365 * 86_400))
}

pub(crate) fn spawn(name: &str, run: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>> {
    std::thread::Builder::new()
        .name(name.into())
        .spawn(run)
        .map_err(|error| Error::new(ErrorKind::System, format!("start the thread {name}")).because(error.to_string()))
}

#[cfg(test)]
#[path = "tests/model.rs"]
mod model;

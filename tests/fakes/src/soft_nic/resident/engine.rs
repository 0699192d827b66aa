//! The thread that launches slices, and its orders.

use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use oxshmem_raw::memory::Memory;
use oxshmem_softnic::{PlaneQueue, PlaneRegion};

use super::room::Room;
use super::runner::{Runner, shared_bytes};
use super::{lock, tell};

/// The engine carries out orders at the end of a slice; a longer time is an error.
const LIMIT: Duration = Duration::from_secs(150);

type Answer<T> = Sender<Result<T, String>>;

/// Orders to the engine, which carries them out between two slices.
pub(super) enum Order {
    Start(Box<PlaneQueue>, Answer<()>),
    Stop(u16, u32, Answer<()>),
    Counters(u16, u32, Answer<(u16, u16)>),
    Learn(u16, PlaneRegion, Answer<()>),
    Forget(u16, u32, u32, Answer<()>),
    /// Launches nothing until the sender of the second channel is gone.
    Hold(Answer<()>, Receiver<()>),
}

/// An engine, whose thread ends with it.
#[derive(Debug)]
pub(super) struct Engine {
    orders: Mutex<Option<Sender<Order>>>,
    /// Its first word ends the running slice.
    shared: Arc<Room>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

/// No slice runs while this lives.
#[derive(Debug)]
pub(super) struct Held(#[allow(dead_code, reason = "dropped, it lets the engine go on")] Sender<()>);

impl Engine {
    pub(super) fn new(memory: Memory) -> Result<Self, String> {
        let shared = Arc::new(Room::shared(&memory, shared_bytes())?);
        let runner = Runner::new(memory, shared.clone())?;
        let (orders, told) = channel();
        let thread = std::thread::Builder::new()
            .name("softnic engine".into())
            .spawn(move || runner.run(&told))
            .map_err(|error| error.to_string())?;
        Ok(Self { orders: Mutex::new(Some(orders)), shared, thread: Mutex::new(Some(thread)) })
    }

    fn order<T>(&self, what: &str, order: impl FnOnce(Answer<T>) -> Order) -> Result<T, String> {
        let (answer, answered) = channel();
        let sent = lock(&self.orders).as_ref().map(|orders| orders.send(order(answer)));
        if !matches!(sent, Some(Ok(()))) {
            return Err(format!("{what}: the engine has ended"));
        }
        // After the order, so that a slice that misses the order ends.
        self.shared.words()[0].store(1, Ordering::Release);
        match answered.recv_timeout(LIMIT) {
            Ok(result) => result,
            Err(RecvTimeoutError::Timeout) => Err(format!("{what}: the engine has not done it for {LIMIT:?}")),
            Err(RecvTimeoutError::Disconnected) => Err(format!("{what}: the engine has ended")),
        }
    }

    pub(super) fn start(&self, queue: PlaneQueue) -> Result<(), String> {
        self.order("execute a queue", |answer| Order::Start(Box::new(queue), answer))
    }

    pub(super) fn stop(&self, nic: u16, qpn: u32) {
        self.complain(self.order("stop a queue", |answer| Order::Stop(nic, qpn, answer)));
    }

    pub(super) fn counters(&self, nic: u16, qpn: u32) -> Option<(u16, u16)> {
        self.order("tell where a queue is", |answer| Order::Counters(nic, qpn, answer)).ok()
    }

    pub(super) fn learn(&self, nic: u16, region: PlaneRegion) -> Result<(), String> {
        self.order("learn a key", |answer| Order::Learn(nic, region, answer))
    }

    pub(super) fn forget(&self, nic: u16, lkey: u32, rkey: u32) {
        self.complain(self.order("forget a key", |answer| Order::Forget(nic, lkey, rkey, answer)));
    }

    pub(super) fn hold(&self) -> Result<Held, String> {
        let (sender, receiver) = channel();
        self.order("hold", |answer| Order::Hold(answer, receiver))?;
        Ok(Held(sender))
    }

    /// Prints a failure, since a caller that gives a resource back can not handle it.
    fn complain(&self, result: Result<(), String>) {
        if let Err(why) = result {
            tell(why);
        }
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        drop(lock(&self.orders).take());
        self.shared.words()[0].store(1, Ordering::Release);
        if let Some(thread) = lock(&self.thread).take() {
            let _ = thread.join();
        }
    }
}

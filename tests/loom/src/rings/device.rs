//! The files of both halves.

macro_rules! real {
    ($($name:ident = $path:literal;)*) => { $(
        #[path = $path]
        #[allow(dead_code, unreachable_pub, reason = "the model uses what writes, waits and reads")]
        pub(super) mod $name;

        )*
    };
}

real! {
    queue = "../../../../transport-ibrc/src/device/queue.rs";
    reader = "../../../../transport-ibrc/src/host/ring/reader.rs";
    reply = "../../../../transport-ibrc/src/device/reply.rs";
    ring = "../../../../transport-ibrc/src/device/ring.rs";
}

use crate::state::ProxyQueue;

use self::queue::{Queue, QueueRef};
use crate::request::{Kind, head};
use oxshmem_raw::gpu::order;
use oxshmem_raw::memory;
use oxshmem_raw::queue::lanes::Lanes;

fn queue_ref(at: *mut ProxyQueue) -> QueueRef {
    // SAFETY: **live**: the model keeps the queue's state until its threads have ended.
    unsafe { QueueRef::at(at) }
}

fn open(at: *mut ProxyQueue) -> Queue {
    queue_ref(at).open()
}

/// Writes a put with number `id`, which names memory at `source`. Returns the index to wait for.
pub(super) fn put(at: *mut ProxyQueue, id: u64, source: u64) -> u64 {
    let queue = open(at);
    let places = ring::reserve(queue, Lanes::alone()).expect("a place");
    ring::write(queue, places.own, true, head(Kind::Put, 0, 0, queue.number), rest(id, source));
    places.ended().expect("a queue that works");
    places.own + 1
}

/// Requests a word, and returns the answer.
pub(super) fn fetch(at: *mut ProxyQueue, id: u64) -> u64 {
    reply::ask(open(at), Kind::Fetch, 8, rest(id, 0), |_| ()).expect("an answer")
}

/// Requests data in the landing, and returns them and the answer.
pub(super) fn get(at: *mut ProxyQueue, id: u64) -> (u64, u64) {
    let (queue, mut landed) = (open(at), 0);
    let read = |index| {
        order::reply_before_data();
        [landed, _] = memory::read(queue.landing(index));
    };
    let answer = reply::ask(queue, Kind::Get, 0, rest(id, 0), read).expect("an answer");
    (landed, answer)
}

/// Waits for the requests below index `target`.
pub(super) fn wait(at: *mut ProxyQueue, target: u64) {
    let queue = open(at);
    ring::wait(queue, target).expect("complete");
}

/// Waits until all requests that were issued before the call are complete, as quiet does.
pub(super) fn quiet(at: *mut ProxyQueue) {
    wait(at, queue_ref(at).last())
}

/// Returns words that reveal a mix of two requests.
pub(super) fn rest(id: u64, source: u64) -> [u64; 7] {
    [id, source, id ^ u64::MAX, id, id ^ u64::MAX, id, id ^ u64::MAX]
}

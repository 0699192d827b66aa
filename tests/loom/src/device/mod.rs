//! The device half's own files, and the few items that they need from elsewhere.

macro_rules! real {
    ($($name:ident = $path:literal;)*) => { $(
        #[path = $path]
        #[allow(dead_code, unreachable_pub, reason = "the model uses what posts and waits")]
        mod $name;

        )*
    };
}

real! {
    done = "../../../../transport-ibgda/src/device/done.rs";
    fetch = "../../../../transport-ibgda/src/device/fetch.rs";
    keys = "../../../../transport-ibgda/src/device/keys.rs";
    post = "../../../../transport-ibgda/src/device/post.rs";
    queue = "../../../../transport-ibgda/src/device/queue.rs";
    queue_ref = "../../../../transport-ibgda/src/device/queue_ref.rs";
    sharing = "../../../../transport-ibgda/src/device/sharing.rs";
    wqe = "../../../../transport-ibgda/src/device/wqe.rs";
}

use crate::state::QueueState;
use oxshmem_core::SymAddr;
use oxshmem_raw::memory;
use oxshmem_rdma::mlx5::{Key, data, opcode, raddr};

use self::queue::Queue;
use self::queue_ref::QueueRef;
pub(crate) use self::sharing::{Exclusive, Shared, Sharing};
use self::wqe::Ask;
use oxshmem_raw::queue::lanes::Lanes;

fn queue_ref<S: Sharing>(at: *mut QueueState) -> QueueRef<S> {
    // SAFETY: **live**: the model keeps the queue's state until its threads have ended.
    unsafe { QueueRef::at(at) }
}

fn queue<S: Sharing>(at: *mut QueueState) -> Queue<S> {
    queue_ref(at).open()
}

/// Writes the words of 8 bytes at `source`, and posts each in a block of its own, in one reservation. Returns the index
/// after the last block.
pub(crate) fn put<S: Sharing>(at: *mut QueueState, source: &[u64]) -> u64 {
    let (queue, lanes, blocks) = (queue::<S>(at), Lanes::alone(), source.len() as u32);
    let reserved = post::reserve(queue, lanes, blocks).expect("room");
    for (index, &word) in (reserved.own..).zip(source) {
        memory::write(word, [index, 0]);
        wqe::head(queue, index, Ask::plain(opcode::RDMA_WRITE, 3), index + 1 == reserved.end);
        wqe::part(queue, index, 1, raddr(8 * index, Key::from_wire(queue.rkey())));
        wqe::part(queue, index, 2, data(8, Key::from_wire(queue.lkey()), word));
    }
    post::publish(queue, lanes, reserved);
    reserved.end
}

/// Waits until the entries below `target` are complete.
pub(crate) fn wait<S: Sharing>(at: *mut QueueState, target: u64) {
    done::wait(queue_ref::<S>(at), target).expect("complete");
}

/// Waits until everything that was reserved before the call is complete, as quiet does on a queue.
pub(crate) fn quiet<S: Sharing>(at: *mut QueueState) {
    let queue = queue_ref::<S>(at);
    done::wait(queue, queue.reserved()).expect("complete");
}

/// Reads the word at `from` in the peer's heap.
pub(crate) fn get<S: Sharing>(at: *mut QueueState, from: u64) -> u64 {
    fetch::read_bytes(queue_ref::<S>(at), SymAddr::new(from), 8).expect("a result")
}

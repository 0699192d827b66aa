//! State that host and kernels share, of both transports.

#[path = "../../../transport-ibgda/src/state.rs"]
#[allow(dead_code, unreachable_pub, reason = "the model uses what posts and waits")]
mod ibgda;
#[path = "../../../transport-ibrc/src/state.rs"]
#[allow(dead_code, unreachable_pub, reason = "the model uses what writes and reads lines")]
mod ibrc;

pub(crate) use ibgda::{ExtentKeys, FetchSlot, LocalKeys, NicState, QueueState, flags};
pub(crate) use ibrc::{
    BufferRange, ConsumerHead, ENDED, LANDING_BYTES, ProxyQueue, ProxyState, QueueProgress, Reply, RingState, stopped,
};

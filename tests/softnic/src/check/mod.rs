//! The rules that a driver must keep, and the consequences of breaking one.

mod log;

use std::fmt;

pub use log::Violation;
pub(crate) use log::Violations;

macro_rules! rules {
    ($($(#[doc = $doc:literal])+ $name:ident = $text:literal;)+) => {
        /// A rule that a driver must keep.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Rule {
            $($(#[doc = $doc])+ $name,)+
        }

        impl Rule {
            /// All rules.
            pub const ALL: &[Rule] = &[$(Rule::$name,)+];

            /// Returns its name in messages.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Rule::$name => $text,)+
                }
            }
        }
    };
}

rules! {
    /// Opcode and opmod exist on the send queue of an RC queue pair, and the NIC supports them.
    Opcode = "opcode";
    /// ds is the length of the WQE in units of 16 bytes: not 0, within the limit, and as its segments require.
    SegmentCount = "segment-count";
    /// The control segment carries the WQE's index.
    WqeIndex = "wqe-index";
    /// The control segment carries the number of its queue.
    WqeQpn = "wqe-qpn";
    /// Reserved bits are zero.
    ReservedBits = "reserved-bits";
    /// The fence mode exists.
    FenceMode = "fence-mode";
    /// Inline data fits into its WQE.
    InlineLength = "inline-length";
    /// A message is not longer than the queue pair's limit.
    MessageLength = "message-length";
    /// The result of an atomic has one destination, as long as the atomic's operand.
    ResultLength = "result-length";
    /// An lkey is registered, in the queue pair's domain.
    LocalKey = "local-key";
    /// Local data is within the region of its lkey.
    LocalBounds = "local-bounds";
    /// The NIC writes local memory only if it is registered for that.
    LocalAccess = "local-access";
    /// An rkey is registered at the peer, in the domain of the peer's queue pair.
    RemoteKey = "remote-key";
    /// Remote data is within the region of its rkey.
    RemoteBounds = "remote-bounds";
    /// The region of an rkey, and the peer's queue pair, permit the operation.
    RemoteAccess = "remote-access";
    /// The target of an atomic is aligned to its length.
    AtomicAlignment = "atomic-alignment";
    /// The producer index only grows.
    IndexBackward = "producer-index-backward";
    /// No more WQEs are outstanding than the queue has blocks.
    Overrun = "send-queue-overrun";
    /// A WQE does not extend beyond the producer index.
    BeyondProducer = "beyond-producer-index";
    /// The bits of a doorbell record above the counter are zero or belong to the counter; little-endian words break
    /// this.
    DbrBits = "doorbell-record-bits";
    /// The send queue's word of the doorbell record is the second; the first stays zero.
    DbrWord = "doorbell-record-word";
    /// The doorbell record is written before the doorbell.
    DbrFirst = "record-before-doorbell";
    /// A doorbell names the queue pair of its register, in big-endian words.
    DoorbellQpn = "doorbell-qpn";
    /// The doorbell record is zero when its queue is created.
    DbrAtCreate = "doorbell-record-zero-at-creation";
    /// No entry of a completion queue looks like a completion before it is written. A collapsed one is filled with 0xff
    /// when it is created.
    CqInvalid = "completion-queue-invalid-at-first";
    /// A WQE does not change between its doorbell and its completion.
    WqeChanged = "wqe-changed-before-completion";
    /// Only WQEs of one block are signalled into a collapsed completion queue: its counter names the first block.
    MultiBlockSignalled = "multi-block-wqe-signalled";
    /// No more receive entries are posted than the queue has.
    ReceiveOverrun = "receive-queue-overrun";
    /// At least one WQE is signalled within half the queue's depth, if completions are collapsed.
    SignalTooRare = "signalled-too-rarely";
    /// A completion queue that can overrun does not: its consumer index is kept up to date.
    CqOverrun = "completion-queue-overrun";
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

//! Messages that carry atomics: their meaning and their bytes.
//!
//! Numbers are little-endian. A request:
//!
//! | bytes | contents |
//! |---|---|
//! | 0 | 1 |
//! | 1, 2 | operation and type: indices of `OPS` and `TYPES` |
//! | 4..8, 8..16 | number and serial of the operation at the requester |
//! | 16..24, 24..32 | the word's address as the requester names it, and its key |
//! | 32..40, 40..48 | operand and comparand |
//! | 48..52 | length of the requester's address |
//! | 52.. | the requester's address, to which the answer goes |
//!
//! An answer:
//!
//! | bytes | contents |
//! |---|---|
//! | 0 | 2 |
//! | 1 | status |
//! | 4..8, 8..16 | number and serial of the request |
//! | 16..24 | previous value of the word |

use oxshmem_rdma::fabric::{AtomicRequest, Status};

use super::atomics::{OPS, TYPES};
use crate::libfabric::channel::ADDRESS_BYTES;

/// Bytes of a request before its address.
const HEAD_BYTES: usize = 52;
/// Bytes of an answer.
const ANSWER_BYTES: usize = 24;
/// Bytes of the longest message.
pub(super) const MESSAGE_BYTES: usize = HEAD_BYTES + ADDRESS_BYTES;

const REQUEST: u8 = 1;
const ANSWER: u8 = 2;

/// The bytes of a message.
pub(super) type Bytes = [u8; MESSAGE_BYTES];

/// An operation of the requester. The serial distinguishes it from earlier ones of the same number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ticket {
    pub(super) number: u32,
    pub(super) serial: u64,
}

/// An atomic that the target shall execute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Order {
    pub(super) ticket: Ticket,
    pub(super) remote: u64,
    pub(super) key: u64,
    pub(super) atomic: AtomicRequest,
}

/// The target's answer: the word's previous value, or the reason of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) ticket: Ticket,
    pub(super) outcome: Result<u64, Status>,
}

/// A message that arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Message<'a> {
    /// An order, and the requester's address.
    Order(Order, &'a [u8]),
    Answer(Answer),
}

fn put(bytes: &mut Bytes, at: usize, value: &[u8]) {
    bytes[at..at + value.len()].copy_from_slice(value);
}

fn u32_at(bytes: &Bytes, at: usize) -> u32 {
    u32::from_le_bytes(std::array::from_fn(|byte| bytes[at + byte]))
}

fn u64_at(bytes: &Bytes, at: usize) -> u64 {
    u64::from_le_bytes(std::array::from_fn(|byte| bytes[at + byte]))
}

impl Ticket {
    fn put(self, bytes: &mut Bytes) {
        put(bytes, 4, &self.number.to_le_bytes());
        put(bytes, 8, &self.serial.to_le_bytes());
    }

    fn of(bytes: &Bytes) -> Self {
        Self { number: u32_at(bytes, 4), serial: u64_at(bytes, 8) }
    }
}

impl Order {
    /// Writes the request and returns its length. `None` if there is no such atomic, or the address is too long.
    pub(super) fn put(&self, from: &[u8], bytes: &mut Bytes) -> Option<usize> {
        let op = OPS.iter().position(|op| *op == self.atomic.op)?;
        let of = TYPES.iter().position(|of| *of == self.atomic.of)?;
        let end = HEAD_BYTES + from.len();
        if end > MESSAGE_BYTES {
            return None;
        }
        put(bytes, 0, &[REQUEST, op as u8, of as u8, 0]);
        self.ticket.put(bytes);
        for (at, value) in [(16, self.remote), (24, self.key), (32, self.atomic.operand), (40, self.atomic.compare)] {
            put(bytes, at, &value.to_le_bytes());
        }
        put(bytes, 48, &(from.len() as u32).to_le_bytes());
        put(bytes, HEAD_BYTES, from);
        Some(end)
    }
}

impl Answer {
    /// Writes the answer and returns its length.
    pub(super) fn put(&self, bytes: &mut Bytes) -> usize {
        let (status, word) = match self.outcome {
            Ok(word) => (Status::Success, word),
            Err(status) => (status, 0),
        };
        put(bytes, 0, &[ANSWER, status as u8, 0, 0]);
        self.ticket.put(bytes);
        put(bytes, 16, &word.to_le_bytes());
        ANSWER_BYTES
    }
}

impl<'a> Message<'a> {
    /// Reads a message. `None` if it is none.
    pub(super) fn of(bytes: &'a Bytes) -> Option<Self> {
        let ticket = Ticket::of(bytes);
        match bytes[0] {
            REQUEST => {
                let (op, of) = (*OPS.get(bytes[1] as usize)?, *TYPES.get(bytes[2] as usize)?);
                let atomic = AtomicRequest { op, of, operand: u64_at(bytes, 32), compare: u64_at(bytes, 40) };
                let from = bytes[HEAD_BYTES..].get(..u32_at(bytes, 48) as usize)?;
                Some(Self::Order(Order { ticket, remote: u64_at(bytes, 16), key: u64_at(bytes, 24), atomic }, from))
            }
            ANSWER => {
                const FAILURES: [Status; 2] = [Status::RemoteAccess, Status::RemoteRequest];
                let outcome = match bytes[1] {
                    0 => Ok(u64_at(bytes, 16)),
                    code => {
                        let status = FAILURES.into_iter().find(|status| *status as u8 == code);
                        Err(status.unwrap_or(Status::BadResponse))
                    }
                };
                Some(Self::Answer(Answer { ticket, outcome }))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TICKET: Ticket = Ticket { number: 7, serial: 0x0102_0304_0506_0708 };

    #[test]
    fn an_order_of_each_atomic_is_read_as_it_was_written_with_the_address_of_its_requester() {
        let from: Vec<u8> = (0..ADDRESS_BYTES).map(|byte| byte as u8).collect();
        for op in OPS {
            for of in TYPES {
                let atomic = AtomicRequest { op, of, operand: u64::MAX - 1, compare: 3 };
                let order = Order { ticket: TICKET, remote: 0x1234, key: 1 << 40, atomic };
                for length in [0, 16, ADDRESS_BYTES] {
                    let mut bytes = [0xff; MESSAGE_BYTES];
                    assert_eq!(order.put(&from[..length], &mut bytes), Some(HEAD_BYTES + length));
                    assert_eq!(Message::of(&bytes), Some(Message::Order(order, &from[..length])));
                }
                assert_eq!(order.put(&[0; ADDRESS_BYTES + 1], &mut [0; MESSAGE_BYTES]), None);
            }
        }
    }

    #[test]
    fn an_answer_brings_the_word_or_the_reason_of_a_failure() {
        let outcomes = [Ok(0), Ok(u64::MAX), Err(Status::RemoteAccess), Err(Status::RemoteRequest)];
        for outcome in outcomes {
            let (answer, mut bytes) = (Answer { ticket: TICKET, outcome }, [0xff; MESSAGE_BYTES]);
            assert_eq!(answer.put(&mut bytes), ANSWER_BYTES);
            assert_eq!(Message::of(&bytes), Some(Message::Answer(answer)));
        }
    }

    #[test]
    fn bytes_that_are_no_message_are_refused() {
        let mut bytes = [0; MESSAGE_BYTES];
        assert_eq!(Message::of(&bytes), None);
        bytes[0] = REQUEST;
        assert!(Message::of(&bytes).is_some());
        for (at, value) in [(1, OPS.len()), (2, TYPES.len()), (50, 1)] {
            let mut wrong = bytes;
            wrong[at] = value as u8;
            assert_eq!(Message::of(&wrong), None, "byte {at}");
        }
        (bytes[0], bytes[1]) = (ANSWER, 0x77);
        let answer = Answer { ticket: Ticket { number: 0, serial: 0 }, outcome: Err(Status::BadResponse) };
        assert_eq!(Message::of(&bytes), Some(Message::Answer(answer)));
    }
}

//! Questions and answers between processes. Both sides are the same program, or of the same build.

use std::io::{self, Read, Write};

use crate::check::Rule;
use crate::decode::Atomic;
use crate::nic::{Envelope, GRH, Message, Nak, RouteHeader};

/// The question that an answer belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ticket {
    pub(crate) qpn: u32,
    /// Index of the WQE.
    pub(crate) index: u64,
    /// Offset of its bytes in the message.
    pub(crate) offset: u64,
}

/// A question.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Question<'a> {
    /// Asks whether this number of bytes may be accessed, with this access bit.
    Check {
        bytes: u64,
        needs: u32,
    },
    Write {
        data: &'a [u8],
    },
    Read {
        bytes: u32,
    },
    Atomic {
        what: Atomic,
    },
    /// A part of a message for a receive queue.
    Message(Message<'a>),
}

/// An answer: the bytes that were read, or the former value.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) ticket: Ticket,
    pub(crate) result: Result<Vec<u8>, Nak>,
}

/// The head of a question, in words of 8 bytes: its kind and the length of the data after it, the ticket, the envelope.
const HEAD: usize = 9 * 8;

fn words(bytes: &[u8]) -> Vec<u64> {
    bytes.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word)).collect()
}

fn put(to: &mut Vec<u8>, words: &[u64]) {
    words.iter().for_each(|word| to.extend_from_slice(&word.to_le_bytes()));
}

/// Appends a question.
pub(super) fn ask(to: &mut Vec<u8>, ticket: Ticket, envelope: &Envelope, question: &Question<'_>) {
    let (kind, follows, argument) = match question {
        Question::Check { bytes, needs } => (0, 0, u64::from(*needs) << 48 | bytes),
        Question::Write { data } => (1, data.len() as u64, 0),
        Question::Read { bytes } => (2, 0, u64::from(*bytes)),
        Question::Atomic { .. } => (3, 6 * 8, 0),
        Question::Message(message) => (4, (4 * 8 + GRH) + message.data.len() as u64, message.offset),
    };
    let from = u64::from(envelope.from.0) << 32 | u64::from(envelope.from.1);
    let keys = u64::from(envelope.to) << 32 | u64::from(envelope.rkey);
    let head = [
        kind << 32 | follows,
        ticket.qpn.into(),
        ticket.index,
        ticket.offset,
        from,
        keys,
        envelope.at,
        argument,
        envelope.key,
    ];
    put(to, &head);
    match question {
        Question::Write { data } => to.extend_from_slice(data),
        Question::Atomic { what } => match *what {
            Atomic::CompareSwap { bytes, swap, compare, swap_mask, compare_mask } => {
                put(to, &[0, bytes.into(), swap, compare, swap_mask, compare_mask]);
            }
            Atomic::FetchAdd { bytes, add, boundary } => put(to, &[1, bytes.into(), add, boundary, 0, 0]),
        },
        Question::Message(message) => {
            let flag = |yes: bool, bit: u32| u64::from(yes) << bit;
            let grh = message.datagram.flatten();
            let flags = flag(message.written, 0)
                | flag(message.imm.is_some(), 1)
                | flag(message.solicited, 2)
                | flag(message.datagram.is_some(), 3)
                | flag(grh.is_some(), 4);
            put(to, &[message.total, flags, message.imm.unwrap_or(0).into(), message.data.len() as u64]);
            to.extend_from_slice(&grh.unwrap_or([0; size_of::<RouteHeader>()]));
            to.extend_from_slice(message.data);
        }
        _ => {}
    }
}

/// Reads a question; `data` receives the bytes after its head.
pub(super) fn hear<'a>(from: &mut impl Read, data: &'a mut Vec<u8>) -> io::Result<(Ticket, Envelope, Question<'a>)> {
    let mut head = [0; HEAD];
    from.read_exact(&mut head)?;
    let head = words(&head);
    let follows = head[0] as u32 as usize;
    if follows > 1 << 24 {
        return Err(io::Error::from(io::ErrorKind::InvalidData));
    }
    data.resize(follows, 0);
    from.read_exact(data)?;
    let ticket = Ticket { qpn: head[1] as u32, index: head[2], offset: head[3] };
    let envelope = Envelope {
        from: ((head[4] >> 32) as u16, head[4] as u32),
        to: (head[5] >> 32) as u32,
        rkey: head[5] as u32,
        at: head[6],
        key: head[8],
    };
    let question = match head[0] >> 32 {
        0 => Question::Check { bytes: head[7] & 0xffff_ffff_ffff, needs: (head[7] >> 48) as u32 },
        1 => Question::Write { data },
        2 => Question::Read { bytes: head[7] as u32 },
        3 => {
            let words = words(data);
            let [kind, bytes, a, b, c, d] = words[..] else { return Err(io::ErrorKind::InvalidData.into()) };
            let bytes = bytes as u8;
            let what = if kind == 0 {
                Atomic::CompareSwap { bytes, swap: a, compare: b, swap_mask: c, compare_mask: d }
            } else {
                Atomic::FetchAdd { bytes, add: a, boundary: b }
            };
            Question::Atomic { what }
        }
        4 => {
            let short = || io::Error::from(io::ErrorKind::InvalidData);
            let (fields, rest) = data.split_at_checked(4 * 8).ok_or_else(short)?;
            let (grh, bytes) = rest.split_first_chunk::<{ size_of::<RouteHeader>() }>().ok_or_else(short)?;
            let fields = words(fields);
            let has = |bit: u32| fields[1] >> bit & 1 != 0;
            Question::Message(Message {
                offset: head[7],
                total: fields[0],
                data: bytes,
                written: has(0),
                imm: has(1).then_some(fields[2] as u32),
                solicited: has(2),
                datagram: has(3).then_some(has(4).then_some(*grh)),
            })
        }
        _ => return Err(io::ErrorKind::InvalidData.into()),
    };
    Ok((ticket, envelope, question))
}

/// Writes an answer.
pub(super) fn answer(to: &mut impl Write, ticket: Ticket, result: &Result<Vec<u8>, Nak>) -> io::Result<()> {
    let (head, body): (u64, &[u8]) = match result {
        Ok(bytes) => (0, bytes),
        Err(nak) => {
            let rule = nak.rule.and_then(|rule| Rule::ALL.iter().position(|other| *other == rule));
            let rule = rule.map_or(0, |place| place as u64 + 1);
            let not_ready = nak.not_ready.map_or(0, |code| u64::from(code) + 1);
            (u64::from(nak.syndrome) | rule << 8 | not_ready << 32, nak.what.as_bytes())
        }
    };
    let mut bytes = Vec::with_capacity(40);
    put(&mut bytes, &[head, body.len() as u64, ticket.qpn.into(), ticket.index, ticket.offset]);
    to.write_all(&bytes)?;
    to.write_all(body)
}

/// Reads an answer.
pub(super) fn hear_answer(from: &mut impl Read) -> io::Result<Answer> {
    let mut head = [0; 40];
    from.read_exact(&mut head)?;
    let head = words(&head);
    if head[1] > 1 << 24 {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut body = vec![0; head[1] as usize];
    from.read_exact(&mut body)?;
    let ticket = Ticket { qpn: head[2] as u32, index: head[3], offset: head[4] };
    let result = match head[0] as u8 {
        0 => Ok(body),
        syndrome => Err(Nak {
            syndrome,
            not_ready: ((head[0] >> 32) as u8).checked_sub(1),
            rule: (usize::from((head[0] >> 8) as u16)).checked_sub(1).and_then(|place| Rule::ALL.get(place).copied()),
            what: String::from_utf8_lossy(&body).into_owned(),
        }),
    };
    Ok(Answer { ticket, result })
}

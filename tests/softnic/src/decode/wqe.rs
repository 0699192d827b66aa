//! Work queue entries of a send queue.

use crate::check::Rule;

use super::atomic::Atomic;
use super::control::{Control, Service, control};
use super::datagram::{Address, address};

/// Opcodes: the lowest byte of the control segment's first word.
#[allow(missing_docs)]
pub mod opcode {
    pub const NOP: u8 = 0x00;
    pub const WRITE: u8 = 0x08;
    pub const WRITE_IMM: u8 = 0x09;
    pub const SEND: u8 = 0x0a;
    pub const SEND_IMM: u8 = 0x0b;
    pub const READ: u8 = 0x10;
    pub const COMPARE_SWAP: u8 = 0x11;
    pub const FETCH_ADD: u8 = 0x12;
    pub const MASKED_COMPARE_SWAP: u8 = 0x14;
    pub const MASKED_FETCH_ADD: u8 = 0x15;
    pub const DUMP: u8 = 0x23;
}

/// A range of local memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sge {
    /// Its length; the format encodes 2^31 as 0.
    pub bytes: u64,
    /// Its key.
    pub lkey: u32,
    /// Its address, in the key's numbering.
    pub at: u64,
}

/// Data segments, one after another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sges<'a>(&'a [u8]);

impl<'a> Sges<'a> {
    /// Iterates over the segments.
    pub fn iter(self) -> impl Iterator<Item = Sge> + Clone + use<'a> {
        self.0.as_chunks::<16>().0.iter().map(|segment| Sge {
            bytes: match be32(segment, 0) {
                0 => 1 << 31,
                bytes => bytes.into(),
            },
            lkey: be32(segment, 4),
            at: be64(segment, 8),
        })
    }

    /// Returns the number of bytes of all segments.
    pub fn bytes(self) -> u64 {
        self.iter().map(|sge| sge.bytes).sum()
    }
}

/// The source of a message's data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source<'a> {
    /// The entry itself.
    Inline(&'a [u8]),
    /// Memory.
    Gather(Sges<'a>),
    /// Both, one after another.
    Mixed(Segments<'a>),
}

/// Data segments and inline data, one after another. They are complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segments<'a>(&'a [u8]);

/// A piece of a message's source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece<'a> {
    /// In the entry itself.
    Inline(&'a [u8]),
    /// In memory.
    Memory(Sge),
}

impl Piece<'_> {
    /// Returns the number of bytes.
    pub fn bytes(self) -> u64 {
        match self {
            Piece::Inline(data) => data.len() as u64,
            Piece::Memory(sge) => sge.bytes,
        }
    }
}

impl<'a> Source<'a> {
    /// Returns the number of bytes.
    pub fn bytes(self) -> u64 {
        self.pieces().map(Piece::bytes).sum()
    }

    /// Iterates over its pieces.
    pub fn pieces(self) -> impl Iterator<Item = Piece<'a>> + Clone + use<'a> {
        let (inline, segments) = match self {
            Source::Inline(data) => (Some(Piece::Inline(data)), &[][..]),
            Source::Gather(Sges(segments)) | Source::Mixed(Segments(segments)) => (None, segments),
        };
        let mut left = segments;
        inline.into_iter().chain(std::iter::from_fn(move || {
            let (piece, rest) = piece(left)?;
            left = rest;
            Some(piece)
        }))
    }
}

/// Returns the first piece, and the segments after it. `None` at the end, or if inline data is not complete.
fn piece(segments: &[u8]) -> Option<(Piece<'_>, &[u8])> {
    if segments.is_empty() {
        return None;
    }
    if be32(segments, 0) & INLINE == 0 {
        let (segment, rest) = segments.split_at_checked(16)?;
        return Some((Piece::Memory(Sges(segment).iter().next()?), rest));
    }
    let bytes = (be32(segments, 0) & !INLINE) as usize;
    let data = segments.get(4..4 + bytes)?;
    Some((Piece::Inline(data), segments.get((4 + bytes).next_multiple_of(16)..)?))
}

/// The bit of a segment's first word by which data follows it.
const INLINE: u32 = 1 << 31;

/// The operation of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation<'a> {
    /// Nothing.
    Nop,
    /// A write to the peer.
    Write {
        /// Address.
        at: u64,
        /// Key.
        rkey: u32,
        /// Data.
        source: Source<'a>,
        /// The immediate value, if any.
        imm: Option<u32>,
    },
    /// A message for an entry of the peer's receive queue.
    Send {
        /// Data.
        source: Source<'a>,
        /// The immediate value, if any.
        imm: Option<u32>,
    },
    /// A read from the peer.
    Read {
        /// Address.
        at: u64,
        /// Key.
        rkey: u32,
        /// Destination.
        to: Sges<'a>,
    },
    /// An atomic at the peer.
    Atomic {
        /// Address.
        at: u64,
        /// Key.
        rkey: u32,
        /// Effect.
        what: Atomic,
        /// Destination of the former value.
        to: Sge,
        /// Whether it is an extended atomic (opmod 8, 9), whose 4-byte results are big-endian.
        extended: bool,
    },
    /// A read of local memory that discards the data.
    Dump {
        /// The source.
        from: Sges<'a>,
    },
}

/// An entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request<'a> {
    /// Its control segment.
    pub control: Control,
    /// Its peer; `None` on a connected queue pair.
    pub to: Option<Address>,
    /// Its operation.
    pub operation: Operation<'a>,
}

/// An invalid entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed {
    /// The broken rule.
    pub rule: Rule,
    /// Found and expected values.
    pub what: String,
}

#[inline]
pub(super) fn be32(bytes: &[u8], at: usize) -> u32 {
    bytes[at..].first_chunk().map_or(0, |word| u32::from_be_bytes(*word))
}

#[inline]
pub(super) fn be64(bytes: &[u8], at: usize) -> u64 {
    bytes[at..].first_chunk().map_or(0, |word| u64::from_be_bytes(*word))
}

pub(super) fn malformed<T>(rule: Rule, what: impl Into<String>) -> Result<T, Malformed> {
    Err(Malformed { rule, what: what.into() })
}

/// Decodes an entry of an RC queue pair, like [`decode_of`].
///
/// # Errors
/// It is not a valid entry: the broken rule.
pub fn decode(bytes: &[u8]) -> Result<Request<'_>, Malformed> {
    decode_of(Service::Rc, bytes)
}

/// Decodes an entry whose blocks are all present: `bytes` has at least `16 * ds` bytes, and at least one block.
///
/// # Errors
/// It is not a valid entry: the broken rule.
pub fn decode_of(service: Service, bytes: &[u8]) -> Result<Request<'_>, Malformed> {
    let Some(block) = bytes.first_chunk::<64>() else {
        return malformed(Rule::SegmentCount, format!("{} bytes are no block of 64", bytes.len()));
    };
    let control = control(block);
    if control.ds == 0 || usize::from(control.ds) * 16 > bytes.len() {
        return malformed(
            Rule::SegmentCount,
            format!("ds is {}, the WQE has {} segments", control.ds, bytes.len() / 16),
        );
    }
    // (No queue here has a signature or streams: both are ignored, and drivers leave in them what stood there.)
    if control.above_ds != 0 || control.fm_ce_se & 0x11 != 0 {
        let (ds, flags) = (control.above_ds, control.fm_ce_se);
        let what = format!("above ds {ds:#x}, flags {flags:#x}: all reserved bits are zero");
        return malformed(Rule::ReservedBits, what);
    }
    if control.fence().is_none() {
        return malformed(Rule::FenceMode, format!("fence mode {} is none of 0 to 4", control.fm_ce_se >> 5));
    }
    let segments = &bytes[16..usize::from(control.ds) * 16];
    if !service.offers(control.opcode) {
        let opcode = control.opcode;
        return malformed(Rule::Opcode, format!("opcode {opcode:#04x} is not one of a {service:?} queue pair"));
    }
    // (An entry that goes nowhere names no peer.)
    let (to, segments) = match service.names_peers() && !matches!(control.opcode, opcode::NOP | opcode::DUMP) {
        true => address(segments).map(|(to, rest)| (Some(to), rest))?,
        false => (None, segments),
    };
    let operation = match (control.opcode, control.opmod) {
        (opcode::NOP, 0) => Operation::Nop,
        (opcode::SEND | opcode::SEND_IMM, 0) => {
            let imm = (control.opcode == opcode::SEND_IMM).then_some(control.imm);
            Operation::Send { source: source(segments, control.ds)?, imm }
        }
        (opcode::WRITE | opcode::WRITE_IMM, 0) => {
            let (at, rkey, rest) = remote(segments, "a write")?;
            let imm = (control.opcode == opcode::WRITE_IMM).then_some(control.imm);
            Operation::Write { at, rkey, source: source(rest, control.ds)?, imm }
        }
        (opcode::READ, 0) => {
            let (at, rkey, rest) = remote(segments, "a read")?;
            Operation::Read { at, rkey, to: gather(rest)? }
        }
        (opcode::DUMP, 0) => {
            if segments.is_empty() {
                return malformed(Rule::SegmentCount, "a dump has a data segment: ds 2");
            }
            Operation::Dump { from: gather(segments)? }
        }
        (opcode::COMPARE_SWAP | opcode::FETCH_ADD | opcode::MASKED_COMPARE_SWAP | opcode::MASKED_FETCH_ADD, opmod) => {
            atomic(control.opcode, opmod, segments)?
        }
        (opcode, opmod) => {
            return malformed(Rule::Opcode, format!("opcode {opcode:#04x} with opmod {opmod} is not known"));
        }
    };
    Ok(Request { control, to, operation })
}

/// Decodes the remote address segment, and returns the segments after it.
fn remote<'a>(segments: &'a [u8], of: &str) -> Result<(u64, u32, &'a [u8]), Malformed> {
    if segments.len() < 16 {
        return malformed(Rule::SegmentCount, format!("{of} has a remote address segment: ds is 2 at least"));
    }
    Ok((be64(segments, 0), be32(segments, 8), &segments[16..]))
}

fn gather(segments: &[u8]) -> Result<Sges<'_>, Malformed> {
    for segment in segments.as_chunks::<16>().0 {
        if be32(segment, 0) & INLINE != 0 {
            return malformed(Rule::InlineLength, "inline data where a place in memory is needed");
        }
    }
    Ok(Sges(segments))
}

fn source(segments: &[u8], ds: u8) -> Result<Source<'_>, Malformed> {
    let (mut left, mut inline) = (segments, 0);
    while !left.is_empty() {
        let Some((piece, rest)) = piece(left) else {
            let (bytes, room) = (be32(left, 0) & !INLINE, left.len() - 4);
            return malformed(Rule::InlineLength, format!("{bytes} bytes inline, but ds leaves room for {room}"));
        };
        inline += u32::from(matches!(piece, Piece::Inline(_)));
        if let Piece::Inline(data) = piece
            && rest.first_chunk::<16>() == Some(&[0; 16])
        {
            // Nothing is there, and no key is 0.
            let (bytes, needs) = (data.len(), usize::from(ds) - rest.len() / 16);
            return malformed(Rule::SegmentCount, format!("{bytes} bytes inline need ds {needs}, not {ds}"));
        }
        left = rest;
    }
    Ok(match piece(segments) {
        Some((Piece::Inline(data), [])) => Source::Inline(data),
        _ if inline == 0 => Source::Gather(Sges(segments)),
        _ => Source::Mixed(Segments(segments)),
    })
}

fn atomic(opcode: u8, opmod: u8, segments: &[u8]) -> Result<Operation<'_>, Malformed> {
    let compares = matches!(opcode, opcode::COMPARE_SWAP | opcode::MASKED_COMPARE_SWAP);
    let masked = matches!(opcode, opcode::MASKED_COMPARE_SWAP | opcode::MASKED_FETCH_ADD);
    let needed = if compares && masked && opmod == 9 { 5 } else { 4 };
    if !matches!((masked, opmod), (false, 0) | (true, 8 | 9)) {
        return malformed(Rule::Opcode, format!("opcode {opcode:#04x} with opmod {opmod} is not known"));
    }
    let (at, rkey, rest) = remote(segments, "an atomic")?;
    if segments.len() / 16 + 1 != needed {
        let ds = segments.len() / 16 + 1;
        return malformed(Rule::SegmentCount, format!("this atomic has ds {needed}, not {ds}"));
    }
    let what = match (compares, masked, opmod) {
        (true, false, _) => Atomic::CompareSwap {
            bytes: 8,
            swap: be64(rest, 0),
            compare: be64(rest, 8),
            swap_mask: u64::MAX,
            compare_mask: u64::MAX,
        },
        (true, true, 8) => Atomic::CompareSwap {
            bytes: 4,
            swap: be32(rest, 0).into(),
            compare: be32(rest, 4).into(),
            swap_mask: be32(rest, 8).into(),
            compare_mask: be32(rest, 12).into(),
        },
        (true, true, _) => Atomic::CompareSwap {
            bytes: 8,
            swap: be64(rest, 0),
            compare: be64(rest, 8),
            swap_mask: be64(rest, 16),
            compare_mask: be64(rest, 24),
        },
        (false, true, 8) => Atomic::FetchAdd { bytes: 4, add: be32(rest, 0).into(), boundary: be32(rest, 4).into() },
        (false, masked, _) => {
            Atomic::FetchAdd { bytes: 8, add: be64(rest, 0), boundary: if masked { be64(rest, 8) } else { 0 } }
        }
    };
    let Some(to) = gather(&rest[rest.len() - 16..])?.iter().next() else {
        return malformed(Rule::SegmentCount, "an atomic has a place for its result");
    };
    if to.bytes != u64::from(what.bytes()) {
        let (has, needs) = (to.bytes, what.bytes());
        return malformed(Rule::ResultLength, format!("the place for the result has {has} bytes, the word {needs}"));
    }
    Ok(Operation::Atomic { at, rkey, what, to, extended: masked })
}

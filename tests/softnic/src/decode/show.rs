//! Entries as text.

use std::fmt;

use super::atomic::Atomic;
use super::control::{Fence, Service};
use super::wqe::{Operation, Piece, Request, Sge, Sges, Source, decode_of};

/// Returns an entry of an RC queue pair in words, and its bytes. Parts that can't be decoded are marked.
pub fn show(bytes: &[u8]) -> String {
    show_of(Service::Rc, bytes)
}

/// Returns an entry of a queue pair with this service in words, like [`show`].
pub fn show_of(service: Service, bytes: &[u8]) -> String {
    let mut text = match decode_of(service, bytes) {
        Ok(request) => request.to_string(),
        Err(malformed) => format!("no WQE ({}: {})", malformed.rule, malformed.what),
    };
    text.push_str(" [");
    for (i, word) in bytes.as_chunks::<4>().0.iter().enumerate() {
        if i != 0 {
            text.push_str(if i % 4 == 0 { " | " } else { " " });
        }
        text.push_str(&format!("{:08x}", u32::from_be_bytes(*word)));
    }
    text.push(']');
    text
}

impl fmt::Display for Request<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let control = &self.control;
        write!(f, "#{:#06x} of QP {:#x}: {}", control.index, control.qpn, self.operation)?;
        write!(f, ", ds {}", control.ds)?;
        match control.fence() {
            Some(Fence::None) => {}
            Some(fence) => write!(f, ", fence {fence:?}")?,
            None => write!(f, ", fence mode {}", control.fm_ce_se >> 5)?,
        }
        if control.signalled() {
            write!(f, ", signalled")?;
        }
        if control.fm_ce_se & 2 != 0 {
            write!(f, ", solicited")?;
        }
        Ok(())
    }
}

impl fmt::Display for Sge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} B at {:#x} lkey {:#x}", self.bytes, self.at, self.lkey)
    }
}

impl fmt::Display for Sges<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        list(f, self.iter())
    }
}

impl fmt::Display for Piece<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Piece::Inline(data) => {
                write!(f, "{} B inline (", data.len())?;
                data.iter().take(32).try_for_each(|byte| write!(f, "{byte:02x}"))?;
                write!(f, "{})", if data.len() > 32 { "..." } else { "" })
            }
            Piece::Memory(sge) => write!(f, "{sge}"),
        }
    }
}

/// Writes a list with ` + ` between its elements.
fn list<T: fmt::Display>(f: &mut fmt::Formatter<'_>, elements: impl Iterator<Item = T>) -> fmt::Result {
    let mut any = false;
    for element in elements {
        write!(f, "{}{element}", if any { " + " } else { "" })?;
        any = true;
    }
    if any { Ok(()) } else { write!(f, "0 B") }
}

impl fmt::Display for Source<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        list(f, self.pieces())
    }
}

impl fmt::Display for Operation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Operation::Nop => write!(f, "NOP"),
            Operation::Write { at, rkey, source, imm } => {
                write!(f, "WRITE")?;
                if let Some(imm) = imm {
                    write!(f, "_IMM {imm:#x}")?;
                }
                write!(f, " {source} -> {at:#x} rkey {rkey:#x}")
            }
            Operation::Send { source, imm } => {
                write!(f, "SEND")?;
                if let Some(imm) = imm {
                    write!(f, "_IMM {imm:#x}")?;
                }
                write!(f, " {source}")
            }
            Operation::Read { at, rkey, to } => write!(f, "READ {at:#x} rkey {rkey:#x} -> {to}"),
            Operation::Atomic { at, rkey, what, to, extended } => {
                let extended = if *extended { "MASKED_" } else { "" };
                match what {
                    Atomic::CompareSwap { bytes, swap, compare, swap_mask, compare_mask } => write!(
                        f,
                        "{extended}CS {bytes} B swap {swap:#x}/{swap_mask:#x} compare {compare:#x}/{compare_mask:#x}"
                    )?,
                    Atomic::FetchAdd { bytes, add, boundary } => {
                        write!(f, "{extended}FA {bytes} B add {add:#x} boundary {boundary:#x}")?;
                    }
                }
                write!(f, " at {at:#x} rkey {rkey:#x} -> {to}")
            }
            Operation::Dump { from } => write!(f, "DUMP {from}"),
        }
    }
}

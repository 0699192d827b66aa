//! Decodes the drivers' output: work queue entries and command mailboxes. Coded from the formats, not from the
//! encoders.

mod atomic;
mod bits;
mod control;
mod datagram;
pub mod mailbox;
mod show;
mod wqe;

pub use atomic::Atomic;
pub(crate) use bits::{bits, set_bits};
pub use control::{Completion, Control, Fence, Service, control};
pub use datagram::Address;
pub use show::{show, show_of};
pub use wqe::{Malformed, Operation, Piece, Request, Sge, Sges, Source, decode, decode_of, opcode};

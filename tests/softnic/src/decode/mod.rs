//! Decodes the drivers' output: work queue entries and command mailboxes. Coded from the formats, not from the
//! encoders.

mod atomic;
mod bits;
pub mod mailbox;
mod show;
mod wqe;

pub use atomic::Atomic;
pub(crate) use bits::{bits, set_bits};
pub use show::show;
pub use wqe::{Completion, Control, Fence, Malformed, Operation, Request, Sge, Sges, Source, control, decode, opcode};

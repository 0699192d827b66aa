//! The formats of a ConnectX, byte for byte: work queue entries, completions, doorbells, commands.
//!
//! A work queue entry (WQE) is a control [`Segment`] and the segments of its opcode, 16 bytes each, in basic
//! blocks of 64 bytes ([`BLOCK_BYTES`]). The functions here make the segments; they are pure and `const`, and run on
//! both targets. A `u64` of a [`Segment`] is stored unchanged: its bytes in memory are the big-endian fields. To read
//! memory, [`layout`] has the same bytes with names; `devx` (with `host`) has the commands that make queues.
//!
//! | operation | segments | ds | blocks |
//! |---|---|---|---|
//! | write, read | [`ctrl`], [`raddr`], [`data`] | 3 | 1 |
//! | write of 1 to 12 bytes held in the WQE | [`ctrl`], [`raddr`], [`inline_word`] or [`inline_head`] | 3 | 1 |
//! | write of 13 to 28 bytes held in the WQE | the same, and a segment of payload | 4 | 1 |
//! | fetch-add, compare-swap (8 bytes) | [`ctrl`], [`raddr`], [`fetch_add`] or [`compare_swap`], [`data`] | 4 | 1 |
//! | masked, 4 bytes; masked fetch-add, 8 bytes | [`ctrl`], [`raddr`], one masked segment, [`data`] | 4 | 1 |
//! | masked compare-swap, 8 bytes | [`ctrl`], [`raddr`], two masked segments, [`data`] | 5 | 2 |
//! | dump | [`ctrl`], [`data`] | 2 | 1 |
//! | nop | [`ctrl`] | 1 | 1 |

mod atomic;
pub mod cqe;
#[cfg(feature = "host")]
pub mod devx;
mod doorbell;
#[cfg(test)]
mod golden;
pub mod layout;
mod native;
#[cfg(test)]
mod tests;
mod wqe;

pub use atomic::{
    OPMOD_EXT_32, OPMOD_EXT_64, compare_swap, fetch_add, masked_compare_swap_32, masked_compare_swap_64,
    masked_compare_swap_64_masks, masked_fetch_add_32, masked_fetch_add_64,
};
pub use cqe::{CqeTail, done_after};
pub use doorbell::{doorbell, send_dbr};
pub use native::NativeAtomic;
pub use wqe::{BLOCK_BYTES, Key, Segment, ce, ctrl, ctrl_imm, data, fm, inline_head, inline_word, opcode, raddr};

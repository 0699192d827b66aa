//! The half that the host runs: threads that take requests out of rings and post them.
//!
//! | file | what |
//! |---|---|
//! | `reader`, `words` | the end of a ring at which requests are taken out |

mod reader;
mod words;

pub use reader::{Reader, RingAt, Words};
pub use words::Here;

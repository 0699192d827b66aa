//! The program `oxshmem-perf`: a PE that measures requested rows, as `tests/peers/PROTOCOL.md` defines.

mod about;
mod answer;
mod apps;
mod buffers;
mod calls;
mod collectives;
mod data;
mod device;
mod host;
mod limit;
mod limit_collectives;
mod plan;
mod program;
mod request;
mod session;
mod wire;
mod wire_host;

pub use answer::Answer;
pub use program::{Options, run};
pub use request::{Line, Request, parse};

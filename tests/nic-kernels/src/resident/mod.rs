//! The engine that executes queues: a software NIC's data path as a kernel on the GPU of the queues.
//!
//! One block. A warp serves the queues whose number is its own modulo the warps: its lanes look at their doorbells, and
//! then all of them execute the entries of one that was rung, one entry after the other. What an entry asks for is
//! decoded from the format ([`decode`]), its keys are looked up in a table ([`keys`]), and lanes move its bytes together
//! ([`copy`]), by loads and stores at system scope: a peer's memory is mapped.
//!
//! A launch is a *slice*: it ends after a while, sooner when there is nothing to do, and at once when the host says so.
//! Where each queue is lies in memory from one slice to the next, and the tables change between slices only. What the
//! kernel can't decide by itself, such as what a key means that is not in the table, *parks* the queue: the host finds
//! out, and either puts the key into the table or says by which syndrome the entry fails.
//!
//! | file | what |
//! |---|---|
//! | `table` | what host and kernel tell each other |
//! | `slice` | the kernel: who serves which queue, and for how long |
//! | `serve` | one queue: its doorbell, its entries in order, its completions |
//! | `decode` | entries, from the format |
//! | `keys` | from a key and an address to memory |
//! | `execute` | writes, reads and atomics |
//! | `copy` | bytes |
//! | `report` | completions and reports |

mod copy;
mod decode;
mod execute;
mod keys;
mod report;
mod serve;
mod slice;
pub mod table;

pub use slice::resident;

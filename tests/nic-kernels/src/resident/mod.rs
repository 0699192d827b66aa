//! The resident engine: a software NIC's data path as a kernel on the GPU that has the queues.
//!
//! The engine is one block. Each warp serves the queues whose number modulo the number of warps is its own. Its lanes
//! poll the doorbells; then all of them execute the entries of one queue whose doorbell changed, one entry after
//! another. Entries are decoded from the format (`decode`), keys are looked up in a table (`keys`), and lanes move
//! bytes together (`copy`) by loads and stores at system scope, since a peer's memory is mapped.
//!
//! A launch is a *slice*. It ends after a time limit, earlier if there is nothing to do, and at once if the host
//! requests it. The state of each queue stays in memory between slices, and the tables change only between slices. A
//! decision that the kernel can't make, for example about a key that is not in the table, *parks* the queue: the host
//! either adds the key to the table or returns the syndrome by which the entry fails.
//!
//! | file | content |
//! |---|---|
//! | `table` | structs that host and kernel share |
//! | `slice` | the kernel: the queues of each warp, and the time for which it serves them |
//! | `serve` | one queue: its doorbell, its entries in order, its completions |
//! | `decode` | entries, from the format |
//! | `keys` | translation of a key and an address to memory |
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

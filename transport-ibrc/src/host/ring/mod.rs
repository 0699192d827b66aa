//! The consumer's end of a ring of requests.
//!
//! | file | contents |
//! |---|---|
//! | `reader` | requests are read in order, and places freed |
//! | `consumer` | requests leave in any order, and are answered |
//! | `words` | the ring's memory, shared with threads that write requests |

pub(in crate::host) mod consumer;
pub(in crate::host) mod reader;
pub(in crate::host) mod words;

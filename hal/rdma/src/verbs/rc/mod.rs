//! Reliable connected queue pairs of any verbs device: [`RcProvider`](crate::rc::RcProvider) over libibverbs.
//!
//! | file | contents |
//! |---|---|
//! | `provider` | opens the library, lists and opens devices |
//! | `device` | an opened device: limits, memory, queues created, connected and destroyed |
//! | `queue` | posting and polling |

mod device;
mod provider;
mod queue;

pub use provider::LibVerbs;

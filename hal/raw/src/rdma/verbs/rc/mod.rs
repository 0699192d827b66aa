//! Reliable connected queue pairs of any verbs device: [`RcProvider`](crate::rdma::rc::RcProvider) over libibverbs.
//!
//! | file | what |
//! |---|---|
//! | `provider` | the library opened, devices listed and opened |
//! | `device` | an opened device: limits, memory, queues made, connected and destroyed |
//! | `queue` | posting and polling |

mod device;
mod provider;
mod queue;

pub use provider::LibVerbs;

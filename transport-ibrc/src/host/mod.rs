//! The host half: progress threads take requests out of rings and post them on a fabric.
//!
//! | module | contents |
//! |---|---|
//! | `factory`, `config` | how the host library opens the transport, and its settings |
//! | `ibrc` | the transport: opened, memory exchanged, rows of queues prepared and connected |
//! | `connection` | connections of queues, and the events that ask for them |
//! | `connector` | connects queues at their first request |
//! | `setup` | the provider, its devices (NICs), the cores of progress threads |
//! | `memory` | registered memory and its keys, bounce buffers, copies, flushes |
//! | `tables` | memory of rings and queues that kernels and progress threads share |
//! | `ring` | the consumer's end of a ring |
//! | `send_queue` | the queue of one endpoint: from requests to work requests to completions |
//! | `progress` | progress threads: their rounds, commands, idling |
//! | `host_ops` | the host's own puts, gets and atomics |
//! | `counters` | counters of queues and rings |
//!
//! A proxied put passes through these files: the device half writes it into a ring in the form of `request`;
//! `progress/thread` takes it out by `ring/reader` and hands it to its queue; `send_queue/mod` makes work requests with
//! the addresses of `memory/keys`; `send_queue/in_flight` posts them; the provider's device moves the data;
//! `progress/thread` polls the completion; `send_queue/in_flight` finishes the put and reports it to waiting threads.

mod config;
mod connection;
mod connector;
mod counters;
mod factory;
mod host_ops;
mod ibrc;
mod memory;
mod progress;
mod ring;
mod send_queue;
mod setup;
mod tables;
#[cfg(test)]
mod tests;

pub use config::IbrcConfig;
pub use counters::RingCounters;
pub use factory::IbrcFactory;
pub use ibrc::Ibrc;
pub use setup::provider::{NAME, install, names, provider, provider_named};

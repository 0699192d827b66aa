//! The half that the host runs: threads that take requests out of rings and post them.
//!
//! | file | what |
//! |---|---|
//! | `ibrc`, `open` | the transport: memory, keys, what hal asks; how it is opened |
//! | `factory`, `config`, `provider`, `nic` | how it is opened, and its settings; whose devices, and an opened one |
//! | `connect` | how rows of queue pairs are made and connected |
//! | `tables`, `scratch` | memory of rings and queues, of results and staging |
//! | `proxy` | a thread that is started, told what to serve, woken and stopped |
//! | `work`, `env` | what it does: takes, posts, polls, tells |
//! | `proxies` | how many there are, and on which cores |
//! | `rest` | how it rests while there is nothing to do, and what wakes it |
//! | `reader`, `words`, `ring` | the end of a ring at which requests are taken out, and answers |
//! | `lane`, `flight`, `post`, `complete` | a queue pair: requests in their order, as work requests, in lists, and what is done behind |
//! | `fetch` | fetches by devices that may end them without their data, on queue pairs of their own |
//! | `rounds` | atomics by what every NIC has (`oxshmem_raw::queue::amo`) |
//! | `stop` | queue pairs that fail, and who is told |
//! | `keys`, `book`, `register` | memory that work requests can name, what each NIC has registered, and the ways to it |
//! | `copies`, `flush` | memory of GPUs: staging by the driver, and what gets brought |
//! | `own` | the host's own puts, gets and atomics |
//! | `counts` | what queues count |

mod book;
mod complete;
mod config;
mod connect;
mod copies;
mod counts;
#[cfg(test)]
mod dry;
mod env;
mod factory;
mod fetch;
mod flight;
mod flush;
mod ibrc;
mod keys;
mod lane;
#[cfg(test)]
mod lane_tests;
mod nic;
mod open;
mod own;
mod post;
mod provider;
mod proxies;
mod proxy;
mod reader;
mod register;
mod rest;
mod ring;
mod rounds;
mod scratch;
mod stop;
mod tables;
#[cfg(test)]
mod tests;
mod words;
mod work;

pub use config::IbrcConfig;
pub use factory::IbrcFactory;
pub use ibrc::Ibrc;
pub use provider::{install, provider};

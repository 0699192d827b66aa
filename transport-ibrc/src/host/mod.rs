//! The half that the host runs: threads that take requests out of rings and post them.
//!
//! | file | what |
//! |---|---|
//! | `ibrc` | the transport: memory, keys, what hal asks |
//! | `config`, `provider`, `nic` | settings; which device, port and address |
//! | `card`, `connect` | how rows of queue pairs are made and connected |
//! | `tables`, `chunk`, `scratch` | memory of rings and queues, of results and staging |
//! | `proxy`, `env` | the thread: takes, posts, polls, tells |
//! | `proxies` | how many there are, and on which cores |
//! | `rest` | how it rests while there is nothing to do, and what wakes it |
//! | `reader`, `words`, `ring` | the end of a ring at which requests are taken out, and answers |
//! | `lane`, `post` | a queue pair: requests in their order, as work requests, in lists |
//! | `plan`, `rounds` | atomics by what every NIC has |
//! | `stop` | queue pairs that fail, and who is told |
//! | `keys` | memory that work requests can name |
//! | `own` | the host's own puts and gets |
//! | `counts` | what queues count |

mod card;
mod chunk;
mod config;
mod connect;
mod counts;
mod env;
mod ibrc;
mod keys;
mod lane;
mod nic;
mod own;
mod plan;
mod post;
mod provider;
mod proxies;
mod proxy;
mod reader;
mod rest;
mod ring;
mod rounds;
mod scratch;
mod stop;
mod tables;
mod words;

pub use config::IbrcConfig;
pub use ibrc::Ibrc;
pub use provider::{install, provider};

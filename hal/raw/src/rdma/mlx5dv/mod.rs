//! libmlx5, opened at run time: [`Libraries`] finds NICs, and [`Mlx5Hca`] is one of them.
//!
//! | file | what |
//! |---|---|
//! | `ffi` | its structs and functions, byte for byte |
//! | `provider` | the libraries opened, NICs listed and opened |
//! | `device` | an opened NIC: ports, doorbell pages |
//! | `memory` | memory registered for the network and named for commands |
//! | `devx` | objects and commands of the firmware |
//! | `twin` | queue pairs made by verbs |
//! | `objects` | what was taken, so that a wrong handle is an error and nothing is left behind |
//! | `mailbox` | what the firmware says in an answer |

mod device;
mod devx;
pub(crate) mod ffi;
#[cfg(test)]
mod layout;
mod mailbox;
mod memory;
mod objects;
mod provider;
#[cfg(test)]
mod tests;
mod verbs_qp;

pub use device::Mlx5Hca;
pub use provider::Libraries;
pub(crate) use provider::MLX5;

//! libmlx5, opened at run time: [`Libraries`] finds NICs, and [`Mlx5Hca`] is one of them.
//!
//! | file | contents |
//! |---|---|
//! | `ffi` | its structs and functions, byte for byte |
//! | `api` | the functions of both libraries |
//! | `provider` | opens the libraries, and lists and opens NICs |
//! | `device` | an opened NIC: ports, doorbell pages |
//! | `memory` | memory for the network and for commands |
//! | `devx` | objects and commands of the firmware |
//! | `verbs_qp` | queue pairs made by verbs |
//! | `objects` | the kinds of objects that a NIC has |
//! | `mailbox` | the firmware's answers |

mod api;
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

//! A NIC: the objects that commands create.

mod caps;
mod commands;
mod context;
mod core;
mod gid;
mod keys;
mod objects;
mod qp;
mod route;
pub(crate) mod state;
mod verbs;

pub(crate) use context::Context;
pub(crate) use core::Core;
pub(crate) use keys::{Ask, Envelope, Nak, Region, Responder, syndrome};
pub(crate) use objects::Nic;
pub(crate) use state::QpState;

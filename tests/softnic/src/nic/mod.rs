//! A NIC: the objects that commands create.

mod caps;
mod commands;
mod context;
mod core;
mod cq;
mod dct;
mod gid;
mod keys;
mod nak;
mod objects;
mod qp;
mod receive;
mod route;
mod spans;
pub(crate) mod state;
mod verbs;

pub(crate) use context::Context;
pub(crate) use core::Core;
pub(crate) use keys::{Ask, Envelope, Region, Responder};
pub(crate) use nak::{Nak, rnr_time, syndrome};
pub(crate) use objects::Nic;
pub(crate) use receive::{GRH, Message, Receiver, RouteHeader, scatter};
pub(crate) use state::QpState;

//! The objects of a NIC that takes commands.

use std::ptr::NonNull;

use super::ffi::{DevxObj, DevxUar, DevxUmem};
use crate::verbs::ffi::{IbvCq, IbvMr, IbvPd, IbvQp};
use crate::verbs::objects;
use crate::verbs::thread_domain::ThreadDomain;

/// An object of a NIC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mlx5Object {
    /// A queue pair made by verbs, with its completion queue and its thread domain, if it has one.
    Qp {
        qp: NonNull<IbvQp>,
        cq: NonNull<IbvCq>,
        domain: Option<ThreadDomain>,
    },
    /// A thread domain whose queue pair is gone.
    Domain(ThreadDomain),
    /// A completion queue whose queue pair is gone.
    Cq(NonNull<IbvCq>),
    Devx(NonNull<DevxObj>),
    Umem(NonNull<DevxUmem>),
    Uar(NonNull<DevxUar>),
    Mr(NonNull<IbvMr>),
    Pd(NonNull<IbvPd>),
}

// SAFETY: verbs objects may be used from any thread, since the libraries lock as needed, and the table ensures that
// none is in use when it is destroyed.
unsafe impl Send for Mlx5Object {}
// SAFETY: a shared reference allows copies of the pointers only, and the libraries lock as needed when these are used.
unsafe impl Sync for Mlx5Object {}

/// A function that takes the pointer of one kind of object; `None` for other kinds.
macro_rules! pick {
    ($kind:ident) => {
        |object: &$crate::mlx5dv::objects::Mlx5Object| match object {
            $crate::mlx5dv::objects::Mlx5Object::$kind(pointer) => Some(*pointer),
            _ => None,
        }
    };
}
pub(super) use pick;

impl objects::Object for Mlx5Object {
    fn kind(&self) -> &'static str {
        match self {
            Self::Qp { .. } => "a verbs queue pair",
            Self::Cq(_) => "a verbs completion queue",
            Self::Domain(_) => "a thread domain",
            Self::Devx(_) => "a DEVX object",
            Self::Umem(_) => "a umem",
            Self::Uar(_) => "a doorbell page",
            Self::Mr(_) => "a memory registration",
            Self::Pd(_) => "a protection domain",
        }
    }

    fn rank(&self) -> u8 {
        match self {
            Self::Qp { .. } => 0,
            Self::Cq(_) => 1,
            Self::Devx(_) => 2,
            Self::Umem(_) => 3,
            Self::Uar(_) => 4,
            Self::Mr(_) => 5,
            Self::Domain(_) => 6,
            Self::Pd(_) => 7,
        }
    }
}

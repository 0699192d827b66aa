//! What can be taken from a NIC that takes commands.

use std::ptr::NonNull;

use super::ffi::{DevxObj, DevxUar, DevxUmem};
use crate::rdma::verbs::ffi::{IbvCq, IbvMr, IbvPd, IbvQp};
use crate::rdma::verbs::objects;

/// An object of a NIC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mlx5Object {
    /// With the completion queue that goes with it.
    Qp {
        qp: NonNull<IbvQp>,
        cq: NonNull<IbvCq>,
    },
    /// One whose queue pair is gone.
    Cq(NonNull<IbvCq>),
    Devx(NonNull<DevxObj>),
    Umem(NonNull<DevxUmem>),
    Uar(NonNull<DevxUar>),
    Mr(NonNull<IbvMr>),
    Pd(NonNull<IbvPd>),
}

// SAFETY: verbs objects may be used from any thread (the libraries lock what they must), and the table sees to it that
// none is used when it is destroyed.
unsafe impl Send for Mlx5Object {}
// SAFETY: as above; an `Object` itself is never changed.
unsafe impl Sync for Mlx5Object {}

/// Takes an object of one kind out of the others.
macro_rules! pick {
    ($kind:ident) => {
        |object: &$crate::rdma::mlx5dv::objects::Mlx5Object| match object {
            $crate::rdma::mlx5dv::objects::Mlx5Object::$kind(pointer) => Some(*pointer),
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
            Self::Pd(_) => 6,
        }
    }
}

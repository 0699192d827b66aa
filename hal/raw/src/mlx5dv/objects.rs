//! What was taken from a NIC, by handle.
//!
//! A handle is a number and not a pointer, so one that was made up or given back before is an error and not a use of
//! freed memory. Who uses an object reads the table for the length of the call, and who destroys one writes it: no
//! object goes while a call has it.

use std::collections::BTreeMap;
use std::ptr::NonNull;
use std::sync::{PoisonError, RwLock};

use oxshmem_core::host::{Error, ErrorKind, Result};

use super::ffi::{DevxObj, DevxUar, DevxUmem};
use crate::hca::Handle;
use crate::verbs::ffi::{Cq, Mr, Pd, Qp};

/// An object of a NIC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Object {
    /// With the completion queue that goes with it.
    Qp {
        qp: NonNull<Qp>,
        cq: NonNull<Cq>,
    },
    /// One whose queue pair is gone.
    Cq(NonNull<Cq>),
    Devx(NonNull<DevxObj>),
    Umem(NonNull<DevxUmem>),
    Uar(NonNull<DevxUar>),
    Mr(NonNull<Mr>),
    Pd(NonNull<Pd>),
}

// SAFETY: verbs objects may be used from any thread (the libraries lock what they must), and the table sees to it that
// none is used when it is destroyed.
unsafe impl Send for Object {}
// SAFETY: as above; an `Object` itself is never changed.
unsafe impl Sync for Object {}

impl Object {
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
}

#[derive(Debug, Default)]
struct Known {
    objects: BTreeMap<u64, Object>,
    given: u64,
}

/// The objects of one NIC.
#[derive(Debug, Default)]
pub(super) struct Objects(RwLock<Known>);

/// Takes an object of one kind out of the others.
macro_rules! pick {
    ($kind:ident) => {
        |object| match object {
            $crate::mlx5dv::objects::Object::$kind(pointer) => Some(*pointer),
            _ => None,
        }
    };
}
pub(super) use pick;

impl Objects {
    /// Keeps an object; the handle that it has from now on. No number is given twice.
    pub(super) fn keep(&self, object: Object) -> Handle {
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        known.given += 1;
        let number = known.given;
        known.objects.insert(number, object);
        Handle(number)
    }

    /// Calls `with` with what `pick` takes of an object, which stays for as long.
    ///
    /// # Errors
    /// There is no such object, or it is of another kind than `wanted`.
    pub(super) fn with<T, R>(
        &self,
        handle: Handle,
        wanted: &str,
        pick: impl FnOnce(&Object) -> Option<T>,
        with: impl FnOnce(T) -> Result<R>,
    ) -> Result<R> {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let picked = picked(known.objects.get(&handle.0), handle, wanted, pick)?;
        with(picked)
    }

    /// Calls `destroy` with what `pick` takes of an object while nobody uses any; the object is forgotten if that
    /// succeeds.
    ///
    /// # Errors
    /// As [`with`](Self::with), or what `destroy` says.
    pub(super) fn destroy<T>(
        &self,
        handle: Handle,
        wanted: &str,
        pick: impl FnOnce(&Object) -> Option<T>,
        destroy: impl FnOnce(T) -> Result<()>,
    ) -> Result<()> {
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let picked = picked(known.objects.get(&handle.0), handle, wanted, pick)?;
        destroy(picked)?;
        known.objects.remove(&handle.0);
        Ok(())
    }

    /// Everything that is left, in the order in which it must be given back: what was made later goes before what was
    /// made earlier of the same kind.
    pub(super) fn drain(&self) -> Vec<Object> {
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let mut left: Vec<Object> = std::mem::take(&mut known.objects).into_values().rev().collect();
        left.sort_by_key(rank);
        left
    }
}

/// In the order in which the kinds go: what uses another goes before it.
fn rank(object: &Object) -> u8 {
    match object {
        Object::Qp { .. } => 0,
        Object::Cq(_) => 1,
        Object::Devx(_) => 2,
        Object::Umem(_) => 3,
        Object::Uar(_) => 4,
        Object::Mr(_) => 5,
        Object::Pd(_) => 6,
    }
}

fn picked<T>(
    object: Option<&Object>,
    handle: Handle,
    wanted: &str,
    pick: impl FnOnce(&Object) -> Option<T>,
) -> Result<T> {
    let error = || Error::new(ErrorKind::InvalidArgument, format!("use handle {} as {wanted}", handle.0));
    let object = object.ok_or_else(|| error().because("it was given back, or never given"))?;
    pick(object).ok_or_else(|| error().because(format!("it is {}", object.kind())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handle_given_back_or_of_another_kind_is_an_error_that_says_so() {
        let objects = Objects::default();
        let pd = objects.keep(Object::Pd(NonNull::dangling()));
        let wrong = objects.with(pd, "a umem", pick!(Umem), |_| Ok(())).unwrap_err().to_string();
        assert_eq!(wrong, format!("cannot use handle {} as a umem: it is a protection domain", pd.0));
        objects.destroy(pd, "a protection domain", pick!(Pd), |_| Ok(())).unwrap();
        let gone = objects.with(pd, "a protection domain", pick!(Pd), |_| Ok(())).unwrap_err().to_string();
        assert!(gone.contains("given back"), "{gone}");
        assert_ne!(objects.keep(Object::Pd(NonNull::dangling())), pd, "no number is given twice");
    }

    #[test]
    fn an_object_that_could_not_be_destroyed_is_still_there() {
        let objects = Objects::default();
        let mr = objects.keep(Object::Mr(NonNull::dangling()));
        let busy = |_| Err(Error::new(ErrorKind::System, "destroy it"));
        assert!(objects.destroy(mr, "a memory registration", pick!(Mr), busy).is_err());
        assert!(objects.with(mr, "a memory registration", pick!(Mr), |_| Ok(())).is_ok());
    }

    #[test]
    fn what_is_left_goes_in_the_order_of_its_use() {
        let objects = Objects::default();
        let (cq, qp) = (NonNull::dangling(), NonNull::new(64 as *mut DevxObj).unwrap());
        objects.keep(Object::Pd(NonNull::dangling()));
        objects.keep(Object::Umem(NonNull::dangling()));
        objects.keep(Object::Devx(cq));
        objects.keep(Object::Mr(NonNull::dangling()));
        objects.keep(Object::Devx(qp));
        let kinds: Vec<&str> = objects.drain().iter().map(Object::kind).collect();
        assert_eq!(kinds, ["a DEVX object", "a DEVX object", "a umem", "a memory registration", "a protection domain"]);
        objects.keep(Object::Devx(cq));
        objects.keep(Object::Devx(qp));
        assert_eq!(objects.drain(), [Object::Devx(qp), Object::Devx(cq)], "the queue pair goes before its CQ");
    }
}

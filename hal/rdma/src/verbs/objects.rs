//! The objects of a NIC by handle.
//!
//! A handle is a number and not a pointer: an invalid handle, or one that was given back, is an error and not a use of
//! freed memory. A call that uses an object holds the table's read lock, and a call that destroys one holds the write
//! lock, so that no object is destroyed during its use.

use std::collections::BTreeMap;
use std::sync::{PoisonError, RwLock};

use oxshmem_core::host::{Error, ErrorKind, Result};

use crate::hca::Handle;

/// An object of a NIC.
pub(crate) trait Object: Clone {
    /// Returns the object's kind, for people: "a protection domain".
    fn kind(&self) -> &'static str;

    /// Returns the order in which kinds must be given back: an object goes before those that it uses.
    fn rank(&self) -> u8;
}

#[derive(Debug)]
struct ObjectTable<O> {
    objects: BTreeMap<u64, O>,
    /// The last handle, and the distance to the next.
    given: u64,
    step: u64,
}

/// The objects of one NIC.
#[derive(Debug)]
pub(crate) struct Objects<O>(RwLock<ObjectTable<O>>);

impl<O> Default for Objects<O> {
    fn default() -> Self {
        Self::every(1, 1)
    }
}

impl<O> Objects<O> {
    /// Returns a table with handles `first`, `first + step` and so on, so that two tables of one NIC have no handle in
    /// common.
    pub(crate) fn every(step: u64, first: u64) -> Self {
        Self(RwLock::new(ObjectTable { objects: BTreeMap::new(), given: first.wrapping_sub(step), step }))
    }
}

impl<O: Object> Objects<O> {
    /// Keeps an object and returns its handle. No handle is used twice.
    pub(crate) fn keep(&self, object: O) -> Handle {
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        known.given = known.given.wrapping_add(known.step);
        let number = known.given;
        known.objects.insert(number, object);
        Handle(number)
    }

    /// Calls `with` with the part of an object that `pick` takes; the object is not destroyed meanwhile.
    ///
    /// # Errors
    /// There is no such object, or it is of another kind than `wanted`.
    pub(crate) fn with<T, R>(
        &self,
        handle: Handle,
        wanted: &str,
        pick: impl FnOnce(&O) -> Option<T>,
        with: impl FnOnce(T) -> Result<R>,
    ) -> Result<R> {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let picked = picked(known.objects.get(&handle.0), handle, wanted, pick)?;
        with(picked)
    }

    /// Calls `with` with an object, which is not destroyed meanwhile, and returns its answer; `None` if there is no such
    /// object, or it is none for `with`.
    pub(crate) fn look<R>(&self, handle: Handle, with: impl FnOnce(&O) -> Option<R>) -> Option<R> {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        known.objects.get(&handle.0).and_then(with)
    }

    /// Calls `destroy` with the part of an object that `pick` takes, while no object is in use. If that succeeds, the
    /// object is forgotten.
    ///
    /// # Errors
    /// As [`with`](Self::with), or the error of `destroy`.
    pub(crate) fn destroy<T>(
        &self,
        handle: Handle,
        wanted: &str,
        pick: impl FnOnce(&O) -> Option<T>,
        destroy: impl FnOnce(T) -> Result<()>,
    ) -> Result<()> {
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let picked = picked(known.objects.get(&handle.0), handle, wanted, pick)?;
        destroy(picked)?;
        known.objects.remove(&handle.0);
        Ok(())
    }

    /// Removes all objects and returns them in the order in which they must be given back: the newest of a kind first.
    pub(crate) fn drain(&self) -> Vec<O> {
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let mut left: Vec<O> = std::mem::take(&mut known.objects).into_values().rev().collect();
        left.sort_by_key(O::rank);
        left
    }
}

fn picked<O: Object, T>(
    object: Option<&O>,
    handle: Handle,
    wanted: &str,
    pick: impl FnOnce(&O) -> Option<T>,
) -> Result<T> {
    let error = || Error::new(ErrorKind::InvalidArgument, format!("use handle {} as {wanted}", handle.0));
    let object = object.ok_or_else(|| error().because("it was given back, or never given"))?;
    pick(object).ok_or_else(|| error().because(format!("it is {}", object.kind())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    enum Thing {
        Queue(u32),
        Memory,
        Domain,
    }

    impl Object for Thing {
        fn kind(&self) -> &'static str {
            match self {
                Self::Queue(_) => "a queue",
                Self::Memory => "memory",
                Self::Domain => "a domain",
            }
        }

        fn rank(&self) -> u8 {
            match self {
                Self::Queue(_) => 0,
                Self::Memory => 1,
                Self::Domain => 2,
            }
        }
    }

    fn queue(thing: &Thing) -> Option<u32> {
        if let Thing::Queue(number) = thing { Some(*number) } else { None }
    }

    fn domain(thing: &Thing) -> Option<()> {
        (*thing == Thing::Domain).then_some(())
    }

    #[test]
    fn a_handle_given_back_or_of_another_kind_is_an_error_that_says_so() {
        let objects = Objects::default();
        let pd = objects.keep(Thing::Domain);
        let wrong = objects.with(pd, "a queue", queue, |_| Ok(())).unwrap_err().to_string();
        assert_eq!(wrong, format!("cannot use handle {} as a queue: it is a domain", pd.0));
        objects.destroy(pd, "a domain", domain, |()| Ok(())).unwrap();
        let gone = objects.with(pd, "a domain", domain, Ok).unwrap_err().to_string();
        assert!(gone.contains("given back"), "{gone}");
        assert_ne!(objects.keep(Thing::Domain), pd, "no number is given twice");
    }

    #[test]
    fn two_tables_of_one_nic_give_no_handle_twice() {
        let (one, other) = (Objects::every(2, 1), Objects::every(2, 2));
        let given: Vec<u64> = (0..3).flat_map(|_| [one.keep(Thing::Memory).0, other.keep(Thing::Memory).0]).collect();
        assert_eq!(given, [1, 2, 3, 4, 5, 6]);
    }

    #[test]
    fn an_object_that_could_not_be_destroyed_is_still_there() {
        let objects = Objects::default();
        let pd = objects.keep(Thing::Domain);
        let busy = |()| Err(Error::new(ErrorKind::System, "destroy it"));
        assert!(objects.destroy(pd, "a domain", domain, busy).is_err());
        assert!(objects.with(pd, "a domain", domain, Ok).is_ok());
    }

    #[test]
    fn remaining_objects_go_in_the_order_of_their_use() {
        let objects = Objects::default();
        for thing in [Thing::Domain, Thing::Queue(1), Thing::Memory, Thing::Queue(2)] {
            objects.keep(thing);
        }
        let left = objects.drain();
        assert_eq!(left, [Thing::Queue(2), Thing::Queue(1), Thing::Memory, Thing::Domain], "the last of a kind first");
    }
}

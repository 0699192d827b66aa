//! Operations without the checks on which memory safety rests.

use oxshmem_core::Fault;

use crate::shmem::Handle;
use crate::{Issue, Shmem};

/// Operations without checks of PE and ranges, made by [`Rma::unchecked`](crate::Rma::unchecked). Host PEs, and builds
/// that check all, check them nevertheless; builds that check no ranges have no other operations.
#[derive(Debug)]
pub struct Unchecked<'a, I: ?Sized>(&'a I);

impl<'a, I: Issue + ?Sized> Unchecked<'a, I> {
    #[inline(always)]
    pub(crate) const fn new(on: &'a I) -> Self {
        Self(on)
    }
}

impl<I: ?Sized> Clone for Unchecked<'_, I> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<I: ?Sized> Copy for Unchecked<'_, I> {}

impl<I: Issue + ?Sized> Issue for Unchecked<'_, I> {
    const CHECKS: bool = false;
    type Paths = I::Paths;
    type Queue<'a>
        = I::Queue<'a>
    where
        Self: 'a;

    #[inline(always)]
    fn shmem(&self) -> &Shmem<'_, I::Paths> {
        self.0.shmem()
    }

    #[inline(always)]
    fn queue(&self) -> Result<Handle<I::Queue<'_>>, Fault> {
        self.0.queue()
    }
}

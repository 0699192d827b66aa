//! Growth of the symmetric heap: a new extent is created on every PE and mapped everywhere, or nowhere.

use std::os::fd::{AsFd, BorrowedFd};
use std::sync::PoisonError;

use oxshmem_core::Pe;
use oxshmem_core::host::{Extent, Offer, Result};
use oxshmem_raw::memory::Windows;

use super::World;
use super::agreement::all_ok;
use crate::heap::Heap;

/// The index of the load/store transport, which maps heaps through the windows that the world owns.
const LOAD_STORE: usize = 0;

impl World {
    /// Creates an extent on every PE and maps it everywhere, or nowhere. Collective.
    ///
    /// # Errors
    /// A PE can't create, share or map it: every PE gets the error, and none has the extent.
    pub(super) fn grow(&self, extent: Extent) -> Result<()> {
        self.add_extent(extent, |windows| windows.create(extent), |heap| heap.add(extent))
    }

    /// Maps an extent in this PE's own window by `map`, shares it with all PEs, and adds it to the heap by `add`; or does
    /// nothing of it on any PE. Collective.
    ///
    /// # Errors
    /// A PE can't map or share it: every PE gets the error, and none has the extent.
    pub(super) fn add_extent(
        &self,
        extent: Extent,
        map: impl FnOnce(&mut Windows) -> Result<()>,
        add: impl FnOnce(&mut Heap) -> Result<()>,
    ) -> Result<()> {
        let mapped = map(&mut self.windows());
        let added = all_ok(&self.control, "make memory for the symmetric heap", mapped)
            .and_then(|()| self.share(extent))
            .and_then(|()| add(&mut self.inner().heap));
        match added {
            Ok(()) => self.refresh_linked(),
            Err(_) => self.take_back(extent),
        }
        added
    }

    fn share(&self, extent: Extent) -> Result<()> {
        let offer = self.windows().offer(extent);
        self.exchange(LOAD_STORE, offer, |pe, offer| self.windows().accept(pe, extent, offer))?;
        self.remote_transports().try_for_each(|index| {
            let offer = self.on_transport(index, |one| one.offer(extent));
            self.exchange(index, offer, |pe, offer| self.on_transport(index, |one| one.accept(pe, extent, offer)))
        })
    }

    /// Exchanges the offers of all PEs for transport `index`, and accepts those of the PEs that it reaches. Descriptors
    /// are exchanged in a step of their own, which is left out where no PE offers any. Collective.
    fn exchange(
        &self,
        index: usize,
        mine: Result<Offer>,
        mut accept: impl FnMut(Pe, Offer) -> Result<()>,
    ) -> Result<()> {
        const SHARE: &str = "share the symmetric heap";
        let mine = all_ok(&self.control, SHARE, mine)?;
        let has_fds = [u8::from(!mine.fds.is_empty())];
        let theirs = self.control.all_gather(SHARE, &[&has_fds, &mine.bytes[..]].concat())?;
        let fds = match theirs.iter().any(|theirs| theirs.first() == Some(&1)) {
            true => {
                let borrowed: Vec<BorrowedFd<'_>> = mine.fds.iter().map(AsFd::as_fd).collect();
                self.control.exchange_fds(SHARE, &borrowed)?
            }
            false => theirs.iter().map(|_| None).collect(),
        };
        let offers = (0..).map(Pe::new).zip(theirs.into_iter().zip(fds));
        let accepted = offers.filter(|(pe, _)| *pe != self.me && self.paths[pe.index()] == index).try_for_each(
            |(pe, (mut bytes, fds))| {
                bytes.drain(..has_fds.len().min(bytes.len()));
                accept(pe, Offer { bytes, fds: fds.unwrap_or_default() })
            },
        );
        all_ok(&self.control, "map the symmetric heaps of the others", accepted)
    }

    /// Undoes the part of a growth that was done on this PE.
    fn take_back(&self, extent: Extent) {
        // No PE may reach the memory when it is freed.
        self.withdraw(extent);
        if !self.windows().can_grow() {
            // SAFETY: **unused**: the heap does not have the extent, so nothing in it was handed out.
            unsafe { self.windows().close_peers() }
            // Memory that another PE still has mapped can't be freed.
            if self.control.barrier("give an extent of the symmetric heap back").is_err() {
                // SAFETY: **unused**: the heap does not have the extent, so nothing in it was handed out.
                unsafe { self.windows().abandon() }
            }
        }
        // SAFETY: **unused**: the heap does not have the extent, so nothing in it was handed out.
        unsafe { self.windows().discard(extent, self.n_pes) }
    }

    /// Ends the registrations of an extent with the transports.
    pub(super) fn withdraw(&self, extent: Extent) {
        for one in self.transports.iter().flatten() {
            one.write().unwrap_or_else(PoisonError::into_inner).withdraw(extent);
        }
    }
}

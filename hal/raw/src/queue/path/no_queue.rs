//! The queue of a list without paths.

use oxshmem_core::{
    AmoOp, AmoType, Completion, Fault, FaultStep, Group, OrderingDomain, Pe, PeSet, QpResource, QpSet, Remote,
    SignalOp, SymAddr, Width,
};

#[cfg(doc)]
use super::NoRemote;
use crate::gpu::local::LocalAddr;

/// The queue of [`NoRemote`]. No PE is on it, because the host refuses a module that lacks a path of its world.
#[derive(Clone, Copy, Debug)]
pub struct NoQueue;

#[cold]
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn no_path<T>(pe: Pe) -> Result<T, Fault> {
    let mut fault = Fault::new(FaultStep::NoSuchQp);
    fault.pe = pe.number();
    Err(fault)
}

impl QpResource for NoQueue {
    type Local = LocalAddr;

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn put<G: Group>(&self, _: G, to: Remote, _: LocalAddr, _: usize, _: Completion) -> Result<(), Fault> {
        no_path(to.pe)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn get<G: Group>(&self, _: G, _: LocalAddr, from: Remote, _: usize, _: Completion) -> Result<(), Fault> {
        no_path(from.pe)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn iput<G: Group>(
        &self,
        _: G,
        to: Remote,
        _: LocalAddr,
        _: usize,
        _: usize,
        _: usize,
        _: Width,
    ) -> Result<(), Fault> {
        no_path(to.pe)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn iget<G: Group>(
        &self,
        _: G,
        _: LocalAddr,
        from: Remote,
        _: usize,
        _: usize,
        _: usize,
        _: Width,
    ) -> Result<(), Fault> {
        no_path(from.pe)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn p(&self, to: Remote, _: Width, _: u64) -> Result<(), Fault> {
        no_path(to.pe)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn g(&self, from: Remote, _: Width) -> Result<u64, Fault> {
        no_path(from.pe)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn amo_fetch(&self, at: Remote, _: AmoOp, _: AmoType, _: u64, _: u64) -> Result<u64, Fault> {
        no_path(at.pe)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn amo(&self, at: Remote, _: AmoOp, _: AmoType, _: u64) -> Result<(), Fault> {
        no_path(at.pe)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn signal(&self, at: Remote, _: SignalOp, _: u64) -> Result<(), Fault> {
        no_path(at.pe)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn put_signal<G: Group>(
        &self,
        _: G,
        to: Remote,
        _: LocalAddr,
        _: usize,
        _: SymAddr,
        _: SignalOp,
        _: u64,
        _: Completion,
    ) -> Result<(), Fault> {
        no_path(to.pe)
    }
}

impl OrderingDomain for NoQueue {
    #[inline(always)]
    fn fence<G: Group>(&self, _: G, _: PeSet, _: QpSet<'_>) -> Result<(), Fault> {
        Ok(())
    }

    #[inline(always)]
    fn quiet<G: Group>(&self, _: G, _: PeSet, _: QpSet<'_>) -> Result<(), Fault> {
        Ok(())
    }
}

//! A device for tests of what posts on it: it takes every work request, and does nothing.

use std::sync::{Mutex, PoisonError};

use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_raw::rdma::hca::{Gid, Handle, Mr, Port, Region, VerbsConnect, VerbsNic};
use oxshmem_raw::rdma::rc::{Local, PostRefused, QpState, RcCaps, RcDevice, RcQp, RcQpAsk, Wc, Wr};

/// What was posted, and what then was in the memory that it named.
#[derive(Debug, Default)]
pub(super) struct Dry {
    pub(super) posted: Mutex<Vec<(Wr, u64)>>,
}

impl Dry {
    /// What was posted since this was asked last, with the first 8 bytes that it named.
    pub(super) fn take(&self) -> Vec<(Wr, u64)> {
        std::mem::take(&mut *self.posted.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn none<T>(what: &str) -> Result<T> {
    Err(Error::new(ErrorKind::InvalidArgument, what.to_string()).because("this device is for tests of posting"))
}

impl VerbsNic for Dry {
    fn name(&self) -> &str {
        "dry"
    }

    fn firmware(&self) -> String {
        "none".into()
    }

    fn ports(&self) -> Result<Vec<Port>> {
        none("list ports")
    }

    fn gids(&self, _: u8) -> Result<Vec<Gid>> {
        none("list addresses")
    }

    fn dealloc_pd(&self, _: Handle) -> Result<()> {
        Ok(())
    }

    fn reg_mr(&self, _: Handle, _: Region, _: u64, _: u64, _: u32) -> Result<Mr> {
        Ok(Mr { handle: Handle(1), lkey: 1, rkey: 1 })
    }

    fn dereg_mr(&self, _: Handle) -> Result<()> {
        Ok(())
    }
}

impl RcDevice for Dry {
    fn caps(&self) -> Result<RcCaps> {
        none("tell limits")
    }

    fn alloc_pd(&self) -> Result<Handle> {
        none("make a domain")
    }

    fn create_cq(&self, _: u32) -> Result<Handle> {
        none("make a completion queue")
    }

    fn destroy_cq(&self, _: Handle) -> Result<()> {
        Ok(())
    }

    fn create_qp(&self, _: Handle, _: Handle, _: &RcQpAsk) -> Result<RcQp> {
        none("make a queue pair")
    }

    fn connect(&self, _: Handle, _: &VerbsConnect) -> Result<()> {
        none("connect")
    }

    fn fail_qp(&self, _: Handle) -> Result<()> {
        Ok(())
    }

    fn query_state(&self, _: Handle) -> Result<QpState> {
        none("tell a state")
    }

    fn destroy_qp(&self, _: Handle) -> Result<()> {
        Ok(())
    }

    fn post(&self, _: Handle, list: &[Wr]) -> std::result::Result<(), PostRefused> {
        let seen = list.iter().map(|wr| {
            let Local::Memory { address, bytes: 8.., .. } = wr.local else { return (*wr, 0) };
            // SAFETY: tests name live memory of at least so many bytes, that nobody writes now.
            let word = unsafe { std::ptr::with_exposed_provenance::<u64>(address as usize).read_unaligned() };
            (*wr, word)
        });
        self.posted.lock().unwrap_or_else(PoisonError::into_inner).extend(seen);
        Ok(())
    }

    fn poll(&self, _: Handle, _: &mut [Wc]) -> Result<usize> {
        Ok(0)
    }
}

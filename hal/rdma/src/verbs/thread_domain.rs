//! Thread domains. A queue pair of a thread domain of its own has a doorbell register of its own, since no other thread
//! is to ring there; others share registers. Source: `ibv_alloc_td(3)`.
//!
//! The header calls these functions of a driver by a table that lies before the context in memory, and grows downwards.

use std::mem::{offset_of, size_of};
use std::ptr::{self, NonNull};

use oxshmem_core::host::Result;

use super::answer;
use super::base::VerbsDevice;
use super::ffi::{IbvContext, IbvParentDomainInitAttr, IbvPd, IbvTd, IbvTdInitAttr, VerbsContextOps};

/// A context has no such table unless its last field has this value: `__VERBS_ABI_IS_EXTENDED`.
const EXTENDED: usize = usize::MAX;

/// A thread domain, and the protection domain in which queue pairs belong to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ThreadDomain {
    td: NonNull<IbvTd>,
    pub(crate) pd: NonNull<IbvPd>,
}

impl VerbsDevice {
    /// Returns the table; `None` if the driver has none, or one without these functions.
    fn thread_domain_ops(&self) -> Option<&VerbsContextOps> {
        let context: *const IbvContext = self.context.as_ptr();
        // SAFETY: the context is open, and the library's structure has this field.
        if unsafe { (*context).abi_compat }.addr() != EXTENDED {
            return None;
        }
        // The table ends where the context begins.
        let table = context.cast::<VerbsContextOps>().wrapping_sub(1);
        // SAFETY: an extended context has the table, and its size is the last field.
        let bytes = unsafe { (*table).sz };
        if bytes
            < size_of::<VerbsContextOps>() - offset_of!(VerbsContextOps, alloc_parent_domain) + size_of::<IbvContext>()
        {
            return None;
        }
        // SAFETY: by its size the table has all of these fields, and it lives as long as the context, which `self`
        // keeps.
        Some(unsafe { &*table })
    }

    /// Makes a thread domain of a protection domain. `None` if the driver has none.
    ///
    /// # Safety
    ///
    /// - **live**: `pd` is a domain of this device, which is not given back before the thread domain.
    ///
    /// # Errors
    /// The NIC's registers are used up.
    pub(crate) unsafe fn thread_domain(&self, pd: NonNull<IbvPd>) -> Result<Option<ThreadDomain>> {
        let Some(VerbsContextOps {
            alloc_td: Some(alloc_td),
            dealloc_td: Some(dealloc_td),
            alloc_parent_domain: Some(join),
            ..
        }) = self.thread_domain_ops()
        else {
            return Ok(None);
        };
        let mut attr = IbvTdInitAttr { comp_mask: 0 };
        // SAFETY: the context is open, and `attr` is a live structure of its type.
        let td = unsafe { alloc_td(self.context.as_ptr(), &mut attr) };
        if td.is_null() && [libc::EOPNOTSUPP, libc::ENOSYS].contains(&answer::last_errno()) {
            return Ok(None);
        }
        let td =
            self.made(|| "make a thread domain, for a doorbell register of its own,".into(), "ibv_alloc_td", td)?;
        let mut attr = IbvParentDomainInitAttr {
            pd: pd.as_ptr(),
            td: td.as_ptr(),
            comp_mask: 0,
            alloc: None,
            free: None,
            pd_context: ptr::null_mut(),
        };
        // SAFETY: the context is open, `attr` is a live structure of its type, and both domains live (**live**).
        let joined = unsafe { join(self.context.as_ptr(), &mut attr) };
        let joined =
            self.made(|| "make a parent domain".into(), "ibv_alloc_parent_domain", joined).inspect_err(|_| {
                // The first error is reported. SAFETY: the domain was just made, and nothing uses it.
                let _ = unsafe { dealloc_td(td.as_ptr()) };
            })?;
        Ok(Some(ThreadDomain { td, pd: joined }))
    }

    /// Gives a thread domain back. Returns the last call and its answer.
    ///
    /// # Safety
    ///
    /// - **unused**: the domain is one of this device that was not given back, and no queue pair is in it.
    pub(crate) unsafe fn free_thread_domain(&self, domain: ThreadDomain) -> (&'static str, core::ffi::c_int) {
        // SAFETY: **unused** by the caller. The parent domain goes before the thread domain, which it uses.
        let answered = unsafe { (self.verbs().ibv_dealloc_pd)(domain.pd.as_ptr()) };
        match self.thread_domain_ops().and_then(|ops| ops.dealloc_td) {
            // SAFETY: **unused** by the caller, and its parent domain is gone.
            Some(dealloc_td) if answered == 0 => ("ibv_dealloc_td", unsafe { dealloc_td(domain.td.as_ptr()) }),
            _ => ("ibv_dealloc_pd", answered),
        }
    }
}

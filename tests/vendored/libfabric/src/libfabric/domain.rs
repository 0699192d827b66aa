//! A fabric's domain: one interface of one provider, and the memory that is registered with it.

use std::ffi::{CStr, CString, c_int, c_void};
use std::fmt;
use std::ptr::{NonNull, null, null_mut};

use oxshmem_core::host::{Error, ErrorKind, Result};

use super::ffi::{
    FI_ATOMIC, FI_COMPARE_ATOMIC, FI_CSWAP, FI_EP_RDM, FI_FETCH_ATOMIC, FI_MR_ALLOCATED, FI_MR_PROV_KEY,
    FI_MR_VIRT_ADDR, FI_MSG, FI_PROGRESS_MANUAL, FI_READ, FI_RECV, FI_REMOTE_READ, FI_REMOTE_WRITE, FI_RMA,
    FI_THREAD_SAFE, FI_TRANSMIT, FI_WRITE, fi_atomic_attr, fi_info, fi_version, fid, fid_domain, fid_fabric,
};
use super::library::Library;
use super::memory::Registered;

/// The interface version that this crate is written for.
const VERSION: u32 = fi_version(1, 17);

/// An object of libfabric that begins with a `fid`; closed when it is dropped.
pub(crate) struct Object<T>(NonNull<T>);

impl<T> fmt::Debug for Object<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<T> Object<T> {
    /// Takes ownership of an object.
    ///
    /// # Safety
    ///
    /// - **owned**: `at` is a live object that begins with a `fid`, and no other code closes it.
    /// - **nested**: objects that were made from it are dropped before it.
    pub(crate) unsafe fn new(at: *mut T) -> Result<Self> {
        let missing = || Error::new(ErrorKind::System, "use an object of libfabric").because("the call gave none");
        NonNull::new(at).map(Self).ok_or_else(missing)
    }

    pub(crate) fn ptr(&self) -> *mut T {
        self.0.as_ptr()
    }

    pub(crate) fn fid(&self) -> *mut fid {
        self.0.as_ptr().cast()
    }
}

impl<T> Drop for Object<T> {
    fn drop(&mut self) {
        // SAFETY: **owned**, **nested** of `new`: the object is live, and nothing made from it is left.
        unsafe { ((*(*self.fid()).ops).close)(self.fid()) };
    }
}

// SAFETY: domains are opened for FI_THREAD_SAFE, so that any thread may call on any of their objects.
unsafe impl<T> Send for Object<T> {}
// SAFETY: domains are opened for FI_THREAD_SAFE, so that several threads may call at the same time.
unsafe impl<T> Sync for Object<T> {}

/// A description of an interface, as `fi_getinfo` returns it.
#[derive(Debug)]
pub(crate) struct Info(NonNull<fi_info>);

// SAFETY: the list is not changed after it was made.
unsafe impl Send for Info {}
// SAFETY: the list is not changed after it was made, so that several threads may read it.
unsafe impl Sync for Info {}

impl Drop for Info {
    fn drop(&mut self) {
        if let Ok(library) = Library::get() {
            // SAFETY: **owned**: the list came from fi_getinfo or fi_dupinfo, and this value alone has it.
            unsafe { (library.freeinfo)(self.0.as_ptr()) }
        }
    }
}

/// Facts of an interface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Facts {
    /// The provider: `tcp;ofi_rxm`.
    pub(crate) provider: String,
    /// The domain, which is an interface: `eth0`.
    pub(crate) domain: String,
    /// The format of addresses; peers with other formats can't be reached.
    pub(crate) address_format: u32,
    /// Bytes of the longest message.
    pub(crate) max_message: usize,
    /// Operations outstanding in a transmit queue.
    pub(crate) depth: usize,
    /// Whether data moves at the target only during the target's calls.
    pub(crate) manual_progress: bool,
    /// Whether the provider has any atomics.
    pub(crate) atomics: bool,
    /// Whether remote addresses are virtual addresses; else offsets into the registration.
    pub(crate) virtual_addresses: bool,
}

/// The capability on which an interface's atomics rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Atomics {
    /// Atomics of libfabric (FI_ATOMIC).
    Native,
    /// Messages that the target's poll executes (FI_MSG).
    Messages,
}

/// Lists the interfaces of `provider` that have reliable endpoints with remote memory access and the capability of
/// `atomics`, as `(facts, info)`.
///
/// # Errors
/// The library is missing, or fails. If there is no such interface, the list is empty.
pub(crate) fn interfaces(provider: &str, atomics: Atomics) -> Result<Vec<(Facts, Info)>> {
    let library = Library::get()?;
    let needed = match atomics {
        Atomics::Native => FI_ATOMIC,
        Atomics::Messages => FI_MSG | FI_TRANSMIT | FI_RECV,
    };
    let action = || format!("list the interfaces of libfabric's provider {provider}");
    let name = CString::new(provider)
        .map_err(|_| Error::new(ErrorKind::InvalidArgument, action()).because("its name has a zero byte"))?;
    // SAFETY: **null**: fi_dupinfo(NULL) makes an empty description with all its parts.
    let hints = unsafe { (library.dupinfo)(null()) };
    let hints = NonNull::new(hints).map(Info).ok_or_else(|| Error::new(ErrorKind::Exhausted, action()))?;
    let at = hints.0.as_ptr();
    // SAFETY: **parts**: the description is ours alone, and fi_dupinfo made every part that is written here. The
    // provider's name must come from malloc, since fi_freeinfo frees it.
    unsafe {
        (*at).caps = FI_RMA | FI_READ | FI_WRITE | FI_REMOTE_READ | FI_REMOTE_WRITE | needed;
        (*at).mode = 0;
        (*(*at).ep_attr).ep_type = FI_EP_RDM;
        (*(*at).domain_attr).threading = FI_THREAD_SAFE;
        (*(*at).domain_attr).mr_mode = FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY;
        (*(*at).fabric_attr).prov_name = libc::strdup(name.as_ptr());
    }
    let mut first = null_mut();
    // SAFETY: **hints**: a complete description; the answer is a list that `Info` frees.
    let answer = unsafe { (library.getinfo)(VERSION, null(), null(), 0, at, &mut first) };
    if -answer == libc::ENODATA {
        return Ok(Vec::new());
    }
    library.check(answer, "fi_getinfo", action)?;
    let Some(all) = NonNull::new(first).map(Info) else { return Ok(Vec::new()) };
    let (mut found, mut next) = (Vec::new(), all.0.as_ptr());
    while !next.is_null() {
        // SAFETY: **list**: `next` is an element of the list that `all` holds; fi_dupinfo copies that one alone.
        let copy = unsafe { (library.dupinfo)(next) };
        if let Some(copy) = NonNull::new(copy).map(Info) {
            found.push((facts(&copy), copy));
        }
        // SAFETY: **list**: `next` is an element of the list that `all` holds.
        next = unsafe { (*next).next };
    }
    Ok(found)
}

fn facts(info: &Info) -> Facts {
    let text = |at: *const std::ffi::c_char| match at.is_null() {
        true => String::new(),
        // SAFETY: **text**: a string of the description, which lives as long as the description.
        false => unsafe { CStr::from_ptr(at) }.to_string_lossy().into_owned(),
    };
    // SAFETY: **parts**: fi_getinfo fills in every part of a description, and no code changes it.
    unsafe {
        let info = info.0.as_ref();
        let (domain, mode) = (&*info.domain_attr, (*info.domain_attr).mr_mode);
        Facts {
            provider: text((*info.fabric_attr).prov_name),
            domain: text(domain.name),
            address_format: info.addr_format,
            max_message: (*info.ep_attr).max_msg_size,
            depth: (*info.tx_attr).size,
            manual_progress: domain.data_progress == FI_PROGRESS_MANUAL,
            atomics: info.caps & FI_ATOMIC != 0,
            virtual_addresses: mode & FI_MR_VIRT_ADDR != 0,
        }
    }
}

/// An opened interface.
#[derive(Debug)]
pub(crate) struct Domain {
    // In the order in which they are closed.
    domain: Object<fid_domain>,
    _fabric: Object<fid_fabric>,
    pub(crate) info: Info,
    pub(crate) facts: Facts,
}

impl Domain {
    /// Opens an interface.
    ///
    /// # Errors
    /// The provider refuses.
    pub(crate) fn open(facts: Facts, info: Info) -> Result<Self> {
        let library = Library::get()?;
        let action = || format!("open {} of libfabric's provider {}", facts.domain, facts.provider);
        let mut fabric = null_mut();
        // SAFETY: **parts**: the description is complete.
        let answer = unsafe { (library.fabric)(info.0.as_ref().fabric_attr, &mut fabric, null_mut()) };
        library.check(answer, "fi_fabric", action)?;
        // SAFETY: **owned**: fi_fabric has just created it, and no other code has it. **nested**: the domain is dropped
        // before it.
        let fabric = unsafe { Object::new(fabric)? };
        let mut domain = null_mut();
        // SAFETY: **live**: the fabric is open, and the description is one of its.
        let answer = unsafe { ((*(*fabric.ptr()).ops).domain)(fabric.ptr(), info.0.as_ptr(), &mut domain, null_mut()) };
        library.check(answer, "fi_domain", action)?;
        // SAFETY: **owned**: the call has just created it, and no other code has it. **nested**: every owner of an
        // object made from it also holds this `Domain`.
        let domain = unsafe { Object::new(domain)? };
        Ok(Self { domain, _fabric: fabric, info, facts })
    }

    pub(crate) fn ptr(&self) -> *mut fid_domain {
        self.domain.ptr()
    }

    pub(crate) fn info(&self) -> *mut fi_info {
        self.info.0.as_ptr()
    }

    /// Reports whether the provider has an atomic that fetches, on one word of type `datatype`.
    pub(crate) fn has_atomic(&self, (datatype, op): (c_int, c_int)) -> bool {
        let mut attr = fi_atomic_attr { count: 0, size: 0 };
        let flags = if op == FI_CSWAP { FI_COMPARE_ATOMIC } else { FI_FETCH_ATOMIC };
        // SAFETY: **live**: the domain is open; the call fills in `attr` and keeps no pointer.
        self.facts.atomics
            && unsafe {
                let query = (*(*self.ptr()).ops).query_atomic;
                query.is_some_and(|query| query(self.ptr(), datatype, op, &mut attr, flags) == 0 && attr.count > 0)
            }
    }

    /// Registers `bytes` bytes at `at` for this side's operations, and for its peers' if it is `remote`. `asked` is the
    /// key where the provider leaves the choice to us; each registration of a domain needs its own.
    ///
    /// # Safety
    ///
    /// - **mapped**: the memory stays mapped until the registration is dropped.
    /// - **first**: the registration is dropped before this domain.
    pub(crate) unsafe fn register(&self, at: u64, bytes: u64, asked: u64, remote: bool) -> Result<Registered> {
        let library = Library::get()?;
        let access = FI_READ | FI_WRITE | if remote { FI_REMOTE_READ | FI_REMOTE_WRITE } else { 0 };
        let mut mr = null_mut();
        // SAFETY: **mapped**: the caller keeps the memory mapped; the domain is open.
        let answer = unsafe {
            ((*(*self.ptr()).mr).reg)(
                self.domain.fid(),
                at as *const c_void,
                bytes as usize,
                access,
                0,
                asked,
                0,
                &mut mr,
                null_mut(),
            )
        };
        library.check(answer, "fi_mr_reg", || format!("register {bytes} bytes at address {at:#x}"))?;
        // SAFETY: **owned**: fi_mr_reg has just created it, and no other code has it. **nested**: no object is made of
        // a registration.
        let mr = unsafe { Object::new(mr)? };
        let base = if self.facts.virtual_addresses { 0 } else { at };
        // SAFETY: **mapped**: the caller's promise.
        Ok(unsafe { Registered::new(mr, base, at, bytes) })
    }
}

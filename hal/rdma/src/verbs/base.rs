//! An opened device: the calls that libibverbs answers for any of them.

use core::ffi::{CStr, c_int, c_void};
use std::mem::MaybeUninit;
use std::path::PathBuf;
use std::ptr::NonNull;
use std::sync::Arc;

use oxshmem_core::host::{Error, ErrorKind, Result};

use super::ffi::{self, IbvContext, IbvDeviceAttr, IbvGid, IbvGidEntry, IbvPortAttr, IbvQp, Verbs, gid_type};
use super::libibverbs::Libibverbs;
use super::{answer, memlock, sysfs, transitions};
use crate::hca::{AhAttr, Gid, GidKind, LinkLayer, Port, Region, VerbsConnect};

/// Access flags from here on are hints: a library or kernel that does not know one ignores it.
pub(crate) const OPTIONAL_ACCESS: u32 = 0x3ff0_0000;

/// The vendor of Linux' Soft-RoCE: an OUI that is not assigned. Source: linux/drivers/infiniband/sw/rxe/rxe_param.h.
const SOFT_ROCE: u32 = 0xff_ffff;

/// A device. It is closed when dropped, so all of its objects must be given back before.
pub(crate) struct VerbsDevice {
    pub(crate) library: Arc<Libibverbs>,
    pub(crate) context: NonNull<IbvContext>,
    pub(crate) name: String,
    pub(crate) attr: IbvDeviceAttr,
    sys: PathBuf,
}

// SAFETY: verbs may be called from any thread; libibverbs and its providers take the locks that they need.
unsafe impl Send for VerbsDevice {}
// SAFETY: the same locks allow calls through shared references.
unsafe impl Sync for VerbsDevice {}

impl VerbsDevice {
    /// Takes an opened device.
    ///
    /// # Safety
    ///
    /// - **opened**: `context` is open and belongs to the new value from now on, also if this fails.
    pub(crate) unsafe fn new(
        library: Arc<Libibverbs>,
        context: NonNull<IbvContext>,
        name: String,
        sys: PathBuf,
    ) -> Result<Self> {
        // SAFETY: every field is a number or an array of numbers, for which zeros are a value.
        let mut attr: IbvDeviceAttr = unsafe { MaybeUninit::zeroed().assume_init() };
        let mut base = Self { library, context, name, attr, sys };
        // SAFETY: the context is open, and `attr` a live structure of its type.
        let answered = unsafe { (base.verbs().ibv_query_device)(base.context.as_ptr(), &mut attr) };
        base.done(|| "ask for its limits".into(), "ibv_query_device", answered)?;
        base.attr = attr;
        Ok(base)
    }

    pub(crate) fn verbs(&self) -> &Verbs {
        &self.library.verbs
    }

    /// Reports whether Linux' Soft-RoCE drives the device, under any name: by its vendor, or by its files in sysfs if
    /// its driver is too old to set a vendor.
    pub(crate) fn is_soft_roce(&self) -> bool {
        self.attr.vendor_id == SOFT_ROCE || sysfs::is_on_interface(&self.sys, &self.name)
    }

    /// Returns success, or the error "cannot `action` on NAME" of a call that returns an errno.
    pub(crate) fn done(&self, action: impl FnOnce() -> String, call: &'static str, answered: c_int) -> Result<()> {
        match answered {
            0 => Ok(()),
            answered => {
                let errno = answer::errno_of(answered);
                Err(answer::error(self.on(action()), call, errno))
            }
        }
    }

    /// Returns the object that a call made, or the error of a call that returns null and sets errno.
    pub(crate) fn made<T>(
        &self,
        action: impl FnOnce() -> String,
        call: &'static str,
        made: *mut T,
    ) -> Result<NonNull<T>> {
        NonNull::new(made).ok_or_else(|| {
            let errno = answer::last_errno();
            answer::error(self.on(action()), call, errno)
        })
    }

    pub(crate) fn on(&self, action: String) -> String {
        format!("{action} on {}", self.name)
    }

    fn port_attr(&self, port: u8) -> Result<IbvPortAttr> {
        // SAFETY: every field is a number, for which zero is a value; fields that the library does not fill stay zero.
        let mut attr: IbvPortAttr = unsafe { MaybeUninit::zeroed().assume_init() };
        // SAFETY: the context is open, and `attr` is at least as large as the structure that the library fills.
        let answered = unsafe { (self.verbs().ibv_query_port)(self.context.as_ptr(), port, &mut attr) };
        self.done(|| format!("ask for the state of port {port}"), "ibv_query_port", answered)?;
        Ok(attr)
    }

    /// Returns the largest message, in bytes: the least of all ports.
    pub(crate) fn max_message_bytes(&self) -> Result<u32> {
        let mut least = u32::MAX;
        for port in 1..=self.attr.phys_port_cnt {
            least = least.min(self.port_attr(port)?.max_msg_sz);
        }
        Ok(least)
    }

    /// Returns the entries of the GID tables of all ports; `None` if the library can't read them at once.
    fn gid_table(&self, entries: usize) -> Option<Vec<IbvGidEntry>> {
        let query = self.verbs()._ibv_query_gid_table?;
        let unused =
            IbvGidEntry { gid: IbvGid { raw: [0; 16] }, gid_index: 0, port_num: 0, gid_type: 0, ndev_ifindex: 0 };
        let mut table = vec![unused; entries];
        // SAFETY: the context is open, and the table has room for `entries` entries of the size that is given.
        let count = unsafe { query(self.context.as_ptr(), table.as_mut_ptr(), entries, 0, size_of::<IbvGidEntry>()) };
        table.truncate(usize::try_from(count).ok()?);
        Some(table)
    }

    fn gid(&self, port: u8, index: u32) -> Result<[u8; 16]> {
        let mut gid = IbvGid { raw: [0; 16] };
        // SAFETY: the context is open, and `gid` a live union of its type.
        let answered = unsafe { (self.verbs().ibv_query_gid)(self.context.as_ptr(), port, index as c_int, &mut gid) };
        self.done(|| format!("read GID {index} of port {port}"), "ibv_query_gid", answered)?;
        Ok(gid.raw)
    }

    pub(crate) fn firmware(&self) -> String {
        let bytes: Vec<u8> = self.attr.fw_ver.iter().map(|&byte| byte as u8).chain([0]).collect();
        CStr::from_bytes_until_nul(&bytes).map_or_else(|_| String::new(), |text| text.to_string_lossy().into_owned())
    }

    pub(crate) fn ports(&self) -> Result<Vec<Port>> {
        (1..=self.attr.phys_port_cnt).map(|number| Ok(port_of(number, &self.port_attr(number)?))).collect()
    }

    pub(crate) fn gids(&self, port: u8) -> Result<Vec<Gid>> {
        let ports = self.ports()?;
        let Some(one) = ports.iter().find(|one| one.number == port) else {
            return Err(Error::new(ErrorKind::OutOfRange, self.on(format!("read the GIDs of port {port}")))
                .because(format!("it has ports 1 to {}", ports.len())));
        };
        let entries = ports.iter().map(|port| port.gids as usize).sum();
        if let Some(table) = self.gid_table(entries) {
            let of_port = table.iter().filter(|entry| entry.port_num == u32::from(port));
            return Ok(of_port
                .map(|entry| Gid { index: entry.gid_index, raw: entry.gid.raw, kind: kind_of(entry.gid_type) })
                .collect());
        }
        let ethernet = one.link == LinkLayer::Ethernet;
        let mut gids = Vec::new();
        for index in 0..one.gids {
            let raw = self.gid(port, index)?;
            let kind = match sysfs::gid_kind(&self.sys, &self.name, port, index, ethernet) {
                Some(kind) => kind,
                None if !ethernet => GidKind::InfiniBand,
                None => continue,
            };
            if raw != [0; 16] {
                gids.push(Gid { index, raw, kind });
            }
        }
        Ok(gids)
    }

    pub(crate) fn register(
        &self,
        pd: NonNull<ffi::IbvPd>,
        region: Region,
        bytes: u64,
        iova: u64,
        access: u32,
    ) -> Result<NonNull<ffi::IbvMr>> {
        let action = || format!("register {bytes} bytes of {}", described(region));
        let length = sized(bytes, || self.on(action()))?;
        let verbs = self.verbs();
        let (call, mr) = match region {
            Region::Address(address) => match verbs.ibv_reg_mr_iova2 {
                Some(register) => {
                    // SAFETY: the protection domain is in use; the kernel checks the range and pins it.
                    let mr = unsafe { register(pd.as_ptr(), address as *mut c_void, length, iova, access) };
                    ("ibv_reg_mr_iova2", mr)
                }
                None if iova == address => {
                    let access = (access & !OPTIONAL_ACCESS) as c_int;
                    // SAFETY: the protection domain is in use; the kernel checks the range and pins it.
                    ("ibv_reg_mr", unsafe { (verbs.ibv_reg_mr)(pd.as_ptr(), address as *mut c_void, length, access) })
                }
                None => return Err(self.library.too_old(self.on(action()), "ibv_reg_mr_iova2", 28)),
            },
            Region::DmaBuf { fd, offset } => match verbs.ibv_reg_dmabuf_mr {
                Some(register) => {
                    // SAFETY: the protection domain is in use; the kernel checks the buffer and the range in it.
                    let mr = unsafe { register(pd.as_ptr(), offset, length, iova, fd, access as c_int) };
                    ("ibv_reg_dmabuf_mr", mr)
                }
                None => return Err(self.library.too_old(self.on(action()), "ibv_reg_dmabuf_mr", 34)),
            },
        };
        self.made(action, call, mr).map_err(|error| match region {
            Region::Address(_) => memlock::explained(error, bytes),
            Region::DmaBuf { .. } => error,
        })
    }

    /// Moves a queue pair from RESET to RTS toward a peer, which gets all access rights through it.
    ///
    /// # Safety
    ///
    /// - **live**: the queue pair is this device's and is not destroyed during the call.
    pub(crate) unsafe fn connect(&self, qp: NonNull<IbvQp>, to: &VerbsConnect, what: &str) -> Result<()> {
        let steps = transitions::to_rts(to, self.ah_attr(&to.ah)?);
        for (state, mut attr, mask) in steps {
            // SAFETY: **live**: the caller keeps the queue pair during the call, and `attr` is a live structure of its
            // type.
            let answered = unsafe { (self.verbs().ibv_modify_qp)(qp.as_ptr(), &mut attr, mask) };
            self.done(|| format!("move {what} to {state}"), "ibv_modify_qp", answered)
                .map_err(|error| error.because(transitions::parameters(to, state)))?;
        }
        Ok(())
    }

    /// Converts an address. Fields that are not set here are zero: the kernel refuses other values in unused fields.
    pub(crate) fn ah_attr(&self, to: &AhAttr) -> Result<ffi::IbvAhAttr> {
        // SAFETY: every field is a number or an array of numbers, for which zeros are a value.
        let mut attr: ffi::IbvAhAttr = unsafe { MaybeUninit::zeroed().assume_init() };
        attr.dlid = to.dlid;
        attr.sl = to.sl;
        attr.port_num = to.port;
        if let Some((gid, index)) = to.global {
            attr.is_global = 1;
            attr.grh.dgid = IbvGid { raw: gid };
            attr.grh.hop_limit = to.hop_limit;
            attr.grh.traffic_class = to.traffic_class;
            attr.grh.sgid_index = u8::try_from(index).map_err(|_| {
                Error::new(ErrorKind::OutOfRange, self.on(format!("use GID {index}")))
                    .because("verbs can name the entries 0 to 255 of a GID table")
            })?;
        }
        Ok(attr)
    }
}

impl Drop for VerbsDevice {
    fn drop(&mut self) {
        // SAFETY: the context is open, and nothing of it is used after this.
        let _ = unsafe { (self.verbs().ibv_close_device)(self.context.as_ptr()) };
    }
}

fn port_of(number: u8, attr: &IbvPortAttr) -> Port {
    Port {
        number,
        state: attr.state as u8,
        link: match attr.link_layer {
            ffi::LINK_LAYER_ETHERNET => LinkLayer::Ethernet,
            _ => LinkLayer::InfiniBand,
        },
        lid: attr.lid,
        active_mtu: attr.active_mtu as u8,
        gids: u32::try_from(attr.gid_tbl_len).unwrap_or(0),
        pkeys: u32::from(attr.pkey_tbl_len),
        grh_required: attr.flags & ffi::GRH_REQUIRED != 0,
    }
}

const fn kind_of(gid_type: u32) -> GidKind {
    match gid_type {
        gid_type::ROCE_V2 => GidKind::RoceV2,
        gid_type::ROCE_V1 => GidKind::RoceV1,
        _ => GidKind::InfiniBand,
    }
}

pub(crate) fn described(region: Region) -> String {
    match region {
        Region::Address(address) => format!("memory at {address:#x}"),
        Region::DmaBuf { fd, offset } => format!("DMA buffer {fd} at {offset:#x}"),
    }
}

/// Checks that a length fits the machine's address width.
pub(crate) fn sized(bytes: u64, action: impl FnOnce() -> String) -> Result<usize> {
    match usize::try_from(bytes) {
        Ok(0) => Err(Error::new(ErrorKind::InvalidArgument, action()).because("there is nothing to reach")),
        Ok(bytes) => Ok(bytes),
        Err(_) => Err(Error::new(ErrorKind::OutOfRange, action()).amount(bytes, usize::MAX as u64, "bytes")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_has_the_flag_that_packets_need_a_global_route_header() {
        // SAFETY: every field is a number, for which zero is a value.
        let none: IbvPortAttr = unsafe { MaybeUninit::zeroed().assume_init() };
        let required = |flags| port_of(1, &IbvPortAttr { flags, ..none }).grh_required;
        assert_eq!([0, 1, 2, 3].map(required), [false, true, false, true]);
    }
}

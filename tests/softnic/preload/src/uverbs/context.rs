//! Contexts, ports, addresses and events.

use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::sync::Mutex;

use oxshmem_rdma::hca::{GidKind, Hca, LinkLayer, Port};

use super::attrs::{Answer, Call, Errno, Fields, Filled};
use super::channel::Channel;
use super::objects::{Objects, PAGES_END};
use super::{Context, File, told};
use crate::config::Deny;
use crate::shim::paths::with_tree;
use crate::shim::tree;

/// The driver's own input and output of any method.
pub(super) const DRIVER_IN: u16 = 0x1000;
/// See [`DRIVER_IN`].
pub(super) const DRIVER_OUT: u16 = 0x1001;

/// Answers `GET_CONTEXT`: opens the NIC. The driver's input is `mlx5_ib_alloc_ucontext_req_v2`.
pub(super) fn get(file: &File, call: &mut Call<'_>) -> Answer<()> {
    const WANTS_DEVX: u32 = 1;
    const CAN_DYNAMIC_UAR: u64 = 2;
    let request = call.bytes(DRIVER_IN);
    let request = Fields(&request);
    let devx = request.u32(8) & WANTS_DEVX != 0;
    if devx && Deny::Devx.is_asked() {
        // The kernel's answer if the firmware has no user contexts.
        return Err(Errno(libc::EINVAL));
    }
    if request.u64(24) & CAN_DYNAMIC_UAR == 0 {
        // Libraries before rdma-core 30 expect their doorbell pages to be allocated here.
        return Err(Errno(libc::EOPNOTSUPP));
    }
    if file.context.get().is_some() {
        return Err(Errno(libc::EINVAL));
    }
    let hca = told(crate::nics::open(&file.device.name()))?;
    let ports = told(hca.ports())?;
    let guid = guid(&*hca);
    with_tree(|root| drop(tree::guids(root, file.device, guid)));
    for port in &ports {
        let gids = told(hca.gids(port.number))?;
        with_tree(|root| drop(tree::port(root, file.device, port, &gids)));
    }
    has_pages(file.fd)?;
    let context = Context { hca, devx, objects: Mutex::new(Objects::default()) };
    file.context.set(context).map_err(|_| Errno(libc::EINVAL))?;
    call.give_word(0, 1);
    // The core's optional features: none.
    call.give_number(1, 0);
    let response = Filled::default()
        .u32(1 << 17) // queue pairs
        .u32(512) // bytes of a doorbell register
        .u32(0) // registers allocated here: none, libmlx5 allocates pages
        .u32(64) // bytes of a cache line
        .u16(1024) // longest send entry
        .u16(512) // longest receive entry
        .u32(32768) // basic blocks of a send queue
        .u32(32768) // receive entries
        .u32(32767) // shared receive entries
        .u16(ports.len() as u16)
        .u16(0) // flow actions
        .u32(0) // which of the following are valid: none that needs a bit
        .u32(72) // bytes of this
        .u8(1) // version of completions
        .u8(0b11) // methods that take the driver's own input: QUERY_DEVICE, CREATE_AH
        .u8(1) // least inline of Ethernet frames: none
        .u8(0) // clocks
        .u64(0)
        .u32(12) // log of a UAR's bytes
        .u32(1) // UARs of a page
        .u32(0) // registers allocated the old dynamic way
        .u32(0);
    call.give(DRIVER_OUT, &response.0);
    Ok(())
}

/// Replaces an open file's object by a file in memory, whose pages a program maps as doorbell pages: as it maps any
/// file, also where its memory hooks make the system call past this library.
fn has_pages(fd: RawFd) -> Answer<()> {
    let failed = || Errno(std::io::Error::last_os_error().raw_os_error().unwrap_or(libc::ENOMEM));
    // SAFETY: the name is a C string.
    let memory = unsafe { libc::memfd_create(c"uverbs".as_ptr(), libc::MFD_CLOEXEC) };
    if memory < 0 {
        return Err(failed());
    }
    // SAFETY: the descriptor was just created, and nothing else owns it.
    let memory = unsafe { OwnedFd::from_raw_fd(memory) };
    // SAFETY: the call changes the length of the file just created; its pages take memory when they are used.
    let has_length = unsafe { libc::ftruncate(memory.as_raw_fd(), PAGES_END) } == 0;
    // SAFETY: the call reads the flags of a descriptor.
    let flags = unsafe { libc::fcntl(fd, libc::F_GETFD) };
    let flags = if flags & libc::FD_CLOEXEC == 0 { 0 } else { libc::O_CLOEXEC };
    // SAFETY: the program owns `fd`, and goes on using it as the device's file.
    let is_replaced = has_length && unsafe { libc::dup3(memory.as_raw_fd(), fd, flags) } == fd;
    if is_replaced { Ok(()) } else { Err(failed()) }
}

/// Returns a NIC's GUID: its first port's, which ends that port's first GID.
pub(super) fn guid(hca: &dyn Hca) -> u64 {
    let gids = hca.gids(1).unwrap_or_default();
    gids.first().map_or(0, |gid| u128::from_be_bytes(gid.raw) as u64)
}

fn port(context: &Context, number: u32) -> Answer<Port> {
    let ports = told(context.hca.ports())?;
    ports.into_iter().find(|port| u32::from(port.number) == number).ok_or(Errno(libc::EINVAL))
}

/// Answers `QUERY_PORT`.
pub(super) fn query_port(context: &Context, call: &mut Call<'_>) -> Answer<()> {
    let port = port(context, call.word(0)?)?;
    const LINK_UP: u8 = 5;
    const DISABLED: u8 = 3;
    let is_up = port.state >= 3;
    let response = Filled::default()
        .u32(0xa651_e848) // capabilities of the port
        .u32(1 << 30) // bytes of a message
        .u32(0)
        .u32(0)
        .u32(port.gids)
        .u16(port.pkeys as u16)
        .u16(port.lid)
        .u16(1) // the subnet manager's
        .u8(port.state)
        .u8(5) // 4096 bytes
        .u8(port.active_mtu)
        .u8(0)
        .u8(4) // virtual lanes
        .u8(0)
        .u8(18)
        .u8(0)
        .u8(2) // 4X
        .u8(128) // NDR
        .u8(if is_up { LINK_UP } else { DISABLED })
        .u8(match port.link {
            LinkLayer::InfiniBand => 1,
            LinkLayer::Ethernet => 2,
        })
        .u8(0)
        .u8(0)
        .zeros(8);
    call.give(1, &response.0);
    Ok(())
}

fn gid_record(gid: &oxshmem_rdma::hca::Gid, port: u32) -> Vec<u8> {
    let kind = match gid.kind {
        GidKind::InfiniBand => 0,
        GidKind::RoceV1 => 1,
        GidKind::RoceV2 => 2,
    };
    Filled::default().bytes(&gid.raw).u32(gid.index).u32(port).u32(kind).u32(0).0
}

/// Answers `QUERY_GID_TABLE`: the entries in use, of all ports.
pub(super) fn gid_table(context: &Context, call: &mut Call<'_>) -> Answer<()> {
    let stride = call.number(0)? as usize;
    if stride < 32 || call.word(1)? != 0 {
        return Err(Errno(libc::EINVAL));
    }
    let room = call.room(2) / stride;
    let mut table = Vec::new();
    let mut count = 0;
    for port in told(context.hca.ports())? {
        for gid in told(context.hca.gids(port.number))? {
            let mut record = gid_record(&gid, port.number.into());
            record.resize(stride, 0);
            table.extend(record);
            count += 1;
        }
    }
    if count > room {
        return Err(Errno(libc::EINVAL));
    }
    call.give(2, &table);
    call.give_number(3, count as u64);
    Ok(())
}

/// Answers `QUERY_GID_ENTRY`.
pub(super) fn gid_entry(context: &Context, call: &mut Call<'_>) -> Answer<()> {
    let number = call.word(0)?;
    let index = call.word(1)?;
    if call.word_or_zero(2) != 0 {
        return Err(Errno(libc::EINVAL));
    }
    let port = port(context, number)?;
    if index >= port.gids {
        return Err(Errno(libc::EINVAL));
    }
    let gids = told(context.hca.gids(port.number))?;
    let gid = gids.iter().find(|gid| gid.index == index).ok_or(Errno(libc::ENODATA))?;
    call.give(3, &gid_record(gid, number));
    Ok(())
}

/// Answers `ASYNC_EVENT_ALLOC`: a descriptor from which events of 16 bytes are read, and which `poll` can wait for.
pub(super) fn async_event(context: &Context, call: &mut Call<'_>) -> Answer<()> {
    let (channel, fd) = Channel::new()?;
    context.objects().async_events.push((fd, channel));
    call.give_handle(0, fd as u32);
    Ok(())
}

impl Context {
    /// Raises an event in the program: `enum ibv_event_type`, and libibverbs' name of the object (a pointer of its own,
    /// or a port number).
    pub(super) fn raise(&self, event: u32, element: u64) {
        let record = Filled::default().u64(element).u32(event).u32(0).0;
        for (_, channel) in &self.objects().async_events {
            channel.send(&record);
        }
    }
}

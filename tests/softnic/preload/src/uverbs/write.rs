//! The older commands, which arrive as one ioctl: a number, an input structure, an output structure.

use oxshmem_rdma::hca::{AhAttr, Region};

use super::attrs::{Answer, Call, Errno, Fields, Filled};
use super::channel::Channel;
use super::context::{DRIVER_OUT, guid};
use super::objects::Object;
use super::{Context, File, qpstate, queues, srq, told};
use crate::config::Deny;
use crate::shim::tree;

/// Attributes of `INVOKE_WRITE`.
const IN: u16 = 0;
/// See [`IN`].
pub(super) const OUT: u16 = 1;
const COMMAND: u16 = 2;

/// Set in the number of a command's newer form, whose structure has no pointer at its start.
const EXTENDED: u32 = 0x8000_0000;

/// Answers `INVOKE_WRITE`.
pub(super) fn invoke(file: &File, call: &mut Call<'_>) -> Answer<()> {
    let command = call.word(COMMAND)?;
    let input = call.bytes(IN);
    let input = Fields(&input);
    match command {
        // This command comes first of all, without a buffer for the answer, to test whether this ioctl exists.
        1 => query_device(file, call, false),
        0x8000_0001 => query_device(file, call, true),
        3 => alloc_pd(file.context()?, call),
        4 => dealloc_pd(file.context()?, input.u32(0)),
        5 => create_ah(file.context()?, call, input),
        8 => destroy_ah(file.context()?, input.u32(0)),
        9 => reg_mr(file.context()?, call, input),
        13 => dereg_mr(file.context()?, input.u32(0)),
        17 => create_channel(file.context()?, call),
        19 => queues::resize_cq(file.context()?, call, input),
        25 => qpstate::query(file.context()?, call, input),
        26 => qpstate::modify(file.context()?, input).map(drop),
        33 => srq::modify(file.context()?, input),
        34 => srq::query(file.context()?, call, input),
        _ if command == EXTENDED | 26 => {
            let number = qpstate::modify(file.context()?, input)?;
            call.give(DRIVER_OUT, &Filled::default().u32(16).u32(number).zeros(8).0);
            call.give(OUT, &Filled::default().u32(0).u32(8).0);
            Ok(())
        }
        // Windows, multicast: the software NIC has none.
        _ => Err(Errno(libc::EOPNOTSUPP)),
    }
}

/// Returns the firmware's version as libmlx5 splits it: three numbers. The NIC's own text may have none.
fn firmware(version: &str) -> u64 {
    let numbers = |text: &str| -> Option<u64> {
        let mut parts = text.split_whitespace().next()?.splitn(3, '.').map(|part| part.parse::<u16>());
        let mut next = || Some(u64::from(parts.next()?.ok()?));
        Some(next()? << 32 | next()? << 16 | next()?)
    };
    numbers(version).or_else(|| numbers(tree::FIRMWARE)).unwrap_or(0)
}

fn query_device(file: &File, call: &mut Call<'_>, is_extended: bool) -> Answer<()> {
    const BASE_BYTES: usize = 176;
    /// The vendor, as its firmware names itself, which is not by the number on PCI.
    const OUI: u32 = 0x02c9;
    if call.room(OUT) < BASE_BYTES {
        return Err(Errno(libc::ENOSPC));
    }
    let context = file.context()?;
    let ports = told(context.hca.ports())?;
    let guid = guid(&*context.hca).to_be();
    // Port-active events, a system image GUID, RNR retries.
    let flags = 0x1c00_u32;
    let base = Filled::default()
        .u64(firmware(&context.hca.firmware()))
        .u64(guid)
        .u64(guid)
        .u64(u64::MAX) // bytes of a registration
        .u64(0xffff_ffff_ffff_f000) // sizes of pages
        .u32(OUI)
        .u32(tree::PART)
        .u32(0)
        .u32(1 << 17) // queue pairs
        .u32(32768) // entries of one
        .u32(flags)
        .u32(30) // pieces of an entry
        .u32(30)
        .u32(1 << 24) // completion queues
        .u32((1 << 22) - 1) // entries of one
        .u32(1 << 24) // registrations
        .u32(1 << 23) // protection domains
        .u32(16) // reads and atomics as responder
        .u32(0)
        .u32(1 << 21)
        .u32(16) // and as requester
        .u32(0)
        .u32(1) // atomic among this NIC's operations
        .u32(0)
        .u32(0)
        .u32(0) // windows
        .u32(0)
        .u32(0)
        .u32(0) // multicast
        .u32(0)
        .u32(0)
        .u32(i32::MAX as u32) // address handles
        .u32(0)
        .u32(0)
        .u32(1 << 16) // shared receive queues
        .u32(32767) // entries of one
        .u32(31) // pieces of one
        .u16(128) // partition keys
        .u8(16)
        .u8(ports.len() as u8)
        .zeros(4);
    debug_assert_eq!(base.0.len(), BASE_BYTES);
    if !is_extended {
        call.give(OUT, &base.0);
        return Ok(());
    }
    const ALL_BYTES: usize = 304;
    let room = call.room(OUT).min(ALL_BYTES);
    let all = base
        .u32(0)
        .u32(room as u32)
        .zeros(24) // paging on demand
        .u64(0) // clock
        .u64(0)
        .u64(u64::from(flags))
        .zeros(ALL_BYTES - 232);
    call.give(OUT, &all.0);
    // `mlx5_ib_query_device_resp`: its length only.
    let driver = call.room(DRIVER_OUT) as u32;
    call.give(DRIVER_OUT, &Filled::default().u32(0).u32(driver.min(8)).0);
    Ok(())
}

/// Answers `CREATE_COMP_CHANNEL`.
fn create_channel(context: &Context, call: &mut Call<'_>) -> Answer<()> {
    let (channel, fd) = Channel::new()?;
    context.objects().channels.insert(fd, channel);
    call.give(OUT, &Filled::default().u32(fd as u32).0);
    Ok(())
}

fn alloc_pd(context: &Context, call: &mut Call<'_>) -> Answer<()> {
    let (pd, number) = told(context.hca.alloc_pd())?;
    let handle = context.objects().add(Object::Pd { pd, number });
    call.give(OUT, &Filled::default().u32(handle).0);
    call.give(DRIVER_OUT, &Filled::default().u32(number).0);
    Ok(())
}

pub(super) fn dealloc_pd(context: &Context, handle: u32) -> Answer<()> {
    let mut objects = context.objects();
    told(context.hca.dealloc_pd(objects.pd(handle)?.0))?;
    objects.remove(handle);
    Ok(())
}

/// Reads `ib_uverbs_ah_attr`, 32 bytes.
pub(super) fn ah_attr(at: Fields<'_>) -> AhAttr {
    AhAttr {
        port: at.u8(30),
        dlid: at.u16(24),
        sl: at.u8(26),
        global: (at.u8(29) != 0).then(|| (at.gid(0), u32::from(at.u8(20)))),
        hop_limit: at.u8(21),
        traffic_class: at.u8(22),
    }
}

fn create_ah(context: &Context, call: &mut Call<'_>, input: Fields<'_>) -> Answer<()> {
    let mut objects = context.objects();
    let (pd, _) = objects.pd(input.u32(16))?;
    let attr = ah_attr(Fields(input.0.get(24..).unwrap_or_default()));
    let mac = told(context.hca.resolve_mac(pd, &attr))?;
    let handle = objects.add(Object::Ah);
    call.give(OUT, &Filled::default().u32(handle).0);
    call.give(DRIVER_OUT, &Filled::default().u32(16).bytes(&mac).zeros(6).0);
    Ok(())
}

pub(super) fn destroy_ah(context: &Context, handle: u32) -> Answer<()> {
    let mut objects = context.objects();
    if !matches!(objects.get(handle)?, Object::Ah) {
        return Err(Errno(libc::EINVAL));
    }
    objects.remove(handle);
    Ok(())
}

fn reg_mr(context: &Context, call: &mut Call<'_>, input: Fields<'_>) -> Answer<()> {
    let (start, bytes, iova) = (input.u64(8), input.u64(16), input.u64(24));
    let (pd, access) = (input.u32(32), input.u32(36));
    /// Memory for windows, which this device has none of.
    const MW_BIND: u32 = 1 << 4;
    if access & MW_BIND != 0 {
        return Err(Errno(libc::EOPNOTSUPP));
    }
    if Deny::Mr.is_asked() {
        // The kernel's answer if the limit of locked memory is reached.
        return Err(Errno(libc::ENOMEM));
    }
    if start & 0xfff != iova & 0xfff {
        return Err(Errno(libc::EINVAL));
    }
    let mut objects = context.objects();
    let (pd, _) = objects.pd(pd)?;
    let mr = told(context.hca.reg_mr(pd, Region::Address(start), bytes, iova, access))?;
    let handle = objects.add(Object::Mr { mr: mr.handle });
    call.give(OUT, &Filled::default().u32(handle).u32(mr.lkey).u32(mr.rkey).0);
    Ok(())
}

pub(super) fn dereg_mr(context: &Context, handle: u32) -> Answer<()> {
    let mut objects = context.objects();
    let &Object::Mr { mr } = objects.get(handle)? else { return Err(Errno(libc::EINVAL)) };
    told(context.hca.dereg_mr(mr))?;
    objects.remove(handle);
    Ok(())
}

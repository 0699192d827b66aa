//! DEVX: commands that are passed through, memory for them, doorbell pages.

use std::os::fd::RawFd;

use oxshmem_core::host::Result;
use oxshmem_rdma::hca::{Region, UarKind};

use super::attrs::{Answer, Call, Errno};
use super::channel::{Channel, Events};
use super::objects::{Object, PAGE_BYTES};
use super::{Context, FIRMWARE_REFUSED, File, told};
use crate::config::Deny;

/// Attributes of the driver's methods, in their order.
const A: u16 = 0x1000;

/// Fails if the context has no DEVX, as the kernel does.
fn granted(context: &Context) -> Answer<()> {
    if context.devx { Ok(()) } else { Err(Errno(libc::EINVAL)) }
}

/// Runs a command with the mailboxes of two attributes. Returns the answer also if the firmware refused.
fn command<T>(
    call: &mut Call<'_>,
    input: u16,
    output: u16,
    run: impl FnOnce(&[u8], &mut [u8]) -> Result<T>,
) -> Answer<T> {
    let mailbox = call.bytes(input);
    let mut answer = vec![0; call.room(output)];
    if mailbox.len() < 8 || answer.len() < 8 {
        return Err(Errno(libc::EINVAL));
    }
    let result = run(&mailbox, &mut answer);
    let was_refused = answer[0] != 0;
    if result.is_ok() || was_refused {
        call.give(output, &answer);
    }
    told(result).map_err(|errno| if was_refused { Errno(FIRMWARE_REFUSED) } else { errno })
}

/// Answers `DEVX_OTHER`.
pub(super) fn general(context: &Context, call: &mut Call<'_>) -> Answer<()> {
    granted(context)?;
    command(call, A, A + 1, |input, output| context.hca.general_cmd(input, output))
}

/// Answers `DEVX_QUERY_EQN`.
pub(super) fn query_eqn(context: &Context, call: &mut Call<'_>) -> Answer<()> {
    if call.word(A)? != 0 {
        // There is one completion vector.
        return Err(Errno(libc::ENOENT));
    }
    let eqn = told(context.hca.query_eqn())?;
    call.give_word(A + 1, eqn);
    Ok(())
}

/// Answers `DEVX_ASYNC_EVENT_FD_ALLOC`: a descriptor from which events of objects are read.
pub(super) fn event_channel(context: &Context, call: &mut Call<'_>) -> Answer<()> {
    granted(context)?;
    let (channel, fd) = Channel::new()?;
    context.objects().channels.insert(fd, channel);
    call.give_handle(A, fd as u32);
    Ok(())
}

/// Answers `DEVX_SUBSCRIBE_EVENT`. Of the events that firmware has, one is raised here: the last entry of a queue pair
/// that shares its receives has completed. Without the object's data an event is the program's own number alone.
pub(super) fn subscribe(context: &Context, call: &mut Call<'_>) -> Answer<()> {
    const LAST_ENTRY: u16 = 0x13;
    granted(context)?;
    let events = call.bytes(A + 2);
    let has_it = events.as_chunks::<2>().0.iter().any(|event| u16::from_ne_bytes(*event) == LAST_ENTRY);
    let (channel, object) = (call.word(A)? as RawFd, call.word(A + 1).ok());
    let objects = context.objects();
    let channel = objects.channels.get(&channel).cloned().ok_or(Errno(libc::EBADF))?;
    let Some(object) = object.filter(|_| has_it) else { return Ok(()) };
    let number = objects.command_object(object)?.0 as u32;
    let events = Events::new(channel, call.number(A + 4)?.to_ne_bytes().to_vec());
    told(crate::nics::on_error(context.hca.name(), number, Box::new(move || events.raise())))
}

/// Answers `DEVX_OBJ_CREATE`.
pub(super) fn obj_create(context: &Context, call: &mut Call<'_>) -> Answer<()> {
    granted(context)?;
    let object = command(call, A + 1, A + 2, |input, output| context.hca.obj_create(input, output))?;
    let handle = context.objects().add(Object::Devx(object));
    call.give_handle(A, handle);
    Ok(())
}

/// Answers `DEVX_OBJ_DESTROY`.
pub(super) fn obj_destroy(context: &Context, call: &mut Call<'_>) -> Answer<()> {
    let mut objects = context.objects();
    let handle = call.word(A)?;
    let &Object::Devx(object) = objects.get(handle)? else { return Err(Errno(libc::EINVAL)) };
    told(context.hca.obj_destroy(object))?;
    objects.remove(handle);
    Ok(())
}

/// Answers `DEVX_OBJ_MODIFY`.
pub(super) fn obj_modify(context: &Context, call: &mut Call<'_>) -> Answer<()> {
    granted(context)?;
    let object = context.objects().command_object(call.word(A)?)?;
    command(call, A + 1, A + 2, |input, output| context.hca.obj_modify(object, input, output))
}

/// Answers `DEVX_OBJ_QUERY`.
pub(super) fn obj_query(context: &Context, call: &mut Call<'_>) -> Answer<()> {
    granted(context)?;
    let object = context.objects().command_object(call.word(A)?)?;
    command(call, A + 1, A + 2, |input, output| context.hca.obj_query(object, input, output))
}

/// Answers `DEVX_UMEM_REG`.
pub(super) fn umem_reg(context: &Context, call: &mut Call<'_>) -> Answer<()> {
    const LOCAL_WRITE_REMOTE_WRITE_REMOTE_READ: u32 = 7;
    granted(context)?;
    let (address, bytes) = (call.number(A + 1)?, call.number(A + 2)?);
    let access = call.word_or_zero(A + 3);
    if access & !LOCAL_WRITE_REMOTE_WRITE_REMOTE_READ != 0 || bytes == 0 {
        return Err(Errno(libc::EINVAL));
    }
    let sizes = call.number(A + 5).ok();
    if sizes == Some(0) {
        return Err(Errno(libc::EINVAL));
    }
    let region = if call.has(A + 6) {
        if Deny::DmaBuf.is_asked() {
            // The answer of a kernel that does not know the attribute.
            return Err(Errno(libc::EPROTONOSUPPORT));
        }
        Region::DmaBuf { fd: call.number(A + 6)? as RawFd, offset: address }
    } else {
        if Deny::Umem.is_asked() {
            return Err(Errno(libc::EFAULT));
        }
        Region::Address(address)
    };
    let umem = told(context.hca.umem_reg(region, bytes, access, sizes))?;
    let handle = context.objects().add(Object::Umem(umem.handle));
    call.give_word(A + 4, umem.id);
    call.give_handle(A, handle);
    Ok(())
}

/// Answers `DEVX_UMEM_DEREG`.
pub(super) fn umem_dereg(context: &Context, call: &mut Call<'_>) -> Answer<()> {
    let mut objects = context.objects();
    let handle = call.word(A)?;
    let &Object::Umem(umem) = objects.get(handle)? else { return Err(Errno(libc::EINVAL)) };
    told(context.hca.umem_dereg(umem))?;
    objects.remove(handle);
    Ok(())
}

/// Answers `UAR_OBJ_ALLOC`: a doorbell page, which the program then maps.
pub(super) fn uar_alloc(file: &File, call: &mut Call<'_>) -> Answer<()> {
    let context = file.context()?;
    if call.word(A + 1)? > 1 {
        return Err(Errno(libc::EOPNOTSUPP));
    }
    let mut objects = context.objects();
    let offset = objects.next_offset()?;
    // For BlueFlame and non-cached pages alike, libmlx5 assigns all registers of the page.
    let uar = told(context.hca.alloc_uar(UarKind::BlueFlame))?;
    // SAFETY: **new**: the page was just allocated, and no program knows its address.
    if let Err(errno) = unsafe { map_over(file.fd, offset, uar.base) } {
        drop(context.hca.free_uar(uar.handle));
        return Err(errno);
    }
    let handle = objects.add(Object::Uar(uar));
    drop(objects);
    call.give_number(A + 2, offset as u64);
    call.give_word(A + 3, PAGE_BYTES as u32);
    call.give_word(A + 4, uar.page);
    call.give_handle(A, handle);
    Ok(())
}

/// Replaces a doorbell page of the NIC by the device file's page at `offset`, at the NIC's address.
///
/// # Safety
/// - **new**: at `base` is a mapped, zeroed page of the NIC that nobody uses yet.
unsafe fn map_over(fd: RawFd, offset: i64, base: u64) -> Answer<()> {
    let (flags, protection) = (libc::MAP_SHARED | libc::MAP_FIXED, libc::PROT_READ | libc::PROT_WRITE);
    // SAFETY: **new** is the caller's promise; the file's page is zeroed too, so that nothing changes for the NIC.
    let at = unsafe { libc::mmap(base as *mut _, PAGE_BYTES as usize, protection, flags, fd, offset) };
    if at == libc::MAP_FAILED { Err(Errno(libc::ENOMEM)) } else { Ok(()) }
}

/// Answers `UAR_OBJ_DESTROY`.
pub(super) fn uar_destroy(context: &Context, call: &mut Call<'_>) -> Answer<()> {
    let mut objects = context.objects();
    let handle = call.word(A)?;
    let &Object::Uar(uar) = objects.get(handle)? else { return Err(Errno(libc::EINVAL)) };
    told(context.hca.free_uar(uar.handle))?;
    objects.remove(handle);
    Ok(())
}

/// Answers `REG_DMABUF_MR`.
pub(super) fn reg_dmabuf_mr(context: &Context, call: &mut Call<'_>) -> Answer<()> {
    let mut objects = context.objects();
    let (pd, _) = objects.pd(call.word(1)?)?;
    let (offset, bytes, iova) = (call.number(2)?, call.number(3)?, call.number(4)?);
    let (fd, access) = (call.number(5)? as RawFd, call.word_or_zero(6));
    if Deny::DmaBuf.is_asked() {
        // The kernel's answer if a driver can't register DMA buffers.
        return Err(Errno(libc::EOPNOTSUPP));
    }
    if Deny::Mr.is_asked() {
        return Err(Errno(libc::ENOMEM));
    }
    if offset & 0xfff != iova & 0xfff {
        return Err(Errno(libc::EINVAL));
    }
    let mr = told(context.hca.reg_mr(pd, Region::DmaBuf { fd, offset }, bytes, iova, access))?;
    let handle = objects.add(Object::Mr { mr: mr.handle });
    drop(objects);
    call.give_word(7, mr.lkey);
    call.give_word(8, mr.rkey);
    call.give_handle(0, handle);
    Ok(())
}

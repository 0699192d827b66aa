//! Shared receive queues of verbs.

use super::attrs::{Answer, Call, Errno, Fields, Filled};
use super::channel::Events;
use super::context::{DRIVER_IN, DRIVER_OUT};
use super::objects::{Object, Srq, give_back};
use super::queues::register_both;
use super::write::OUT;
use super::{Context, told};
use crate::mailbox::{self, MADE, OPCODE, op, rmp};

/// `IBV_EVENT_SRQ_LIMIT_REACHED`.
const LIMIT_REACHED: u32 = 15;

/// Answers `SRQ_CREATE`. The driver's input is `mlx5_ib_create_srq`.
pub(super) fn create(context: &Context, call: &mut Call<'_>) -> Answer<()> {
    const BASIC: u32 = 0;
    const LINKED_LIST: u32 = 0;
    const READY: u32 = 1;
    /// The link before the segments of an entry.
    const LINK: u32 = 16;
    if call.word_or_zero(9) != BASIC {
        return Err(Errno(libc::EOPNOTSUPP));
    }
    let (most, sges) = (call.word(5)?, call.word(6)?);
    let driver = call.bytes(DRIVER_IN);
    let driver = Fields(&driver);
    let (buffer, record, flags) = (driver.u64(0), driver.u64(8), driver.u32(16));
    if flags != 0 || most == 0 || most > 32767 || sges > 31 {
        return Err(Errno(libc::EINVAL));
    }
    let entries = (most + 1).next_power_of_two();
    let stride = (LINK + sges * 16).max(32).next_power_of_two();

    let mut objects = context.objects();
    let (_, pdn) = objects.pd(call.word(1)?)?;
    let hca = &*context.hca;
    let memory = register_both(hca, (buffer, u64::from(entries) * u64::from(stride)), record)?;
    const OFFSETS: u64 = 4096 / 32;
    if !memory[0].offset.is_multiple_of(OFFSETS) {
        give_back(hca, &memory);
        return Err(Errno(libc::EINVAL));
    }
    let mut input = [0; rmp::BYTES];
    let mut output = [0; 16];
    let into = &mut input;
    OPCODE.set(into, op::CREATE_RMP);
    rmp::STATE.set(into, READY);
    rmp::WQ_TYPE.set(into, LINKED_LIST);
    rmp::PD.set(into, pdn);
    rmp::LOG_STRIDE.set(into, stride.ilog2());
    rmp::LOG_SIZE.set(into, entries.ilog2());
    rmp::LOG_PAGE_SIZE.set(into, 0);
    rmp::PAGE_OFFSET.set(into, (memory[0].offset / OFFSETS) as u32);
    rmp::UMEM.set(into, memory[0].id);
    rmp::UMEM_VALID.set(into, 1);
    rmp::DBR_UMEM.set(into, memory[1].id);
    rmp::DBR_UMEM_VALID.set(into, 1);
    mailbox::set_u64(into, rmp::DBR_ADDRESS, memory[1].offset);
    let object = told(hca.obj_create(&input, &mut output)).inspect_err(|_| give_back(hca, &memory))?;
    let number = MADE.get(&output);
    let sges = (stride - LINK) / 16;
    let events = objects.asynchronous(call, 10, call.number(4)?, LIMIT_REACHED);
    let handle = objects.add(Object::Srq(Srq {
        object,
        number,
        memory,
        users: 0,
        entries: entries - 1,
        sges,
        limit: 0,
        events,
    }));
    drop(objects);
    call.give_handle(0, handle);
    call.give_word(11, entries - 1);
    call.give_word(12, sges);
    call.give(DRIVER_OUT, &Filled::default().u32(number).u32(0).0);
    Ok(())
}

/// Answers `SRQ_DESTROY`.
pub(super) fn destroy(context: &Context, call: &mut Call<'_>) -> Answer<()> {
    let handle = call.word(0)?;
    let mut objects = context.objects();
    let gone = objects.srq(handle)?;
    if gone.users != 0 {
        return Err(Errno(libc::EBUSY));
    }
    told(context.hca.obj_destroy(gone.object))?;
    give_back(&*context.hca, &gone.memory);
    let read = gone.events.as_ref().map_or(0, Events::end);
    objects.remove(handle);
    drop(objects);
    call.give(1, &read.to_ne_bytes());
    Ok(())
}

/// Answers `MODIFY_SRQ`: the limit raises an event once.
pub(super) fn modify(context: &Context, input: Fields<'_>) -> Answer<()> {
    const SIZE: u32 = 1;
    const LIMIT: u32 = 2;
    let (mask, limit) = (input.u32(4), input.u32(12));
    let mut objects = context.objects();
    let queue = objects.srq(input.u32(0))?;
    if mask & SIZE != 0 {
        // As the kernel's driver.
        return Err(Errno(libc::EINVAL));
    }
    if mask & LIMIT != 0 {
        if limit >= queue.entries {
            return Err(Errno(libc::EINVAL));
        }
        queue.limit = limit;
        if let Some(events) = queue.events.clone() {
            let sink = Box::new(move || events.raise());
            told(crate::nics::on_low(context.hca.name(), queue.number, limit as u16, sink))?;
        }
    }
    Ok(())
}

/// Answers `QUERY_SRQ`.
pub(super) fn query(context: &Context, call: &mut Call<'_>, input: Fields<'_>) -> Answer<()> {
    let mut objects = context.objects();
    let queue = objects.srq(input.u32(8))?;
    let response = Filled::default().u32(queue.entries).u32(queue.sges).u32(queue.limit).u32(0);
    drop(objects);
    call.give(OUT, &response.0);
    Ok(())
}

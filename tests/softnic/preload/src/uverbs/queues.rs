//! Queues of verbs. libmlx5 allocates their memory; here they become commands, as in the kernel driver.

use std::os::fd::RawFd;

use oxshmem_core::host::Result;
use oxshmem_rdma::hca::{Hca, Region, access};

use super::attrs::{Answer, Call, Errno, Fields, Filled};
use super::channel::Events;
use super::context::{DRIVER_IN, DRIVER_OUT};
use super::objects::{Cq, Object, Qp, QueueMemory, Service, give_back};
use super::qpstate::command;
use super::write::OUT;
use super::{Context, dct, told};
use crate::mailbox::{self, ABOUT, MADE, OP_MOD, OPCODE, cq, op, qp};

const PAGE: u64 = 4096;

/// Registers a queue's part of the program's memory, from the start of a page on.
fn register(hca: &dyn Hca, address: u64, bytes: u64) -> Result<QueueMemory> {
    let offset = address % PAGE;
    let umem = hca.umem_reg(Region::Address(address - offset), bytes + offset, access::LOCAL_WRITE, Some(PAGE))?;
    Ok(QueueMemory { umem: umem.handle, id: umem.id, offset })
}

/// Registers a queue's buffer and its doorbell record.
pub(super) fn register_both(hca: &dyn Hca, buffer: (u64, u64), record: u64) -> Answer<[QueueMemory; 2]> {
    if !buffer.0.is_multiple_of(64) || !record.is_multiple_of(8) || buffer.1 == 0 {
        return Err(Errno(libc::EINVAL));
    }
    let first = told(register(hca, buffer.0, buffer.1))?;
    match told(register(hca, record, 8)) {
        Ok(second) => Ok([first, second]),
        Err(errno) => {
            drop(hca.umem_dereg(first.umem));
            Err(errno)
        }
    }
}

/// Answers `CQ_CREATE`. The driver's input is `mlx5_ib_create_cq`.
pub(super) fn create_cq(context: &Context, call: &mut Call<'_>) -> Answer<()> {
    const HAS_UAR_PAGE: u16 = 2;
    const IGNORE_OVERRUN: u32 = 2;
    const UAR_PAGE_ATTR: u16 = 0x1002;
    let asked = call.word(1)?;
    let flags = call.word_or_zero(5);
    let driver = call.bytes(DRIVER_IN);
    let driver = Fields(&driver);
    let (buffer, record, cqe_bytes) = (driver.u64(0), driver.u64(8), driver.u32(16));
    let events = if call.has(3) {
        let channel = call.number(3)? as RawFd;
        let channel = context.objects().channels.get(&channel).cloned().ok_or(Errno(libc::EBADF))?;
        Some(Events::new(channel, call.number(2)?.to_ne_bytes().to_vec()))
    } else {
        None
    };
    if call.word(4)? != 0 || flags & !(IGNORE_OVERRUN | 1) != 0 || !matches!(cqe_bytes, 64 | 128) || asked == 0 {
        return Err(Errno(libc::EINVAL));
    }
    let entries = (u64::from(asked) + 1).next_power_of_two();
    if entries > 1 << 22 || driver.u8(20) != 0 {
        return Err(Errno(libc::EINVAL));
    }
    let uar_page = match driver.u16(22) & HAS_UAR_PAGE {
        0 => call.word(UAR_PAGE_ATTR)?,
        _ => context.objects().uar_page(driver.u16(24)).ok_or(Errno(libc::EINVAL))?,
    };
    let hca = &*context.hca;
    let memory = register_both(hca, (buffer, entries * u64::from(cqe_bytes)), record)?;

    let mut input = [0; cq::BYTES];
    let mut output = [0; 16];
    let into = &mut input;
    OPCODE.set(into, op::CREATE_CQ);
    cq::IGNORE_OVERRUN.set(into, u32::from(flags & IGNORE_OVERRUN != 0));
    cq::UAR_PAGE.set(into, uar_page);
    cq::EQN.set(into, told(hca.query_eqn())?);
    entries_of(into, &memory[0], entries, cqe_bytes);
    cq::DBR_UMEM.set(into, memory[1].id);
    cq::DBR_UMEM_VALID.set(into, 1);
    mailbox::set_u64(into, cq::DBR_ADDRESS, memory[1].offset);

    let object = told(hca.obj_create(&input, &mut output)).inspect_err(|_| give_back(hca, &memory))?;
    let number = MADE.get(&output);
    if let Some(events) = events.clone() {
        let watched = told(crate::nics::watch(hca.name(), number, Box::new(move || events.raise())));
        watched.inspect_err(|_| {
            drop(hca.obj_destroy(object));
            give_back(hca, &memory);
        })?;
    }
    let handle = context.objects().add(Object::Cq(Cq { object, number, memory, users: 0, events }));
    call.give_handle(0, handle);
    call.give_word(6, (entries - 1) as u32);
    call.give(DRIVER_OUT, &Filled::default().u32(number).u32(0).0);
    Ok(())
}

/// Answers `RESIZE_CQ`. The driver's input is `mlx5_ib_resize_cq`: the memory of the new entries.
pub(super) fn resize_cq(context: &Context, call: &mut Call<'_>, input: Fields<'_>) -> Answer<()> {
    const RESIZE: u32 = 1;
    let driver = call.bytes(DRIVER_IN);
    let driver = Fields(&driver);
    let (handle, asked) = (input.u32(8), input.u32(12));
    let (buffer, cqe_bytes) = (driver.u64(0), driver.u16(8));
    let entries = (u64::from(asked) + 1).next_power_of_two();
    if !matches!(cqe_bytes, 64 | 128) || entries > 1 << 22 || !buffer.is_multiple_of(64) {
        return Err(Errno(libc::EINVAL));
    }
    let hca = &*context.hca;
    let mut objects = context.objects();
    let queue = objects.cq(handle)?;
    let memory = told(register(hca, buffer, entries * u64::from(cqe_bytes)))?;
    let mut input = [0; cq::BYTES];
    let into = &mut input;
    OPCODE.set(into, op::MODIFY_CQ);
    OP_MOD.set(into, RESIZE);
    ABOUT.set(into, queue.number);
    entries_of(into, &memory, entries, cqe_bytes.into());
    if let Err(errno) = command(hca.obj_modify(queue.object, &input, &mut [0; 16]), &[0; 16]) {
        drop(hca.umem_dereg(memory.umem));
        return Err(errno);
    }
    let old = std::mem::replace(&mut queue.memory[0], memory);
    // The NIC has left it.
    drop(hca.umem_dereg(old.umem));
    drop(objects);
    call.give(OUT, &Filled::default().u32((entries - 1) as u32).u32(0).0);
    Ok(())
}

/// Fills the entries of a completion queue into a command.
fn entries_of(into: &mut [u8], memory: &QueueMemory, entries: u64, cqe_bytes: u32) {
    cq::CQE_SIZE.set(into, u32::from(cqe_bytes == 128));
    cq::LOG_SIZE.set(into, entries.ilog2());
    cq::LOG_PAGE_SIZE.set(into, 0);
    cq::PAGE_OFFSET.set(into, (memory.offset / 64) as u32);
    cq::UMEM.set(into, memory.id);
    cq::UMEM_VALID.set(into, 1);
    mailbox::set_u64(into, cq::UMEM_OFFSET, 0);
}

/// Answers `CQ_DESTROY`.
pub(super) fn destroy_cq(context: &Context, call: &mut Call<'_>) -> Answer<()> {
    let handle = call.word(0)?;
    let mut objects = context.objects();
    let gone = objects.cq(handle)?;
    if gone.users != 0 {
        return Err(Errno(libc::EBUSY));
    }
    told(context.hca.obj_destroy(gone.object))?;
    give_back(&*context.hca, &gone.memory);
    // libibverbs waits until the program has acknowledged as many events.
    let read = gone.events.as_ref().map_or(0, Events::end);
    objects.remove(handle);
    drop(objects);
    call.give(1, &Filled::default().u32(read).u32(0).0);
    Ok(())
}

/// A program's request for a queue pair, and libmlx5's memory for it: `mlx5_ib_create_qp`.
struct Asked {
    buffer: u64,
    record: u64,
    sq_blocks: u32,
    rq_entries: u32,
    rq_shift: u32,
    user_index: u32,
    uar_page: u32,
}

impl Asked {
    fn read(driver: Fields<'_>) -> Answer<Self> {
        const HAS_UAR_PAGE: u32 = 1 << 10;
        let asked = Self {
            buffer: driver.u64(0),
            record: driver.u64(8),
            sq_blocks: driver.u32(16),
            rq_entries: driver.u32(20),
            rq_shift: driver.u32(24),
            user_index: driver.u32(32),
            uar_page: driver.u32(36),
        };
        let is_power_or_none = |count: u32| count == 0 || count.is_power_of_two() && count <= 32768;
        if driver.u32(28) & HAS_UAR_PAGE == 0
            || !is_power_or_none(asked.sq_blocks)
            || !is_power_or_none(asked.rq_entries)
            || asked.rq_entries != 0 && !(4..=11).contains(&asked.rq_shift)
        {
            return Err(Errno(libc::EINVAL));
        }
        Ok(asked)
    }

    fn bytes(&self) -> u64 {
        let rq = if self.rq_entries == 0 { 0 } else { u64::from(self.rq_entries) << self.rq_shift };
        rq + u64::from(self.sq_blocks) * 64
    }
}

/// `IBV_EVENT_QP_LAST_WQE_REACHED`.
const LAST_ENTRY_REACHED: u32 = 16;

/// Answers `QP_CREATE`.
pub(super) fn create_qp(context: &Context, call: &mut Call<'_>) -> Answer<()> {
    const SIGNAL_ALL: u32 = 1 << 12;
    /// The type of queue pairs that the driver's flags tell apart.
    const OF_THE_DRIVER: u32 = 0xff;
    const IS_DCT: u32 = 1 << 4;
    const IS_DCI: u32 = 1 << 5;
    let driver = call.bytes(DRIVER_IN);
    let driver = Fields(&driver);
    let service = match call.word(9)? {
        OF_THE_DRIVER if driver.u32(28) & IS_DCT != 0 => return dct::create(context, call, driver),
        OF_THE_DRIVER if driver.u32(28) & IS_DCI != 0 => Service::Dci,
        2 => Service::Rc,
        3 => Service::Uc,
        4 => Service::Ud,
        // The other services.
        _ => return Err(Errno(libc::EOPNOTSUPP)),
    };
    if call.has(6) {
        // An indirection table.
        return Err(Errno(libc::EOPNOTSUPP));
    }
    let srq = if call.has(3) { Some(call.word(3)?) } else { None };
    let pd_handle = call.word(2)?;
    let cqs = [call.word(4)?, call.word(5)?];
    let flags = call.word_or_zero(10);
    let cap = call.bytes(8);
    let mut cap = [0, 4, 8, 12, 16].map(|at| Fields(&cap).u32(at));
    let asked = Asked::read(driver)?;
    // All entries of the queue, also those beyond the number that was asked for.
    cap[1] = asked.rq_entries;

    let mut objects = context.objects();
    let (_, pdn) = objects.pd(pd_handle)?;
    let numbers = [objects.cq(cqs[0])?.number, objects.cq(cqs[1])?.number];
    let srqn = srq.map(|srq| objects.srq(srq).map(|srq| srq.number)).transpose()?;
    let hca = &*context.hca;
    let memory = register_both(hca, (asked.buffer, asked.bytes()), asked.record)?;

    let mut input = [0; qp::BYTES];
    let mut output = [0; 16];
    context_of(&mut input, &asked, pdn, numbers, &memory);
    qp::SERVICE.set(&mut input, service as u32);
    if let Some(srqn) = srqn {
        const SHARED_RQ: u32 = 1;
        qp::RQ_TYPE.set(&mut input, SHARED_RQ);
        qp::SRQN.set(&mut input, srqn);
    }
    let object = told(hca.obj_create(&input, &mut output)).inspect_err(|_| give_back(hca, &memory))?;
    let number = MADE.get(&output);
    for handle in cqs {
        objects.cq(handle)?.users += 1;
    }
    if let Some(srq) = srq {
        objects.srq(srq)?.users += 1;
    }
    let made = Qp {
        object,
        number,
        memory,
        cqs,
        srq,
        pd: pd_handle,
        service,
        state: 0,
        access: 0,
        port: 0,
        pkey_index: 0,
        responder_depth: 0,
        cap,
        signal_all: flags & SIGNAL_ALL != 0,
        events: None,
    };
    let mut made = made;
    if srq.is_some() {
        // The last entry of a queue pair that shares its receives has completed when it is in error.
        made.events = objects.asynchronous(call, 12, call.number(7)?, LAST_ENTRY_REACHED);
        if let Some(events) = made.events.clone() {
            told(crate::nics::on_error(hca.name(), number, Box::new(move || events.raise())))?;
        }
    }
    let handle = objects.add(Object::Qp(made));
    drop(objects);
    call.give_handle(0, handle);
    let granted = cap.iter().fold(Filled::default(), |to, &word| to.u32(word));
    call.give(13, &granted.0);
    call.give_word(14, number);
    call.give(DRIVER_OUT, &Filled::default().u32(asked.uar_page).0);
    Ok(())
}

/// Fills `CREATE_QP`.
fn context_of(into: &mut [u8], asked: &Asked, pdn: u32, cqns: [u32; 2], memory: &[QueueMemory; 2]) {
    const MIGRATED: u32 = 3;
    const RQ_OF_ITS_OWN: u32 = 0;
    const NO_RQ: u32 = 3;
    OPCODE.set(into, op::CREATE_QP);
    qp::PATH_MIGRATION.set(into, MIGRATED);
    qp::PD.set(into, pdn);
    qp::UAR_PAGE.set(into, asked.uar_page);
    qp::USER_INDEX.set(into, asked.user_index);
    qp::CQN_SND.set(into, cqns[0]);
    qp::CQN_RCV.set(into, cqns[1]);
    if asked.sq_blocks == 0 {
        qp::NO_SQ.set(into, 1);
    } else {
        qp::LOG_SQ_SIZE.set(into, asked.sq_blocks.ilog2());
    }
    if asked.rq_entries == 0 {
        qp::RQ_TYPE.set(into, NO_RQ);
    } else {
        qp::RQ_TYPE.set(into, RQ_OF_ITS_OWN);
        qp::LOG_RQ_SIZE.set(into, asked.rq_entries.ilog2());
        qp::LOG_RQ_STRIDE.set(into, asked.rq_shift - 4);
    }
    qp::LOG_PAGE_SIZE.set(into, 0);
    qp::PAGE_OFFSET.set(into, (memory[0].offset / 64) as u32);
    qp::UMEM.set(into, memory[0].id);
    qp::UMEM_VALID.set(into, 1);
    qp::DBR_UMEM.set(into, memory[1].id);
    qp::DBR_UMEM_VALID.set(into, 1);
    mailbox::set_u64(into, qp::DBR_ADDRESS, memory[1].offset);
}

/// Answers `QP_DESTROY`.
pub(super) fn destroy_qp(context: &Context, call: &mut Call<'_>) -> Answer<()> {
    let handle = call.word(0)?;
    let mut objects = context.objects();
    if let Object::Dct(_) = objects.get(handle)? {
        drop(objects);
        dct::destroy(context, handle)?;
        call.give(1, &[0; 4]);
        return Ok(());
    }
    let gone = objects.qp(handle)?;
    let (cqs, srq) = (gone.cqs, gone.srq);
    told(context.hca.obj_destroy(gone.object))?;
    give_back(&*context.hca, &gone.memory);
    let read = gone.events.as_ref().map_or(0, Events::end);
    for cq in cqs {
        if let Ok(cq) = objects.cq(cq) {
            cq.users -= 1;
        }
    }
    if let Some(Ok(srq)) = srq.map(|srq| objects.srq(srq)) {
        srq.users -= 1;
    }
    objects.remove(handle);
    drop(objects);
    call.give(1, &read.to_ne_bytes());
    Ok(())
}

//! The responding side of dynamic connections (DCT) of verbs: a queue pair for the program, whose object is created by
//! its second modification, as in the kernel driver.

use oxshmem_rdma::hca::Handle;

use super::attrs::{Answer, Call, Errno, Fields, Filled};
use super::context::DRIVER_OUT;
use super::objects::Object;
use super::qpstate::{Wanted, given, state};
use super::{Context, told};
use crate::mailbox::{self, MADE, OPCODE, dct, op};

/// A DCT, with what its program has said of it.
#[derive(Debug)]
pub(crate) struct Dct {
    /// The key that requests must have.
    key: u64,
    user_index: u32,
    pd: u32,
    /// The handles of its completion queue and its shared receive queue.
    cq: u32,
    srq: u32,
    state: u8,
    access: u32,
    port: u8,
    pkey_index: u16,
    /// The object and its number, once they exist.
    pub(crate) made: Option<(Handle, u32)>,
}

/// Answers `QP_CREATE` of a DCT. `driver`: `mlx5_ib_create_qp`.
pub(super) fn create(context: &Context, call: &mut Call<'_>, driver: Fields<'_>) -> Answer<()> {
    let (pd, cq, srq) = (call.word(2)?, call.word(5)?, call.word(3)?);
    let cap = call.bytes(8);
    let mut objects = context.objects();
    objects.pd(pd)?;
    objects.cq(cq)?.users += 1;
    match objects.srq(srq) {
        Ok(srq) => srq.users += 1,
        Err(errno) => {
            objects.cq(cq)?.users -= 1;
            return Err(errno);
        }
    }
    let (key, user_index) = (driver.u64(40), driver.u32(32));
    let state = state::RESET;
    let made = Dct { key, user_index, pd, cq, srq, state, access: 0, port: 0, pkey_index: 0, made: None };
    let handle = objects.add(Object::Dct(made));
    drop(objects);
    call.give_handle(0, handle);
    call.give(13, &cap);
    call.give_word(14, 0);
    call.give(DRIVER_OUT, &Filled::default().u32(0).0);
    Ok(())
}

/// Answers `MODIFY_QP` of a DCT: to `INIT`, and to `RTR`, by which it exists. Returns its number; 0 if it does not exist.
pub(super) fn modify(context: &Context, handle: u32, wanted: Wanted<'_>) -> Answer<u32> {
    const FOR_INIT: u32 = given::PKEY_INDEX | given::PORT | given::ACCESS;
    const FOR_RTR: u32 = given::MIN_RNR_TIMER | given::AV | given::PATH_MTU;
    let mut objects = context.objects();
    let Object::Dct(dct) = objects.get_mut(handle)? else { return Err(Errno(libc::EINVAL)) };
    let to = if wanted.has(given::STATE) { wanted.fields.u8(96) } else { dct.state };
    match (dct.state, to) {
        (state::RESET, state::INIT) if wanted.has(FOR_INIT) => {
            let at = wanted.fields;
            (dct.access, dct.port, dct.pkey_index) = (at.u32(88), at.u8(104), at.u16(92));
            dct.state = state::INIT;
            Ok(0)
        }
        (state::INIT, state::RTR) if wanted.has(FOR_RTR) => {
            let numbers = (dct.pd, dct.cq, dct.srq);
            let mut mailbox = fill(dct, wanted);
            let into = &mut mailbox;
            dct::PD.set(into, objects.pd(numbers.0)?.1);
            dct::CQN.set(into, objects.cq(numbers.1)?.number);
            dct::SRQN.set(into, objects.srq(numbers.2)?.number);
            let mut output = [0; 16];
            let object = told(context.hca.obj_create(&mailbox, &mut output))?;
            let number = MADE.get(&output);
            let Object::Dct(dct) = objects.get_mut(handle)? else { return Err(Errno(libc::EINVAL)) };
            (dct.made, dct.state) = (Some((object, number)), state::RTR);
            Ok(number)
        }
        _ => Err(Errno(libc::EINVAL)),
    }
}

/// Fills `CREATE_DCT`, but for the numbers of other objects.
fn fill(from: &Dct, wanted: Wanted<'_>) -> [u8; dct::BYTES] {
    const WRITE: u32 = 2;
    const READ: u32 = 4;
    const ATOMIC: u32 = 8;
    const UP_TO_8_BYTES: u32 = 3;
    let mut mailbox = [0; dct::BYTES];
    let (into, at) = (&mut mailbox, wanted.fields);
    OPCODE.set(into, op::CREATE_DCT);
    dct::USER_INDEX.set(into, from.user_index);
    mailbox::set_u64(into, dct::KEY, from.key);
    dct::RRE.set(into, u32::from(from.access & READ != 0));
    dct::RWE.set(into, u32::from(from.access & WRITE != 0));
    if from.access & ATOMIC != 0 {
        dct::RAE.set(into, 1);
        dct::ATOMIC_MODE.set(into, UP_TO_8_BYTES);
    }
    dct::MIN_RNR_NAK.set(into, u32::from(at.u8(103)));
    dct::MTU.set(into, u32::from(at.u8(98)));
    dct::PORT.set(into, u32::from(from.port));
    dct::PKEY_INDEX.set(into, u32::from(from.pkey_index));
    let address = wanted.address(from.port);
    if let Some((_, index)) = address.global {
        dct::SOURCE_INDEX.set(into, index);
        dct::HOP_LIMIT.set(into, u32::from(address.hop_limit));
        dct::TRAFFIC_CLASS.set(into, u32::from(address.traffic_class));
        dct::FLOW_LABEL.set(into, at.u32(16));
    }
    mailbox
}

/// Answers `QP_DESTROY` of a DCT.
pub(super) fn destroy(context: &Context, handle: u32) -> Answer<()> {
    let mut objects = context.objects();
    let Object::Dct(dct) = objects.get(handle)? else { return Err(Errno(libc::EINVAL)) };
    let (cq, srq) = (dct.cq, dct.srq);
    if let Some((object, _)) = dct.made {
        told(context.hca.obj_destroy(object))?;
    }
    objects.cq(cq)?.users -= 1;
    objects.srq(srq)?.users -= 1;
    objects.remove(handle);
    Ok(())
}

//! The states of a queue pair of verbs; each step is a command.

use oxshmem_rdma::hca::{AhAttr, GidKind, Handle, LinkLayer};

use super::attrs::{Answer, Call, Errno, Fields, Filled};
use super::objects::{Object, Qp, Service};
use super::write::OUT;
use super::{Context, FIRMWARE_REFUSED, dct, told};
use crate::mailbox::{ABOUT, OPCODE, OPT_PARAM_MASK, op, qp};

/// Bits of `enum ibv_qp_attr_mask`.
pub(super) mod given {
    pub(in crate::uverbs) const STATE: u32 = 1;
    pub(in crate::uverbs) const CUR_STATE: u32 = 1 << 1;
    pub(in crate::uverbs) const ACCESS: u32 = 1 << 3;
    pub(in crate::uverbs) const PKEY_INDEX: u32 = 1 << 4;
    pub(in crate::uverbs) const PORT: u32 = 1 << 5;
    pub(in crate::uverbs) const QKEY: u32 = 1 << 6;
    pub(in crate::uverbs) const AV: u32 = 1 << 7;
    pub(in crate::uverbs) const PATH_MTU: u32 = 1 << 8;
    pub(in crate::uverbs) const TIMEOUT: u32 = 1 << 9;
    pub(in crate::uverbs) const RETRY_CNT: u32 = 1 << 10;
    pub(in crate::uverbs) const RNR_RETRY: u32 = 1 << 11;
    pub(in crate::uverbs) const RQ_PSN: u32 = 1 << 12;
    pub(in crate::uverbs) const MAX_QP_RD_ATOMIC: u32 = 1 << 13;
    pub(in crate::uverbs) const MIN_RNR_TIMER: u32 = 1 << 15;
    pub(in crate::uverbs) const SQ_PSN: u32 = 1 << 16;
    pub(in crate::uverbs) const MAX_DEST_RD_ATOMIC: u32 = 1 << 17;
    pub(in crate::uverbs) const DEST_QPN: u32 = 1 << 20;
}

/// `enum ibv_qp_state`.
pub(super) mod state {
    pub(in crate::uverbs) const RESET: u8 = 0;
    pub(in crate::uverbs) const INIT: u8 = 1;
    pub(in crate::uverbs) const RTR: u8 = 2;
    pub(in crate::uverbs) const RTS: u8 = 3;
    pub(in crate::uverbs) const ERROR: u8 = 6;
}

/// Bits of `opt_param_mask`.
mod opt {
    pub(super) const READ: u32 = 1 << 1;
    pub(super) const ATOMIC: u32 = 1 << 2;
    pub(super) const WRITE: u32 = 1 << 3;
    pub(super) const PKEY_INDEX: u32 = 1 << 4;
    pub(super) const RNR_TIMEOUT: u32 = 1 << 6;
}

/// The request, `ib_uverbs_modify_qp`.
#[derive(Clone, Copy)]
pub(super) struct Wanted<'a> {
    pub(super) fields: Fields<'a>,
    mask: u32,
}

impl Wanted<'_> {
    pub(super) fn has(self, bits: u32) -> bool {
        self.mask & bits == bits
    }

    /// Returns the address: `ib_uverbs_qp_dest`, whose fields have another order than an address handle's.
    pub(super) fn address(self, port: u8) -> AhAttr {
        let at = self.fields;
        AhAttr {
            port,
            dlid: at.u16(20),
            sl: at.u8(27),
            global: (at.u8(30) != 0).then(|| (at.gid(0), u32::from(at.u8(24)))),
            hop_limit: at.u8(25),
            traffic_class: at.u8(26),
        }
    }
}

/// One step between two states: its command, its required and its permitted attributes.
struct Step {
    command: u32,
    must: u32,
    may: u32,
}

fn step(service: Service, from: u8, to: u8) -> Answer<Step> {
    use given::*;
    // The attributes that the services differ in.
    let (known, path, answers, sends) = match service {
        Service::Rc => (
            ACCESS,
            AV | PATH_MTU | DEST_QPN | RQ_PSN | MAX_DEST_RD_ATOMIC | MIN_RNR_TIMER,
            MIN_RNR_TIMER,
            TIMEOUT | RETRY_CNT | RNR_RETRY | SQ_PSN | MAX_QP_RD_ATOMIC,
        ),
        Service::Uc => (ACCESS, AV | PATH_MTU | DEST_QPN | RQ_PSN, 0, SQ_PSN),
        Service::Ud => (QKEY, 0, 0, SQ_PSN),
        Service::Dci => (0, PATH_MTU, MIN_RNR_TIMER, TIMEOUT | RETRY_CNT | RNR_RETRY | SQ_PSN | MAX_QP_RD_ATOMIC),
    };
    // A DCI may be given an address, although it has no peer of its own.
    let unused = if service == Service::Dci { AV } else { 0 };
    let (command, must, may) = match (from, to) {
        (_, state::RESET) => (op::TO_RESET_QP, 0, 0),
        (_, state::ERROR) => (op::TO_ERROR_QP, 0, 0),
        (state::RESET, state::INIT) => (op::RST2INIT_QP, PKEY_INDEX | PORT | known, 0),
        (state::INIT, state::INIT) => (op::INIT2INIT_QP, 0, PKEY_INDEX | PORT | known),
        (state::INIT, state::RTR) => (op::INIT2RTR_QP, path, known | PKEY_INDEX | unused),
        (state::RTR, state::RTS) => (op::RTR2RTS_QP, sends, CUR_STATE | known | answers),
        (state::RTS, state::RTS) => (op::RTS2RTS_QP, 0, CUR_STATE | known | answers),
        _ => return Err(Errno(libc::EINVAL)),
    };
    Ok(Step { command, must, may: may | must | STATE | CUR_STATE })
}

/// Answers `MODIFY_QP`. Returns the number that the modification gave the object, of those that have none before.
pub(super) fn modify(context: &Context, input: Fields<'_>) -> Answer<u32> {
    let wanted = Wanted { fields: input, mask: input.u32(68) };
    let mut objects = context.objects();
    if let Object::Dct(_) = objects.get(input.u32(64))? {
        drop(objects);
        return dct::modify(context, input.u32(64), wanted);
    }
    let pair = objects.qp(input.u32(64))?;
    let from = if wanted.has(given::CUR_STATE) { input.u8(97) } else { pair.state };
    let to = if wanted.has(given::STATE) { input.u8(96) } else { pair.state };
    let step = step(pair.service, from, to)?;
    if wanted.mask & step.must != step.must || wanted.mask & !step.may != 0 {
        return Err(Errno(libc::EINVAL));
    }
    if wanted.has(given::PORT) && input.u8(104) == 0 {
        return Err(Errno(libc::EINVAL));
    }
    if wanted.has(given::ACCESS) {
        pair.access = input.u32(88);
    }
    if wanted.has(given::PORT) {
        pair.port = input.u8(104);
    }
    if wanted.has(given::PKEY_INDEX) {
        pair.pkey_index = input.u16(92);
    }
    if wanted.has(given::MAX_DEST_RD_ATOMIC) {
        pair.responder_depth = input.u8(102);
    }
    if to == state::RESET && from == state::RESET {
        return Ok(0);
    }
    let (object, pd) = (pair.object, pair.pd);

    let mut mailbox = [0; qp::BYTES];
    let into = &mut mailbox;
    OPCODE.set(into, step.command);
    ABOUT.set(into, pair.number);
    fill(into, wanted, pair, from, to);
    if wanted.has(given::AV) {
        let address = wanted.address(pair.port);
        let (pd, _) = objects.pd(pd)?;
        path(context, pd, into, wanted, &address)?;
    }
    let mut output = [0; 16];
    command(context.hca.obj_modify(object, &mailbox, &mut output), &output)?;
    objects.qp(input.u32(64))?.state = to;
    drop(objects);
    Ok(0)
}

/// Converts a refusal of the kernel's commands by the firmware to an errno; of the program's own it is `EREMOTEIO`.
pub(super) fn command(result: oxshmem_core::host::Result<()>, output: &[u8]) -> Answer<()> {
    told(result).map_err(|errno| {
        if errno.0 != FIRMWARE_REFUSED {
            return errno;
        }
        Errno(match output[0] {
            0x06 => libc::EBUSY,
            0x08 => libc::ENOMEM,
            0x0f => libc::EAGAIN,
            0x01 | 0x04 | 0x50 | 0x51 => libc::EIO,
            _ => libc::EINVAL,
        })
    })
}

fn log(count: u8) -> u32 {
    u32::from(count).checked_ilog2().unwrap_or(0)
}

/// Fills a command's context from the request.
fn fill(into: &mut [u8], wanted: Wanted<'_>, pair: &Qp, from: u8, to: u8) {
    const MIGRATED: u32 = 3;
    const LOG_MSG_MAX: u32 = 30;
    const ACK_REQUEST: u32 = 8;
    let at = wanted.fields;
    qp::PATH_MIGRATION.set(into, MIGRATED);
    let mut changed = 0;
    if matches!((from, to), (state::RESET | state::INIT, state::INIT)) {
        qp::path::PORT.set(into, u32::from(pair.port));
        qp::path::PKEY_INDEX.set(into, u32::from(pair.pkey_index));
    } else if wanted.has(given::PKEY_INDEX) {
        qp::path::PKEY_INDEX.set(into, u32::from(pair.pkey_index));
        changed |= opt::PKEY_INDEX;
    }
    if wanted.has(given::QKEY) {
        qp::Q_KEY.set(into, at.u32(72));
    }
    if wanted.has(given::PATH_MTU) {
        qp::MTU.set(into, u32::from(at.u8(98)));
        qp::LOG_MSG_MAX.set(into, LOG_MSG_MAX);
    }
    if wanted.has(given::DEST_QPN) {
        qp::REMOTE_QPN.set(into, at.u32(84));
    }
    if wanted.has(given::RQ_PSN) {
        qp::NEXT_RCV_PSN.set(into, at.u32(76));
    }
    if wanted.has(given::SQ_PSN) {
        qp::NEXT_SEND_PSN.set(into, at.u32(80));
        qp::LOG_ACK_REQ_FREQ.set(into, ACK_REQUEST);
    }
    if wanted.has(given::MAX_QP_RD_ATOMIC) {
        qp::LOG_SRA_MAX.set(into, log(at.u8(101)));
    }
    if wanted.has(given::MAX_DEST_RD_ATOMIC) {
        qp::LOG_RRA_MAX.set(into, log(at.u8(102)));
    }
    if wanted.has(given::MIN_RNR_TIMER) {
        qp::MIN_RNR_NAK.set(into, u32::from(at.u8(103)));
        changed |= if to == state::RTR { 0 } else { opt::RNR_TIMEOUT };
    }
    if wanted.has(given::TIMEOUT) {
        qp::path::ACK_TIMEOUT.set(into, u32::from(at.u8(105)));
    }
    if wanted.has(given::RETRY_CNT) {
        qp::RETRY_COUNT.set(into, u32::from(at.u8(106)));
    }
    if wanted.has(given::RNR_RETRY) {
        qp::RNR_RETRY.set(into, u32::from(at.u8(107)));
    }
    if wanted.mask & (given::ACCESS | given::MAX_DEST_RD_ATOMIC) != 0 && to != state::RESET && to != state::ERROR {
        rights(into, pair);
        changed |= opt::READ | opt::ATOMIC | opt::WRITE;
    }
    OPT_PARAM_MASK.set(into, if from == state::RESET { 0 } else { changed });
}

/// Sets the peers' rights. Reads and atomics need resources at the responder, so both are set together with their
/// number.
fn rights(into: &mut [u8], pair: &Qp) {
    const WRITE: u32 = 2;
    const READ: u32 = 4;
    const ATOMIC: u32 = 8;
    const UP_TO_8_BYTES: u32 = 3;
    let answers = pair.responder_depth != 0;
    qp::RWE.set(into, u32::from(pair.access & WRITE != 0));
    qp::RRE.set(into, u32::from(answers && pair.access & READ != 0));
    let atomics = answers && pair.access & ATOMIC != 0;
    qp::RAE.set(into, u32::from(atomics));
    if atomics {
        qp::ATOMIC_MODE.set(into, UP_TO_8_BYTES);
    }
}

/// Fills the path to the peer, with its Ethernet address if there is one.
fn path(context: &Context, pd: Handle, into: &mut [u8], wanted: Wanted<'_>, address: &AhAttr) -> Answer<()> {
    use qp::path::*;
    let at = wanted.fields;
    let ports = told(context.hca.ports())?;
    let port = ports.iter().find(|port| port.number == address.port).ok_or(Errno(libc::EINVAL))?;
    PORT.set(into, u32::from(address.port));
    STATIC_RATE.set(into, u32::from(at.u8(29)) & 0xf);
    if let Some((gid, index)) = address.global {
        if index >= port.gids {
            return Err(Errno(libc::EINVAL));
        }
        SOURCE_INDEX.set(into, index);
        HOP_LIMIT.set(into, u32::from(address.hop_limit));
        TRAFFIC_CLASS.set(into, u32::from(address.traffic_class));
        FLOW_LABEL.set(into, at.u32(16));
        into[REMOTE_GID..REMOTE_GID + 16].copy_from_slice(&gid);
    }
    if port.link == LinkLayer::InfiniBand {
        GRH.set(into, u32::from(address.global.is_some()));
        MLID.set(into, u32::from(at.u8(28)) & 0x7f);
        RLID.set(into, u32::from(address.dlid));
        SL.set(into, u32::from(address.sl) & 0xf);
        return Ok(());
    }
    let (_, index) = address.global.ok_or(Errno(libc::EINVAL))?;
    let mac = told(context.hca.resolve_mac(pd, address))?;
    into[REMOTE_MAC..REMOTE_MAC + 6].copy_from_slice(&mac);
    ETH_PRIO.set(into, u32::from(address.sl) & 7);
    let gids = told(context.hca.gids(address.port))?;
    if gids.iter().any(|gid| gid.index == index && gid.kind == GidKind::RoceV2) {
        DSCP.set(into, u32::from(address.traffic_class) >> 2);
        // A port of the dynamic range, constant for one pair of queue pairs.
        UDP_SPORT.set(into, 0xc000 | at.u32(84) & 0x3fff);
    }
    Ok(())
}

/// Answers `QUERY_QP`: the attributes known here, and the others from the NIC.
pub(super) fn query(context: &Context, call: &mut Call<'_>, input: Fields<'_>) -> Answer<()> {
    const BYTES: usize = 0x110;
    let mut objects = context.objects();
    let pair = objects.qp(input.u32(8))?;
    let mut mailbox = [0; 16];
    let mut answer = [0; BYTES];
    OPCODE.set(&mut mailbox, op::QUERY_QP);
    ABOUT.set(&mut mailbox, pair.number);
    command(context.hca.obj_query(pair.object, &mailbox, &mut answer), &answer)?;
    let from = |field: crate::mailbox::Field| field.get(&answer);
    use qp::path;
    // The NIC's state numbers are those of verbs up to "error", which is 6 in both.
    let state = from(qp::STATE) as u8;
    pair.state = state;
    let mut gid = [0; 16];
    gid.copy_from_slice(&answer[path::REMOTE_GID..path::REMOTE_GID + 16]);
    let is_global = from(path::GRH) != 0 || from(path::RLID) == 0 && gid != [0; 16];
    let response = Filled::default()
        .bytes(&gid)
        .u32(from(path::FLOW_LABEL))
        .u16(from(path::RLID) as u16)
        .u16(0)
        .u8(from(path::SOURCE_INDEX) as u8)
        .u8(from(path::HOP_LIMIT) as u8)
        .u8(from(path::TRAFFIC_CLASS) as u8)
        .u8(from(path::SL) as u8)
        .u8(from(path::MLID) as u8)
        .u8(from(path::STATIC_RATE) as u8)
        .u8(is_global as u8)
        .u8(from(path::PORT) as u8)
        .zeros(32);
    let response = pair.cap.iter().fold(response, |to, &word| to.u32(word));
    let response = response
        .u32(from(qp::Q_KEY))
        .u32(from(qp::NEXT_RCV_PSN))
        .u32(from(qp::NEXT_SEND_PSN))
        .u32(from(qp::REMOTE_QPN))
        .u32(from(qp::RWE) << 1 | from(qp::RRE) << 2 | from(qp::RAE) << 3)
        .u16(from(path::PKEY_INDEX) as u16)
        .u16(0)
        .u8(state)
        .u8(state)
        .u8(from(qp::MTU) as u8)
        .u8(0)
        .u8(0)
        .u8(1 << from(qp::LOG_SRA_MAX))
        .u8(1 << from(qp::LOG_RRA_MAX))
        .u8(from(qp::MIN_RNR_NAK) as u8)
        .u8(from(path::PORT) as u8)
        .u8(from(path::ACK_TIMEOUT) as u8)
        .u8(from(qp::RETRY_COUNT) as u8)
        .u8(from(qp::RNR_RETRY) as u8)
        .zeros(2)
        .u8(pair.signal_all as u8)
        .zeros(5);
    call.give(OUT, &response.0);
    Ok(())
}

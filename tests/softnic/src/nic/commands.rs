//! Commands: mailbox in, mailbox out.

use std::sync::{Arc, Mutex};

use oxshmem_rdma::hca::Handle;

use crate::decode::mailbox::{self, CreateCq, CreateDct, CreateRmp, QpContext, Refusal, op, status};
use crate::decode::set_bits;

use super::caps;
use super::objects::{Nic, Object, Objects};
use super::receive::ReceiveQueue;
use super::spans::{Words, queue_span, record_is_zero, record_span};

/// Writes status and syndrome into the answer.
pub(crate) fn refuse(output: &mut [u8], refusal: &Refusal) {
    set_bits(output, 0, 8, refusal.status.into());
    set_bits(output, 32, 32, refusal.syndrome.into());
}

/// Checks the lengths of both mailboxes, and clears the answer.
fn lengths(input: &[u8], least: usize, output: &mut [u8], answer: usize) -> Result<(), Refusal> {
    output.fill(0);
    if input.len() < least {
        let why = format!("the mailbox has {} bytes, the command {least}", input.len());
        return Err(Refusal::new(status::BAD_INPUT_LENGTH, why));
    }
    if output.len() < answer {
        let why = format!("the answer has {answer} bytes, its mailbox {}", output.len());
        return Err(Refusal::new(status::BAD_OUTPUT_LENGTH, why));
    }
    Ok(())
}

fn unknown(opcode: u16, call: &str) -> Refusal {
    Refusal::new(status::BAD_OPERATION, format!("the command {opcode:#x} is none for {call}"))
}

impl Nic {
    /// Executes a command that creates no object.
    pub(crate) fn general(&self, input: &[u8], output: &mut [u8]) -> Result<(), Refusal> {
        match mailbox::opcode(input) {
            op::QUERY_HCA_CAP => {
                lengths(input, 16, output, 0x1010)?;
                caps::answer(&self.core.options, mailbox::op_mod(input), output)
            }
            // There is one port, and no other to aggregate it with.
            op::QUERY_LAG => lengths(input, 16, output, 16),
            opcode => Err(unknown(opcode, "a general command")),
        }
    }

    /// Executes a command that creates an object.
    pub(crate) fn create(&self, context: u64, input: &[u8], output: &mut [u8]) -> Result<Handle, Refusal> {
        let mut objects = self.objects();
        let (object, number, uses) = match mailbox::opcode(input) {
            op::CREATE_CQ => {
                lengths(input, 0x60, output, 16)?;
                self.create_cq(&mut objects, context, CreateCq::parse(input))?
            }
            op::CREATE_QP => {
                lengths(input, 0x110, output, 16)?;
                self.create_qp(&mut objects, context, QpContext::parse(input))?
            }
            op::CREATE_RMP => {
                lengths(input, 0x110, output, 16)?;
                self.create_rmp(&mut objects, context, CreateRmp::parse(input))?
            }
            op::CREATE_DCT => {
                lengths(input, 0x50, output, 16)?;
                self.create_dct(&mut objects, context, CreateDct::parse(input))?
            }
            opcode => return Err(unknown(opcode, "making an object")),
        };
        set_bits(output, 0x48, 24, number.into());
        Ok(objects.add(number, context, object, uses))
    }

    fn create_rmp(
        &self,
        objects: &mut Objects,
        context: u64,
        asked: CreateRmp,
    ) -> Result<(Object, u32, Vec<u32>), Refusal> {
        let bad = |why: String| Err(Refusal::new(status::BAD_PARAMETER, why));
        if asked.wq_type > 1 {
            return bad(format!("work queue type {} is no linked list (0), and no ring (1)", asked.wq_type));
        }
        if asked.log_size > caps::LOG_MAX_SQ || !(5..=10).contains(&asked.log_stride) {
            let (size, stride) = (asked.log_size, asked.log_stride);
            return bad(format!("2^{size} entries of 2^{stride} bytes: at most 2^15, of 32 to 1024 bytes"));
        }
        if !matches!(objects.get(context, asked.pd.into()), Some(Object::Pd)) {
            return bad(format!("there is no protection domain {:#x}", asked.pd));
        }
        let page = (asked.log_page_size, asked.page_offset * 2);
        let bytes = 1 << (asked.log_size + asked.log_stride);
        let entries = queue_span(objects, context, asked.umem, page, bytes, "shared receive queue")?;
        let dbr = record_span(objects, context, asked.dbr, "shared receive queue")?;
        let number = objects.number(self.core.lid());
        record_is_zero(&self.core, dbr, Words::First, number, "shared receive queue")?;
        let queue = ReceiveQueue {
            entries,
            log_size: asked.log_size,
            log_stride: asked.log_stride,
            dbr,
            pd: asked.pd,
            shared: true,
            linked: asked.wq_type == 0,
            position: Mutex::default(),
            low: Mutex::default(),
        };
        Ok((Object::Srq(Arc::new(queue)), number, vec![asked.pd, asked.umem.0, asked.dbr.0]))
    }

    /// Executes a command that changes an object.
    pub(crate) fn modify(&self, context: u64, handle: Handle, input: &[u8], output: &mut [u8]) -> Result<(), Refusal> {
        let opcode = mailbox::opcode(input);
        let qpn = named(handle, input)?;
        let mut objects = self.objects();
        if opcode == op::MODIFY_CQ {
            lengths(input, 0x60, output, 16)?;
            return self.modify_cq(&mut objects, context, qpn, input);
        }
        let asked = QpContext::parse(input);
        match opcode {
            op::RST2INIT | op::INIT2RTR | op::RTR2RTS => lengths(input, 0x110, output, 16)?,
            op::TO_ERR | op::TO_RST => lengths(input, 16, output, 16)?,
            _ => return Err(unknown(opcode, "changing an object")),
        }
        if opcode == op::RTR2RTS {
            return self.to_rts(&mut objects, qpn, context, &asked);
        }
        let Some(Object::Qp(qp)) = objects.get_mut(context, handle.0) else {
            return Err(Refusal::new(status::BAD_RESOURCE, format!("there is no queue pair {qpn:#x}")));
        };
        match opcode {
            op::RST2INIT => self.to_init(qp, qpn, &asked),
            op::INIT2RTR => self.to_rtr(qp, qpn, &asked),
            op::TO_ERR => {
                qp.state.fail();
                // A queue pair that never sent is not among those that the engine serves.
                if let Some(receiver) = &qp.receiver {
                    receiver.flush(&self.core.dma);
                }
                Ok(())
            }
            _ => {
                self.to_reset(qp, qpn);
                Ok(())
            }
        }
    }

    /// Executes a command that queries an object.
    pub(crate) fn query_object(
        &self,
        context: u64,
        handle: Handle,
        input: &[u8],
        output: &mut [u8],
    ) -> Result<(), Refusal> {
        let opcode = mailbox::opcode(input);
        if opcode != op::QUERY_QP {
            return Err(unknown(opcode, "asking about an object"));
        }
        let qpn = named(handle, input)?;
        lengths(input, 16, output, 0x100)?;
        self.answer_query(context, qpn, output)
    }

    /// Writes the answer to `QUERY_QP`.
    pub(crate) fn answer_query(&self, context: u64, qpn: u32, output: &mut [u8]) -> Result<(), Refusal> {
        let objects = self.objects();
        let Some(Object::Qp(qp) | Object::VerbsQp(qp, _)) = objects.get(context, qpn.into()) else {
            return Err(Refusal::new(status::BAD_RESOURCE, format!("there is no queue pair {qpn:#x}")));
        };
        self.query(qp, qpn).answer(output);
        Ok(())
    }
}

/// Returns the number in the mailbox, checked against the object's.
fn named(handle: Handle, input: &[u8]) -> Result<u32, Refusal> {
    let qpn = mailbox::qpn(input);
    if u64::from(qpn) == handle.0 {
        return Ok(qpn);
    }
    let why = format!("the mailbox names object {qpn:#x}, the call {:#x}", handle.0);
    Err(Refusal::new(status::BAD_RESOURCE, why))
}

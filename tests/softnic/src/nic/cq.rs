//! Completion queues, as commands create and change them.

use std::sync::{Arc, Mutex};

use crate::check::{Rule, Violation};
use crate::decode::mailbox::{self, CreateCq, Refusal, status};
use crate::engine::{Cq, Resized, Ring, completion_of};

use super::caps;
use super::objects::{Nic, Object, Objects};
use super::qp::{Answer, bad, missing};
use super::spans::{Words, queue_span, record_is_zero, record_span};

/// The place of its entries' memory in the list of objects that a completion queue needs.
const ENTRIES: usize = 1;
/// The only event queue.
pub(crate) const EQN: u32 = 5;

impl Nic {
    /// Executes `CREATE_CQ`.
    pub(super) fn create_cq(
        &self,
        objects: &mut Objects,
        context: u64,
        asked: CreateCq,
    ) -> Answer<(Object, u32, Vec<u32>)> {
        if !matches!(objects.get(context, asked.uar.into()), Some(Object::Uar { .. })) {
            return bad(format!("there is no doorbell page {:#x}", asked.uar));
        }
        if asked.eqn != EQN {
            return bad(format!("there is no event queue {}, but {EQN}", asked.eqn));
        }
        let ring = self.ring(objects, context, &asked)?;
        let dbr = record_span(objects, context, asked.dbr, "completion queue")?;
        if ring.entries.overlaps(dbr) {
            let count = 1_u64 << asked.log_size;
            return bad(format!("the doorbell record of the completion queue is among its {count} entries"));
        }
        let cqn = objects.number(self.core.lid());
        record_is_zero(&self.core, dbr, Words::Both, cqn, "completion queue")?;
        if asked.collapsed {
            self.entries_are_ones(&ring, cqn)?;
        }
        let (collapsed, ignores_overrun) = (asked.collapsed, asked.ignores_overrun);
        let cq = Cq { cqn, collapsed, ignores_overrun, dbr, ring: Mutex::new(ring) };
        // (The memory of the entries is at the place ENTRIES.)
        Ok((Object::Cq(Arc::new(cq)), cqn, vec![asked.uar, asked.umem.0, asked.dbr.0]))
    }

    /// Executes `MODIFY_CQ`: the completion queue goes on in other memory, with another number of entries.
    pub(super) fn modify_cq(&self, objects: &mut Objects, context: u64, cqn: u32, input: &[u8]) -> Answer<()> {
        const RESIZE: u16 = 1;
        if mailbox::op_mod(input) != RESIZE {
            return bad("a completion queue can be resized (op_mod 1), and nothing else");
        }
        let asked = CreateCq::parse(input);
        let Some(Object::Cq(cq)) = objects.get(context, cqn.into()) else {
            return missing(format!("there is no completion queue {cqn:#x}"));
        };
        let cq = cq.clone();
        if cq.collapsed || self.core.plane.is_some() {
            return bad("completions that are collapsed, or written by another engine, keep their entries");
        }
        let ring = self.ring(objects, context, &asked)?;
        let failed = |e: crate::MemoryFailed| Refusal::new(status::BAD_PARAMETER, e.0);
        if cq.resize(&self.core.dma, ring).map_err(failed)? == Resized::Full {
            return bad(format!("more entries are not consumed than the {} of the new size", 1_u64 << asked.log_size));
        }
        objects.uses_instead(cqn, ENTRIES, asked.umem.0);
        Ok(())
    }

    /// Returns the requested entries.
    fn ring(&self, objects: &Objects, context: u64, asked: &CreateCq) -> Answer<Ring> {
        let entry_bytes = match asked.cqe_sz {
            0 => 64,
            1 => 128,
            other => return bad(format!("entries of size code {other}, which is not 64 (0) or 128 bytes (1)")),
        };
        if entry_bytes != 64 && self.core.plane.is_some() {
            return bad("the engine that executes the queues writes entries of 64 bytes (0)");
        }
        if asked.log_size > caps::LOG_MAX_CQ {
            return bad(format!("2^{} entries, and 2^{} is the most", asked.log_size, caps::LOG_MAX_CQ));
        }
        // Firmware may use every entry that it was promised, also if completions are collapsed.
        let bytes = entry_bytes << asked.log_size;
        let page = (asked.log_page_size, asked.page_offset);
        let entries = queue_span(objects, context, asked.umem, page, bytes, "completion queue")?;
        Ok(Ring::new(entries, entry_bytes, asked.log_size))
    }

    /// Checks that each entry of a new collapsed completion queue is all ones, with its counter. Others are checked when
    /// they are written first: a program may make them invalid after the queue.
    fn entries_are_ones(&self, ring: &Ring, cqn: u32) -> Answer<()> {
        let mut entry = [0; 64];
        for i in 0..1 << ring.log_size {
            let Some(at) = completion_of(ring.entries, ring.entry_bytes, i) else { break };
            let read = self.core.dma.read(at, &mut entry);
            read.map_err(|e| {
                Refusal::new(status::BAD_PARAMETER, format!("the completion queue can't be read: {}", e.0))
            })?;
            if entry != [0xff; 64] {
                let tail = &entry[60..];
                let what =
                    format!("entry {i} of the completion queue ends with {tail:02x?}, and is not filled with 0xff");
                self.core.violations.record(Violation {
                    rule: Rule::CqInvalid,
                    nic: self.core.name.clone(),
                    qpn: cqn,
                    index: i,
                    what: what.clone(),
                    wqe: String::new(),
                });
                return Err(Refusal::new(status::BAD_PARAMETER, what));
            }
        }
        Ok(())
    }
}

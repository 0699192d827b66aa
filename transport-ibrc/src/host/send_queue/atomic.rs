//! Atomics: natively, or in rounds of compare-and-swap.

use oxshmem_core::{AmoOp, AmoType};
use oxshmem_raw::queue::amo::{Atomic, NicAtomic, Swapped};
use oxshmem_rdma::fabric::{AtomicRequest, Operation};

use crate::host::memory::keys::KeyedRange;
use crate::host::send_queue::context::PostContext;
use crate::host::send_queue::in_flight::{CasLoop, InFlight, OnComplete, PendingRequest, RingRelease};
use crate::host::send_queue::refusal::{Refusal, opcode};
use crate::host::send_queue::{SendQueue, Step};

impl SendQueue {
    /// Builds an atomic or a signal: one work request if the fabric has it natively, else the first round of
    /// compare-and-swap.
    pub(super) fn atomic(
        &mut self,
        request: PendingRequest,
        cx: &mut PostContext<'_>,
        (op, of): (AmoOp, AmoType),
        at: u64,
        [operand, compare]: [u64; 2],
    ) -> Result<Step, Refusal> {
        let atomic = Atomic::new(op, of, at, operand, compare).ok_or(Refusal::Request)?;
        let whole = at & !7;
        let to = cx.remote(self.params.link.peer, whole)?;
        if to.bytes < 8 {
            return Err(Refusal::Request);
        }
        let native = self.params.atomics.has(op, of);
        let once = atomic.once().map(operation).filter(|once| self.is_native(once));
        // The value found matters to the requester, and to the next round.
        let is_read = request.line.wants_answer() || !(native || once.is_some());
        if self.must_wait(is_read, true) {
            return Ok(Step::Waits);
        }
        if native && once.is_none() {
            let bytes = size(of);
            let to = KeyedRange { at: to.at + (at - whole), ..to };
            self.mark_slot(cx);
            let local = self.slot(bytes.into());
            self.build(Operation::Atomic(AtomicRequest { op, of, operand, compare }), local, to);
            let after =
                if request.line.wants_answer() { OnComplete::Word(request.line, bytes) } else { OnComplete::Nothing };
            self.advance_request(request, true, bytes.into(), after);
            return Ok(Step::Went);
        }
        if let Some(op) = once {
            self.mark_slot(cx);
            let local = self.slot(8);
            self.build(op, local, to);
            self.advance_request(request, true, 8, OnComplete::Fetched(request.line, atomic));
            return Ok(Step::Went);
        }
        let seen = self.last_seen[seen_at(whole)];
        let guess = atomic.guess(if seen.0 == whole { seen.1 } else { 0 });
        self.cas_loop = Some(CasLoop { index: request.index, line: request.line, atomic, whole, to, guess });
        self.bytes += 8;
        self.waiting.pop_front();
        self.releases.push_back(RingRelease { posted: self.built + 1, index: request.index, count: 1 });
        self.round(cx);
        Ok(Step::Went)
    }

    fn is_native(&self, op: &Operation) -> bool {
        matches!(op, Operation::Atomic(AtomicRequest { op, of, .. }) if self.params.atomics.has(*op, *of))
    }

    /// Builds the next round of compare-and-swap.
    fn round(&mut self, cx: &PostContext<'_>) {
        let Some(CasLoop { index, atomic, to, guess, .. }) = self.cas_loop else { return };
        self.mark_slot(cx);
        let local = self.slot(8);
        let op = operation(atomic.swap(guess));
        self.build(op, local, to);
        let wr = self.built - 1;
        self.in_flight.push_back(InFlight {
            wr,
            run: 1,
            index: None,
            of: index,
            opcode: opcode(&op),
            after: OnComplete::Round,
        });
    }

    /// Finishes the atomic if its round succeeded, else builds another one. `found`: the word before the round.
    pub(super) fn end_round(&mut self, cx: &mut PostContext<'_>, found: u64) {
        let Some(mut rounds) = self.cas_loop.take() else { return };
        match rounds.atomic.swapped(rounds.guess, found) {
            Swapped::Done(word) => {
                let now = match rounds.atomic.swap(rounds.guess) {
                    NicAtomic::CompareSwap { swap, .. } if found == rounds.guess => swap,
                    _ => found,
                };
                self.last_seen[seen_at(rounds.whole)] = (rounds.whole, now);
                cx.rings[self.params.ring].answer(rounds.index, &rounds.line, Some(word));
                self.done = rounds.index + 1;
            }
            Swapped::Again => {
                rounds.guess = rounds.atomic.guess(found);
                self.cas_loop = Some(rounds);
                self.round(cx);
            }
        }
    }
}

/// Returns the fabric's operation for an atomic that every NIC has.
fn operation(atomic: NicAtomic) -> Operation {
    match atomic {
        NicAtomic::FetchAdd { add } => Operation::add(add),
        NicAtomic::CompareSwap { compare, swap } => Operation::compare_swap(compare, swap),
    }
}

/// Returns the size of a type in bytes.
fn size(of: AmoType) -> u8 {
    match of {
        AmoType::B64 | AmoType::F64 => 8,
        AmoType::B32 | AmoType::F32 => 4,
        AmoType::F16 => 2,
    }
}

fn seen_at(whole: u64) -> usize {
    (whole >> 3) as usize % 8
}

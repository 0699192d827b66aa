//! A queue pair made by verbs, in host memory: the kernel and libmlx5 make it. It is the reference by which errors in
//! queue pairs made by commands are found, and moves the same data.
//!
//! Its completion queue is a ring, which kernels don't read. The service thread copies each completion to the single
//! entry that kernels read, as in a collapsed queue.

use std::ptr::with_exposed_provenance_mut;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_rdma::devx_qp::ConnectParams;
use oxshmem_rdma::hca::VerbsQpLayout;
use oxshmem_rdma::mlx5::devx::{QUERY_QP_BYTES, QpContext};
use oxshmem_rdma::mlx5::{BLOCK_BYTES, CqeTail, cqe};

use crate::host::config::IbgdaConfig;
use crate::host::service_thread::{Duty, DutyGuard, ServiceThread};
use crate::host::setup::nic::{Nic, OwnedObject};

/// The most inline bytes that kernels put into an entry.
const INLINE_BYTES: u32 = 28;

/// A queue pair and its completion queue.
#[derive(Debug)]
pub struct VerbsQp {
    // Copying ends before the queue pair's memory is given back.
    copies: Option<DutyGuard>,
    qp: OwnedObject,
    /// The addresses of its parts.
    pub layout: VerbsQpLayout,
}

impl VerbsQp {
    /// Makes a queue pair in state RESET with at least `depth` blocks.
    ///
    /// # Errors
    /// The NIC refuses, or the queue pair has sizes that kernels can't use.
    pub fn new(nic: &Arc<Nic>, depth: u32) -> Result<Self> {
        let layout = nic.hca.verbs_qp(nic.pd, depth, INLINE_BYTES)?;
        let qp = OwnedObject::new(nic, layout.handle, |hca, qp| hca.verbs_destroy(qp));
        let most = IbgdaConfig::DEPTHS.1;
        if !layout.sq_blocks.is_power_of_two() || layout.sq_blocks > most || !layout.cq_entries.is_power_of_two() {
            return Err(Error::new(ErrorKind::Incompatible, format!("use a verbs queue pair of {}", nic.name()))
                .because("its sizes are not powers of two, or too large")
                .amount(layout.sq_blocks.into(), most.into(), "blocks")
                .hint("lower OXSHMEM_QP_DEPTH"));
        }
        Ok(Self { copies: None, qp, layout })
    }

    /// Copies completions to the entry at `entry` from now on.
    ///
    /// # Errors
    /// The service thread can't be started.
    ///
    /// # Safety
    ///
    /// - **entry**: 64 aligned bytes of the host at `entry`, which outlive `self` and are accessed by atomics only.
    pub(in crate::host) unsafe fn copy_completions(&mut self, service: &mut ServiceThread, entry: u64) -> Result<()> {
        let VerbsQpLayout { cq, cq_entries, cq_dbr, .. } = self.layout;
        let copy = CompletionCopier { ring: cq, entries: cq_entries, dbr: cq_dbr, to: entry, next: 0, over: false };
        self.copies = Some(service.add(Box::new(copy))?);
        Ok(())
    }

    /// Moves the queue pair to RTS toward a peer.
    ///
    /// # Errors
    /// The NIC refuses.
    pub(in crate::host) fn connect(&self, nic: &Nic, params: &ConnectParams) -> Result<()> {
        nic.hca.verbs_connect(self.qp.handle(), &params.verbs)
    }

    /// Queries the queue pair's context.
    ///
    /// # Errors
    /// The NIC refuses, or the library is too old for the query.
    pub(in crate::host) fn context(&self, nic: &Nic) -> Result<QpContext> {
        let mut output = vec![0; QUERY_QP_BYTES];
        nic.hca.verbs_query(self.qp.handle(), &mut output)?;
        QpContext::parse(&output)
    }

    /// Destroys the queue pair.
    ///
    /// # Errors
    /// The NIC refuses.
    pub(in crate::host) fn destroy(mut self) -> Result<()> {
        self.copies = None;
        self.qp.give_back()
    }
}

/// Copies the completions of one queue.
#[derive(Debug)]
struct CompletionCopier {
    ring: u64,
    entries: u32,
    dbr: u64,
    to: u64,
    /// The number of completions that were copied.
    next: u32,
    /// Whether an error completion was copied. Later ones only repeat that the queue has stopped.
    over: bool,
}

impl CompletionCopier {
    /// Returns a word of the ring, the doorbell record or the entry.
    fn word(&self, at: u64) -> &AtomicU32 {
        // SAFETY: **word**: all callers pass aligned addresses within the ring, the record or the entry. Ring and
        // record are the verbs queue pair's, and the entry outlives it (**entry** of `copy_completions`); the pair ends
        // the duty, and with it `self`, before it gives them back.
        unsafe { half(at) }
    }
}

impl Duty for CompletionCopier {
    fn look(&mut self) -> bool {
        if self.over {
            return false;
        }
        let tail_at = cqe::TAIL_OFFSET as u64;
        let from = self.ring + u64::from(self.next & (self.entries - 1)) * BLOCK_BYTES as u64;
        let word = self.word(from + tail_at).load(Ordering::Acquire);
        let tail = CqeTail(word);
        // The lowest bit of the last byte distinguishes entries of this lap from those of the previous one.
        let lap = u32::from(self.next & self.entries != 0);
        if tail.opcode() == cqe::INVALID || u32::from_be(word) & 1 != lap {
            return false;
        }
        for at in (0..tail_at).step_by(4) {
            self.word(self.to + at).store(self.word(from + at).load(Ordering::Relaxed), Ordering::Relaxed);
        }
        self.word(self.to + tail_at).store(word, Ordering::Release);
        self.over = matches!(tail.opcode(), cqe::REQ_ERR | cqe::RESP_ERR);
        self.next = self.next.wrapping_add(1);
        self.word(self.dbr).store((self.next & 0xff_ffff).to_be(), Ordering::Release);
        true
    }
}

/// Returns a word of 4 bytes of a completion queue, a doorbell record or an entry.
///
/// # Safety
///
/// - **word**: `at` is an aligned word of memory that is mapped for `'a` and accessed by atomics only.
unsafe fn half<'a>(at: u64) -> &'a AtomicU32 {
    // SAFETY: **word**: the caller passes an aligned word that is mapped for `'a`, and all access to it is atomic.
    unsafe { AtomicU32::from_ptr(with_exposed_provenance_mut(at as usize)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the completion of WQE `counter`, as the NIC writes it in this lap.
    fn entry(counter: u16, opcode: u8, lap: u8) -> [u32; 16] {
        let mut words = [u32::from(counter); 16];
        words[15] = (u32::from(counter) << 16 | u32::from(opcode) << 4 | u32::from(lap)).to_be();
        words
    }

    #[test]
    fn completions_are_copied_lap_by_lap_up_to_the_first_error() {
        let ring: Vec<AtomicU32> = [entry(0, cqe::INVALID, 0); 4].concat().into_iter().map(AtomicU32::new).collect();
        let (to, dbr) = ([u32::MAX; 16].map(AtomicU32::new), [AtomicU32::new(0)]);
        let mut copy = CompletionCopier {
            ring: ring.as_ptr() as u64,
            entries: 4,
            dbr: dbr.as_ptr() as u64,
            to: to.as_ptr() as u64,
            next: 0,
            over: false,
        };
        assert!(!copy.look(), "nothing has completed");
        let put = |number: u32, opcode| {
            let place = (number % 4) as usize * 16;
            let words = entry(number as u16, opcode, (number / 4 % 2) as u8);
            ring[place..place + 16].iter().zip(words).for_each(|(to, word)| to.store(word, Ordering::Relaxed));
        };
        for number in 0..20 {
            put(number, cqe::REQ);
            assert!(copy.look());
            let copied = to.each_ref().map(|word| word.load(Ordering::Relaxed));
            assert_eq!(copied, entry(number as u16, cqe::REQ, (number / 4 % 2) as u8));
            assert_eq!(u32::from_be(dbr[0].load(Ordering::Relaxed)), number + 1);
            assert!(!copy.look(), "the entry of the lap before is not taken again");
        }
        put(20, cqe::REQ_ERR);
        put(21, cqe::REQ_ERR);
        assert!(copy.look() && !copy.look(), "what follows the error does not hide it");
        assert_eq!(CqeTail(to[15].load(Ordering::Relaxed)).wqe_counter(), 20);
    }
}

//! The capabilities of a NIC that queue pairs depend on.

use oxshmem_core::host::{Error, ErrorKind, Result};

use crate::hca::Hca;
use crate::mlx5::devx::{
    AtomicCaps, CapGroup, GeneralCaps, QUERY_HCA_CAP_BYTES, QueryHcaCap, RoceCaps, atomic_operation as op,
};

/// The length of a message, as a power of two, beyond which no user goes.
const LOG_MESSAGE: u8 = 30;
/// The most basic blocks of a send queue, as a power of two: the indices on the wire have 16 bits.
const LOG_BLOCKS: u8 = 15;

/// The capabilities that a NIC reports.
#[derive(Clone, Copy, Debug)]
pub struct NicCaps {
    general: GeneralCaps,
    atomic: AtomicCaps,
    roce: Option<RoceCaps>,
}

impl NicCaps {
    /// Queries the capabilities. Errors name `action`, such as "use mlx5_0 from GPU threads".
    ///
    /// # Errors
    /// The NIC takes no commands, or refuses these.
    pub fn read(hca: &dyn Hca, action: impl Fn() -> String) -> Result<Self> {
        let query = |group| {
            let mut output = vec![0; QUERY_HCA_CAP_BYTES];
            hca.general_cmd(&QueryHcaCap { group, current: true }.encode(), &mut output).map(|()| output)
        };
        let general = query(CapGroup::General).map_err(|error| {
            Error::new(error.kind(), action()).because(format!("it takes no DEVX commands: {error}")).hint(
                "DEVX needs Linux 4.20, a firmware that allows user contexts, and access to /dev/infiniband/uverbs*",
            )
        })?;
        let general = GeneralCaps::parse(&general)?;
        let atomic = AtomicCaps::parse(&query(CapGroup::Atomic)?)?;
        let roce = if general.roce { Some(RoceCaps::parse(&query(CapGroup::Roce)?)?) } else { None };
        Ok(Self { general, atomic, roce })
    }

    /// Checks that the NIC has every capability that such queue pairs need, and send queues of `blocks` basic blocks.
    /// Errors name `action`.
    ///
    /// # Errors
    /// The first one that it lacks.
    pub fn check(&self, action: impl Fn() -> String, blocks: u64) -> Result<()> {
        let needs = [
            (self.general.rc, "it has no reliable connections"),
            (self.general.cqe_version == 1, "its completions are not of version 1"),
            (self.general.cq_oi, "its completion queues can't ignore overruns"),
            (
                self.general.atomic && self.atomic.has(op::COMPARE_SWAP | op::FETCH_ADD, 8),
                "it has no atomics of 8 bytes",
            ),
            (self.atomic.atomic_req_8b_endianness_mode == 1, "results of its atomics are big-endian"),
        ];
        if let Some((_, reason)) = needs.iter().find(|(has, _)| !has) {
            return Err(Error::new(ErrorKind::Incompatible, action())
                .because(*reason)
                .hint("a ConnectX-5 or later with current firmware has all that is needed"));
        }
        let most = self.max_blocks();
        if blocks > most {
            return Err(Error::new(ErrorKind::OutOfRange, action())
                .amount(blocks, most, "basic blocks of a send queue")
                .hint("lower OXSHMEM_QP_DEPTH"));
        }
        Ok(())
    }

    /// Returns whether the NIC has masked atomics on words of `bytes` bytes.
    pub fn masked(&self, bytes: u32) -> bool {
        self.atomic.has(op::MASKED_COMPARE_SWAP | op::MASKED_FETCH_ADD, bytes)
    }

    /// Returns the most basic blocks of a send queue.
    pub fn max_blocks(&self) -> u64 {
        1 << self.general.log_max_qp_sz.min(LOG_BLOCKS)
    }

    /// Returns the most entries of a completion queue.
    pub fn max_completions(&self) -> u64 {
        1 << self.general.log_max_cq_sz.min(31)
    }

    /// Returns the bytes of each half of a doorbell register that takes whole entries; `None` if none does.
    pub fn blue_flame_half(&self) -> Option<u32> {
        self.general.bf.then(|| 1 << self.general.log_bf_reg_size.saturating_sub(1))
    }

    /// Returns the most bytes of one message, as a power of two.
    pub fn log_message(&self) -> u8 {
        self.general.log_max_msg.min(LOG_MESSAGE)
    }

    /// Returns the most reads and atomics in flight, as powers of two: as requester and as responder.
    pub fn log_rd_atomic(&self) -> (u8, u8) {
        // The field has three bits.
        (self.general.log_max_ra_req_qp.min(7), self.general.log_max_ra_res_qp.min(7))
    }

    /// Returns the timestamp format of queue pairs: the one that is always allowed, since no timestamp is read.
    pub fn timestamp_format(&self) -> u8 {
        u8::from(self.roce.is_some_and(|roce| roce.qp_ts_format != 0))
    }

    /// Returns the most queue pairs of the whole NIC.
    pub fn max_qps(&self) -> u64 {
        1 << self.general.log_max_qp
    }

    /// Returns the range of UDP source ports that queue pairs may have.
    pub fn udp_ports(&self) -> (u16, u16) {
        let any = (0xc000, 0xffff);
        let range = self.roce.map_or(any, |roce| (roce.r_roce_min_src_udp_port, roce.r_roce_max_src_udp_port));
        if range.0 == 0 || range.0 > range.1 { any } else { range }
    }

    /// Returns whether writes may be allowed to pass each other.
    pub fn relaxed_ordering(&self) -> bool {
        self.general.relaxed_ordering_write
    }

    /// Returns the capabilities, for people.
    pub fn describe(&self) -> String {
        let masked = |bytes, text| if self.masked(bytes) { text } else { "" };
        format!(
            "atomics of 8 bytes{}{}, messages up to 2^{} bytes, 2^{} reads outstanding",
            masked(4, ", masked of 4"),
            masked(8, ", masked of 8"),
            self.log_message(),
            self.log_rd_atomic().0
        )
    }
}

//! The capabilities of a NIC that queue pairs depend on.

use crate::state::flags;
use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_rdma::hca::Hca;
use oxshmem_rdma::mlx5::devx::{
    AtomicCaps, CapGroup, GeneralCaps, QUERY_HCA_CAP_BYTES, QueryHcaCap, RoceCaps, atomic_operation as op,
};

use crate::host::config::IbgdaConfig;

/// The length of a message, as a power of two, beyond which no part of the device half goes.
const LOG_MESSAGE: u8 = 30;

/// The capabilities that a NIC reports.
#[derive(Clone, Copy, Debug)]
pub struct Caps {
    general: GeneralCaps,
    atomic: AtomicCaps,
    roce: Option<RoceCaps>,
}

/// Queries the capabilities.
///
/// # Errors
/// The NIC takes no commands, or refuses these.
pub(in crate::host) fn read(hca: &dyn Hca) -> Result<Caps> {
    let query = |group| {
        let mut output = vec![0; QUERY_HCA_CAP_BYTES];
        hca.general_cmd(&QueryHcaCap { group, current: true }.encode(), &mut output).map(|()| output)
    };
    let general = query(CapGroup::General).map_err(|error| {
        Error::new(error.kind(), format!("use {} from GPU threads", hca.name()))
            .because(format!("it takes no DEVX commands: {error}"))
            .hint("DEVX needs Linux 4.20, a firmware that allows user contexts, and access to /dev/infiniband/uverbs*")
    })?;
    let general = GeneralCaps::parse(&general)?;
    let atomic = AtomicCaps::parse(&query(CapGroup::Atomic)?)?;
    let roce = if general.roce { Some(RoceCaps::parse(&query(CapGroup::Roce)?)?) } else { None };
    Ok(Caps { general, atomic, roce })
}

impl Caps {
    /// Checks that the NIC has every capability that the transport needs.
    ///
    /// # Errors
    /// The first one that it lacks.
    pub(in crate::host) fn check(&self, nic: &str, config: &IbgdaConfig) -> Result<()> {
        let action = || format!("use {nic} from GPU threads");
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
        let most = 1u64 << self.general.log_max_qp_sz.min(15);
        if u64::from(config.depth) > most {
            return Err(Error::new(ErrorKind::OutOfRange, action())
                .amount(config.depth.into(), most, "basic blocks of a send queue")
                .hint("lower OXSHMEM_QP_DEPTH"));
        }
        Ok(())
    }

    /// Returns the bits of [`flags`] that the NIC decides.
    pub fn flags(&self) -> u32 {
        let masked = op::MASKED_COMPARE_SWAP | op::MASKED_FETCH_ADD;
        let mut bits = 0;
        bits |= if self.atomic.has(masked, 4) { flags::MASKED_32 } else { 0 };
        bits |= if self.atomic.has(masked, 8) { flags::MASKED_64 } else { 0 };
        bits
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
    pub(in crate::host) fn max_qps(&self) -> u64 {
        1 << self.general.log_max_qp
    }

    /// Returns the range of UDP source ports that queue pairs may have.
    pub(in crate::host) fn udp_ports(&self) -> (u16, u16) {
        let any = (0xc000, 0xffff);
        let range = self.roce.map_or(any, |roce| (roce.r_roce_min_src_udp_port, roce.r_roce_max_src_udp_port));
        if range.0 == 0 || range.0 > range.1 { any } else { range }
    }

    /// Returns whether writes may be allowed to pass each other.
    pub(in crate::host) fn relaxed_ordering(&self) -> bool {
        self.general.relaxed_ordering_write
    }

    /// Returns the capabilities, for people.
    pub fn describe(&self) -> String {
        let masked = |bit, text| if self.flags() & bit != 0 { text } else { "" };
        format!(
            "atomics of 8 bytes{}{}, messages up to 2^{} bytes, 2^{} reads outstanding",
            masked(flags::MASKED_32, ", masked of 4"),
            masked(flags::MASKED_64, ", masked of 8"),
            self.log_message(),
            self.log_rd_atomic().0
        )
    }
}

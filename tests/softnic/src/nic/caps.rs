//! The answers to `QUERY_HCA_CAP`.
//!
//! Source: the field order of Linux's `mlx5_ifc.h` (`cmd_hca_cap`, `atomic_caps`, `roce_cap`).

use oxshmem_rdma::hca::LinkLayer;

use crate::decode::mailbox::{Refusal, status};
use crate::decode::set_bits;
use crate::{Options, Profile};

/// Limits that the NIC keeps and reports.
pub(crate) const LOG_MAX_SQ: u8 = 15;
pub(crate) const LOG_MAX_CQ: u8 = 22;
pub(crate) const LOG_MAX_MESSAGE: u8 = 30;
pub(crate) const LOG_MAX_READS: u8 = 4;
pub(crate) const PKEYS: u32 = 128;

/// First bit of the capabilities in the answer.
const CAPS: usize = 0x10 * 8;

/// Fills the answer. `op_mod`: the capability's type, and in bit 0 whether the current ones are requested.
pub(crate) fn answer(options: &Options, op_mod: u16, output: &mut [u8]) -> Result<(), Refusal> {
    let mut put = |bit: usize, width: usize, value: u64| set_bits(output, CAPS + bit, width, value);
    let ethernet = options.link == LinkLayer::Ethernet;
    match op_mod >> 1 {
        0 => {
            put(0x88, 8, LOG_MAX_SQ.into());
            put(0x9b, 5, 18);
            put(0xc8, 8, LOG_MAX_CQ.into());
            put(0xdb, 5, 24);
            put(0xe8, 1, 1);
            put(0xe9, 1, 1);
            put(0xea, 6, 24);
            put(0x14a, 6, LOG_MAX_READS.into());
            put(0x15a, 6, LOG_MAX_READS.into());
            // The sizes of the GID and partition tables are encoded: 8 << code GIDs, 128 << code partitions.
            put(0x170, 16, 0);
            put(0x190, 16, 0);
            put(0x1b6, 2, ethernet.into());
            put(0x1b8, 8, 1);
            put(0x1c3, 5, LOG_MAX_MESSAGE.into());
            put(0x1fc, 4, 1);
            put(0x21a, 1, 1);
            put(0x21d, 1, ethernet.into());
            put(0x21e, 1, 1);
            put(0x220, 1, 1);
            put(0x23f, 1, 1);
            put(0x240, 1, 1);
            put(0x24a, 6, 5);
            put(0x258, 8, 12);
            put(0x260, 1, 1);
            put(0x26b, 5, 9);
            put(0x290, 16, 1024);
            // Receive queues that queue pairs share.
            put(0x383, 5, 16);
            put(0x32a, 1, 1);
            put(0x32b, 5, 24);
            put(0x46b, 5, 24);
            put(0x490, 16, 12);
            put(0x580, 8, 3);
        }
        3 => {
            // A current capability reports the mode that is set, a maximal one whether it can be set.
            put(0x40, 2, 1);
            put(0x46, 1, 1);
            // Compare-and-swap, fetch-and-add, and both masked; 4 and 8 bytes.
            put(0x90, 16, 0b1111);
            put(0xb0, 16, 0b1100);
            put(0xd0, 16, 0b1100);
        }
        4 if ethernet => {
            put(0x8c, 4, 0b11);
            put(0x98, 8, 0b101);
            put(0xb0, 16, 4791);
            put(0xc0, 16, 0xffff);
            put(0xd0, 16, 0xc000);
            put(0xf0, 16, 4);
        }
        4 => {}
        0x20 => {
            if options.profile == Profile::ConnectX8 {
                put(NO_DBR_EXT, 1, 1);
            }
        }
        other => {
            return Err(Refusal::new(status::BAD_PARAMETER, format!("there are no capabilities of type {other:#x}")));
        }
    }
    Ok(())
}

/// `send_dbr_mode_no_dbr_ext` in `cmd_hca_cap_2`.
const NO_DBR_EXT: usize = 0x2e1;

//! The capabilities of a NIC: `QUERY_HCA_CAP` and its answers.

use oxshmem_core::host::Result;

use super::bits::{Field, Mailbox, OP_MOD, Reply, get, long_enough};

/// Groups of capabilities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CapGroup {
    /// [`GeneralCaps`].
    General = 0x00,
    /// [`AtomicCaps`].
    Atomic = 0x03,
    /// [`RoceCaps`].
    Roce = 0x04,
    /// [`GeneralCaps2`], if [`GeneralCaps::has_general2`].
    General2 = 0x20,
}

/// `QUERY_HCA_CAP`. Its output has [`QUERY_HCA_CAP_BYTES`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueryHcaCap {
    /// The group.
    pub group: CapGroup,
    /// Whether to query the values in force; otherwise the greatest possible ones.
    pub current: bool,
}

impl QueryHcaCap {
    /// The command.
    pub const OPCODE: u16 = 0x100;

    /// Returns the mailbox.
    pub fn encode(&self) -> Vec<u8> {
        let mut mailbox = Mailbox::new(Self::OPCODE, 16);
        mailbox.put(OP_MOD, (self.group as u16) << 1 | u16::from(self.current));
        mailbox.finish()
    }
}

/// Bytes of `QUERY_HCA_CAP`'s output: 16, and 4096 of capabilities.
pub const QUERY_HCA_CAP_BYTES: usize = 16 + 4096;

/// Returns the capabilities' bytes of a successful output.
fn capabilities<'a>(output: &'a [u8], action: &str) -> Result<&'a [u8]> {
    // A refusal is reported as such, even if the rest of the output is missing.
    long_enough(action, output, 16)?;
    Reply::parse(output).check(action)?;
    // Outputs may end after the 256 bytes that every group has.
    long_enough(action, output, 16 + 256)?;
    Ok(&output[16..])
}

/// Converts a field's bits to the type of the struct's field.
macro_rules! value {
    (bool, $bits:expr) => {
        $bits != 0
    };
    ($type:ident, $bits:expr) => {
        $bits as $type
    };
}

/// Declares a group's struct, the action that its errors name, and its fields.
macro_rules! group {
    (
        $(#[$about:meta])* $name:ident, $action:literal;
        $($(#[$field_about:meta])* $field:ident: $type:tt = $at:literal, $bits:literal;)*
    ) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $name {
            $($(#[$field_about])* pub $field: $type,)*
        }

        impl $name {
            /// The fields, counted from the beginning of the capabilities.
            pub const FIELDS: &[Field] = &[$(Field::new(stringify!($field), $at, $bits)),*];

            /// Parses the output of [`QueryHcaCap`].
            ///
            /// # Errors
            /// The firmware refused the command, or the output is too short.
            pub fn parse(output: &[u8]) -> Result<Self> {
                let caps = capabilities(output, $action)?;
                Ok(Self { $($field: value!($type, get(caps, Field::new(stringify!($field), $at, $bits))),)* })
            }
        }
    };
}

group! {
    /// The capabilities that every NIC reports. Sizes whose names begin with `log_` are powers of two.
    GeneralCaps, "query the NIC's general capabilities";
    /// There is [`CapGroup::General2`].
    has_general2: bool = 0x020, 1;
    /// Basic blocks of a send queue.
    log_max_qp_sz: u8 = 0x088, 8;
    /// Queue pairs.
    log_max_qp: u8 = 0x09b, 5;
    /// Entries of a completion queue.
    log_max_cq_sz: u8 = 0x0c8, 8;
    /// Completion queues.
    log_max_cq: u8 = 0x0db, 5;
    /// Memory can be registered with writes that may pass each other.
    relaxed_ordering_write: bool = 0x0e8, 1;
    /// Memory keys.
    log_max_mkey: u8 = 0x0ea, 6;
    /// UMR can change translations from a far offset on.
    umr_extended_translation_offset: bool = 0x118, 1;
    /// There is a key that reads zeros and drops writes.
    null_mkey: bool = 0x119, 1;
    /// Entries of a list of memory that UMR writes.
    log_max_klm_list_size: u8 = 0x11a, 6;
    /// Reads and atomics of a dynamic connection in flight as requester.
    log_max_ra_req_dc: u8 = 0x12a, 6;
    /// Reads and atomics of a dynamic connection in flight as responder.
    log_max_ra_res_dc: u8 = 0x13a, 6;
    /// Reads and atomics of a queue pair in flight as requester.
    log_max_ra_req_qp: u8 = 0x14a, 6;
    /// The UDP source port of a connected queue pair can be changed.
    rts2rts_qp_udp_sport: bool = 0x151, 1;
    /// Reads and atomics of a queue pair in flight as responder.
    log_max_ra_res_qp: u8 = 0x15a, 6;
    /// 0 InfiniBand, 1 Ethernet.
    port_type: u8 = 0x1b6, 2;
    /// Ports.
    num_ports: u8 = 0x1b8, 8;
    /// Bytes of a message.
    log_max_msg: u8 = 0x1c3, 5;
    /// 1: completions contain the queue pair's user index.
    cqe_version: u8 = 0x1fc, 4;
    /// Address vectors of 16 bytes are accepted.
    compact_address_vector: bool = 0x200, 1;
    /// UMR can't change the rights to atomics.
    umr_modify_atomic_disabled: bool = 0x208, 1;
    /// UMR can't make keys that name other keys.
    umr_indirect_mkey_disabled: bool = 0x209, 1;
    /// The order of UMR against other operations.
    umr_fence: u8 = 0x20a, 2;
    /// There are targets of dynamic connections.
    dct: bool = 0x21a, 1;
    /// There is RoCE.
    roce: bool = 0x21d, 1;
    /// There are atomics: see [`AtomicCaps`].
    atomic: bool = 0x21e, 1;
    /// A completion queue can ignore overruns.
    cq_oi: bool = 0x220, 1;
    /// UMR WQEs can point to their list instead of holding it.
    umr_ptr_rlkey: bool = 0x230, 1;
    /// There are reliable connections.
    rc: bool = 0x23f, 1;
    /// Pages of doorbell registers have 4 KiB, also on hosts with larger pages.
    uar_4k: bool = 0x240, 1;
    /// Doorbell registers can be written with whole WQEs.
    bf: bool = 0x260, 1;
    /// Bytes of a doorbell register.
    log_bf_reg_size: u8 = 0x26b, 5;
    /// Bytes of a WQE.
    max_wqe_sz_sq: u16 = 0x290, 16;
    /// Bytes of a WQE of a dynamic connection.
    max_wqe_sz_sq_dc: u16 = 0x2d0, 16;
    /// Protection domains.
    log_max_pd: u8 = 0x32b, 5;
    /// Bytes of an extended atomic's operand on a queue pair; 0: as in [`AtomicCaps`].
    log_max_atomic_size_qp: u8 = 0x580, 8;
    /// The same on a dynamic connection.
    log_max_atomic_size_dc: u8 = 0x598, 8;
}

group! {
    /// Atomics of the NIC as responder.
    AtomicCaps, "query the NIC's atomic capabilities";
    /// 0: results of 8 bytes are big-endian, 1: in host order.
    atomic_req_8b_endianness_mode: u8 = 0x040, 2;
    /// Mode 1 is available.
    supports_endianness_mode_1: bool = 0x046, 1;
    /// Bits of [`atomic_operation`].
    atomic_operations: u16 = 0x090, 16;
    /// Bit n: words of 2^n bytes, on queue pairs.
    atomic_size_qp: u16 = 0x0b0, 16;
    /// Bit n: words of 2^n bytes, on dynamic connections.
    atomic_size_dc: u16 = 0x0d0, 16;
    /// Bit n: PCI fetch-adds of 2^(n + 2) bytes.
    fetch_add_pci_atomic: u16 = 0x280, 16;
    /// Bit n: PCI swaps of 2^(n + 2) bytes.
    swap_pci_atomic: u16 = 0x290, 16;
    /// Bit n: PCI compare-swaps of 2^(n + 2) bytes.
    compare_swap_pci_atomic: u16 = 0x2a0, 16;
}

impl AtomicCaps {
    /// Reports whether these operations (bits of [`atomic_operation`]) work on words of `bytes` bytes on queue pairs.
    pub fn has(&self, operations: u16, bytes: u32) -> bool {
        self.atomic_operations & operations == operations && u32::from(self.atomic_size_qp) & bytes != 0
    }
}

/// Bits of [`AtomicCaps::atomic_operations`].
pub mod atomic_operation {
    /// Compare and swap.
    pub const COMPARE_SWAP: u16 = 1 << 0;
    /// Fetch and add.
    pub const FETCH_ADD: u16 = 1 << 1;
    /// Masked compare and swap.
    pub const MASKED_COMPARE_SWAP: u16 = 1 << 2;
    /// Fetch and add with boundaries.
    pub const MASKED_FETCH_ADD: u16 = 1 << 3;
}

group! {
    /// RoCE.
    RoceCaps, "query the NIC's RoCE capabilities";
    /// The host chooses the UDP source port of a queue pair.
    sw_r_roce_src_udp_port: bool = 0x004, 1;
    /// Forced loopback works on reliable connections while RoCE is off.
    fl_rc_qp_when_roce_disabled: bool = 0x005, 1;
    /// Forced loopback works on reliable connections while RoCE is on.
    fl_rc_qp_when_roce_enabled: bool = 0x006, 1;
    /// Timestamp formats of a queue pair: 0 free running, 1 real time, 2 both.
    qp_ts_format: u8 = 0x01e, 2;
    /// Bits: 1 IPv4, 2 IPv6.
    l3_type: u8 = 0x08c, 4;
    /// Bits: 0 version 1, 2 version 2.
    roce_version: u8 = 0x098, 8;
    /// The UDP destination port of RoCE v2.
    r_roce_dest_udp_port: u16 = 0x0b0, 16;
    /// The highest UDP source port.
    r_roce_max_src_udp_port: u16 = 0x0c0, 16;
    /// The lowest UDP source port.
    r_roce_min_src_udp_port: u16 = 0x0d0, 16;
    /// Entries of the GID table.
    roce_address_table_size: u16 = 0x0f0, 16;
}

group! {
    /// The capabilities that newer NICs add.
    GeneralCaps2, "query the NIC's general capabilities, part 2";
    /// Send queues can do without doorbell records if the NIC's own processors ring.
    send_dbr_mode_no_dbr_int: bool = 0x2e0, 1;
    /// Send queues can do without doorbell records if the host or a GPU rings.
    send_dbr_mode_no_dbr_ext: bool = 0x2e1, 1;
    /// The number of such queue pairs, as a power of two.
    log_max_send_dbr_less_qp_sq: u8 = 0x2e3, 5;
}

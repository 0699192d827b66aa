//! Command mailboxes, filled as the kernel driver does: big-endian words, fields named by bit offset and width.

/// A field of a mailbox: bits from its start, most significant first, as the programmer's reference counts them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field {
    bit: usize,
    width: usize,
}

impl Field {
    /// Returns a field of `width` bits (at most 32) within one word, `bit` bits from the start.
    pub(crate) const fn new(bit: usize, width: usize) -> Self {
        assert!(width > 0 && bit % 32 + width <= 32, "a field lies within one word");
        Self { bit, width }
    }

    /// Returns the same field of a structure that starts `bytes` bytes into the mailbox.
    pub(crate) const fn within(self, bytes: usize) -> Self {
        Self { bit: self.bit + bytes * 8, width: self.width }
    }

    fn word(self) -> usize {
        self.bit / 32 * 4
    }

    fn shift(self) -> usize {
        32 - self.bit % 32 - self.width
    }

    fn mask(self) -> u32 {
        (((1_u64 << self.width) - 1) as u32) << self.shift()
    }

    /// Sets the field; higher bits of the value are cut off.
    pub(crate) fn set(self, mailbox: &mut [u8], value: u32) {
        let old = word_at(mailbox, self.word());
        let new = old & !self.mask() | (value << self.shift()) & self.mask();
        mailbox[self.word()..self.word() + 4].copy_from_slice(&new.to_be_bytes());
    }

    /// Reads the field.
    pub(crate) fn get(self, mailbox: &[u8]) -> u32 {
        (word_at(mailbox, self.word()) & self.mask()) >> self.shift()
    }
}

fn word_at(mailbox: &[u8], at: usize) -> u32 {
    u32::from_be_bytes([mailbox[at], mailbox[at + 1], mailbox[at + 2], mailbox[at + 3]])
}

/// Sets a 64-bit field that starts at a word.
pub(crate) fn set_u64(mailbox: &mut [u8], at: usize, value: u64) {
    mailbox[at..at + 8].copy_from_slice(&value.to_be_bytes());
}

/// The number of a created object: the low 24 bits of the third word of the answer.
pub(crate) const MADE: Field = Field::new(0x48, 24);
/// The number of the command's object.
pub(crate) const ABOUT: Field = Field::new(0x48, 24);
/// The operation.
pub(crate) const OPCODE: Field = Field::new(0, 16);
/// Which change of several a command makes.
pub(crate) const OP_MOD: Field = Field::new(0x30, 16);
/// The optional fields of a context that a command changes.
pub(crate) const OPT_PARAM_MASK: Field = Field::new(0x80, 32);

/// Commands.
pub(crate) mod op {
    pub(crate) const CREATE_CQ: u32 = 0x400;
    pub(crate) const MODIFY_CQ: u32 = 0x403;
    pub(crate) const CREATE_QP: u32 = 0x500;
    pub(crate) const RST2INIT_QP: u32 = 0x502;
    pub(crate) const INIT2RTR_QP: u32 = 0x503;
    pub(crate) const RTR2RTS_QP: u32 = 0x504;
    pub(crate) const RTS2RTS_QP: u32 = 0x505;
    pub(crate) const TO_ERROR_QP: u32 = 0x507;
    pub(crate) const TO_RESET_QP: u32 = 0x50a;
    pub(crate) const QUERY_QP: u32 = 0x50b;
    pub(crate) const INIT2INIT_QP: u32 = 0x50e;
    pub(crate) const CREATE_DCT: u32 = 0x710;
    pub(crate) const CREATE_RMP: u32 = 0x90c;
}

/// `CREATE_CQ`: 0x110 bytes, the context at 0x10.
pub(crate) mod cq {
    use super::Field;

    pub(crate) const BYTES: usize = 0x110;
    const CONTEXT: usize = 0x10;
    pub(crate) const DBR_UMEM_VALID: Field = Field::new(0x06, 1).within(CONTEXT);
    pub(crate) const CQE_SIZE: Field = Field::new(0x08, 3).within(CONTEXT);
    pub(crate) const IGNORE_OVERRUN: Field = Field::new(0x0e, 1).within(CONTEXT);
    pub(crate) const DBR_UMEM: Field = Field::new(0x20, 32).within(CONTEXT);
    pub(crate) const PAGE_OFFSET: Field = Field::new(0x54, 6).within(CONTEXT);
    pub(crate) const LOG_SIZE: Field = Field::new(0x63, 5).within(CONTEXT);
    pub(crate) const UAR_PAGE: Field = Field::new(0x68, 24).within(CONTEXT);
    pub(crate) const EQN: Field = Field::new(0xa0, 32).within(CONTEXT);
    pub(crate) const LOG_PAGE_SIZE: Field = Field::new(0xc3, 5).within(CONTEXT);
    pub(crate) const DBR_ADDRESS: usize = CONTEXT + 0x38;
    pub(crate) const UMEM_OFFSET: usize = 0x50;
    pub(crate) const UMEM: Field = Field::new(0x2c0, 32);
    pub(crate) const UMEM_VALID: Field = Field::new(0x2e0, 1);
}

/// `CREATE_RMP`: 0x110 bytes without a list of pages, the work queue at 0x50.
pub(crate) mod rmp {
    use super::Field;

    pub(crate) const BYTES: usize = 0x110;
    const WQ: usize = 0x50;
    /// The state of the context.
    pub(crate) const STATE: Field = Field::new(0x08, 4).within(0x20);
    pub(crate) const WQ_TYPE: Field = Field::new(0x00, 4).within(WQ);
    /// In 32ths of a page.
    pub(crate) const PAGE_OFFSET: Field = Field::new(0x2b, 5).within(WQ);
    pub(crate) const PD: Field = Field::new(0x48, 24).within(WQ);
    pub(crate) const DBR_ADDRESS: usize = WQ + 0x80 / 8;
    pub(crate) const LOG_STRIDE: Field = Field::new(0x10c, 4).within(WQ);
    pub(crate) const LOG_PAGE_SIZE: Field = Field::new(0x113, 5).within(WQ);
    pub(crate) const LOG_SIZE: Field = Field::new(0x11b, 5).within(WQ);
    pub(crate) const DBR_UMEM_VALID: Field = Field::new(0x120, 1).within(WQ);
    pub(crate) const UMEM_VALID: Field = Field::new(0x121, 1).within(WQ);
    pub(crate) const DBR_UMEM: Field = Field::new(0x140, 32).within(WQ);
    pub(crate) const UMEM: Field = Field::new(0x160, 32).within(WQ);
}

/// `CREATE_DCT`: 0x50 bytes, the context at 0x10.
pub(crate) mod dct {
    use super::Field;

    pub(crate) const BYTES: usize = 0x50;
    const CONTEXT: usize = 0x10;
    pub(crate) const USER_INDEX: Field = Field::new(0x28, 24).within(CONTEXT);
    pub(crate) const CQN: Field = Field::new(0x48, 24).within(CONTEXT);
    pub(crate) const ATOMIC_MODE: Field = Field::new(0x68, 4).within(CONTEXT);
    pub(crate) const RRE: Field = Field::new(0x6c, 1).within(CONTEXT);
    pub(crate) const RWE: Field = Field::new(0x6d, 1).within(CONTEXT);
    pub(crate) const RAE: Field = Field::new(0x6e, 1).within(CONTEXT);
    pub(crate) const MIN_RNR_NAK: Field = Field::new(0x93, 5).within(CONTEXT);
    pub(crate) const SRQN: Field = Field::new(0xa8, 24).within(CONTEXT);
    pub(crate) const PD: Field = Field::new(0xc8, 24).within(CONTEXT);
    pub(crate) const TRAFFIC_CLASS: Field = Field::new(0xe0, 8).within(CONTEXT);
    pub(crate) const FLOW_LABEL: Field = Field::new(0xec, 20).within(CONTEXT);
    pub(crate) const KEY: usize = CONTEXT + 0x20;
    pub(crate) const MTU: Field = Field::new(0x145, 3).within(CONTEXT);
    pub(crate) const PORT: Field = Field::new(0x148, 8).within(CONTEXT);
    pub(crate) const PKEY_INDEX: Field = Field::new(0x150, 16).within(CONTEXT);
    pub(crate) const SOURCE_INDEX: Field = Field::new(0x168, 8).within(CONTEXT);
    pub(crate) const HOP_LIMIT: Field = Field::new(0x178, 8).within(CONTEXT);
}

/// Commands about queue pairs: 0x110 bytes, the context at 0x18.
pub(crate) mod qp {
    use super::Field;

    pub(crate) const BYTES: usize = 0x110;
    /// Start of the context, in commands and in the answer to `QUERY_QP`.
    const CONTEXT: usize = 0x18;
    pub(crate) const STATE: Field = Field::new(0, 4).within(CONTEXT);
    pub(crate) const SERVICE: Field = Field::new(0x08, 8).within(CONTEXT);
    pub(crate) const PATH_MIGRATION: Field = Field::new(0x13, 2).within(CONTEXT);
    pub(crate) const PD: Field = Field::new(0x28, 24).within(CONTEXT);
    pub(crate) const MTU: Field = Field::new(0x40, 3).within(CONTEXT);
    pub(crate) const LOG_MSG_MAX: Field = Field::new(0x43, 5).within(CONTEXT);
    pub(crate) const LOG_RQ_SIZE: Field = Field::new(0x49, 4).within(CONTEXT);
    pub(crate) const LOG_RQ_STRIDE: Field = Field::new(0x4d, 3).within(CONTEXT);
    pub(crate) const NO_SQ: Field = Field::new(0x50, 1).within(CONTEXT);
    pub(crate) const LOG_SQ_SIZE: Field = Field::new(0x51, 4).within(CONTEXT);
    pub(crate) const UAR_PAGE: Field = Field::new(0x68, 24).within(CONTEXT);
    pub(crate) const USER_INDEX: Field = Field::new(0x88, 24).within(CONTEXT);
    pub(crate) const LOG_PAGE_SIZE: Field = Field::new(0xa3, 5).within(CONTEXT);
    pub(crate) const REMOTE_QPN: Field = Field::new(0xa8, 24).within(CONTEXT);
    pub(crate) const LOG_ACK_REQ_FREQ: Field = Field::new(0x380, 4).within(CONTEXT);
    pub(crate) const LOG_SRA_MAX: Field = Field::new(0x388, 3).within(CONTEXT);
    pub(crate) const RETRY_COUNT: Field = Field::new(0x38d, 3).within(CONTEXT);
    pub(crate) const RNR_RETRY: Field = Field::new(0x390, 3).within(CONTEXT);
    pub(crate) const NEXT_SEND_PSN: Field = Field::new(0x3c8, 24).within(CONTEXT);
    pub(crate) const CQN_SND: Field = Field::new(0x3e8, 24).within(CONTEXT);
    pub(crate) const LOG_RRA_MAX: Field = Field::new(0x488, 3).within(CONTEXT);
    pub(crate) const ATOMIC_MODE: Field = Field::new(0x48c, 4).within(CONTEXT);
    pub(crate) const RRE: Field = Field::new(0x490, 1).within(CONTEXT);
    pub(crate) const RWE: Field = Field::new(0x491, 1).within(CONTEXT);
    pub(crate) const RAE: Field = Field::new(0x492, 1).within(CONTEXT);
    pub(crate) const PAGE_OFFSET: Field = Field::new(0x494, 6).within(CONTEXT);
    pub(crate) const MIN_RNR_NAK: Field = Field::new(0x4a3, 5).within(CONTEXT);
    pub(crate) const NEXT_RCV_PSN: Field = Field::new(0x4a8, 24).within(CONTEXT);
    pub(crate) const CQN_RCV: Field = Field::new(0x4e8, 24).within(CONTEXT);
    pub(crate) const DBR_ADDRESS: usize = CONTEXT + 0x500 / 8;
    pub(crate) const Q_KEY: Field = Field::new(0x540, 32).within(CONTEXT);
    pub(crate) const RQ_TYPE: Field = Field::new(0x565, 3).within(CONTEXT);
    pub(crate) const SRQN: Field = Field::new(0x568, 24).within(CONTEXT);
    pub(crate) const DBR_UMEM_VALID: Field = Field::new(0x683, 1).within(CONTEXT);
    pub(crate) const DBR_UMEM: Field = Field::new(0x720, 32).within(CONTEXT);
    pub(crate) const UMEM: Field = Field::new(0x840, 32);
    pub(crate) const UMEM_VALID: Field = Field::new(0x860, 1);

    /// The path to the peer, a structure within the context.
    pub(crate) mod path {
        use super::{CONTEXT, Field};

        const AT: usize = CONTEXT + 0x18;
        pub(crate) const PKEY_INDEX: Field = Field::new(0x10, 16).within(AT);
        pub(crate) const GRH: Field = Field::new(0x28, 1).within(AT);
        pub(crate) const MLID: Field = Field::new(0x29, 7).within(AT);
        pub(crate) const RLID: Field = Field::new(0x30, 16).within(AT);
        pub(crate) const ACK_TIMEOUT: Field = Field::new(0x40, 5).within(AT);
        pub(crate) const SOURCE_INDEX: Field = Field::new(0x48, 8).within(AT);
        pub(crate) const STATIC_RATE: Field = Field::new(0x54, 4).within(AT);
        pub(crate) const HOP_LIMIT: Field = Field::new(0x58, 8).within(AT);
        pub(crate) const TRAFFIC_CLASS: Field = Field::new(0x64, 8).within(AT);
        pub(crate) const FLOW_LABEL: Field = Field::new(0x6c, 20).within(AT);
        pub(crate) const REMOTE_GID: usize = AT + 0x10;
        pub(crate) const DSCP: Field = Field::new(0x10a, 6).within(AT);
        pub(crate) const UDP_SPORT: Field = Field::new(0x110, 16).within(AT);
        pub(crate) const ETH_PRIO: Field = Field::new(0x121, 3).within(AT);
        pub(crate) const SL: Field = Field::new(0x124, 4).within(AT);
        pub(crate) const PORT: Field = Field::new(0x128, 8).within(AT);
        pub(crate) const REMOTE_MAC: usize = AT + 0x26;
    }
}

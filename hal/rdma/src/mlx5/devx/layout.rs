//! Places of the fields, as in rdma-core's `mlx5_ifc.h`: the address path (`ads`), the queue pair's context (`qpc`) and
//! the completion queue's (`cqc`). Offsets count from the beginning of the context.

/// The address path: the destination of a queue pair's packets. 44 bytes.
pub(super) mod ads {
    use super::super::bits::{Field, fields};

    /// First bit of the remote GID's 16 bytes.
    pub(in super::super) const RGID: usize = 0x080;

    fields! {
        /// All of them.
        table ALL;
        // Forced loopback, and adaptive routing allowed.
        FL = "fl", 0x000, 1;
        FREE_AR = "free_ar", 0x001, 1;
        PKEY_INDEX = "pkey_index", 0x010, 16;
        // Whether packets carry a global route header.
        GRH = "grh", 0x028, 1;
        MLID = "mlid", 0x029, 7;
        // The peer's LID.
        RLID = "rlid", 0x030, 16;
        // 4.096 us * 2^this.
        ACK_TIMEOUT = "ack_timeout", 0x040, 5;
        // Index into this side's GID table.
        SRC_ADDR_INDEX = "src_addr_index", 0x048, 8;
        STAT_RATE = "stat_rate", 0x054, 4;
        HOP_LIMIT = "hop_limit", 0x058, 8;
        TCLASS = "tclass", 0x064, 8;
        FLOW_LABEL = "flow_label", 0x06c, 20;
        RGID_HIGH = "rgid_rip[0..8]", 0x080, 64;
        RGID_LOW = "rgid_rip[8..16]", 0x0c0, 64;
        F_DSCP = "f_dscp", 0x104, 1;
        F_ECN = "f_ecn", 0x105, 1;
        F_ETH_PRIO = "f_eth_prio", 0x107, 1;
        ECN = "ecn", 0x108, 2;
        DSCP = "dscp", 0x10a, 6;
        UDP_SPORT = "udp_sport", 0x110, 16;
        DEI_CFI = "dei_cfi", 0x120, 1;
        ETH_PRIO = "eth_prio", 0x121, 3;
        SL = "sl", 0x124, 4;
        VHCA_PORT_NUM = "vhca_port_num", 0x128, 8;
        RMAC_HIGH = "rmac[0..2]", 0x130, 16;
        RMAC_LOW = "rmac[2..6]", 0x140, 32;
    }
}

/// The queue pair's context. 232 bytes.
pub(super) mod qpc {
    use super::super::bits::{Field, fields};

    /// Its size in bits.
    pub(in super::super) const BITS: usize = 0x740;
    /// The first bit of the primary address path.
    pub(in super::super) const PRIMARY: usize = 0x0c0;
    /// The first bit of the alternate address path.
    pub(in super::super) const SECONDARY: usize = 0x220;

    fields! {
        /// All fields but those of the address paths.
        table ALL;
        // 0 reset, 1 init, 2 ready to receive, 3 ready to send, 4 send queue error, 5 drained, 6 error.
        STATE = "state", 0x000, 4;
        LAG_TX_PORT_AFFINITY = "lag_tx_port_affinity", 0x004, 4;
        // Service type: 0 reliable connection, 5 initiator of dynamic connections.
        ST = "st", 0x008, 8;
        ISOLATE_VL_TC = "isolate_vl_tc", 0x012, 1;
        // Path migration: 3 migrated, the state in which every connection begins.
        PM_STATE = "pm_state", 0x013, 2;
        REQ_E2E_CREDIT_MODE = "req_e2e_credit_mode", 0x016, 2;
        OFFLOAD_TYPE = "offload_type", 0x018, 4;
        END_PADDING_MODE = "end_padding_mode", 0x01c, 2;
        WQ_SIGNATURE = "wq_signature", 0x020, 1;
        BLOCK_LB_MC = "block_lb_mc", 0x021, 1;
        ATOMIC_LIKE_WRITE_EN = "atomic_like_write_en", 0x022, 1;
        LATENCY_SENSITIVE = "latency_sensitive", 0x023, 1;
        DRAIN_SIGERR = "drain_sigerr", 0x025, 1;
        PD = "pd", 0x028, 24;
        // 1: 256 bytes to 5: 4096 bytes.
        MTU = "mtu", 0x040, 3;
        LOG_MSG_MAX = "log_msg_max", 0x043, 5;
        LOG_RQ_SIZE = "log_rq_size", 0x049, 4;
        LOG_RQ_STRIDE = "log_rq_stride", 0x04d, 3;
        NO_SQ = "no_sq", 0x050, 1;
        // In basic blocks.
        LOG_SQ_SIZE = "log_sq_size", 0x051, 4;
        TS_FORMAT = "ts_format", 0x058, 2;
        DATA_IN_ORDER = "data_in_order", 0x05a, 1;
        RLKY = "rlky", 0x05b, 1;
        ULP_STATELESS_OFFLOAD_MODE = "ulp_stateless_offload_mode", 0x05c, 4;
        COUNTER_SET_ID = "counter_set_id", 0x060, 8;
        UAR_PAGE = "uar_page", 0x068, 24;
        // 0: the doorbell record counts, 1: the doorbell alone.
        SEND_DBR_MODE = "send_dbr_mode", 0x080, 2;
        USER_INDEX = "user_index", 0x088, 24;
        // Above 4 KiB.
        LOG_PAGE_SIZE = "log_page_size", 0x0a3, 5;
        REMOTE_QPN = "remote_qpn", 0x0a8, 24;
        LOG_ACK_REQ_FREQ = "log_ack_req_freq", 0x380, 4;
        // Reads and atomics in flight as requester.
        LOG_SRA_MAX = "log_sra_max", 0x388, 3;
        RETRY_COUNT = "retry_count", 0x38d, 3;
        RNR_RETRY = "rnr_retry", 0x390, 3;
        FRE = "fre", 0x394, 1;
        CUR_RNR_RETRY = "cur_rnr_retry", 0x395, 3;
        CUR_RETRY_COUNT = "cur_retry_count", 0x398, 3;
        NEXT_SEND_PSN = "next_send_psn", 0x3c8, 24;
        CQN_SND = "cqn_snd", 0x3e8, 24;
        DETH_SQPN = "deth_sqpn", 0x408, 24;
        LAST_ACKED_PSN = "last_acked_psn", 0x448, 24;
        SSN = "ssn", 0x468, 24;
        // Reads and atomics in flight as responder.
        LOG_RRA_MAX = "log_rra_max", 0x488, 3;
        // 0 none, 1 as in the InfiniBand standard, 2 of 8 bytes, 3 of up to 8 bytes, 4 of up to 16 ...
        ATOMIC_MODE = "atomic_mode", 0x48c, 4;
        RRE = "rre", 0x490, 1;
        RWE = "rwe", 0x491, 1;
        RAE = "rae", 0x492, 1;
        // The offset of the queue's buffer in its first page, in 64ths of the page.
        PAGE_OFFSET = "page_offset", 0x494, 6;
        CD_SLAVE_RECEIVE = "cd_slave_receive", 0x49d, 1;
        CD_SLAVE_SEND = "cd_slave_send", 0x49e, 1;
        CD_MASTER = "cd_master", 0x49f, 1;
        MIN_RNR_NAK = "min_rnr_nak", 0x4a3, 5;
        NEXT_RCV_PSN = "next_rcv_psn", 0x4a8, 24;
        XRCD = "xrcd", 0x4c8, 24;
        CQN_RCV = "cqn_rcv", 0x4e8, 24;
        // Offset in the umem.
        DBR_ADDR = "dbr_addr", 0x500, 64;
        Q_KEY = "q_key", 0x540, 32;
        // 0 its own, 1 shared, 3 none.
        RQ_TYPE = "rq_type", 0x565, 3;
        SRQN = "srqn_rmpn_xrqn", 0x568, 24;
        RMSN = "rmsn", 0x588, 24;
        HW_SQ_WQEBB_COUNTER = "hw_sq_wqebb_counter", 0x5a0, 16;
        SW_SQ_WQEBB_COUNTER = "sw_sq_wqebb_counter", 0x5b0, 16;
        HW_RQ_COUNTER = "hw_rq_counter", 0x5c0, 32;
        SW_RQ_COUNTER = "sw_rq_counter", 0x5e0, 32;
        CGS = "cgs", 0x62f, 1;
        // Payload put into completions, as requester and as responder; 0 never.
        CS_REQ = "cs_req", 0x630, 8;
        CS_RES = "cs_res", 0x638, 8;
        DC_ACCESS_KEY = "dc_access_key", 0x640, 64;
        DBR_UMEM_VALID = "dbr_umem_valid", 0x683, 1;
        DBR_UMEM_ID = "dbr_umem_id", 0x720, 32;
    }
}

/// The completion queue's context. 64 bytes.
pub(super) mod cqc {
    use super::super::bits::{Field, fields};

    /// Its size in bits.
    pub(in super::super) const BITS: usize = 0x200;

    fields! {
        /// All of them.
        #[cfg(test)]
        table ALL;
        DBR_UMEM_VALID = "dbr_umem_valid", 0x006, 1;
        // 0: 64 bytes, 1: 128 bytes.
        CQE_SZ = "cqe_sz", 0x008, 3;
        // Collapsed: all completions go to the first entry.
        CC = "cc", 0x00b, 1;
        // Overrun ignored.
        OI = "oi", 0x00e, 1;
        DBR_UMEM_ID = "dbr_umem_id", 0x020, 32;
        PAGE_OFFSET = "page_offset", 0x054, 6;
        LOG_CQ_SIZE = "log_cq_size", 0x063, 5;
        UAR_PAGE = "uar_page", 0x068, 24;
        // Older headers have the lowest 8 bits alone, at 0x0b8.
        C_EQN = "c_eqn_or_apu_element", 0x0a0, 32;
        // Above 4 KiB.
        LOG_PAGE_SIZE = "log_page_size", 0x0c3, 5;
        // Offset in the umem.
        DBR_ADDR = "dbr_addr", 0x1c0, 64;
    }
}

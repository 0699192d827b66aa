//! Fields, and answers to commands.

use oxshmem_core::host::ErrorKind;

use super::super::bits::Mailbox;
use super::super::*;
use super::golden;

#[test]
fn a_field_is_set_without_touching_its_neighbours() {
    for at in 0..70 {
        for bits in 1..=64 {
            let field = Field::new("field", at, bits);
            let ones = u64::MAX >> (64 - bits);
            let mut mailbox = Mailbox::new(0, 20).finish();
            set(&mut mailbox, field, ones);
            let count: u32 = mailbox.iter().map(|byte| byte.count_ones()).sum();
            assert_eq!((get(&mailbox, field), count as usize), (ones, bits));
            let mut mailbox = vec![0xff; 20];
            set(&mut mailbox, field, 0x5555_5555_5555_5555 & ones);
            let zeros: u32 = mailbox.iter().map(|byte| byte.count_zeros()).sum();
            assert_eq!((get(&mailbox, field), zeros as usize), (0x5555_5555_5555_5555 & ones, bits / 2));
        }
    }
}

/// Returns a successful output with these fields of the capabilities set.
fn answer(fields: &[(&str, usize, usize, u64)]) -> Vec<u8> {
    let mut output = vec![0; QUERY_HCA_CAP_BYTES];
    for &(_, at, bits, value) in fields {
        set(&mut output, Field::new("", 0x80 + at, bits), value);
    }
    output
}

#[test]
fn capabilities_are_read_from_their_bits() {
    let caps = GeneralCaps::parse(&answer(&[("cqe_version", 0x1fc, 4, 1), ("log_bf_reg_size", 0x26b, 5, 9)])).unwrap();
    assert_eq!((caps.cqe_version, caps.log_bf_reg_size), (1, 9));
    assert!(!caps.roce && !caps.atomic && caps.log_max_qp == 0, "{caps:?}");
    // Words of the answer as a ConnectX gives them, written by hand: `roce` and `atomic` are bits 2 and 1 of the word
    // at 0x43.
    let mut output = answer(&[]);
    output[16 + 0x43] = 0b110;
    output[16 + 0x11] = 15;
    output[16 + 0x13] = 18;
    output[16 + 0x38] = 30;
    let caps = GeneralCaps::parse(&output).unwrap();
    assert!(caps.roce && caps.atomic);
    assert_eq!((caps.log_max_qp_sz, caps.log_max_qp, caps.log_max_msg), (15, 18, 30));

    let mut output = answer(&[]);
    output[16 + 0x08] = 0x42;
    output[16 + 0x13] = 0x0f;
    output[16 + 0x17] = 0x0c;
    output[16 + 0x1b] = 0x08;
    let caps = AtomicCaps::parse(&output).unwrap();
    assert_eq!((caps.atomic_req_8b_endianness_mode, caps.supports_endianness_mode_1), (1, true));
    assert_eq!((caps.atomic_size_qp, caps.atomic_size_dc), (0xc, 8));
    use atomic_operation::*;
    assert!(caps.has(MASKED_COMPARE_SWAP | MASKED_FETCH_ADD, 4) && caps.has(FETCH_ADD | COMPARE_SWAP, 8));
    assert!(!caps.has(FETCH_ADD, 16) && !caps.has(1 << 4, 8), "{caps:?}");

    let mut output = answer(&[]);
    output[16 + 0x13] = 0b101;
    output[16 + 0x16..16 + 0x1c].copy_from_slice(&[0x12, 0xb7, 0xff, 0xff, 0xc0, 0x00]);
    let caps = RoceCaps::parse(&output).unwrap();
    assert_eq!((caps.roce_version, caps.r_roce_dest_udp_port), (5, 4791));
    assert_eq!((caps.r_roce_min_src_udp_port, caps.r_roce_max_src_udp_port), (0xc000, 0xffff));

    let mut output = answer(&[]);
    output[16 + 0x5c] = 0x40 | 10;
    let caps = GeneralCaps2::parse(&output).unwrap();
    assert!(caps.send_dbr_mode_no_dbr_ext && !caps.send_dbr_mode_no_dbr_int);
    assert_eq!(caps.log_max_send_dbr_less_qp_sq, 10);
}

#[test]
fn a_refused_command_is_an_error_with_status_and_syndrome() {
    let mut output = vec![0; REPLY_BYTES];
    output[0] = 0x0f;
    output[4..8].copy_from_slice(&0x0012_ab34_u32.to_be_bytes());
    let error = Reply::parse(&output).check("create a queue pair on mlx5_0").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Exhausted);
    assert_eq!(
        error.to_string(),
        "cannot create a queue pair on mlx5_0: the NIC's firmware refused it: no resources left (status 0x0f, \
         syndrome 0x0012ab34)"
    );
    output[0] = 0;
    output[8..12].copy_from_slice(&0xff12_34ab_u32.to_be_bytes());
    assert_eq!(Reply::parse(&output).check("create a queue pair").unwrap().object, 0x12_34ab);
}

#[test]
fn an_answer_that_is_cut_short_is_an_error_and_a_refusal_comes_first() {
    let error = GeneralCaps::parse(&[0; 20]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Malformed);
    assert!(error.to_string().contains("20 bytes of the 272"), "{error}");
    let mut refused = vec![0; 16];
    refused[0] = 2;
    assert_eq!(GeneralCaps2::parse(&refused).unwrap_err().kind(), ErrorKind::Incompatible);
    assert!(QpContext::parse(&[0; 255]).unwrap_err().to_string().contains("255 bytes of the 256"));
    assert!(QpContext::parse(&[]).is_err());
}

/// Returns the answer of `QUERY_QP`: the context is at the same place as in the command.
fn queried(mut mailbox: Vec<u8>) -> QpContext {
    mailbox[..16].fill(0);
    QpContext::parse(&mailbox).unwrap()
}

#[test]
fn a_context_reads_as_it_was_commanded() {
    let context = queried(golden("create_qp.srq"));
    for (name, value) in [("pd", 0x12_3456), ("log_sq_size", 10), ("dbr_addr", 0x1c0), ("srqn_rmpn_xrqn", 0x0d_0e0f)] {
        assert_eq!(context.field(name), Some(value), "{name}");
    }
    assert_eq!(context.state(), 0);
    let context = queried(golden("init2rtr.roce"));
    assert_eq!(context.field("primary.udp_sport"), Some(0xc123));
    assert_eq!(context.field("primary.rgid_rip[0..8]"), Some(0xe0e1_e2e3_e4e5_e6e7));
    assert_eq!(context.field("secondary.udp_sport"), Some(0));
    assert_eq!(context.field("no such field"), None);
}

#[test]
fn two_contexts_differ_by_name_and_reserved_bits_do_not_count() {
    let first = golden("create_qp.srq");
    assert_eq!(queried(first.clone()).differences(&queried(first.clone())), []);
    let mut second = golden("create_qp.zero_rq");
    // Bit 0x600 of the context is reserved.
    second[0x18 + 0xc0] |= 0x80;
    let found = queried(first).differences(&queried(second));
    let found: Vec<_> = found.iter().map(|it| (it.field.as_str(), it.first, it.second)).collect();
    assert_eq!(found, [("cqn_rcv", 0x0a_0b0c, 0), ("rq_type", 1, 3), ("srqn_rmpn_xrqn", 0x0d_0e0f, 0),]);
}

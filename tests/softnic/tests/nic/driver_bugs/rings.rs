//! Doorbells and their records.

use super::caught;
use crate::driver::*;

#[test]
fn a_doorbell_record_in_little_endian() {
    caught("doorbell-record-bits", |pair| {
        let index = pair.qa.write(&[ctrl(0, 0, SIGNALLED)]);
        pair.qa.control.half(DBR * 2 + 1).store(1, std::sync::atomic::Ordering::SeqCst);
        pair.qa.doorbell(1);
        index
    });
}

#[test]
fn the_receive_queues_word_of_the_doorbell_record() {
    caught("doorbell-record-word", |pair| {
        let index = pair.qa.write(&[ctrl(0, 0, SIGNALLED)]);
        pair.qa.control.half(DBR * 2).store(1_u32.to_be(), std::sync::atomic::Ordering::SeqCst);
        pair.qa.doorbell(1);
        index
    });
}

#[test]
fn a_doorbell_before_its_record() {
    caught("record-before-doorbell", |pair| {
        let index = pair.qa.write(&[ctrl(0, 0, SIGNALLED)]);
        pair.qa.doorbell(1);
        index
    });
}

#[test]
fn a_doorbell_of_another_queue_or_in_little_endian() {
    caught("doorbell-qpn", |pair| {
        let index = pair.qa.write(&[ctrl(0, 0, SIGNALLED)]);
        pair.qa.record(1);
        pair.qa.doorbell_raw(1 << 8, (pair.qa.qpn + 1) << 8);
        index
    });
    caught("doorbell-qpn", |pair| {
        let index = pair.qa.write(&[ctrl(0, 0, SIGNALLED)]);
        pair.qa.record(1);
        pair.qa.doorbell_raw((1_u32 << 8).swap_bytes(), (pair.qa.qpn << 8).swap_bytes());
        index
    });
}

#[test]
fn a_producer_index_that_moves_back() {
    caught("producer-index-backward", |pair| {
        pair.qa.write(&[ctrl(0, 0, 0)]);
        let index = pair.qa.write(&[ctrl(0, 0, SIGNALLED)]);
        pair.qa.ring();
        assert_eq!(pair.qa.wait(index), 0);
        pair.qa.doorbell(1);
        index + 1
    });
}

//! Keys that do not permit an entry's access.

use oxshmem_rdma::hca::access;

use super::{caught, keys, post};
use crate::driver::*;

#[test]
fn a_key_that_is_not_registered_or_of_the_wrong_kind() {
    caught("local-key", |pair| {
        let (lkey, rkey) = keys(pair);
        post(pair, &[ctrl(0, 8, SIGNALLED), raddr(0, rkey), data(8, lkey + 0x1000, 0)])
    });
    caught("local-key", |pair| {
        let (mine, rkey) = (pair.mr_a.rkey, pair.mr_b.rkey);
        post(pair, &[ctrl(0, 8, SIGNALLED), raddr(0, rkey), data(8, mine, 0)])
    });
    caught("remote-key", |pair| {
        let (lkey, rkey) = keys(pair);
        post(pair, &[ctrl(0, 8, SIGNALLED), raddr(0, rkey.swap_bytes()), data(8, lkey, 0)])
    });
    caught("remote-key", |pair| {
        let (lkey, theirs) = (pair.mr_a.lkey, pair.mr_b.lkey);
        post(pair, &[ctrl(0, 0x10, SIGNALLED), raddr(0, theirs), data(8, lkey, 0)])
    });
}

#[test]
fn a_key_of_memory_that_was_given_back() {
    caught("remote-key", |pair| {
        pair.b.hca.dereg_mr(pair.mr_b.handle).unwrap();
        let again = pair.b.register(&pair.theirs, WORDS, 0, ALL);
        assert_ne!(again.rkey, pair.mr_b.rkey, "keys don't come back soon");
        pair.put(0, 0, 8)
    });
}

#[test]
fn bytes_outside_the_region() {
    let end = WORDS as u64 * 8;
    caught("local-bounds", |pair| pair.put(0, end - 7, 8));
    caught("remote-bounds", |pair| pair.put(end - 7, 0, 8));
    caught("remote-bounds", |pair| pair.put(u64::MAX, 0, 8));
}

#[test]
fn what_the_registration_does_not_allow() {
    caught("remote-access", |pair| {
        let read_only = pair.b.register(&pair.theirs, WORDS, 0, access::LOCAL_WRITE | access::REMOTE_READ);
        let lkey = pair.mr_a.lkey;
        post(pair, &[ctrl(0, 8, SIGNALLED), raddr(0, read_only.rkey), data(8, lkey, 0)])
    });
    caught("local-access", |pair| {
        let no_write = pair.a.register(&pair.mine, WORDS, 0, access::REMOTE_READ);
        let rkey = pair.mr_b.rkey;
        post(pair, &[ctrl(0, 0x10, SIGNALLED), raddr(0, rkey), data(8, no_write.lkey, 0)])
    });
}

#[test]
fn an_atomic_that_is_not_aligned() {
    let pair = caught("atomic-alignment", |pair| {
        let (lkey, rkey) = keys(pair);
        post(pair, &[ctrl(0, 0x12, SIGNALLED), raddr(4, rkey), words64(1, 0), data(8, lkey, 0)])
    });
    assert_eq!(pair.qa.wait(0), 0x12, "a remote invalid request");
}

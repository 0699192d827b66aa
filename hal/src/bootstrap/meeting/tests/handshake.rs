use super::*;

#[test]
fn every_input_of_a_proof_changes_it() {
    let secret = Secret::from_bytes(std::array::from_fn(|i| i as u8));
    let base = mac(&secret, Prover::Pe, 1, 4, &[1; 16], &[2; 16]);
    let others = [
        mac(&secret, Prover::Root(AdmissionReply::Admitted), 1, 4, &[1; 16], &[2; 16]),
        mac(&secret, Prover::Root(AdmissionReply::Taken), 1, 4, &[1; 16], &[2; 16]),
        mac(&secret, Prover::Pe, 2, 4, &[1; 16], &[2; 16]),
        mac(&secret, Prover::Pe, 1, 5, &[1; 16], &[2; 16]),
        mac(&secret, Prover::Pe, 1, 4, &[2; 16], &[1; 16]),
        mac(
            &Secret::from_bytes(std::array::from_fn(|i| i as u8 ^ (i == 31) as u8)),
            Prover::Pe,
            1,
            4,
            &[1; 16],
            &[2; 16],
        ),
    ];
    for (at, other) in others.iter().enumerate() {
        assert!(!same(&base, other), "case {at}");
    }
    assert!(same(&base, &mac(&secret, Prover::Pe, 1, 4, &[1; 16], &[2; 16])));
}

#[test]
fn proofs_that_differ_in_one_bit_are_different() {
    let proof = mac(&Secret::from_bytes([5; 32]), Prover::Pe, 1, 4, &[1; 16], &[2; 16]);
    for bit in 0..8 * MAC {
        let mut other = proof;
        other[bit / 8] ^= 1 << (bit % 8);
        assert!(!same(&proof, &other) && !same(&other, &proof), "bit {bit}");
    }
    assert!(!same(&proof, &proof[1..]) && !same(&proof[..0], &proof));
}

/// Returns the admission of PE 1, and how many connections it keeps before any is proved.
fn admission() -> (Admission, usize) {
    (Admission::new(Secret::from_bytes([5; 32]), 2, 0, 1..2), 2 + SPARE_UNPROVEN)
}

#[test]
fn of_more_strangers_than_there_is_room_for_the_oldest_go() {
    let (mut admission, most) = admission();
    let mut far = Vec::new();
    for _ in 0..most + 2 {
        let (near, other) = Connection::pair().unwrap();
        admission.add(near);
        far.push(other);
    }
    assert_eq!(admission.sockets().count(), most);
    let has_ended = |far: &Connection| matches!(far.recv_some(&mut [0]), Ok(0));
    assert!(far[..2].iter().all(has_ended) && !far[2..].iter().any(has_ended));
}

#[test]
fn a_stranger_that_says_nothing_until_its_limit_goes_and_one_with_time_left_stays() {
    let (mut admission, _) = admission();
    let (late, _late) = Connection::pair().unwrap();
    let (early, _early) = Connection::pair().unwrap();
    admission.add(late);
    admission.unproven[0].until = Instant::now();
    admission.add(early);
    assert!(admission.advance(&[]).is_empty());
    assert_eq!(admission.sockets().count(), 1);
    assert!(admission.deadline().unwrap() > Instant::now());
}

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

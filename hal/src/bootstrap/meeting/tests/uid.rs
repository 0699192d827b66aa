use super::*;

#[test]
fn an_id_survives_its_text_form_for_both_families() {
    for address in ["127.0.0.1:4242", "[fe80::1:2]:65535", "[fe80::1:2%4294967295]:1"] {
        let id = UniqueId::new(address.parse().unwrap(), &Secret::fresh().unwrap());
        let again: UniqueId = id.to_hex().parse().unwrap();
        assert_eq!(again, id);
        assert_eq!(again.address(), address.parse().unwrap());
        assert_eq!(again.secret(), id.secret());
    }
}

#[test]
fn debug_shows_the_address_and_never_the_secret() {
    let id = UniqueId::new("10.1.2.3:9".parse().unwrap(), &Secret::from_bytes([0xab; 32]));
    let shown = format!("{id:?} {:?}", id.secret());
    assert!(shown.contains("10.1.2.3:9"), "{shown}");
    assert!(!shown.contains("ab") && !shown.contains("171"), "{shown}");
}

#[test]
fn text_that_is_no_id_is_refused_with_its_length() {
    let error = "abc".parse::<UniqueId>().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Malformed);
    assert!(error.to_string().contains("3 characters, not 256"), "{error}");
    let mut bytes = UniqueId::new("1.2.3.4:5".parse().unwrap(), &Secret::from_bytes([1; 32])).to_bytes();
    bytes[127] = 1;
    assert!(UniqueId::from_bytes(bytes).is_err(), "a byte that must be zero is not");
    (bytes[127], bytes[7]) = (0, 2);
    assert!(UniqueId::from_bytes(bytes).unwrap_err().to_string().contains("version 2"));
}

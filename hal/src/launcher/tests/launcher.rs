use std::net::{Ipv4Addr, TcpStream};

use super::*;
use crate::bootstrap::meeting::stop_listening;
use crate::bootstrap::meeting::uid::Secret;

#[test]
fn an_inherited_socket_that_serves_no_world_is_refused_with_the_reason() {
    let (id, listener) = UniqueId::listen(Ipv4Addr::LOCALHOST.into()).unwrap();
    let connected = TcpStream::connect(id.address()).unwrap();
    let error = adopt(connected.as_raw_fd(), &id).unwrap_err();
    assert!(error.to_string().contains("it is not a listening socket"), "{error}");
    let (_, elsewhere) = UniqueId::listen(Ipv4Addr::LOCALHOST.into()).unwrap();
    let error = adopt(elsewhere.as_raw_fd(), &id).unwrap_err();
    assert!(error.to_string().contains("it listens at"), "{error}");
    let file = std::fs::File::open("/dev/null").unwrap();
    assert!(adopt(file.as_raw_fd(), &id).is_err() && adopt(-1, &id).is_err());
    assert!(adopt(listener.as_raw_fd(), &id).unwrap().is_some());
}

#[test]
fn a_socket_that_stopped_is_taken_again_if_it_has_kept_its_port() {
    let (id, listener) = UniqueId::listen(Ipv4Addr::LOCALHOST.into()).unwrap();
    stop_listening(&listener);
    assert_eq!(adopt(listener.as_raw_fd(), &id).unwrap().unwrap().local_addr().unwrap(), id.address());
    // Another launcher may have asked the kernel for any port.
    let any = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let id = UniqueId::new(any.local_addr().unwrap(), &Secret::fresh().unwrap());
    stop_listening(&any);
    // Kernels differ in whether it keeps the port. Without it PE 0 listens anew at the id's address.
    let taken = adopt(any.as_raw_fd(), &id).unwrap();
    assert!(taken.is_none_or(|taken| taken.local_addr().unwrap() == id.address()));
}

use std::io::{Read, Write};
use std::net::Ipv4Addr;

use super::super::handshake::{CHALLENGE, hello};
use super::*;

const LIMIT: Option<Duration> = Some(Duration::from_secs(20));

fn maker(limit: Duration) -> IdMaker {
    let (id, listener) = UniqueId::listen(Ipv4Addr::LOCALHOST.into()).unwrap();
    IdMaker::of(id, listener, limit).unwrap()
}

fn connect(maker: &IdMaker) -> TcpStream {
    let stream = TcpStream::connect(maker.id().address()).unwrap();
    stream.set_read_timeout(LIMIT).unwrap();
    stream
}

/// Waits until the maker has closed a connection.
fn await_end(mut stream: &TcpStream) {
    let ended = stream.read(&mut [0]);
    assert!(
        ended.as_ref().map_or_else(|error| error.kind() == io::ErrorKind::ConnectionReset, |got| *got == 0),
        "{ended:?}"
    );
}

/// Checks that two PEs meet: PE 1 gets the addresses at which PE 0 listens.
fn meet(maker: &IdMaker) {
    let id = maker.id();
    std::thread::scope(|scope| {
        let second = scope.spawn(|| {
            let at = || Ok(Location { addresses: vec![id.address()], secret: id.secret(), may_be_stale: false });
            let (connection, _) =
                join(Ends { pe: Pe::new(1), n_pes: 2, to: Pe::new(0) }, "the maker", LIMIT, at).unwrap();
            let (mut inbox, mut bytes) = (Inbox::default(), [0; 4096]);
            loop {
                crate::bootstrap::connection::wait_for(connection.as_fd(), PollFlags::POLLIN, Deadline::after(LIMIT))
                    .unwrap();
                let got = connection.recv_some(&mut bytes).unwrap();
                assert!(got > 0, "the maker has closed the connection");
                inbox.push(&bytes[..got]);
                if let Some(frame) = inbox.next().unwrap() {
                    assert!(frame.kind == FrameKind::Root);
                    return addresses::decode(frame.blob).unwrap();
                }
            }
        });
        let first = meeting(id, None, Pe::new(0), 2, LIMIT).unwrap();
        let Meeting::Listen { listener, .. } = first else { panic!("PE 0 does not listen") };
        let port = listener.local_addr().unwrap().port();
        let known = second.join().unwrap();
        assert!(!known.is_empty() && known.iter().all(|address| address.port() == port), "{known:?} {port}");
    });
}

#[test]
fn a_connection_that_nothing_comes_of_ends_at_the_limit_and_the_pes_meet_afterwards() {
    let maker = maker(Duration::from_millis(100));
    let (silent, other) = (connect(&maker), connect(&maker));
    (&other).write_all(&hello(1, 2, &[7; 16])).unwrap();
    await_end(&silent);
    await_end(&other);
    meet(&maker);
}

#[test]
fn strangers_who_present_themselves_as_pe_0_displace_each_other_and_not_pe_0() {
    let maker = maker(HANDSHAKE_LIMIT);
    let begun = Instant::now();
    let strangers: Vec<_> = (0..MOST_CANDIDATES + 1)
        .map(|_| {
            let mut stream = connect(&maker);
            stream.write_all(&hello(0, 2, &[7; 16])).unwrap();
            stream.read_exact(&mut [0; CHALLENGE]).unwrap();
            stream
        })
        .collect();
    await_end(&strangers[0]);
    assert!(begun.elapsed() < HANDSHAKE_LIMIT, "{:?}", begun.elapsed());
    meet(&maker);
}

#[test]
fn a_second_pe_0_is_told_that_there_is_one_while_other_pes_are_still_to_come() {
    let maker = maker(HANDSHAKE_LIMIT);
    let mut waits = connect(&maker);
    waits.write_all(&hello(0, 2, &[7; 16])).unwrap();
    waits.read_exact(&mut [0; CHALLENGE]).unwrap();
    let first = meeting(maker.id(), None, Pe::new(0), 2, LIMIT).unwrap();
    await_end(&waits);
    let begun = Instant::now();
    let second = meeting(maker.id(), None, Pe::new(0), 2, LIMIT).err().unwrap();
    assert!(begun.elapsed() < HANDSHAKE_LIMIT && second.to_string().contains("PE 0"), "{second}");
    drop(first);
}

#[test]
fn a_connection_with_other_bytes_ends_at_once_and_one_that_waits_stays() {
    let maker = maker(HANDSHAKE_LIMIT);
    let begun = Instant::now();
    let (silent, wrong) = (connect(&maker), connect(&maker));
    (&wrong).write_all(b"GET / HTTP/1.1").unwrap();
    await_end(&wrong);
    assert!(begun.elapsed() < HANDSHAKE_LIMIT, "{:?}", begun.elapsed());
    silent.set_nonblocking(true).unwrap();
    assert_eq!((&silent).read(&mut [0]).unwrap_err().kind(), io::ErrorKind::WouldBlock);
    meet(&maker);
}

#[test]
fn a_maker_that_is_dropped_or_has_ended_stops_listening_also_for_copies_of_its_socket_in_children() {
    for ends in [false, true] {
        let (id, listener) = UniqueId::listen(Ipv4Addr::LOCALHOST.into()).unwrap();
        let of_child = listener.try_clone().unwrap();
        let (maker, address) = (IdMaker::of(id, listener, HANDSHAKE_LIMIT).unwrap(), of_child.local_addr().unwrap());
        let waits = connect(&maker);
        if ends {
            meet(&maker);
        } else {
            drop(maker);
        }
        await_end(&waits);
        let begun = Instant::now();
        while TcpStream::connect(address).is_ok() {
            assert!(begun.elapsed() < HANDSHAKE_LIMIT, "connections are still accepted: {ends}");
        }
        assert!(TcpListener::bind(address).is_ok(), "the address is free: {ends}");
    }
}

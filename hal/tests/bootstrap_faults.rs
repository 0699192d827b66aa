//! The behaviour of the control plane when PEs die, strangers connect, and the network is slow or absent.

mod bootstrap_support;

use std::io::{Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use bootstrap_support::{
    LIMIT, configs, connect, connect_in_tree, each_kind, eventually, on_all, tcp, until_siblings_met,
};
use oxshmem_core::{Error, ErrorKind, Pe};
use oxshmem_hal::bootstrap::{BootstrapConfig, FAN_OUT, RootAt, Secret, UniqueId};
use oxshmem_hal::control::Control;
use oxshmem_raw::transport::{PeerEvent, PeerMessages};

#[test]
fn a_pe_that_goes_without_leaving_ends_the_waits_of_all_and_is_named() {
    for gone in [0, 1, 2] {
        for world in each_kind(4, LIMIT) {
            let start = Instant::now();
            on_all(world, |control| {
                control.barrier("all here").unwrap();
                if control.pe().number() == gone {
                    return;
                }
                let told = Arc::new(Mutex::new(Vec::new()));
                let teller = told.clone();
                control.on_death(Box::new(move |pe, _| teller.lock().unwrap().push(pe)));
                let error = control.barrier("one short").unwrap_err();
                assert_eq!((error.kind(), error.pe()), (ErrorKind::PeerDied, Some(Pe::new(gone))), "{error}");
                assert!(error.to_string().contains(&format!("PE {gone} died: its connection")), "{error}");
                assert_eq!(control.dead(), Some(Pe::new(gone)));
                assert_eq!(control.agree("later", &[("x", 1)]).unwrap_err().kind(), ErrorKind::PeerDied);
                eventually("the callback", || told.lock().unwrap().first() == Some(&Pe::new(gone)));
                let late = Arc::new(Mutex::new(Vec::new()));
                let teller = late.clone();
                control.on_death(Box::new(move |pe, _| teller.lock().unwrap().push(pe)));
                eventually("the late callback", || late.lock().unwrap().first() == Some(&Pe::new(gone)));
                // The lock must be released before leaving, which waits for callbacks in progress.
                let told = told.lock().unwrap().clone();
                assert_eq!(told.iter().filter(|pe| pe.number() == gone).count(), 1, "once: {told:?}");
                assert_eq!(control.leave().unwrap_err().kind(), ErrorKind::PeerDied);
            });
            assert!(start.elapsed() < LIMIT / 2, "no wait went to its limit: {:?}", start.elapsed());
        }
    }
}

#[test]
fn a_pe_that_passes_calls_on_is_named_by_its_children_and_all_others_when_it_goes() {
    // PE 5 passes on for PEs 6 to 8, and PE 1 and PE 9 have such children too.
    let world = connect_in_tree(configs(13, LIMIT), 3).into_iter().map(Result::unwrap).collect();
    let start = Instant::now();
    on_all(world, |control| {
        control.barrier("all here").unwrap();
        if control.pe().number() != 5 {
            let error = control.barrier("one short").unwrap_err();
            assert_eq!((error.kind(), error.pe()), (ErrorKind::PeerDied, Some(Pe::new(5))), "{error}");
        }
    });
    assert!(start.elapsed() < LIMIT / 2, "no wait went to its limit: {:?}", start.elapsed());
}

/// Ends the PEs of `order` one after the other, each when all that are left know of the one before, and checks that
/// they learn of each.
fn end_in_order(n_pes: u32, fan_out: u32, order: &[u32]) {
    let world: Vec<_> = connect_in_tree(configs(n_pes, LIMIT), fan_out).into_iter().map(Result::unwrap).collect();
    until_siblings_met(&world);
    // By place in the order, and after it: the number of PEs that know of the death before.
    let know: Vec<AtomicUsize> = (0..=order.len()).map(|_| AtomicUsize::new(0)).collect();
    let all_know = |at: usize| {
        know[at].fetch_add(1, Ordering::SeqCst);
        eventually("all know", || know[at].load(Ordering::SeqCst) == n_pes as usize - at);
    };
    let start = Instant::now();
    on_all(world, |control| {
        control.barrier("all here").unwrap();
        for (at, gone) in order.iter().enumerate() {
            all_know(at);
            if control.pe().number() == *gone {
                return;
            }
            let what = format!("{} learns of PE {gone}", control.pe());
            eventually(&what, || control.death_of(Pe::new(*gone)).is_some());
        }
        assert_eq!(control.dead(), Some(Pe::new(order[0])), "the first stays the first");
        // A PE that ended earlier might not have passed the last death on.
        all_know(order.len());
    });
    assert!(start.elapsed() < LIMIT / 2, "no wait went to its limit: {:?}", start.elapsed());
}

#[test]
fn the_deaths_after_that_of_the_root_are_announced_to_all() {
    end_in_order(6, FAN_OUT, &[0, 3, 1, 5]);
    end_in_order(6, FAN_OUT, &[3, 0, 1]);
    // PEs 1, 5 and 9 pass calls on. The children of PE 5 learn of its death, and of none after it.
    end_in_order(13, 3, &[0, 6, 12, 2, 5]);
    end_in_order(13, 2, &[12, 0, 11, 3]);
}

#[test]
fn messages_of_pes_below_the_root_reach_each_other_when_the_root_is_dead() {
    // They may still be connecting to each other when the root ends: mail waits for the connection.
    let world = tcp(4, LIMIT);
    let received = AtomicUsize::new(0);
    on_all(world, |control| {
        let mail = control.mail(1);
        let (send, messages) = std::sync::mpsc::channel();
        mail.receive(Box::new(move |from, event| {
            if let PeerEvent::Message(message) = event {
                let _ = send.send((from, message.to_vec()));
            }
        }));
        control.barrier("all here").unwrap();
        if control.pe().number() == 0 {
            return;
        }
        eventually("the root's death", || control.death_of(Pe::new(0)).is_some());
        let others = || (1..4).map(Pe::new).filter(|pe| *pe != control.pe());
        others().for_each(|pe| mail.send(pe, format!("to {pe}").as_bytes()).unwrap());
        let mut got: Vec<_> = others().map(|_| messages.recv_timeout(LIMIT).unwrap()).collect();
        got.sort();
        let wanted: Vec<_> = others().map(|from| (from, format!("to {}", control.pe()).into_bytes())).collect();
        assert_eq!(got, wanted);
        // A PE that ended before the others have its messages would be one more that is gone.
        received.fetch_add(1, Ordering::SeqCst);
        eventually("all have their messages", || received.load(Ordering::SeqCst) == 3);
    });
}

#[test]
fn a_pe_that_fails_says_why_to_all() {
    for failing in [0, 1] {
        for world in each_kind(3, LIMIT) {
            on_all(world, |control| {
                if control.pe().number() == failing {
                    control.fail("the GPU fell off the bus");
                    let error = control.barrier("mine").unwrap_err();
                    assert!(error.to_string().contains("this PE failed: the GPU fell off the bus"), "{error}");
                    // The other PEs get the reason from this PE's announcement and not from the end of its connection.
                    eventually("the others' end", || control.dead().is_some());
                    return;
                }
                let error = control.barrier("theirs").unwrap_err();
                assert_eq!(error.kind(), ErrorKind::PeerDied);
                let died = format!("PE {failing} died: it said: the GPU fell off the bus");
                assert!(error.to_string().contains(&died), "{error}");
            });
        }
    }
}

#[test]
fn a_pe_that_fails_because_of_another_names_that_one_in_its_later_calls() {
    for world in each_kind(3, LIMIT) {
        on_all(world, |control| {
            if control.pe().number() == 1 {
                control.fail_of(&Error::new(ErrorKind::Fault, "reach PE 2").about(Pe::new(2)));
                let error = control.barrier("mine").unwrap_err();
                assert_eq!((error.kind(), error.pe()), (ErrorKind::Fault, Some(Pe::new(2))), "{error}");
                eventually("the others' end", || control.dead().is_some());
                return;
            }
            let error = control.barrier("theirs").unwrap_err();
            assert!(error.to_string().contains("it said: cannot reach PE 2"), "{error}");
        });
    }
}

#[test]
fn an_exchange_of_descriptors_ends_when_a_pe_dies() {
    let world = tcp(3, LIMIT);
    let start = Instant::now();
    on_all(world, |control| {
        if control.pe().number() != 1 {
            let error = control.exchange_fds("chunks", &[]).unwrap_err();
            assert_eq!((error.kind(), error.pe()), (ErrorKind::PeerDied, Some(Pe::new(1))), "{error}");
        }
    });
    assert!(start.elapsed() < LIMIT / 2);
}

#[test]
fn an_exchange_of_blocks_ends_when_a_pe_dies() {
    let world = tcp(67, LIMIT);
    let start = Instant::now();
    on_all(world, |control| {
        if control.pe().number() != 7 {
            let error = control.all_to_all("blocks", &vec![vec![1]; 67]).unwrap_err();
            assert_eq!((error.kind(), error.pe()), (ErrorKind::PeerDied, Some(Pe::new(7))), "{error}");
        }
    });
    assert!(start.elapsed() < LIMIT / 2);
}

#[test]
fn strangers_and_impostors_get_nowhere_and_hold_nobody_up() {
    let mut configs = configs(3, LIMIT);
    let RootAt::Id { id, .. } = configs[1].root.clone() else { unreachable!() };
    let to_root = || TcpStream::connect(id.address()).unwrap();
    let start = Instant::now();
    // Before any PE connects, some strangers send nothing and some send random bytes; they stay connected.
    let silent: Vec<_> = (0..8).map(|_| to_root()).collect();
    let mut noisy: Vec<_> = (0..8).map(|_| to_root()).collect();
    for (at, stream) in noisy.iter_mut().enumerate() {
        stream.write_all(&vec![at as u8 * 31; 4096]).unwrap();
    }
    let last = configs.pop().unwrap();
    let early = std::thread::spawn(move || connect(configs));

    let impostor = |change: &dyn Fn(&mut BootstrapConfig)| {
        let mut config = last.clone();
        change(&mut config);
        Control::connect(&config).unwrap_err()
    };
    let error = impostor(&|config| {
        config.root = RootAt::Id { id: UniqueId::new(id.address(), &Secret::fresh().unwrap()), listener: None };
    });
    assert_eq!(error.kind(), ErrorKind::Refused, "{error}");
    assert!(error.to_string().contains("another secret"), "{error}");
    let error = impostor(&|config| config.n_pes = 4);
    assert_eq!(error.kind(), ErrorKind::Mismatch, "{error}");
    let twice = {
        let config =
            BootstrapConfig { pe: Pe::new(0), root: RootAt::Id { id: id.clone(), listener: None }, ..last.clone() };
        Control::connect(&config).unwrap_err()
    };
    assert_eq!(twice.kind(), ErrorKind::System, "a second PE 0 can't listen where the first does: {twice}");

    let control = Control::connect(&last).unwrap();
    let mut world: Vec<_> = early.join().unwrap().into_iter().map(Result::unwrap).collect();
    world.push(control);
    on_all(world, |control| {
        control.barrier("undisturbed").unwrap();
        control.leave().unwrap();
    });
    assert!(start.elapsed() < LIMIT / 2, "nobody waited for a stranger: {:?}", start.elapsed());
    for mut stream in noisy.into_iter().chain(silent) {
        stream.set_read_timeout(Some(LIMIT)).unwrap();
        let mut heard = Vec::new();
        let _ = stream.read_to_end(&mut heard);
        assert!(heard.is_empty(), "a stranger hears nothing: {heard:?}");
    }
}

#[test]
fn the_meeting_point_is_closed_once_all_have_joined_and_opens_for_the_next_world() {
    let configs = configs(3, LIMIT);
    let RootAt::Id { id, .. } = configs[1].root.clone() else { unreachable!() };
    for _ in 0..3 {
        let world: Vec<_> = connect(configs.clone()).into_iter().map(Result::unwrap).collect();
        let refused = TcpStream::connect(id.address()).unwrap_err();
        assert_eq!(refused.kind(), std::io::ErrorKind::ConnectionRefused, "{refused}");
        on_all(world, |control| control.leave().unwrap());
    }
}

#[test]
fn a_number_taken_twice_is_refused_and_the_first_stays() {
    let configs = configs(3, LIMIT);
    let start = |at: usize| {
        let config = configs[at].clone();
        std::thread::spawn(move || Control::connect(&config))
    };
    let (zero, claims) = (start(0), [start(1), start(1)]);
    // PE 2 is missing, so only the claim that is refused can end.
    eventually("a claim is refused", || claims.iter().any(|claim| claim.is_finished()));
    let two = start(2);
    let claims = claims.map(|claim| claim.join().unwrap());
    assert_eq!(claims.iter().filter(|claim| claim.is_ok()).count(), 1);
    for error in claims.iter().filter_map(|claim| claim.as_ref().err()) {
        assert_eq!((error.kind(), error.pe()), (ErrorKind::InvalidArgument, Some(Pe::new(1))));
        assert!(error.to_string().contains("PE 1 is there already"), "{error}");
    }
    assert!(zero.join().unwrap().is_ok() && two.join().unwrap().is_ok());
}

/// Forwards all bytes, one byte per packet.
fn byte_by_byte(to: SocketAddr) -> SocketAddr {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for near in listener.incoming() {
            let near = near.unwrap();
            let far = TcpStream::connect(to).unwrap();
            for (mut from, mut to) in [(near.try_clone().unwrap(), far.try_clone().unwrap()), (far, near)] {
                to.set_nodelay(true).unwrap();
                std::thread::spawn(move || {
                    let mut byte = [0];
                    while matches!(from.read(&mut byte), Ok(1)) && to.write_all(&byte).is_ok() {}
                    let _ = to.shutdown(Shutdown::Write);
                });
            }
        }
    });
    address
}

#[test]
fn a_network_that_delivers_single_bytes_is_slow_and_no_more() {
    let mut configs = configs(3, LIMIT);
    for config in &mut configs[1..] {
        let RootAt::Id { id, .. } = &config.root else { unreachable!() };
        // The same secret at another address: the id's own bytes, with the proxy's port.
        let proxy = byte_by_byte(id.address());
        let mut bytes = id.to_bytes();
        bytes[10..12].copy_from_slice(&proxy.port().to_be_bytes());
        config.root = RootAt::Id { id: UniqueId::from_bytes(bytes).unwrap(), listener: None };
    }
    let world = connect(configs).into_iter().map(Result::unwrap).collect();
    on_all(world, |control| {
        let blob = |pe: u32| vec![pe as u8; 3000 * pe as usize + 1];
        for (pe, got) in (0..).zip(control.all_gather("slow", &blob(control.pe().number())).unwrap()) {
            assert!(got == blob(pe), "PE {pe}: {} bytes", got.len());
        }
        control.leave().unwrap();
    });
}

#[test]
fn an_absent_root_is_an_error_with_its_address_within_the_limit() {
    let limit = Duration::from_millis(300);
    let (id, listener) = UniqueId::listen(Ipv4Addr::LOCALHOST.into()).unwrap();
    let config = BootstrapConfig {
        pe: Pe::new(1),
        n_pes: 2,
        root: RootAt::Id { id: id.clone(), listener: None },
        limit: Some(limit),
        host: None,
    };
    let start = Instant::now();
    let silent = Control::connect(&config).unwrap_err();
    assert_eq!((silent.kind(), silent.pe()), (ErrorKind::Timeout, Some(Pe::new(0))), "{silent}");
    drop(listener);
    let absent = Control::connect(&config).unwrap_err();
    assert_eq!(absent.kind(), ErrorKind::Unreachable, "{absent}");
    for error in [silent, absent] {
        assert!(error.to_string().contains(&id.address().to_string()), "{error}");
        assert!(error.to_string().contains("within 300ms"), "{error}");
    }
    assert!(start.elapsed() < limit * 2 + Duration::from_secs(2), "{:?}", start.elapsed());
}

#[test]
fn a_pe_that_never_starts_is_named_by_those_that_did() {
    // In a chain PE 3 waits for PE 2, which connects to PE 1.
    for fan_out in [FAN_OUT, 1] {
        let mut configs = configs(4, Duration::from_millis(500));
        configs.remove(2);
        for result in connect_in_tree(configs, fan_out) {
            let error = result.unwrap_err();
            assert_eq!((error.kind(), error.pe()), (ErrorKind::Timeout, Some(Pe::new(2))), "{error}");
            assert!(error.to_string().contains("PE 2 has not arrived within 500ms"), "{error}");
            assert!(error.to_string().contains("check that all PEs were started"), "{error}");
        }
    }
}

#[test]
fn a_number_outside_the_world_is_refused_before_any_connection() {
    for (pe, n_pes) in [(2, 2), (0, 0), (0, 40_000)] {
        let config = BootstrapConfig { pe: Pe::new(pe), n_pes, root: RootAt::Alone, limit: Some(LIMIT), host: None };
        assert_eq!(Control::connect(&config).unwrap_err().kind(), ErrorKind::OutOfRange);
    }
    assert_eq!(Control::in_process(0, None).unwrap_err().kind(), ErrorKind::OutOfRange);
}

//! The behaviour of the control plane without failures, and when PEs make mistakes.

mod bootstrap_support;

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use bootstrap_support::{LIMIT, configs, connect, connect_in_tree, each_kind, eventually, on_all, tcp};
use nix::fcntl::{FcntlArg, FdFlag, fcntl};
use oxshmem_core::{ErrorKind, Pe};
use oxshmem_hal::bootstrap::{MAX_BLOB_BYTES, MAX_STEP_BYTES};
use oxshmem_hal::control::{Control, MAX_FDS};
use oxshmem_raw::transport::{PeerEvent, PeerMessages};

#[test]
fn every_pe_gets_every_blob_in_pe_order_whatever_their_lengths() {
    for world in each_kind(4, LIMIT) {
        let blob =
            |pe: u32, round: u32| vec![(pe * 16 + round) as u8; [0, 1, 70_000, 3 << 20][((pe + round) % 4) as usize]];
        on_all(world, |control| {
            for round in 0..6 {
                let all = control.all_gather("blobs", &blob(control.pe().number(), round)).unwrap();
                assert_eq!(all.len(), 4);
                for (pe, got) in (0..).zip(&all) {
                    assert!(*got == blob(pe, round), "PE {pe}, round {round}: {} bytes", got.len());
                }
            }
            control.leave().unwrap();
        });
    }
}

#[test]
fn a_world_of_one_needs_nobody() {
    let config = configs(1, LIMIT).remove(0);
    let control = Control::connect(&config).unwrap();
    assert_eq!(control.all_gather("alone", b"x").unwrap(), [b"x"]);
    control.leave().unwrap();
}

#[test]
fn no_pe_passes_a_barrier_before_the_last_has_come() {
    for world in each_kind(3, LIMIT) {
        let came = std::sync::atomic::AtomicU32::new(0);
        on_all(world, |control| {
            if control.pe().number() == 2 {
                std::thread::sleep(Duration::from_millis(50));
            }
            came.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
            control.barrier("all").unwrap();
            assert_eq!(came.load(std::sync::atomic::Ordering::SeqCst), 3);
            control.leave().unwrap();
        });
    }
}

#[test]
fn different_steps_are_named_on_every_pe_and_the_next_call_works() {
    for world in each_kind(3, LIMIT) {
        on_all(world, |control| {
            let step = if control.pe().number() == 2 { "free" } else { "malloc" };
            let error = control.all_gather(step, &[]).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Mismatch);
            let text = error.to_string();
            assert!(text.contains("called `malloc`") && text.contains("PE 2 called `free`"), "{text}");
            control.barrier("afterwards").unwrap();
            control.leave().unwrap();
        });
    }
}

#[test]
fn a_barrier_against_a_gather_of_the_same_name_is_a_mismatch() {
    let world = Control::in_process(2, Some(LIMIT)).unwrap();
    for error in on_all(world, |control| match control.pe().number() {
        0 => control.barrier("x").unwrap_err(),
        _ => control.all_gather("x", &[]).map(drop).unwrap_err(),
    }) {
        assert!(error.to_string().contains("PE 0 called `x` (barrier), PE 1 called `x` (gather)"), "{error}");
    }
}

#[test]
fn disagreement_names_two_pes_and_both_values_on_every_pe() {
    for world in each_kind(3, LIMIT) {
        on_all(world, |control| {
            control.agree("malloc", &[("size", 64), ("alignment", 1)]).unwrap();
            let size = if control.pe().number() == 2 { 128 } else { 64 };
            let error = control.agree("malloc", &[("alignment", 1), ("size", size)]).unwrap_err();
            assert_eq!((error.kind(), error.pe()), (ErrorKind::Mismatch, Some(Pe::new(2))));
            assert_eq!(
                error.to_string(),
                "cannot complete `malloc`: the PEs differ in size: PE 0 gave 64, PE 2 gave 128"
            );
            control.leave().unwrap();
        });
    }
}

#[test]
fn a_pe_that_comes_late_is_named_on_every_pe_and_learns_it_on_arrival() {
    let limit = Duration::from_millis(400);
    for world in each_kind(4, limit) {
        let start = Instant::now();
        let texts = on_all(world, |control| {
            if [1, 3].contains(&control.pe().number()) {
                while start.elapsed() < limit * 2 {
                    std::thread::sleep(Duration::from_millis(5));
                }
            }
            let error = control.barrier("late").unwrap_err();
            assert_eq!((error.kind(), error.pe()), (ErrorKind::Timeout, Some(Pe::new(1))));
            // By now every PE has its answer, and the world continues.
            while start.elapsed() < limit * 3 {
                std::thread::sleep(Duration::from_millis(5));
            }
            control.barrier("in time").unwrap();
            control.leave().unwrap();
            error.to_string()
        });
        for text in texts {
            assert_eq!(text, "cannot complete `late`: PE 1 and PE 3 have not arrived within 400ms");
        }
    }
}

#[test]
fn a_pe_that_comes_after_the_others_gave_up_and_went_gets_their_reason() {
    for world in each_kind(3, Duration::from_millis(300)) {
        let texts = on_all(world, |control| {
            if control.pe().number() == 2 {
                eventually("the others go", || control.dead().is_some());
            }
            let error = control.barrier("late").unwrap_err();
            assert_eq!((error.kind(), error.pe()), (ErrorKind::Timeout, Some(Pe::new(2))), "{error}");
            if control.pe().number() == 2 {
                assert_eq!(control.barrier("alone").unwrap_err().kind(), ErrorKind::PeerDied);
            }
            error.to_string()
        });
        for text in texts {
            assert_eq!(text, "cannot complete `late`: PE 2 has not arrived within 300ms");
        }
    }
}

#[test]
fn a_blob_or_a_name_that_is_too_long_is_an_error_on_every_pe_at_once() {
    let world = Control::in_process(2, Some(LIMIT)).unwrap();
    on_all(world, |control| {
        let is_1 = control.pe().number() == 1;
        let error = control.all_gather("big", &vec![0; if is_1 { MAX_BLOB_BYTES + 1 } else { 1 }]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::OutOfRange);
        assert!(error.to_string().contains(&(MAX_BLOB_BYTES + 1).to_string()), "{error}");
        let error = control.barrier(&"x".repeat(if is_1 { MAX_STEP_BYTES + 1 } else { 1 })).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::OutOfRange);
        control.barrier("goes on").unwrap();
        control.leave().unwrap();
    });
}

#[test]
fn bytes_written_through_one_pes_descriptor_are_read_through_the_others() {
    for world in each_kind(3, LIMIT) {
        on_all(world, |control| {
            let me = control.pe().number();
            // PE n passes n pipes; the others write to them.
            let (readers, writers): (Vec<_>, Vec<_>) = (0..me).map(|_| std::io::pipe().unwrap()).unzip();
            let mine: Vec<_> = writers.iter().map(AsFd::as_fd).collect();
            let got = control.exchange_fds("pipes", &mine).unwrap();
            drop(writers);
            for (pe, fds) in (0..).zip(got) {
                let fds = fds.unwrap();
                assert_eq!(fds.len(), pe, "PE {pe} gave as many as its number");
                for (at, fd) in fds.into_iter().enumerate() {
                    let flags = fcntl(&fd, FcntlArg::F_GETFD).unwrap();
                    assert!(FdFlag::from_bits_retain(flags).contains(FdFlag::FD_CLOEXEC));
                    File::from(fd).write_all(&[(16 * me as usize + at) as u8]).unwrap();
                }
            }
            for (at, mut reader) in readers.into_iter().enumerate() {
                let mut bytes = Vec::new();
                // Ends when the last duplicate of the writing end is closed.
                reader.read_to_end(&mut bytes).unwrap();
                bytes.sort_unstable();
                assert_eq!(bytes, [at as u8, 16 + at as u8, 32 + at as u8]);
            }
            control.leave().unwrap();
        });
    }
}

/// Returns the block that PE `from` has for PE `to`.
fn block(from: usize, to: usize) -> Vec<u8> {
    vec![(16 * from + to) as u8; [0, 3, 1000, 30_000][(from + to) % 4]]
}

#[test]
fn every_pe_gets_the_blocks_that_the_others_have_for_it() {
    // The last sizes pass blocks in rounds, also to PEs at half the way round.
    for world in each_kind(3, LIMIT).into_iter().chain([tcp(20, LIMIT), tcp(67, LIMIT), tcp(128, LIMIT)]) {
        let n = world.len();
        on_all(world, |control| {
            let me = control.pe().index();
            for _ in 0..2 {
                let mine: Vec<_> = (0..n).map(|to| block(me, to)).collect();
                let got = control.all_to_all("blocks", &mine).unwrap();
                assert!(got == (0..n).map(|from| block(from, me)).collect::<Vec<_>>(), "PE {me} of {n}");
                // Nothing is passed, and then by one PE alone.
                assert_eq!(control.all_to_all("none", &vec![vec![]; n]).unwrap(), vec![vec![]; n]);
                let mine = vec![vec![9; usize::from(me == 1)]; n];
                let got = control.all_to_all("of PE 1", &mine).unwrap();
                assert!(got.iter().enumerate().all(|(pe, got)| got.len() == usize::from(pe == 1)), "PE {me} of {n}");
            }
            control.leave().unwrap();
        });
    }
}

#[test]
fn a_pe_with_too_few_blocks_is_an_error_on_every_pe_and_the_next_exchange_works() {
    for world in [tcp(3, LIMIT), tcp(67, LIMIT)] {
        let n = world.len();
        on_all(world, |control| {
            let mine = vec![vec![7]; n - usize::from(control.pe().number() == 2)];
            let error = control.all_to_all("blocks", &mine).unwrap_err();
            assert_eq!((error.kind(), error.pe()), (ErrorKind::OutOfRange, Some(Pe::new(2))));
            assert!(error.to_string().contains(&format!("it has {} blocks for {n} PEs", n - 1)), "{error}");
            assert_eq!(control.all_to_all("blocks", &vec![vec![7]; n]).unwrap(), vec![vec![7]; n]);
            control.leave().unwrap();
        });
    }
}

#[test]
fn the_descriptors_of_forty_pes_on_two_hosts_reach_all_of_their_host() {
    let mut configs = configs(40, LIMIT);
    for (pe, config) in configs.iter_mut().enumerate() {
        config.host = Some(["a", "b"][usize::from(pe % 20 == 3)].into());
    }
    let world: Vec<_> = connect(configs).into_iter().map(Result::unwrap).collect();
    let name = |fd: &OwnedFd| std::fs::read_link(format!("/proc/self/fd/{}", fd.as_raw_fd())).unwrap();
    let pipes: Vec<_> = (0..40).map(|_| std::io::pipe().unwrap()).collect();
    let names: Vec<_> = pipes.iter().map(|(reader, _)| name(&reader.try_clone().unwrap().into())).collect();
    on_all(world, |control| {
        let me = control.pe().index();
        // PE n passes its pipe n % 3 times.
        let mine = vec![pipes[me].0.as_fd(); me % 3];
        for (pe, fds) in control.exchange_fds("pipes", &mine).unwrap().iter().enumerate() {
            let expected = (pe % 20 == 3) == (me % 20 == 3);
            let got = fds.as_ref().map(|fds| fds.iter().map(name).collect::<Vec<_>>());
            assert_eq!(got, expected.then(|| vec![names[pe].clone(); pe % 3]), "PE {pe} seen from PE {me}");
        }
        control.leave().unwrap();
    });
}

#[test]
fn many_descriptors_pass_in_order_and_too_many_are_an_error_on_every_pe() {
    for world in each_kind(2, LIMIT) {
        on_all(world, |control| {
            let files: Vec<_> = (0..3).map(|_| File::open("/dev/null").unwrap()).collect();
            let (pipe, _writer) = std::io::pipe().unwrap();
            let mut mine: Vec<_> = (0..150).map(|at| files[at % 3].as_fd()).collect();
            mine.push(pipe.as_fd());
            let got = control.exchange_fds("many", &mine).unwrap();
            for fds in got.iter().flatten() {
                let leads_to = |fd: &OwnedFd| std::fs::read_link(format!("/proc/self/fd/{}", fd.as_raw_fd())).unwrap();
                let (last, rest) = fds.split_last().unwrap();
                assert_eq!(rest.len(), 150);
                assert!(rest.iter().all(|fd| leads_to(fd).ends_with("null")));
                assert!(leads_to(last).to_string_lossy().starts_with("pipe:"), "the last given is the last got");
            }
            let asked = if control.pe().number() == 1 { MAX_FDS + 1 } else { 1 };
            let error = control.exchange_fds("too many", &vec![files[0].as_fd(); asked]).unwrap_err();
            assert_eq!((error.kind(), error.pe()), (ErrorKind::OutOfRange, Some(Pe::new(1))));
            assert!(error.to_string().contains("1025 descriptors were given, 1024 are allowed"), "{error}");
            control.barrier("goes on").unwrap();
            control.leave().unwrap();
        });
    }
}

#[test]
fn descriptors_stay_on_their_host() {
    let mut configs = configs(4, LIMIT);
    for (config, host) in configs.iter_mut().zip(["a", "b", "a", "b"]) {
        config.host = Some(host.into());
    }
    let world = connect(configs).into_iter().map(Result::unwrap).collect();
    on_all(world, |control| {
        let me = control.pe().index();
        let file = File::open("/dev/null").unwrap();
        let got = control.exchange_fds("files", &[file.as_fd()]).unwrap();
        for (pe, fds) in got.iter().enumerate() {
            assert_eq!(fds.is_some(), pe % 2 == me % 2, "PE {pe} seen from PE {me}");
            assert_eq!(control.same_host(Pe::new(pe as u32)), pe % 2 == me % 2);
        }
        assert!(!control.same_host(Pe::new(4)), "there is no such PE");
        control.leave().unwrap();
    });
}

#[test]
fn a_world_whose_pes_left_leaves_nothing_to_call() {
    let world = tcp(2, LIMIT);
    on_all(world, |control| {
        let clone = control.clone();
        control.leave().unwrap();
        let error = clone.barrier("after").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
        assert_eq!(clone.dead(), None, "leaving is not dying");
    });
}

#[test]
fn messages_reach_their_pe_in_order_on_their_channel_while_it_makes_calls_or_none() {
    const MESSAGES: u32 = 20;
    let tree = connect_in_tree(configs(13, LIMIT), 3).into_iter().map(Result::unwrap).collect();
    for world in each_kind(4, LIMIT).into_iter().chain([tree]) {
        on_all(world, |control| {
            let (me, n_pes) = (control.pe(), control.n_pes());
            let others = || (0..n_pes).map(Pe::new).filter(|pe| *pe != me);
            let ((send, arrived), (mail, unread)) = (channel(), (control.mail(3), control.mail(2)));
            mail.receive(Box::new(move |from, event| {
                if let PeerEvent::Message(bytes) = event {
                    send.send((from, bytes.to_vec())).unwrap();
                }
            }));
            control.barrier("all read").unwrap();
            for number in 0..MESSAGES {
                for pe in others() {
                    unread.send(pe, b"nobody reads this channel").unwrap();
                    mail.send(pe, &[me.number(), pe.number(), number].map(|word| word as u8)).unwrap();
                }
                // Parts of calls and messages share the connections.
                if number % 8 == 0 {
                    let all = control.all_gather("blobs", &vec![me.number() as u8; 3000]).unwrap();
                    assert!((0..).zip(&all).all(|(pe, blob)| *blob == vec![pe; 3000]));
                }
            }
            let mut next = vec![0; n_pes as usize];
            for _ in 0..MESSAGES * (n_pes - 1) {
                let (from, bytes) = arrived.recv_timeout(LIMIT).unwrap();
                assert_eq!(bytes, [from.number() as u8, me.number() as u8, next[from.index()]]);
                next[from.index()] += 1;
            }
            control.barrier("all have read").unwrap();
            assert!(arrived.try_recv().is_err(), "a message came twice");
            control.leave().unwrap();
            assert_eq!(mail.send(Pe::new(0), b"late").unwrap_err().kind(), ErrorKind::Refused);
        });
    }
}

#[test]
fn a_reader_of_messages_learns_of_a_death_with_the_reason() {
    for world in each_kind(3, LIMIT) {
        on_all(world, |control| {
            let ((send, died), mail) = (channel(), control.mail(0));
            mail.receive(Box::new(move |pe, event| {
                if let PeerEvent::Died(reason) = event {
                    send.send((pe, reason.to_string())).unwrap();
                }
            }));
            control.barrier("all read").unwrap();
            if control.pe().number() == 1 {
                control.give_up("the NIC is gone");
                return;
            }
            let (pe, reason) = died.recv_timeout(LIMIT).unwrap();
            assert!(pe == Pe::new(1) && reason.contains("the NIC is gone"), "{pe} {reason}");
        });
    }
}

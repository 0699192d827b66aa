//! A world leaves no descriptor, thread or file. This test has a file of its own, because it counts those of the whole
//! process.

mod bootstrap_support;

use std::fs::File;
use std::os::fd::AsFd;

use bootstrap_support::{LIMIT, chain, configs, connect, eventually, on_all};
use oxshmem_core::Pe;
use oxshmem_hal::bootstrap::{BootstrapConfig, Rendezvous, RootAt};
use oxshmem_hal::control::Control;
use oxshmem_raw::os::private::Scratch;

fn fds() -> usize {
    std::fs::read_dir("/proc/self/fd").unwrap().count()
}

fn threads() -> usize {
    std::fs::read_dir("/proc/self/task").unwrap().count()
}

fn live(world: Vec<Control>, leaves: bool) {
    on_all(world, |control| {
        let file = File::open("/dev/null").unwrap();
        control.exchange_fds("files", &[file.as_fd()]).unwrap();
        control.barrier("done").unwrap();
        if leaves {
            control.leave().unwrap();
        }
    });
}

fn meeting_by_file(directory: &std::path::Path) -> Vec<BootstrapConfig> {
    let place = Rendezvous::new(directory, "a job");
    let config = |pe| BootstrapConfig {
        pe: Pe::new(pe),
        n_pes: 3,
        root: RootAt::File(place.clone()),
        limit: Some(LIMIT),
        host: None,
    };
    (0..3).map(config).collect()
}

#[test]
fn a_hundred_worlds_leave_no_descriptor_no_thread_and_no_file() {
    let directory = Scratch::new("leaks").unwrap();
    let one_socket = configs(3, LIMIT);
    let round = |leaves: bool| {
        live(Control::in_process(3, Some(LIMIT)).unwrap(), leaves);
        live(connect(configs(3, LIMIT)).into_iter().map(Result::unwrap).collect(), leaves);
        live(chain(3, LIMIT), leaves);
        live(connect(one_socket.clone()).into_iter().map(Result::unwrap).collect(), leaves);
        live(connect(meeting_by_file(&directory)).into_iter().map(Result::unwrap).collect(), leaves);
        assert_eq!(std::fs::read_dir(&directory).unwrap().count(), 0, "no file is left");
    };
    round(true);
    let before = (fds(), threads());
    for at in 0..100 {
        round(at % 4 != 3);
    }
    // The kernel removes a joined thread from its list a moment after the join.
    eventually("the threads' end", || threads() <= before.1);
    assert_eq!(fds(), before.0, "descriptors");
}

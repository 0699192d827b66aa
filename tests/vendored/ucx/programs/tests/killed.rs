//! A PE that is killed is named on every other PE that reaches it over UCX.

use std::path::Path;
use std::time::Duration;

use oxshmem_hal::World;
use oxshmem_tests::losses;
use oxshmem_tests::worlds::{self, Body, Processes};
use oxshmem_ucx as _;

const BODIES: &[Body] = &[("kernel puts", kernel_puts), ("host puts", host_puts)];

#[test]
#[ignore = "process entry"]
fn enter() {
    worlds::enter(&[BODIES]);
}

fn world() -> World {
    let world = World::init().unwrap();
    assert_eq!(world.transport_to(world.pe_after(1)).unwrap(), "ucx");
    world
}

fn kernel_puts() {
    losses::kernel_puts(world()).unwrap();
}

fn host_puts() {
    losses::host_puts(world()).unwrap();
}

#[test]
fn a_pe_killed_while_others_put_to_it_over_ucx_is_named_on_each() {
    for (body, after, transports) in [("kernel puts", 3, "tcp"), ("host puts", 20, "tcp"), ("kernel puts", 3, "sm")] {
        let name = format!("killed-{}-{after}-{transports}", std::process::id());
        let marks = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::create_dir(&marks).unwrap();
        let variables = [
            ("OXSHMEM_DISABLE_P2P", "1"),
            ("OXSHMEM_REMOTE_TRANSPORT", "ucx"),
            ("OXSHMEM_UCX_TLS", transports),
            // The folder in which PEs mark that they have failed.
            ("OXSHMEM_SOFTNIC_WIRE", marks.to_str().unwrap()),
        ];
        let pes = Processes::start(body, losses::PUTTERS + 1, &variables);
        losses::kill_the_target(pes, Duration::from_millis(after));
        std::fs::remove_dir_all(&marks).unwrap();
    }
}

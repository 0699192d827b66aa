//! Processes that reach each other by a NIC alone, each with a software ConnectX of its own, of which one PE or one
//! link is lost.

use std::time::Duration;

use oxshmem_fakes::soft_nic;
use oxshmem_hal::World;
use oxshmem_raw::os::private::Scratch;
use oxshmem_tests::losses;
use oxshmem_tests::worlds::{Body, Processes};

pub(crate) const BODIES: &[Body] =
    &[("NIC: kernel puts", kernel_puts), ("NIC: host puts", host_puts), ("NIC: link", losing_the_link)];

/// A folder through which the NICs of one world reach each other.
struct Wire(Scratch);

impl Wire {
    fn new() -> Self {
        Self(Scratch::new("wire").unwrap())
    }

    /// Starts PEs with this body, whose NICs have this seed.
    fn start(&self, body: &str, n_pes: u32, seed: &str) -> Processes {
        let variables = [
            ("OXSHMEM_SOFTNIC_WIRE", self.0.to_str().unwrap()),
            ("OXSHMEM_SOFTNIC_SEED", seed),
            ("OXSHMEM_DISABLE_P2P", "1"),
            ("OXSHMEM_REMOTE_TRANSPORT", "ibgda"),
        ];
        Processes::start(body, n_pes, &variables)
    }

    /// Returns the rules that a PE broke.
    fn violations(&self) -> String {
        std::fs::read_to_string(self.0.join("violations")).unwrap_or_default()
    }
}

fn kernel_puts() {
    soft_nic::install().unwrap();
    losses::kernel_puts(World::init().unwrap()).unwrap();
}

fn host_puts() {
    soft_nic::install().unwrap();
    losses::host_puts(World::init().unwrap()).unwrap();
}

fn losing_the_link() {
    let nic = soft_nic::install().unwrap();
    losses::losing_the_link(World::init().unwrap(), || nic.set_link("mlx5_0", false).unwrap()).unwrap();
}

#[test]
fn a_target_killed_while_puts_to_it_are_in_flight_is_named_to_each_that_put() {
    for (body, seed, after) in [
        ("NIC: kernel puts", "0", 0),
        ("NIC: kernel puts", "9", 7),
        ("NIC: host puts", "0", 3),
        ("NIC: host puts", "4", 20),
    ] {
        let wire = Wire::new();
        losses::kill_the_target(wire.start(body, losses::PUTTERS + 1, seed), Duration::from_millis(after));
        assert_eq!(wire.violations(), "", "{body}");
    }
}

#[test]
fn a_link_that_goes_down_is_a_fault_at_both_its_ends() {
    let wire = Wire::new();
    losses::both_ends_tell(wire.start("NIC: link", 2, "0"));
    assert_eq!(wire.violations(), "");
}

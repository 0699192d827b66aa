//! The link, atomics and relaxed ordering of a NIC, from its PCI configuration space.

use super::super::Check;
use super::system::Nic;
use crate::called;

/// The size of the part that every user can read. Capabilities follow it.
const HEAD: usize = 64;
/// The PCI Express capability: its number, and offsets within it. Source: PCI Express Base Specification, 7.5.3.
const EXPRESS: u8 = 0x10;
const DEVICE_CONTROL: usize = 0x08;
const LINK_CAPABILITIES: usize = 0x0c;
const LINK_STATUS: usize = 0x12;
const DEVICE_CONTROL_2: usize = 0x28;

const RELAXED_ORDERING: u16 = 1 << 4;
const ATOMIC_REQUESTER: u16 = 1 << 6;

/// The fields that are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Express {
    relaxed_ordering: bool,
    atomic_requester: bool,
    /// Generation and lanes of the link, current and maximal.
    link: (u16, u16),
    most: (u16, u16),
}

pub(super) fn check(nic: &Nic) -> Vec<Check> {
    let what = |what: &str| format!("{}: {what}", nic.name);
    let Some(config) = nic.config() else {
        return Vec::new();
    };
    let at = nic.pci.as_deref().unwrap_or("ADDRESS");
    let Some(express) = express(&config) else {
        let why = match config.len() <= HEAD {
            true => "only root may read this part of the configuration space",
            false => "it has no PCI Express capability (a virtual function in a machine that hides it)",
        };
        return vec![Check::barely(what("PCIe"), why, format!("sudo {} doctor, or: sudo lspci -vv -s {at}", called()))];
    };
    let ((speed, lanes), (most_speed, most_lanes)) = (express.link, express.most);
    let link = format!("generation {speed}, {lanes} lanes");
    let (generations, off) = (
        format!("{link}; it could have generation {most_speed}, {most_lanes} lanes"),
        "off, so writes wait for each other on this link".to_string(),
    );
    let alone = "it may not send them: its atomics are atomic among NIC operations, not with those of CPU and GPU";
    let slot = "check the slot and the BIOS; some NICs save power when idle".to_string();
    let set = format!("setpci -s {at} CAP_EXP+8.w=10:10; for good in the BIOS (PCIe relaxed ordering)");
    let route = format!("setpci -s {at} CAP_EXP+28.w=40:40, where the switches between route them");
    vec![
        Check::low_unless(express.link == express.most, what("PCIe"), link, (generations, slot)),
        Check::low_unless(express.relaxed_ordering, what("relaxed ordering"), "enabled", (off, set)),
        Check::low_unless(express.atomic_requester, what("PCIe atomics"), "it may send them", (alone.into(), route)),
    ]
}

fn express(config: &[u8]) -> Option<Express> {
    let word = |at: usize| Some(u16::from_le_bytes([*config.get(at)?, *config.get(at + 1)?]));
    let mut at = usize::from(*config.get(0x34)?);
    // A list without an end is not a list: there is room for 48 capabilities.
    for _ in 0..48 {
        if at < HEAD {
            return None;
        }
        if *config.get(at)? == EXPRESS {
            let link = |word: u16| (word & 0xf, (word >> 4) & 0x3f);
            return Some(Express {
                relaxed_ordering: word(at + DEVICE_CONTROL)? & RELAXED_ORDERING != 0,
                atomic_requester: word(at + DEVICE_CONTROL_2)? & ATOMIC_REQUESTER != 0,
                link: link(word(at + LINK_STATUS)?),
                most: link(word(at + LINK_CAPABILITIES)?),
            });
        }
        at = usize::from(*config.get(at + 1)?);
    }
    None
}

/// A fake configuration space, by the specification's numbers.
#[cfg(test)]
pub(super) fn made_up(relaxed_ordering: bool, atomic_requester: bool, lanes: u16) -> Vec<u8> {
    let mut config = vec![0; 256];
    let put = |config: &mut Vec<u8>, at: usize, word: u16| config[at..at + 2].copy_from_slice(&word.to_le_bytes());
    // Power management first, then PCI Express at 0x60.
    config[0x34] = 0x40;
    put(&mut config, 0x40, 0x6001);
    config[0x60] = EXPRESS;
    put(&mut config, 0x60 + DEVICE_CONTROL, if relaxed_ordering { 0x10 } else { 0 });
    put(&mut config, 0x60 + DEVICE_CONTROL_2, if atomic_requester { 0x40 } else { 0 });
    put(&mut config, 0x60 + LINK_CAPABILITIES, 5 | 16 << 4);
    put(&mut config, 0x60 + LINK_STATUS, 5 | lanes << 4);
    config
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bits_of_a_configuration_space_are_found_behind_other_capabilities() {
        let express = express(&made_up(true, false, 8)).unwrap();
        assert_eq!((express.relaxed_ordering, express.atomic_requester), (true, false));
        assert_eq!((express.link, express.most), ((5, 8), (5, 16)));
    }

    #[test]
    fn what_is_cut_off_or_goes_round_has_no_answer() {
        let mut config = made_up(true, true, 16);
        assert_eq!(express(&config[..HEAD]), None, "without root");
        assert_eq!(express(&config[..0x70]), None, "in the middle of the capability");
        config[0x60] = 9;
        config[0x61] = 0x40;
        assert_eq!(express(&config), None, "a list that goes round");
        assert_eq!(express(&[]), None);
    }
}

//! Ports: their state, their speed and their addresses.

use std::net::Ipv6Addr;

use super::super::Check;
use super::system::Nic;

/// The number of GIDs that are shown. A table can have hundreds, of virtual interfaces.
const SHOWN: usize = 6;

pub(super) fn check(nic: &Nic) -> Vec<Check> {
    nic.entries("ports").iter().flat_map(|port| of_port(nic, port)).collect()
}

fn of_port(nic: &Nic, port: &str) -> Vec<Check> {
    let what = format!("{} port {port}", nic.name);
    let of = |file: &str| nic.read(&format!("ports/{port}/{file}")).unwrap_or_default();
    let ethernet = of("link_layer") == "Ethernet";
    // "4: ACTIVE" and "5: LinkUp".
    let (state, physical) = (named(&of("state")), named(&of("phys_state")));
    let describe = || {
        let mut parts = vec![of("link_layer"), of("rate")];
        if !ethernet {
            parts.push(format!("LID {}", number(&of("lid"))));
        }
        parts.retain(|part| !part.is_empty());
        parts.join(", ")
    };
    let up = match state.as_str() {
        "ACTIVE" => Check::can(&what, format!("active: {}", describe())),
        "INIT" | "ARMED" => Check::cannot(
            &what,
            format!("{state}: no subnet manager has set it up ({})", describe()),
            "start a subnet manager: on the switch, or `opensm` on one node",
        ),
        _ => {
            let todo = match (physical.as_str(), ethernet) {
                ("Disabled", true) => "ip link set NAME up, with the interface in device/net",
                ("Disabled", false) => "ibportstate, or `ip link set ib0 up`; the port was switched off",
                ("Polling", _) => "check the cable and the switch's port: the other end does not answer",
                _ => "check `mlxlink -d DEVICE` for the reason",
            };
            Check::cannot(&what, format!("{state}, physically {physical} ({})", of("link_layer")), todo)
        }
    };
    vec![up, gids(nic, port, ethernet)]
}

/// An entry of a GID table.
struct Entry {
    index: String,
    address: Ipv6Addr,
    kind: String,
}

impl Entry {
    fn is_v2(&self) -> bool {
        self.kind == "RoCE v2"
    }

    fn text(&self) -> String {
        match self.address.to_ipv4_mapped() {
            Some(address) => format!("{}: {address} {}", self.index, self.kind),
            None => format!("{}: {} {}", self.index, self.address, self.kind),
        }
    }
}

fn gids(nic: &Nic, port: &str, ethernet: bool) -> Check {
    let what = format!("{} port {port}: GIDs", nic.name);
    let mut entries: Vec<Entry> = nic
        .entries(&format!("ports/{port}/gids"))
        .into_iter()
        .filter_map(|index| {
            let address: Ipv6Addr = nic.read(&format!("ports/{port}/gids/{index}"))?.parse().ok()?;
            let kind = nic.read(&format!("ports/{port}/gid_attrs/types/{index}"));
            let kind = match (kind.as_deref(), ethernet) {
                (Some("RoCE v2"), _) => "RoCE v2",
                (Some(_), true) => "RoCE v1",
                (None, true) => return None,
                (_, false) => "InfiniBand",
            };
            (!address.is_unspecified()).then(|| Entry { index, address, kind: kind.to_string() })
        })
        .collect();
    let count = entries.len();
    if count == 0 {
        return Check::cannot(what, "the table is empty", "a port that is up has one: check the link first");
    }
    // Entries that the library would choose come first.
    let routed = |entry: &Entry| entry.is_v2() && !entry.address.is_unicast_link_local();
    entries.sort_by_key(|entry| (!routed(entry), !entry.is_v2()));
    let mut text: Vec<String> = entries.iter().take(SHOWN).map(Entry::text).collect();
    if count > SHOWN {
        text.push(format!("and {} more", count - SHOWN));
    }
    let text = text.join("; ");
    match (ethernet, entries.iter().any(Entry::is_v2), entries.iter().any(routed)) {
        (true, false, _) => Check::cannot(
            what,
            format!("no RoCE v2 among them: {text}"),
            "switch RoCE v2 on in the NIC (ROCE_CONTROL of mlxconfig); Linux 4.5 or later has it",
        ),
        (true, true, false) => Check::barely(
            what,
            format!("only link-local ones for RoCE v2: {text}"),
            "give the interface an IP address; link-local ones reach this subnet only",
        ),
        _ => Check::can(what, text),
    }
}

/// Returns `ACTIVE` for "4: ACTIVE".
fn named(state: &str) -> String {
    match state.split_once(": ") {
        Some((_, name)) => name.to_string(),
        None if state.is_empty() => "unknown".to_string(),
        None => state.to_string(),
    }
}

/// Returns 26 for 0x1a.
fn number(text: &str) -> String {
    let parsed = text.strip_prefix("0x").and_then(|digits| u32::from_str_radix(digits, 16).ok());
    parsed.map_or_else(|| text.to_string(), |number| number.to_string())
}

//! Chooses the NICs that a PE uses, and a port of each.
//!
//! A NIC that can't be used is left out with the reason. If the user named it, the failure is an error.

use std::fmt;
use std::sync::Arc;

use oxshmem_core::Pe;
use oxshmem_core::host::{Error, ErrorKind, Result};

use super::distance::{Distance, PciLocation};
use crate::fabric::OpenRequest;
use crate::hca::{Found, LinkLayer, Port, VerbsNic};
use oxshmem_raw::memory::Memory;
use oxshmem_raw::nic_params::{MAX_NICS, Neighbours, NicCount, NicParams, WireParams};

/// `enum ibv_port_state`.
pub const ACTIVE: u8 = 4;

/// The NICs of this machine, as a transport finds and opens them.
pub struct Candidates<'a, N: ?Sized> {
    /// The NICs that were found.
    pub found: Vec<Found>,
    /// The provider that found them, for people.
    pub from: String,
    /// Whether the transport needs NICs that libmlx5 drives.
    pub only_mlx5: bool,
    /// Opens a NIC by its name, and fails if it lacks a capability that the transport needs.
    pub open: &'a dyn Fn(&str) -> Result<Arc<N>>,
}

impl<N: ?Sized> fmt::Debug for Candidates<'_, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} NICs of {}", self.found.len(), self.from)
    }
}

/// A chosen NIC, and the port of it that is used.
#[derive(Debug)]
pub struct Choice<N: ?Sized> {
    /// The NIC.
    pub nic: Arc<N>,
    /// The port.
    pub port: Port,
    /// The reason for the choice, for people.
    pub why: String,
}

/// The NICs that a PE uses.
#[derive(Debug)]
pub struct Choices<N: ?Sized> {
    /// In the order in which rows take turns among them.
    pub ports: Vec<Choice<N>>,
    /// The NICs that were left out, each with the reason.
    pub left_out: Vec<String>,
    /// Those left out that the user may expect to be used.
    pub missed: Vec<String>,
}

/// A NIC that may be used and is not opened yet.
struct PortCandidate {
    distance: Distance,
    name: String,
    /// The only port that may be used, if the user named one.
    port: Option<u8>,
}

/// Opens the allowed NICs that have an active port: the nearest to the kernels of `memory` first, and among equally
/// near ones those that were named first. PEs take turns among equally near NICs. Unless the user sets a number, a PE
/// uses at most `useful` NICs.
///
/// # Errors
/// The NICs can't be listed, none can be used, there are fewer than requested, or one that the user named can't be
/// used. The error names the missing capability of each NIC.
pub fn choose<N: VerbsNic + ?Sized>(
    (nics, wire): (&NicParams, &WireParams),
    candidates: &Candidates<'_, N>,
    useful: u32,
    memory: &Memory,
    me: Pe,
) -> Result<Choices<N>> {
    if candidates.found.is_empty() {
        return Err(none(candidates, me, "this machine has none".into()));
    }
    let is_named = nics.hcas.chooses();
    let mut search = Search { nics, wire, candidates, useful, me, is_named, left_out: Vec::new(), missed: Vec::new() };
    let near = match nics.mapping.entries.is_empty() {
        true => search.port_candidates(&PciLocation::of_kernels(memory)),
        false => search.mapped()?,
    };
    search.take(near)
}

/// Chooses as [`choose`] does, at most as many NICs as a PE has proxy threads, since each serves one.
///
/// # Errors
/// Those of [`choose`].
pub fn choose_for_proxies<N: VerbsNic + ?Sized>(
    request: &OpenRequest<'_>,
    candidates: &Candidates<'_, N>,
) -> Result<Choices<N>> {
    let mut chosen = choose((request.nics, request.wire), candidates, request.useful, request.memory, request.me)?;
    let most = request.most as usize;
    for choice in chosen.ports.drain(most.min(chosen.ports.len())..) {
        let name = choice.nic.name();
        chosen.missed.push(format!("{name} is not used: OXSHMEM_PROXY_THREADS = {most}, one for each NIC"));
    }
    Ok(chosen)
}

fn none<N: ?Sized>(candidates: &Candidates<'_, N>, me: Pe, reason: String) -> Error {
    Error::new(ErrorKind::NotFound, format!("find a NIC for {me}")).because(reason).hint(format!(
        "NICs are found by {}; OXSHMEM_HCA_LIST chooses among them. On a machine without one, `cargo oxshmem run --nic \
             soft -- PROGRAM` (in oxshmem's checkout `cargo xtask run`) has one in software",
        candidates.from
    ))
}

struct Search<'a, N: ?Sized> {
    nics: &'a NicParams,
    wire: &'a WireParams,
    candidates: &'a Candidates<'a, N>,
    useful: u32,
    me: Pe,
    /// Whether the user named the NICs, so that failing to use one is an error.
    is_named: bool,
    /// NICs that the settings exclude.
    left_out: Vec<String>,
    /// NICs that would be used if they could.
    missed: Vec<String>,
}

impl<N: VerbsNic + ?Sized> Search<'_, N> {
    /// Returns the NIC to which the user's mapping assigns this PE.
    fn mapped(&mut self) -> Result<Vec<PortCandidate>> {
        let (mapping, found) = (&self.nics.mapping, &self.candidates.found);
        let place = self.place();
        let action = || format!("find the NIC of {} in OXSHMEM_HCA_PE_MAPPING = {mapping}", self.me);
        if let NicCount::Count(count @ 2..) = self.nics.count {
            return Err(Error::new(ErrorKind::InvalidArgument, action())
                .because(format!("it maps each PE to one, and OXSHMEM_NICS_PER_PE asks for {count}"))
                .hint("unset one of them"));
        }
        let Some((name, port)) = mapping.of(place) else {
            return Err(Error::new(ErrorKind::OutOfRange, action())
                .because(format!("{} PEs of this host come before it", place))
                .amount(u64::from(place) + 1, mapping.pes().into(), "PEs of a host")
                .hint("let it map all PEs of a host"));
        };
        if !found.iter().any(|nic| nic.name == name) {
            let names: Vec<&str> = found.iter().map(|nic| nic.name.as_str()).collect();
            return Err(Error::new(ErrorKind::NotFound, action())
                .because(format!("this machine has no {name}, but {}", names.join(", "))));
        }
        self.is_named = true;
        Ok(vec![PortCandidate { distance: Distance::Other, name: name.into(), port: Some(port) }])
    }

    /// Returns the NICs that may be used, the nearest first.
    fn port_candidates(&mut self, kernels: &PciLocation) -> Vec<PortCandidate> {
        let Self { nics, candidates, left_out, missed, .. } = self;
        let mut near = Vec::new();
        let mut add = |nic: &Found, port| {
            let distance = if nics.round_robin { Distance::Other } else { kernels.distance(&PciLocation::of_nic(nic)) };
            near.push(PortCandidate { distance, name: nic.name.clone(), port });
        };
        let prefix = nics.prefix.as_deref().unwrap_or("");
        let mut may = Vec::new();
        for nic in &candidates.found {
            if candidates.only_mlx5 && !nic.is_mlx5 {
                left_out.push(format!("{} is not driven by mlx5", nic.name));
            } else if !nics.hcas.may_allow(&nic.name) {
                left_out.push(format!("{} is not allowed by OXSHMEM_HCA_LIST = {}", nic.name, nics.hcas));
            } else if !nic.name.starts_with(prefix) {
                left_out.push(format!("{} is not allowed by OXSHMEM_HCA_PREFIX = {prefix}", nic.name));
            } else {
                may.push(nic);
            }
        }
        if nics.hcas.chooses() {
            // In the order of the list. A list for a whole cluster may name NICs that this machine does not have.
            for (name, port) in &nics.hcas.entries {
                match may.iter().find(|nic| nic.name == *name) {
                    Some(nic) => add(nic, *port),
                    None => missed.push(format!(
                        "{name} of OXSHMEM_HCA_LIST = {} is none to use here; this machine has {}",
                        nics.hcas,
                        candidates.names()
                    )),
                }
            }
        } else {
            may.iter().for_each(|nic| add(nic, None));
        }
        // The sort is stable: NICs at the same distance stay in their order.
        near.sort_by_key(|candidate| candidate.distance);
        near
    }

    /// Opens as many NICs as the PE uses.
    fn take(mut self, near: Vec<PortCandidate>) -> Result<Choices<N>> {
        let mut ports: Vec<Choice<N>> = Vec::new();
        let mut wanted = None;
        for group in near.chunk_by(|a, b| a.distance == b.distance) {
            let mut usable = self.open_all(group, ports.first().map(|choice| choice.port.link))?;
            if usable.is_empty() {
                continue;
            }
            let count = *wanted
                .get_or_insert_with(|| count((self.nics, self.useful), group[0].distance, usable.len(), near.len()));
            // Each PE begins at another NIC.
            let start = self.place() as usize * count % usable.len();
            usable.rotate_left(start);
            ports.extend(usable);
            if ports.len() >= count {
                ports.truncate(count);
                break;
            }
        }
        let left_out = [&self.left_out[..], &self.missed].concat();
        if ports.is_empty() {
            return Err(none(self.candidates, self.me, left_out.join("; ")));
        }
        match self.nics.count {
            NicCount::Count(asked) if ports.len() < asked as usize => {
                let error = Error::new(ErrorKind::Exhausted, format!("use {asked} NICs for {}", self.me));
                let error = error.amount(asked.into(), ports.len() as u64, "NICs").because(match left_out.is_empty() {
                    true => "this machine has no more".into(),
                    false => format!("others can't be used: {}", left_out.join("; ")),
                });
                Err(error.hint("lower OXSHMEM_NICS_PER_PE, or let OXSHMEM_HCA_LIST allow more"))
            }
            // All NICs count as equally near then.
            NicCount::Auto => Ok(Choices { ports, left_out, missed: Vec::new() }),
            NicCount::Nearest | NicCount::Count(_) => Ok(Choices { ports, left_out, missed: self.missed }),
        }
    }

    /// Returns the number of PEs of this host that choose before this one.
    fn place(&self) -> u32 {
        self.nics.neighbours.map_or(self.me.number(), |neighbours| neighbours.place)
    }

    /// Opens those of equally near NICs that can be used, on one kind of wire: `link`, if a NIC is used already.
    fn open_all(&mut self, group: &[PortCandidate], link: Option<LinkLayer>) -> Result<Vec<Choice<N>>> {
        let mut usable: Vec<Choice<N>> = Vec::new();
        for PortCandidate { distance, name, port } in group {
            match self.open(name, *port) {
                Ok((nic, port)) => {
                    let is_there = |other: &Choice<N>| other.nic.name() == name && other.port.number == port.number;
                    if usable.iter().any(is_there) {
                        continue;
                    }
                    let why = match self.nics.round_robin || !self.nics.mapping.entries.is_empty() {
                        true => format!("{name} port {} is dealt to {}", port.number, self.me),
                        false => format!("{name} port {} is {}", port.number, distance.text()),
                    };
                    usable.push(Choice { nic, port, why });
                }
                Err(reason) if self.is_named => {
                    return Err(Error::new(ErrorKind::NotFound, format!("use {name} for {}", self.me))
                        .because(format!("OXSHMEM_HCA_LIST or OXSHMEM_HCA_PE_MAPPING names it, and {reason}"))
                        .hint("bring it up, or take it off the list"));
                }
                Err(reason) => self.missed.push(format!("{name}: {reason}")),
            }
        }
        // If both kinds are there, InfiniBand is taken, since it has no other purpose. A mix of both would fail.
        let is_ib = |choice: &Choice<N>| choice.port.link == LinkLayer::InfiniBand;
        let kept = link.or_else(|| usable.iter().find(|choice| is_ib(choice)).or(usable.first()).map(|c| c.port.link));
        let other = usable.iter().find(|choice| Some(choice.port.link) != kept);
        if let (true, Some(other)) = (self.is_named, other) {
            return Err(Error::new(ErrorKind::Mismatch, format!("use {} for {}", other.nic.name(), self.me))
                .because(format!(
                    "it is on {}, and others of OXSHMEM_HCA_LIST are on {}",
                    other.port.link.text(),
                    if is_ib(other) { LinkLayer::Ethernet } else { LinkLayer::InfiniBand }.text()
                ))
                .hint("name NICs of one fabric"));
        }
        let (kept, others) = usable.into_iter().partition(|choice| Some(choice.port.link) == kept);
        let others: Vec<Choice<N>> = others;
        self.missed.extend(others.iter().map(|other| {
            format!("{} port {} is on another kind of wire than the others", other.nic.name(), other.port.number)
        }));
        Ok(kept)
    }

    /// Opens a NIC and finds its first port that is allowed and active.
    fn open(&self, name: &str, only: Option<u8>) -> Result<(Arc<N>, Port), String> {
        let nic = (self.candidates.open)(name).map_err(|error| error.to_string())?;
        let ports = nic.ports().map_err(|error| error.to_string())?;
        if let Some(only) = only.filter(|only| !ports.iter().any(|port| port.number == *only)) {
            return Err(format!("it has no port {only}: it has {}", ports.len()));
        }
        let mut reasons = Vec::new();
        for port in ports {
            if only.is_some_and(|only| only != port.number) {
                continue;
            }
            if only.is_none() && !self.nics.hcas.allows(name, port.number) {
                reasons.push(format!("port {} is not allowed by OXSHMEM_HCA_LIST", port.number));
            } else if port.state != ACTIVE {
                reasons.push(format!("port {} is {}, not active", port.number, state_text(port.state)));
            } else if u32::from(self.wire.pkey_index) >= port.pkeys.max(1) {
                reasons.push(format!(
                    "port {} has partition keys 0 to {}, and OXSHMEM_IB_PKEY_INDEX is {}",
                    port.number,
                    port.pkeys.max(1) - 1,
                    self.wire.pkey_index
                ));
            } else {
                return Ok((nic, port));
            }
        }
        Err(if reasons.is_empty() { "it has no port".into() } else { reasons.join(", ") })
    }
}

impl<N: ?Sized> Candidates<'_, N> {
    fn names(&self) -> String {
        self.found.iter().map(|nic| nic.name.as_str()).collect::<Vec<_>>().join(", ")
    }
}

/// Returns the number of NICs to use, if `equal` are equally near and `all` exist at any distance.
fn count((nics, useful): (&NicParams, u32), distance: Distance, equal: usize, all: usize) -> usize {
    let most = equal.min(MAX_NICS as usize);
    match (nics.count, nics.neighbours) {
        (NicCount::Count(count), _) => count as usize,
        (NicCount::Nearest, _) => most,
        // If the number of neighbours is unknown, the other NICs might be far away.
        (NicCount::Auto, Some(Neighbours { count, .. })) if distance != Distance::Other => {
            (all / count.max(1) as usize).min(most).min(useful as usize).max(1)
        }
        (NicCount::Auto, _) => 1,
    }
}

/// Returns the name of a state of `enum ibv_port_state` other than [`ACTIVE`].
pub fn state_text(state: u8) -> &'static str {
    match state {
        1 => "down",
        2 => "initialising",
        3 => "armed",
        _ => "in no known state",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_wish_a_pe_has_its_part_of_the_nics_that_are_equally_near() {
        use Distance::*;
        let of = |pes| NicParams { neighbours: Some(Neighbours { place: 0, count: pes }), ..NicParams::default() };
        for (pes, useful, distance, equal, all, uses) in [
            (8, 2, Switch, 1, 8, 1),
            (8, 2, Switch, 2, 8, 1),
            (4, 2, Switch, 2, 8, 2),
            (4, 2, Switch, 1, 8, 1),
            (8, 2, Switch, 1, 10, 1),
            (1, 8, Root, 8, 8, 8),
            (1, 2, Root, 8, 8, 2),
            (1, 8, Other, 8, 8, 1),
            (16, 8, Node, 8, 8, 1),
        ] {
            assert_eq!(count((&of(pes), useful), distance, equal, all), uses, "{pes} PEs, {equal} of {all} NICs");
        }
        assert_eq!(count((&NicParams::default(), 2), Switch, 4, 8), 1, "nobody knows how many PEs there are");
        let nearest = NicParams { count: NicCount::Nearest, ..of(8) };
        assert_eq!((count((&nearest, 2), Other, 3, 8), count((&nearest, 2), Switch, 40, 40)), (3, 16));
    }
}

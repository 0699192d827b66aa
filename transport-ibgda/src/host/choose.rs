//! Which NICs and which of their ports a PE uses.
//!
//! A NIC that can't be used is left out with the reason, unless the user named it: then it is an error.

use std::sync::Arc;

use oxshmem_core::Pe;
use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_raw::hca::{Found, Hca, LinkLayer, Port, Provider};
use oxshmem_raw::memory::Memory;

use super::config::{IbgdaConfig, MAX_NICS, Neighbours, NicCount};
use super::distance::{Distance, Spot};

/// `enum ibv_port_state`.
pub(super) const ACTIVE: u8 = 4;

/// A port that can be used.
#[derive(Debug)]
pub(super) struct Choice {
    pub(super) hca: Arc<dyn Hca>,
    pub(super) port: Port,
    /// Why this one, for people.
    pub(super) why: String,
}

/// What a PE uses.
#[derive(Debug)]
pub(super) struct Choices {
    /// In the order in which rows take turns among them.
    pub(super) ports: Vec<Choice>,
    /// NICs that were left out, and why.
    pub(super) left_out: Vec<String>,
    /// Those of them that the user may think are used.
    pub(super) missed: Vec<String>,
}

/// A NIC that may be used, not opened yet.
struct Candidate {
    distance: Distance,
    name: String,
    /// The only port that is meant.
    port: Option<u8>,
}

/// Opens NICs that are allowed and have an active port: the nearest to the kernels of `memory` first, among those that
/// are equally near the ones named first. PEs take turns among those that are equally near.
///
/// # Errors
/// The NICs can't be listed, none can be used, there are fewer than asked for, or one that the user named can't be used:
/// what each lacks.
pub(super) fn choose(config: &IbgdaConfig, provider: &dyn Provider, memory: &Memory, me: Pe) -> Result<Choices> {
    let found = provider.list()?;
    if found.is_empty() {
        return Err(none(provider, me, "this machine has none".into()));
    }
    let mut search =
        Search { config, provider, me, is_named: config.hcas.chooses(), left_out: Vec::new(), missed: Vec::new() };
    let near = match config.mapping.entries.is_empty() {
        true => search.candidates(found, &Spot::of_kernels(memory)),
        false => search.mapped(&found)?,
    };
    search.take(near)
}

fn none(provider: &dyn Provider, me: Pe, reason: String) -> Error {
    Error::new(ErrorKind::NotFound, format!("find a NIC for {me}"))
        .because(reason)
        .hint(format!("NICs are found by {}; OXSHMEM_HCA_LIST chooses among them", provider.describe()))
}

struct Search<'a> {
    config: &'a IbgdaConfig,
    provider: &'a dyn Provider,
    me: Pe,
    /// Whether the user named the NICs: then each is meant.
    is_named: bool,
    /// Those that are not meant to be used.
    left_out: Vec<String>,
    /// Those that would be used if they could.
    missed: Vec<String>,
}

impl Search<'_> {
    /// The NIC that this PE is mapped to.
    fn mapped(&mut self, found: &[Found]) -> Result<Vec<Candidate>> {
        let mapping = &self.config.mapping;
        let place = self.place();
        let action = || format!("find the NIC of {} in OXSHMEM_HCA_PE_MAPPING = {mapping}", self.me);
        if let NicCount::Count(count @ 2..) = self.config.nics {
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
        Ok(vec![Candidate { distance: Distance::Other, name: name.into(), port: Some(port) }])
    }

    /// The NICs that may be used, the nearest first.
    fn candidates(&mut self, found: Vec<Found>, kernels: &Spot) -> Vec<Candidate> {
        let Self { config, left_out, missed, .. } = self;
        let mut near = Vec::new();
        let mut add = |nic: &Found, port| {
            let distance = if config.round_robin { Distance::Other } else { kernels.distance(&Spot::of_nic(nic)) };
            near.push(Candidate { distance, name: nic.name.clone(), port });
        };
        let prefix = config.hca_prefix.as_deref().unwrap_or("");
        let mut may = Vec::new();
        for nic in found {
            if !nic.is_mlx5 {
                left_out.push(format!("{} is not driven by mlx5", nic.name));
            } else if !config.hcas.may_allow(&nic.name) {
                left_out.push(format!("{} is not allowed by OXSHMEM_HCA_LIST = {}", nic.name, config.hcas));
            } else if !nic.name.starts_with(prefix) {
                left_out.push(format!("{} is not allowed by OXSHMEM_HCA_PREFIX = {prefix}", nic.name));
            } else {
                may.push(nic);
            }
        }
        if config.hcas.chooses() {
            // In the order of the list; the machine need not have all that a list for a whole cluster names.
            for (name, port) in &config.hcas.entries {
                match may.iter().find(|nic| nic.name == *name) {
                    Some(nic) => add(nic, *port),
                    None => missed.push(format!("{name} of OXSHMEM_HCA_LIST = {} is none to use here", config.hcas)),
                }
            }
        } else {
            may.iter().for_each(|nic| add(nic, None));
        }
        // Stable, so that those of one distance stay in their order.
        near.sort_by_key(|candidate| candidate.distance);
        near
    }

    /// Opens as many as the PE uses.
    fn take(mut self, near: Vec<Candidate>) -> Result<Choices> {
        let mut ports: Vec<Choice> = Vec::new();
        let mut wanted = None;
        for group in near.chunk_by(|a, b| a.distance == b.distance) {
            let mut usable = self.open_all(group, ports.first().map(|choice| choice.port.link))?;
            if usable.is_empty() {
                continue;
            }
            let count = *wanted.get_or_insert_with(|| count(self.config, group[0].distance, usable.len(), near.len()));
            // PEs begin at different ones.
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
            return Err(none(self.provider, self.me, left_out.join("; ")));
        }
        match self.config.nics {
            NicCount::Count(asked) if ports.len() < asked as usize => {
                let error = Error::new(ErrorKind::Exhausted, format!("use {asked} NICs for {}", self.me));
                let error = error.amount(asked.into(), ports.len() as u64, "NICs").because(match left_out.is_empty() {
                    true => "this machine has no more".into(),
                    false => format!("others can't be used: {}", left_out.join("; ")),
                });
                Err(error.hint("lower OXSHMEM_NICS_PER_PE, or let OXSHMEM_HCA_LIST allow more"))
            }
            // One is as good as another then.
            NicCount::Auto => Ok(Choices { ports, left_out, missed: Vec::new() }),
            NicCount::Nearest | NicCount::Count(_) => Ok(Choices { ports, left_out, missed: self.missed }),
        }
    }

    /// PEs that choose before this one.
    fn place(&self) -> u32 {
        self.config.neighbours.map_or(self.me.number(), |neighbours| neighbours.place)
    }

    /// Those of equally near NICs that can be used, on one kind of wire: `link`, if one is used already.
    fn open_all(&mut self, group: &[Candidate], link: Option<LinkLayer>) -> Result<Vec<Choice>> {
        let mut usable: Vec<Choice> = Vec::new();
        for Candidate { distance, name, port } in group {
            match open(self.config, self.provider, name, *port) {
                Ok((hca, port)) => {
                    let is_there = |other: &Choice| other.hca.name() == name && other.port.number == port.number;
                    if usable.iter().any(is_there) {
                        continue;
                    }
                    let why = match self.config.round_robin || !self.config.mapping.entries.is_empty() {
                        true => format!("{name} port {} is dealt to {}", port.number, self.me),
                        false => format!("{name} port {} is {}", port.number, distance.text()),
                    };
                    usable.push(Choice { hca, port, why });
                }
                Err(reason) if self.is_named => {
                    return Err(Error::new(ErrorKind::NotFound, format!("use {name} for {}", self.me))
                        .because(format!("OXSHMEM_HCA_LIST or OXSHMEM_HCA_PE_MAPPING names it, and {reason}"))
                        .hint("bring it up, or take it off the list"));
                }
                Err(reason) => self.missed.push(format!("{name}: {reason}")),
            }
        }
        // Where both are there, InfiniBand is what was bought for this; a mix would fail.
        let is_ib = |choice: &Choice| choice.port.link == LinkLayer::InfiniBand;
        let kept = link.or_else(|| usable.iter().find(|choice| is_ib(choice)).or(usable.first()).map(|c| c.port.link));
        let other = usable.iter().find(|choice| Some(choice.port.link) != kept);
        if let (true, Some(other)) = (self.is_named, other) {
            let text = |link| if link == LinkLayer::InfiniBand { "InfiniBand" } else { "Ethernet" };
            return Err(Error::new(ErrorKind::Mismatch, format!("use {} for {}", other.hca.name(), self.me))
                .because(format!(
                    "it is on {}, and others of OXSHMEM_HCA_LIST are on {}",
                    text(other.port.link),
                    text(if is_ib(other) { LinkLayer::Ethernet } else { LinkLayer::InfiniBand })
                ))
                .hint("name NICs of one fabric"));
        }
        let (kept, others) = usable.into_iter().partition(|choice| Some(choice.port.link) == kept);
        let others: Vec<Choice> = others;
        self.missed.extend(others.iter().map(|other| {
            format!("{} port {} is on another kind of wire than the others", other.hca.name(), other.port.number)
        }));
        Ok(kept)
    }
}

/// How many to use, of `equal` that are equally near and `all` at any distance.
fn count(config: &IbgdaConfig, distance: Distance, equal: usize, all: usize) -> usize {
    let most = equal.min(MAX_NICS as usize);
    match (config.nics, config.neighbours) {
        (NicCount::Count(count), _) => count as usize,
        (NicCount::Nearest, _) => most,
        // Where nobody knows what is near, those others might be far. More NICs than rows would serve nobody.
        (NicCount::Auto, Some(Neighbours { count, .. })) if distance != Distance::Other => {
            (all / count.max(1) as usize).min(most).min(config.rows as usize).max(1)
        }
        (NicCount::Auto, _) => 1,
    }
}

/// Opens a NIC, and finds the first port of it that is meant, allowed and active.
fn open(
    config: &IbgdaConfig,
    provider: &dyn Provider,
    name: &str,
    only: Option<u8>,
) -> Result<(Arc<dyn Hca>, Port), String> {
    let hca = provider.open(name).map_err(|error| error.to_string())?;
    let ports = hca.ports().map_err(|error| error.to_string())?;
    if let Some(only) = only.filter(|only| !ports.iter().any(|port| port.number == *only)) {
        return Err(format!("it has no port {only}: it has {}", ports.len()));
    }
    let mut reasons = Vec::new();
    for port in ports {
        if only.is_some_and(|only| only != port.number) {
            continue;
        }
        if only.is_none() && !config.hcas.allows(name, port.number) {
            reasons.push(format!("port {} is not allowed by OXSHMEM_HCA_LIST", port.number));
        } else if port.state != ACTIVE {
            reasons.push(format!("port {} is {}, not active", port.number, state_text(port.state)));
        } else if u32::from(config.pkey_index) >= port.pkeys.max(1) {
            reasons.push(format!(
                "port {} has partition keys 0 to {}, and OXSHMEM_IB_PKEY_INDEX is {}",
                port.number,
                port.pkeys.max(1) - 1,
                config.pkey_index
            ));
        } else {
            return Ok((hca, port));
        }
    }
    Err(if reasons.is_empty() { "it has no port".into() } else { reasons.join(", ") })
}

/// `enum ibv_port_state` in words, but for [`ACTIVE`].
pub(super) fn state_text(state: u8) -> &'static str {
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
        let of = |pes, rows| {
            let neighbours = Some(Neighbours { place: 0, count: pes });
            IbgdaConfig { neighbours, rows, ..IbgdaConfig::default() }
        };
        for (pes, rows, distance, equal, all, uses) in [
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
            assert_eq!(count(&of(pes, rows), distance, equal, all), uses, "{pes} PEs, {equal} of {all} NICs");
        }
        assert_eq!(count(&IbgdaConfig::default(), Switch, 4, 8), 1, "nobody knows how many PEs there are");
        let nearest = IbgdaConfig { nics: NicCount::Nearest, ..of(8, 2) };
        assert_eq!((count(&nearest, Other, 3, 8), count(&nearest, Switch, 40, 40)), (3, 16));
    }
}

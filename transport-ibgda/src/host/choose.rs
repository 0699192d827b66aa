//! Which NIC and which of its ports a PE uses.

use std::sync::Arc;

use oxshmem_core::Pe;
use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_raw::hca::{Found, Hca, LinkLayer, Port, Provider};
use oxshmem_raw::memory::Memory;

use super::config::IbgdaConfig;
use super::distance::{Distance, Spot};

/// `enum ibv_port_state`.
pub(super) const ACTIVE: u8 = 4;

/// A port that can be used.
#[derive(Debug)]
pub(super) struct Choice {
    pub(super) hca: Arc<dyn Hca>,
    pub(super) port: Port,
    /// Why this one, and why not those that were tried before it.
    pub(super) why: Vec<String>,
}

/// Opens the NIC that is nearest to the kernels of `memory`, has an active port, and is allowed. PEs take turns among
/// those that are equally near.
///
/// # Errors
/// The NICs can't be listed, or none can be used: what each lacks.
pub(super) fn choose(config: &IbgdaConfig, provider: &dyn Provider, memory: &Memory, me: Pe) -> Result<Choice> {
    let found = provider.list()?;
    let none = |reason: String| {
        Error::new(ErrorKind::NotFound, format!("find a NIC for {me}"))
            .because(reason)
            .hint(format!("NICs are found by {}; OXSHMEM_HCA_LIST chooses among them", provider.describe()))
    };
    if found.is_empty() {
        return Err(none("this machine has none".into()));
    }
    let kernels = Spot::of_kernels(memory);
    let mut why = Vec::new();
    let mut near: Vec<(Distance, Found)> = Vec::new();
    for nic in found {
        let prefix = config.hca_prefix.as_deref().unwrap_or("");
        if !nic.is_mlx5 {
            why.push(format!("{} is not driven by mlx5", nic.name));
        } else if !config.hcas.may_allow(&nic.name) {
            why.push(format!("{} is not allowed by OXSHMEM_HCA_LIST = {}", nic.name, config.hcas));
        } else if !nic.name.starts_with(prefix) {
            why.push(format!("{} is not allowed by OXSHMEM_HCA_PREFIX = {prefix}", nic.name));
        } else {
            near.push((kernels.distance(&Spot::of_nic(&nic)), nic));
        }
    }
    // Stable, so that those of one distance stay in the system's order.
    near.sort_by_key(|(distance, _)| *distance);
    let mut usable: Vec<Choice> = Vec::new();
    let mut nearest = None;
    for (distance, nic) in near {
        if nearest.is_some_and(|nearest| nearest != distance) {
            break;
        }
        match open(config, provider, &nic.name) {
            Ok((hca, port)) => {
                nearest = Some(distance);
                let reason = format!("{} port {} is {}", nic.name, port.number, distance.text());
                usable.push(Choice { hca, port, why: vec![reason] });
            }
            Err(reason) => why.push(format!("{}: {reason}", nic.name)),
        }
    }
    // Where both are there, InfiniBand is what was bought for this; a mix would fail.
    if usable.iter().any(|choice| choice.port.link == LinkLayer::InfiniBand) {
        usable.retain(|choice| choice.port.link == LinkLayer::InfiniBand);
    }
    if usable.is_empty() {
        return Err(none(why.join("; ")));
    }
    let mut choice = usable.swap_remove(me.index() % usable.len());
    choice.why.extend(why);
    Ok(choice)
}

/// Opens a NIC, and finds the first port of it that is allowed and active.
fn open(config: &IbgdaConfig, provider: &dyn Provider, name: &str) -> Result<(Arc<dyn Hca>, Port), String> {
    let hca = provider.open(name).map_err(|error| error.to_string())?;
    let ports = hca.ports().map_err(|error| error.to_string())?;
    let mut reasons = Vec::new();
    for port in ports {
        if !config.hcas.allows(name, port.number) {
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

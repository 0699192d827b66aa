//! How each PE is reached: by loads and stores, by a NIC's own queues, or by proxies.

use oxshmem_core::Pe;
use oxshmem_core::host::{Error, ErrorKind, Result};

use super::collective::all_ok;
use crate::bootstrap::Control;
use crate::compiled::{self, Way, Ways};
use crate::config::{Config, RemoteChoice};

/// Of the PEs whose memory this one can map, those that it is to reach so: all of them, unless the configuration divides
/// the PEs of a host into groups. Both PEs of a pair come to the same answer, since each counts those of its host from
/// the first.
pub(super) fn near(config: &Config, me: Pe, mappable: &[bool]) -> Vec<bool> {
    let Some(group) = config.near_group() else { return mappable.to_vec() };
    let mut place = 0;
    let places: Vec<Option<u32>> = mappable
        .iter()
        .enumerate()
        .map(|(pe, &can)| {
            (can || pe == me.index()).then(|| {
                place += 1;
                (place - 1) / group
            })
        })
        .collect();
    places.iter().map(|place| place.is_some() && *place == places[me.index()]).collect()
}

impl Ways {
    /// For each PE the best that both ends have: loads and stores to those that are `near`, to the others the NIC's queues
    /// that GPUs write themselves, unless either end was told to leave that to proxies. Collective.
    pub(super) fn choose(config: &Config, control: &Control, near: &[bool]) -> Result<Self> {
        let mut ways = Self { of: vec![Way::Near; near.len()], by_nic: false, by_proxy: false };
        if !compiled::HAS_REMOTE {
            return Ok(ways);
        }
        let mine = [near.contains(&false), compiled::by_proxy(config), compiled::BY_NIC, compiled::BY_PROXY];
        let all = control.all_gather("tell which PEs loads and stores don't reach", &mine.map(u8::from))?;
        let said = |pe: usize, what: usize| all[pe].get(what) == Some(&1);
        if !(0..near.len()).any(|pe| said(pe, 0)) {
            return Ok(ways);
        }
        // Each transport of a world is set up by all of its PEs together.
        let remote = config.remote != RemoteChoice::None;
        control.agree("init", "whether a NIC reaches what loads and stores don't (0, 1)", remote.into())?;
        let me = control.pe().index();
        let chosen = near.iter().enumerate().filter(|(_, near)| !**near).try_for_each(|(pe, _)| {
            let way = if said(me, 1) || said(pe, 1) { Way::ByProxy } else { Way::ByNic };
            ways.of[pe] = way;
            let has = |pe: usize| said(pe, if way == Way::ByProxy { 3 } else { 2 });
            if has(me) && has(pe) { Ok(()) } else { Err(no_common(way, if has(me) { pe } else { me }, pe)) }
        });
        all_ok(control, "find a transport that both ends have", chosen)?;
        let mine = [Way::ByNic, Way::ByProxy].map(|way| u8::from(ways.of.contains(&way)));
        let all = control.all_gather("tell which queues they need", &mine)?;
        let some = |what: usize| all.iter().any(|said| said.get(what) == Some(&1));
        (ways.by_nic, ways.by_proxy) = (some(0), some(1));
        Ok(ways)
    }
}

fn no_common(way: Way, without: usize, pe: usize) -> Error {
    let lacks = if way == Way::ByProxy { "ibrc" } else { "ibgda" };
    Error::new(ErrorKind::Mismatch, format!("reach PE {pe}"))
        .because(format!(
            "PE {without} was built without the feature `{lacks}`, which the other end was built with alone"
        ))
        .hint("build the programs of all PEs with the same transport features")
        .about(Pe::new(pe as u32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pes_of_a_host_are_near_in_groups_that_both_ends_count_alike() {
        let config = Config::new().with_max_p2p_gpus(2);
        // PE 2 is on another host.
        let mappable = [true, true, false, true, true];
        assert_eq!(near(&config, Pe::new(0), &mappable), [true, true, false, false, false]);
        assert_eq!(near(&config, Pe::new(4), &mappable), [false, false, false, true, true]);
        assert_eq!(near(&Config::new(), Pe::new(4), &mappable), mappable);
    }

    /// Whether this build can choose at all; says so if not.
    fn has_both() -> bool {
        let both = ["ibgda", "ibrc"].iter().all(|name| crate::compiled::TRANSPORTS.contains(name));
        if !both {
            println!("skipped: this build has not both transports to choose from");
        }
        both
    }

    /// What the PEs choose of which each says whether it leaves posting to proxies.
    fn chosen(proxied: &[bool], near: fn(usize, usize) -> bool) -> Vec<Ways> {
        let n = proxied.len();
        let controls = Control::in_process(n as u32, Some(std::time::Duration::from_secs(60))).unwrap();
        let choose = |control: Control| {
            let me = control.pe().index();
            let remote = RemoteChoice::Named(if proxied[me] { "ibrc" } else { "ibgda" }.into());
            let mut config = Config::new();
            config.remote = remote;
            let ways = Ways::choose(&config, &control, &(0..n).map(|pe| near(me, pe)).collect::<Vec<_>>());
            control.leave().unwrap();
            ways.unwrap()
        };
        std::thread::scope(|scope| {
            let running: Vec<_> = controls.into_iter().map(|control| scope.spawn(|| choose(control))).collect();
            running.into_iter().map(|pe| pe.join().unwrap()).collect()
        })
    }

    #[test]
    fn a_pe_without_a_nic_of_its_own_is_reached_by_proxies_and_the_others_reach_each_other_as_before() {
        if !has_both() {
            return;
        }
        use Way::{ByNic, ByProxy, Near};
        let ways = chosen(&[false, false, false, true], |a, b| a == b || a + b == 1);
        let of: Vec<&[Way]> = ways.iter().map(|ways| &ways.of[..]).collect();
        assert_eq!(of[0], [Near, Near, ByNic, ByProxy]);
        assert_eq!(of[1], [Near, Near, ByNic, ByProxy]);
        assert_eq!(of[2], [ByNic, ByNic, Near, ByProxy]);
        assert_eq!(of[3], [ByProxy, ByProxy, ByProxy, Near]);
        assert!(ways.iter().all(|ways| ways.by_nic && ways.by_proxy));
    }

    #[test]
    fn a_kind_of_queues_that_no_pair_needs_is_not_set_up() {
        let ways = chosen(&[true, false], |a, b| a == b);
        assert!(ways.iter().all(|ways| ways.by_proxy && !ways.by_nic));
        let ways = chosen(&[true, false], |_, _| true);
        assert!(ways.iter().all(|ways| !ways.by_proxy && !ways.by_nic && ways.of == [Way::Near; 2]));
    }
}

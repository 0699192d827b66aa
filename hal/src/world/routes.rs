//! The route to each PE: load/store, or the best remote transport that both ends have.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::sync::Arc;

use oxshmem_core::Pe;
use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_raw::transport::{PeerMessages, TransportContext};

use super::AnyTransport;
use super::agreement::all_ok;
use crate::config::{Config, Connect, RemoteChoice};
use crate::control::Control;
use crate::transports::{self, NotLinked, Preference};

/// The route to a PE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Route {
    /// By load/store.
    LoadStore,
    /// By the remote transport with this index in [`Routes::remote`].
    Remote(usize),
    /// None: this build has no remote transport, or the configuration forbids them.
    None,
}

/// The routes from a PE of a world to the others.
#[derive(Debug)]
pub(super) struct Routes {
    /// By PE.
    pub(super) of: Vec<Route>,
    /// Names of the remote transports that connect some pair of PEs, the best first. The list is the same on each PE,
    /// since all PEs set up each transport together.
    pub(super) remote: Vec<String>,
    /// The remote transport that this PE opens although it connects it to no other PE, so that its kernels find rows of
    /// queues, which are empty, for the world's handles.
    without_peers: Option<usize>,
}

/// Chooses, among the PEs whose memory this one can map, the load/store PEs: all of them, unless the configuration
/// divides the PEs of a host into groups. Both PEs of a pair get the same result, since each counts the PEs of its host
/// from the first.
pub(super) fn load_store_peers(config: &Config, me: Pe, mappable: &[bool]) -> Vec<bool> {
    let Some(group) = config.load_store_group() else { return mappable.to_vec() };
    let mut before = 0;
    let groups: Vec<Option<u32>> = mappable
        .iter()
        .enumerate()
        .map(|(pe, &can)| {
            (can || pe == me.index()).then(|| {
                before += 1;
                (before - 1) / group
            })
        })
        .collect();
    groups.iter().map(|group| group.is_some() && *group == groups[me.index()]).collect()
}

impl Routes {
    /// Chooses for each PE the best route that both ends have: load/store to the PEs of `load_store`, and to the others
    /// the remote transport with the highest priority that both ends prefer. Collective.
    ///
    /// # Errors
    /// The transport that a PE's configuration names is not linked there, or two PEs have none in common.
    pub(super) fn choose(config: &Config, control: &Control, load_store: &[bool]) -> Result<Self> {
        let linked = transports::linked();
        let preferences = config.preferences(&linked);
        // A name that is not linked is an error where load/store reaches every PE, too: each PE learns of it below. But
        // a program for NVSHMEM may have the name of a transport that nothing needs in its environment.
        let is_needed = load_store.contains(&false) || preferences.is_err() && !config.names_nvshmems_transport();
        let mine = Announced { is_needed, transports: preferences.clone().unwrap_or_default() };
        let all = control.all_gather("announce the transports of each PE", &mine.encode())?;
        let all: Vec<Announced> = all.iter().map(|bytes| Announced::decode(bytes)).collect();
        let direct = |load_store: &bool| if *load_store { Route::LoadStore } else { Route::None };
        let mut routes = Self { of: load_store.iter().map(direct).collect(), remote: Vec::new(), without_peers: None };
        if !all.iter().any(|announced| announced.is_needed) {
            return Ok(routes);
        }
        let is_linked = preferences.map_err(|NotLinked| not_linked(config));
        let mine = all_ok(control, "choose a transport to PEs that loads and stores don't reach", is_linked)?;
        // All PEs of a world set up each of its transports together.
        let remote = config.remote != RemoteChoice::None;
        let lazy = config.nic.connect == Connect::Lazy;
        control.agree(
            "init",
            &[
                ("whether a transport reaches what loads and stores don't (0, 1)", remote.into()),
                ("whether queue pairs are connected at their first use (0, 1)", lazy.into()),
            ],
        )?;
        let me = control.pe().index();
        let chosen = choose_common(&all, me, load_store);
        let chosen = all_ok(control, "find a transport that both ends have", chosen)?;
        let used: BTreeSet<&Preference> = chosen.iter().flatten().copied().collect();
        let used = Announced { is_needed: true, transports: used.into_iter().cloned().collect() };
        let used = control.all_gather("announce the transports that each PE needs", &used.encode())?;
        let used: BTreeSet<_> = used.iter().flat_map(|bytes| Announced::decode(bytes).transports).collect();
        let mut used: Vec<_> = used.into_iter().collect();
        used.sort_by_key(|one| (Reverse(one.priority), one.name.clone()));
        for (route, chosen) in routes.of.iter_mut().zip(&chosen) {
            if let Some(index) = chosen.and_then(|chosen| used.iter().position(|one| one == chosen)) {
                *route = Route::Remote(index);
            }
        }
        if !routes.of.iter().any(|route| matches!(route, Route::Remote(_))) && !used.is_empty() {
            routes.without_peers = Some(used.iter().position(|one| mine.contains(one)).unwrap_or(0));
        }
        routes.remote = used.into_iter().map(|one| one.name).collect();
        Ok(routes)
    }

    /// Opens the transports of this PE: load/store, then the remote ones. One that connects it to no other PE is not
    /// opened, unless it is the one in `without_peers`.
    ///
    /// # Errors
    /// A transport can't be opened.
    pub(super) fn open(&self, cx: &TransportContext<'_>, control: &Control) -> Result<Vec<Option<AnyTransport>>> {
        let mut opened = vec![Some(transports::open_load_store(cx, &self.peers(Route::LoadStore)))];
        for (index, name) in self.remote.iter().enumerate() {
            let route = Route::Remote(index);
            let is_open = self.of.contains(&route) || self.without_peers == Some(index);
            let found = transports::linked().into_iter().find(|transport| transport.names().contains(name));
            opened.push(match found {
                Some(transport) if is_open => {
                    // The list of remote transports is the same on each PE, and so is the number of the channel.
                    let mail: Arc<dyn PeerMessages> = Arc::new(control.mail(index as u8));
                    let cx = TransportContext { chosen: name, messages: Some(&mail), ..*cx };
                    let one = transport.open(&cx, &self.peers(route));
                    Some(one.map_err(|error| self.needed(error, name, route, control))?)
                }
                _ => None,
            });
        }
        Ok(opened)
    }

    /// Adds to an error of opening a remote transport why the world needs it.
    fn needed(&self, error: Error, name: &str, route: Route, control: &Control) -> Error {
        let Some(pe) = self.of.iter().position(|of| *of == route) else { return error };
        let pe = Pe::new(pe as u32);
        let why = match control.same_host(pe) {
            true => "no load or store reaches",
            false => "counts as a PE of another host, by OXSHMEM_HOST, its kernel or its network namespace",
        };
        error.because_also(format!("the transport `{name}` is needed for {pe}, which {why}"))
    }

    /// By PE, whether `route` leads to it.
    fn peers(&self, route: Route) -> Vec<bool> {
        self.of.iter().map(|of| *of == route).collect()
    }
}

/// A PE's announcement before routes are chosen.
#[derive(Debug, PartialEq, Eq)]
struct Announced {
    /// Whether some PE is not reached by load/store from here, or the named transport is not linked.
    is_needed: bool,
    /// The remote transports that this PE may use.
    transports: Vec<Preference>,
}

impl Announced {
    /// `0` or `1`, then a line `PRIORITY NAME` for each transport.
    fn encode(&self) -> Vec<u8> {
        let lines = self.transports.iter().map(|one| format!("\n{} {}", one.priority, one.name));
        format!("{}{}", u8::from(self.is_needed), lines.collect::<String>()).into_bytes()
    }

    fn decode(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let mut lines = text.lines();
        let is_needed = lines.next() == Some("1");
        let transport = |line: &str| {
            let (priority, name) = line.split_once(' ')?;
            Some(Preference { priority: priority.parse().ok()?, name: name.into() })
        };
        Self { is_needed, transports: lines.filter_map(transport).collect() }
    }
}

/// Chooses for each PE that is not reached by load/store the best transport that it and this PE (`me`) both announced.
/// `None` also if this PE has none at all, which is an error of the world's start.
fn choose_common<'a>(all: &'a [Announced], me: usize, load_store: &[bool]) -> Result<Vec<Option<&'a Preference>>> {
    let mine = &all[me].transports;
    let common = |(pe, &load_store): (usize, &bool)| {
        let both = mine.iter().filter(|one| all[pe].transports.contains(one));
        let best = both.min_by_key(|one| (Reverse(one.priority), &one.name)).filter(|_| !load_store);
        match best {
            None if !load_store && !mine.is_empty() => Err(no_common(mine, &all[pe].transports, pe)),
            best => Ok(best),
        }
    };
    load_store.iter().enumerate().map(common).collect()
}

fn no_common(mine: &[Preference], theirs: &[Preference], pe: usize) -> Error {
    let list = |all: &[Preference]| match all {
        [] => "none".to_string(),
        all => all.iter().map(|one| one.name.as_str()).collect::<Vec<_>>().join(", "),
    };
    Error::new(ErrorKind::Mismatch, format!("reach PE {pe}"))
        .because(format!(
            "the two ends have no transport in common: this PE can use {}, PE {pe} can use {}",
            list(mine),
            list(theirs)
        ))
        .hint("build the programs of all PEs with the same transports, and set OXSHMEM_REMOTE_TRANSPORT alike")
        .about(Pe::new(pe as u32))
}

fn not_linked(config: &Config) -> Error {
    let names = transports::linked().iter().flat_map(|transport| transport.names()).collect::<Vec<_>>();
    let linked = if names.is_empty() { "none".into() } else { names.join(", ") };
    let name = config.remote.to_string();
    let hint = match transports::how_to_get(&name) {
        Some(how) => format!("{how}; or set it to auto"),
        None => "correct the name, set it to auto, or link the crate that has the transport (`use my_transport as _;`)"
            .into(),
    };
    Error::new(ErrorKind::NotFound, format!("use OXSHMEM_REMOTE_TRANSPORT = {name}"))
        .because(format!("this program links no transport of that name; it links: {linked}"))
        .hint(hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pes_of_a_host_reach_each_other_by_load_and_store_in_groups_that_both_ends_count_alike() {
        let config = Config::new().with_max_p2p_gpus(2);
        // PE 2 is on another host.
        let mappable = [true, true, false, true, true];
        assert_eq!(load_store_peers(&config, Pe::new(0), &mappable), [true, true, false, false, false]);
        assert_eq!(load_store_peers(&config, Pe::new(4), &mappable), [false, false, false, true, true]);
        assert_eq!(load_store_peers(&Config::new(), Pe::new(4), &mappable), mappable);
    }

    #[test]
    fn a_name_that_is_not_linked_is_an_error_that_says_how_to_link_it() {
        let error = |name: &str| {
            let mut config = Config::new();
            config.remote = RemoteChoice::Named(name.into());
            not_linked(&config)
        };
        for (name, how) in [
            ("ucx", "feature `ibrc`, and link the crate oxshmem-ucx in tests/vendored/ucx (`use oxshmem_ucx as _;`)"),
            (
                "libfabric",
                "feature `ibrc`, and link the crate oxshmem-libfabric in tests/vendored/libfabric (`use oxshmem_libfabric as _;`)",
            ),
            ("tcpp", "correct the name"),
        ] {
            let error = error(name).to_string();
            assert!(error.contains(how) && error.contains("it links: "), "{error}");
        }
    }

    #[test]
    fn an_error_of_opening_a_transport_says_which_pe_needs_it_and_why() {
        let controls = Control::in_process(2, Some(std::time::Duration::from_secs(60))).unwrap();
        let (of, remote) = (vec![Route::LoadStore, Route::Remote(0)], vec!["ibgda".to_owned()]);
        let routes = Routes { of, remote, without_peers: None };
        let error = || Error::new(ErrorKind::System, "list this machine's NICs").call("list", 38, "no such function");
        let needed = |error, route| routes.needed(error, "ibgda", route, &controls[0]).to_string();
        let why = "the transport `ibgda` is needed for PE 1, which no load or store reaches";
        let text = format!("cannot list this machine's NICs: {why} (list returned 38: no such function)");
        assert_eq!(needed(error(), Route::Remote(0)), text);
        assert!(needed(error().because("it has none"), Route::Remote(0)).contains(&format!("it has none; {why} (")));
        assert_eq!(needed(error(), Route::Remote(1)), error().to_string());
    }

    /// Returns the routes of PEs, some of which leave posting to proxies (`proxied`).
    fn chosen(proxied: &[bool], load_store: fn(usize, usize) -> bool) -> Vec<Routes> {
        let n = proxied.len();
        let controls = Control::in_process(n as u32, Some(std::time::Duration::from_secs(60))).unwrap();
        let choose = |control: Control| {
            let me = control.pe().index();
            let remote = RemoteChoice::Named(if proxied[me] { "ibrc" } else { "ibgda" }.into());
            let mut config = Config::new();
            config.remote = remote;
            let routes = Routes::choose(&config, &control, &(0..n).map(|pe| load_store(me, pe)).collect::<Vec<_>>());
            control.leave().unwrap();
            routes.unwrap()
        };
        std::thread::scope(|scope| {
            let running: Vec<_> = controls.into_iter().map(|control| scope.spawn(|| choose(control))).collect();
            running.into_iter().map(|pe| pe.join().unwrap()).collect()
        })
    }

    #[test]
    fn a_pe_without_a_nic_of_its_own_is_reached_by_proxies_and_the_others_reach_each_other_as_before() {
        const DIRECT: Route = Route::LoadStore;
        const BY_NIC: Route = Route::Remote(0);
        const BY_PROXY: Route = Route::Remote(1);
        let routes = chosen(&[false, false, false, true], |a, b| a == b || a + b == 1);
        let of: Vec<&[Route]> = routes.iter().map(|routes| &routes.of[..]).collect();
        assert_eq!(of[0], [DIRECT, DIRECT, BY_NIC, BY_PROXY]);
        assert_eq!(of[1], [DIRECT, DIRECT, BY_NIC, BY_PROXY]);
        assert_eq!(of[2], [BY_NIC, BY_NIC, DIRECT, BY_PROXY]);
        assert_eq!(of[3], [BY_PROXY, BY_PROXY, BY_PROXY, DIRECT]);
        assert!(routes.iter().all(|routes| routes.remote == ["ibgda", "ibrc"]));
    }

    #[test]
    fn a_kind_of_queues_that_no_pair_needs_is_not_set_up() {
        let routes = chosen(&[true, false], |a, b| a == b);
        assert!(routes.iter().all(|routes| routes.remote == ["ibrc"]));
        let routes = chosen(&[true, false], |_, _| true);
        assert!(routes.iter().all(|routes| routes.remote.is_empty() && routes.of == [Route::LoadStore; 2]));
    }

    #[test]
    fn a_pe_without_remote_peers_opens_the_transport_that_it_prefers_among_those_in_use() {
        // PEs 2 and 3 reach each other by a remote transport; 0 and 1 reach every PE by load/store.
        let load_store = |a: usize, b: usize| a == b || a < 2 || b < 2;
        let open = |proxied: &[bool]| -> Vec<Option<usize>> {
            chosen(proxied, load_store).iter().map(|routes| routes.without_peers).collect()
        };
        assert_eq!(open(&[false, true, false, false]), [Some(0), Some(0), None, None], "the only one in use");
        assert_eq!(open(&[false, true, true, true]), [Some(0), Some(0), None, None]);
    }

    #[test]
    fn a_transport_that_is_not_linked_is_an_error_that_lists_those_that_are() {
        let controls = Control::in_process(2, Some(std::time::Duration::from_secs(60))).unwrap();
        let choose = |control: Control| {
            let me = control.pe().index();
            let mut config = Config::new();
            config.remote = RemoteChoice::Named(["tcpp", "ibrc"][me].into());
            let routes = Routes::choose(&config, &control, &[me == 0, me == 1]);
            control.leave().unwrap();
            routes.unwrap_err()
        };
        let errors: Vec<Error> = std::thread::scope(|scope| {
            let running: Vec<_> = controls.into_iter().map(|control| scope.spawn(|| choose(control))).collect();
            running.into_iter().map(|pe| pe.join().unwrap()).collect()
        });
        for error in errors {
            assert_eq!(error.kind(), ErrorKind::NotFound);
            let text = error.to_string();
            assert!(text.contains("OXSHMEM_REMOTE_TRANSPORT = tcpp") && text.contains("ibgda, ibrc"), "{text}");
        }
    }

    #[test]
    fn pes_without_a_transport_in_common_are_told_what_each_has() {
        let of = |names: &[&str]| Announced {
            is_needed: true,
            transports: names.iter().map(|name| Preference { priority: 7, name: name.to_string() }).collect(),
        };
        let all = [of(&["ibgda", "ibrc"]), of(&["libfabric"]), of(&[])];
        assert_eq!(Announced::decode(&all[0].encode()), all[0]);
        let error = choose_common(&all, 0, &[true, false, true]).unwrap_err().to_string();
        assert!(error.contains("this PE can use ibgda, ibrc, PE 1 can use libfabric"), "{error}");
        let error = choose_common(&all, 0, &[true, true, false]).unwrap_err().to_string();
        assert!(error.contains("PE 2 can use none"), "{error}");
        assert_eq!(choose_common(&all, 2, &[false, false, true]).unwrap(), [None, None, None]);
    }
}

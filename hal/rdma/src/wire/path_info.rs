//! The path between two ports, from the messages of both PEs.

use oxshmem_core::Pe;
use oxshmem_core::host::{Error, ErrorKind, Result};

use super::connect_info::PortInfo;
use super::gid::{self, Candidate, Class};
use crate::hca::{AhAttr, LinkLayer, VerbsConnect};
use oxshmem_raw::nic_params::WireParams;

/// The hop limit of packets that may leave the subnet.
const HOPS: u8 = 255;

/// The code of the shortest time that a peer waits before it repeats a request for which this side was not ready: 0.64
/// ms. One-sided operations need no receives, so that this side always is ready.
const MIN_RNR_TIMER: u8 = 12;

/// The path from one of this PE's ports to one of a peer's, the same for all queue pairs between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathInfo {
    /// The MTU, of `enum ibv_mtu`.
    pub mtu: u8,
    /// The most reads and atomics of this PE in flight: the smaller of its own limit and the peer's as responder.
    pub rd_atomic: u8,
    /// The most reads and atomics of the peer in flight toward this PE.
    pub dest_rd_atomic: u8,
    /// The address of the peer.
    pub ah: AhAttr,
    /// The class of the addresses that are used, if any are.
    pub class: Option<Class>,
}

impl PathInfo {
    /// Finds the path from port `port` of a NIC of `me` to `pe`, from the messages of both.
    ///
    /// # Errors
    /// The wires differ, there is no common class of address, one end allows no reads in flight, or packets can't be as
    /// large as requested.
    pub fn find(
        params: &WireParams,
        port: u8,
        (me, mine): (Pe, &PortInfo),
        (pe, theirs): (Pe, &PortInfo),
    ) -> Result<Self> {
        let action = || format!("connect queue pairs of {me} with {pe}");
        if mine.link != theirs.link {
            return Err(Error::new(ErrorKind::Mismatch, action())
                .because(format!("{me} is on {}, {pe} on {}", mine.link.text(), theirs.link.text()))
                .about(pe)
                .hint("choose NICs of one fabric with OXSHMEM_HCA_LIST"));
        }
        let mtu = match params.mtu {
            Some(mtu) if mtu > mine.mtu.min(theirs.mtu) => {
                let most = mine.mtu.min(theirs.mtu);
                return Err(Error::new(ErrorKind::OutOfRange, action())
                    .because(format!(
                        "OXSHMEM_IB_MTU asks for {} bytes, and the ports have {} and {}",
                        mtu_bytes(mtu),
                        mtu_bytes(mine.mtu),
                        mtu_bytes(theirs.mtu)
                    ))
                    .amount(mtu_bytes(mtu), mtu_bytes(most), "bytes")
                    .about(pe));
            }
            Some(mtu) => mtu,
            None => mine.mtu.min(theirs.mtu),
        };
        let rd_atomic = credit(action, (me, mine), (pe, theirs), pe)?;
        let dest_rd_atomic = credit(action, (pe, theirs), (me, mine), pe)?;
        let pair = common(me, mine, pe, theirs);
        let needs_route = mine.link == LinkLayer::InfiniBand && (mine.grh_required || theirs.grh_required);
        let global = match (mine.link, pair) {
            (LinkLayer::Ethernet, None) => {
                return Err(Error::new(ErrorKind::Mismatch, action())
                    .because(format!(
                        "they have no kind of address in common: {me} has {}, {pe} has {}",
                        classes(&mine.gids),
                        classes(&theirs.gids)
                    ))
                    .about(pe)
                    .hint("set OXSHMEM_IB_ROCE_VERSION_NUM, OXSHMEM_IB_ADDR_FAMILY or OXSHMEM_IB_GID_INDEX alike"));
            }
            (LinkLayer::Ethernet, pair) => pair,
            (LinkLayer::InfiniBand, Some((own, other))) => {
                // The first half of a GID is its subnet: a router is used only to reach another subnet.
                let routed = own.raw[..8] != other.raw[..8] || mine.lid == 0 || theirs.lid == 0;
                (routed || needs_route || params.gid_index.is_some()).then_some((own, other))
            }
            (LinkLayer::InfiniBand, None) => None,
        };
        if needs_route && global.is_none() {
            return Err(Error::new(ErrorKind::Unreachable, action())
                .because("a port needs a global route header in every packet, and one of the ports has no GID")
                .about(pe)
                .hint("is a subnet manager running?"));
        }
        if mine.link == LinkLayer::InfiniBand && theirs.lid == 0 && global.is_none() {
            return Err(Error::new(ErrorKind::Unreachable, action())
                .because(format!("the port of {pe} has no local identifier"))
                .about(pe)
                .hint("is a subnet manager running?"));
        }
        let ah = AhAttr {
            port,
            dlid: theirs.lid,
            sl: params.service_level,
            global: global.map(|(own, other)| (other.raw, own.index)),
            hop_limit: HOPS,
            traffic_class: params.traffic_class,
        };
        Ok(Self { mtu, rd_atomic, dest_rd_atomic, ah, class: global.map(|(own, _)| own.class) })
    }

    /// Returns the parameters with which verbs connect a queue pair to `remote_qpn`. Verbs have one number of reads and
    /// atomics for both directions: the smaller one is used, so that both ends use the same.
    pub fn by_verbs(&self, params: &WireParams, remote_qpn: u32) -> VerbsConnect {
        VerbsConnect {
            ah: self.ah,
            remote_qpn,
            mtu: self.mtu,
            pkey_index: params.pkey_index,
            timeout: params.ack_timeout,
            retry_cnt: params.retry_count,
            rnr_retry: params.rnr_retry,
            rd_atomic: self.rd_atomic.min(self.dest_rd_atomic),
            min_rnr_timer: MIN_RNR_TIMER,
        }
    }
}

/// Returns the largest number of reads and atomics of `asks` in flight toward `answers`: the smaller of the two limits.
fn credit(action: impl Fn() -> String, asks: (Pe, &PortInfo), answers: (Pe, &PortInfo), about: Pe) -> Result<u8> {
    let (can_ask, can_answer) = (asks.1.rd_atomic, answers.1.dest_rd_atomic);
    if can_ask.min(can_answer) > 0 {
        return Ok(can_ask.min(can_answer));
    }
    let reason = format!(
        "{} may have {can_ask} reads and atomics outstanding, {} answers {can_answer}; each end needs at least 1",
        asks.0, answers.0
    );
    Err(Error::new(ErrorKind::Mismatch, action()).because(reason).about(about).hint(
        "use devices with RDMA reads and atomics (`ibv_devinfo -v` shows max_qp_rd_atom and max_qp_init_rd_atom)",
    ))
}

/// Returns the addresses of the first class that both ports have. Both ends find the same class, because both use the
/// lower PE's order.
fn common(me: Pe, mine: &PortInfo, pe: Pe, theirs: &PortInfo) -> Option<(Candidate, Candidate)> {
    if me.number() < pe.number() {
        gid::common(&mine.gids, &theirs.gids).map(|(own, other)| (mine.gids[own], theirs.gids[other]))
    } else {
        gid::common(&theirs.gids, &mine.gids).map(|(other, own)| (mine.gids[own], theirs.gids[other]))
    }
}

fn classes(gids: &[Candidate]) -> String {
    let names: Vec<&str> = gids.iter().map(|gid| gid.class.text()).collect();
    if names.is_empty() { "none".into() } else { names.join(" and ") }
}

/// Returns the number of bytes of an `enum ibv_mtu`.
pub fn mtu_bytes(mtu: u8) -> u64 {
    128 << mtu.min(5)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn port(pe: u8, rd_atomic: u8, dest_rd_atomic: u8) -> PortInfo {
        let gids = vec![Candidate { class: Class::V2Ipv4, index: 3, raw: [pe; 16] }];
        PortInfo { link: LinkLayer::Ethernet, lid: 0, mtu: 5, rd_atomic, dest_rd_atomic, grh_required: false, gids }
    }

    /// Returns the paths from PE 0 to PE 1 and back, as each finds its own.
    fn ways(ports: [&PortInfo; 2]) -> [Result<PathInfo>; 2] {
        let [a, b] = [(Pe::new(0), ports[0]), (Pe::new(1), ports[1])];
        let params = WireParams::default();
        [PathInfo::find(&params, 1, a, b), PathInfo::find(&params, 1, b, a)]
    }

    #[test]
    fn where_credits_differ_both_ends_use_the_smaller_one_in_each_direction() {
        let [there, back] = ways([&port(0, 16, 2), &port(1, 8, 4)]).map(Result::unwrap);
        assert_eq!((there.rd_atomic, there.dest_rd_atomic), (4, 2), "PE 1 answers 4, PE 0 answers 2");
        assert_eq!((back.rd_atomic, back.dest_rd_atomic), (2, 4), "the other end agrees");
        let by_verbs = [there, back].map(|way| way.by_verbs(&WireParams::default(), 7).rd_atomic);
        assert_eq!(by_verbs, [2, 2], "what verbs call both directions by is the smallest of all");
    }

    #[test]
    fn an_end_that_takes_no_reads_is_an_error_at_both_ends_with_both_limits() {
        for answer in ways([&port(0, 16, 16), &port(1, 16, 0)]) {
            let error = answer.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Mismatch);
            let text = error.to_string();
            assert!(text.contains("PE 0 may have 16 reads and atomics outstanding, PE 1 answers 0"), "{text}");
            assert!(text.contains("max_qp_rd_atom"), "{text}");
        }
    }

    #[test]
    fn packets_have_a_global_route_within_a_subnet_if_either_port_needs_it() {
        let port = |pe: u8, grh_required, gids: bool| {
            let gid = Candidate {
                class: Class::InfiniBand,
                index: 0,
                raw: [[0xfe; 8], [pe; 8]].concat().try_into().unwrap(),
            };
            let gids = gids.then_some(gid).into_iter().collect();
            PortInfo { link: LinkLayer::InfiniBand, lid: 7, grh_required, gids, ..super::tests::port(pe, 16, 16) }
        };
        for (needs, has) in
            [([false, false], false), ([true, false], true), ([false, true], true), ([true, true], true)]
        {
            for way in ways([&port(1, needs[0], true), &port(2, needs[1], true)]) {
                assert_eq!(way.unwrap().ah.global.is_some(), has, "{needs:?}");
            }
        }
        for way in ways([&port(1, true, true), &port(2, false, false)]) {
            let error = way.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Unreachable);
            assert!(error.to_string().contains("global route"), "{error}");
        }
    }

    #[test]
    fn the_way_is_by_the_peers_address_and_this_ends_entry() {
        let [there, _] = ways([&port(5, 1, 1), &port(6, 1, 1)]).map(Result::unwrap);
        assert_eq!((there.ah.global, there.class), (Some(([6; 16], 3)), Some(Class::V2Ipv4)));
        let connect = there.by_verbs(&WireParams { pkey_index: 3, ..WireParams::default() }, 0x77);
        assert_eq!((connect.remote_qpn, connect.pkey_index, connect.timeout, connect.mtu), (0x77, 3, 20, 5));
    }
}

//! The relays of a team on several nodes.
//!
//! A node is a set of members that reach each other by loads and stores and no other member. Data that a member sends
//! to all members crosses to each other node once: to the member of that node with the sender's number in its own node,
//! modulo the node's size. That member passes it on.

use oxshmem_raw::state::team::Member;

/// A member's node, as the member itself describes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Node {
    /// The first member of the node, by its number in the team.
    pub(super) first: u32,
    /// Number of members of the node.
    pub(super) size: u32,
}

impl Node {
    /// Returns the node of a member that reaches these members, itself among them, by loads and stores.
    pub(super) fn of(reached: impl IntoIterator<Item = bool>) -> Self {
        let reached: Vec<u32> =
            (0..).zip(reached).filter_map(|(member, by_load_store)| by_load_store.then_some(member)).collect();
        Self { first: reached.first().copied().unwrap_or(0), size: reached.len() as u32 }
    }
}

/// Returns, for each member, the marks of its entry in the table of member `me`; `None` if relays would save nothing,
/// or the members' descriptions fit no nodes. Every member computes this from the same descriptions.
pub(super) fn marks(nodes: &[Node], me: usize) -> Option<Vec<u64>> {
    let members_of = |first: u32| (0..nodes.len()).filter(move |member| nodes[*member].first == first);
    let is_node = |node: &Node| {
        members_of(node.first).all(|member| nodes[member] == *node)
            && members_of(node.first).count() == node.size as usize
    };
    let is_own_first = |node: &Node| nodes.get(node.first as usize).is_some_and(|first| first == node);
    let (several, whole) =
        (nodes.iter().any(|node| node.size > 1), nodes.iter().any(|node| node.size as usize == nodes.len()));
    if !several || whole || !nodes.iter().all(|node| is_node(node) && is_own_first(node)) {
        return None;
    }
    let number = |member: usize| members_of(nodes[member].first).position(|other| other == member).unwrap_or(0);
    // The member of the node of `of` that gets data of `from`.
    let relay = |from: usize, of: usize| members_of(nodes[of].first).nth(number(from) % nodes[of].size as usize);
    let mark = |member: usize| {
        if nodes[member] == nodes[me] {
            return 0;
        }
        let via = if relay(me, member) == Some(member) { 0 } else { Member::VIA_RELAY };
        via | if relay(member, me) == Some(me) { Member::RECEIVED } else { 0 }
    };
    Some((0..nodes.len()).map(mark).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the node of each member, given the letter of each member's node.
    fn nodes(letters: &str) -> Vec<Node> {
        letters.chars().map(|own| Node::of(letters.chars().map(|other| other == own))).collect()
    }

    #[test]
    fn each_members_data_reaches_every_other_member_over_one_way() {
        for letters in ["aabb", "aaabbb", "abab", "aab", "baa", "aaabbc", "aabbccc", "abcabca"] {
            let (nodes, n) = (nodes(letters), letters.len());
            let tables: Vec<Vec<u64>> = (0..n).map(|me| marks(&nodes, me).unwrap()).collect();
            for from in 0..n {
                let remote = |to: &usize| nodes[*to] != nodes[from];
                let direct: Vec<usize> =
                    (0..n).filter(|to| tables[from][*to] & Member::VIA_RELAY == 0).filter(remote).collect();
                let receivers: Vec<usize> = (0..n).filter(|to| tables[*to][from] & Member::RECEIVED != 0).collect();
                assert_eq!(direct, receivers, "{letters}: member {from} sends to those that expect it");
                let mut reached: Vec<u32> = receivers.iter().map(|to| nodes[*to].first).collect();
                reached.sort_unstable();
                let mut others: Vec<u32> = (0..n).filter(remote).map(|to| nodes[to].first).collect();
                others.sort_unstable();
                others.dedup();
                assert_eq!(reached, others, "{letters}: member {from} sends to each other node once");
            }
        }
    }

    #[test]
    fn senders_of_a_node_have_different_relays() {
        let nodes = nodes("aabb");
        assert_eq!(marks(&nodes, 2).unwrap(), [Member::RECEIVED, Member::VIA_RELAY, 0, 0]);
        assert_eq!(marks(&nodes, 3).unwrap(), [Member::VIA_RELAY, Member::RECEIVED, 0, 0]);
    }

    #[test]
    fn there_are_no_relays_where_they_save_nothing_or_where_there_are_no_nodes() {
        for letters in ["a", "aaa", "ab", "abc"] {
            assert_eq!(marks(&nodes(letters), 0), None, "{letters}");
        }
        // Member 1 reaches 0 and 2, which do not reach each other.
        let chain = [[true, true, false], [true, true, true], [false, true, true]].map(Node::of);
        assert_eq!(marks(&chain, 0), None);
    }
}

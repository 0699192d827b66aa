use super::*;
use crate::bootstrap::frame::{Frame, Inbox};

const TREE: Tree = Tree { n_pes: 13, fan_out: 3 };

/// The far end of one connection of a hub.
struct Far {
    connection: Connection,
    inbox: Inbox,
}

impl Far {
    fn pair() -> (Connection, Self) {
        let (near, connection) = Connection::pair().unwrap();
        (near, Self { connection, inbox: Inbox::default() })
    }

    fn send(&self, pieces: Vec<Arc<[u8]>>) {
        self.connection.send_all(&pieces.concat(), Deadline::at(None)).unwrap();
    }

    /// Returns the PEs of the deaths that have arrived.
    fn deaths(&mut self) -> Vec<u32> {
        let mut buffer = [0; 4096];
        while let Ok(bytes @ 1..) = self.connection.recv_some(&mut buffer) {
            self.inbox.push(&buffer[..bytes]);
        }
        let mut deaths = Vec::new();
        while let Some(frame) = self.inbox.next().unwrap() {
            assert_eq!(frame.kind, FrameKind::Dead);
            deaths.push(frame.pe);
        }
        deaths
    }
}

/// The hub of PE 5, a child of the root, with the far ends of its connections.
struct Relay {
    hub: Hub,
    up: Option<Far>,
    own: Far,
    children: BTreeMap<u32, Far>,
}

impl Relay {
    fn new() -> Self {
        Self::below(0)
    }

    fn below(parent: u32) -> Self {
        let (up, far_up) = Far::pair();
        let (own, far_own) = Far::pair();
        let mut members = BTreeMap::from([(5, Member::new(own, 5..6))]);
        let mut children = BTreeMap::new();
        for pe in 6..9 {
            let (child, far) = Far::pair();
            members.insert(pe, Member::new(child, pe..pe + 1));
            children.insert(pe, far);
        }
        let state = RelayState::new(TREE.subtree(5), TREE.n_pes);
        let node = Node::Relay { state, parent, up: Some(Member::new(up, 0..0)), root_is_dead: false };
        Self { hub: Hub::new(TREE, 5, node, members), up: Some(far_up), own: far_own, children }
    }

    fn end_child(&mut self, pe: u32) {
        self.children.remove(&pe).unwrap();
        self.hub.serve_member(pe, &mut [0; 4096]);
    }

    fn end_root(&mut self) {
        self.up = None;
        self.hub.serve_parent(&mut [0; 4096]);
    }

    fn has_parent(&mut self) -> bool {
        let far = &self.up.as_ref().unwrap().connection;
        !matches!(far.recv_some(&mut [0]), Ok(0))
    }

    fn root_announces(&mut self, pe: u32) {
        self.up.as_ref().unwrap().send(death(pe, "gone"));
        self.hub.serve_parent(&mut [0; 4096]);
    }
}

#[test]
fn a_death_that_the_root_did_not_announce_before_it_died_is_announced_in_the_subtree() {
    let mut relay = Relay::new();
    relay.end_child(6);
    assert_eq!(relay.up.as_mut().unwrap().deaths(), [6]);
    assert_eq!(relay.own.deaths(), [], "the root decides while it lives");
    relay.end_root();
    assert_eq!(relay.own.deaths(), [0, 6]);
    assert_eq!(relay.children.get_mut(&7).unwrap().deaths(), [0, 6]);
}

#[test]
fn a_death_that_the_root_announced_is_not_announced_again() {
    let mut relay = Relay::new();
    relay.end_child(6);
    relay.root_announces(6);
    assert_eq!(relay.own.deaths(), [6]);
    relay.end_root();
    assert_eq!(relay.own.deaths(), [0]);
}

#[test]
fn a_death_after_the_announcement_of_the_roots_own_needs_no_root_although_its_connection_is_open() {
    let mut relay = Relay::new();
    relay.root_announces(0);
    assert_eq!(relay.own.deaths(), [0, 0], "by the root and by the hub");
    assert!(relay.has_parent(), "the root's process would take the end of the connection for the death of PE 5");
    relay.end_child(6);
    assert_eq!(relay.own.deaths(), [6]);
    assert_eq!(relay.children.get_mut(&7).unwrap().deaths(), [0, 0, 6]);
    assert_eq!(relay.up.as_mut().unwrap().deaths(), [], "the root announces nothing");
    // The hub of the root may still pass mail on.
    let mail = Frame { kind: FrameKind::Mail, op: 0, pe: 12, count: 0, seq: 5, step: "", blob: b"news" }.encoded();
    relay.own.send(vec![mail.clone()]);
    relay.hub.serve_member(5, &mut [0; 4096]);
    let mut received = vec![0; mail.len()];
    relay.up.as_ref().unwrap().connection.recv_all(&mut received, Deadline::at(None)).unwrap();
    assert_eq!(received, *mail);
    // The PE passes on the deaths that its siblings tell it of.
    relay.own.send(death(12, "gone"));
    relay.hub.serve_member(5, &mut [0; 4096]);
    assert_eq!(relay.children.get_mut(&7).unwrap().deaths(), [12]);
    assert_eq!(relay.own.deaths(), [12]);
}

#[test]
fn a_parent_below_the_root_that_fails_stays_the_parent() {
    let mut relay = Relay::below(1);
    relay.root_announces(1);
    assert_eq!(relay.own.deaths(), [1]);
    relay.end_child(6);
    assert_eq!((relay.own.deaths(), relay.up.as_mut().unwrap().deaths()), (vec![], vec![6]));
}

#[test]
fn frames_that_come_with_the_announcement_of_the_roots_death_are_passed_on() {
    let mut relay = Relay::new();
    relay.up.as_ref().unwrap().send([12, 0, 11].map(|pe| death(pe, "gone")).concat());
    relay.hub.serve_parent(&mut [0; 4096]);
    assert_eq!(relay.own.deaths(), [12, 0, 11, 0]);
}

#[test]
fn a_root_whose_pe_is_gone_or_failed_ignores_the_deaths_that_its_children_pass_on() {
    for is_gone in [true, false] {
        let (own, far_own) = Far::pair();
        let (leaf, mut far_leaf) = Far::pair();
        let (other, mut far_other) = Far::pair();
        let members = [(0, own), (1, leaf), (9, other)].map(|(pe, near)| (pe, Member::new(near, TREE.subtree(pe))));
        let node = Node::Root(CollectiveState::new(TREE.n_pes, None));
        let mut hub = Hub::new(TREE, 0, node, BTreeMap::from(members));
        let mut far_own = Some(far_own);
        match is_gone {
            true => far_own = None,
            false => far_own.as_ref().unwrap().send(death(0, "a kernel failed")),
        }
        hub.serve_member(0, &mut [0; 4096]);
        assert_eq!((far_leaf.deaths(), far_other.deaths()), (vec![0], vec![0]));
        far_leaf.send(death(0, "gone"));
        hub.serve_member(1, &mut [0; 4096]);
        assert_eq!(far_other.deaths(), [], "PE 1 lives");
        drop(far_own);
    }
}

#[test]
fn mail_reaches_its_pe_and_a_pe_that_sends_some_in_the_name_of_another_is_dead() {
    let mut relay = Relay::new();
    let mail = |from: u64| {
        Frame { kind: FrameKind::Mail, op: 0, pe: 8, count: 0, seq: from, step: "", blob: b"word" }.encoded()
    };
    for (from, is_alive) in [(6, true), (7, false)] {
        relay.children[&6].send(vec![mail(from)]);
        relay.hub.serve_member(6, &mut [0; 4096]);
        assert_eq!(relay.hub.members.contains_key(&6), is_alive, "mail in the name of PE {from}");
    }
    let mut arrived = [0; 4096];
    let bytes = relay.children[&8].connection.recv_some(&mut arrived).unwrap();
    assert_eq!(arrived[..bytes], *mail(6), "PE 7 sent none");
    assert_eq!(relay.up.as_mut().unwrap().deaths(), [6]);
}

//! The two kinds of hubs: the root, and a relay with its connection to its parent.

use std::sync::Arc;
use std::time::Instant;

use super::Member;
use super::relay::RelayState;
use super::state::{CollectiveState, Message};

/// The root decides on calls, the other hubs pass them on.
pub(super) enum Node {
    Root(CollectiveState),
    Relay {
        state: RelayState,
        parent: u32,
        /// The connection to the parent, which covers no PEs; `None` once it is gone.
        up: Option<Member>,
        /// The parent is the root, and has announced its own PE's death. Its process may live on, and pass mail on.
        root_is_dead: bool,
    },
}

impl Node {
    /// Returns whether all PEs have left the world properly.
    pub(super) fn left(&self) -> bool {
        match self {
            Self::Root(state) => state.left(),
            Self::Relay { state, .. } => state.left(),
        }
    }

    /// Returns the connection to the parent, if there is one.
    pub(super) fn up(&self) -> Option<&Member> {
        match self {
            Self::Root(_) => None,
            Self::Relay { up, .. } => up.as_ref(),
        }
    }

    /// Returns whether this hub itself announces the deaths in its subtree.
    pub(super) fn announces_deaths(&self) -> bool {
        matches!(self, Self::Relay { up: None, .. } | Self::Relay { root_is_dead: true, .. })
    }

    /// Returns the next moment at which [`tick`](Self::tick) has work to do.
    pub(super) fn deadline(&self) -> Option<Instant> {
        match self {
            Self::Root(state) => state.deadline(),
            Self::Relay { state, .. } => state.deadline(),
        }
    }

    /// Does the work that is due: the root fails calls, a relay sends arrivals.
    pub(super) fn tick(&mut self, now: Instant, messages: &mut Vec<Message>) {
        match self {
            Self::Root(state) => state.tick(now, messages),
            Self::Relay { state, up, .. } => queue_all(up, |pieces| state.tick(now, pieces)),
        }
    }
}

/// Queues for the parent, if it is there, the pieces that `change` appends.
pub(super) fn queue_all<T>(up: &mut Option<Member>, change: impl FnOnce(&mut Vec<Arc<[u8]>>) -> T) -> T {
    let mut pieces = Vec::new();
    let changed = change(&mut pieces);
    if let Some(up) = up {
        up.queue(pieces);
    }
    changed
}

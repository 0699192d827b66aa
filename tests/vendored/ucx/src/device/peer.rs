//! Peers: an endpoint of UCX to each device, the keys on it, and the flushes that bring writes to their targets.
//!
//! UCX completes a write when its source may be reused. Only a flush says that it has arrived: one that starts after
//! the write. At most one flush is in flight to a peer, and the next one covers all writes that were started meanwhile.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use oxshmem_rdma::fabric::Status;

use super::envelope::PeerKey;
use super::failure::{self, Failure};
use crate::ucp::endpoint::{Endpoint, RemoteKey};
use crate::ucp::request::{Progress, Request};

/// A peer's device.
pub(super) struct Peer {
    /// `None` once it is closed, after a failure.
    endpoint: Option<Endpoint>,
    /// By the numbers of the device's imported keys. Dropped with the peer, after its operations.
    keys: HashMap<u64, RemoteKey>,
    /// The number of writes that were started, and how many of them have arrived.
    started: u64,
    arrived: u64,
    /// The flush in flight, and the number of writes that it covers.
    flush: Option<(Request, u64)>,
    closing: Option<Request>,
    failure: Option<Failure>,
}

impl Peer {
    pub(super) fn new(endpoint: Endpoint) -> Self {
        Self {
            endpoint: Some(endpoint),
            keys: HashMap::new(),
            started: 0,
            arrived: 0,
            flush: None,
            closing: None,
            failure: None,
        }
    }

    /// Returns the reason for which the peer is not reached any more.
    pub(super) fn failure(&self) -> Option<Failure> {
        self.failure
    }

    /// Reports whether its endpoint is closed and UCX has ended all operations of it.
    pub(super) fn is_closed(&self) -> bool {
        self.endpoint.is_none() && self.closing.is_none()
    }

    /// Returns the endpoint, and the key of this number on it.
    pub(super) fn ready(&mut self, number: u64, key: &PeerKey) -> Result<(&mut Endpoint, &RemoteKey), Failure> {
        let gone = self.failure.unwrap_or((Status::PeerGone, 0));
        let endpoint = self.endpoint.as_mut().ok_or(gone)?;
        let key = match self.keys.entry(number) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => {
                // SAFETY: **whole**: the envelope of the key had all of its bytes. The keys of a peer are dropped with
                // it.
                let unpacked = unsafe { endpoint.key(&key.packed) }.map_err(failure::of)?;
                place.insert(unpacked)
            }
        };
        Ok((endpoint, key))
    }

    /// Counts a write that was started, and returns its number.
    pub(super) fn count(&mut self) -> u64 {
        self.started += 1;
        self.started
    }

    /// Reports whether the write of this number has arrived.
    pub(super) fn has_arrived(&self, write: u64) -> bool {
        write <= self.arrived
    }

    /// Starts a flush if writes need one and none is in flight.
    pub(super) fn flush(&mut self) {
        let Some(endpoint) = &mut self.endpoint else { return };
        if self.flush.is_some() || self.started == self.arrived {
            return;
        }
        match endpoint.flush() {
            Progress::Done => self.arrived = self.started,
            Progress::Pending(request) => self.flush = Some((request, self.started)),
            Progress::Failed(status) => self.fail(failure::of(status)),
        }
    }

    /// Updates the state after progress of the worker.
    pub(super) fn progress(&mut self) {
        if let Some(status) = self.endpoint.as_ref().and_then(Endpoint::lost) {
            self.fail(failure::of(status));
        }
        if let Some((request, covers)) = &self.flush {
            match request.state() {
                Ok(false) => {}
                Ok(true) => {
                    self.arrived = *covers;
                    self.flush = None;
                }
                Err(status) => {
                    self.flush = None;
                    self.fail(failure::of(status));
                }
            }
        }
        if self.closing.as_ref().is_some_and(|closing| closing.state() != Ok(false)) {
            self.closing = None;
        }
        self.flush();
    }

    /// Closes the endpoint, which ends all operations on it.
    pub(super) fn fail(&mut self, failure: Failure) {
        let Some(endpoint) = self.endpoint.take() else { return };
        self.failure = Some(failure);
        if let Progress::Pending(request) = endpoint.close() {
            self.closing = Some(request);
        }
    }
}

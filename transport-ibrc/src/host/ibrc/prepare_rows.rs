//! First step of making rows: creates their endpoints and announces the addresses to the peers.

use std::sync::Arc;

use oxshmem_core::Pe;
use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_raw::fabric::{Endpoint, EndpointRequest, Handle, INLINE_BYTES};
use oxshmem_raw::queue::host::ConnectData;

use super::Ibrc;
use super::connection::{CompletionQueues, Connection, PreparedRows};
use super::endpoint_pair::EndpointPair;
use crate::host::memory::registrations::Registrations;

/// Hint for errors of creating endpoints.
pub(in crate::host) const HINT_OF_QPS: &str = "fewer (OXSHMEM_IBGDA_NUM_RC_PER_PE) or shallower ones (OXSHMEM_QP_DEPTH) take less; their memory counts for \
     `ulimit -l`, and the device may be shared with other programs";

impl Ibrc {
    /// Creates the endpoints of `count` rows. With `default` these are the default rows, and the host's own row is
    /// added.
    ///
    /// # Errors
    /// `Exhausted`: too few rows, endpoints or completion queue entries are free.
    pub(super) fn prepare(&mut self, default: bool, count: u32) -> Result<PreparedRows> {
        let first = self.rows.find_free(default, count)?;
        let total = count + u32::from(default);
        let nics: Vec<usize> = (0..total).map(|row| self.assignment.nic_of(first + row, row == count)).collect();
        self.check_endpoints(&nics)?;
        let cqs = self.create_completion_queues(first, &nics)?;
        let n_pes = self.n_pes();
        let mut data = ConnectData {
            nics: self.registrations.iter().map(|registered| registered.nic.device.address()).collect(),
            nic_of_row: nics.iter().map(|nic| *nic as u8).collect(),
            endpoints: vec![vec![Vec::new(); n_pes]; total as usize],
        };
        let mut rows = Vec::new();
        let mut created = 0;
        let all = total * self.assignment.remote_pes().count() as u32;
        for (index, &nic) in (0..).zip(&nics) {
            let mut row = self.rows.empty_row();
            for pe in self.assignment.remote_pes() {
                let cq = cqs.of_proxy(self.assignment.proxy_of(nic, first + index, pe));
                created += 1;
                let (connection, pair) = self.create_connection(nic, cq).map_err(|error| {
                    error.because(format!("it is number {created} of {all} that this PE makes now")).hint(HINT_OF_QPS)
                })?;
                data.endpoints[index as usize][pe.index()] = pair.encode();
                row[pe.index()] = Some(connection);
            }
            rows.push(row);
        }
        Ok(PreparedRows { first, rows, cqs, has_host_row: default, data })
    }

    /// Checks that each NIC has endpoints for the rows whose NICs are `nics`.
    fn check_endpoints(&self, nics: &[usize]) -> Result<()> {
        let remote = self.assignment.remote_pes().count() as u32;
        for (number, Registrations { nic, .. }) in self.registrations.iter().enumerate() {
            let rows = nics.iter().filter(|of| **of == number).count() as u32;
            let endpoints = rows * remote * nic.endpoints_each();
            if endpoints > nic.caps.max_endpoints {
                return Err(Error::new(ErrorKind::Exhausted, format!("create queue pairs on {}", nic.name()))
                    .amount(endpoints.into(), nic.caps.max_endpoints.into(), "queue pairs")
                    .hint("lower OXSHMEM_IBGDA_NUM_RC_PER_PE, or ask qp_create for fewer"));
            }
        }
        Ok(())
    }

    /// Creates a completion queue for each proxy that serves some of these rows.
    fn create_completion_queues(&self, first: u32, nics: &[usize]) -> Result<CompletionQueues> {
        let mut load = vec![0u32; self.proxies.len()];
        for (row, &nic) in (first..).zip(nics) {
            self.assignment.remote_pes().for_each(|pe: Pe| load[self.assignment.proxy_of(nic, row, pe)] += 1);
        }
        let mut cqs = CompletionQueues::default();
        for (proxy, queues) in load.into_iter().enumerate() {
            let nic = &self.registrations[proxy % self.registrations.len()].nic;
            let entries = u64::from(queues) * u64::from(self.config.depth);
            if entries > nic.caps.max_completions.into() {
                return Err(Error::new(ErrorKind::Exhausted, format!("create a completion queue on {}", nic.name()))
                    .amount(entries, nic.caps.max_completions.into(), "entries")
                    .hint(
                        "ask for shallower queue pairs (OXSHMEM_QP_DEPTH), fewer of them \
                         (OXSHMEM_IBGDA_NUM_RC_PER_PE), or more proxies (OXSHMEM_PROXY_THREADS)",
                    ));
            }
            let cq = if queues == 0 { Handle(0) } else { nic.device.create_completion_queue(entries as u32)? };
            cqs.push(nic.clone(), cq);
        }
        Ok(cqs)
    }

    /// Creates the endpoints of one queue.
    fn create_connection(&self, nic: usize, cq: Handle) -> Result<(Connection, EndpointPair)> {
        let nic = &self.registrations[nic].nic;
        let request = EndpointRequest { depth: self.config.depth, inline_bytes: INLINE_BYTES as u32 };
        let create = || -> Result<(Endpoint, Vec<u8>)> {
            let (mut endpoint, address) = nic.device.create_endpoint(cq, &request)?;
            // An endpoint may have more room than requested. When it stops, all requests on it complete, and the
            // completion queue has room for no more than the requested number.
            endpoint.depth = endpoint.depth.clamp(1, request.depth);
            Ok((endpoint, address))
        };
        let (endpoint, main) = create()?;
        let (device, counts) = (nic.device.clone(), Arc::default());
        let mut connection = Connection { device, endpoint, fetch_endpoint: None, cq, counts, slots: None };
        let mut pair = EndpointPair { main, fetch: None };
        if nic.empty_fetches {
            let (endpoint, address) = create()?;
            pair.fetch = Some(address);
            connection.endpoint.depth = connection.endpoint.depth.min(endpoint.depth);
            connection.fetch_endpoint = Some(endpoint);
        }
        Ok((connection, pair))
    }
}

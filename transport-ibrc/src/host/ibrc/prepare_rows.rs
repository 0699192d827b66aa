//! First step of making rows: creates their endpoints and announces the addresses to the peers.

use std::ops::Range;

use oxshmem_core::Pe;
use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_raw::queue::host::{ConnectData, Row};
use oxshmem_rdma::fabric::Handle;

use super::Ibrc;
use crate::host::connection::{CompletionQueues, Connection, HINT_OF_QPS, RowQueue};
use crate::host::memory::registrations::Registrations;

/// Rows that are not connected. Their endpoints exist unless they are connected at their first use.
#[derive(Debug)]
pub(in crate::host) struct PreparedRows {
    pub(super) first: u32,
    /// If these are the default rows, the last one is the host's own.
    pub(super) rows: Vec<Row<RowQueue>>,
    /// Dropped after the endpoints.
    pub(super) cqs: CompletionQueues,
    pub(super) has_host_row: bool,
    /// This PE's part of the exchange that connects them.
    pub(super) data: ConnectData,
}

impl Ibrc {
    /// Creates the endpoints of these rows, unless queues are connected at their first use. With the default rows, from
    /// 0 on, the host's own row is added.
    ///
    /// # Errors
    /// `InvalidArgument`: a row exists. `Exhausted`: too few endpoints or completion queue entries are free.
    pub(super) fn prepare(&mut self, numbers: Range<u32>) -> Result<PreparedRows> {
        self.rows.check_free(&numbers)?;
        let (first, count, default) = (numbers.start, numbers.len() as u32, numbers.start == 0);
        let total = count + u32::from(default);
        let nics: Vec<usize> = (0..total).map(|row| self.assignment.nic_of(first + row, row == count)).collect();
        let n_pes = self.n_pes();
        if self.connector.is_some() {
            // Endpoints are created when the queues are first used.
            let row = || (0..n_pes).map(|pe| self.assignment.remote[pe].then(RowQueue::default)).collect();
            let data = ConnectData { nics: Vec::new(), nic_of_row: Vec::new(), endpoints: Vec::new() };
            let (rows, cqs) = ((0..total).map(|_| row()).collect(), CompletionQueues::default());
            return Ok(PreparedRows { first, rows, cqs, has_host_row: default, data });
        }
        self.check_endpoints(&nics)?;
        let cqs = self.create_completion_queues(first, &nics)?;
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
                let nic = &self.registrations[nic].nic;
                let (connection, pair) = Connection::create(nic, self.config.depth, cq).map_err(|error| {
                    error.because(format!("it is number {created} of {all} that this PE makes now")).hint(HINT_OF_QPS)
                })?;
                data.endpoints[index as usize][pe.index()] = pair.encode();
                row[pe.index()] = Some(RowQueue::new(Some(connection)));
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
}

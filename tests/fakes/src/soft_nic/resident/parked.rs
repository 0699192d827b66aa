//! Queues that the kernel has parked, because its tables lack an entry, or stopped; the software NIC decides.

use oxshmem_nic_kernels::resident::table::{Report, reason, status};
use oxshmem_rdma::hca::access;
use oxshmem_rdma::mlx5::cqe::syndrome;
use oxshmem_softnic::PlaneRegion;

use super::runner::Runner;
use super::served::broken;
use super::tell;

/// Number of times after which a parked entry fails for good.
const TRIES: u32 = 100;

impl Runner {
    /// Handles the kernel's report of a queue.
    pub(super) fn look_at_report(&mut self, place: usize) -> Result<(), String> {
        let report = self.report(place);
        match report.status {
            status::PARKED => self.resolve(place, &report),
            status::STOPPED => {
                let traces = self.traces;
                let Some(served) = &mut self.queues[place] else { return Ok(()) };
                if !served.stopped {
                    served.stopped = true;
                    served.queue.side.stopped(report.next, broken(&report));
                    if traces {
                        tell(format!("queue {place} stopped: {report:?}"));
                    }
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Finds the missing entry, and lets the queue go on or fail.
    fn resolve(&mut self, place: usize, report: &Report) -> Result<(), String> {
        self.settle(place);
        self.parked += 1;
        let Report { reason: why, next, key, at, bytes, .. } = *report;
        let Some(served) = &mut self.queues[place] else { return Ok(()) };
        served.tries = if served.tries.0 == next { (next, served.tries.1 + 1) } else { (next, 1) };
        let hopeless = served.tries.1 > TRIES;
        let (key, side) = (key as u32, &served.queue.side);
        let (nic, found): (u16, Result<PlaneRegion, u8>) = match why {
            reason::LOCAL_READ => (served.queue.nic, side.local(next, key, at, bytes, false)),
            reason::LOCAL_WRITE => (served.queue.nic, side.local(next, key, at, bytes, true)),
            _ => {
                let needs = match why {
                    reason::REMOTE_READ => access::REMOTE_READ,
                    reason::REMOTE_ATOMIC => access::REMOTE_ATOMIC,
                    _ => access::REMOTE_WRITE,
                };
                (served.queue.peer, side.remote(next, key, at, bytes, needs))
            }
        };
        if self.traces {
            let number = served.tries.1;
            tell(format!(
                "queue {place} parked at {next} (reason {why}, key {key:#x}, {bytes} bytes at {at:#x}, \
                 time {number}): {found:?}"
            ));
        }
        let verdict = match found {
            Err(syndrome) => Some(syndrome),
            Ok(_) if hopeless => {
                tell(format!("queue {place} does not get on at {next}: {report:?}"));
                Some(syndrome::REMOTE_OPERATION)
            }
            Ok(region) => match self.keys.add(nic, region) {
                Ok(()) => None,
                Err(why) => {
                    tell(format!("can't reach the region of key {key:#x} of NIC {nic}: {why}"));
                    Some(syndrome::REMOTE_OPERATION)
                }
            },
        };
        match verdict {
            None => {
                self.look_at_peer(place, true)?;
                self.set_status(place, status::RUNS)
            }
            Some(syndrome) => {
                if let Some(served) = &mut self.queues[place] {
                    served.fails = true;
                }
                self.set_status(place, status::fails(syndrome))
            }
        }
    }
}

//! Which NIC and which proxy serves each queue.

use oxshmem_core::Pe;

/// The assignment of rows to NICs and of queues to proxies.
#[derive(Clone, Debug)]
pub(super) struct Assignment {
    pub(super) nics: usize,
    /// Proxy `i` serves NIC `i % nics`.
    pub(super) proxies: usize,
    /// By PE, whether this transport reaches it.
    pub(super) remote: Vec<bool>,
}

impl Assignment {
    /// Returns the PEs that this transport reaches.
    pub(super) fn remote_pes(&self) -> impl Iterator<Item = Pe> + use<> {
        (0..).map(Pe::new).zip(self.remote.clone()).filter_map(|(pe, remote)| remote.then_some(pe))
    }

    /// Returns the NIC of a row. Rows take turns among the NICs; the host's own row is on the first.
    pub(super) fn nic_of(&self, row: u32, is_host_row: bool) -> usize {
        if is_host_row { 0 } else { row as usize % self.nics }
    }

    /// Returns the proxy of the queue of `row` to `pe` on `nic`. Queues to remote PEs take turns among the NIC's
    /// proxies; other PEs are not counted, so that no proxy is left out.
    pub(super) fn proxy_of(&self, nic: usize, row: u32, pe: Pe) -> usize {
        let proxies_of_nic = (self.proxies - nic).div_ceil(self.nics);
        let remote = self.remote_pes().count();
        let rank = self.remote_pes().filter(|other| other.index() < pe.index()).count();
        let turn = row as usize / self.nics * remote + rank;
        nic + self.nics * (turn % proxies_of_nic)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queues_take_turns_among_the_proxies_of_their_nic_and_none_is_left_out() {
        let assignment = Assignment { nics: 2, proxies: 5, remote: vec![true, false, true, true] };
        let proxies = |row: u32| {
            let nic = assignment.nic_of(row, false);
            assignment.remote_pes().map(|pe| assignment.proxy_of(nic, row, pe)).collect::<Vec<_>>()
        };
        assert_eq!(proxies(0), [0, 2, 4]);
        assert_eq!(proxies(1), [1, 3, 1]);
        assert_eq!(proxies(2), [0, 2, 4]);
        assert_eq!(proxies(3), [3, 1, 3]);
        assert_eq!(assignment.nic_of(3, true), 0);
    }
}

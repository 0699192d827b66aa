//! The results of a run, for the table, the files and the plots.

use super::contest::{Cell, Measured};
use super::plan::On;
use super::row::Row;

/// The name of the peer that stands for the hardware's limit.
pub(crate) const LIMIT: &str = "limit";
/// The prefix of our modes' names.
pub(crate) const OURS: &str = "oxshmem";
/// The prefix of NVSHMEM's modes' names.
pub(crate) const NVSHMEM: &str = "nvshmem";
/// The remark on every page of a run on host PEs.
pub(crate) const HOST_PES: &str = "HOST PEs: threads of this machine's CPU. These are no figures of a GPU.";

/// The contents of a page. The first peer is ours.
#[derive(Debug)]
pub(crate) struct Results {
    /// The peers' names. A row's cells have the same order.
    pub peers: Vec<String>,
    pub on: On,
    pub n: u32,
    /// The device, as text.
    pub device: String,
    pub measured: Vec<Measured>,
    pub left_out: Vec<Row>,
    pub stopped: Option<String>,
    pub failures: Vec<String>,
}

impl Results {
    /// Returns the first line of every page.
    pub(crate) fn head(&self) -> String {
        match self.on {
            On::Gpus => format!("{} PEs on {}", self.n, self.device),
            On::Host => format!("{} {HOST_PES}", self.n),
        }
    }

    /// Returns the index of the limit, if it was measured.
    pub(crate) fn limit(&self) -> Option<usize> {
        self.peers.iter().position(|name| name == LIMIT)
    }

    /// Returns the indices of the peers that are neither ours nor the limit.
    pub(crate) fn others(&self) -> impl Iterator<Item = usize> {
        (1..self.peers.len()).filter(|index| self.peers[*index] != LIMIT)
    }

    /// Returns the indices of our modes, without and with lent memory.
    pub(crate) fn ours(&self) -> impl Iterator<Item = usize> {
        (0..self.peers.len()).filter(|index| self.peers[*index].starts_with(OURS))
    }

    /// Returns the indices of NVSHMEM's modes.
    pub(crate) fn nvshmem(&self) -> impl Iterator<Item = usize> {
        self.others().filter(|index| self.peers[*index].starts_with(NVSHMEM))
    }

    /// Returns the median of a peer on a row, in ns.
    pub(crate) fn median(&self, measured: &Measured, peer: usize) -> Option<f64> {
        measured.cells.get(peer).and_then(Cell::median)
    }

    /// Returns the peer's time divided by ours.
    pub(crate) fn ratio(&self, measured: &Measured, peer: usize) -> Option<f64> {
        Some(self.median(measured, peer)? / self.median(measured, 0)?)
    }

    /// Returns the time of the better of our modes on a row, in ns.
    pub(crate) fn best_of_ours(&self, measured: &Measured) -> Option<f64> {
        self.ours().filter_map(|index| self.median(measured, index)).min_by(f64::total_cmp)
    }

    /// Returns the index of the better of NVSHMEM's modes on a row.
    pub(crate) fn best_nvshmem(&self, measured: &Measured) -> Option<usize> {
        let timed = self.nvshmem().filter_map(|index| Some((index, self.median(measured, index)?)));
        timed.min_by(|(_, a), (_, b)| a.total_cmp(b)).map(|(index, _)| index)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Returns results on GPUs with one time in ns of each peer on each row; 0 is a row that it skipped.
    pub(crate) fn results(peers: &[&str], rows: &[(Row, &[f64])]) -> Results {
        let cell = |ns: &f64| match *ns {
            0.0 => Cell::Skipped("no such test".into()),
            ns => Cell::Times(vec![vec![ns]]),
        };
        let measured = rows.iter().map(|(row, times)| Measured {
            row: row.clone(),
            cells: times.iter().map(cell).collect(),
            ctas: vec![None; times.len()],
        });
        Results {
            peers: peers.iter().map(|name| name.to_string()).collect(),
            on: On::Gpus,
            n: 2,
            device: "NVIDIA H200".into(),
            measured: measured.collect(),
            left_out: Vec::new(),
            stopped: None,
            failures: Vec::new(),
        }
    }

    #[test]
    fn a_ratio_above_one_is_ours_being_faster_and_the_better_mode_counts() {
        let rows: [(Row, &[f64]); 1] = [(Row::of("shmem_p_latency"), &[100.0, 90.0, 300.0, 200.0])];
        let results = results(&["oxshmem", "limit", "nvshmem", "nvshmem-tma"], &rows);
        let row = &results.measured[0];
        assert_eq!(results.limit().and_then(|limit| results.ratio(row, limit)), Some(0.9));
        assert_eq!(results.best_nvshmem(row), Some(3));
        assert_eq!(results.ratio(row, 3), Some(2.0));
    }
}

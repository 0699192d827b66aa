//! What a run gave, for the table, the files and the plots.

use super::contest::{Cell, Measured};
use super::plan::On;
use super::row::Row;

/// The name of the peer that is what the hardware gives.
pub(crate) const LIMIT: &str = "limit";
/// What the names of our modes begin with.
pub(crate) const OURS: &str = "oxshmem";
/// What the names of NVSHMEM's modes begin with.
pub(crate) const NVSHMEM: &str = "nvshmem";
/// What every page of a run on host PEs says.
pub(crate) const HOST_PES: &str = "HOST PEs: threads of this machine's CPU. These are no figures of a GPU.";

/// Everything that a page needs. The first peer is ours.
#[derive(Debug)]
pub(crate) struct Results {
    /// The peers' names; a cell of a row is that of the peer with its index.
    pub peers: Vec<String>,
    pub on: On,
    pub n: u32,
    /// What it ran on, in words.
    pub device: String,
    pub measured: Vec<Measured>,
    pub left_out: Vec<Row>,
    pub stopped: Option<String>,
    pub failures: Vec<String>,
}

impl Results {
    /// The line at the head of every page.
    pub(crate) fn head(&self) -> String {
        match self.on {
            On::Gpus => format!("{} PEs on {}", self.n, self.device),
            On::Host => format!("{} {HOST_PES}", self.n),
        }
    }

    /// Which peer is the limit, if it ran.
    pub(crate) fn limit(&self) -> Option<usize> {
        self.peers.iter().position(|name| name == LIMIT)
    }

    /// The peers that are neither ours nor the limit.
    pub(crate) fn others(&self) -> impl Iterator<Item = usize> {
        (1..self.peers.len()).filter(|index| self.peers[*index] != LIMIT)
    }

    /// Our modes, without lent memory and with.
    pub(crate) fn ours(&self) -> impl Iterator<Item = usize> {
        (0..self.peers.len()).filter(|index| self.peers[*index].starts_with(OURS))
    }

    /// NVSHMEM's modes.
    pub(crate) fn nvshmem(&self) -> impl Iterator<Item = usize> {
        self.others().filter(|index| self.peers[*index].starts_with(NVSHMEM))
    }

    /// The measured row that differs in its skew alone and has none, one way.
    pub(crate) fn without_skew(&self, row: &Row) -> Option<&Measured> {
        let like = |one: &&Measured| one.row == Row { skew: 0, both: false, iters: one.row.iters, ..row.clone() };
        self.measured.iter().find(like)
    }

    /// The median of a peer on a row, ns.
    pub(crate) fn median(&self, measured: &Measured, peer: usize) -> Option<f64> {
        measured.cells.get(peer).and_then(Cell::median)
    }

    /// How many times as fast as the peer ours is.
    pub(crate) fn ratio(&self, measured: &Measured, peer: usize) -> Option<f64> {
        Some(self.median(measured, peer)? / self.median(measured, 0)?)
    }

    /// The better of our modes on a row, ns.
    pub(crate) fn best_of_ours(&self, measured: &Measured) -> Option<f64> {
        self.ours().filter_map(|index| self.median(measured, index)).min_by(f64::total_cmp)
    }

    /// The better of NVSHMEM's modes on a row: its index.
    pub(crate) fn best_nvshmem(&self, measured: &Measured) -> Option<usize> {
        let timed = self.nvshmem().filter_map(|index| Some((index, self.median(measured, index)?)));
        timed.min_by(|(_, a), (_, b)| a.total_cmp(b)).map(|(index, _)| index)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Results on GPUs with one time, ns, of each peer on each row; 0 is a row that it skipped.
    pub(crate) fn results(peers: &[&str], rows: &[(Row, &[f64])]) -> Results {
        let cell = |ns: &f64| match *ns {
            0.0 => Cell::Skipped("no such test".into()),
            ns => Cell::Times(vec![vec![ns]]),
        };
        let measured =
            rows.iter().map(|(row, times)| Measured { row: row.clone(), cells: times.iter().map(cell).collect() });
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

//! The run: asks every peer for every row, several times in turn.

use serde::Serialize;

use super::clock::Clock;
use super::peer::{Peer, Said};
use super::progress::Progress;
use super::row::{INIT, Row};
use super::stats::Summary;

/// The number of starts that are timed.
const STARTS: u32 = 3;

/// A peer's result for a row.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Cell {
    /// Nanoseconds of one iteration: a list for each turn, of its repetitions.
    Times(Vec<Vec<f64>>),
    /// The peer lacks this row, for this reason.
    Skipped(String),
    /// The failure, as text.
    Failed(String),
}

impl Cell {
    /// Summarises all times, in ns.
    pub(crate) fn summary(&self) -> Option<Summary> {
        match self {
            Self::Times(turns) => Summary::of(turns.iter().flatten().copied()),
            Self::Skipped(_) | Self::Failed(_) => None,
        }
    }

    /// Returns the median in ns.
    pub(crate) fn median(&self) -> Option<f64> {
        self.summary().map(|summary| summary.median)
    }

    fn add(&mut self, said: Said) {
        match (self, said) {
            (Self::Times(turns), Said::Times(timed)) => turns.push(timed.ns),
            (cell, Said::Skipped(why)) => *cell = Self::Skipped(why),
            (cell, Said::Failed(what)) => *cell = Self::Failed(what),
            _ => {}
        }
    }
}

/// A row with the result of each peer.
#[derive(Clone, Debug)]
pub(crate) struct Measured {
    pub row: Row,
    pub cells: Vec<Cell>,
    /// The number of blocks that each peer chose, where it is known.
    pub ctas: Vec<Option<u64>>,
}

/// The results of a run.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    pub measured: Vec<Measured>,
    /// The rows that were left out for lack of time, and the reason.
    pub left_out: Vec<Row>,
    pub stopped: Option<String>,
    /// Every failure as text, with its peer and row.
    pub failures: Vec<String>,
}

/// The amount of measurement.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effort {
    /// The number of times that each peer is asked for each row.
    pub turns: u32,
    /// The repetitions of each time.
    pub repeat: u32,
}

/// Measures the rows one after another. A failing peer fails its row, and the others continue.
pub(crate) fn run(
    peers: &mut [Peer],
    rows: Vec<Row>,
    effort: Effort,
    clock: &Clock,
    mut after_each: impl FnMut(&[Peer], &Outcome),
) -> Outcome {
    let mut outcome = Outcome::default();
    let mut progress = Progress::new(rows.len() as u64);
    let mut rows = rows.into_iter();
    for row in rows.by_ref() {
        progress.at(outcome.measured.len() as u64, || row.to_string());
        let turns = if row.test == INIT { STARTS } else { effort.turns };
        match measure(peers, &row, turns, effort.repeat, clock) {
            Ok(measured) => {
                for (peer, cell) in peers.iter().zip(&measured.cells) {
                    if let Cell::Failed(what) = cell {
                        let text = format!("{}: {row}: {what}", peer.name());
                        progress.say(&format!("FAILED {text}"));
                        outcome.failures.push(text);
                    }
                }
                outcome.measured.push(measured);
                after_each(peers, &outcome);
            }
            Err(why) => {
                outcome.stopped = Some(why);
                outcome.left_out.push(row);
                break;
            }
        }
    }
    outcome.left_out.extend(rows);
    for peer in peers.iter_mut() {
        if outcome.stopped.is_none()
            && let Some(what) = peer.end()
        {
            outcome.failures.push(what);
        }
    }
    outcome
}

/// Measures one row, or returns the reason to stop the whole run.
fn measure(peers: &mut [Peer], row: &Row, turns: u32, repeat: u32, clock: &Clock) -> Result<Measured, String> {
    let mut ctas = vec![None; peers.len()];
    let mut cells = vec![Cell::Times(Vec::new()); peers.len()];
    for turn in 0..turns as usize {
        for index in order(turn, peers.len()) {
            if !matches!(cells[index], Cell::Times(_)) {
                continue;
            }
            if let Some(why) = clock.over() {
                return Err(why);
            }
            let said = match row.test {
                INIT => peers[index].restart(clock),
                _ => peers[index].ask(row, repeat, clock),
            };
            match said {
                Said::Stopped(why) => return Err(why),
                said => {
                    if let Said::Times(timed) = &said {
                        ctas[index] = timed.ctas.max(ctas[index]);
                    }
                    cells[index].add(said);
                }
            }
        }
    }
    Ok(Measured { row: row.clone(), cells, ctas })
}

/// Returns the peers in the order of a turn. The first one changes, so that none always has the warmest or the coldest
/// machine.
fn order(turn: usize, peers: usize) -> impl Iterator<Item = usize> {
    (0..peers).map(move |place| (turn + place) % peers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_peer_goes_once_a_turn_and_each_is_first_in_its_turn() {
        let orders: Vec<Vec<usize>> = (0..4).map(|turn| order(turn, 3).collect()).collect();
        assert_eq!(orders, [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 1, 2]]);
    }

    #[test]
    fn a_cell_that_failed_once_has_failed_whatever_it_gave_before() {
        let mut cell = Cell::Times(Vec::new());
        cell.add(Said::Times(vec![1.0, 3.0].into()));
        cell.add(Said::Times(vec![2.0].into()));
        assert_eq!(cell.median(), Some(2.0));
        cell.add(Said::Failed("lost".into()));
        assert_eq!((cell.median(), &cell), (None, &Cell::Failed("lost".into())));
    }
}

//! Findings of the litmus tests, and their table.

use std::time::Duration;

use comfy_table::{CellAlignment, Table, presets};
use oxshmem_hal::{Pe, Result, SymPtr, World};
use oxshmem_litmus_kernels::call::{Call, Mix};
use oxshmem_litmus_kernels::place::RECORD;

use super::table::{Kind, Shape, Test};

/// The errors that one PE's kernels found in a test.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Finding {
    /// Number of errors; the other fields describe the first one.
    pub(super) count: u64,
    round: u64,
    offset: u64,
    expected: u64,
    seen: u64,
    size: u64,
    group: u64,
}

impl Finding {
    /// Reads the record of this PE's kernels.
    ///
    /// # Errors
    /// The record can't be read.
    pub(super) fn read(world: &World, record: SymPtr<u64>) -> Result<Self> {
        let mut words = [0; RECORD];
        world.read(record, &mut words)?;
        Ok(Self::of(&words))
    }

    fn of(record: &[u64; RECORD]) -> Self {
        let [count, round, offset, expected, seen, size, group, _] = *record;
        Self { count, round, offset, expected, seen, size, group }
    }

    /// Returns the collective of the first error.
    pub(super) fn call(&self, kind: Kind, shape: &Shape, seed: u64) -> Option<Call> {
        match kind {
            Kind::Collectives(mix) => Some(Call::of(mix, seed, self.group as usize, self.round, shape.most)),
            // Blocks of odd numbers make none.
            Kind::Beside(mix) if self.group.is_multiple_of(2) => {
                Some(Call::of(mix, seed, self.group as usize, self.round, shape.most))
            }
            Kind::Programs { .. } => Some(Call::of(Mix::ALL, seed, self.group as usize, 0, shape.most)),
            _ => None,
        }
    }

    /// Encodes the findings for the other PEs.
    pub(super) fn to_bytes(self) -> Vec<u8> {
        let words = [self.count, self.round, self.offset, self.expected, self.seen, self.size, self.group, 0];
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    /// Decodes another PE's findings.
    pub(super) fn from_bytes(bytes: &[u8]) -> Self {
        let mut record = [0; RECORD];
        for (word, bytes) in record.iter_mut().zip(bytes.as_chunks::<8>().0) {
            *word = u64::from_le_bytes(*bytes);
        }
        Self::of(&record)
    }

    /// Describes the findings.
    pub(super) fn told(&self, pe: Pe) -> String {
        format!(
            "{pe}: {} wrong; the first in round {} of group {}, byte {} of {}: expected {:#x}, seen {:#x}",
            self.count, self.round, self.group, self.offset, self.size, self.expected, self.seen
        )
    }
}

/// The outcome of a test.
#[derive(Clone, Debug)]
pub(super) enum End {
    /// It ran, with these findings of all PEs.
    Ran { wrong: u64 },
    /// It does not apply to this world, for this reason.
    Skipped,
}

/// One row of the table.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub(super) test: Test,
    /// Rounds of all groups of all PEs.
    pub(super) rounds: u64,
    pub(super) took: Duration,
    pub(super) end: End,
}

/// Returns the table of the tests that ran.
pub(super) fn table(lines: &[Line]) -> Table {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING).set_header(["ordering", "by", "rounds", "seconds", "wrong"]);
    for line in lines {
        let wrong = match line.end {
            End::Ran { wrong } => wrong.to_string(),
            End::Skipped => "skipped".into(),
        };
        let took = format!("{:.2}", line.took.as_secs_f64());
        table.add_row([line.test.ordering.into(), line.test.by.into(), line.rounds.to_string(), took, wrong]);
    }
    for index in 2..5 {
        if let Some(column) = table.column_mut(index) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

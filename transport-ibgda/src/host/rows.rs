//! Rows of queues: a queue to each far PE in each.

use crate::state::QueueState;
use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_core::{Pe, QpHandle};
use oxshmem_raw::queue::rows::FIRST_CUSTOM;

use super::queue::Queue;
use super::tables::Tables;

/// The queues of a row, by PE; none to a PE that is reached otherwise.
pub(super) type Row = Vec<Option<Queue>>;

/// All rows, of which there may be so many.
#[derive(Debug)]
pub(super) struct Rows {
    rows: Vec<Option<Row>>,
    /// Rows of default queues, which come first.
    default: u32,
    capacity: u32,
    n_pes: u32,
    /// Rows that kernels see.
    published: u32,
}

impl Rows {
    pub(super) fn new(default: u32, spare: u32, n_pes: u32) -> Self {
        Self { rows: Vec::new(), default, capacity: default + spare, n_pes, published: 0 }
    }

    /// Rows that are there, and their numbers.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, &Row)> {
        (0..).zip(&self.rows).filter_map(|(number, row)| Some((number, row.as_ref()?)))
    }

    /// Where `count` rows one behind the other are free: default ones, or custom ones.
    ///
    /// # Errors
    /// There are not as many.
    pub(super) fn place(&self, default: bool, count: u32) -> Result<u32> {
        let action = || format!("create {count} queue pairs");
        if default {
            return match self.rows.first() {
                None => Ok(0),
                Some(_) => Err(Error::new(ErrorKind::InvalidArgument, action())
                    .because("the default queue pairs are there already")),
            };
        }
        let is_free = |row: u32| self.rows.get(row as usize).is_none_or(Option::is_none);
        let fits = |first: u32| (first..first + count).all(is_free);
        let last = self.capacity.checked_sub(count);
        let found = last.and_then(|last| (self.default..=last).find(|&first| fits(first)));
        found.ok_or_else(|| {
            let free = (self.default..self.capacity).filter(|&row| is_free(row)).count() as u64;
            let error = Error::new(ErrorKind::Exhausted, action()).amount(count.into(), free, "queue pairs");
            let error =
                if free >= count.into() { error.because("those that are free are not side by side") } else { error };
            error.hint("raise OXSHMEM_IBGDA_SPARE_ROWS, or destroy what is not needed")
        })
    }

    /// The handle of a row.
    pub(super) fn handle(&self, row: u32) -> i32 {
        match row.checked_sub(self.default) {
            None => QueueState::DEFAULT_RAW,
            Some(custom) => FIRST_CUSTOM + (custom * self.n_pes) as i32,
        }
    }

    /// The row of a custom handle that is there.
    ///
    /// # Errors
    /// There is none.
    pub(super) fn of(&self, handle: QpHandle) -> Result<u32> {
        let fail = |reason: &str| {
            Err(Error::new(ErrorKind::InvalidArgument, format!("destroy queue pair {}", handle.raw())).because(reason))
        };
        let number = handle.raw().checked_sub(FIRST_CUSTOM).and_then(|number| u32::try_from(number).ok());
        let Some(number) = number.filter(|number| number.is_multiple_of(self.n_pes)) else {
            return fail("it is not a queue pair of this world");
        };
        let row = self.default + number / self.n_pes;
        match self.rows.get(row as usize) {
            Some(Some(_)) => Ok(row),
            _ if row < self.capacity => fail("it was not created, or was destroyed already"),
            _ => fail("it is not a queue pair of this world"),
        }
    }

    /// Lets kernels use rows that are connected, from number `first` on; `states` has what they read of them, by row and
    /// PE.
    ///
    /// # Errors
    /// The device's memory can't be written; then none of them is in the tables, and they are given back.
    pub(super) fn publish(
        &mut self,
        tables: &mut Tables,
        first: u32,
        rows: Vec<Row>,
        states: &[QueueState],
        per_row: usize,
    ) -> Result<()> {
        let end = first + rows.len() as u32;
        let row_of = |index: usize| first + (index / per_row.max(1)) as u32;
        let mut written = 0;
        let mut done = states.iter().try_for_each(|state| {
            // Counted before: what failed may be there in part.
            written += 1;
            let row = row_of(written - 1);
            tables.set_queue(row, state, row < self.published)
        });
        if done.is_ok() && end > self.published {
            done = tables.publish_rows(end);
        }
        if done.is_err() {
            // Each is tried: what a kernel that looks at all queues finds must be none, or lead to a queue that is there.
            for (index, state) in states[..written].iter().enumerate() {
                let _ = tables.clear_queue(row_of(index), Pe::new(state.pe));
            }
            let _ = tables.publish_rows(self.published);
            return done;
        }
        self.published = self.published.max(end);
        if self.rows.len() < end as usize {
            self.rows.resize_with(end as usize, || None);
        }
        for (place, row) in self.rows[first as usize..].iter_mut().zip(rows) {
            *place = Some(row);
        }
        Ok(())
    }

    /// Destroys a row.
    ///
    /// # Errors
    /// The NIC refuses; the row is gone all the same.
    pub(super) fn destroy(&mut self, tables: &mut Tables, row: u32) -> Result<()> {
        let Some(queues) = self.rows.get_mut(row as usize).and_then(Option::take) else { return Ok(()) };
        let mut gone = Ok(());
        for (pe, queue) in (0..).map(Pe::new).zip(queues) {
            let Some(queue) = queue else { continue };
            gone = gone.and(tables.clear_queue(row, pe));
            gone = gone.and(queue.destroy());
        }
        let used = self.rows.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
        self.rows.truncate(used);
        if (used as u32) < self.published {
            self.published = used as u32;
            gone = gone.and(tables.publish_rows(self.published));
        }
        gone
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use oxshmem_raw::memory::Memory;

    fn state(pe: u32) -> QueueState {
        // SAFETY: a QueueState is integers.
        let state: QueueState = unsafe { std::mem::zeroed() };
        QueueState { sq: 0x1000, cqe: 0x2000, qpn: 7, pe, ..state }
    }

    #[test]
    fn what_could_be_published_in_part_only_leaves_nothing_in_the_tables() {
        let mut tables = Tables::new(&Memory::Host, &[false, true, true], 4, &[1 << 30], false).unwrap();
        let mut rows = Rows::new(1, 3, 3);
        let empty = || -> Vec<Row> { vec![vec![None, None, None]] };
        rows.publish(&mut tables, 0, empty(), &[state(1), state(2)], 2).unwrap();
        rows.publish(&mut tables, 2, empty(), &[state(1), state(2)], 2).unwrap();
        let seen = |tables: &Tables, row: u32| -> Vec<u64> {
            let at = tables.queues() as *const QueueState;
            // SAFETY: the tables have room for all rows, and nothing runs meanwhile.
            (0..3).map(|pe| unsafe { (*at.add((row * 3 + pe) as usize)).sq }).collect()
        };
        // The second one's place is outside of the tables, among rows that kernels look at and behind them.
        for (first, published) in [(1, 3), (3, 3)] {
            let error = rows.publish(&mut tables, first, empty(), &[state(1), state(1 << 20)], 2).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::OutOfRange);
            assert_eq!(seen(&tables, first), [0; 3]);
            assert_eq!((rows.published, rows.iter().count()), (published, 2));
            assert_eq!(rows.place(false, 1).unwrap(), 1, "the row is free");
        }
        assert_eq!(seen(&tables, 2), [0, 0x1000, 0x1000], "others stay");
        rows.publish(&mut tables, 1, empty(), &[state(1), state(2)], 2).unwrap();
        assert_eq!(seen(&tables, 1), [0, 0x1000, 0x1000]);
    }
}

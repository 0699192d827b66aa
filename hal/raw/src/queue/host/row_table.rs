//! Rows of queues on the host, and the order of their publication to kernels.
//!
//! A row has a queue to each remote PE. The world chooses the numbers of rows.

use std::ops::Range;

use oxshmem_core::Pe;
use oxshmem_core::host::{Error, ErrorKind, Result};

/// The queues of a row, by PE; `None` for a PE that this transport does not reach.
pub type Row<Q> = Vec<Option<Q>>;

/// The tables from which kernels read rows of queues.
pub trait KernelRows {
    /// A queue's entry in the tables.
    type State;

    /// Writes the queue of `row` toward `pe`. If `is_live`, kernels may read the entry during the write, so the word
    /// that marks the queue as existing is written last.
    ///
    /// # Errors
    /// The device's memory can't be written.
    fn set_queue(&mut self, row: u32, pe: Pe, state: &Self::State, is_live: bool) -> Result<()>;

    /// Removes the queue of `row` toward `pe`, so that quiet over all queues does not wait for it.
    ///
    /// # Errors
    /// The device's memory can't be written.
    fn clear_queue(&mut self, row: u32, pe: Pe) -> Result<()>;

    /// Makes the first `rows` rows visible to kernels.
    ///
    /// # Errors
    /// The device's memory can't be written.
    fn publish_rows(&mut self, rows: u32) -> Result<()>;
}

/// All rows of a transport.
#[derive(Debug)]
pub struct RowTable<Q> {
    rows: Vec<Option<Row<Q>>>,
    n_pes: u32,
    /// Number of rows that kernels see.
    published: u32,
}

impl<Q> RowTable<Q> {
    /// Returns a table without rows, in a world of `n_pes` PEs.
    pub fn new(n_pes: u32) -> Self {
        Self { rows: Vec::new(), n_pes, published: 0 }
    }

    /// Returns the existing rows and their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &Row<Q>)> {
        (0..).zip(&self.rows).filter_map(|(number, row)| Some((number, row.as_ref()?)))
    }

    /// Returns every queue, with its row and the PE to which it leads.
    pub fn queues(&self) -> impl Iterator<Item = (u32, Pe, &Q)> {
        self.iter().flat_map(|(row, queues)| {
            let queues = (0..).map(Pe::new).zip(queues);
            queues.filter_map(move |(pe, queue)| Some((row, pe, queue.as_ref()?)))
        })
    }

    /// Returns a row without queues.
    pub fn empty_row(&self) -> Row<Q> {
        (0..self.n_pes).map(|_| None).collect()
    }

    /// Checks that none of these rows exists.
    ///
    /// # Errors
    /// `InvalidArgument`: one exists already.
    pub fn check_free(&self, rows: &Range<u32>) -> Result<()> {
        match self.iter().find(|(row, _)| rows.contains(row)) {
            None => Ok(()),
            Some((row, _)) => Err(Error::new(ErrorKind::InvalidArgument, format!("create {} queue pairs", rows.len()))
                .because(format!("those of row {row} exist already"))),
        }
    }

    /// Publishes connected rows to kernels, from number `first` on. `states` has the table entry of each queue, by row
    /// and PE. The order is: the entries, then the count of rows.
    ///
    /// # Errors
    /// The device's memory can't be written. Then none of the rows is in the tables, and their queues are dropped.
    pub fn publish<T: KernelRows>(
        &mut self,
        tables: &mut T,
        first: u32,
        rows: Vec<Row<Q>>,
        states: &[(u32, Pe, T::State)],
    ) -> Result<()> {
        let end = first + rows.len() as u32;
        let mut written = 0;
        let mut done = states.iter().try_for_each(|(row, pe, state)| {
            // Counted before the write: an entry may be written in part when its write fails.
            written += 1;
            tables.set_queue(*row, *pe, state, *row < self.published)
        });
        if done.is_ok() && end > self.published {
            done = tables.publish_rows(end);
        }
        if let Err(error) = done {
            // Each entry is cleared, even if clearing another fails: a kernel that walks all queues must find an empty
            // entry or an existing queue.
            for (row, pe, _) in &states[..written] {
                let _ = tables.clear_queue(*row, *pe);
            }
            let _ = tables.publish_rows(self.published);
            return Err(error);
        }
        self.published = self.published.max(end);
        if self.rows.len() < end as usize {
            self.rows.resize_with(end as usize, || None);
        }
        for (slot, row) in self.rows[first as usize..].iter_mut().zip(rows) {
            *slot = Some(row);
        }
        Ok(())
    }

    /// Destroys a row: removes each queue from the tables and then passes it to `destroy`. Does nothing if there is no
    /// such row.
    ///
    /// # Errors
    /// The first error of the tables or of `destroy`. The row is removed in any case.
    pub fn destroy<T: KernelRows>(
        &mut self,
        tables: &mut T,
        row: u32,
        mut destroy: impl FnMut(Pe, Q) -> Result<()>,
    ) -> Result<()> {
        let Some(queues) = self.rows.get_mut(row as usize).and_then(Option::take) else { return Ok(()) };
        let mut gone = Ok(());
        for (pe, queue) in (0..).map(Pe::new).zip(queues) {
            let Some(queue) = queue else { continue };
            gone = gone.and(tables.clear_queue(row, pe));
            gone = gone.and(destroy(pe, queue));
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

    /// Tables of 4 rows and 3 PEs.
    #[derive(Default)]
    struct Tables {
        queues: [[u64; 3]; 4],
        rows: u32,
        /// Number of entries that were written while kernels could see their rows.
        live: u32,
    }

    impl KernelRows for Tables {
        type State = u64;

        fn set_queue(&mut self, row: u32, pe: Pe, state: &u64, is_live: bool) -> Result<()> {
            let Some(entry) = self.queues[row as usize].get_mut(pe.index()) else {
                return Err(Error::new(ErrorKind::OutOfRange, "write the entry"));
            };
            (*entry, self.live) = (*state, self.live + u32::from(is_live));
            Ok(())
        }

        fn clear_queue(&mut self, row: u32, pe: Pe) -> Result<()> {
            if let Some(entry) = self.queues[row as usize].get_mut(pe.index()) {
                *entry = 0;
            }
            Ok(())
        }

        fn publish_rows(&mut self, rows: u32) -> Result<()> {
            self.rows = rows;
            Ok(())
        }
    }

    fn row(number: u32) -> Vec<Row<u32>> {
        vec![vec![None, Some(10 * number + 1), Some(10 * number + 2)]]
    }

    fn states(row: u32, second: u32) -> Vec<(u32, Pe, u64)> {
        vec![(row, Pe::new(1), 0x1000), (row, Pe::new(second), 0x1000)]
    }

    #[test]
    fn rows_that_could_only_be_published_in_part_leave_nothing_in_the_tables() {
        let (mut tables, mut rows) = (Tables::default(), RowTable::new(3));
        rows.publish(&mut tables, 0, row(0), &states(0, 2)).unwrap();
        rows.publish(&mut tables, 2, row(2), &states(2, 2)).unwrap();
        // The second entry is outside of the tables, once in a row that kernels see and once in a later row.
        for first in [1, 3] {
            let error = rows.publish(&mut tables, first, row(first), &states(first, 1 << 20)).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::OutOfRange);
            assert_eq!((tables.queues[first as usize], tables.rows), ([0; 3], 3));
            assert_eq!((rows.published, rows.iter().count()), (3, 2));
            assert!(rows.check_free(&(1..2)).is_ok(), "the row is free");
        }
        assert_eq!((tables.queues[2], tables.live), ([0, 0x1000, 0x1000], 1), "others stay; row 1 alone was visible");
        rows.publish(&mut tables, 1, row(1), &states(1, 2)).unwrap();
        assert_eq!(tables.queues[1], [0, 0x1000, 0x1000]);
        let error = rows.check_free(&(1..2)).unwrap_err();
        assert!(error.kind() == ErrorKind::InvalidArgument && error.to_string().contains("already"), "{error}");
    }

    #[test]
    fn destroyed_rows_are_free_and_kernels_no_longer_see_those_at_the_end() {
        let (mut tables, mut rows) = (Tables::default(), RowTable::new(3));
        for number in 0..4 {
            rows.publish(&mut tables, number, row(number), &states(number, 2)).unwrap();
        }
        let mut destroyed = Vec::new();
        for number in [1, 3, 3] {
            rows.destroy(&mut tables, number, |pe, queue| {
                destroyed.push((pe.number(), queue));
                Ok(())
            })
            .unwrap();
        }
        assert_eq!(destroyed, [(1, 11), (2, 12), (1, 31), (2, 32)]);
        assert_eq!((tables.queues[1], tables.queues[3], tables.rows), ([0; 3], [0; 3], 3));
        assert!(rows.check_free(&(1..2)).is_ok() && rows.check_free(&(3..9)).is_ok());
        assert!(rows.check_free(&(0..1)).is_err() && rows.check_free(&(1..3)).is_err());
    }
}

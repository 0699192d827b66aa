//! Rows of queues on the host: their numbers, their handles, and the order of their publication to kernels.
//!
//! A row has a queue to each remote PE. The default rows come first; custom rows follow them.

use std::collections::HashSet;
use std::ops::Range;

use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_core::{Pe, QpHandle};

use crate::queue::remote_queue::rows::FIRST_CUSTOM;

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
    /// Number of default rows.
    default: u32,
    capacity: u32,
    n_pes: u32,
    /// Number of rows that kernels see.
    published: u32,
    /// The rows that were published last.
    recent: Range<u32>,
}

impl<Q> RowTable<Q> {
    /// Returns a table without rows, for `default` default rows and up to `spare` custom rows in a world of `n_pes`
    /// PEs.
    pub fn new(default: u32, spare: u32, n_pes: u32) -> Self {
        Self { rows: Vec::new(), default, capacity: default + spare, n_pes, published: 0, recent: 0..0 }
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

    /// Finds `count` adjacent free rows, for default queues or for custom ones, and returns the number of the first.
    ///
    /// # Errors
    /// `InvalidArgument`: the default rows exist already. `Exhausted`: too few adjacent custom rows are free.
    pub fn find_free(&self, default: bool, count: u32) -> Result<u32> {
        let action = || format!("create {count} queue pairs");
        if default {
            return match self.rows.first() {
                None => Ok(0),
                Some(_) => {
                    Err(Error::new(ErrorKind::InvalidArgument, action())
                        .because("the default queue pairs exist already"))
                }
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
                if free >= count.into() { error.because("the free ones are not next to each other") } else { error };
            error.hint("raise OXSHMEM_SPARE_QPS, or destroy queue pairs that are not needed")
        })
    }

    /// Returns the raw handle of a row.
    pub fn handle(&self, row: u32) -> i32 {
        match row.checked_sub(self.default) {
            None => QpHandle::DEFAULT.raw(),
            Some(custom) => FIRST_CUSTOM + (custom * self.n_pes) as i32,
        }
    }

    /// Returns the rows of these handles. The default handle has no row of its own and is left out.
    ///
    /// # Errors
    /// `InvalidArgument`: a handle is not a queue pair of this world, or was destroyed.
    pub fn rows_of(&self, handles: &[QpHandle]) -> Result<HashSet<u32>> {
        handles.iter().filter(|handle| **handle != QpHandle::DEFAULT).map(|&handle| self.row_of(handle)).collect()
    }

    fn row_of(&self, handle: QpHandle) -> Result<u32> {
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

    /// Publishes connected rows to kernels, from number `first` on, and returns their handles. `states` has the table
    /// entry of each queue, by row and PE. The order is: the entries, then the count of rows.
    ///
    /// # Errors
    /// The device's memory can't be written. Then none of the rows is in the tables, and their queues are dropped.
    pub fn publish<T: KernelRows>(
        &mut self,
        tables: &mut T,
        first: u32,
        rows: Vec<Row<Q>>,
        states: &[(u32, Pe, T::State)],
    ) -> Result<Vec<QpHandle>> {
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
        self.recent = first..end;
        Ok((first..end).map(|row| QpHandle::from_raw(self.handle(row))).collect())
    }

    /// Returns the rows that were published last, once. If another PE fails to connect its own, these are destroyed
    /// here too.
    pub fn take_recent(&mut self) -> Range<u32> {
        std::mem::replace(&mut self.recent, 0..0)
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
        let (mut tables, mut rows) = (Tables::default(), RowTable::new(1, 3, 3));
        rows.publish(&mut tables, 0, row(0), &states(0, 2)).unwrap();
        rows.publish(&mut tables, 2, row(2), &states(2, 2)).unwrap();
        // The second entry is outside of the tables, once in a row that kernels see and once in a later row.
        for first in [1, 3] {
            let error = rows.publish(&mut tables, first, row(first), &states(first, 1 << 20)).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::OutOfRange);
            assert_eq!((tables.queues[first as usize], tables.rows), ([0; 3], 3));
            assert_eq!((rows.published, rows.iter().count()), (3, 2));
            assert_eq!(rows.find_free(false, 1).unwrap(), 1, "the row is free");
        }
        assert_eq!((tables.queues[2], tables.live), ([0, 0x1000, 0x1000], 1), "others stay; row 1 alone was visible");
        let handles = rows.publish(&mut tables, 1, row(1), &states(1, 2)).unwrap();
        assert_eq!((tables.queues[1], handles[0].raw()), ([0, 0x1000, 0x1000], FIRST_CUSTOM));
        assert_eq!((rows.take_recent(), rows.take_recent()), (1..2, 0..0));
    }

    #[test]
    fn destroyed_rows_are_free_and_kernels_no_longer_see_those_at_the_end() {
        let (mut tables, mut rows) = (Tables::default(), RowTable::new(1, 3, 3));
        for number in 0..4 {
            rows.publish(&mut tables, number, row(number), &states(number, 2)).unwrap();
        }
        let handle = |row: &RowTable<u32>, number| QpHandle::from_raw(row.handle(number));
        let (second, last) = (handle(&rows, 1), handle(&rows, 3));
        assert_eq!(rows.rows_of(&[QpHandle::DEFAULT, last, second]).unwrap(), HashSet::from([1, 3]));
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
        let error = rows.find_free(false, 2).unwrap_err().to_string();
        assert!(error.contains("2 queue pairs asked, 2 available") && error.contains("next to each other"), "{error}");
        for (raw, reason) in
            [(last.raw(), "destroyed already"), (last.raw() + 1, "of this world"), (100, "of this world")]
        {
            let error = rows.rows_of(&[QpHandle::from_raw(raw)]).unwrap_err().to_string();
            assert!(error.contains(reason), "{raw}: {error}");
        }
        assert!(rows.find_free(true, 1).is_err());
    }
}

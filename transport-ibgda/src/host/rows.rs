//! Rows of queues: a queue to each far PE in each.

use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_core::{Pe, QpHandle};
use oxshmem_raw::state::nic::{FIRST_CUSTOM, QueueState};

use super::nic::Nic;
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
    /// The device's memory can't be written; then none of them counts.
    pub(super) fn publish(
        &mut self,
        tables: &Tables,
        first: u32,
        rows: Vec<Row>,
        states: &[QueueState],
        per_row: usize,
    ) -> Result<()> {
        let end = first + rows.len() as u32;
        for (index, state) in states.iter().enumerate() {
            let row = first + (index / per_row.max(1)) as u32;
            tables.set_queue(row, state, row < self.published)?;
        }
        if end > self.published {
            tables.publish_rows(end)?;
            self.published = end;
        }
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
    pub(super) fn destroy(&mut self, nic: &Nic, tables: &Tables, row: u32) -> Result<()> {
        let Some(queues) = self.rows.get_mut(row as usize).and_then(Option::take) else { return Ok(()) };
        let mut gone = Ok(());
        for (pe, queue) in (0..).map(Pe::new).zip(queues) {
            let Some(queue) = queue else { continue };
            gone = gone.and(tables.clear_queue(row, pe));
            gone = gone.and(queue.destroy(nic));
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

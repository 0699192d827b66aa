//! The rows of queue pairs of a world: their numbers and handles, which are the same on every PE and on every
//! transport.

use std::collections::BTreeSet;
use std::ops::Range;

use oxshmem_core::QpHandle;
use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_raw::queue::rows::{handle_of, row_of};
use oxshmem_raw::state::WorldState;
use oxshmem_raw::transport::NicSettings;

/// The rows of a world. The default rows come first; custom rows follow them.
#[derive(Debug)]
pub(super) struct Rows {
    default: u32,
    /// The rule by which a thread chooses its default row.
    map_by: u32,
    n_pes: u32,
    /// By custom row, whether it exists.
    taken: Vec<bool>,
}

impl Rows {
    /// Returns the default rows of these settings, which always exist, and room for custom ones, in a world of `n_pes`
    /// PEs.
    pub(super) fn new(nic: &NicSettings, n_pes: u32) -> Self {
        Self { default: nic.rows, map_by: nic.map_by.code(), n_pes, taken: vec![false; nic.spare_rows as usize] }
    }

    /// Returns the rows of a world whose `n_pes` PEs all reach each other by loads and stores, which has none.
    pub(super) fn none(n_pes: u32) -> Self {
        Self { default: 0, map_by: WorldState::BY_CTA, n_pes, taken: Vec::new() }
    }

    /// Returns the default rows.
    pub(super) fn default_rows(&self) -> Range<u32> {
        0..self.default
    }

    /// Adds the choice of a default row to a state.
    pub(super) fn set(&self, state: &mut WorldState) {
        (state.default_rows, state.map_by) = (self.default, self.map_by);
    }

    /// Takes `count` adjacent custom rows.
    ///
    /// # Errors
    /// `Exhausted`: too few adjacent ones are free.
    pub(super) fn take(&mut self, count: u32) -> Result<Range<u32>> {
        let is_free = |rows: &[bool]| !rows.contains(&true);
        let Some(first) = self.taken.windows(count as usize).position(is_free) else {
            let free = self.taken.iter().filter(|taken| !**taken).count() as u64;
            let error = Error::new(ErrorKind::Exhausted, format!("create {count} queue pairs"));
            let error = error.amount(count.into(), free, "queue pairs");
            let error =
                if free >= count.into() { error.because("the free ones are not next to each other") } else { error };
            return Err(error.hint("raise OXSHMEM_SPARE_QPS, or destroy queue pairs that are not needed"));
        };
        self.taken[first..first + count as usize].fill(true);
        let first = self.default + first as u32;
        Ok(first..first + count)
    }

    /// Frees the custom ones among these rows.
    pub(super) fn free(&mut self, rows: &[u32]) {
        for custom in rows.iter().filter_map(|row| row.checked_sub(self.default)) {
            self.taken[custom as usize] = false;
        }
    }

    /// Returns the handles of rows.
    pub(super) fn handles(&self, rows: Range<u32>) -> Vec<QpHandle> {
        rows.map(|row| handle_of(row, self.default, self.n_pes)).collect()
    }

    /// Returns the rows of these handles, in order. The default handle has no row of its own and is left out.
    ///
    /// # Errors
    /// `InvalidArgument`: a handle is not a queue pair of this world, or was destroyed.
    pub(super) fn of(&self, handles: &[QpHandle]) -> Result<Vec<u32>> {
        let custom = handles.iter().filter(|handle| **handle != QpHandle::DEFAULT);
        let rows: BTreeSet<u32> = custom.map(|handle| self.row(handle.raw())).collect::<Result<_>>()?;
        Ok(rows.into_iter().collect())
    }

    fn row(&self, raw: i32) -> Result<u32> {
        let row = row_of(raw, self.default, self.n_pes);
        let reason = match row.and_then(|row| self.taken.get((row - self.default) as usize)) {
            Some(true) => return Ok(row.unwrap_or_default()),
            Some(false) => "it was not created, or was destroyed already",
            None => "it is not a queue pair of this world",
        };
        Err(Error::new(ErrorKind::InvalidArgument, format!("destroy queue pair {raw}")).because(reason))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use oxshmem_raw::transport::MapBy;

    fn rows(rows: u32, spare_rows: u32, n_pes: u32) -> Rows {
        Rows::new(&NicSettings { rows, spare_rows, map_by: MapBy::Sm, ..NicSettings::default() }, n_pes)
    }

    fn raws(handles: &[QpHandle]) -> Vec<i32> {
        handles.iter().map(|handle| handle.raw()).collect()
    }

    #[test]
    fn kernels_learn_the_number_of_default_rows_and_the_choice_among_them() {
        let mut state = WorldState::default();
        rows(2, 4, 3).set(&mut state);
        assert_eq!((state.default_rows, state.map_by), (2, WorldState::BY_SM));
        Rows::none(3).set(&mut state);
        assert_eq!((state.default_rows, state.map_by), (0, WorldState::BY_CTA));
    }

    #[test]
    fn handles_are_n_pes_apart_and_find_their_row() {
        let mut rows = rows(2, 4, 3);
        assert_eq!(raws(&rows.handles(rows.default_rows())), [1, 1]);
        let made = rows.take(3).unwrap();
        let handles = rows.handles(made.clone());
        assert_eq!((made, raws(&handles)), (2..5, vec![2, 5, 8]));
        let named = [handles[2], QpHandle::DEFAULT, handles[0], handles[2]];
        assert_eq!(rows.of(&named).unwrap(), [2, 4], "each once");
        rows.free(&[3]);
        assert_eq!(rows.take(1).unwrap(), 3..4, "a row that was destroyed is used again");
        rows.free(&[0, 1, 2, 3, 4]);
        assert_eq!(rows.take(4).unwrap(), 2..6, "and the default rows are never taken");
    }

    #[test]
    fn more_rows_than_there_is_room_for_are_refused_with_both_numbers() {
        let mut rows = rows(2, 4, 2);
        rows.take(3).unwrap();
        let error = rows.take(2).unwrap_err();
        let amount = error.how_much().unwrap();
        assert_eq!((error.kind(), amount.asked, amount.limit), (ErrorKind::Exhausted, 2, 1));
        assert!(error.to_string().contains("OXSHMEM_SPARE_QPS"), "{error}");
        rows.free(&[3]);
        let apart = rows.take(2).unwrap_err().to_string();
        assert!(apart.contains("2 queue pairs asked, 2 available") && apart.contains("next to each other"), "{apart}");
        assert_eq!((rows.take(1).unwrap(), rows.take(1).unwrap()), (3..4, 5..6), "a refusal takes nothing");
        let all = rows.take(5).unwrap_err().to_string();
        assert!(all.contains("5 queue pairs asked, 0 available"), "{all}");
    }

    #[test]
    fn a_handle_that_is_no_queue_pair_is_an_error_that_says_why() {
        let mut rows = rows(1, 3, 3);
        let made = rows.take(2).unwrap();
        let handles = rows.handles(made);
        rows.free(&[2]);
        for (raw, reason) in [
            (0, "of this world"),
            (-1, "of this world"),
            (i32::MIN, "of this world"),
            (3, "of this world"),
            (handles[1].raw(), "destroyed already"),
            (8, "not created"),
            (11, "of this world"),
            (i32::MAX, "of this world"),
        ] {
            let error = rows.of(&[handles[0], QpHandle::from_raw(raw)]).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{error}");
            let text = error.to_string();
            assert!(text.contains(&format!("queue pair {raw}:")) && text.contains(reason), "{text}");
        }
        assert_eq!(rows.of(&handles[..1]).unwrap(), [1]);
        let none = Rows::none(3);
        assert!(none.of(&[QpHandle::DEFAULT]).unwrap().is_empty() && none.of(&handles).is_err());
    }
}

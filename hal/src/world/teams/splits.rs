//! Teams of some members of another team.

use oxshmem_core::Pe;
use oxshmem_core::host::{Error, ErrorKind, Result};

use super::{Team, TeamOptions};

impl<'w> Team<'w> {
    /// Returns the members `start`, `start + stride` ... of this team, `count` of them.
    ///
    /// # Errors
    /// `stride` is 0, or a number is outside the team.
    fn strided(&self, start: u32, stride: i32, count: u32) -> Result<Vec<Pe>> {
        let n_pes = self.n_pes();
        let action = || format!("split {count} members off a team, from {start} by {stride}");
        if count == 0 || (stride == 0 && count > 1) {
            return Err(Error::new(ErrorKind::InvalidArgument, action())
                .because("a team has at least one member, and each once"));
        }
        let member = |k: u32| {
            let number = i64::from(start) + i64::from(stride) * i64::from(k);
            let inside = usize::try_from(number).ok().and_then(|number| self.members().get(number).copied());
            inside.ok_or_else(|| {
                Error::new(ErrorKind::OutOfRange, action())
                    .because(format!("there is no member {number}: the team has members 0 to {}", n_pes - 1))
            })
        };
        (0..count).map(member).collect()
    }

    /// Makes a team of `count` members of this one: members `start`, `start + stride` and so on. The others may call as
    /// well, and get `None`.
    ///
    /// # Errors
    /// As [`World::team`](crate::World::team); or a number is outside this team.
    pub fn split_strided(&self, start: u32, stride: i32, count: u32) -> Result<Option<Team<'w>>> {
        self.world.refuse_in_capture("split_strided")?;
        let pes = self.strided(start, stride, count)?;
        if !pes.contains(&self.world.me) {
            return Ok(None);
        }
        self.world.team(&pes, TeamOptions::default()).map(Some)
    }

    /// Makes two teams of this one, whose members form rows of `columns` (the last row may be shorter): this PE's
    /// row, and its column. Every member calls.
    ///
    /// # Errors
    /// As [`World::team`](crate::World::team); or `columns` is 0.
    pub fn split_2d(&self, columns: u32) -> Result<(Team<'w>, Team<'w>)> {
        self.world.refuse_in_capture("split_2d")?;
        if columns == 0 {
            return Err(Error::new(ErrorKind::InvalidArgument, "split a team in rows and columns")
                .because("a row has at least one column"));
        }
        let columns = columns.min(self.n_pes());
        let (row, column) = (self.my_pe() / columns, self.my_pe() % columns);
        let in_row = columns.min(self.n_pes() - row * columns);
        let in_column = (self.n_pes() - column).div_ceil(columns);
        let row = self.world.team(&self.strided(row * columns, 1, in_row)?, TeamOptions::default())?;
        let column = self.world.team(&self.strided(column, columns as i32, in_column)?, TeamOptions::default())?;
        Ok((row, column))
    }
}

//! The answer of `QUERY_QP`: a queue pair's whole context, to read and to compare.

use oxshmem_core::host::Result;

use super::bits::{Field, Reply, get, long_enough};
use super::layout::{ads, qpc};
use super::queue::QPC;

/// Bytes of `QUERY_QP`'s output.
pub const QUERY_QP_BYTES: usize = 272;

/// A queue pair's context.
///
/// ```text
/// byte  0        16          24    256
///      status  | opt mask  | qpc |
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QpContext(Vec<u8>);

/// A difference between two queue pairs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The field, as in [`QpContext::fields`].
    pub field: String,
    /// Its value in the first context.
    pub first: u64,
    /// Its value in the second context.
    pub second: u64,
}

impl QpContext {
    /// Parses the output of [`QueryQp`](super::QueryQp).
    ///
    /// # Errors
    /// The firmware refused the command, or the output is too short.
    pub fn parse(output: &[u8]) -> Result<Self> {
        const ACTION: &str = "query a queue pair";
        long_enough(ACTION, output, (QPC + qpc::BITS) / 8)?;
        Reply::parse(output).check(ACTION)?;
        Ok(Self(output[QPC / 8..(QPC + qpc::BITS) / 8].to_vec()))
    }

    /// Returns the state: 0 reset, 1 init, 2 ready to receive, 3 ready to send, 4 send queue error, 5 drained, 6 error.
    pub fn state(&self) -> u8 {
        get(&self.0, qpc::STATE) as u8
    }

    /// Returns the named fields and their values; those of the address paths begin with `primary.` and `secondary.`.
    pub fn fields(&self) -> impl Iterator<Item = (String, u64)> + '_ {
        names().map(|(name, field)| (name, get(&self.0, field)))
    }

    /// Returns the value of a field, by its name in [`fields`](Self::fields).
    pub fn field(&self, name: &str) -> Option<u64> {
        self.fields().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// Returns the differences from another context in named fields. All other bits are reserved: a firmware may return
    /// any values there.
    pub fn differences(&self, other: &Self) -> Vec<Difference> {
        let pairs = self.fields().zip(other.fields());
        let differences = pairs.map(|((field, first), (_, second))| Difference { field, first, second });
        differences.filter(|difference| difference.first != difference.second).collect()
    }
}

/// Returns the named fields and their places in the context.
fn names() -> impl Iterator<Item = (String, Field)> {
    let path = |prefix: &'static str, start: usize| {
        ads::ALL.iter().map(move |field| (format!("{prefix}.{}", field.name), field.within(start)))
    };
    let own = qpc::ALL.iter().map(|&field| (field.name.to_owned(), field));
    own.chain(path("primary", qpc::PRIMARY)).chain(path("secondary", qpc::SECONDARY))
}

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
    /// The field; "bits 0x60 to 0x7f" for bits without a name.
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

    /// 0 reset, 1 init, 2 ready to receive, 3 ready to send, 4 send queue error, 5 drained, 6 error.
    pub fn state(&self) -> u8 {
        get(&self.0, qpc::STATE) as u8
    }

    /// The named fields and their values; those of the address paths begin with `primary.` and `secondary.`.
    pub fn fields(&self) -> impl Iterator<Item = (String, u64)> + '_ {
        names().map(|(name, field)| (name, get(&self.0, field)))
    }

    /// The value of a field, by its name in [`fields`](Self::fields).
    pub fn field(&self, name: &str) -> Option<u64> {
        self.fields().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// The differences from another context: named fields first, then words of bits without a name.
    pub fn differences(&self, other: &Self) -> Vec<Difference> {
        let mut rest: Vec<u8> = self.0.iter().zip(&other.0).map(|(a, b)| a ^ b).collect();
        let mut found = Vec::new();
        for (name, field) in names() {
            let (first, second) = (get(&self.0, field), get(&other.0, field));
            if first != second {
                found.push(Difference { field: name, first, second });
            }
            super::bits::set(&mut rest, field, 0);
        }
        for at in (0..qpc::BITS).step_by(32).filter(|&at| rest[at / 8..at / 8 + 4] != [0; 4]) {
            let field = Field::new("", at, 32);
            let differ = get(&rest, field);
            found.push(Difference {
                field: format!("bits {at:#x} to {:#x}", at + 31),
                first: get(&self.0, field) & differ,
                second: get(&other.0, field) & differ,
            });
        }
        found
    }
}

/// The named fields and their places in the context.
fn names() -> impl Iterator<Item = (String, Field)> {
    let path = |prefix: &'static str, start: usize| {
        ads::ALL.iter().map(move |field| (format!("{prefix}.{}", field.name), field.within(start)))
    };
    let own = qpc::ALL.iter().map(|&field| (field.name.to_owned(), field));
    own.chain(path("primary", qpc::PRIMARY)).chain(path("secondary", qpc::SECONDARY))
}

//! Permanent errors of a NIC that is broken, or of an unexpected model.

use std::borrow::Cow;

use oxshmem_core::host::{Error, ErrorKind, Result};

macro_rules! defects {
    ($($(#[doc = $doc:literal])+ $name:ident = $text:literal;)+) => {
        /// A permanent error of a NIC.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Defect {
            $($(#[doc = $doc])+ $name,)+
        }

        impl Defect {
            /// All defects.
            pub const ALL: &[Self] = &[$(Self::$name,)+];

            /// Returns the name in `OXSHMEM_SOFTNIC_DEFECT`.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)+
                }
            }
        }
    };
}

defects! {
    /// The last byte of a write's data is wrong.
    Write = "write";
    /// A write of several bytes writes one more byte after them.
    Spill = "spill";
    /// The first byte of a read's data is wrong.
    Read = "read";
    /// An atomic returns a wrong former value.
    Fetch = "fetch";
    /// Extended atomics of 4 bytes return the former value in little-endian order.
    Endian = "endian";
    /// Later operations overtake a write.
    Order = "order";
    /// From the second lap of the index on, completions name another entry.
    Counter = "counter";
    /// Completions are not written.
    Silent = "silent";
    /// The peer's keys are not checked: operations with a bad key succeed.
    Keys = "keys";
    /// Remote access errors have another syndrome.
    Syndrome = "syndrome";
    /// `QUERY_QP` reports a queue pair in error as ready.
    State = "state";
    /// `QUERY_QP` reports a wrong retry count for a queue pair with a collapsed completion queue.
    Asked = "asked";
    /// `QUERY_QP` reports a wrong RNR timer for a queue pair with a ring of completions.
    Twin = "twin";
}

/// A set of defects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Defects(u32);

impl Defects {
    /// Parses a list like `write,twin`.
    ///
    /// # Errors
    /// There is no defect of a name.
    pub fn parse(text: &str) -> Result<Self> {
        text.split(',').map(str::trim).filter(|name| !name.is_empty()).try_fold(Self::default(), |set, name| {
            let known = Defect::ALL.iter().find(|defect| defect.name() == name);
            known.map(|defect| set | *defect).ok_or_else(|| {
                let names: Vec<_> = Defect::ALL.iter().map(|defect| defect.name()).collect();
                Error::new(ErrorKind::InvalidArgument, format!("make a software NIC with the defect {name:?}"))
                    .hint(format!("there are {}", names.join(", ")))
            })
        })
    }

    /// Reports whether the set contains the defect.
    pub fn has(self, defect: Defect) -> bool {
        self.0 & 1 << defect as u32 != 0
    }

    /// Returns the data of a write as the NIC writes it.
    pub(crate) fn written(self, data: &[u8]) -> Cow<'_, [u8]> {
        if !self.has(Defect::Write) && !self.has(Defect::Spill) {
            return Cow::Borrowed(data);
        }
        let mut data = data.to_vec();
        if let (true, Some(last)) = (self.has(Defect::Write), data.last_mut()) {
            *last ^= 1;
        }
        if self.has(Defect::Spill) && data.len() > 1 {
            data.push(0);
        }
        Cow::Owned(data)
    }
}

impl std::ops::BitOr<Defect> for Defects {
    type Output = Self;

    fn bitor(self, defect: Defect) -> Self {
        Self(self.0 | 1 << defect as u32)
    }
}

impl From<Defect> for Defects {
    fn from(defect: Defect) -> Self {
        Self::default() | defect
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defects_are_read_from_text_and_one_that_there_is_none_of_is_told_with_those_there_are() {
        let set = Defects::parse("write, twin").unwrap();
        assert!(set.has(Defect::Write) && set.has(Defect::Twin) && !set.has(Defect::Read));
        assert_eq!(Defects::parse("").unwrap(), Defects::default());
        let error = Defects::parse("write,rite").unwrap_err().to_string();
        assert!(error.contains("\"rite\"") && error.contains("spill, read"), "{error}");
    }

    #[test]
    fn a_write_is_as_it_was_sent_without_a_defect() {
        assert_eq!(*Defects::default().written(&[1, 2]), [1, 2]);
        assert_eq!(*Defects::from(Defect::Write).written(&[1, 2]), [1, 3]);
        assert_eq!(*Defects::from(Defect::Spill).written(&[1, 2]), [1, 2, 0]);
    }
}

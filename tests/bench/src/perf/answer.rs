//! The program's answers, one line each.

use std::fmt;

use oxshmem_hal::Error;

/// The answer to one request.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// Nanoseconds for one iteration, by repetition.
    Times(Vec<f64>),
    /// The same, and the number of blocks that the library chose.
    Chosen(Vec<f64>, u32),
    /// This PE takes part; other PEs' times count.
    Serves,
    /// This program has no such test, with the reason.
    Skip(String),
    /// The received data differs from the sent data: the amount, and the first place.
    Wrong(String),
    /// The failure.
    Error(String),
}

impl Answer {
    /// Returns the answer that there is no such test, with this reason.
    pub fn skip(why: impl Into<String>) -> Self {
        Self::Skip(why.into())
    }
}

impl From<Error> for Answer {
    fn from(error: Error) -> Self {
        Self::Error(error.to_string())
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // An answer is one line, even if the error's text has several.
        let line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        match self {
            Self::Times(times) => {
                f.write_str("times")?;
                times.iter().try_for_each(|time| write!(f, " {time:.3}"))
            }
            Self::Chosen(times, ctas) => write!(f, "{} ctas={ctas}", Self::Times(times.clone())),
            Self::Serves => f.write_str("times -"),
            Self::Skip(why) => write!(f, "skip {}", line(why)),
            Self::Wrong(what) => write!(f, "wrong {}", line(what)),
            Self::Error(what) => write!(f, "error {}", line(what)),
        }
    }
}

//! Negative answers.

use std::time::Duration;

use crate::check::Rule;

/// Syndromes of error completions.
pub(crate) mod syndrome {
    pub(crate) const LOCAL_LENGTH: u8 = 0x01;
    pub(crate) const LOCAL_OPERATION: u8 = 0x02;
    pub(crate) const LOCAL_PROTECTION: u8 = 0x04;
    pub(crate) const FLUSHED: u8 = 0x05;
    pub(crate) const REMOTE_INVALID: u8 = 0x12;
    pub(crate) const REMOTE_ACCESS: u8 = 0x13;
    pub(crate) const REMOTE_OPERATION: u8 = 0x14;
    pub(crate) const RETRY_EXCEEDED: u8 = 0x15;
    pub(crate) const RNR_EXCEEDED: u8 = 0x16;
}

/// The reason why a request fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Nak {
    pub(crate) syndrome: u8,
    /// The rule that the driver broke, if any.
    pub(crate) rule: Option<Rule>,
    pub(crate) what: String,
    /// The receiver had no entry, and may have one after the time of this code: the requester repeats the request.
    pub(crate) not_ready: Option<u8>,
}

impl Nak {
    pub(crate) fn broken(syndrome: u8, rule: Rule, what: impl Into<String>) -> Self {
        Self { syndrome, rule: Some(rule), what: what.into(), not_ready: None }
    }

    pub(crate) fn fault(syndrome: u8, what: impl Into<String>) -> Self {
        Self { syndrome, rule: None, what: what.into(), not_ready: None }
    }

    /// The answer of a receiver without an entry. The code of its time is that of its queue pair.
    pub(crate) fn not_ready() -> Self {
        let what = "the peer's receive queue is empty".into();
        Self { syndrome: syndrome::RNR_EXCEEDED, rule: None, what, not_ready: Some(0) }
    }
}

/// Returns the time of a code of the RNR NAK timer field. Source: InfiniBand Architecture 1, section 9.7.5.2.8.
pub(crate) fn rnr_time(code: u8) -> Duration {
    const UNIT_US: u64 = 10;
    let units = match u32::from(code & 31) {
        0 => 1 << 16,
        1 => 1,
        even if even % 2 == 0 => 1 << (even / 2),
        odd => 3 << ((odd - 3) / 2),
    };
    Duration::from_micros(units * UNIT_US)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_rnr_codes_are_those_of_the_table() {
        let of_table =
            [(0, 655_360), (1, 10), (2, 20), (3, 30), (4, 40), (5, 60), (12, 640), (15, 1920), (31, 491_520)];
        for (code, us) in of_table {
            assert_eq!(rnr_time(code), Duration::from_micros(us), "code {code}");
        }
    }
}

//! The lines that a peer writes. `tests/peers/PROTOCOL.md` defines them.

use serde::Deserialize;

/// The first line of a process, when it is ready.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(crate) struct Ready {
    pub peer: String,
    #[serde(default)]
    pub version: String,
    /// The device of its kernels.
    #[serde(default)]
    pub device: String,
    #[serde(default)]
    pub driver: String,
    /// The name of the transport to the other PE.
    #[serde(default)]
    pub transport: String,
    /// The lines by which the library describes that transport.
    #[serde(default)]
    pub about: Vec<String>,
    pub init_us: f64,
}

impl Ready {
    /// Parses the line. The error describes the defect.
    pub(crate) fn parse(line: &str) -> Result<Self, String> {
        let json =
            line.strip_prefix("ready ").ok_or_else(|| format!("said `{}` where `ready` was due", short(line)))?;
        serde_json::from_str(json).map_err(|why| format!("said `{}`, which is not right: {why}", short(line)))
    }
}

/// The times of a request, and the notes about them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Timed {
    /// Nanoseconds of one iteration, for each repetition.
    pub ns: Vec<f64>,
    /// The number of blocks that the library chose, if it is known.
    pub ctas: Option<u64>,
}

impl From<Vec<f64>> for Timed {
    fn from(ns: Vec<f64>) -> Self {
        Self { ns, ctas: None }
    }
}

/// One PE's answer to a request.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Answer {
    Times(Timed),
    /// The PE served the others, and its times do not count.
    Served,
    /// The peer lacks this test.
    Skip(String),
    /// The received data differ from the data that were sent.
    Wrong(String),
    /// A failure, as text.
    Error(String),
}

impl Answer {
    /// Parses the line, which must have `repeat` times. The error describes the defect.
    pub(crate) fn parse(line: &str, repeat: u32) -> Result<Self, String> {
        let (word, rest) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
        let rest = rest.trim();
        match word {
            "times" if rest == "-" => Ok(Self::Served),
            "times" => times(rest, repeat).map(Self::Times),
            "skip" => Ok(Self::Skip(rest.to_string())),
            "wrong" => Ok(Self::Wrong(rest.to_string())),
            "error" => Ok(Self::Error(rest.to_string())),
            _ => Err(format!("said `{}` where `times`, `skip`, `wrong` or `error` was due", short(line))),
        }
    }
}

fn times(text: &str, repeat: u32) -> Result<Timed, String> {
    let mut timed = Timed::default();
    for word in text.split_whitespace() {
        if let Some((key, value)) = word.split_once('=') {
            if key == "ctas" {
                timed.ctas = Some(value.parse().map_err(|_| format!("said `{}`, which is no number", short(word)))?);
            }
            continue;
        }
        match word.parse::<f64>() {
            Ok(ns) if ns.is_finite() && ns > 0.0 => timed.ns.push(ns),
            _ => return Err(format!("said a time of `{}`, which is no number of nanoseconds above 0", short(word))),
        }
    }
    match timed.ns.len() == repeat as usize {
        true => Ok(timed),
        false => Err(format!("said {} times of {repeat} that were asked", timed.ns.len())),
    }
}

/// Returns the line, shortened for an error message.
pub(crate) fn short(line: &str) -> String {
    const MOST: usize = 120;
    let shown: String = line.chars().take(MOST).map(|c| if c.is_control() { '?' } else { c }).collect();
    if line.chars().count() > MOST { format!("{shown}...") } else { shown }
}

/// The combined answer of all PEs of a peer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Verdict {
    /// The largest times and notes over the PEs.
    Times(Timed),
    /// The peer lacks this test.
    Skipped(String),
    /// The defect, with its PE.
    Failed(String),
}

/// Combines the PEs' answers, each given with its PE.
pub(crate) fn together(answers: &[(usize, Answer)]) -> Verdict {
    let mut wrong = None;
    let mut skips = Vec::new();
    let mut largest = Timed::default();
    for (pe, answer) in answers {
        match answer {
            Answer::Error(what) => return Verdict::Failed(format!("PE {pe} failed: {what}")),
            Answer::Wrong(what) => wrong = wrong.or(Some(format!("PE {pe} has wrong data: {what}"))),
            Answer::Skip(why) => skips.push(why),
            Answer::Served => {}
            Answer::Times(timed) => {
                largest.ns.resize(timed.ns.len(), 0.0);
                largest.ns.iter_mut().zip(&timed.ns).for_each(|(most, ns)| *most = most.max(*ns));
                largest.ctas = largest.ctas.max(timed.ctas);
            }
        }
    }
    match (wrong, skips.first()) {
        (Some(what), _) => Verdict::Failed(what),
        (None, Some(why)) if skips.len() == answers.len() => Verdict::Skipped(why.to_string()),
        (None, Some(why)) => Verdict::Failed(format!("{} of {} PEs skipped it: {why}", skips.len(), answers.len())),
        (None, None) if largest.ns.is_empty() => {
            Verdict::Failed("every PE said `times -`, and none a time".to_string())
        }
        (None, None) => Verdict::Times(largest),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn together<const N: usize>(answers: [Answer; N]) -> Verdict {
        super::together(&answers.into_iter().enumerate().collect::<Vec<_>>())
    }

    #[test]
    fn every_answer_of_the_protocol_is_read() {
        assert_eq!(Answer::parse("times 1.5 2", 2), Ok(Answer::Times(vec![1.5, 2.0].into())));
        let noted = Answer::Times(Timed { ns: vec![1.5, 2.0], ctas: Some(16) });
        assert_eq!(Answer::parse("times 1.5 2 ctas=16 later=note", 2), Ok(noted));
        assert_eq!(Answer::parse("times -\r", 2), Ok(Answer::Served));
        assert_eq!(Answer::parse("skip no TMA here", 2), Ok(Answer::Skip("no TMA here".into())));
        assert_eq!(Answer::parse("wrong 3 of 8 bytes", 2), Ok(Answer::Wrong("3 of 8 bytes".into())));
        assert_eq!(Answer::parse("error launch: 700", 2), Ok(Answer::Error("launch: 700".into())));
    }

    #[test]
    fn what_is_no_answer_is_told_with_what_was_said() {
        for (line, part) in [
            ("Segmentation fault", "`Segmentation fault`"),
            ("", "said ``"),
            ("times 1.0", "1 times of 2"),
            ("times 1.0 nan", "`nan`"),
            ("times 1.0 -3", "`-3`"),
            ("times 1.0 2.0 ctas=many", "`ctas=many`"),
            ("times 1.0 0", "`0`"),
        ] {
            let error = Answer::parse(line, 2).unwrap_err();
            assert!(error.contains(part), "{line}: {error}");
        }
        assert!(Answer::parse(&"x".repeat(5000), 1).unwrap_err().len() < 250, "a long line is cut");
    }

    #[test]
    fn the_largest_time_counts_and_a_serving_pe_says_none() {
        let of = |times: &[f64]| Answer::Times(times.to_vec().into());
        assert_eq!(together([of(&[1.0, 5.0]), of(&[2.0, 4.0])]), Verdict::Times(vec![2.0, 5.0].into()));
        assert_eq!(together([of(&[1.0]), Answer::Served]), Verdict::Times(vec![1.0].into()));
        let by = |ctas| Answer::Times(Timed { ns: vec![1.0], ctas });
        assert_eq!(together([by(Some(8)), by(None)]), Verdict::Times(Timed { ns: vec![1.0], ctas: Some(8) }));
        assert!(matches!(together([Answer::Served, Answer::Served]), Verdict::Failed(_)));
    }

    #[test]
    fn one_wrong_pe_fails_the_row_and_a_failed_one_is_the_cause() {
        let wrong = Answer::Wrong("3 of 8 bytes".into());
        assert_eq!(
            together([Answer::Served, wrong.clone()]),
            Verdict::Failed("PE 1 has wrong data: 3 of 8 bytes".into())
        );
        let text = format!("{:?}", together([wrong, Answer::Error("launch: 700".into())]));
        assert!(text.contains("PE 1 failed: launch: 700"), "{text}");
    }

    #[test]
    fn a_row_is_skipped_by_all_pes_or_failed() {
        let skip = || Answer::Skip("no such test".into());
        assert_eq!(together([skip(), skip()]), Verdict::Skipped("no such test".into()));
        assert!(matches!(together([skip(), Answer::Served]), Verdict::Failed(_)));
    }

    #[test]
    fn a_ready_line_needs_its_time_and_not_its_device() {
        let ready = Ready::parse("ready {\"peer\":\"x\",\"version\":\"1\",\"init_us\":12.5,\"new\":1}").unwrap();
        assert_eq!((ready.peer.as_str(), ready.init_us), ("x", 12.5));
        assert!(Ready::parse("ready {\"peer\":\"x\"}").unwrap_err().contains("init_us"));
        assert!(Ready::parse("hello").unwrap_err().contains("`hello` where `ready`"));
    }
}

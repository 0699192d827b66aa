//! The orders in which the instructions of an entry can be executed, which can differ from the text.

use std::collections::BTreeMap;

/// The lines of an entry's body, and the possible successors of each.
pub(super) struct Flow<'a> {
    lines: Vec<&'a str>,
    next: Vec<Vec<usize>>,
}

impl<'a> Flow<'a> {
    /// Parses a body as LLVM writes it: one instruction or label a line.
    pub(super) fn of(body: &'a str) -> Self {
        let lines: Vec<&str> = body.lines().map(str::trim).collect();
        let labels: BTreeMap<&str, usize> =
            lines.iter().enumerate().filter_map(|(at, line)| Some((line.split_once(':')?.0, at))).collect();
        let next = lines.iter().enumerate().map(|(at, line)| {
            let named = line.split(|c: char| c.is_whitespace() || c == ',' || c == ';');
            let mut next: Vec<usize> = named.filter_map(|word| labels.get(word).copied()).collect();
            let leaves = ["bra", "brx.idx", "ret;", "exit;", "trap;"].iter().any(|end| line.starts_with(end));
            if !leaves && at + 1 < lines.len() {
                next.push(at + 1);
            }
            next
        });
        let next = next.collect();
        Self { lines, next }
    }

    /// Returns the lines with `word` that can be executed after any of the lines `from`, or after the start, on paths
    /// without `gate`.
    pub(super) fn reached(&self, from: Option<&[usize]>, word: &str, gate: Option<&str>) -> Vec<usize> {
        let mut seen = vec![false; self.lines.len()];
        let mut open: Vec<usize> = match from {
            Some(from) => from.iter().flat_map(|&at| self.next[at].iter().copied()).collect(),
            None => (0..self.lines.len().min(1)).collect(),
        };
        while let Some(at) = open.pop() {
            if std::mem::replace(&mut seen[at], true) {
                continue;
            }
            if !gate.is_some_and(|gate| self.lines[at].contains(gate)) {
                open.extend(&self.next[at]);
            }
        }
        (0..seen.len()).filter(|&at| seen[at] && self.lines[at].contains(word)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The end precedes the loop in the text, as LLVM may place it.
    const BODY: &str = "{\n@%p1 bra $L2;\nbra.uni $L3;\n$L2:\nbar.sync 0;\nst.release;\nret;\n$L3:\nld.v2;\n\
                        @%p2 bra $L3;\nst.v2;\nbra.uni $L2;\n";

    #[test]
    fn what_stands_ahead_in_the_text_may_come_behind() {
        let flow = Flow::of(BODY);
        let stores = flow.reached(None, "st.v2", None);
        assert_eq!(flow.reached(Some(&stores), "st.release", None).len(), 1);
        assert!(flow.reached(Some(&stores), "ld.v2", None).is_empty(), "the loop is over");
        let loads = flow.reached(None, "ld.v2", None);
        assert_eq!(flow.reached(Some(&loads), "ld.v2", None), loads, "a loop comes back");
    }

    #[test]
    fn a_gate_on_every_way_is_found_and_one_that_has_a_way_around_it_too() {
        let flow = Flow::of(BODY);
        assert!(flow.reached(None, "st.release", Some("bar.sync")).is_empty());
        assert_eq!(flow.reached(None, "st.release", Some("st.v2")).len(), 1);
    }

    #[test]
    fn nothing_is_behind_a_return() {
        let flow = Flow::of(BODY);
        let release = flow.reached(None, "st.release", None);
        assert!(flow.reached(Some(&release), "st", None).is_empty());
    }
}

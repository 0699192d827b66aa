//! The required PTX of chosen kernels.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use super::Finding;
use super::flow::Flow;

/// The requirements by kernel, from `xtask/golden.toml`.
pub(crate) type Golden = BTreeMap<String, Promise>;

/// The words that one kernel's text must have and must not have.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Promise {
    /// The purpose, which is printed when the requirement is not met.
    why: String,
    /// Words in this order: each can be executed after the one before, wherever they are in the text.
    #[serde(default)]
    expect: Vec<String>,
    /// By word, another word that must precede it: every path to the word passes the other one.
    #[serde(default)]
    only_behind: BTreeMap<String, String>,
    /// Words that must not occur.
    #[serde(default)]
    forbid: Vec<String>,
    /// Words that occur exactly once.
    #[serde(default)]
    once: Vec<String>,
    /// Words with a number: at some place this many instructions with the word follow each other in the text, with no
    /// other access, barrier or fence between them.
    #[serde(default)]
    row: BTreeMap<String, usize>,
}

/// Compares the kernels of one PTX text with the requirements, and adds the names of those that the text has to
/// `seen`.
pub(crate) fn check(golden: &Golden, file: &Path, ptx: &str, seen: &mut Vec<String>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (name, promise) in golden {
        let Some((line, body)) = entry(ptx, name) else { continue };
        seen.push(name.clone());
        let mut broken =
            |text: String| findings.push(Finding::error(file, line, format!("`{name}`: {text}; {}", promise.why)));
        let flow = Flow::of(body);
        let mut from = None;
        for word in &promise.expect {
            let found = flow.reached(from.as_deref(), word, None);
            if found.is_empty() {
                let place = if body.contains(word.as_str()) { "is out of order" } else { "is missing" };
                broken(format!("`{word}` {place}"));
                break;
            }
            from = Some(found);
        }
        for (word, gate) in &promise.only_behind {
            if !flow.reached(None, word, Some(gate)).is_empty() {
                broken(format!("`{word}` is reached without `{gate}`"));
            }
        }
        for word in promise.forbid.iter().filter(|word| body.contains(word.as_str())) {
            broken(format!("`{word}` must not be there"));
        }
        for word in &promise.once {
            let times = body.matches(word.as_str()).count();
            if times != 1 {
                broken(format!("`{word}` stands there {times} times, not once"));
            }
        }
        for (word, &least) in &promise.row {
            let most = longest_row(body, word);
            if most < least {
                broken(format!("`{word}` stands {most} times in a row at most, not {least} times"));
            }
        }
    }
    findings
}

/// Returns the largest number of instructions with this word that follow each other in the text with no other access,
/// barrier or fence between them. A branch does not end such a row, because loads before a loop and at its start are
/// in flight together.
fn longest_row(body: &str, word: &str) -> usize {
    const PARTS: [&str; 7] = ["ld.", "st.", "atom.", "red.", "bar", "fence.", "membar."];
    let (mut now, mut most) = (0, 0);
    for line in body.lines().map(str::trim) {
        let name = if line.starts_with('@') { line.split_whitespace().nth(1).unwrap_or("") } else { line };
        if name.contains(word) {
            now += 1;
        } else if PARTS.iter().any(|part| name.starts_with(part)) {
            now = 0;
        }
        most = most.max(now);
    }
    most
}

/// Returns the line (from 1) and the text of an entry's body. For a name `func:PART`, it is the body of the first
/// function whose name ends in `PART`; for `func:PART*TYPE`, of the first whose name has `PART` and, after it, `TYPE`
/// among its types.
fn entry<'a>(ptx: &'a str, name: &str) -> Option<(usize, &'a str)> {
    let start = match name.strip_prefix("func:") {
        None => ptx.find(&format!(".entry {name}("))?,
        Some(part) => {
            // The line of a declaration ends after the name; that of a definition opens the parameters.
            let mut at = 0;
            let definition = ptx.split_inclusive('\n').find_map(|line| {
                at += line.len();
                let opens = line.starts_with(".func") && names(line.trim_end(), part);
                opens.then_some(at - line.len())
            });
            definition?
        }
    };
    let body = &ptx[start..];
    // LLVM closes a function with a brace at the start of a line.
    let end = body.find("\n}").unwrap_or(body.len());
    Some((ptx[..start].lines().count(), &body[..end]))
}

/// Returns whether a line begins the definition of a function of this name.
fn names(line: &str, part: &str) -> bool {
    match part.split_once('*') {
        None => line.ends_with(&format!("{part}(")),
        Some((name, with)) => {
            line.ends_with('(') && line.split_once(name).is_some_and(|(_, types)| types.contains(with))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PTX: &str =
        "\n.visible .entry k(\n)\n{\n st.a;\n bar.sync 0;\n st.release;\n}\n.entry other(\n)\n{\n fence;\n}\n";

    fn findings(promise: &str) -> Vec<String> {
        let golden: Golden = toml::from_str(promise).unwrap();
        check(&golden, Path::new("x.ptx"), PTX, &mut Vec::new()).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn words_in_order_are_a_kept_promise() {
        let kept = "[k]\nwhy = \"w\"\nexpect = [\"st.a\", \"bar.sync\", \"st.release\"]\nforbid = [\"fence\"]\nonce = [\"bar.sync\"]\n";
        assert_eq!(findings(kept), Vec::<String>::new());
    }

    #[test]
    fn a_word_out_of_order_missing_forbidden_or_twice_is_found_and_says_why() {
        let order = findings("[k]\nwhy = \"w\"\nexpect = [\"st.release\", \"bar.sync\"]\n");
        assert_eq!(order, ["x.ptx:2: error: `k`: `bar.sync` is out of order; w"]);
        assert!(
            findings("[k]\nwhy = \"w\"\nexpect = [\"fence\"]\n")[0].contains("is missing"),
            "the next entry is not looked into"
        );
        assert!(findings("[k]\nwhy = \"w\"\nforbid = [\"bar\"]\n")[0].contains("must not be there"));
        assert!(findings("[k]\nwhy = \"w\"\nonce = [\"st.\"]\n")[0].contains("2 times"));
    }

    #[test]
    fn what_is_only_behind_something_is_found_where_a_way_leads_around_that() {
        let kept = "[k]\nwhy = \"w\"\nonly_behind = { \"st.release\" = \"bar.sync\" }\n";
        assert_eq!(findings(kept), Vec::<String>::new());
        let broken = findings("[k]\nwhy = \"w\"\nonly_behind = { \"st.a\" = \"bar.sync\" }\n");
        assert_eq!(broken, ["x.ptx:2: error: `k`: `st.a` is reached without `bar.sync`; w"]);
    }

    #[test]
    fn a_row_ends_at_another_access_or_a_barrier_and_goes_on_over_arithmetic_and_into_a_loop() {
        let whole = " ld.v2 %a;\n$L1:\n add.s64 %b;\n @%p1 ld.v2 %c;\n st.v2 %a;\n ld.v2 %d;\n @%p2 bra $L1;\n";
        assert_eq!(longest_row(whole, "ld.v2"), 2);
        for between in ["st.v2 %a;", "ld.u8 %e;", "@%p2 st.u8 %a;", "bar.sync 0;", "fence.sc.sys;"] {
            assert_eq!(longest_row(&format!(" ld.v2 %a;\n {between}\n ld.v2 %b;\n"), "ld.v2"), 1, "{between}");
        }
        let short = findings("[k]\nwhy = \"w\"\nrow = { \"st.a\" = 2 }\n");
        assert_eq!(short, ["x.ptx:2: error: `k`: `st.a` stands 1 times in a row at most, not 2 times; w"]);
    }

    #[test]
    fn a_function_is_found_by_the_end_of_its_name_and_where_it_is_defined() {
        let ptx = ".func (.param .b64 r) _Rring\n(\n)\n;\n.func (.param .b64 r) _Rring(\n)\n{\n st.a;\n}\n";
        assert_eq!(entry(ptx, "func:ring").map(|(line, body)| (line, body.contains("st.a"))), Some((4, true)));
        assert_eq!(entry(ptx, "func:rin"), None);
    }

    #[test]
    fn a_misspelt_key_is_an_error() {
        assert!(toml::from_str::<Golden>("[k]\nwhy = \"w\"\nexpects = []\n").is_err());
    }
}

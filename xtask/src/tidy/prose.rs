//! Rules on the prose of comments: words that make a sentence hard to read, and the field's plain words for them.

use std::path::Path;

use super::Finding;

/// Words to avoid, and their replacements.
const WORDS: &[(&str, &str)] = &[
    ("behind it", "`after it`: `behind` is for queues in space"),
    ("behind them", "`after them`: `behind` is for queues in space"),
    ("is told", "`receives`, or what it receives"),
    ("are told", "`receive`, or what they receive"),
    ("tells whether", "`reports whether`, `returns whether`"),
    ("who waits", "`a waiting thread`"),
    ("who asks", "the caller, by its name"),
    ("whoever", "the caller, by its name"),
];

/// Returns a warning for each comment line with such words.
pub(super) fn check(file: &Path, text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let Some(comment) = line.trim_start().strip_prefix("//") else { continue };
        let comment = comment.to_lowercase();
        for (words, instead) in WORDS.iter().filter(|(words, _)| has(&comment, words)) {
            findings.push(Finding::warning(file, index + 1, format!("`{words}` in a comment; write {instead}")));
        }
    }
    findings
}

/// Reports whether `text` contains the words as whole words.
fn has(text: &str, words: &str) -> bool {
    let part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    text.match_indices(words)
        .any(|(at, _)| !part(text[..at].chars().next_back()) && !part(text[at + words.len()..].chars().next()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        check(Path::new("a.rs"), text).iter().map(Finding::to_string).collect()
    }

    #[test]
    fn words_are_found_in_comments_on_their_line_and_do_not_fail_the_check() {
        let text = "fn f() {}\n    /// Who waits is told of it.\n";
        assert_eq!(found(text).len(), 2);
        assert!(found(text)[0].starts_with("a.rs:2: warning: `is told`"), "{:?}", found(text));
        assert!(!check(Path::new("a.rs"), text)[0].is_error());
    }

    #[test]
    fn code_strings_and_longer_words_pass() {
        assert!(found("let text = \"is told\"; // this toldo\nlet is_told = 1;\n").is_empty());
        assert!(found("// behind items\n// what this tolds\n").is_empty());
    }
}

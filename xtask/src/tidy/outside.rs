//! Files and folders outside the checkout are made by `oxshmem_raw::os::private` alone: other names in the folder for
//! temporary files can be predicted, and taken by another user.

use std::path::Path;

use anyhow::Result;

use super::{Finding, source};

/// The words that lead to folders which every user may write to.
const WORDS: [&str; 5] = ["temp_dir", "mkdtemp", "mkstemp", "\"/tmp", "\"/var/tmp"];

/// The files that may have them: the one that makes the folders, the list of folders of a virtual machine, and this
/// one.
const MAY: [&str; 3] = ["hal/raw/src/os/private.rs", "xtask/src/rxe/image.rs", "xtask/src/tidy/outside.rs"];

/// Checks every Rust file of the checkout.
pub(super) fn check(root: &Path) -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    for file in source::sources(root)? {
        if !MAY.iter().any(|may| file == root.join(may)) {
            findings.extend(check_text(&file, &source::read(&file)?));
        }
    }
    Ok(findings)
}

fn check_text(file: &Path, text: &str) -> Vec<Finding> {
    let found = text.lines().enumerate().filter_map(|(index, line)| {
        let code = line.split("//").next().unwrap_or("");
        let word = WORDS.into_iter().find(|word| code.contains(word))?;
        let text = format!("`{word}`: another user can take a name there; use `oxshmem_raw::os::private::Scratch`");
        Some(Finding::error(file, index + 1, text))
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_another_user_can_take_is_found_on_its_line_and_one_in_a_comment_is_not() {
        let found = |text: &str| check_text(Path::new("a.rs"), text);
        let lines = found("fn a() {}\nlet b = std::env::temp_dir().join(\"b\");\nlet c = \"/tmp/c\";\n");
        assert_eq!(lines.len(), 2);
        assert!(lines[0].is_error() && lines[0].to_string().starts_with("a.rs:2: error: `temp_dir`"), "{}", lines[0]);
        assert!(found("let a = folder.join(\"tmp\"); // not \"/tmp\"\n").is_empty());
    }

    #[test]
    fn the_files_that_may_lead_there_are_in_this_checkout() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        assert!(MAY.iter().all(|may| root.join(may).is_file()));
    }
}

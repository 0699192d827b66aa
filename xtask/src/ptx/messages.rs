//! The compiler's messages, from cargo's JSON output.

use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use crate::shell;

/// The first words of the one intended warning: the PTX version is chosen by a target feature, which is unstable like
/// this whole target.
const MEANT: &str = "unstable feature specified for `-Ctarget-feature`";

#[derive(Deserialize)]
struct Line {
    message: Option<Message>,
}

#[derive(Deserialize)]
struct Message {
    level: String,
    message: String,
    rendered: Option<String>,
}

/// Runs cargo with messages as JSON, prints the messages, and returns the warnings.
///
/// # Errors
/// Cargo does not start, or fails.
pub(super) fn run(cargo: &mut Command) -> Result<Vec<String>> {
    let typed = shell::typed(cargo);
    let output = cargo.stdin(Stdio::null()).stderr(Stdio::inherit()).output();
    let output = output.with_context(|| format!("cannot start `{typed}`"))?;
    let messages = parse(&String::from_utf8_lossy(&output.stdout));
    messages.iter().filter_map(|message| message.rendered.as_ref()).for_each(|text| eprint!("{text}"));
    if !output.status.success() {
        bail!("`{typed}` failed: {}", output.status);
    }
    Ok(messages.into_iter().filter(|message| message.level == "warning").map(|message| message.message).collect())
}

/// Parses cargo's JSON lines, without the intended warning.
fn parse(lines: &str) -> Vec<Message> {
    let messages = lines.lines().filter_map(|line| serde_json::from_str::<Line>(line).ok()?.message);
    messages.filter(|message| !message.message.starts_with(MEANT)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_are_kept_and_the_one_about_the_target_feature_is_not() {
        let line = |text: &str| {
            format!(
                r#"{{"reason":"compiler-message","message":{{"level":"warning","message":"{text}","rendered":"warning: {text}\n"}}}}"#
            )
        };
        let artifact = r#"{"reason":"compiler-artifact","target":{"name":"k"}}"#;
        let lines = [&line("unused variable: `x`"), &line(&format!("{MEANT}: `ptx82`")), artifact].join("\n");
        let messages = parse(&lines);
        assert_eq!(messages.len(), 1);
        assert_eq!(messages[0].rendered.as_deref(), Some("warning: unused variable: `x`\n"));
    }

    #[test]
    fn a_cargo_that_fails_is_an_error_that_names_the_command() {
        let error = run(Command::new("sh").args(["-c", "exit 3"])).unwrap_err().to_string();
        assert!(error.contains("exit 3") && error.contains("exit status: 3"), "{error}");
    }
}

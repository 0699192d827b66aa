//! Runs other programs, with errors that name the command and its exit status.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use anyhow::{Context, Result, bail};

/// Returns the command as a user would type it, without its environment.
pub fn typed(command: &Command) -> String {
    let mut text = command.get_program().to_string_lossy().into_owned();
    for arg in command.get_args() {
        let arg = arg.to_string_lossy();
        let plain = !arg.is_empty() && arg.chars().all(|c| c.is_ascii_alphanumeric() || "-_=./:,+@%".contains(c));
        text.push(' ');
        match plain {
            true => text.push_str(&arg),
            false => text.push_str(&format!("'{arg}'")),
        }
    }
    text
}

/// Runs the command and returns its output, for any exit code.
pub(crate) fn output(command: &mut Command) -> Result<Output> {
    command.stdin(Stdio::null()).output().with_context(|| format!("cannot start `{}`", typed(command)))
}

/// Runs the command and returns its standard output. An exit code other than 0 is an error with the last lines of the
/// output.
pub fn capture(command: &mut Command) -> Result<String> {
    let output = output(command)?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        bail!("`{}` failed: {}\n{}", typed(command), output.status, tail(&said, 30));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Returns the last `lines` lines of `text`.
pub(crate) fn tail(text: &str, lines: usize) -> String {
    let all: Vec<&str> = text.trim_end().lines().collect();
    all[all.len().saturating_sub(lines)..].join("\n")
}

/// Returns the path of a program of this name on the PATH.
pub fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| is_program(file))
}

/// Returns whether the file exists and is executable by some user.
pub fn is_program(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

/// Returns the cargo that runs this program, or the one on the PATH.
pub(crate) fn cargo() -> Command {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(program);
    forget_this_package(&mut command);
    command
}

/// Removes the variables that cargo set for this program from the environment of `command`: they describe xtask.
pub fn forget_this_package(command: &mut Command) {
    for (name, _) in std::env::vars_os() {
        if is_about_this_package(&name) {
            command.env_remove(name);
        }
    }
}

fn is_about_this_package(variable: &OsStr) -> bool {
    let name = variable.to_string_lossy();
    name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_") || name.starts_with("CARGO_BIN_EXE_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_shown_as_it_would_be_typed() {
        let mut command = Command::new("cargo");
        command.args(["build", "--features", "a b"]);
        assert_eq!(typed(&command), "cargo build --features 'a b'");
    }

    #[test]
    fn a_failing_command_is_named_with_its_last_words() {
        let error = capture(Command::new("sh").args(["-c", "echo lost >&2; exit 3"])).unwrap_err().to_string();
        assert!(error.contains("exit status: 3") && error.contains("lost"), "{error}");
    }

    #[test]
    fn a_program_that_is_not_there_is_named() {
        let error = capture(&mut Command::new("/nowhere/tool")).unwrap_err();
        assert!(format!("{error:#}").contains("cannot start `/nowhere/tool`"), "{error:#}");
    }
}

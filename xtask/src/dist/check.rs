//! Checks a packed folder: runs programs from a copy elsewhere, without access to this checkout's environment.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use oxshmem_raw::os::private::Scratch;

use crate::files::copy_folder;
use crate::manifest;

/// A transport, a command in the folder's `bin` and its arguments. The command runs if the folder has the transport,
/// on GPUs with the folder's PTX if there are any, and on host threads otherwise.
const TRIED: &[(&str, &str, &[&str])] = &[
    ("nvlink", "xtask", &["run", "-n", "2", "--", "oxshmem-conformance", "--rounds", "0.1", "rma::", "signal::"]),
    ("nvlink", "xtask", &["demo", "-n", "2"]),
    ("nvlink", "xtask", &[C_INTERFACE, "--out", "c-interface"]),
    ("ibgda", "oxshmem-conformance", &["--pes", "2", "--soft-nic", "--rounds", "0.1", "rma::", "signal::"]),
    ("ibrc", "oxshmem-conformance", &["--pes", "2", "--soft-verbs", "--rounds", "0.1", "rma::", "signal::"]),
];

/// The command for the folder of a program outside the checkout, whose arguments are not known here.
const TRIED_OUTSIDE: &[(&str, &[&str])] = &[("xtask", &["doctor"])];

/// The task that copies the C interface, if the folder has it.
const C_INTERFACE: &str = "capi";

/// Runs the commands of a user of the folder, which has the checkout's programs or one from outside.
///
/// # Errors
/// The command that failed, and its output.
pub(super) fn check(packed: &Path, transports: &[String], outside: bool) -> Result<()> {
    let base = Scratch::new("unpacked")?;
    let (copy, here) = (base.join("copy"), base.join("elsewhere"));
    std::fs::create_dir(&here).context("cannot make a folder for the copy")?;
    copy_folder(packed, &copy)?;
    if outside {
        let run = |(program, args): &(&str, &[&str])| run(&copy.join("bin").join(program), args, &here);
        return TRIED_OUTSIDE.iter().try_for_each(run);
    }
    let has_c = copy.join(manifest::C_FOLDER).is_dir();
    let tried = TRIED.iter().filter(|(of, ..)| transports.iter().any(|has| has == of));
    tried
        .filter(|(.., args)| args[0] != C_INTERFACE || has_c)
        .try_for_each(|(_, program, args)| run(&copy.join("bin").join(program), args, &here))
}

fn run(program: &Path, args: &[&str], folder: &Path) -> Result<()> {
    let typed = format!("bin/{} {}", program.file_name().unwrap_or_default().display(), args.join(" "));
    let mut command = Command::new(program);
    command.args(args).current_dir(folder).stdin(Stdio::null());
    // The environment is that of a login on a node without Rust: it has no variables of cargo or of this task.
    command.env_clear().env("PATH", "/usr/bin:/bin").env("HOME", folder).env("TMPDIR", folder);
    let output = command.output().with_context(|| format!("cannot start `{typed}` of the copy"))?;
    if output.status.success() {
        println!("  {typed}: went well");
        return Ok(());
    }
    let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    let lines: Vec<&str> = said.lines().collect();
    let last = lines[lines.len().saturating_sub(12)..].join("\n");
    bail!("`{typed}`, run from a copy of the folder: {}; the last that it said:\n{last}", output.status)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn programs_run_from_a_copy_without_this_environment_and_one_that_fails_is_told_with_its_words() {
        let packed = Scratch::new("packed").unwrap();
        std::fs::create_dir_all(packed.join("bin")).unwrap();
        let script = "#!/bin/sh\ntest -z \"$CARGO_MANIFEST_DIR\" || exit 7\ncase \"$0 $*\" in *--soft-verbs*) \
                      echo no verbs >&2; exit 3;; esac\n";
        for program in ["xtask", "oxshmem-conformance"] {
            let file = packed.join("bin").join(program);
            std::fs::write(&file, script).unwrap();
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
        let [well, ill] = [&["nvlink", "ibgda"][..], &["nvlink", "ibrc"][..]]
            .map(|has| check(&packed, &has.iter().map(|name| name.to_string()).collect::<Vec<_>>(), false));
        let outside = check(&packed, &[], true);
        well.unwrap();
        outside.unwrap();
        let error = ill.unwrap_err().to_string();
        for part in ["bin/oxshmem-conformance --pes 2 --soft-verbs", "exit status: 3", "no verbs"] {
            assert!(error.contains(part), "{part} in {error}");
        }
    }
}

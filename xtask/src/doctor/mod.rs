//! `doctor`: lists the capabilities of this machine, with a reason and a remedy for each missing one.

mod gpus;
mod host;
mod nics;
pub(crate) mod selftest;
mod tools;

use anyhow::Result;
use clap::Args;
use comfy_table::{ContentArrangement, Table, TableComponent};
use oxshmem_core::host::Error;

use crate::place::Place;

/// The options of `doctor`.
#[derive(Args, Clone, Debug)]
pub(crate) struct Options {
    /// Tests NICs in place of examining this machine: connects two queue pairs of each port with each other and tries
    /// every operation of the library. mlx5_0 or mlx5_0:1,mlx5_1 names NICs and ports [default: every active port].
    #[arg(long, value_name = "NICS", num_args = 0..=1, default_missing_value = "")]
    pub nic_selftest: Option<String>,
}

/// One capability of this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Check {
    what: String,
    found: Found,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Found {
    /// Present, with its amount or kind.
    Can(String),
    /// Missing, with the reason and a remedy.
    Cannot { why: String, todo: String },
    /// Present, but below the level that the library can use.
    Barely { why: String, todo: String },
    /// Neither: there is nothing here to try it on.
    Untried(String),
}

impl Check {
    pub(crate) fn can(what: impl Into<String>, how: impl Into<String>) -> Self {
        Self { what: what.into(), found: Found::Can(how.into()) }
    }

    pub(crate) fn cannot(what: impl Into<String>, why: impl Into<String>, todo: impl Into<String>) -> Self {
        Self { what: what.into(), found: Found::Cannot { why: why.into(), todo: todo.into() } }
    }

    /// Makes a row of a result, with a remedy for its error.
    fn of<T: ToString, E: ToString>(
        what: impl Into<String>,
        found: std::result::Result<T, E>,
        todo: impl Into<String>,
    ) -> Self {
        match found {
            Ok(how) => Self::can(what, how.to_string()),
            Err(why) => Self::cannot(what, why.to_string(), todo),
        }
    }

    /// Makes a row of a capability that is below the level that the library can use unless `is_there`: the text if it
    /// is, else the reason and a remedy.
    fn low_unless(is_there: bool, what: String, how: impl Into<String>, (why, todo): (String, String)) -> Self {
        if is_there { Self::can(what, how) } else { Self::barely(what, why, todo) }
    }

    /// Makes a row of an error: the reason is the text up to the first semicolon, the remedy the rest.
    fn refused(what: impl Into<String>, error: &Error) -> Self {
        let text = error.to_string();
        let (why, todo) = text.split_once("; ").unwrap_or((&text, ""));
        Self::cannot(what, why, todo)
    }

    fn untried(what: impl Into<String>, why: &str) -> Self {
        Self { what: what.into(), found: Found::Untried(format!("not tried: {why}")) }
    }

    pub(crate) fn barely(what: impl Into<String>, why: impl Into<String>, todo: impl Into<String>) -> Self {
        Self { what: what.into(), found: Found::Barely { why: why.into(), todo: todo.into() } }
    }
}

/// Runs the task: prints a table and a conclusion. A missing capability is not a failure of the task.
pub(crate) fn task(place: &Place, options: &Options) -> Result<i32> {
    if let Some(nics) = &options.nic_selftest {
        return selftest::run(place, nics);
    }
    let mut checks = gpus::check();
    checks.extend(host::check());
    let dma_buf = gpus::export_dma_bufs(&checks);
    checks.extend(nics::check(place, dma_buf));
    checks.extend(tools::check(place));
    println!("{}", table(&checks));
    println!("\n{}", conclusion(&checks));
    Ok(0)
}

fn table(checks: &[Check]) -> Table {
    let mut table = Table::new();
    table.load_preset(comfy_table::presets::UTF8_HORIZONTAL_ONLY);
    for lines in [TableComponent::HorizontalLines, TableComponent::MiddleIntersections] {
        table.remove_style(lines);
    }
    table.set_content_arrangement(ContentArrangement::Dynamic);
    if table.width().is_none() {
        table.set_width(120);
    }
    table.set_header(["what", "", "found", "what to do"]);
    for check in checks {
        let (mark, found, todo) = match &check.found {
            Found::Can(how) => ("yes", how.as_str(), ""),
            Found::Untried(why) => ("-", why.as_str(), ""),
            Found::Barely { why, todo } => ("low", why.as_str(), todo.as_str()),
            Found::Cannot { why, todo } => ("no", why.as_str(), todo.as_str()),
        };
        table.add_row([check.what.as_str(), mark, found, todo]);
    }
    table
}

fn conclusion(checks: &[Check]) -> String {
    let worlds = if checks.iter().any(|check| check.what == gpus::GPUS && matches!(check.found, Found::Can(_))) {
        "Worlds run on the GPUs of this machine, and on host PEs with `--device host`."
    } else {
        "Worlds run on host PEs here: same programs, same tests, no GPU."
    };
    let cannot = checks.iter().filter(|check| !matches!(check.found, Found::Can(_) | Found::Untried(_))).count();
    let tried = checks.iter().filter(|check| !matches!(check.found, Found::Untried(_))).count();
    let mut text = format!("{worlds} {cannot} of {tried} checks are not as they could be.");
    if checks.iter().any(|check| check.what == nics::NICS && matches!(check.found, Found::Can(_))) {
        text.push_str(" `doctor --nic-selftest` tries all that the library does with a NIC.");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_is_missing_comes_with_its_reason_and_what_to_do() {
        let checks = [
            Check::can("cores", "2"),
            Check::cannot("ptxas", "not on the PATH", "install it"),
            Check::untried("fabric handles", "there is no GPU"),
        ];
        let text = table(&checks).to_string();
        for part in ["cores", "yes", "ptxas", "no", "not on the PATH", "install it", "not tried: there is no GPU"] {
            assert!(text.contains(part), "{part} in\n{text}");
        }
        assert!(conclusion(&checks).contains("1 of 2") && !conclusion(&checks).contains("--nic-selftest"));
        assert!(conclusion(&[Check::can(nics::NICS, "1")]).contains("doctor --nic-selftest"));
    }
}

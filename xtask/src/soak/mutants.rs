//! Mutants: small faults, each of which a test must notice. Each is made in a worktree of its own of the last commit, its
//! test is run there, and a test that passes all the same lacks a case.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use crate::files::{self, read_toml};
use crate::place::target_dir;
use crate::shell;
use crate::steps::Done;
use crate::test::{counted_tests, succeeds};

/// The time limit of a test, in seconds, if a mutant has none of its own. A build before it has as much.
const LIMIT_S: u64 = 900;

/// A list of mutants.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    mutant: Vec<Mutant>,
}

/// A fault, and the test that must notice it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Mutant {
    name: String,
    /// A file of the checkout.
    file: PathBuf,
    /// A text that the file has once.
    text: String,
    /// The text in its place.
    with: String,
    /// The command of the test, split at blanks.
    test: String,
    limit_s: Option<u64>,
}

/// The end of a mutant.
#[derive(Clone, Debug, PartialEq, Eq)]
enum End {
    /// The test failed.
    Killed,
    /// The test passed.
    Survived,
    /// Nothing is known, for this reason.
    Invalid(String),
}

/// Runs the mutants of a list whose names contain one of `names`, or all. Returns 1 unless all were killed.
pub(super) fn run(root: &Path, list: &Path, names: &[String]) -> Result<i32> {
    let list: List = read_toml(list).context("it is no list of mutants")?;
    let chosen = |one: &&Mutant| names.is_empty() || names.iter().any(|name| one.name.contains(name));
    let chosen: Vec<&Mutant> = list.mutant.iter().filter(chosen).collect();
    if chosen.is_empty() {
        bail!("no mutant has a name with {}", names.join(" or "));
    }
    let tree = Worktree::make(root)?;
    let misfits: Vec<String> = chosen.iter().filter_map(|mutant| tree.text_with(mutant).err()).collect();
    if !misfits.is_empty() {
        let (count, of) = (misfits.len(), chosen.len());
        bail!("{count} of {of} mutants do not fit the last commit:\n{}", misfits.join("\n"));
    }
    // All tests run without a fault first, so that the crates that they share are built once for that. A test that fails
    // anyway, runs nothing, or whose build fails, kills nothing.
    let mut unchanged: BTreeMap<&str, Option<String>> = BTreeMap::new();
    for mutant in &chosen {
        if !unchanged.contains_key(&*mutant.test) {
            println!("without a fault: {}", mutant.test);
            unchanged.insert(&mutant.test, tree.fails(mutant, Part::Whole)?);
        }
    }
    let mut ends = Vec::new();
    for mutant in chosen {
        println!("mutant {}: {}", mutant.name, mutant.test);
        let end = match &unchanged[&*mutant.test] {
            Some(why) => End::Invalid(format!("the test fails without it: {why}")),
            None => tree.end_of(mutant)?,
        };
        ends.push((&mutant.name, end));
    }
    for (name, end) in &ends {
        match end {
            End::Killed => println!("killed    {name}"),
            End::Survived => println!("SURVIVED  {name}"),
            End::Invalid(why) => println!("INVALID   {name}: {why}"),
        }
    }
    let killed = ends.iter().filter(|(_, end)| *end == End::Killed).count();
    println!("mutants: {killed} of {} killed", ends.len());
    Ok(i32::from(killed < ends.len()))
}

/// The part of a test's command that is run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// Builds it.
    Build,
    /// Builds and runs it.
    Whole,
}

impl Mutant {
    /// Returns the command, or `None` if it has no such part.
    fn command(&self, part: Part) -> Option<Command> {
        let mut words: Vec<&str> = self.test.split_whitespace().collect();
        if part == Part::Build {
            let own = words.iter().position(|word| *word == "--").unwrap_or(words.len());
            match words.get(..2) {
                Some(["cargo", "test"]) => words.splice(own.., ["--no-run"]).for_each(drop),
                Some(["cargo", "run"]) => {
                    words.truncate(own);
                    words[1] = "build";
                }
                _ => return None,
            }
        }
        let (program, args) = words.split_first()?;
        let mut command = if *program == "cargo" { shell::cargo() } else { Command::new(program) };
        command.args(args);
        Some(command)
    }

    /// Returns the file's text with the fault.
    fn applied(&self, original: &str) -> std::result::Result<String, String> {
        let refuse = |why: String| Err(format!("{}: {why}", self.name));
        match original.matches(&self.text).count() {
            1 if self.text != self.with => Ok(original.replacen(&self.text, &self.with, 1)),
            1 => refuse("it changes nothing".into()),
            count => refuse(format!("its text occurs {count} times in {}, and must once", self.file.display())),
        }
    }
}

/// A worktree of the last commit, with a target folder. Both stay for the next run, which so builds only the crates that
/// have changed since.
struct Worktree {
    folder: PathBuf,
    target: PathBuf,
}

impl Worktree {
    fn make(root: &Path) -> Result<Self> {
        let base = target_dir(root).join("mutants");
        let tree = Self { folder: base.join("tree"), target: base.join("target") };
        let git = |at: &Path, args: &[&str]| shell::capture(Command::new("git").arg("-C").arg(at).args(args));
        let last = git(root, &["rev-parse", "HEAD"])?;
        // This takes back the fault of a run that was killed, and leaves all other files with their times.
        let is_there = tree.folder.join(".git").exists();
        if is_there && git(&tree.folder, &["checkout", "--quiet", "--force", "--detach", last.trim()]).is_ok() {
            return Ok(tree);
        }
        let _ = std::fs::remove_dir_all(&tree.folder);
        let add = ["worktree", "add", "--quiet", "--force", "--detach"];
        shell::capture(Command::new("git").arg("-C").arg(root).args(add).arg(&tree.folder).arg(last.trim()))?;
        Ok(tree)
    }

    /// Runs a part of the test, and returns the reason if it fails.
    fn fails(&self, mutant: &Mutant, part: Part) -> Result<Option<String>> {
        let Some(mut command) = mutant.command(part) else { return Ok(None) };
        // The compiler's state of the last build makes that of a small fault several times faster.
        command.env("CARGO_TARGET_DIR", &self.target).env("CARGO_INCREMENTAL", "1");
        let limit = Duration::from_secs(mutant.limit_s.unwrap_or(LIMIT_S));
        let counts = part == Part::Whole && mutant.command(Part::Build).is_some();
        let done = match counts {
            true => counted_tests(&self.folder, &command, limit)?,
            false => succeeds(&mut command, &self.folder, limit)?,
        };
        Ok(match done {
            Done::Failed(why) => Some(why),
            Done::Counted(count, failed) if count.failed > 0 => Some(failed.join("; ")),
            Done::Counted(count, _) if count.passed == 0 => Some("it ran no test, and skipped some".into()),
            _ => None,
        })
    }

    /// Returns the text of the mutant's file with the fault, or the reason why there is none.
    fn text_with(&self, mutant: &Mutant) -> std::result::Result<String, String> {
        let original = std::fs::read_to_string(self.folder.join(&mutant.file));
        let original =
            original.map_err(|error| format!("{}: cannot read {}: {error}", mutant.name, mutant.file.display()))?;
        mutant.applied(&original)
    }

    /// Makes the fault, runs the test, and takes the fault back.
    fn end_of(&self, mutant: &Mutant) -> Result<End> {
        let file = self.folder.join(&mutant.file);
        let original = files::read(&file)?;
        let write = |text: &str| files::write(&file, text);
        write(&mutant.applied(&original).map_err(anyhow::Error::msg)?)?;
        let end = match self.fails(mutant, Part::Build)? {
            Some(why) => End::Invalid(format!("it does not build: {why}")),
            None if self.fails(mutant, Part::Whole)?.is_some() => End::Killed,
            None => End::Survived,
        };
        write(&original)?;
        Ok(end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mutant(text: &str, with: &str, test: &str) -> Mutant {
        let of = |text: &str| text.to_string();
        Mutant { name: of("m"), file: "a.rs".into(), text: of(text), with: of(with), test: of(test), limit_s: None }
    }

    #[test]
    fn a_mutant_changes_the_one_place_that_its_text_names() {
        assert_eq!(mutant("a < b", "a <= b", "").applied("if a < b {}").unwrap(), "if a <= b {}");
        assert!(mutant("a", "b", "").applied("a a").unwrap_err().contains("2 times in a.rs"));
        assert!(mutant("c", "b", "").applied("a a").unwrap_err().contains("m: its text occurs 0 times"));
        assert!(mutant("a", "a", "").applied("a").is_err());
    }

    #[test]
    fn a_test_is_built_before_it_is_run_so_that_a_build_that_fails_kills_nothing() {
        let typed = |test: &str, part| mutant("a", "b", test).command(part).map(|command| shell::typed(&command));
        let built = typed("cargo test -p x --lib name -- --exact", Part::Build).unwrap();
        assert!(built.ends_with("test -p x --lib name --no-run"), "{built}");
        let run = "cargo run -p x --bin suite -- --pes 3 filter";
        assert!(typed(run, Part::Build).unwrap().ends_with("build -p x --bin suite"));
        assert!(typed(run, Part::Whole).unwrap().ends_with("run -p x --bin suite -- --pes 3 filter"));
        assert_eq!(typed("sh test.sh", Part::Build), None);
        assert_eq!(typed("sh test.sh", Part::Whole).unwrap(), "sh test.sh");
    }

    #[test]
    fn every_mutant_of_the_projects_list_fits_its_file() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let list: List = toml::from_str(include_str!("../../mutants.toml")).unwrap();
        for mutant in &list.mutant {
            let text = std::fs::read_to_string(root.join(&mutant.file)).unwrap();
            assert_eq!(mutant.applied(&text).err(), None, "{}", mutant.name);
        }
    }
}

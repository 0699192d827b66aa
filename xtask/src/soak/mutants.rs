//! Mutants: small faults, each of which a test must notice. Each is made in a worktree of its own of the last commit, its
//! test is run there, and a test that passes all the same lacks a case.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use crate::place::target_dir;
use crate::shell;
use crate::steps::Done;
use crate::test::succeeds;

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
    let text = std::fs::read_to_string(list).with_context(|| format!("cannot read {}", list.display()))?;
    let list: List = toml::from_str(&text).with_context(|| format!("{} is no list of mutants", list.display()))?;
    let chosen = |one: &&Mutant| names.is_empty() || names.iter().any(|name| one.name.contains(name));
    let chosen: Vec<&Mutant> = list.mutant.iter().filter(chosen).collect();
    if chosen.is_empty() {
        bail!("no mutant has a name with {}", names.join(" or "));
    }
    let tree = Worktree::make(root)?;
    let mut unchanged: BTreeMap<&str, Option<String>> = BTreeMap::new();
    let mut ends = Vec::new();
    for mutant in chosen {
        println!("mutant {}: {}", mutant.name, mutant.test);
        // A test that fails anyway, or whose build fails, kills nothing.
        let fails_anyway = match unchanged.get(&*mutant.test) {
            Some(known) => known.clone(),
            None => unchanged.entry(&mutant.test).or_insert(tree.fails(mutant, Part::Whole)?).clone(),
        };
        let end = match fails_anyway {
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
            if words.get(..2) != Some(&["cargo", "test"]) {
                return None;
            }
            words.truncate(words.iter().position(|word| *word == "--").unwrap_or(words.len()));
            words.push("--no-run");
        }
        let (program, args) = words.split_first()?;
        let mut command = if *program == "cargo" { shell::cargo() } else { Command::new(program) };
        command.args(args);
        Some(command)
    }

    /// Returns the file's text with the fault.
    fn applied(&self, original: &str) -> std::result::Result<String, String> {
        match original.matches(&self.text).count() {
            1 if self.text != self.with => Ok(original.replacen(&self.text, &self.with, 1)),
            1 => Err("it changes nothing".into()),
            count => Err(format!("its text occurs {count} times in {}, and must once", self.file.display())),
        }
    }
}

/// A worktree of the last commit, with a target folder that stays.
struct Worktree {
    root: PathBuf,
    folder: PathBuf,
    target: PathBuf,
}

impl Worktree {
    fn make(root: &Path) -> Result<Self> {
        let base = target_dir(root).join("mutants");
        let tree = Self { root: root.to_path_buf(), folder: base.join("tree"), target: base.join("target") };
        // One may be left of a run that was killed.
        tree.remove();
        shell::capture(tree.git("add").args(["--force", "--detach"]).arg(&tree.folder).arg("HEAD"))?;
        Ok(tree)
    }

    fn git(&self, action: &str) -> Command {
        let mut git = Command::new("git");
        git.arg("-C").arg(&self.root).args(["worktree", action]);
        git
    }

    fn remove(&self) {
        let _ = self.git("remove").arg("--force").arg(&self.folder).output();
        let _ = std::fs::remove_dir_all(&self.folder);
    }

    /// Runs a part of the test, and returns the reason if it fails.
    fn fails(&self, mutant: &Mutant, part: Part) -> Result<Option<String>> {
        let Some(mut command) = mutant.command(part) else { return Ok(None) };
        command.env("CARGO_TARGET_DIR", &self.target);
        let limit = Duration::from_secs(mutant.limit_s.unwrap_or(LIMIT_S));
        Ok(match succeeds(&mut command, &self.folder, limit)? {
            Done::Failed(why) => Some(why),
            _ => None,
        })
    }

    /// Makes the fault, runs the test, and takes the fault back.
    fn end_of(&self, mutant: &Mutant) -> Result<End> {
        let file = self.folder.join(&mutant.file);
        let original = std::fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
        let text = match mutant.applied(&original) {
            Ok(text) => text,
            Err(why) => return Ok(End::Invalid(why)),
        };
        let write =
            |text: &str| std::fs::write(&file, text).with_context(|| format!("cannot write {}", file.display()));
        write(&text)?;
        let end = match self.fails(mutant, Part::Build)? {
            Some(why) => End::Invalid(format!("it does not build: {why}")),
            None if self.fails(mutant, Part::Whole)?.is_some() => End::Killed,
            None => End::Survived,
        };
        write(&original)?;
        Ok(end)
    }
}

impl Drop for Worktree {
    fn drop(&mut self) {
        self.remove();
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
        assert!(mutant("c", "b", "").applied("a a").unwrap_err().contains("0 times"));
        assert!(mutant("a", "a", "").applied("a").is_err());
    }

    #[test]
    fn a_test_is_built_before_it_is_run_so_that_a_build_that_fails_kills_nothing() {
        let typed = |test: &str, part| mutant("a", "b", test).command(part).map(|command| shell::typed(&command));
        let built = typed("cargo test -p x --lib name -- --exact", Part::Build).unwrap();
        assert!(built.ends_with("test -p x --lib name --no-run"), "{built}");
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

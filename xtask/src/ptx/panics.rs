//! Kernels that can panic. A GPU has no panics: the kernel traps, and the world ends without a reason.

use std::collections::{BTreeMap, BTreeSet};

/// A kernel and a panic that it can reach.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Panic {
    kernel: String,
    /// The functions that it calls on the way, the panic last.
    calls: Vec<String>,
    /// File and line of the call, if the text has them.
    place: Option<String>,
}

impl Panic {
    /// Returns kernel, panic and place, as one line.
    pub(super) fn line(&self) -> String {
        let calls: Vec<&str> = self.calls.iter().map(|name| readable(name)).collect();
        let place = self.place.as_ref().map_or_else(String::new, |place| format!(", at {place}"));
        format!("`{}`: {}{place}", self.kernel, calls.join(" -> "))
    }
}

/// The reason why kernels must not panic, and the remedy.
pub(super) const REMEDY: &str = "a GPU has no panics: the kernel would trap, and the world would end without a reason. \
    Access memory by `shmem.local(..)`, arrays by `get`, divide by `checked_div` or by a value that can't be 0, and \
    return a `Fault` (docs/guide.md, \"Kernels must not panic\")";

/// Returns the panics that the entries of a PTX text reach: each call of a panic function of `core` once for each entry.
/// Places are known if the text was compiled with line tables.
pub(super) fn of(ptx: &str) -> Vec<Panic> {
    let files = files(ptx);
    let functions = functions(ptx);
    let calls: BTreeMap<&str, Vec<Call<'_>>> =
        functions.iter().map(|one| (one.name, calls(one.body, &functions, &files))).collect();
    let mut found = BTreeSet::new();
    for entry in functions.iter().filter(|one| one.is_entry) {
        let mut seen = BTreeSet::from([entry.name]);
        let mut open: Vec<(Vec<&str>, Option<&String>)> = vec![(Vec::new(), None)];
        while let Some((way, place)) = open.pop() {
            for call in calls.get(way.last().copied().unwrap_or(entry.name)).into_iter().flatten() {
                let way: Vec<&str> = way.iter().copied().chain([call.name]).collect();
                // The innermost place that is the program's own.
                let place = call.place.as_ref().or(place);
                if is_panic(call.name) {
                    found.insert(Panic {
                        kernel: entry.name.into(),
                        calls: way.into_iter().map(str::to_string).collect(),
                        place: place.cloned(),
                    });
                } else if seen.insert(call.name) {
                    open.push((way, place));
                }
            }
        }
    }
    found.into_iter().collect()
}

/// Returns whether a function of this name is in `core::panicking`, through which every panic goes.
fn is_panic(name: &str) -> bool {
    name.contains("9panicking")
}

struct Function<'a> {
    name: &'a str,
    is_entry: bool,
    /// Empty for a declaration.
    body: &'a str,
}

fn functions(ptx: &str) -> Vec<Function<'_>> {
    let mut all = Vec::new();
    let mut at = 0;
    let starts = |line: &str| line.contains(".entry ") || line.contains(".func ");
    for line in ptx.split_inclusive('\n') {
        let (begin, end) = (at, at + line.len());
        at = end;
        let code = line.split("//").next().unwrap_or("");
        if !starts(code) {
            continue;
        }
        let is_entry = code.contains(".entry ");
        let rest = &ptx[begin..];
        let rest = rest.split_once(if is_entry { ".entry" } else { ".func" }).map_or("", |(_, rest)| rest).trim_start();
        // The return value precedes the name, in parentheses.
        let rest = rest.strip_prefix('(').and_then(|rest| rest.split_once(')')).map_or(rest, |(_, rest)| rest);
        let name = rest.trim_start().split(|c: char| !is_of_name(c)).next().unwrap_or("");
        // A declaration ends before a body begins; a body ends at the first brace in the first column.
        let body = match (rest.find("\n{"), rest.find(';')) {
            (Some(open), semicolon) if semicolon.is_none_or(|end| open < end) => {
                let body = &rest[open..];
                &body[..body.find("\n}").unwrap_or(body.len())]
            }
            _ => "",
        };
        all.push(Function { name, is_entry, body });
    }
    all
}

fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_$.".contains(c)
}

struct Call<'a> {
    name: &'a str,
    place: Option<String>,
}

/// Returns the calls of a body, each with the last place before it that is not in `core`.
fn calls<'a>(body: &'a str, functions: &[Function<'a>], files: &BTreeMap<u32, &str>) -> Vec<Call<'a>> {
    let mut place = None;
    let mut calls = Vec::new();
    for line in body.lines() {
        let line = line.split("//").next().unwrap_or("").trim();
        if let Some(rest) = line.strip_prefix(".loc") {
            place = located(rest, files).or(place);
            continue;
        }
        // LLVM writes the name on the line of the call, or on the next.
        let words = line.split(|c: char| !is_of_name(c)).filter(|word| !word.is_empty());
        for word in words {
            if let Some(one) = functions.iter().find(|one| one.name == word && !one.is_entry) {
                calls.push(Call { name: one.name, place: place.clone() });
            }
        }
    }
    calls
}

/// Returns the place of `.loc FILE LINE COLUMN`, if the file is none of `core`.
fn located(loc: &str, files: &BTreeMap<u32, &str>) -> Option<String> {
    let mut numbers = loc.split_whitespace().map_while(|word| word.trim_end_matches(',').parse::<u32>().ok());
    let (file, line) = (files.get(&numbers.next()?)?, numbers.next().filter(|line| *line > 0)?);
    let of_core = ["library/core/", "/rustc/"].iter().any(|part| file.contains(part));
    (!of_core).then(|| format!("{file}:{line}"))
}

/// Returns the files that `.file NUMBER "PATH"` names.
fn files(ptx: &str) -> BTreeMap<u32, &str> {
    let named = ptx.lines().filter_map(|line| {
        let (number, path) = line.trim().strip_prefix(".file")?.trim_start().split_once(' ')?;
        Some((number.parse().ok()?, path.split('"').nth(1)?))
    });
    named.collect()
}

/// Returns the last identifier of a mangled name: the function without its path.
fn readable(name: &str) -> &str {
    let mut last = None;
    let mut rest = name;
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        let digits = rest[at..].bytes().take_while(u8::is_ascii_digit).count();
        let after = &rest[at + digits..];
        let after = after.strip_prefix('_').unwrap_or(after);
        match rest[at..at + digits].parse::<usize>() {
            Ok(length) if length > 0 && after.is_char_boundary(length) && length <= after.len() => {
                let word = &after[..length];
                // In the older form a hash of 17 characters is last.
                if !(length == 17 && word.starts_with('h')) && word.starts_with(|c: char| c.is_alphabetic() || c == '_')
                {
                    last = Some(word);
                }
                rest = &after[length..];
            }
            _ => rest = &rest[at + digits..],
        }
    }
    last.filter(|_| name.starts_with("_R") || name.starts_with("_Z")).unwrap_or(name)
}

#[cfg(test)]
mod tests;

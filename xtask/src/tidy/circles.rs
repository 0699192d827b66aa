//! Modules of a library, and of the tasks, don't use each other in a circle: a reader can start at the leaves and go
//! upwards.
//!
//! The modules of each folder are compared with each other; a use of a file deep in a folder counts for the folder. Uses
//! between a folder and its own `mod.rs` are free, since a type and its `impl` may be a folder. Tests are not looked at.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::{Path, PathBuf};

use anyhow::Result;

use super::{Finding, source};

/// The path of a module in its crate; the crate itself has none.
type Module = Vec<String>;

/// By module: the modules that it uses, with file and line of a use.
type Uses = BTreeMap<Module, BTreeMap<Module, (PathBuf, usize)>>;

/// The crates of the tasks.
const TASKS: [&str; 2] = ["xtask", "xtask/perf"];

/// Checks every library of the checkout, and the tasks.
pub(crate) fn check(root: &Path) -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    let tasks = TASKS.iter().map(|folder| source::library(root, folder)).collect::<Result<Vec<_>>>()?;
    for (source, files) in source::libraries(root)?.into_iter().chain(tasks) {
        findings.extend(circles(&uses(&source, &files)));
    }
    Ok(findings)
}

/// Returns the uses between modules of one crate, whose root is in the folder `source`.
fn uses(source: &Path, files: &[(PathBuf, String)]) -> Uses {
    let modules: BTreeMap<Module, &(PathBuf, String)> =
        files.iter().filter_map(|file| Some((module_of(file.0.strip_prefix(source).ok()?)?, file))).collect();
    let mut uses = Uses::new();
    for (module, (file, text)) in &modules {
        for (line, path) in paths(text) {
            let Some(used) = resolve(&modules, module, &path) else { continue };
            let common = module.iter().zip(&used).take_while(|(one, other)| one == other).count();
            // Otherwise one is in the other's folder.
            if common < module.len() && common < used.len() {
                let (from, to) = (module[..=common].to_vec(), used[..=common].to_vec());
                uses.entry(from).or_default().entry(to).or_insert_with(|| (file.clone(), line));
            }
        }
    }
    uses
}

/// Returns the module in a file; `None` for tests.
fn module_of(file: &Path) -> Option<Module> {
    let mut module: Module = file.with_extension("").iter().map(|part| part.to_string_lossy().into_owned()).collect();
    if matches!(module.last().map(String::as_str), Some("mod" | "lib" | "main")) {
        module.pop();
    }
    (!module.iter().any(|part| part == "tests")).then_some(module)
}

/// Returns the module that `path` names in `module`; `None` if it is none of this crate.
fn resolve(modules: &BTreeMap<Module, &(PathBuf, String)>, module: &[String], path: &[String]) -> Option<Module> {
    let child = |name: &String| modules.contains_key(&[module, std::slice::from_ref(name)].concat());
    let (mut used, rest) = match path.first()?.as_str() {
        "crate" => (Vec::new(), &path[1..]),
        "self" => (module.to_vec(), &path[1..]),
        "super" => {
            let up = path.iter().take_while(|part| *part == "super").count();
            (module[..module.len().checked_sub(up)?].to_vec(), &path[up..])
        }
        _ if child(&path[0]) => (module.to_vec(), path),
        _ => return None,
    };
    for part in rest {
        used.push(part.clone());
        if !modules.contains_key(&used) {
            // An item of the module, or a module within its file.
            used.pop();
            break;
        }
    }
    Some(used)
}

/// Returns the paths that a file uses, with their lines, up to its tests.
fn paths(text: &str) -> Vec<(usize, Vec<String>)> {
    let mut found = Vec::new();
    // The statement `use` that is not at its end yet, and its first line.
    let mut open: Option<(usize, String)> = None;
    for (index, line) in text.lines().enumerate() {
        let code = line.split("//").next().unwrap_or("").trim();
        if code == "mod tests {" {
            break;
        }
        let is_use = code.starts_with("use ") || (code.starts_with("pub") && code.contains(" use "));
        if is_use {
            open = Some((index + 1, String::new()));
        }
        let Some((first, statement)) = &mut open else {
            found.extend(inline_paths(code).map(|path| (index + 1, path)));
            continue;
        };
        let code = if is_use { code.split_once("use ").map_or("", |(_, rest)| rest) } else { code };
        statement.push_str(code);
        if let Some((tree, _)) = statement.split_once(';') {
            let mut expanded = Vec::new();
            expand("", tree, &mut expanded);
            found.extend(expanded.into_iter().map(|path| (*first, path)));
            open = None;
        }
    }
    found
}

/// Expands the braces of a `use`.
fn expand(before: &str, tree: &str, found: &mut Vec<Vec<String>>) {
    let Some((head, rest)) = tree.split_once('{') else {
        let path = format!("{before}{tree}");
        let path = path.split(" as ").next().unwrap_or("");
        found.push(path.split("::").map(|part| part.trim().to_string()).collect());
        return;
    };
    let before = format!("{before}{head}");
    let (mut depth, mut start) = (0, 0);
    let body = rest.rsplit_once('}').map_or(rest, |(body, _)| body);
    for (at, c) in body.char_indices().chain([(body.len(), ',')]) {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                let part = body[start..at].trim();
                if !part.is_empty() {
                    expand(&before, part, found);
                }
                start = at + 1;
            }
            _ => {}
        }
    }
}

/// Returns the paths from `crate` or `super` on that a line of code names.
fn inline_paths(code: &str) -> impl Iterator<Item = Vec<String>> + '_ {
    let part_of_path = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    code.split(move |c| !part_of_path(c))
        .filter(|path| path.starts_with("crate::") || path.starts_with("super::"))
        .map(|path| path.split("::").map(str::to_string).collect())
}

/// Returns a finding for a shortest circle through each module that is in one and in no circle reported before.
fn circles(uses: &Uses) -> Vec<Finding> {
    let (mut findings, mut reported) = (Vec::new(), BTreeSet::new());
    for start in uses.keys() {
        let Some(circle) = circle_through(uses, start).filter(|circle| !circle.iter().any(|of| reported.contains(of)))
        else {
            continue;
        };
        let names: Vec<String> = circle.iter().chain([start]).map(|module| module.join("::")).collect();
        let (file, line) = &uses[start][circle.get(1).unwrap_or(start)];
        let text = format!("modules in a circle: {}; move what both need to one that uses neither", names.join(" -> "));
        findings.push(Finding::error(file, *line, text));
        reported.extend(circle);
    }
    findings
}

/// Returns the modules of a shortest circle from `start` to itself, without the end.
fn circle_through(uses: &Uses, start: &Module) -> Option<Vec<Module>> {
    let mut came_from: BTreeMap<&Module, &Module> = BTreeMap::new();
    let mut next = VecDeque::from([start]);
    while let Some(module) = next.pop_front() {
        for used in uses.get(module).into_iter().flat_map(BTreeMap::keys) {
            if used == start {
                let mut circle = vec![module.clone()];
                while let Some(from) = came_from.get(&circle[circle.len() - 1]) {
                    circle.push((*from).clone());
                }
                circle.reverse();
                return Some(circle);
            }
            if !came_from.contains_key(used) {
                came_from.insert(used, module);
                next.push_back(used);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uses_of(files: &[(&str, &str)]) -> Uses {
        let files: Vec<_> = files.iter().map(|(file, text)| (Path::new("src").join(file), text.to_string())).collect();
        uses(Path::new("src"), &files)
    }

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        circles(&uses_of(files)).iter().map(Finding::to_string).collect()
    }

    #[test]
    fn a_circle_of_three_files_is_found_once_on_the_line_of_its_first_use() {
        let files = [
            ("lib.rs", "mod a;\nmod b;\nmod c;\n"),
            ("a.rs", "//! Text.\nuse core::{\n    fmt,\n};\nuse crate::b::{B, Other as O};\n"),
            ("b.rs", "use super::{c::C};\n"),
            ("c.rs", "fn f() { crate::a::f() }\n"),
        ];
        let text =
            "src/a.rs:5: error: modules in a circle: a -> b -> c -> a; move what both need to one that uses neither";
        assert_eq!(found(&files), [text]);
        assert!(found(&[files[0], files[1], files[2], ("c.rs", "use core::fmt;\n")]).is_empty());
    }

    #[test]
    fn folders_whose_files_use_each_other_are_a_circle_though_no_two_files_are() {
        let files = [
            ("host/mod.rs", ""),
            ("host/queue/mod.rs", ""),
            ("host/queue/post.rs", "use crate::host::thread::context::Context;\n"),
            ("host/queue/link.rs", ""),
            ("host/thread/mod.rs", "use crate::host::queue::link::Link;\n"),
            ("host/thread/context.rs", ""),
        ];
        let found = found(&files);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].contains("host::queue -> host::thread -> host::queue;"), "{found:?}");
    }

    #[test]
    fn a_folder_and_its_own_files_and_tests_may_use_each_other() {
        let files = [
            ("queue/mod.rs", "mod post;\nmod list;\nuse post::Post;\nuse list::List;\n"),
            ("queue/post.rs", "use super::Queue;\n"),
            (
                "queue/list.rs",
                "use crate::queue::{Queue, post::Post};\n#[cfg(test)]\nmod tests {\n    use super::super::x;\n}\n",
            ),
            ("tests/queue.rs", "use crate::queue::Queue;\n"),
            ("lib.rs", "mod queue;\n#[cfg(test)]\nmod tests {\n    use crate::queue;\n}\n"),
        ];
        assert!(found(&files).is_empty(), "{:?}", found(&files));
    }

    #[test]
    fn the_libraries_and_tasks_of_this_checkout_have_no_circles() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the checkout");
        let found: Vec<String> = check(root).expect("every file is readable").iter().map(Finding::to_string).collect();
        assert!(found.is_empty(), "{}", found.join("\n"));
    }
}

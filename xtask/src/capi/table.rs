//! The table of NVSHMEM's names, and of the device library's functions, in full.

use anyhow::{Context, Result, bail};

const TYPES: &str = include_str!("table/types.tsv");
const NAMES: &str = include_str!("table/names.tsv");
const CALLS: &str = include_str!("table/calls.tsv");

/// The way in which a name is served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Served {
    /// By the host library.
    Host,
    /// On the device.
    Device,
    /// By the host library, and on the device.
    Both,
    /// By an inline function of `types.h`, for the host, or for both.
    Inline { on_device: bool },
    /// Not at all.
    No,
}

/// One name of NVSHMEM.
#[derive(Clone, Debug)]
pub(super) struct Name {
    pub(super) name: String,
    /// The name with `TYPE` or `SIZE`, as the page of names groups it.
    pub(super) group: String,
    pub(super) served: Served,
    pub(super) result: String,
    pub(super) args: String,
    /// The body on the device, or the reason for which the name is not served.
    pub(super) body: String,
}

/// One function of the device library.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) name: String,
    pub(super) result: String,
    pub(super) args: String,
}

/// A type of C.
struct Type<'a> {
    name: &'a str,
    c: &'a str,
    word: &'a str,
    bytes: &'a str,
    sets: &'a str,
}

/// Returns the columns of each row, without comments and without the line of titles.
fn rows<const N: usize>(table: &str) -> Result<Vec<[&str; N]>> {
    let lines = table.lines().filter(|line| !line.starts_with('#')).skip(1);
    let columns = |line| -> Result<[&str; N]> {
        let columns = str::split(line, '\t').collect::<Vec<_>>().try_into().ok();
        columns.with_context(|| format!("{N} columns are expected in `{line}`"))
    };
    lines.map(columns).collect()
}

/// Returns suffix, and x, of a scope.
fn scope(letter: char) -> Result<(&'static str, &'static str)> {
    Ok(match letter {
        't' => ("", ""),
        'w' => ("_warp", "x"),
        'b' => ("_block", "x"),
        _ => bail!("no scope has the letter `{letter}`"),
    })
}

fn served(letter: char) -> Result<Served> {
    Ok(match letter {
        'H' => Served::Host,
        'D' => Served::Device,
        'B' => Served::Both,
        'A' => Served::Inline { on_device: true },
        'I' => Served::Inline { on_device: false },
        'N' => Served::No,
        _ => bail!("no way to serve a name has the letter `{letter}`"),
    })
}

/// Returns every public name, in the order of the table.
pub(super) fn names() -> Result<Vec<Name>> {
    let types: Vec<Type<'_>> =
        rows(TYPES)?.into_iter().map(|[name, c, word, bytes, sets]| Type { name, c, word, bytes, sets }).collect();
    let untyped = Type { name: "", c: "", word: "", bytes: "", sets: "-" };
    let mut names = Vec::new();
    for [pattern, sets, scopes, ways, result, args, body] in rows(NAMES)? {
        for letter in scopes.chars() {
            let (suffix, x) = scope(letter)?;
            let way = if letter == 't' { ways.chars().next() } else { ways.chars().last() };
            let served = served(way.with_context(|| format!("`{pattern}` is served in no way"))?)?;
            let scoped = |text: &str| text.replace("{s}", suffix).replace("{x}", x);
            for of in types.iter().chain([&untyped]).filter(|of| of.sets.chars().any(|set| sets.contains(set))) {
                let typed = |text: &str| {
                    let text = scoped(text).replace("{T}", of.name).replace("{C}", of.c);
                    text.replace("{w}", of.word).replace("{n}", of.bytes)
                };
                let group = match of.sets {
                    "s" => scoped(pattern).replace("{T}", "SIZE"),
                    "m" | "-" => typed(pattern),
                    _ => scoped(pattern).replace("{T}", "TYPE"),
                };
                let (name, result, args, body) = (typed(pattern), typed(result), typed(args), typed(body));
                names.push(Name { name, group, served, result, args, body });
            }
        }
    }
    Ok(names)
}

/// Returns every function of the device library.
pub(super) fn calls() -> Result<Vec<Call>> {
    let mut calls = Vec::new();
    for [pattern, scopes, words, result, args] in rows(CALLS)? {
        for word in words.split(' ') {
            let c = match word {
                "f32" => "float".to_string(),
                "f64" => "double".to_string(),
                "f16" | "bf16" => "uint16_t".to_string(),
                _ => word.replace('i', "int").replace('u', "uint") + "_t",
            };
            for letter in scopes.chars() {
                let (suffix, _) = scope(letter)?;
                let typed = |text: &str| text.replace("{s}", suffix).replace("{w}", word).replace("{c}", &c);
                calls.push(Call { name: typed(pattern), result: typed(result), args: typed(args) });
            }
        }
    }
    Ok(calls)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_table_has_the_names_of_nvshmem_3_8_once_each() {
        let names = names().unwrap();
        let distinct: BTreeSet<&str> = names.iter().map(|one| one.name.as_str()).collect();
        assert_eq!((names.len(), distinct.len()), (3484, 3484));
        for name in ["nvshmem_float_put", "nvshmemx_put128_signal_nbi_block", "nvshmemx_qp_size_get_nbi_warp"] {
            assert!(distinct.contains(name), "{name}");
        }
        let mut texts = names.iter().flat_map(|one| [&one.name, &one.result, &one.args, &one.body]);
        assert_eq!(texts.find(|text| text.contains(['{', '}'])), None, "all is replaced");
    }

    #[test]
    fn a_body_calls_only_functions_of_the_device_library() {
        let calls: BTreeSet<String> = calls().unwrap().into_iter().map(|call| call.name).collect();
        for one in names().unwrap() {
            for called in one.body.split(|c: char| !c.is_ascii_alphanumeric() && c != '_') {
                let is_call = called.starts_with("oxshmem_") && !["oxshmem_c", "oxshmem_world"].contains(&called);
                assert!(!is_call || calls.contains(called), "{} calls {called}", one.name);
            }
        }
    }
}

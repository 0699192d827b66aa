//! Compares the declared fields with `mlx5_ifc.h`: with a list of its fields, and with the header of this machine's
//! kernel if that is installed.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::super::layout::{ads, cqc, qpc};
use super::super::*;

/// The fields of `mlx5_ifc.h`, one a line: struct, field, first bit, width. Lines that begin with # name the sources.
const FIELDS: &str = include_str!("../../golden/mlx5-ifc-fields.tsv");

/// Place and width of a field, by the names of its struct and itself.
type Places = HashMap<(String, String), (usize, usize)>;

fn golden() -> Places {
    let lines = FIELDS.lines().filter(|line| !line.starts_with('#'));
    let place = |line: &str| {
        let [of, field, at, bits] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("four columns: {line}") };
        let at = usize::from_str_radix(at.trim_start_matches("0x"), 16).unwrap();
        ((of.to_string(), field.to_string()), (at, bits.parse().unwrap()))
    };
    lines.map(place).collect()
}

/// Returns the header's name of a field that has another name here.
fn name_there(name: &str) -> &str {
    match name {
        "has_general2" => "hca_cap_2",
        "atomic_req_8b_endianness_mode" => "atomic_req_8B_endianness_mode",
        "supports_endianness_mode_1" => "supported_atomic_req_8B_endianness_mode_1",
        "rmac[0..2]" => "rmac_47_32",
        "rmac[2..6]" => "rmac_31_0",
        same => same,
    }
}

#[test]
fn every_declared_field_is_where_the_header_has_it() {
    let golden = golden();
    let (mut compared, mut differ) = (0, Vec::new());
    for (of, fields) in [
        ("cmd_hca_cap", GeneralCaps::FIELDS),
        ("cmd_hca_cap_2", GeneralCaps2::FIELDS),
        ("atomic_caps", AtomicCaps::FIELDS),
        ("roce_cap", RoceCaps::FIELDS),
        ("qpc", qpc::ALL),
        ("ads", ads::ALL),
        ("cqc", cqc::ALL),
    ] {
        for field in fields {
            compared += 1;
            let named = |name: &str| golden.get(&(of.to_string(), name.to_string())).copied();
            // The remote GID is one field of 128 bits there, and two here.
            let half = |nth: usize| named("rgid_rip").map(|(at, bits)| (at + nth * 64, bits / 2));
            let there = match field.name {
                "rgid_rip[0..8]" => half(0),
                "rgid_rip[8..16]" => half(1),
                name => named(name_there(name)),
            };
            if there != Some((field.at, field.bits)) {
                differ.push(format!("{of}: {field:x?}, in the header {there:x?}"));
            }
        }
    }
    assert!(differ.is_empty(), "of {compared} fields:\n{}", differ.join("\n"));
}

/// The structs of a header: each line of a field as its type, name and length in elements.
struct Header(HashMap<String, Vec<(String, String, usize)>>);

impl Header {
    fn parse(text: &str) -> Self {
        let mut structs: HashMap<String, Vec<_>> = HashMap::new();
        let mut current = None;
        for line in text.lines().map(str::trim) {
            let begins = line.strip_suffix('{').and_then(|line| line.split_whitespace().nth(1)).map(plain);
            match (begins, line) {
                (Some(name), _) if line.starts_with("struct mlx5_ifc_") => current = Some(name.to_string()),
                (_, "};") => current = None,
                _ => {
                    let Some((name, line)) = current.as_ref().zip(line.strip_suffix(';')) else { continue };
                    let mut words = line.split_whitespace().filter(|word| !matches!(*word, "struct" | "union"));
                    let (Some(kind), Some(declared)) = (words.next(), words.next()) else { continue };
                    let mut parts = declared.split(['[', ']']).filter(|part| !part.is_empty());
                    let field = parts.next().unwrap_or_default().to_string();
                    let number = |text: &str| match text.strip_prefix("0x") {
                        Some(hex) => usize::from_str_radix(hex, 16).ok(),
                        None => text.parse().ok(),
                    };
                    let count = parts.map(|part| number(part).unwrap_or(0)).product();
                    structs.entry(name.clone()).or_default().push((plain(kind).to_string(), field, count));
                }
            }
        }
        Self(structs)
    }

    fn bits(&self, of: &str) -> usize {
        self.fields(of).last().map_or(0, |(_, at, bits)| at + bits)
    }

    fn fields(&self, of: &str) -> Vec<(String, usize, usize)> {
        let mut at = 0;
        let lines = self.0.get(of).map(Vec::as_slice).unwrap_or_default();
        let place = |(kind, field, count): &(String, String, usize)| {
            let bits = if kind == "u8" { *count } else { self.bits(kind) * count };
            at += bits;
            (field.clone(), at - bits, bits)
        };
        lines.iter().map(place).collect()
    }
}

/// Returns the name of a struct without the prefix and suffix that all of them have.
fn plain(name: &str) -> &str {
    name.trim_start_matches("mlx5_ifc_").trim_end_matches("_bits")
}

fn headers() -> Vec<PathBuf> {
    let folders = std::fs::read_dir("/usr/src").into_iter().flatten().flatten().map(|entry| entry.path());
    folders.map(|folder| folder.join("include/linux/mlx5/mlx5_ifc.h")).filter(|path| path.is_file()).collect()
}

fn compare(path: &Path, golden: &Places) -> usize {
    let header = Header::parse(&std::fs::read_to_string(path).unwrap());
    let mut compared = 0;
    for ((of, field), place) in golden {
        if let Some((_, at, bits)) = header.fields(of).into_iter().find(|(name, ..)| name == field) {
            assert_eq!((at, bits), *place, "{of}.{field} of {}", path.display());
            compared += 1;
        }
    }
    compared
}

#[test]
fn the_list_of_fields_is_that_of_each_kernel_header_of_this_machine() {
    let golden = golden();
    let headers = headers();
    if headers.is_empty() {
        println!("skipped: no mlx5_ifc.h in /usr/src; Debian's linux-headers-*-common have it");
    }
    for path in headers {
        assert!(compare(&path, &golden) > golden.len() / 2, "{} has few of the fields", path.display());
    }
}

#[test]
fn a_header_is_parsed_with_arrays_and_structs_within_structs() {
    let text = "struct mlx5_ifc_inner_bits {\n\tu8         a[0x8];\n\n\tu8 b[0x18];\n};\n\
                struct mlx5_ifc_outer_bits {\n\tu8 x[2][0x10];\n\tstruct mlx5_ifc_inner_bits y[3];\n\tu8 z[0x1];\n};\n";
    let header = Header::parse(text);
    let places: Vec<_> = header.fields("outer").into_iter().map(|(_, at, bits)| (at, bits)).collect();
    assert_eq!(places, [(0, 32), (32, 96), (128, 1)]);
    let header = Header::parse(&text.replace("y[3]", "y"));
    assert_eq!(header.fields("outer")[2], ("z".to_string(), 64, 1));
}

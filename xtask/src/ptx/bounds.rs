//! Launch bounds: `launch_bounds!` leaves numbers in a module's data, and this turns them into directives of the
//! kernels' entries, which the compiler can't write.

use anyhow::{Context, Result, bail};

/// The first part of the data's name; the kernel's name follows.
const PREFIX: &str = "oxshmem_bounds_";

/// The bounds of one kernel.
#[derive(Debug, PartialEq, Eq)]
struct Bounds {
    kernel: String,
    threads: u32,
    blocks: u32,
}

/// Returns the PTX with the bounds in the entries of their kernels.
pub(super) fn apply(ptx: &str) -> Result<String> {
    let all = ptx.lines().filter_map(bounds_in).collect::<Result<Vec<_>>>()?;
    let mut text = ptx.to_string();
    for Bounds { kernel, threads, blocks } in all {
        let entry = [format!(".entry {kernel}("), format!(".entry {kernel}\n")];
        let start = entry.iter().find_map(|entry| text.find(entry.as_str()));
        let start = start.with_context(|| format!("`launch_bounds!({kernel}, ..)`: the module has no such kernel"))?;
        let body = text[start..].find('{').context("an entry without a body")?;
        text.insert_str(start + body, &format!(".maxntid {threads}, 1, 1\n.minnctapersm {blocks}\n"));
    }
    Ok(text)
}

/// Parses the bounds that a line of data defines, such as `.visible .global .align 4 .b8 NAME[8] = {0, 2, 0, 0, 3};`,
/// or the same by words as `.b32 NAME[2] = {512, 3};`. Zeros at the end can be missing.
fn bounds_in(line: &str) -> Option<Result<Bounds>> {
    let (before, rest) = line.split_once(PREFIX)?;
    let kind = [".b8", ".u8", ".b32", ".u32"].into_iter().find(|kind| before.trim_end().ends_with(kind))?;
    let (kernel, values) = rest.split_once('[')?;
    let values = values.split_once('{').and_then(|(_, values)| values.split_once('}')).map(|(values, _)| values);
    Some(
        words(kind, values.unwrap_or(""))
            .with_context(|| format!("cannot read {line}"))
            .map(|[threads, blocks]| Bounds { kernel: kernel.to_string(), threads, blocks }),
    )
}

fn words(kind: &str, values: &str) -> Result<[u32; 2]> {
    let values = values.split(',').map(|value| value.trim().parse::<u32>()).collect::<Result<Vec<_>, _>>()?;
    let bytes: Vec<u8> = match kind.ends_with("32") {
        true => values.iter().flat_map(|value| value.to_le_bytes()).collect(),
        false => values.iter().map(|&value| u8::try_from(value)).collect::<Result<_, _>>()?,
    };
    if bytes.len() > 8 {
        bail!("{} bytes, where two words are meant", bytes.len());
    }
    let mut whole = [0; 8];
    whole[..bytes.len()].copy_from_slice(&bytes);
    let all = u64::from_le_bytes(whole);
    Ok([all as u32, (all >> 32) as u32])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_become_directives_of_the_entry_that_they_name_and_of_no_other() {
        let ptx = ".visible .global .align 4 .b8 oxshmem_bounds_two[8] = {0, 2, 0, 0, 3};\n\
                   .visible .entry two_more(\n)\n{\nret;\n}\n.visible .entry two(\n)\n{\nret;\n}\n";
        let bound = apply(ptx).unwrap();
        assert!(bound.contains(".entry two(\n)\n.maxntid 512, 1, 1\n.minnctapersm 3\n{"), "{bound}");
        assert!(bound.contains(".entry two_more(\n)\n{"), "{bound}");
    }

    #[test]
    fn words_are_read_as_well_as_bytes_and_other_data_is_left_alone() {
        let line = ".visible .global .align 4 .u32 oxshmem_bounds_k[2] = {1024, 1};";
        let k = Bounds { kernel: "k".into(), threads: 1024, blocks: 1 };
        assert_eq!(bounds_in(line).unwrap().unwrap(), k);
        assert!(bounds_in(".visible .global .align 8 .b8 oxshmem_args_k[80] = {1};").is_none());
    }

    #[test]
    fn bounds_of_a_kernel_that_is_not_there_are_an_error_that_names_it() {
        let error = apply(".global .b32 oxshmem_bounds_gone[2] = {32, 1};").unwrap_err();
        assert!(error.to_string().contains("gone"), "{error}");
    }
}

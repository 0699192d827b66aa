//! Reads from a module the transports that it was built with. A world with other transports refuses it.

use std::path::Path;

use anyhow::{Context, Result};
use oxshmem_raw::state::abi::{self, Abi};

use crate::files;

/// Returns the transports of a PTX file, by feature name.
///
/// # Errors
/// The file can't be read, or has no such data.
pub(crate) fn transports(file: &Path) -> Result<Vec<String>> {
    let ptx = files::read(file)?;
    let said = ptx.lines().find_map(said_in);
    said.with_context(|| format!("{} does not say what it was built against (`{}`)", file.display(), abi::SYMBOL))
}

/// Parses a line such as `.visible .global .align 8 .b8 OXSHMEM_ABI[96] = {111, 120};`, in which zeros at the end can
/// be missing.
fn said_in(line: &str) -> Option<Vec<String>> {
    let values = line.split_once(&format!(".b8 {}[", abi::SYMBOL))?.1.split_once('{')?.1.split_once('}')?.0;
    let mut bytes = [0; size_of::<Abi>()];
    for (number, value) in values.split(',').enumerate() {
        *bytes.get_mut(number)? = value.trim().parse().ok()?;
    }
    Some(Abi::from_bytes(&bytes)?.features().split_whitespace().map(str::to_string).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transports_are_those_that_the_module_says_and_other_data_says_none() {
        let mut bytes = b"oxshmem\x01".to_vec();
        bytes.resize(48, 0);
        bytes.extend(b"nvlink ibrc");
        let values = bytes.iter().map(u8::to_string).collect::<Vec<_>>().join(", ");
        let line = format!(".visible .global .align 8 .b8 OXSHMEM_ABI[96] = {{{values}}};");
        assert_eq!(said_in(&line).unwrap(), ["nvlink", "ibrc"]);
        assert!(said_in(&line.replace("OXSHMEM_ABI", "OXSHMEM_OTHER")).is_none());
        assert!(said_in(&line.replacen("111", "112", 1)).is_none(), "no magic");
    }
}

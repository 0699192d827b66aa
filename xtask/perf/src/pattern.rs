//! Conditions on rows, as the files of goals have them.

use serde::Deserialize;

use super::row::Row;

/// Words such as `test=shmem_put_bw|shmem_get_bw`, `op!=reduce`, `bytes>=1MiB` or `skew=0`, each of which a row must
/// fulfil. A key that the row lacks is 0.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct Pattern(Vec<Condition>);

#[derive(Clone, Debug)]
struct Condition {
    key: String,
    is: Is,
    values: Vec<String>,
}

#[derive(Clone, Copy, Debug)]
enum Is {
    OneOf,
    NoneOf,
    AtLeast,
    AtMost,
}

/// The comparisons, those first that end in another one.
const SIGNS: [(&str, Is); 4] = [("!=", Is::NoneOf), (">=", Is::AtLeast), ("<=", Is::AtMost), ("=", Is::OneOf)];

/// The keys of rows, without those of the solver.
const KEYS: [&str; 13] =
    ["test", "op", "scope", "ctas", "threads", "qps", "depth", "proxies", "bytes", "skew", "both", "line", "stat"];

impl TryFrom<String> for Pattern {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.split_whitespace().map(condition).collect::<Result<_, _>>().map(Self)
    }
}

fn condition(word: &str) -> Result<Condition, String> {
    let parts = SIGNS.iter().find_map(|(sign, is)| word.split_once(sign).map(|parts| (parts, *is)));
    let ((key, values), is) = parts.ok_or_else(|| format!("`{word}` compares nothing"))?;
    if !KEYS.contains(&key) {
        return Err(format!("`{word}`: no row has the key `{key}`; there are {}", KEYS.join(", ")));
    }
    Ok(Condition { key: key.to_string(), is, values: values.split('|').map(in_bytes).collect() })
}

/// Returns 1048576 for `1MiB`, and any other word as it is.
fn in_bytes(value: &str) -> String {
    let units = [("KiB", 10), ("MiB", 20)];
    let of_unit = |(unit, shift): &(&str, u32)| Some(value.strip_suffix(unit)?.parse::<u64>().ok()? << shift);
    units.iter().find_map(of_unit).map_or_else(|| value.to_string(), |bytes| bytes.to_string())
}

impl Pattern {
    /// Returns whether a row fulfils every condition.
    pub(crate) fn fits(&self, row: &Row) -> bool {
        self.0.iter().all(|condition| condition.holds(&row.value(&condition.key)))
    }
}

impl Condition {
    fn holds(&self, value: &str) -> bool {
        let number = |text: &str| text.parse::<u64>().ok();
        match self.is {
            Is::OneOf => self.values.iter().any(|one| one == value),
            Is::NoneOf => self.values.iter().all(|one| one != value),
            Is::AtLeast => number(value) >= number(&self.values[0]),
            Is::AtMost => number(value) <= number(&self.values[0]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_fits_if_it_fulfils_every_condition_and_a_key_that_it_lacks_is_0() {
        let put = Row { skew: 4, ..Row::of("shmem_put_bw").by("block", 8, 1024).bytes(1 << 20) };
        let fits = |text: &str| Pattern::try_from(text.to_string()).unwrap().fits(&put);
        for yes in ["", "test=a|shmem_put_bw", "bytes>=1MiB bytes<=1024KiB", "skew=1|4 both=0", "op!=add", "qps=0"] {
            assert!(fits(yes), "{yes}");
        }
        for no in ["test=shmem_put", "bytes>=2MiB", "bytes<=1MiB skew=0", "scope!=block", "op=add", "proxies>=1"] {
            assert!(!fits(no), "{no}");
        }
    }

    #[test]
    fn a_word_that_is_no_condition_is_an_error_that_names_it() {
        for (text, part) in [("test", "`test` compares nothing"), ("ctsa=1", "no row has the key `ctsa`")] {
            let error = Pattern::try_from(text.to_string()).unwrap_err();
            assert!(error.contains(part), "{error}");
        }
    }
}

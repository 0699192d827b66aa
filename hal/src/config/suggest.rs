//! Suggestions: the known name nearest to an unknown one.

/// Returns the candidate with the fewest changes from `name`, if they are few enough for a typing error: one for every
/// three letters, and at most four.
pub(super) fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    // The comparison is quadratic, and a name this long is not a typing error.
    if name.len() > 64 {
        return None;
    }
    let name = name.to_ascii_uppercase();
    let most = (name.chars().count() / 3).min(4);
    candidates
        .map(|candidate| (changes(&name, candidate), candidate))
        .filter(|(changes, _)| *changes <= most)
        .min_by_key(|(changes, _)| *changes)
        .map(|(_, candidate)| candidate)
}

/// Counts the letters to insert, drop or replace, or neighbours to swap, to turn `b` into `a`.
fn changes(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let same = a[i - 1] == b[j - 1];
            row[j] = (last[j] + 1).min(row[j - 1] + 1).min(last[j - 1] + usize::from(!same));
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_counted_as_letters_to_insert_drop_replace_or_swap() {
        for (a, b, n) in
            [("", "", 0), ("abc", "", 3), ("", "ab", 2), ("seed", "sede", 1), ("kitten", "sitting", 3), ("ab", "ab", 0)]
        {
            assert_eq!(changes(a, b), n, "{a} {b}");
        }
    }

    #[test]
    fn a_slip_finds_its_name_and_a_stranger_finds_none() {
        let names = ["OXSHMEM_SEED", "OXSHMEM_DEVICE", "OXSHMEM_SYMMETRIC_SIZE"];
        let near = |name| nearest(name, names.into_iter());
        assert_eq!(near("OXSHMEM_SYMETRIC_SIZE"), Some("OXSHMEM_SYMMETRIC_SIZE"));
        assert_eq!(near("oxshmem_devcie"), Some("OXSHMEM_DEVICE"));
        assert_eq!(near("OXSHMEM_COLOUR_OF_MAGIC"), None);
        assert_eq!(near(""), None);
        assert_eq!(near(&"S".repeat(1 << 20)), None);
    }
}

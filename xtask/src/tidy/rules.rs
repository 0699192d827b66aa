//! Rules on the text of PTX.

use std::path::Path;

use super::Finding;

/// Checks one PTX text.
///
/// - No `.extern` function: it is a panic path or a missing library, and fails when the module is loaded.
/// - No panic function of `core`: the argument should have been checked before.
/// - No `atom` or `red` without order and scope: PTX reads one as relaxed at GPU scope, which peers and the NIC do not
///   see.
pub(crate) fn check(file: &Path, ptx: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (index, line) in ptx.lines().enumerate() {
        let code = line.split("//").next().unwrap_or("");
        if let Some(name) = extern_function(code) {
            findings.push(Finding::error(
                file,
                index + 1,
                format!("`{name}` is not in the module: a panic path or a missing library"),
            ));
        }
        if let Some(name) = panic_function(code) {
            findings.push(Finding::error(
                file,
                index + 1,
                format!("`{name}` is a panic: check before, or use an operation that can't panic"),
            ));
        }
        for instruction in bare_atomics(code) {
            findings.push(Finding::error(
                file,
                index + 1,
                format!(
                    "`{instruction}` has no order and scope, such as `atom.relaxed.gpu`: use `oxshmem_raw::gpu::ptx`"
                ),
            ));
        }
    }
    findings
}

/// Returns the name of the external function that this line declares.
fn extern_function(code: &str) -> Option<&str> {
    let rest = code.trim_start().strip_prefix(".extern")?.trim_start();
    let rest = rest.strip_prefix(".func")?.trim_start();
    // The return value precedes the name, in parentheses.
    let name = match rest.strip_prefix('(') {
        Some(returns) => returns.split_once(')').map_or("", |(_, name)| name),
        None => rest,
    };
    Some(name.trim().trim_end_matches(['(', ';', ' ']))
}

/// Returns the name of the panic function that this line defines or declares.
fn panic_function(code: &str) -> Option<&str> {
    let (_, rest) = code.split_once(".func")?;
    let mut words = rest.split(|c: char| !(c.is_ascii_alphanumeric() || "_$".contains(c)));
    words.find(|word| word.contains("panicking") || word.contains("panic_"))
}

/// Returns the atomic instructions of this line that lack order or scope.
fn bare_atomics(code: &str) -> Vec<&str> {
    const ORDERS: [&str; 4] = ["relaxed", "acquire", "release", "acq_rel"];
    const SCOPES: [&str; 4] = ["cta", "cluster", "gpu", "sys"];
    code.split([';', '{', '}', ' ', '\t'])
        .filter(|word| word.starts_with("atom.") || word.starts_with("red."))
        .filter(|word| {
            let mut parts = word.split('.').skip(1);
            let ordered = parts.next().is_some_and(|part| ORDERS.contains(&part));
            let scoped = parts.next().is_some_and(|part| SCOPES.contains(&part));
            !(ordered && scoped)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(ptx: &str) -> Vec<String> {
        check(Path::new("k.ptx"), ptx).iter().map(Finding::to_string).collect()
    }

    #[test]
    fn a_bare_atomic_is_found_on_its_line_also_behind_a_predicate() {
        let found = findings(
            "\tatom.relaxed.gpu.global.add.u64 %rd1, [%rd2], 1;\n\t@%p1 atom.global.add.u64 %rd10, [%rd2], 1;\n",
        );
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with("k.ptx:2: error: `atom.global.add.u64`"), "{found:?}");
    }

    #[test]
    fn an_order_without_a_scope_and_a_scope_without_an_order_are_bare() {
        assert_eq!(findings("red.release.global.add.u64 [%rd2], 1;").len(), 1);
        assert_eq!(findings("{ red.sys.global.add.u64 [%rd2], 1; }").len(), 1);
    }

    #[test]
    fn atomics_with_order_and_scope_pass_and_so_do_words_that_only_look_alike() {
        let good = "red.release.sys.global.add.u64 [%rd2], 1;\natom.acq_rel.sys.cas.b64 %rd1, [%rd2], %rd3, %rd4;\n\
                    redux.sync.add.s32 %r1, %r2, %r3;\n// atom.add in a comment\n";
        assert!(findings(good).is_empty(), "{:?}", findings(good));
    }

    #[test]
    fn an_extern_function_is_found_and_extern_shared_memory_is_not_one() {
        let found =
            findings(".extern .shared .align 16 .b8 dynamic[];\n.extern .func  (.param .b32 func_retval0) vprintf\n(");
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with("k.ptx:2: error: `vprintf`"), "{found:?}");
        assert!(findings(".extern .func memcpy(").first().is_some_and(|text| text.contains("`memcpy`")));
    }

    #[test]
    fn a_panic_path_is_found_and_a_kernel_that_mentions_panic_is_not_one() {
        let found = findings(".func _RNvNtCsanIojcP8aaR_4core9panicking18panic_bounds_check\n");
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(findings(".visible .entry panic_free(\n.func helper(\n").is_empty());
    }
}

//! Budgets for the registers, stack and spills of each kernel.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use super::{Finding, line_of};
use crate::ptx::EntryUse;

/// `xtask/budgets.toml`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Budgets {
    default: Budget,
    #[serde(default)]
    entry: BTreeMap<String, Exception>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Budget {
    registers: u32,
    stack_bytes: u32,
    spill_bytes: u32,
}

/// The keys that one entry may have beyond the default.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Exception {
    registers: Option<u32>,
    stack_bytes: Option<u32>,
    spill_bytes: Option<u32>,
}

impl Budgets {
    /// Returns the budget of one entry: that of `module/entry`, of the entry's name, of the longest matching name with
    /// a `*`, or the default.
    fn of(&self, module: &str, entry: &str) -> Budget {
        let whole = format!("{module}/{entry}");
        let fits = |name: &str| match name.split_once('*') {
            Some((start, end)) => {
                entry.len() >= start.len() + end.len() && entry.starts_with(start) && entry.ends_with(end)
            }
            None => entry == name || whole == name,
        };
        let rank = |name: &String| (*name == whole, *name == entry, name.len());
        let longest = self.entry.iter().filter(|(name, _)| fits(name)).max_by_key(|(name, _)| rank(name));
        let exception = longest.map(|(_, exception)| *exception).unwrap_or_default();
        Budget {
            registers: exception.registers.unwrap_or(self.default.registers),
            stack_bytes: exception.stack_bytes.unwrap_or(self.default.stack_bytes),
            spill_bytes: exception.spill_bytes.unwrap_or(self.default.spill_bytes),
        }
    }
}

/// Returns a finding for each excess, at the line of `ptx` where the entry begins.
pub(crate) fn check(budgets: &Budgets, file: &Path, ptx: &str, arch: &str, uses: &[EntryUse]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let module = file.file_stem().unwrap_or_default().to_string_lossy();
    for one in uses {
        let budget = budgets.of(&module, &one.entry);
        let counts = [
            (one.registers, budget.registers, "registers"),
            (one.stack_bytes, budget.stack_bytes, "bytes of stack"),
            (one.spill_store_bytes + one.spill_load_bytes, budget.spill_bytes, "bytes of spills"),
        ];
        for (used, allowed, unit) in counts {
            if used > allowed {
                let text = format!("`{}` on {arch} uses {used} {unit}, and its budget is {allowed}", one.entry);
                findings.push(Finding::error(file, line_of(ptx, &format!(".entry {}(", one.entry)), text));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    const BUDGETS: &str = "[default]\nregisters = 64\nstack_bytes = 0\nspill_bytes = 0\n\
        [entry.\"jacobi_*\"]\nregisters = 96\n[entry.jacobi_slow]\nstack_bytes = 128\n";

    fn using(entry: &str, registers: u32, stack_bytes: u32) -> EntryUse {
        EntryUse { entry: entry.into(), registers, stack_bytes, ..EntryUse::default() }
    }

    fn found(one: EntryUse) -> Vec<String> {
        let budgets: Budgets = toml::from_str(BUDGETS).unwrap();
        let ptx = format!("//\n.visible .entry {}(\n", one.entry);
        check(&budgets, Path::new("k.ptx"), &ptx, "sm_90", &[one]).iter().map(Finding::to_string).collect()
    }

    #[test]
    fn an_entry_at_its_budget_passes_and_one_over_it_is_found_with_both_numbers() {
        assert!(found(using("ring", 64, 0)).is_empty());
        assert_eq!(
            found(using("ring", 65, 0)),
            ["k.ptx:2: error: `ring` on sm_90 uses 65 registers, and its budget is 64"]
        );
    }

    #[test]
    fn spills_and_a_stack_frame_are_found() {
        let spilling = EntryUse { spill_store_bytes: 8, ..using("ring", 32, 16) };
        assert_eq!(found(spilling).len(), 2);
    }

    #[test]
    fn a_star_widens_one_key_and_the_exact_name_goes_before_it() {
        assert!(found(using("jacobi_p", 96, 0)).is_empty());
        assert_eq!(found(using("jacobi_p", 96, 8)).len(), 1, "the stack is the default's");
        assert!(found(using("jacobi_slow", 64, 128)).is_empty());
        assert_eq!(found(using("jacobi_slow", 65, 0)).len(), 1, "the exact name does not add to the star");
    }

    #[test]
    fn a_star_may_stand_inside_a_name() {
        let text = format!("{BUDGETS}[entry.\"jacobi_*_fast\"]\nregisters = 32\n");
        let budgets: Budgets = toml::from_str(&text).unwrap();
        let of = |entry: &str| budgets.of("k", entry).registers;
        assert_eq!((of("jacobi_p_fast"), of("jacobi_p_slow"), of("jacobi_fast")), (32, 96, 96));
    }

    #[test]
    fn an_entry_of_one_module_has_a_budget_of_its_own() {
        let text = format!("{BUDGETS}[entry.\"k/ring\"]\nregisters = 128\n");
        let budgets: Budgets = toml::from_str(&text).unwrap();
        let of = |module: &str| budgets.of(module, "ring").registers;
        assert_eq!((of("k"), of("other")), (128, 64));
    }

    #[test]
    fn a_typo_in_the_budgets_is_an_error() {
        let error = toml::from_str::<Budgets>("[default]\nregister = 1\n").unwrap_err().to_string();
        assert!(error.contains("register") && error.contains("registers"), "{error}");
    }
}

//! The files of a module's PTX and machine code.

use std::fs;
use std::path::{Path, PathBuf};

/// Returns the names of the files with the module's PTX, the preferred one first: `NAME.TRANSPORTS.ptx`, which has the
/// world's transports and no others (`nvlink`, or several joined by `+`), then `NAME.ptx`.
///
/// Kernels with fewer paths need fewer registers.
pub(crate) fn file_names(name: &str, used: &[String]) -> [String; 2] {
    [format!("{name}.{}.ptx", used.join("+")), format!("{name}.ptx")]
}

/// Returns the file of a module's PTX for a GPU of this compute capability, 10 times major and minor: of
/// `NAME.sm_XX.ptx` the one for the latest architecture that the GPU runs, otherwise `NAME.ptx`, which is `plain`, if
/// it is there.
pub(crate) fn latest_for(plain: &Path, capability: u32) -> Option<PathBuf> {
    let stem = plain.file_stem()?.to_str()?;
    let arch = |path: &Path| -> Option<u32> {
        let name = path.file_name()?.to_str()?.strip_prefix(stem)?;
        name.strip_prefix(".sm_")?.strip_suffix(".ptx")?.parse().ok()
    };
    let beside = fs::read_dir(plain.parent()?).into_iter().flatten().flatten().map(|entry| entry.path());
    let fitting = beside.filter_map(|path| Some((arch(&path)?, path))).filter(|(arch, _)| *arch <= capability);
    let latest = fitting.max_by_key(|(arch, _)| *arch).map(|(_, path)| path);
    latest.or_else(|| plain.is_file().then(|| plain.to_path_buf()))
}

/// Returns whether the machine code was made from this PTX, judging by the files' times.
pub(crate) fn is_current(cubin: &Path, ptx: &Path) -> bool {
    let changed = |path: &Path| fs::metadata(path).and_then(|file| file.modified());
    matches!((changed(cubin), changed(ptx)), (Ok(made), Ok(from)) if made >= from)
}

#[cfg(test)]
mod tests {
    use oxshmem_raw::os::private::Scratch;

    use super::*;

    #[test]
    fn a_module_with_exactly_the_worlds_transports_is_preferred() {
        let used = |names: &[&str]| names.iter().map(|name| name.to_string()).collect::<Vec<_>>();
        assert_eq!(file_names("heat", &used(&["nvlink"])), ["heat.nvlink.ptx", "heat.ptx"]);
        assert_eq!(file_names("heat", &used(&["nvlink", "ibgda"])), ["heat.nvlink+ibgda.ptx", "heat.ptx"]);
    }

    #[test]
    fn of_the_ptx_for_several_architectures_the_latest_that_the_gpu_runs_is_taken() {
        let folder = Scratch::new("archs").unwrap();
        let put = |name: &str| fs::write(folder.join(name), "").unwrap();
        let name_for = |capability| {
            let path = latest_for(&folder.join("heat.ptx"), capability)?;
            Some(path.file_name()?.to_str()?.to_string())
        };
        let without = name_for(90);
        let others = ["heat.sm_80.ptx", "heat.sm_90.ptx", "heat.nvlink.sm_100.ptx", "heat.sm_90.cubin", "other.ptx"];
        others.into_iter().for_each(put);
        let several = [75, 80, 89, 90, 100].map(name_for);
        put("heat.ptx");
        let oldest = name_for(75);
        let file = |name: &str| Some(name.to_string());
        assert_eq!(without, None);
        let (first, second) = (file("heat.sm_80.ptx"), file("heat.sm_90.ptx"));
        assert_eq!(several, [None, first.clone(), first, second.clone(), second]);
        assert_eq!(oldest, file("heat.ptx"));
    }
}

//! The PTX files to build: several variants at a time, each file once.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, bail};

use super::build::{self, Built, KernelCrate};
use super::toolchain::{Toolchain, Variant};
use super::{KERNEL_CRATES, Options, check_arch, transports};
use crate::files;
use crate::parallel;
use crate::place::target_dir;

/// The transport of loads and stores. Kernels with it alone are faster in worlds that need no other.
pub(crate) const LOAD_STORE: &str = "nvlink";

/// One PTX file to build.
#[derive(Debug)]
pub(crate) struct Job {
    kernels: KernelCrate,
    variant: Variant,
    /// The name by which programs find the file: the module's, with the transports of kernels for certain worlds.
    stem: String,
    /// The transports that the module must have been built with.
    transports: Vec<String>,
    file: PathBuf,
}

/// Returns the files that the options name: each crate for each architecture. A crate with further transports than
/// loads and stores is built for loads and stores alone, too, but for kernels that check their arguments.
pub(super) fn of(root: &Path, options: &Options) -> Result<Vec<Job>> {
    options.arch.iter().try_for_each(|arch| check_arch(arch))?;
    let out = options.out.clone().unwrap_or_else(|| target_dir(root).join("ptx"));
    files::make_folder(&out)?;
    let mut jobs = Vec::new();
    for kernels in crates(root, options)? {
        let name = kernels.file_stem();
        let of_load_store = format!("{name}.{LOAD_STORE}");
        let asked = if kernels.is_settled() { &[][..] } else { &options.transports[..] };
        let mut sets = vec![(name, asked.to_vec())];
        if asked.len() > 1 && asked.iter().any(|one| one == LOAD_STORE) && !options.checked {
            sets.push((of_load_store, vec![LOAD_STORE.to_string()]));
        } else {
            remove_stale(&out, &of_load_store)?;
        }
        for (stem, transports) in sets {
            let mut features = options.features.clone();
            features.extend(transports.iter().map(|name| format!("oxshmem-device/{name}")));
            if options.checked {
                features.push(kernels.checked_feature().to_string());
            }
            for arch in &options.arch {
                let suffix = if options.arch.len() > 1 { format!(".{arch}") } else { String::new() };
                jobs.push(Job {
                    file: out.join(format!("{stem}{suffix}.ptx")),
                    variant: Variant { arch: arch.clone(), features: features.clone() },
                    transports: transports.clone(),
                    stem: stem.clone(),
                    kernels: kernels.clone(),
                });
            }
        }
    }
    Ok(jobs)
}

/// Removes the file of an earlier build with more transports, which programs would prefer to the new one.
fn remove_stale(out: &Path, stem: &str) -> Result<()> {
    let file = out.join(format!("{stem}.ptx"));
    match std::fs::remove_file(&file) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}, of an earlier build", file.display()))
        }
        _ => Ok(()),
    }
}

fn crates(root: &Path, options: &Options) -> Result<Vec<KernelCrate>> {
    let manifests = options.manifest_path.iter().chain(&options.manifests);
    let outside = manifests.map(|manifest| KernelCrate::at_manifest(manifest)).collect::<Result<Vec<_>>>()?;
    let named: Vec<&str> = options.packages.iter().map(String::as_str).collect();
    let named = match (outside.is_empty(), named.is_empty()) {
        (true, true) => KERNEL_CRATES,
        _ => &named,
    };
    let ours = named.iter().map(|name| KernelCrate::in_workspace(root, name));
    ours.chain(outside.into_iter().map(Ok)).collect()
}

/// Builds all files, and tells of each with the index of its job. Variants are built side by side; the crates of one
/// variant are built one after another, because they share their dependencies.
pub(super) fn run(
    root: &Path,
    toolchain: &Toolchain,
    jobs: &[Job],
    tell: &(dyn Fn(usize, &Built) + Sync),
) -> Result<Vec<Built>> {
    let mut variants: BTreeMap<&Variant, Vec<usize>> = BTreeMap::new();
    for (index, job) in jobs.iter().enumerate() {
        variants.entry(&job.variant).or_default().push(index);
    }
    // The variant with the most crates begins first, so that it is not the last to end.
    let mut variants: Vec<Vec<usize>> = variants.into_values().collect();
    variants.sort_by_key(|indices| std::cmp::Reverse(indices.len()));
    let done = parallel::map(&variants, |indices| {
        let one = |&index: &usize| {
            let built = build(root, toolchain, &jobs[index])?;
            tell(index, &built);
            Ok((index, built))
        };
        indices.iter().map(one).collect::<Result<Vec<_>>>()
    })?;
    let mut done: Vec<(usize, Built)> = done.into_iter().flatten().collect();
    done.sort_by_key(|(index, _)| *index);
    Ok(done.into_iter().map(|(_, built)| built).collect())
}

fn build(root: &Path, toolchain: &Toolchain, job: &Job) -> Result<Built> {
    let begun = Instant::now();
    let built = build::build(root, toolchain, &job.kernels, &job.variant, &job.file)?;
    let built = Built { stem: job.stem.clone(), ..built };
    let has = match job.transports.is_empty() && job.kernels.is_settled() {
        true => Vec::new(),
        false => transports(&built.file)?,
    };
    if let Some(why) = refusal(&has, &job.transports, job.stem != job.kernels.file_stem()) {
        bail!("{} {why}", built.file.display());
    }
    if job.transports.is_empty() && has.len() > 1 {
        eprintln!(
            "note: the Cargo.toml of {} names the transports {}, so that its kernels are not built for loads and stores \
             alone; name them by --transports instead",
            built.name,
            has.join(", ")
        );
    }
    let Variant { arch, features } = &job.variant;
    let with = if features.is_empty() { String::new() } else { format!(" with {}", features.join(", ")) };
    eprintln!("PTX of {} for {arch}{with}: {:.1} s", built.name, begun.elapsed().as_secs_f64());
    Ok(built)
}

/// Returns the reason why PTX that `has` these transports is not what was `asked` for; `no_others`: and nothing else.
/// Otherwise the error would first appear on the machine that loads it.
fn refusal(has: &[String], asked: &[String], no_others: bool) -> Option<String> {
    let all = has.join(", ");
    if let Some(lacks) = asked.iter().find(|name| !has.contains(name)) {
        return Some(format!("has the transports {all}, and not `{lacks}`"));
    }
    let more = has.iter().find(|name| !asked.contains(name)).filter(|_| no_others)?;
    Some(format!("has `{more}`, which its Cargo.toml names: leave transports to --transports, or leave that out"))
}

#[cfg(test)]
mod tests {
    use oxshmem_raw::os::private::Scratch;

    use super::*;

    #[test]
    fn transports_that_cargo_toml_adds_are_refused_where_kernels_are_for_certain_worlds() {
        let names = |names: &[&str]| names.iter().map(|name| name.to_string()).collect::<Vec<_>>();
        let (both, one) = (names(&["nvlink", "ibgda"]), names(&["nvlink"]));
        assert_eq!(refusal(&both, &one, false), None);
        assert!(refusal(&both, &one, true).unwrap().contains("has `ibgda`"));
        assert!(refusal(&one, &both, false).unwrap().contains("not `ibgda`"));
        assert_eq!(refusal(&both, &both, true), None);
    }

    #[test]
    fn kernels_with_several_transports_are_built_for_loads_and_stores_alone_too() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let out = Scratch::new("jobs").unwrap();
        let files = |transports: &[&str], checked| {
            let options = Options {
                packages: vec!["oxshmem-test-kernels".into(), "oxshmem-nic-kernels".into()],
                arch: vec!["sm_90".into()],
                transports: transports.iter().map(|name| name.to_string()).collect(),
                out: Some(out.to_path_buf()),
                checked,
                ..Options::default()
            };
            let jobs = of(root, &options).unwrap();
            jobs.iter().map(|job| job.file.file_name().unwrap().to_str().unwrap().to_string()).collect::<Vec<_>>()
        };
        let (both, nic) = ("oxshmem_test_kernels.ptx", "oxshmem_nic_kernels.ptx");
        let variant = "oxshmem_test_kernels.nvlink.ptx";
        assert_eq!(files(&["nvlink", "ibgda"], false), [both, variant, nic], "the last has transports of its own");
        assert_eq!(files(&["nvlink", "ibgda"], true), [both, nic], "checked kernels need not be fast");
        std::fs::write(out.join(variant), "of an earlier build").unwrap();
        assert_eq!(files(&["nvlink"], false), [both, nic]);
        let is_left = out.join(variant).exists();
        assert!(!is_left, "programs would prefer it to the new file");
    }
}

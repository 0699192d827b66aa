//! The device library: PTX and machine code of `device/capi` in an object that nvcc links.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::cuda::Cuda;
use crate::parallel;
use crate::place::target_dir;
use crate::ptx::{self, Toolchain, Variant, arch_number};
use crate::shell;

/// The crate.
const FOLDER: &str = "device/capi";
/// Its library's name.
const MODULE: &str = "oxshmem_device_capi";
/// The archive, and the name by which programs for NVSHMEM link it.
const NAMES: [&str; 2] = ["liboxshmem_device.a", "libnvshmem_device.a"];

/// The inputs of all parts of the library.
pub(super) struct Build<'a> {
    pub(super) root: &'a Path,
    pub(super) toolchain: &'a Toolchain,
    pub(super) cuda: &'a Cuda,
    pub(super) transports: &'a [String],
}

impl Build<'_> {
    /// Builds the crate for an architecture with these features of its own, and returns the file that the compiler
    /// emits: `asm` is PTX, `llvm-bc` bitcode.
    pub(super) fn compile(&self, arch: &str, own: &[&str], emit: &str) -> Result<PathBuf> {
        let of_transports = self.transports.iter().map(|name| format!("oxshmem-device/{name}"));
        let features = own.iter().map(ToString::to_string).chain(of_transports).collect();
        let variant = Variant { arch: arch.to_string(), features };
        let folder =
            target_dir(self.root).join("capi").join(variant.folder(Path::new("")).file_name().unwrap_or_default());
        let made = folder.join(format!("{MODULE}.{emit}"));
        let manifest = self.root.join(FOLDER).join("Cargo.toml");
        ptx::compile_library(self.toolchain, &variant, &manifest, &folder, emit, &made)?;
        Ok(made)
    }

    fn folder(&self) -> PathBuf {
        target_dir(self.root).join("capi")
    }

    /// Makes the archive in `lib` under both names, and returns the files.
    pub(super) fn archive(&self, archs: &[String], lib: &Path) -> Result<Vec<PathBuf>> {
        // PTX differs before sm_90 and from it on; it is assembled for each architecture.
        let compiled_for = |arch: &String| if arch_number(arch) >= Some(90) { "sm_90" } else { "sm_80" };
        let needed: BTreeSet<&str> = archs.iter().map(compiled_for).collect();
        let needed: Vec<&str> = needed.into_iter().collect();
        let compiled = parallel::map(&needed, |arch| self.compile(arch, &[], "asm"))?;
        let ptx_for =
            |arch| needed.iter().zip(&compiled).find(|(one, _)| **one == compiled_for(arch)).map(|(_, ptx)| ptx);
        let built: Vec<PathBuf> = archs.iter().filter_map(ptx_for).cloned().collect();
        let images: Vec<(&String, &PathBuf)> = archs.iter().zip(&built).collect();
        let cubins = parallel::map(&images, |(arch, ptx)| self.assemble(arch, ptx))?;
        let fatbin = self.folder().join("device.fatbin");
        let mut fatbinary = Command::new(&self.cuda.fatbinary);
        fatbinary.args(["-64", "--device-c", "--compress-all", "--compress-mode=size"]);
        fatbinary.arg(format!("--create={}", fatbin.display()));
        for (arch, cubin) in archs.iter().zip(&cubins) {
            fatbinary.arg(image("elf", arch, cubin));
        }
        if let (Some(arch), Some(ptx)) = (archs.last(), built.last()) {
            let arch = compiled_for(arch);
            fatbinary.arg(image("ptx", arch, ptx));
        }
        shell::capture(&mut fatbinary)?;
        let object = self.object(&fatbin)?;
        NAMES.iter().map(|name| self.archived(&object, &lib.join(name))).collect()
    }

    /// Writes the functions under NVSHMEM's own names to `lib`, as bitcode and PTX, for compilers that read no headers.
    /// They have no instruction that later GPUs than sm_80 lack, and none that needs later ones.
    pub(super) fn for_compilers(&self, lib: &Path) -> Result<Vec<PathBuf>> {
        let mut files = Vec::new();
        for (emit, ending) in [("llvm-bc", "bc"), ("asm", "ptx")] {
            let made = self.compile("sm_80", &["names"], emit)?;
            for name in ["oxshmem", "nvshmem"] {
                let file = lib.join(format!("lib{name}_device.{ending}"));
                std::fs::copy(&made, &file).with_context(|| format!("cannot write {}", file.display()))?;
                files.push(file);
            }
        }
        Ok(files)
    }

    /// Assembles PTX to machine code with open references.
    fn assemble(&self, arch: &str, ptx: &Path) -> Result<PathBuf> {
        let cubin = ptx.with_extension(format!("{arch}.cubin"));
        let mut ptxas = Command::new(&self.cuda.ptxas);
        ptxas.arg("-c").arg(format!("-arch={arch}")).arg(ptx).arg("-o").arg(&cubin);
        shell::capture(&mut ptxas)?;
        Ok(cubin)
    }

    /// Compiles the host's half, which has the GPU code in it.
    fn object(&self, fatbin: &Path) -> Result<PathBuf> {
        let object = self.folder().join("image.o");
        let mut cc = Command::new(std::env::var_os("CC").unwrap_or_else(|| "cc".into()));
        cc.args(["-std=gnu11", "-O2", "-fPIC", "-Wall", "-Wextra", "-Werror", "-c"]);
        cc.arg(format!("-DOXSHMEM_FATBIN=\"{}\"", fatbin.display()));
        cc.arg(self.root.join(FOLDER).join("image.c")).arg("-o").arg(&object);
        shell::capture(&mut cc)?;
        Ok(object)
    }

    fn archived(&self, object: &Path, archive: &Path) -> Result<PathBuf> {
        // `ar` would add to an archive of an earlier build.
        let _ = std::fs::remove_file(archive);
        shell::capture(Command::new("ar").arg("rcsD").arg(archive).arg(object))?;
        Ok(archive.to_path_buf())
    }
}

/// Returns the option that adds an image to a fatbin.
fn image(kind: &str, arch: &str, file: &Path) -> String {
    format!("--image3=kind={kind},sm={},file={}", arch.trim_start_matches("sm_"), file.display())
}

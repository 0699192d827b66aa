//! The device library: PTX and machine code of `device/capi` in an object that nvcc links.

use std::collections::BTreeSet;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::bitcode;
use super::cuda::Cuda;
use crate::parallel;
use crate::place::target_dir;
use crate::ptx::{self, Toolchain, Variant, arch_number};
use crate::shell;

/// The crate.
const FOLDER: &str = "device/capi";
/// Its library's name.
const MODULE: &str = "oxshmem_device_capi";
/// The parts of the library, each with the most registers of its functions. A kernel has at least as many as the
/// functions that it calls: with 32 an SM has 2,048 threads at once, with 64 a block has 1,024, with 128 it has 512.
/// Usual copies are inline in the headers. A get is as fast as the loads that it has in flight, which are in registers.
const PARTS: [Part; 5] = [
    Part { feature: "words", registers: 32 },
    Part { feature: "puts", registers: 32 },
    Part { feature: "gets", registers: 64 },
    Part { feature: "meetings", registers: 64 },
    Part { feature: "collectives", registers: 128 },
];

/// The architectures by which Python packages name the bitcode, which is the same for all of them.
const OF_BITCODE: [&str; 4] = ["sm_80", "sm_89", "sm_90", "sm_100"];

/// The part with the variables.
const WITH_VARIABLES: &str = "words";

/// A part of the library, an object of the archive.
#[derive(Clone, Copy)]
struct Part {
    feature: &'static str,
    registers: u32,
}

/// The archive, and the name by which programs for NVSHMEM link it; and those of the archive that has the host library too.
const NAMES: [&str; 2] = ["liboxshmem_device.a", "libnvshmem_device.a"];
const NAMES_OF_WHOLE: [&str; 2] = ["liboxshmem.a", "libnvshmem.a"];

/// The inputs of all parts of the library.
pub(super) struct Build<'a> {
    pub(super) root: &'a Path,
    pub(super) toolchain: &'a Toolchain,
    pub(super) cuda: &'a Cuda,
    pub(super) transports: &'a [String],
    /// Whether programs are only to be linked with it: it is made soon rather than small and fast.
    pub(super) to_link: bool,
}

impl Build<'_> {
    /// Builds the crate for an architecture with these features of its own, and returns the file that the compiler
    /// emits: `asm` is PTX, `llvm-ir` the text of bitcode, `llvm-bc` bitcode.
    pub(super) fn compile(&self, arch: &str, own: &[&str], emit: &str) -> Result<PathBuf> {
        let of_transports = self.transports.iter().map(|name| format!("oxshmem-device/{name}"));
        let remote = self.has_remote().then(|| "remote".to_string());
        let features = own.iter().map(ToString::to_string).chain(remote).chain(of_transports).collect();
        let variant = Variant { arch: arch.to_string(), features };
        let name = variant.folder(Path::new(""));
        let made = self.folder().join(name.file_name().unwrap_or_default()).join(format!("{MODULE}.{emit}"));
        std::fs::create_dir_all(made.parent().unwrap_or(&made))
            .with_context(|| format!("cannot make {}", made.display()))?;
        // All variants of an architecture have the crates below in common.
        let folder = self.folder().join(arch);
        let manifest = self.root.join(FOLDER).join("Cargo.toml");
        ptx::compile_library(self.toolchain, &variant, &manifest, &folder, emit, &made)?;
        Ok(made)
    }

    fn has_remote(&self) -> bool {
        has_remote(self.transports)
    }

    fn folder(&self) -> PathBuf {
        target_dir(self.root).join("capi")
    }

    /// Makes the archive in `lib` under both names, and one that has the host library's object too, and returns the files.
    pub(super) fn archives(&self, archs: &[String], host: Option<&Path>, lib: &Path) -> Result<Vec<PathBuf>> {
        eprintln!("device library ...");
        // It is assembled for each architecture.
        let compiled_for = |arch: &str| if self.to_link { "sm_80" } else { compiled_for(arch) };
        let needed: BTreeSet<&str> = archs.iter().map(|arch| compiled_for(arch)).collect();
        // Neighbours are built at the same time, and the builds of one architecture wait for each other.
        let of_part = |part: Part| needed.iter().map(move |arch| (*arch, part));
        let jobs: Vec<(&str, Part)> = PARTS.into_iter().flat_map(of_part).collect();
        let compiled = parallel::map(&jobs, |(arch, part)| {
            let made = self.compile(arch, &[part.feature], "asm")?;
            eprintln!("    {} compiled for {arch}", part.feature);
            Ok(made)
        })?;
        let ptx_of = |arch: &str, part: Part| {
            let wanted = |(of, one): &(&str, Part)| *of == compiled_for(arch) && one.feature == part.feature;
            jobs.iter().position(wanted).map(|index| &compiled[index]).context("each part is compiled")
        };
        let jobs: Vec<(&String, Part)> = archs.iter().flat_map(|arch| PARTS.map(|part| (arch, part))).collect();
        let cubins = parallel::map(&jobs, |(arch, part)| {
            let cubin = self.assemble(arch, *part, ptx_of(arch, *part)?)?;
            eprintln!("    {} assembled for {arch}", part.feature);
            Ok(cubin)
        })?;
        let objects = parallel::map(&PARTS, |part| {
            let mut images = Vec::new();
            for ((arch, of), cubin) in jobs.iter().zip(&cubins) {
                if of.feature == part.feature {
                    images.push(image("elf", arch, cubin));
                }
            }
            let last = compiled_for(archs.last().context("no architecture")?);
            images.push(image("ptx", last, ptx_of(last, *part)?));
            self.object(*part, &images)
        })?;
        let mut files: Vec<PathBuf> =
            NAMES.iter().map(|name| archived(&objects, &lib.join(name))).collect::<Result<_>>()?;
        if let Some(host) = host {
            let whole: Vec<PathBuf> = std::iter::once(host.to_path_buf()).chain(objects).collect();
            for name in NAMES_OF_WHOLE {
                files.push(archived(&whole, &lib.join(name))?);
            }
        }
        Ok(files)
    }

    /// Writes the functions under NVSHMEM's own names to `lib`, as bitcode and PTX, for compilers that read no headers.
    /// They have no instruction that later GPUs than sm_80 lack, and none that needs later ones. Then all functions of the
    /// archive as one image, for programs that compile the headers and link by nvJitLink.
    pub(super) fn for_compilers(&self, archs: &[String], lib: &Path) -> Result<Vec<PathBuf>> {
        eprintln!("bitcode and PTX of the device library ...");
        let mut files = Vec::new();
        for (made, ending) in [(self.bitcode()?, "bc"), (self.named("asm")?, "ptx")] {
            for name in ["oxshmem", "nvshmem"] {
                let file = lib.join(format!("lib{name}_device.{ending}"));
                std::fs::copy(&made, &file).with_context(|| format!("cannot write {}", file.display()))?;
                files.push(file);
            }
        }
        for arch in OF_BITCODE {
            link(&format!("libnvshmem_device_{arch}.bc"), "libnvshmem_device.bc", lib)?;
        }
        let fatbin = lib.join("liboxshmem_device.fatbin");
        self.fatbin(&self.image_of_all(archs)?, &fatbin)?;
        link("libnvshmem_device.ltoir.fatbin", "liboxshmem_device.fatbin", lib)?;
        files.push(fatbin);
        Ok(files)
    }

    /// Builds all parts as one module for each architecture.
    fn image_of_all(&self, archs: &[String]) -> Result<Vec<String>> {
        let all = Part { feature: "all", registers: PARTS.iter().map(|part| part.registers).max().unwrap_or(0) };
        let features = PARTS.map(|part| part.feature);
        let mut images = Vec::new();
        for arch in archs {
            let ptx = self.compile(compiled_for(arch), &features, "asm")?;
            images.push(image("elf", arch, &self.assemble(arch, all, &ptx)?));
            if Some(arch) == archs.last() {
                images.push(image("ptx", compiled_for(arch), &ptx));
            }
        }
        Ok(images)
    }

    /// Builds the bitcode of the functions under NVSHMEM's own names.
    pub(super) fn bitcode(&self) -> Result<PathBuf> {
        bitcode::make(self.root, |emit| self.named(emit))
    }

    /// Builds the functions under NVSHMEM's own names, as `emit` says.
    fn named(&self, emit: &str) -> Result<PathBuf> {
        self.compile("sm_80", &["names"], emit)
    }

    /// Assembles PTX to machine code with open references.
    fn assemble(&self, arch: &str, part: Part, ptx: &Path) -> Result<PathBuf> {
        let cubin = ptx.with_extension(format!("{arch}.cubin"));
        let mut ptxas = Command::new(self.cuda.ptxas_to_link(self.root, arch));
        ptxas.arg("-c").arg(format!("-arch={arch}")).arg(format!("--maxrregcount={}", part.registers));
        if self.to_link {
            ptxas.arg("--opt-level=1");
        }
        shell::capture(ptxas.arg(ptx).arg("-o").arg(&cubin))?;
        Ok(cubin)
    }

    /// Packs code for several architectures.
    fn fatbin(&self, images: &[String], file: &Path) -> Result<()> {
        let mut fatbinary = Command::new(&self.cuda.fatbinary);
        let mode = if self.to_link { "speed" } else { "size" };
        fatbinary.args(["-64", "--device-c", "--compress-all"]).arg(format!("--compress-mode={mode}")).args(images);
        shell::capture(fatbinary.arg(format!("--create={}", file.display()))).map(drop)
    }

    /// Compiles the host's half of a part, which has the GPU code in it.
    fn object(&self, part: Part, images: &[String]) -> Result<PathBuf> {
        let name = part.feature;
        let fatbin = self.folder().join(format!("{name}.fatbin"));
        self.fatbin(images, &fatbin)?;
        let object = self.folder().join(format!("{name}.o"));
        let mut cc = Command::new(std::env::var_os("CC").unwrap_or_else(|| "cc".into()));
        cc.args(["-std=gnu11", "-O2", "-fPIC", "-Wall", "-Wextra", "-Werror", "-c"]);
        cc.arg(format!("-DOXSHMEM_FATBIN=\"{}\"", fatbin.display())).arg(format!("-DOXSHMEM_PART={name}"));
        if name == WITH_VARIABLES {
            let world = if self.has_remote() { "oxshmem_world" } else { "oxshmem_load_store_world" };
            cc.arg("-DOXSHMEM_VARIABLES").arg(format!("-DOXSHMEM_WORLD=\"{world}\""));
        }
        shell::capture(cc.arg(self.root.join(FOLDER).join("image.c")).arg("-o").arg(&object))?;
        Ok(object)
    }
}

/// Reports whether a library of these transports reaches remote PEs.
pub(super) fn has_remote(transports: &[String]) -> bool {
    transports.iter().any(|name| name != ptx::LOAD_STORE)
}

/// Returns the architecture whose PTX is assembled for this one: PTX differs before sm_90 and from it on.
pub(super) fn compiled_for(arch: &str) -> &'static str {
    if arch_number(arch) >= Some(90) { "sm_90" } else { "sm_80" }
}

/// Makes a further name of a file in `lib`.
pub(super) fn link(name: &str, of: &str, lib: &Path) -> Result<()> {
    let link = lib.join(name);
    let _ = std::fs::remove_file(&link);
    symlink(of, &link).with_context(|| format!("cannot make the link {}", link.display()))
}

fn archived(objects: &[PathBuf], archive: &Path) -> Result<PathBuf> {
    // `ar` would add to an archive of an earlier build.
    let _ = std::fs::remove_file(archive);
    shell::capture(Command::new("ar").arg("rcsD").arg(archive).args(objects))?;
    Ok(archive.to_path_buf())
}

/// Returns the option that adds an image to a fatbin.
fn image(kind: &str, arch: &str, file: &Path) -> String {
    format!("--image3=kind={kind},sm={},file={}", arch.trim_start_matches("sm_"), file.display())
}

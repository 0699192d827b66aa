//! `capi`: makes the C interface of the device as a folder that programs compile and link against.

mod bitcode;
mod cuda;
mod headers;
pub(crate) mod interface;
mod library;
mod page;
pub(crate) mod programs;
mod table;
mod tree;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::files::copy_folder;
use crate::manifest::C_FOLDER;
use crate::parallel;
use crate::place::Place;
use crate::ptx::{self, ASSEMBLED_ARCHS, Ptxas, Toolchain};
pub(crate) use bitcode::fetch_writer;
use cuda::Cuda;
pub(crate) use cuda::Nvcc;

/// The options of `capi`.
#[derive(Args, Clone, Debug)]
pub(crate) struct Options {
    /// Folder to make: `include`, `lib`.
    #[arg(long, value_name = "DIR", required_unless_present_any = ["headers", "check"])]
    out: Option<PathBuf>,
    /// Writes the headers of this checkout, and docs/nvshmem-names.md, from the tables of names.
    #[arg(long)]
    headers: bool,
    /// Checks that the headers in this folder have NVSHMEM's interface (default: the checkout's).
    #[arg(long, value_name = "INCLUDE", num_args = 0..=1, default_missing_value = "include")]
    check: Option<PathBuf>,
    /// Architectures of the device library. Later GPUs than the last one run its PTX.
    #[arg(long, value_delimiter = ',', default_values_t = ASSEMBLED_ARCHS.map(String::from))]
    arch: Vec<String>,
    /// Transports of the device library.
    #[arg(long, value_delimiter = ',', default_value = "nvlink,ibgda,ibrc")]
    transports: Vec<String>,
    /// Builds the programs of tests/capi/programs too, in `programs` of the folder, with nvcc.
    #[arg(long, requires = "out")]
    programs: bool,
    /// Folder of NVSHMEM, with which the programs are built as well.
    #[arg(long, value_name = "DIR", env = "NVSHMEM_HOME")]
    nvshmem: Option<PathBuf>,
    /// Folder of a CUDA toolkit, or of the Python package nvidia-cuda-nvcc, with bin/ptxas and bin/fatbinary.
    #[arg(long, value_name = "DIR", env = "CUDA_HOME")]
    cuda: Option<PathBuf>,
    /// rustc with the sources of `core`. No other is tried.
    #[arg(long, value_name = "PATH", env = "OXSHMEM_PTX_RUSTC")]
    rustc: Option<PathBuf>,
    /// Makes only as much as compilers and linkers of programs need.
    #[arg(skip)]
    to_link: bool,
    /// Whether the folder is made to be copied: an archive in it can't know where its kernels will be.
    #[arg(skip)]
    to_move: bool,
}

impl Options {
    /// Returns the options that make the whole folder.
    pub(crate) fn whole(out: PathBuf) -> Self {
        Self {
            out: Some(out),
            headers: false,
            check: None,
            arch: ASSEMBLED_ARCHS.map(String::from).into(),
            transports: ["nvlink", "ibgda", "ibrc"].map(String::from).into(),
            programs: false,
            nvshmem: None,
            cuda: None,
            rustc: None,
            to_link: false,
            to_move: false,
        }
    }

    /// Returns the options that make enough to compile and link programs: the host library as tests build it, and a
    /// device library of NVLink alone.
    pub(crate) fn to_link(out: PathBuf) -> Self {
        Self { transports: vec!["nvlink".into()], to_link: true, ..Self::whole(out) }
    }
}

/// Runs the task: makes the headers of the checkout, checks them, and makes the folder, as the options say. A packed
/// folder has the C interface ready, which is copied.
pub(crate) fn task(place: &Place, options: &Options) -> Result<i32> {
    if let (Place::Packed(packed), Some(out)) = (place, &options.out) {
        return copy_packed(packed, out);
    }
    let root = place.checkout("capi")?;
    if options.headers {
        headers::write(root)?;
        page::write(root)?;
    }
    if let Some(include) = &options.check {
        interface::check(root, &Nvcc::find(root, options.cuda.as_deref())?, &root.join(include))?;
    }
    if let Some(out) = &options.out {
        for file in make(root, options, out)? {
            let bytes = file.metadata().map(|meta| meta.len()).unwrap_or(0);
            println!("{} ({bytes} bytes)", file.display());
        }
        if options.programs {
            let nvcc = Nvcc::find(root, options.cuda.as_deref())?;
            let folder = out.join(programs::FOLDER_MADE);
            programs::make(root, &nvcc, out, options.nvshmem.as_deref(), &options.arch, &folder)?;
            println!("{}", folder.join(programs::SCRIPT).display());
        }
    }
    Ok(0)
}

/// Copies the C interface of a packed folder to `out`.
fn copy_packed(packed: &Path, out: &Path) -> Result<i32> {
    let home = packed.join(C_FOLDER);
    if !home.is_dir() {
        bail!("{} was packed without the C interface; run `cargo xtask capi` in a checkout", packed.display());
    }
    copy_folder(&home, out)?;
    println!("{}", out.display());
    Ok(0)
}

/// Packs the C interface for the nodes of a cluster in `out`, with the programs if there is nvcc. Without the CUDA
/// programs that it needs there is a note, and no such folder.
pub(crate) fn pack(root: &Path, archs: &[String], transports: &[String], out: &Path) -> Result<()> {
    if let Err(why) = Cuda::find(root, None) {
        eprintln!("note: the folder has no C interface: {why:#}");
        return Ok(());
    }
    let options = Options {
        arch: archs.to_vec(),
        transports: transports.to_vec(),
        to_move: true,
        ..Options::whole(out.to_path_buf())
    };
    make(root, &options, out)?;
    match Nvcc::find(root, None) {
        Ok(nvcc) => programs::make(root, &nvcc, out, None, archs, &out.join(programs::FOLDER_MADE)),
        Err(why) => {
            eprintln!("note: the C interface has no programs: {why:#}");
            Ok(())
        }
    }
}

/// Builds the bitcode of the device library, and returns the file.
pub(crate) fn bitcode(root: &Path) -> Result<PathBuf> {
    let options = Options::whole(PathBuf::new());
    let (toolchain, cuda) = (Toolchain::find(root, None)?, Cuda::find(root, None)?);
    let transports = &options.transports;
    let library = library::Build { root, toolchain: &toolchain, cuda: &cuda, transports, to_link: false };
    library.bitcode()
}

/// Makes the folder, and returns the libraries in it.
pub(crate) fn make(root: &Path, options: &Options, out: &Path) -> Result<Vec<PathBuf>> {
    headers::check(root)?;
    page::check(root)?;
    tree::make(root, &options.transports, out)?;
    let lib = out.join("lib");
    let (transports, to_link) = (&options.transports, options.to_link);
    // The host library first: programs in C need no more.
    let host = tree::host_library(root, to_link, options.to_move, &lib)?;
    let toolchain = Toolchain::find(root, options.rustc.as_deref())?;
    eprintln!("PTX toolchain: {toolchain}");
    let cuda = Cuda::find(root, options.cuda.as_deref())?;
    eprintln!("CUDA tools: {cuda}");
    let library = library::Build { root, toolchain: &toolchain, cuda: &cuda, transports, to_link };
    let mut files = library.archives(&options.arch, host.as_ref().map(|host| host.object.as_path()), &lib)?;
    files.extend(host.map(|host| host.file));
    if to_link {
        return Ok(files);
    }
    files.extend(library.for_compilers(&options.arch, &lib)?);
    files.extend(kernels(root, options, &lib.join("ptx"))?);
    Ok(files)
}

/// Makes the part of the folder that host programs need: headers, the host library and files of build systems.
pub(crate) fn make_for_host(root: &Path, out: &Path) -> Result<()> {
    tree::make(root, &Options::to_link(PathBuf::new()).transports, out)?;
    let lib = out.join("lib");
    tree::host_library(root, true, false, &lib).map(drop)
}

/// Makes the kernels of collectives and other calls on streams, which the host library finds beside itself: PTX, and machine code
/// for the architectures, if these are several only of the kernels for loads and stores, which are small.
fn kernels(root: &Path, options: &Options, out: &Path) -> Result<Vec<PathBuf>> {
    eprintln!("kernels of the host library ...");
    // PTX differs before sm_90 and from it on.
    let mut archs: Vec<String> = options.arch.iter().map(|arch| library::compiled_for(arch).to_string()).collect();
    archs.dedup();
    let kernels = ptx::Options {
        packages: vec!["oxshmem-collectives".into()],
        arch: archs,
        out: Some(out.to_path_buf()),
        transports: options.transports.clone(),
        ..ptx::Options::default()
    };
    let built = ptx::build_all(root, &kernels)?;
    let is_only_set = built.iter().all(|one| one.stem == built[0].stem);
    let of_load_store = format!(".{}", ptx::LOAD_STORE);
    let assembled = |one: &&ptx::Built| options.arch.len() == 1 || is_only_set || one.stem.ends_with(&of_load_store);
    let pairs: Vec<(&ptx::Built, &String)> = built
        .iter()
        .filter(assembled)
        .flat_map(|one| options.arch.iter().map(move |arch| (one, arch)))
        .filter(|(one, arch)| library::compiled_for(arch) == one.arch)
        .collect();
    let ptxas = Ptxas::find(root, None)?;
    let cubins = parallel::map(&pairs, |(one, arch)| {
        let made = ptx::assemble(root, &ptxas, &one.file, arch)?.cubin;
        let cubin = out.join(format!("{}.{arch}.cubin", one.stem));
        std::fs::copy(&made, &cubin).with_context(|| format!("cannot write {}", cubin.display()))?;
        Ok(cubin)
    })?;
    Ok(built.into_iter().map(|one| one.file).chain(cubins).collect())
}

#[cfg(test)]
mod tests {
    use oxshmem_raw::os::private::Scratch;

    use super::*;

    #[test]
    fn a_packed_folder_copies_its_c_interface_and_says_if_it_has_none() {
        let base = Scratch::new("capi-packed").unwrap();
        let (packed, out) = (base.join("packed"), base.join("out"));
        let options = Options::whole(out.clone());
        let place = Place::Packed(packed.clone());
        let without = task(&place, &options).unwrap_err().to_string();
        std::fs::create_dir_all(packed.join(C_FOLDER).join("include")).unwrap();
        std::fs::write(packed.join(C_FOLDER).join("include/nvshmem.h"), "//").unwrap();
        let with = task(&place, &options);
        let copied = out.join("include/nvshmem.h").is_file();
        assert!(without.contains("without the C interface"), "{without}");
        assert!(with.unwrap() == 0 && copied);
    }
}

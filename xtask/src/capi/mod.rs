//! `capi`: makes the C interface of the device as a folder that programs compile and link against.

mod cuda;
mod headers;
mod interface;
mod library;
mod page;
mod table;
mod tree;

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;

use crate::place::Place;
use crate::ptx::{ASSEMBLED_ARCHS, Toolchain};
use cuda::Cuda;

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
    /// Folder of a CUDA toolkit, or of the Python package nvidia-cuda-nvcc, with bin/ptxas and bin/fatbinary.
    #[arg(long, value_name = "DIR", env = "CUDA_HOME")]
    cuda: Option<PathBuf>,
    /// rustc with the sources of `core`. No other is tried.
    #[arg(long, value_name = "PATH", env = "OXSHMEM_PTX_RUSTC")]
    rustc: Option<PathBuf>,
}

/// Runs the task: builds the device library and copies the headers.
pub(crate) fn task(place: &Place, options: &Options) -> Result<i32> {
    let root = place.checkout("capi")?;
    if options.headers {
        headers::write(root)?;
        page::write(root)?;
    }
    if let Some(include) = &options.check {
        interface::check(root, &cuda::nvcc(options.cuda.as_deref())?, &root.join(include))?;
    }
    let Some(out) = &options.out else { return Ok(0) };
    headers::check(root)?;
    page::check(root)?;
    tree::make(root, out)?;
    let toolchain = Toolchain::find(root, options.rustc.as_deref())?;
    eprintln!("PTX toolchain: {toolchain}");
    let cuda = Cuda::find(root, options.cuda.as_deref())?;
    eprintln!("CUDA tools: {cuda}");
    let lib = out.join("lib");
    std::fs::create_dir_all(&lib).with_context(|| format!("cannot make the folder {}", lib.display()))?;
    let library = library::Build { root, toolchain: &toolchain, cuda: &cuda, transports: &options.transports };
    let archives = library.archive(&options.arch, &lib)?;
    for file in archives.into_iter().chain(library.for_compilers(&lib)?) {
        let bytes = file.metadata().map(|meta| meta.len()).unwrap_or(0);
        println!("{} ({bytes} bytes)", file.display());
    }
    Ok(0)
}

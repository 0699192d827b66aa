//! Modules of kernels.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_raw::gpu::cuda;
use oxshmem_raw::memory::Memory;
use oxshmem_raw::queue::host_path::HostPath;
use oxshmem_raw::state::MAX_PATHS;
use oxshmem_raw::state::abi::{self, Abi};
use oxshmem_raw::state::kernel::{ARGS_PREFIX, ArgDesc, HostKernel, host_kernels};

use crate::module_files::{file_names, is_current, latest_for};
use crate::transports;

/// The names of the library's own kernels, which every module has, begin so.
const OF_LIBRARY: &str = "oxshmem_";

/// Kernels that were built together.
#[derive(Debug)]
pub struct Module {
    name: String,
    memory: Memory,
    checked: bool,
    kind: ModuleKind,
    /// By remote path of the module, in its order, the number of the world's transport; 0 for a path that the world
    /// does not use.
    paths: [usize; MAX_PATHS],
}

#[derive(Debug)]
enum ModuleKind {
    Host(Vec<&'static HostKernel>),
    Gpu(cuda::Module),
}

/// A kernel of a module.
#[derive(Clone, Debug)]
pub struct Kernel {
    pub(crate) name: String,
    pub(crate) args: Vec<ArgDesc>,
    pub(crate) entry: Entry,
    /// As its module's.
    pub(crate) paths: [usize; MAX_PATHS],
}

#[derive(Clone, Debug)]
pub(crate) enum Entry {
    Host(&'static HostKernel),
    Gpu(cuda::Function),
}

impl Module {
    /// Loads the module of crate `name`. For host PEs, its kernels are linked into the program. For a GPU, its PTX is a
    /// file in one of `folders`, of those that [`file_names`] returns, or the one of [`latest_for`] beside it. Machine
    /// code for exactly this GPU beside it, with the extension `sm_XX.cubin`, saves compiling the PTX, unless it is
    /// older.
    pub(crate) fn find(memory: &Memory, name: &str, folders: &[PathBuf], used: &[String]) -> Result<Self> {
        let name = name.replace('-', "_");
        let Memory::Gpu(context) = memory else { return Self::linked(&name, used) };
        Self::first_of(memory, context, &file_names(&name, used), folders, used)?.ok_or_else(|| {
            let searched = folders.iter().map(|f| f.display().to_string()).collect::<Vec<_>>().join(", ");
            Error::new(ErrorKind::NotFound, format!("load module `{name}`"))
                .because(format!("there is no {name}.ptx in {searched}"))
                .hint(
                    "build it with `cargo oxshmem ptx` (in oxshmem's checkout `cargo xtask ptx`), or name its folder \
                     in OXSHMEM_PTX_PATH",
                )
        })
    }

    /// Loads the module of crate `name` with load/store alone, if the folder of the one that [`find`](Self::find) loads
    /// has it; `None` for host PEs.
    pub(crate) fn find_load_store(
        memory: &Memory,
        name: &str,
        folders: &[PathBuf],
        used: &[String],
    ) -> Result<Option<Self>> {
        let Memory::Gpu(context) = memory else { return Ok(None) };
        let name = name.replace('-', "_");
        let (all, load_store) = (file_names(&name, used), &used[..1]);
        let has_any = |folder: &&PathBuf| all.iter().any(|file| latest_for(&folder.join(file), u32::MAX).is_some());
        let folder = folders.iter().find(has_any).into_iter().cloned().collect::<Vec<_>>();
        Self::first_of(memory, context, &file_names(&name, load_store)[..1], &folder, load_store)
    }

    /// Loads the first of these files in the first folder that has any.
    fn first_of(
        memory: &Memory,
        context: &cuda::Context,
        files: &[String],
        folders: &[PathBuf],
        used: &[String],
    ) -> Result<Option<Self>> {
        let (major, minor) = context.device().compute_capability()?;
        let mut paths = folders.iter().flat_map(|folder| files.iter().map(|file| folder.join(file)));
        let Some((plain, path)) = paths.find_map(|plain| {
            let path = latest_for(&plain, 10 * major + minor)?;
            Some((plain, path))
        }) else {
            return Ok(None);
        };
        let cubin = plain.with_extension(format!("sm_{major}{minor}.cubin"));
        if is_current(&cubin, &path)
            && let Ok(module) = Self::from_file(memory, &cubin, used)
        {
            return Ok(Some(module));
        }
        Self::from_file(memory, &path, used).map(Some)
    }

    /// Loads the module in a PTX or cubin file.
    pub(crate) fn from_file(memory: &Memory, path: &Path, used: &[String]) -> Result<Self> {
        let image = fs::read(path).map_err(|e| {
            Error::new(ErrorKind::NotFound, format!("read the module {}", path.display())).call(
                "read",
                e.raw_os_error().unwrap_or(0).into(),
                e.to_string(),
            )
        })?;
        Self::from_image(memory, &path.display().to_string(), &image, used)
    }

    /// Loads the module in these bytes, PTX or cubin.
    pub(crate) fn from_image(memory: &Memory, name: &str, image: &[u8], used: &[String]) -> Result<Self> {
        let Memory::Gpu(context) = memory else {
            return Err(Error::new(ErrorKind::InvalidArgument, format!("load module `{name}`"))
                .because("PTX runs on GPUs, and this world runs on host threads")
                .hint("load it by the name of its crate, which is linked into the program"));
        };
        Self::from_loaded(memory, name, cuda::Module::load(context, image)?, used)
    }

    /// Checks a module that is loaded on the GPU of `memory`.
    pub(crate) fn from_loaded(memory: &Memory, name: &str, module: cuda::Module, used: &[String]) -> Result<Self> {
        // SAFETY: **mapped**: it is a global of a loaded module.
        let (checked, paths) = unsafe { read_abi(memory, name, module.global(abi::SYMBOL)?, used) }?;
        Ok(Self { name: name.into(), memory: memory.clone(), checked, kind: ModuleKind::Gpu(module), paths })
    }

    fn linked(name: &str, used: &[String]) -> Result<Self> {
        let kernels: Vec<_> = host_kernels().filter(|kernel| kernel.module == name).collect();
        let Some(first) = kernels.first() else {
            let linked: BTreeSet<_> = host_kernels().map(|kernel| kernel.module).collect();
            return Err(Error::new(ErrorKind::NotFound, format!("load module `{name}`"))
                .because(format!(
                    "no kernel of a crate `{name}` is linked into this program; linked are those of {linked:?}"
                ))
                .hint(format!("say `use {name} as _;` in the program")));
        };
        if let Some(other) = kernels.iter().find(|kernel| kernel.abi != first.abi) {
            return Err(Error::new(ErrorKind::Incompatible, format!("load module `{name}`"))
                .because(format!(
                    "two crates of this name are linked, built with the transports `{}` and `{}`",
                    first.abi.features(),
                    other.abi.features()
                ))
                .hint("link one of them"));
        }
        let paths = check_abi(name, Some(first.abi), used)?;
        Ok(Self { name: name.into(), memory: Memory::Host, checked: true, kind: ModuleKind::Host(kernels), paths })
    }

    /// Returns the module's name, or the path of its file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns whether its barrier kernel waits by itself for the preceding grid: on GPUs, if built for sm_90 or later.
    /// A barrier kernel that does not, or whose module does not declare it, must not be launched early.
    ///
    /// # Errors
    /// The module's memory can't be read.
    pub fn barrier_waits(&self) -> Result<bool> {
        let ModuleKind::Gpu(module) = &self.kind else { return Ok(false) };
        let mut word = [0; 4];
        match module.global(abi::BARRIER_WAITS)? {
            // SAFETY: **mapped**: it is a global of a loaded module, of 4 bytes.
            Some((at, 4)) => unsafe { self.memory.read(&mut word, at)? },
            _ => return Ok(false),
        }
        Ok(u32::from_le_bytes(word) == 1)
    }

    /// Returns whether its kernels check their arguments: always on host threads, on GPUs if built with `--checked`.
    pub fn checks_arguments(&self) -> bool {
        self.checked
    }

    /// Returns the kernel of this name.
    ///
    /// # Errors
    /// There is no such kernel; the error lists the module's kernels. `InvalidArgument` for a kernel of the library, which
    /// takes addresses that its calls have checked.
    pub fn kernel(&self, name: &str) -> Result<Kernel> {
        if name.starts_with(OF_LIBRARY) {
            return Err(Error::new(
                ErrorKind::InvalidArgument,
                format!("find kernel `{name}` in module `{}`", self.name),
            )
            .because(format!("names that begin with `{OF_LIBRARY}` are those of the library's own kernels"))
            .hint("use the world's calls on streams; give a kernel of the program another name"));
        }
        self.any_kernel(name)
    }

    /// Returns the kernel of this name, also one of the library.
    ///
    /// # Errors
    /// As [`kernel`](Module::kernel).
    ///
    /// # Safety
    ///
    /// - **arguments**: each launch of a kernel of the library has arguments that it documents: an address among them is
    ///   that of memory that is mapped and unshared until the launch has ended.
    #[doc(hidden)]
    pub unsafe fn kernel_of_library(&self, name: &str) -> Result<Kernel> {
        self.any_kernel(name)
    }

    /// Finds a kernel by name, also one of the library.
    pub(crate) fn any_kernel(&self, name: &str) -> Result<Kernel> {
        let missing = || Error::new(ErrorKind::NotFound, format!("find kernel `{name}` in module `{}`", self.name));
        match &self.kind {
            ModuleKind::Host(kernels) => {
                let found = kernels.iter().find(|kernel| kernel.name == name);
                found.map(|kernel| Kernel::of_host(kernel, self.paths)).ok_or_else(|| {
                    let names = kernels.iter().map(|kernel| kernel.name).collect::<Vec<_>>().join(", ");
                    missing().because(format!("its kernels are {names}"))
                })
            }
            ModuleKind::Gpu(module) => {
                let function = module.function(name)?;
                let Some((at, bytes)) = module.global(&format!("{ARGS_PREFIX}{name}"))? else {
                    return Err(missing()
                        .because("it does not say which arguments it takes")
                        .hint("define it with `kernel!`"));
                };
                let mut raw = vec![0; bytes];
                // SAFETY: **mapped**: it is a global of a loaded module, of `bytes` bytes.
                unsafe { self.memory.read(&mut raw, at)? }
                let (descs, _) = raw.as_chunks::<40>();
                let args = descs.iter().map(ArgDesc::from_bytes).take_while(|desc| desc.bytes > 0).collect();
                Ok(Kernel { name: name.into(), args, entry: Entry::Gpu(function), paths: self.paths })
            }
        }
    }
}

impl Kernel {
    /// Returns a kernel that is linked into the program.
    pub(crate) fn of_host(entry: &'static HostKernel, paths: [usize; MAX_PATHS]) -> Self {
        Self { name: entry.name.into(), args: entry.args.to_vec(), entry: Entry::Host(entry), paths }
    }

    /// Returns the kernel's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the largest number of threads that a block may have on a GPU; `None` on host PEs.
    pub(crate) fn most_threads(&self) -> Result<Option<u32>> {
        match &self.entry {
            Entry::Gpu(function) => Ok(Some(function.limits()?.max_threads_per_block)),
            Entry::Host(_) => Ok(None),
        }
    }
}

/// Reads the description of a module at an address with a size, and checks it as [`check_abi`]. Returns whether the
/// module checks its arguments, and its paths.
///
/// # Errors
/// There is no description, or it does not fit this library (both named).
///
/// # Safety
///
/// - **mapped**: this number of bytes is mapped at the address.
pub(crate) unsafe fn read_abi(
    memory: &Memory,
    name: &str,
    global: Option<(u64, usize)>,
    used: &[String],
) -> Result<(bool, [usize; MAX_PATHS])> {
    let Some((at, bytes)) = global else {
        return Err(Error::new(ErrorKind::Incompatible, format!("load module `{name}`"))
            .because(format!("it has no `{}`: it was not built with oxshmem-device", abi::SYMBOL)));
    };
    let mut tag = [0; size_of::<Abi>()];
    let fits = bytes == tag.len();
    if fits {
        // SAFETY: **mapped** by the caller; `fits` checked that it has the size of `tag`.
        unsafe { memory.read(&mut tag, at)? }
    }
    let abi = fits.then(|| Abi::from_bytes(&tag)).flatten();
    let paths = check_abi(name, abi.as_ref(), used)?;
    Ok((abi.is_some_and(|abi| abi.checked != 0), paths))
}

/// Checks that the module and this library agree on the layout of shared data, and that the module has the transports
/// that the world uses. Returns, by remote path of the module, the position of its transport in `used`, or 0.
pub(crate) fn check_abi(name: &str, theirs: Option<&Abi>, used: &[impl AsRef<str>]) -> Result<[usize; MAX_PATHS]> {
    let refuse = |reason: String| {
        Err(Error::new(ErrorKind::Incompatible, format!("load module `{name}`"))
            .because(reason)
            .hint("build both from the same oxshmem, with the same transport features"))
    };
    let ours = Abi::this(&[], &[], false);
    let Some(theirs) = theirs else {
        return refuse("it was built with an oxshmem whose modules look different".into());
    };
    if theirs.layout != ours.layout || theirs.version != ours.version {
        return refuse(format!(
            "it was built for oxshmem {} (layout {:016x}), and this program has oxshmem {} (layout {:016x})",
            theirs.version(),
            theirs.layout,
            ours.version(),
            ours.layout
        ));
    }
    let built = || theirs.features().split(' ');
    if let Some(missing) = used.iter().map(AsRef::as_ref).find(|used| !built().any(|has| has == *used)) {
        return refuse(format!(
            "it was built with the transports `{}`, and this world also needs `{missing}`",
            theirs.features()
        ));
    }
    let mut paths = [0; MAX_PATHS];
    for ((name, layout), path) in theirs.remote_paths().zip(&mut paths) {
        *path = used.iter().position(|used| used.as_ref() == name).unwrap_or(0);
        let ours = transports::host_path(name).map(HostPath::layout);
        if let Some(ours) = ours.filter(|ours| *path != 0 && *ours != layout) {
            return refuse(format!(
                "its transport `{name}` has the layout {layout:016x}, and this program's has {ours:016x}"
            ));
        }
    }
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use super::*;

    static PLAIN: Abi = Abi::this(&["nvlink"], &[], false);
    static OTHER: Abi = Abi::this(&["nvlink", "other"], &[1], false);

    unsafe fn nothing(_: *const *const std::ffi::c_void) {}

    oxshmem_raw::inventory::submit! {
        HostKernel { module: "linked_twice", name: "a", args: &[], run: nothing, abi: &PLAIN }
    }
    oxshmem_raw::inventory::submit! {
        HostKernel { module: "linked_twice", name: "b", args: &[], run: nothing, abi: &OTHER }
    }

    #[test]
    fn a_module_that_is_linked_twice_with_different_paths_is_refused_with_both_lists() {
        let error = Module::linked("linked_twice", &["nvlink".to_string()]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Incompatible);
        let text = error.to_string();
        assert!(text.contains("`nvlink`") && text.contains("`nvlink other`"), "{text}");
    }

    fn ibgda() -> u64 {
        transports::host_path("ibgda").map_or(0, HostPath::layout)
    }

    #[test]
    fn a_module_of_another_layout_version_or_features_is_refused_with_both_sides_named() {
        let ours = Abi::this(&["nvlink"], &[], false);
        assert!(check_abi("m", Some(&ours), &["nvlink"]).is_ok());
        let mut other = ours;
        other.layout ^= 1;
        let error = check_abi("m", Some(&other), &["nvlink"]).unwrap_err().to_string();
        assert!(
            error.contains(&format!("{:016x}", ours.layout)) && error.contains(&format!("{:016x}", other.layout)),
            "{error}"
        );
        let mut other = ours;
        other.version = abi::padded("9.9.9");
        assert!(check_abi("m", Some(&other), &["nvlink"]).unwrap_err().to_string().contains("9.9.9"));
        let both = ["nvlink", "ibgda"];
        let error = check_abi("m", Some(&ours), &both).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Incompatible);
        assert!(error.to_string().contains("the transports `nvlink`, and this world also needs `ibgda`"), "{error}");
        let more = Abi::this(&["nvlink", "other", "ibgda"], &[1, ibgda()], false);
        assert_eq!(check_abi("m", Some(&more), &both).unwrap(), [0, 1, 0], "the world's first, the module's second");
        assert!(check_abi("m", Some(&more), &["nvlink"]).is_ok());
        assert!(check_abi("m", None, &[""; 0]).is_err());
        if ibgda() != 0 {
            let other = Abi::this(&["nvlink", "ibgda"], &[ibgda() ^ 1], false);
            let error = check_abi("m", Some(&other), &both).unwrap_err().to_string();
            assert!(error.contains("its transport `ibgda` has the layout"), "{error}");
        }
    }
}

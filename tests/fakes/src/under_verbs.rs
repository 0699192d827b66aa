//! The software ConnectX under unmodified libibverbs and libmlx5, for the processes of a test.

use std::ffi::CStr;
use std::path::{Path, PathBuf};

use oxshmem_raw::os::private::Scratch;

/// The wire of one world: the environment of its PEs, and the folder through which their NICs meet. The folder is
/// removed on drop.
#[derive(Debug)]
pub struct Wire {
    folder: Scratch,
    libraries: Vec<PathBuf>,
    preloaded: PathBuf,
}

impl Wire {
    /// Makes a wire. Without libmlx5 it prints a line with the reason and returns `None`. `target` is the
    /// `CARGO_TARGET_TMPDIR` of the test.
    ///
    /// # Panics
    /// The shared object of the software NIC is not beside the test, or the folder can't be made.
    pub fn new(target: &str) -> Option<Self> {
        let libraries = libraries(target)?;
        let folder = Scratch::new("verbs").unwrap_or_else(|error| panic!("{error}"));
        Some(Self { folder, libraries, preloaded: preloaded() })
    }

    /// Returns the variables with which PEs reach each other by proxies alone.
    pub fn variables(&self) -> Vec<(String, String)> {
        let mut told: Vec<(&str, String)> = vec![
            ("LD_PRELOAD", self.preloaded.display().to_string()),
            ("OXSHMEM_SOFTNIC_WIRE", self.folder.display().to_string()),
            ("OXSHMEM_DISABLE_P2P", "1".into()),
            ("OXSHMEM_REMOTE_TRANSPORT", "ibrc".into()),
        ];
        if !self.libraries.is_empty() {
            let folders: Vec<String> = self.libraries.iter().map(|folder| folder.display().to_string()).collect();
            told.push(("LD_LIBRARY_PATH", folders.join(":")));
        }
        told.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }

    /// Returns the folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the rules that a PE's driver broke, a line each.
    pub fn violations(&self) -> String {
        std::fs::read_to_string(self.folder.join("violations")).unwrap_or_default()
    }
}

/// Returns the folders of libibverbs and libmlx5: none if they are the system's, otherwise those of `cargo xtask rdma`.
/// Without them it prints a line with the reason and returns `None`. `target` is the `CARGO_TARGET_TMPDIR` of the test.
pub fn libraries(target: &str) -> Option<Vec<PathBuf>> {
    let target = Path::new(target).parent()?;
    let of = |root: &Path| {
        let folders =
            ["usr/lib", "lib"].map(|above| root.join(above).join(format!("{}-linux-gnu", std::env::consts::ARCH)));
        folders[0].join("libmlx5.so.1").exists().then_some(folders.to_vec())
    };
    let found = of(Path::new("/")).map(|_| Vec::new()).or_else(|| of(&target.join("rdma/root")));
    if found.is_none() {
        eprintln!("skipped: no libibverbs and libmlx5 here; `cargo xtask rdma` fetches them");
    }
    found
}

/// Returns the shared object of the software NIC, which cargo builds beside the test.
///
/// # Panics
/// It is missing.
pub fn preloaded() -> PathBuf {
    let name = "liboxshmem_softnic_preload.so";
    let test = std::env::current_exe().unwrap_or_default();
    let folder = test.parent().unwrap_or(&test);
    let places = [folder.join(name), folder.with_file_name(name)];
    places.into_iter().find(|place| place.is_file()).unwrap_or_else(|| panic!("no {name} beside {}", test.display()))
}

/// Makes one work queue entry of this process fail: the first whose index in its queue pair is at least `wqe`.
///
/// # Panics
/// The process runs without the software NIC, or no device is open.
pub fn fail(wqe: u64, syndrome: u8) {
    let found = find(c"oxshmem_softnic_fail");
    // SAFETY: the function of this name has this type (`tests/softnic/preload/src/control.rs`).
    let call: extern "C" fn(u32, u64, u8) -> bool = unsafe { std::mem::transmute(found) };
    assert!(call(0, wqe, syndrome), "no device is open");
}

/// Takes the links of this process's NICs up or down.
///
/// # Panics
/// As [`fail`].
pub fn set_link(up: bool) {
    let found = find(c"oxshmem_softnic_link");
    // SAFETY: the function of this name has this type (`tests/softnic/preload/src/control.rs`).
    let call: extern "C" fn(bool) -> bool = unsafe { std::mem::transmute(found) };
    assert!(call(up), "no device is open");
}

/// Stops or resumes all queue pairs of this process. While they are stopped, nothing starts and nothing completes.
///
/// # Panics
/// As [`fail`].
pub fn hold(held: bool) {
    let found = find(c"oxshmem_softnic_hold");
    // SAFETY: the function of this name has this type (`tests/softnic/preload/src/control.rs`).
    let call: extern "C" fn(bool) -> bool = unsafe { std::mem::transmute(found) };
    assert!(call(held), "no device is open");
}

fn find(name: &CStr) -> *mut libc::c_void {
    // SAFETY: the name is a C string that outlives the call.
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    assert!(!found.is_null(), "no software NIC is preloaded that has {name:?}");
    found
}

//! The software ConnectX under unmodified libibverbs and libmlx5, for processes that a test starts.

use std::ffi::CStr;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// A wire of one world: what its PEs need in their environment, and the folder through which their NICs meet. The folder
/// goes with it.
#[derive(Debug)]
pub struct Wire {
    folder: PathBuf,
    libraries: Vec<PathBuf>,
    preloaded: PathBuf,
}

impl Wire {
    /// A wire; `None`, and a line that says so, where there is no libmlx5. `target`: the `CARGO_TARGET_TMPDIR` of the test.
    ///
    /// # Panics
    /// The shared object of the software NIC is not beside the test, or the folder can't be made.
    pub fn new(target: &str) -> Option<Self> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let target = Path::new(target);
        let Some(libraries) = libraries(target.parent().unwrap_or(target)) else {
            eprintln!("skipped: no libibverbs and libmlx5 here; `cargo xtask rdma` fetches them");
            return None;
        };
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("oxshmem-verbs-{}-{number}", std::process::id()));
        std::fs::create_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        Some(Self { folder, libraries, preloaded: preloaded() })
    }

    /// Name and value of each variable that lets PEs reach each other by proxies alone.
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

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The rules that some PE's driver broke, a line each.
    pub fn violations(&self) -> String {
        std::fs::read_to_string(self.folder.join("violations")).unwrap_or_default()
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// Where libibverbs and libmlx5 are: nowhere in particular, or where `cargo xtask rdma` unpacked them.
fn libraries(target: &Path) -> Option<Vec<PathBuf>> {
    let of = |root: &Path| {
        let folders =
            ["usr/lib", "lib"].map(|above| root.join(above).join(format!("{}-linux-gnu", std::env::consts::ARCH)));
        folders[0].join("libmlx5.so.1").exists().then_some(folders.to_vec())
    };
    of(Path::new("/")).map(|_| Vec::new()).or_else(|| of(&target.join("rdma/root")))
}

/// The shared object, which cargo builds beside the test.
fn preloaded() -> PathBuf {
    let name = "liboxshmem_softnic_preload.so";
    let test = std::env::current_exe().unwrap_or_default();
    let folder = test.parent().unwrap_or(&test);
    let places = [folder.join(name), folder.with_file_name(name)];
    places.into_iter().find(|place| place.is_file()).unwrap_or_else(|| panic!("no {name} beside {}", test.display()))
}

/// Lets a work queue entry of this process fail: the first whose index in its queue pair is at least `wqe`.
///
/// # Panics
/// No software NIC is under this process, or no device is open.
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
    // SAFETY: as in `fail`.
    let call: extern "C" fn(bool) -> bool = unsafe { std::mem::transmute(found) };
    assert!(call(up), "no device is open");
}

/// Holds all queue pairs of this process back: nothing is started any more, and nothing completes. Or lets them go.
///
/// # Panics
/// As [`fail`].
pub fn hold(held: bool) {
    let found = find(c"oxshmem_softnic_hold");
    // SAFETY: as in `fail`.
    let call: extern "C" fn(bool) -> bool = unsafe { std::mem::transmute(found) };
    assert!(call(held), "no device is open");
}

fn find(name: &CStr) -> *mut libc::c_void {
    // SAFETY: the name is a string of C, which lives as long as the call.
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    assert!(!found.is_null(), "no software NIC is preloaded that has {name:?}");
    found
}

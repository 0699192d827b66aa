//! Folders of the target directory whose content is fetched once: Debian's packages, and Python's.

pub(crate) mod debian;
pub(crate) mod wheels;

use std::fs::{self, File};
use std::path::Path;

use anyhow::{Context, Result};

/// The mark of a folder whose content is complete.
const COMPLETE: &str = "complete";

/// Fetches the content of `folder`, unless an earlier call did. If another thread or process is fetching it, waits
/// for that to end.
///
/// # Errors
/// The folder can't be made or locked, or `fetch` fails; a later call then tries again.
pub(crate) fn once(folder: &Path, fetch: impl FnOnce() -> Result<()>) -> Result<()> {
    if is_complete(folder) {
        return Ok(());
    }
    let _alone = lock(&folder.join("lock"))?;
    if is_complete(folder) {
        return Ok(());
    }
    fetch()?;
    fs::write(folder.join(COMPLETE), "").with_context(|| format!("cannot mark {} as complete", folder.display()))
}

/// Returns whether an earlier call of [`once`] succeeded.
pub(crate) fn is_complete(folder: &Path) -> bool {
    folder.join(COMPLETE).is_file()
}

/// Makes the file and its folder if needed, and locks it until the result is dropped. Waits for other threads and
/// processes that have locked it.
///
/// # Errors
/// The file can't be made or locked.
pub(crate) fn lock(file: &Path) -> Result<File> {
    let folder = file.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
    let made = File::create(file).with_context(|| format!("cannot make {}", file.display()))?;
    made.lock().with_context(|| format!("cannot lock {}", file.display()))?;
    Ok(made)
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicU32, Ordering};

    use oxshmem_raw::os::private::Scratch;

    use super::*;

    #[test]
    fn of_several_threads_one_fetches_and_the_others_wait_for_it() {
        let (folder, begun, fetched) = (Scratch::new("fetch").unwrap(), Barrier::new(4), AtomicU32::new(0));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    begun.wait();
                    once(&folder, || {
                        fs::write(folder.join("half"), "")?;
                        std::thread::yield_now();
                        fs::rename(folder.join("half"), folder.join("whole"))?;
                        fetched.fetch_add(1, Ordering::Relaxed);
                        Ok(())
                    })
                    .unwrap();
                    assert!(folder.join("whole").is_file(), "a thread did not wait");
                });
            }
        });
        assert_eq!(fetched.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn what_could_not_be_fetched_is_tried_again() {
        let folder = Scratch::new("fetch").unwrap();
        assert!(once(&folder, || anyhow::bail!("no network")).is_err());
        assert!(!is_complete(&folder));
        once(&folder, || Ok(())).unwrap();
        once(&folder, || panic!("fetched a second time")).unwrap();
    }
}

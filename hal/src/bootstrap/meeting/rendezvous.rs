//! Meeting on one host without configuration: PE 0 writes a file that only this user can read.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use nix::unistd::geteuid;
use oxshmem_core::{Error, ErrorKind, Result};
use siphasher::sip128::SipHasher24;

use super::uid::{UniqueId, hex};

/// A file of mode 0600 in a directory of mode 0700 that belongs to this user, named after the job.
///
/// PE 0 writes the file under another name, renames it, and removes it as soon as all PEs are connected. The next run
/// of the same job replaces a file that a killed PE 0 left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rendezvous {
    directory: PathBuf,
    name: String,
}

/// The published file, removed on drop.
pub(in crate::bootstrap) struct PublishedFile(PathBuf);

impl Drop for PublishedFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

impl Rendezvous {
    /// Returns the rendezvous of `job` in `directory`, which is created when it is first used.
    pub fn new(directory: impl Into<PathBuf>, job: &str) -> Self {
        // Any text may name a job; the hash separates jobs whose readable parts are equal.
        let readable =
            job.chars().take(64).map(|c| if c.is_ascii_alphanumeric() || "-.".contains(c) { c } else { '_' });
        let hash = hex(&SipHasher24::new().hash(job.as_bytes()).as_bytes());
        Self { directory: directory.into(), name: format!("job-{}-{}", readable.collect::<String>(), &hash[..16]) }
    }

    /// Path of the file while PEs connect.
    pub fn path(&self) -> PathBuf {
        self.directory.join(&self.name)
    }

    /// Creates the directory if it does not exist and checks its owner and mode.
    ///
    /// # Errors
    /// `Refused` if it belongs to another user, is open to others, or is not a directory.
    pub(in crate::bootstrap) fn check(&self) -> Result<()> {
        let directory = &self.directory;
        let action = || format!("use {} to meet the other PEs", directory.display());
        let system = |error: io::Error| Error::new(ErrorKind::System, action()).because(error.to_string());
        match DirBuilder::new().mode(0o700).create(directory) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(system(error)),
            _ => {}
        }
        // Does not follow a symbolic link: another user may have put it there.
        let found = fs::symlink_metadata(directory).map_err(system)?;
        let us = geteuid().as_raw();
        let reason = if !found.is_dir() {
            "it is not a directory".into()
        } else if found.uid() != us {
            format!("it belongs to user {}, and this process is of user {us}", found.uid())
        } else if found.mode() & 0o077 != 0 {
            format!("its mode {:03o} lets other users in", found.mode() & 0o777)
        } else {
            return Ok(());
        };
        Err(Error::new(ErrorKind::Refused, action())
            .because(reason)
            .hint("remove it, or set OXSHMEM_ROOT and OXSHMEM_SECRET"))
    }

    pub(in crate::bootstrap) fn publish(&self, id: &UniqueId) -> Result<PublishedFile> {
        self.check()?;
        let path = self.path();
        let draft = self.directory.join(format!(".{}.{}", self.name, std::process::id()));
        let write = || {
            // A draft may be left from an earlier process with the same process number.
            let _ = fs::remove_file(&draft);
            let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft)?;
            file.write_all(id.to_hex().as_bytes())?;
            fs::rename(&draft, &path)
        };
        write().map_err(|error: io::Error| {
            let _ = fs::remove_file(&draft);
            Error::new(ErrorKind::System, format!("write {}", path.display())).because(error.to_string())
        })?;
        Ok(PublishedFile(path))
    }

    pub(in crate::bootstrap) fn read(&self) -> io::Result<UniqueId> {
        let path = self.path();
        let mut text = String::new();
        open_private(&path)?.take(1024).read_to_string(&mut text)?;
        text.parse().map_err(io::Error::other)
    }
}

fn open_private(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new().read(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK).open(path)?;
    let found = file.metadata()?;
    if !found.is_file() || found.uid() != geteuid().as_raw() || found.mode() & 0o077 != 0 {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "other users can access the file"));
    }
    Ok(file)
}

#[cfg(test)]
#[path = "tests/rendezvous.rs"]
mod tests;

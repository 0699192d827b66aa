//! Meeting on one host without being told where: PE 0 leaves a file that only this user can read.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use nix::unistd::geteuid;
use oxshmem_core::{Error, ErrorKind, Result};
use siphasher::sip128::SipHasher24;

use super::uid::{UniqueId, hex};

/// A file of mode 0600 in a directory of mode 0700 of this user, named after the job.
///
/// PE 0 writes it under another name and renames it, and removes it as soon as all PEs are connected. One that
/// a killed PE 0 left is replaced by the next run of the same job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rendezvous {
    directory: PathBuf,
    name: String,
}

/// Removes the file when dropped.
pub(super) struct Published(PathBuf);

impl Drop for Published {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

impl Rendezvous {
    /// The meeting place of `job` in `directory`, which is made if it is not there.
    pub fn new(directory: impl Into<PathBuf>, job: &str) -> Self {
        // Any text may name a job; its hash keeps apart what the readable part does not.
        let readable =
            job.chars().take(64).map(|c| if c.is_ascii_alphanumeric() || "-.".contains(c) { c } else { '_' });
        let hash = hex(&SipHasher24::new().hash(job.as_bytes()).as_bytes());
        Self { directory: directory.into(), name: format!("job-{}-{}", readable.collect::<String>(), &hash[..16]) }
    }

    /// Where the file is while PEs connect.
    pub fn path(&self) -> PathBuf {
        self.directory.join(&self.name)
    }

    /// Makes the directory if need be and checks whose it is.
    ///
    /// # Errors
    /// `Refused` if it is another user's, open to others, or not a directory.
    pub(super) fn check(&self) -> Result<()> {
        let directory = &self.directory;
        let action = || format!("use {} to meet the other PEs", directory.display());
        let system = |error: io::Error| Error::new(ErrorKind::System, action()).because(error.to_string());
        match DirBuilder::new().mode(0o700).create(directory) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(system(error)),
            _ => {}
        }
        // Of the link itself, if it is one: another user may have put it there.
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

    pub(super) fn publish(&self, id: &UniqueId) -> Result<Published> {
        self.check()?;
        let path = self.path();
        let draft = self.directory.join(format!(".{}.{}", self.name, std::process::id()));
        let write = || {
            // A draft of an earlier process with this number.
            let _ = fs::remove_file(&draft);
            let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft)?;
            file.write_all(id.to_hex().as_bytes())?;
            fs::rename(&draft, &path)
        };
        write().map_err(|error: io::Error| {
            let _ = fs::remove_file(&draft);
            Error::new(ErrorKind::System, format!("write {}", path.display())).because(error.to_string())
        })?;
        Ok(Published(path))
    }

    pub(super) fn read(&self) -> io::Result<UniqueId> {
        let path = self.path();
        let mut text = String::new();
        open_ours(&path)?.take(1024).read_to_string(&mut text)?;
        text.parse().map_err(io::Error::other)
    }
}

fn open_ours(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new().read(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK).open(path)?;
    let found = file.metadata()?;
    if !found.is_file() || found.uid() != geteuid().as_raw() || found.mode() & 0o077 != 0 {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "the file is not this user's alone"));
    }
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bootstrap::uid::{Secret, random};
    use std::os::unix::fs::PermissionsExt;

    fn scratch() -> PathBuf {
        std::env::temp_dir().join(format!("oxshmem-test-{}", hex(&random::<8>().unwrap())))
    }

    #[test]
    fn what_pe_0_leaves_is_read_by_this_user_alone_and_goes_away() {
        let directory = scratch();
        let place = Rendezvous::new(&directory, "job/with:odd name");
        let id = UniqueId::new("127.0.0.1:7".parse().unwrap(), &Secret::fresh().unwrap());
        let file = place.publish(&id).unwrap();
        assert_eq!(place.read().unwrap(), id);
        assert_eq!(fs::metadata(place.path()).unwrap().mode() & 0o777, 0o600);
        assert_eq!(fs::metadata(&directory).unwrap().mode() & 0o777, 0o700);
        fs::set_permissions(place.path(), fs::Permissions::from_mode(0o644)).unwrap();
        assert!(place.read().is_err(), "a file that others can read is not trusted");
        drop(file);
        assert_eq!(fs::read_dir(&directory).unwrap().count(), 0, "nothing is left");
        fs::remove_dir(directory).unwrap();
    }

    #[test]
    fn a_directory_open_to_others_or_a_link_is_refused() {
        let directory = scratch();
        fs::create_dir(&directory).unwrap();
        fs::set_permissions(&directory, fs::Permissions::from_mode(0o755)).unwrap();
        let error = Rendezvous::new(&directory, "j").check().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Refused);
        assert!(error.to_string().contains("mode 755"), "{error}");
        let link = scratch();
        fs::set_permissions(&directory, fs::Permissions::from_mode(0o700)).unwrap();
        std::os::unix::fs::symlink(&directory, &link).unwrap();
        assert!(Rendezvous::new(&link, "j").check().unwrap_err().to_string().contains("not a directory"));
        fs::remove_file(link).unwrap();
        fs::remove_dir(directory).unwrap();
    }

    #[test]
    fn jobs_whose_readable_names_are_equal_do_not_meet() {
        assert_ne!(Rendezvous::new("/d", "a/b").path(), Rendezvous::new("/d", "a:b").path());
    }
}

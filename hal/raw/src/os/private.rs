//! Files and folders that no other user of the machine can replace, read or fill.
//!
//! The folder for temporary files is open to every user. A name in it that can be predicted can be taken beforehand, by
//! a folder in which another user changes programs, or by a link through which this user overwrites a file of its own.
//! Every folder and file outside the checkout is therefore made here; `cargo xtask tidy` refuses other uses of that
//! folder.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::ops::Deref;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use nix::unistd::{geteuid, mkdtemp};
use oxshmem_core::host::{Error, ErrorKind, Result};

/// A new folder of mode 0700 with a name that nobody can predict. It is removed with its content on drop.
#[derive(Debug)]
pub struct Scratch(PathBuf);

impl Scratch {
    /// Makes a folder in the folder for temporary files (`TMPDIR`). Its name has `purpose` and the number of this
    /// process.
    ///
    /// # Errors
    /// `System`: it can't be made there.
    pub fn new(purpose: &str) -> Result<Self> {
        let above = std::env::temp_dir();
        mkdtemp(&above.join(format!("{}{}-XXXXXX", prefix(purpose), std::process::id()))).map(Self).map_err(|errno| {
            Error::new(ErrorKind::System, format!("make a folder in {}", above.display()))
                .call("mkdtemp", errno as i64, errno.desc())
                .hint("TMPDIR must name a folder in which this user may make files")
        })
    }

    /// Leaves the folder in place: the caller removes it, or [`Scratch::sweep`] after the end of this process.
    pub fn keep(mut self) -> PathBuf {
        std::mem::take(&mut self.0)
    }

    /// Removes the folders of this purpose that this user's ended processes have left.
    pub fn sweep(purpose: &str) {
        let Ok(entries) = fs::read_dir(std::env::temp_dir()) else { return };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let rest = name.to_str().and_then(|name| name.strip_prefix(&prefix(purpose)));
            let process = rest.and_then(|rest| rest.split_once('-')?.0.parse::<u32>().ok());
            let ended = process.is_some_and(|process| !Path::new(&format!("/proc/{process}")).exists());
            if ended && stranger(&entry.path()).is_ok_and(|reason| reason.is_none()) {
                let _ = fs::remove_dir_all(entry.path());
            }
        }
    }
}

fn prefix(purpose: &str) -> String {
    format!("oxshmem-{purpose}-")
}

impl Deref for Scratch {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.0
    }
}

impl AsRef<Path> for Scratch {
    fn as_ref(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if !self.0.as_os_str().is_empty() {
            let _ = fs::remove_dir_all(&self.0);
        }
    }
}

/// Returns the folder in which processes of a user find each other if the system has none for that user. The name can
/// be predicted, so that [`own_folder`] must check the folder before each use.
pub fn folder_of_user(user: u32) -> PathBuf {
    PathBuf::from(format!("/tmp/oxshmem-{user}"))
}

/// Makes the folder with mode 0700 if it does not exist, and checks that it belongs to this user alone. `action` and
/// `hint` are those of the error.
///
/// # Errors
/// `Refused` if it belongs to another user, is open to others, or is not a folder; `System` if it can't be made.
pub fn own_folder(folder: &Path, action: impl Fn() -> String, hint: &'static str) -> Result<()> {
    let system = |error: io::Error| Error::new(ErrorKind::System, action()).because(error.to_string()).hint(hint);
    match DirBuilder::new().mode(0o700).create(folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(system(error)),
        _ => {}
    }
    match stranger(folder).map_err(system)? {
        None => Ok(()),
        Some(reason) => Err(Error::new(ErrorKind::Refused, action()).because(reason).hint(hint)),
    }
}

/// Returns the reason why the folder is not this user's alone, if there is one.
fn stranger(folder: &Path) -> io::Result<Option<String>> {
    // Does not follow a symbolic link: another user may have put it there.
    let found = fs::symlink_metadata(folder)?;
    let us = geteuid().as_raw();
    Ok(if !found.is_dir() {
        Some("it is not a directory".into())
    } else if found.uid() != us {
        Some(format!("it belongs to user {}, and this process is of user {us}", found.uid()))
    } else if found.mode() & 0o077 != 0 {
        Some(format!("its mode {:03o} lets other users in", found.mode() & 0o777))
    } else {
        None
    })
}

/// Opens a file of [`own_folder`] to be locked, and makes it with mode 0600 if it does not exist. Leaves its content,
/// and does not follow a symbolic link.
///
/// # Errors
/// Those of the system.
pub fn open_lock(file: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).custom_flags(libc::O_NOFOLLOW).open(file)
}

#[cfg(test)]
mod tests;

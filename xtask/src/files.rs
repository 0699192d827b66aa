//! Files and folders.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::de::DeserializeOwned;

/// Makes a folder and those above it, unless they are there.
pub fn make_folder(folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))
}

/// Returns the text of a file.
pub fn read(file: &Path) -> Result<String> {
    std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))
}

/// Writes a file.
pub fn write(file: &Path, text: impl AsRef<[u8]>) -> Result<()> {
    std::fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))
}

/// Writes a file so that no reader sees a part of it.
pub fn write_whole(file: &Path, bytes: &[u8]) -> Result<()> {
    let part = file.with_extension(format!("{}.part", std::process::id()));
    std::fs::write(&part, bytes)
        .and_then(|()| std::fs::rename(&part, file))
        .with_context(|| format!("cannot write {}", file.display()))
}

/// Returns the TOML in a file.
pub(crate) fn read_toml<T: DeserializeOwned>(file: &Path) -> Result<T> {
    toml::from_str(&read(file)?).with_context(|| format!("{} is not in its form", file.display()))
}

/// Returns the files of a folder with this extension, sorted.
///
/// # Errors
/// The folder can't be read.
pub fn with_extension(folder: &Path, extension: &str) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let files = entries.flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> = files.filter(|file| file.extension().is_some_and(|end| end == extension)).collect();
    files.sort();
    Ok(files)
}

/// Copies a folder with its subfolders.
pub(crate) fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    make_folder(to)?;
    let entries = std::fs::read_dir(from).with_context(|| format!("cannot read {}", from.display()))?;
    for entry in entries {
        let entry = entry?;
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        match entry.file_type()?.is_dir() {
            true => copy_folder(&from, &to)?,
            false => std::fs::copy(&from, &to).map(drop).with_context(|| format!("cannot copy {}", from.display()))?,
        }
    }
    Ok(())
}

//! The first file system of the machine: tools, modules, and the program with its libraries.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use oxshmem_raw::os::private::Scratch;

use super::kernel::Kernel;
use crate::fetch::debian::Unpacked;
use crate::fetch::wheels::make_executable;
use crate::files::{self, make_folder};
use crate::shell;

/// The folder in which the machine's loader finds all libraries.
const LIBRARIES: &str = "/usr/lib/x86_64-linux-gnu";
const FOLDERS: [&str; 9] = ["/proc", "/sys", "/dev", "/tmp", "/root", "/sbin", "/run/bin", "/usr/sbin", "/var/run"];
const FILES: [(&str, &str); 6] = [
    ("/init", include_str!("init.sh")),
    ("/usr/bin/wire", include_str!("wire.sh")),
    ("/etc/libibverbs.d/rxe.driver", "driver rxe\n"),
    ("/etc/passwd", "root:x:0:0:root:/root:/bin/sh\n"),
    ("/etc/hosts", "127.0.0.1 localhost rxe\n"),
    ("/etc/nsswitch.conf", "hosts: files\n"),
];
/// The programs of busybox that the machine's scripts and programs use.
const BUSYBOX: [&str; 24] = [
    "sh", "cat", "chmod", "cp", "dmesg", "echo", "env", "grep", "head", "hostname", "insmod", "kill", "ls", "mkdir",
    "mount", "poweroff", "ps", "rm", "seq", "sleep", "stty", "tail", "timeout", "true",
];

/// Files and settings of one machine, in addition to those that every machine has.
pub(super) struct Cargo<'a> {
    /// Programs, which the machine finds by their file names.
    pub(super) programs: &'a [PathBuf],
    /// Files, each with its path here and its path inside the machine.
    pub(super) files: &'a [(PathBuf, String)],
    /// Shell variables of the machine's first process.
    pub(super) settings: &'a str,
    /// The shell script that it runs.
    pub(super) command: &'a str,
}

/// Writes the file system to `to`, as the archive that a kernel unpacks into its first file system.
pub(super) fn write(to: &Path, packages: &Unpacked, kernel: &Kernel, cargo: &Cargo<'_>) -> Result<()> {
    let folder = Scratch::new("rxe-image")?;
    let image = Image { root: &folder, packages };
    FOLDERS.iter().try_for_each(|folder| make_folder(&image.inside(folder)))?;
    for (path, text) in FILES {
        image.put(path, text.as_bytes())?;
    }
    let busybox = packages.program("busybox")?;
    image.copy(&busybox, "/bin/busybox")?;
    for name in BUSYBOX {
        symlink("busybox", image.inside(&format!("/bin/{name}"))).context("cannot make a link to busybox")?;
    }
    for name in ["ip", "tc", "rdma"] {
        image.program(&packages.program(name)?, &format!("/usr/bin/{name}"))?;
    }
    let provider = packages.file("lib/libibverbs/librxe-rdmav*")?;
    let name = provider.file_name().unwrap_or_default().to_string_lossy().into_owned();
    image.program(&provider, &format!("{LIBRARIES}/libibverbs/{name}"))?;
    let mut order = String::new();
    for (name, bytes) in kernel.modules()? {
        image.put(&format!("/lib/modules/{name}.ko"), &bytes)?;
        order.push_str(&name);
        order.push('\n');
    }
    image.put("/lib/modules/order", order.as_bytes())?;
    for program in cargo.programs {
        let name = program.file_name().unwrap_or_default().to_string_lossy().into_owned();
        image.program(program, &format!("/run/bin/{name}"))?;
    }
    for (from, path) in cargo.files {
        image.copy(from, path)?;
    }
    image.put("/run/settings", cargo.settings.as_bytes())?;
    image.put("/run/command", cargo.command.as_bytes())?;
    image.archive(&busybox, to)
}

/// The file system, in a folder.
struct Image<'a> {
    root: &'a Path,
    packages: &'a Unpacked,
}

impl Image<'_> {
    fn inside(&self, path: &str) -> PathBuf {
        self.root.join(path.trim_start_matches('/'))
    }

    /// Adds an executable file, unless it is there.
    fn put(&self, path: &str, bytes: &[u8]) -> Result<()> {
        let file = self.inside(path);
        if file.exists() {
            return Ok(());
        }
        make_folder(file.parent().context("a file is in a folder")?)?;
        files::write(&file, bytes)?;
        make_executable(&file)
    }

    fn copy(&self, from: &Path, path: &str) -> Result<()> {
        let bytes = std::fs::read(from).with_context(|| format!("cannot read {}", from.display()))?;
        self.put(path, &bytes)
    }

    /// Adds a program or library, with the libraries that it needs.
    fn program(&self, from: &Path, path: &str) -> Result<()> {
        self.copy(from, path)?;
        let mut ldd = Command::new("ldd");
        ldd.arg(from).env("LD_LIBRARY_PATH", self.packages.library_path(None)).env("LC_ALL", "C");
        // A failure means a script, or a program without libraries.
        let said = shell::output(&mut ldd)?;
        for library in libraries(&String::from_utf8_lossy(&said.stdout)) {
            match library {
                Library::At(name, file) => self.copy(&file, &format!("{LIBRARIES}/{name}"))?,
                Library::Loader(file) => self.copy(&file, &file.to_string_lossy())?,
                Library::Missing(name) => bail!("{} needs {name}, which is not on this system", from.display()),
            }
        }
        Ok(())
    }

    /// Writes the folder, without itself, as cpio in the "newc" format, each folder before the files in it.
    fn archive(&self, busybox: &Path, to: &Path) -> Result<()> {
        let mut sh = Command::new("sh");
        sh.args(["-c", "find . -mindepth 1 | \"$0\" cpio -o -H newc > \"$1\""]).arg(busybox).arg(to);
        shell::capture(sh.current_dir(self.root)).map(drop).context("cannot write the machine's file system")
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Library {
    At(String, PathBuf),
    /// Adds a library whose path is written in the program.
    Loader(PathBuf),
    Missing(String),
}

/// Parses the output of `ldd`.
fn libraries(said: &str) -> Vec<Library> {
    let line = |line: &str| {
        let line = line.trim();
        let (name, place) = line.split_once(" => ").unwrap_or(("", line));
        let file = place.rsplit_once(" (0x").map_or(place, |(file, _)| file);
        match (name.is_empty(), file) {
            (false, "not found") => Some(Library::Missing(name.to_string())),
            (_, file) if !file.starts_with('/') => None,
            (true, file) => Some(Library::Loader(file.into())),
            (false, file) => Some(Library::At(name.to_string(), file.into())),
        }
    };
    said.lines().filter_map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_are_told_from_the_loader_and_from_what_is_missing() {
        let said = "\tlinux-vdso.so.1 (0x00007ffc)\n\tlibc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007f)\n\
                    \tlibno.so => not found\n\t/lib64/ld-linux-x86-64.so.2 (0x00007f)\n";
        let expected = [
            Library::At("libc.so.6".into(), "/lib/x86_64-linux-gnu/libc.so.6".into()),
            Library::Missing("libno.so".into()),
            Library::Loader("/lib64/ld-linux-x86-64.so.2".into()),
        ];
        assert_eq!(libraries(said), expected);
        assert_eq!(libraries("\tstatically linked\n"), []);
    }
}

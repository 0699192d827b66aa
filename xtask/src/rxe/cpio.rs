//! Archives that a kernel unpacks into its first file system: cpio, in the "newc" format.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::Path;

const FOLDER: u32 = 0o040_755;
const PROGRAM: u32 = 0o100_755;
const LINK: u32 = 0o120_777;

/// An archive that is being written. All files belong to root.
pub(super) struct Archive<W> {
    out: W,
    written: u64,
    known: BTreeSet<String>,
}

impl<W: Write> Archive<W> {
    pub(super) fn new(out: W) -> Self {
        Self { out, written: 0, known: BTreeSet::new() }
    }

    /// Adds a folder and its parents. `path` begins with `/`.
    pub(super) fn folder(&mut self, path: &str) -> io::Result<()> {
        let path = path.trim_matches('/');
        let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
        for part in ends.map(|end| &path[..end]).filter(|part| !part.is_empty()) {
            if self.known.insert(part.to_string()) {
                self.entry(part, FOLDER, &[])?;
            }
        }
        Ok(())
    }

    /// Adds an executable file, unless the archive has it already.
    pub(super) fn file(&mut self, path: &str, content: &[u8]) -> io::Result<()> {
        self.put(path, PROGRAM, content)
    }

    /// Adds a link to `to`.
    pub(super) fn link(&mut self, path: &str, to: &str) -> io::Result<()> {
        self.put(path, LINK, to.as_bytes())
    }

    /// Adds the end mark, which every archive needs.
    pub(super) fn finish(mut self) -> io::Result<W> {
        self.entry("TRAILER!!!", 0, &[])?;
        Ok(self.out)
    }

    fn put(&mut self, path: &str, mode: u32, content: &[u8]) -> io::Result<()> {
        let path = path.trim_start_matches('/');
        if let Some(above) = Path::new(path).parent().and_then(Path::to_str) {
            self.folder(above)?;
        }
        if self.known.insert(path.to_string()) { self.entry(path, mode, content) } else { Ok(()) }
    }

    fn entry(&mut self, path: &str, mode: u32, content: &[u8]) -> io::Result<()> {
        let size = u32::try_from(content.len()).map_err(|_| io::Error::other(format!("{path} is too large")))?;
        let name = u32::try_from(path.len() + 1).map_err(|_| io::Error::other("a name is too long"))?;
        let number = self.known.len() as u32 + 1;
        // The fields: number, mode, user, group, links, time, size, two devices of two numbers each, length of the
        // name, check sum.
        let fields = [number, mode, 0, 0, 1, 0, size, 0, 0, 0, 0, name, 0];
        let head: String = fields.iter().map(|field| format!("{field:08x}")).collect();
        self.write(format!("070701{head}{path}\0").as_bytes())?;
        self.write(content)
    }

    /// Writes the bytes, padded with zeros to a multiple of four.
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.out.write_all(bytes)?;
        self.written += bytes.len() as u64;
        let rest = (self.written.next_multiple_of(4) - self.written) as usize;
        self.written += rest as u64;
        self.out.write_all(&[0; 4][..rest])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_archive_has_each_folder_once_and_before_what_is_in_it() {
        let mut archive = Archive::new(Vec::new());
        archive.file("/bin/run", b"hello").unwrap();
        archive.link("/bin/sh", "run").unwrap();
        archive.file("/bin/run", b"other").unwrap();
        let bytes = archive.finish().unwrap();
        assert_eq!(bytes.len() % 4, 0);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let at = |what: &str| text.find(what).unwrap_or_else(|| panic!("no {what:?} in {text:?}"));
        assert!(at("bin\0") < at("bin/run\0") && at("bin/run\0") < at("bin/sh\0") && at("bin/sh\0") < at("TRAILER!!!"));
        assert_eq!((text.matches("bin\0").count(), text.matches("bin/run\0").count()), (1, 1));
        assert!(!text.contains("other"));
        // A header of 110 bytes and a name with its zero, padded to a multiple of 4, then the content.
        let file = at("bin/run\0") - 110;
        assert_eq!(&text[file..file + 6], "070701");
        assert_eq!(&text[file + 54..file + 62], "00000005", "its size");
        assert_eq!(&text[file + 110 + 10..][..5], "hello");
    }
}

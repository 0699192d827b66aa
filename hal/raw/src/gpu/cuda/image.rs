//! A module's image (PTX text, a cubin or a fatbin), with its length checked.
//!
//! The driver takes a pointer without a length. Text must therefore end in a NUL, and no header of a binary may point
//! past the end.

use oxshmem_core::host::{Error, ErrorKind, Result};

const ELF_MAGIC: [u8; 4] = [0x7f, b'E', b'L', b'F'];
const FATBIN_MAGIC: u32 = 0xba55_ed50;

/// A module's bytes, 8-byte aligned and followed by a NUL.
pub(super) struct Image {
    words: Vec<u64>,
    /// The length of the text; 0 for a binary.
    text_bytes: usize,
    /// Whether it is PTX that has functions of its own beside its kernels.
    has_functions: bool,
}

impl Image {
    /// Copies `bytes` if the driver can load them safely.
    pub(super) fn new(bytes: &[u8]) -> Result<Self> {
        let malformed = |reason: String| {
            Err(Error::new(ErrorKind::Malformed, format!("load a module of {} bytes", bytes.len())).because(reason))
        };
        let (mut text_bytes, mut has_functions) = (0, false);
        let needed = if bytes.starts_with(&ELF_MAGIC) {
            elf_end(bytes)
        } else if word(bytes, 0) == Some(u64::from(FATBIN_MAGIC)) {
            // magic: u32, version: u16, bytes of the header: u16, bytes after it: u64
            half(bytes, 6).and_then(|header| header.checked_add(long(bytes, 8)?))
        } else {
            let text = bytes.strip_suffix(&[0]).unwrap_or(bytes);
            if text.is_empty() {
                return malformed("it is empty".into());
            }
            if let Some(at) = text.iter().position(|&byte| byte == 0) {
                return malformed(format!("it is neither a cubin nor a fatbin, nor text, since byte {at} is a NUL"));
            }
            text_bytes = text.len();
            has_functions = text.split(|&byte| byte == b'\n').any(|line| line.starts_with(b".func"));
            Some(text.len() as u64)
        };
        match needed {
            Some(needed) if needed <= bytes.len() as u64 => {}
            Some(needed) => return malformed(format!("its header names {needed} bytes: it is cut short")),
            None => return malformed("its header is cut short".into()),
        }
        let mut words = vec![0u64; bytes.len() / 8 + 1];
        for (word, bytes) in words.iter_mut().zip(bytes.chunks(8)) {
            let mut whole = [0; 8];
            whole[..bytes.len()].copy_from_slice(bytes);
            *word = u64::from_ne_bytes(whole);
        }
        Ok(Self { words, text_bytes, has_functions })
    }

    /// Returns the length of the text; 0 for a binary.
    pub(super) fn text_bytes(&self) -> usize {
        self.text_bytes
    }

    /// Whether it is PTX that has functions of its own beside its kernels.
    pub(super) fn has_functions(&self) -> bool {
        self.has_functions
    }

    pub(super) fn as_ptr(&self) -> *const u64 {
        self.words.as_ptr()
    }
}

/// Returns the end of the last range that the header, section table and program table of a 64-bit ELF file name.
fn elf_end(bytes: &[u8]) -> Option<u64> {
    const NO_BITS: u64 = 8;
    let (programs_at, sections_at) = (long(bytes, 32)?, long(bytes, 40)?);
    let (program_bytes, programs) = (half(bytes, 54)?, half(bytes, 56)?);
    let (section_bytes, sections) = (half(bytes, 58)?, half(bytes, 60)?);
    let programs_end = programs_at.checked_add(program_bytes * programs)?;
    let sections_end = sections_at.checked_add(section_bytes * sections)?;
    let mut end = programs_end.max(sections_end).max(64);
    if end > bytes.len() as u64 {
        return Some(end);
    }
    for index in 0..sections {
        let at = usize::try_from(sections_at + index * section_bytes).ok()?;
        if word(bytes, at.checked_add(4)?)? != NO_BITS {
            let (offset, size) = (long(bytes, at.checked_add(24)?)?, long(bytes, at.checked_add(32)?)?);
            end = end.max(offset.checked_add(size)?);
        }
    }
    Some(end)
}

fn half(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..at.checked_add(2)?).map(|b| u64::from(u16::from_le_bytes([b[0], b[1]])))
}

fn word(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..at.checked_add(4)?).map(|b| u64::from(u32::from_le_bytes([b[0], b[1], b[2], b[3]])))
}

fn long(bytes: &[u8], at: usize) -> Option<u64> {
    Some(word(bytes, at)? | word(bytes, at.checked_add(4)?)? << 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(bytes: &[u8]) -> String {
        let error = Image::new(bytes).err().expect("it should be refused");
        assert_eq!(error.kind(), ErrorKind::Malformed);
        error.to_string()
    }

    #[test]
    fn text_gets_the_nul_that_the_driver_looks_for() {
        for text in [&b".version"[..], b".version\0", b".version 7.0"] {
            let image = Image::new(text).unwrap();
            let bytes: Vec<u8> = image.words.iter().flat_map(|word| word.to_ne_bytes()).collect();
            assert_eq!(&bytes[..text.len()], text);
            assert_eq!(bytes.last(), Some(&0));
        }
        assert!(refusal(b"").contains("empty"));
        assert!(refusal(b"\0").contains("empty"));
        assert!(refusal(b".ver\0sion").contains("byte 4"));
    }

    #[test]
    fn functions_are_found_in_text_and_not_in_the_names_of_kernels() {
        let has = |text: &[u8]| Image::new(text).unwrap().has_functions();
        assert!(has(b".version 8.2\n.func  (.param .b64 r) f(\n)\n{\n}\n"));
        assert!(!has(b".version 8.2\n.visible .entry k.func(\n)\n{\n}\n"));
    }

    #[test]
    fn a_cubin_that_is_cut_short_is_refused_before_the_driver_reads_past_it() {
        // A header, a section table of one entry, and the 16 bytes that the entry names.
        let mut elf = vec![0u8; 64 + 64 + 16];
        elf[..4].copy_from_slice(&ELF_MAGIC);
        elf[40] = 64;
        (elf[58], elf[60]) = (64, 1);
        (elf[64 + 4], elf[64 + 24], elf[64 + 32]) = (1, 128, 16);
        Image::new(&elf).unwrap();
        for length in 4..elf.len() {
            assert!(refusal(&elf[..length]).contains("cut short"), "{length} bytes");
        }
    }

    #[test]
    fn a_fatbin_that_is_cut_short_is_refused() {
        let mut fatbin = vec![0u8; 16 + 8];
        fatbin[..4].copy_from_slice(&FATBIN_MAGIC.to_le_bytes());
        (fatbin[6], fatbin[8]) = (16, 8);
        Image::new(&fatbin).unwrap();
        assert!(refusal(&fatbin[..23]).contains("24 bytes"));
        assert!(refusal(&fatbin[..12]).contains("header is cut short"));
        fatbin[8..16].fill(0xff);
        assert!(refusal(&fatbin).contains("header is cut short"));
    }
}

//! The kernel of the machine: its image and the modules that it needs, from an unpacked package.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// Required modules. Their dependencies are added.
const NEEDED: [&str; 8] = ["rdma_rxe", "veth", "bridge", "sch_netem", "sch_prio", "cls_u32", "act_gact", "act_pedit"];
/// Modules that some kernels have built in or under other names: Soft-RoCE's check sum.
const WELCOME: [&str; 2] = ["crc32_generic", "crc32_pclmul"];

/// An unpacked kernel.
pub(super) struct Kernel {
    /// The compressed image, `vmlinuz`.
    pub(super) image: PathBuf,
    /// The files of modules, by name.
    modules: BTreeMap<String, PathBuf>,
}

impl Kernel {
    /// Finds the kernel in `root`.
    pub(super) fn find(root: &Path) -> Result<Self> {
        let images = list(&root.join("boot"));
        let image = images.into_iter().find(|path| name_of(path).starts_with("vmlinuz-"));
        let image = image.with_context(|| format!("no vmlinuz-* in {}", root.join("boot").display()))?;
        let version = name_of(&image).trim_start_matches("vmlinuz-").to_string();
        let folders = ["lib/modules", "usr/lib/modules"].map(|folder| root.join(folder).join(&version).join("kernel"));
        let mut modules = BTreeMap::new();
        folders.iter().for_each(|folder| collect(folder, &mut modules));
        if modules.is_empty() {
            bail!("no modules in {}", folders[0].display());
        }
        Ok(Self { image, modules })
    }

    /// Returns name and content of each module, in load order.
    pub(super) fn modules(&self) -> Result<Vec<(String, Vec<u8>)>> {
        let mut loaded = Vec::new();
        for name in NEEDED {
            if !self.modules.contains_key(name) {
                bail!(
                    "the kernel {} has no module {name}; another kernel package of Debian's may (linux-image-amd64 \
                     has, linux-image-cloud-amd64 has not)",
                    self.image.display()
                );
            }
            self.load(name, &mut loaded)?;
        }
        for name in WELCOME {
            self.load(name, &mut loaded)?;
        }
        Ok(loaded)
    }

    /// Loads a module after its dependencies. A module without a file is built in.
    fn load(&self, name: &str, loaded: &mut Vec<(String, Vec<u8>)>) -> Result<()> {
        let Some(file) = self.modules.get(name).filter(|_| loaded.iter().all(|(known, _)| known != name)) else {
            return Ok(());
        };
        let bytes = unpacked(file)?;
        for needed in needs(&bytes) {
            self.load(&needed, loaded)?;
        }
        loaded.push((name.to_string(), bytes));
        Ok(())
    }

    /// Returns the kernel in the form that the emulator starts fastest, or `None` if it can't be extracted from its
    /// image. The image starts, too, but decompresses itself under emulation first.
    pub(super) fn bare(&self) -> Option<Vec<u8>> {
        let image = std::fs::read(&self.image).ok()?;
        let packed = payload(&image)?;
        let tool = match packed.get(..2)? {
            [0xfd, 0x37] => "xz",
            [0x28, 0xb5] => "zstd",
            [0x1f, 0x8b] => "gzip",
            _ => return None,
        };
        // The last four bytes of the payload are its length. The tools take them for garbage.
        let bare = piped(tool, packed.get(..packed.len().checked_sub(4)?)?)?;
        bare.starts_with(b"\x7fELF").then_some(bare)
    }
}

/// Returns the compressed kernel in an image, by the boot protocol of x86.
fn payload(image: &[u8]) -> Option<&[u8]> {
    let word = |at: usize| Some(u32::from_le_bytes(image.get(at..at + 4)?.try_into().ok()?) as usize);
    let sectors = usize::from(*image.get(0x1f1)?);
    let from = (sectors + 1) * 512 + word(0x248)?;
    image.get(from..from + word(0x24c)?)
}

/// Returns the modules that a module's own information lists as dependencies.
fn needs(module: &[u8]) -> Vec<String> {
    const WORD: &[u8] = b"\0depends=";
    let Some(at) = module.windows(WORD.len()).position(|window| window == WORD) else { return Vec::new() };
    let rest = &module[at + WORD.len()..];
    let end = rest.iter().position(|&byte| byte == 0).unwrap_or(0);
    let text = String::from_utf8_lossy(&rest[..end]).into_owned();
    text.split(',').filter(|name| !name.is_empty()).map(plain).collect()
}

/// Replaces `-` by `_`: files have the one, modules the other.
fn plain(name: &str) -> String {
    name.replace('-', "_")
}

fn unpacked(file: &Path) -> Result<Vec<u8>> {
    let bytes = std::fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    let tool = match file.extension().and_then(|extension| extension.to_str()) {
        Some("xz") => "xz",
        Some("zst") => "zstd",
        Some("gz") => "gzip",
        _ => return Ok(bytes),
    };
    piped(tool, &bytes).with_context(|| format!("cannot unpack {} with `{tool}`: install it", file.display()))
}

/// Returns a decompressor's output for these bytes. (Some exit with a failure because of the bytes after the
/// compressed data.)
fn piped(tool: &str, bytes: &[u8]) -> Option<Vec<u8>> {
    use std::io::{Read, Write};
    let mut command = Command::new(tool);
    command.args(["-dcq"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().ok()?;
    let (mut input, mut output) = (child.stdin.take()?, child.stdout.take()?);
    let mut out = Vec::new();
    std::thread::scope(|scope| {
        scope.spawn(move || input.write_all(bytes));
        output.read_to_end(&mut out).ok()
    })?;
    child.wait().ok()?;
    (!out.is_empty()).then_some(out)
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn list(folder: &Path) -> Vec<PathBuf> {
    std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
}

fn collect(folder: &Path, modules: &mut BTreeMap<String, PathBuf>) {
    for path in list(folder) {
        match name_of(&path).split_once(".ko") {
            _ if path.is_dir() => collect(&path, modules),
            Some((name, _)) => drop(modules.insert(plain(name), path)),
            None => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use oxshmem_raw::os::private::Scratch;

    use super::*;

    #[test]
    fn a_module_comes_after_what_it_needs_and_once() {
        let folder = Scratch::new("kernel").unwrap();
        let modules = folder.join("lib/modules/6.0/kernel/drivers");
        std::fs::create_dir_all(&modules).unwrap();
        std::fs::create_dir_all(folder.join("boot")).unwrap();
        std::fs::write(folder.join("boot/vmlinuz-6.0"), "").unwrap();
        assert!(Kernel::find(&folder).is_err(), "a kernel without modules");
        for (name, needed) in [
            ("veth", ""),
            ("bridge", "llc"),
            ("sch_netem", ""),
            ("sch_prio", ""),
            ("cls_u32", ""),
            ("act_gact", ""),
            ("act_pedit", ""),
            ("llc", ""),
            ("crc32-pclmul", ""),
            ("ib_core", "llc"),
        ] {
            std::fs::write(modules.join(format!("{name}.ko")), format!("x\0depends={needed}\0y")).unwrap();
        }
        let error = Kernel::find(&folder).unwrap().modules().unwrap_err().to_string();
        assert!(error.contains("no module rdma_rxe"), "{error}");
        std::fs::write(modules.join("rdma_rxe.ko"), "x\0depends=ib_core,not-there\0y").unwrap();
        let loaded = Kernel::find(&folder).unwrap().modules().unwrap();
        let names: Vec<&str> = loaded.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(
            names,
            [
                "llc",
                "ib_core",
                "rdma_rxe",
                "veth",
                "bridge",
                "sch_netem",
                "sch_prio",
                "cls_u32",
                "act_gact",
                "act_pedit",
                "crc32_pclmul"
            ]
        );
    }

    #[test]
    fn an_image_that_is_none_has_no_payload() {
        assert_eq!(payload(&[0; 100]), None);
        assert_eq!(payload(&[0xff; 4096]), None);
        assert!(needs(b"nothing").is_empty());
    }
}

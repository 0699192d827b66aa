//! `rxe`: a program over a real verbs stack, Linux' Soft-RoCE, in a throw-away virtual machine.
//!
//! Neither a NIC nor root nor modules of this machine's kernel are needed: the machine is emulated, and runs Debian's
//! kernel out of its package. Its two (or more) devices talk over a wire that can be spoiled and cut; inside a device
//! packets never reach it.

mod cpio;
mod image;
mod kernel;
mod packages;
mod script;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::place::{Place, target_dir};
use crate::programs::{self, Profile};
use crate::run::{self, Launch, Output};
use image::Cargo;
use kernel::Kernel;
use packages::{Packages, QEMU};
use script::{quoted, script};

/// What `rxe` is asked.
#[derive(Args, Clone, Debug)]
pub(crate) struct Options {
    /// Runs the program as so many PEs of a world, with the devices in turn (default: just once).
    #[arg(short, long = "pes", value_name = "PES", value_parser = clap::value_parser!(u32).range(1..=16))]
    pub n: Option<u32>,
    /// Soft-RoCE devices: rxe0, rxe1 ...
    #[arg(long, value_name = "DEVICES", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=9))]
    pub devices: u32,
    #[command(flatten)]
    pub wire: Wire,
    /// Puts another program into the machine, by path or (one of ours) by name.
    #[arg(long, value_name = "PROGRAM")]
    pub with: Vec<String>,
    /// Puts a file into the machine, at the path behind the colon or the same.
    #[arg(long, value_name = "FILE[:PATH]")]
    pub file: Vec<String>,
    /// Sets a variable for the program, beside this one's that begin with OXSHMEM_ or RUST_.
    #[arg(long, value_name = "NAME=VALUE")]
    pub env: Vec<String>,
    /// CPUs of the machine (programs that poll want 2 or more).
    #[arg(long, value_name = "CPUS", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=16))]
    pub cpus: u32,
    /// Memory of the machine, at least.
    #[arg(long, value_name = "MIB", default_value_t = 512)]
    pub memory: u64,
    /// Seconds after which the machine is stopped, from its start.
    #[arg(long, value_name = "SECONDS", default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..))]
    pub limit: u64,
    /// Uses the CPU's own virtualisation (/dev/kvm) and not an emulated CPU.
    #[arg(long)]
    pub kvm: bool,
    /// Shows what the kernel says, and how long things took.
    #[arg(short, long)]
    pub verbose: bool,
    /// Builds a program of ours in release mode.
    #[arg(long)]
    pub release: bool,
    /// Program, by path or (one of ours) by name, and its arguments.
    #[arg(trailing_var_arg = true, required = true, allow_hyphen_values = true, value_name = "PROGRAM [ARGS]")]
    pub command: Vec<String>,
}

/// How the wire is spoiled, each packet by itself. Inside, `wire cut N`, `wire mend N` and `wire spoil ...` do more.
#[derive(Args, Clone, Debug, Default)]
#[group(skip)]
pub(crate) struct Wire {
    /// So many packets are lost.
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    pub loss: Option<String>,
    /// So many packets come twice.
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    pub duplicate: Option<String>,
    /// So many packets overtake others.
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    pub reorder: Option<String>,
    /// In so many packets of 128 bytes and more a bit is wrong. (Shorter ones can crash the kernel's Soft-RoCE.)
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    pub corrupt: Option<String>,
    /// Every packet is so late [default with --reorder: 1ms].
    #[arg(long, value_name = "TIME")]
    pub delay: Option<String>,
}

/// `1%` or `1`.
fn percent(text: &str) -> Result<String> {
    let number: f64 = text.trim_end_matches('%').parse().context("it must be a number of percent, as 1%")?;
    if !(0.0..=100.0).contains(&number) {
        bail!("it must be 0% to 100%");
    }
    Ok(format!("{number}%"))
}

impl Wire {
    /// The words of tc's netem; empty: none. What is corrupt is not among them.
    fn words(&self) -> String {
        // A packet overtakes others only if those are late.
        let delay = self.delay.clone().or_else(|| self.reorder.as_ref().map(|_| "1ms".to_string()));
        let all = [("delay", &delay), ("loss", &self.loss), ("duplicate", &self.duplicate), ("reorder", &self.reorder)];
        let words: Vec<String> =
            all.iter().filter_map(|(name, value)| value.as_ref().map(|value| format!("{name} {value}"))).collect();
        words.join(" ")
    }
}

impl Options {
    /// A program, on such a wire.
    pub(crate) fn of(command: &[&str], wire: Wire, limit: Duration) -> Self {
        Self {
            n: None,
            devices: 2,
            wire,
            with: Vec::new(),
            file: Vec::new(),
            env: Vec::new(),
            cpus: 2,
            memory: 512,
            limit: limit.as_secs(),
            kvm: false,
            verbose: false,
            release: false,
            command: command.iter().map(|word| word.to_string()).collect(),
        }
    }

    /// For the program: what is asked for, and this process's own of our names.
    fn environment(&self) -> Result<Vec<(String, String)>> {
        let ours = |name: &str| ["OXSHMEM_", "NVSHMEM_", "RUST_"].iter().any(|begin| name.starts_with(begin));
        let mut all: Vec<(String, String)> = std::env::vars().filter(|(name, _)| ours(name)).collect();
        for text in &self.env {
            let (name, value) = text.split_once('=').with_context(|| format!("--env {text}: it has no `=`"))?;
            all.push((name.to_string(), value.to_string()));
        }
        Ok(all)
    }
}

/// The task: makes the machine, runs the program in it, and gives its exit code; 124 after the limit.
pub(crate) fn task(place: &Place, options: &Options) -> Result<i32> {
    at_hand(place)?;
    run(place, options, Output::Inherited)
}

/// Fetches what the machine is made of, where it is not there.
///
/// # Errors
/// There can be no machine here, and why.
pub(crate) fn at_hand(place: &Place) -> Result<()> {
    Packages::find(place.checkout("rxe")?).context("there is no virtual machine for Soft-RoCE here").map(|_| ())
}

/// Runs a program in a machine of its own; its exit code.
pub(crate) fn run(place: &Place, options: &Options, output: Output) -> Result<i32> {
    let root = place.checkout("rxe")?;
    let profile = if options.release { Profile::Release } else { Profile::Dev };
    let (name, args) = options.command.split_first().expect("clap wants at least one");
    let mut programs = Vec::new();
    for name in std::iter::once(name).chain(&options.with) {
        programs.push(programs::resolve(place, name, profile)?);
    }
    let packages = Packages::find(root)?;
    let begun = Instant::now();
    let machine = Machine::make(root, &packages, &programs, args, options)?;
    let made = begun.elapsed();
    let (code, stopped) = machine.run(&packages, options, output)?;
    drop(machine);
    if stopped {
        // Who stops this one of many wants the whole task stopped.
        std::process::exit(code);
    }
    if options.verbose {
        let took = begun.elapsed() - made;
        eprintln!("xtask rxe: made in {:.1} s, ran {:.1} s", made.as_secs_f32(), took.as_secs_f32());
    }
    Ok(code)
}

/// A machine that can be started. Its files go with it.
struct Machine {
    folder: PathBuf,
    kernel: PathBuf,
    memory: u64,
}

impl Machine {
    fn make(
        checkout: &Path,
        packages: &Packages,
        programs: &[PathBuf],
        args: &[String],
        options: &Options,
    ) -> Result<Self> {
        let folder = std::env::temp_dir().join(format!("oxshmem-rxe-{}", std::process::id()));
        std::fs::create_dir_all(&folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
        // From here on the folder goes when this does.
        let mut machine = Self { kernel: PathBuf::new(), memory: options.memory, folder };
        let kernel = Kernel::find(&packages.root)?;
        machine.kernel = bare(checkout, &kernel)?;
        let files: Vec<(PathBuf, String)> = options.file.iter().map(|file| from_to(file)).collect();
        let name = programs[0].file_name().unwrap_or_default().to_string_lossy();
        let mut words = vec![format!("/run/bin/{name}")];
        words.extend_from_slice(args);
        let cargo = Cargo {
            programs,
            files: &files,
            settings: &settings(options),
            command: &script(&options.environment()?, &words, options.n, options.devices),
        };
        image::write(&machine.image(), packages, &kernel, &cargo)?;
        // It is unpacked into memory, beside itself.
        let bytes = std::fs::metadata(machine.image()).map_or(0, |meta| meta.len());
        machine.memory = machine.memory.max(256 + 3 * (bytes >> 20));
        Ok(machine)
    }

    fn image(&self) -> PathBuf {
        self.folder.join("image")
    }

    /// The program's exit code, and whether a signal stopped it all.
    fn run(&self, packages: &Packages, options: &Options, output: Output) -> Result<(i32, bool)> {
        let status = self.folder.join("status");
        let text = |path: &Path| path.to_string_lossy().into_owned();
        // Soft-RoCE copies what arrives by the kernel's `memcpy`. Where that moves single bytes (`rep movsb`, which an
        // emulated processor does one by one) a word of 8 could be seen in parts, as no NIC lets it be.
        let (accelerator, cpu) = if options.kvm { ("kvm", "host") } else { ("tcg,thread=multi", "max,-erms,-fsrm") };
        let quiet = if options.verbose { "" } else { "quiet loglevel=3 " };
        let words = format!(
            "console=ttyS0 {quiet}rdinit=/init maxcpus=1 panic=-1 oops=panic mitigations=off nokaslr \
             random.trust_cpu=on no_timer_check tsc=reliable cryptomgr.notests"
        );
        let mut args: Vec<String> = [
            ["-accel", accelerator],
            ["-cpu", cpu],
            ["-M", "q35"],
            ["-smp", &options.cpus.to_string()],
            ["-m", &self.memory.to_string()],
            ["-display", "none"],
            ["-chardev", "stdio,id=console,signal=off"],
            ["-serial", "chardev:console"],
            ["-serial", &format!("file:{}", status.display())],
            ["-kernel", &text(&self.kernel)],
            ["-initrd", &text(&self.image())],
            ["-append", &words],
        ]
        .concat()
        .into_iter()
        .map(str::to_string)
        .collect();
        args.extend(["-nodefaults", "-no-user-config", "-no-reboot"].map(str::to_string));
        for folder in ["usr/share/qemu", "usr/share/seabios"] {
            args.extend(["-L".to_string(), text(&packages.root.join(folder))]);
        }
        let launch = Launch {
            n: 1,
            world: None,
            limit: Some(Duration::from_secs(options.limit)),
            output,
            program: packages.file(QEMU)?,
            args,
            env: vec![("LD_LIBRARY_PATH".to_string(), packages.library_path().to_string_lossy().into_owned())],
            folder: None,
            nic: None,
        };
        let outcome = run::start(&launch)?;
        let said = std::fs::read_to_string(status).unwrap_or_default();
        match (said.trim().parse(), outcome.failure()) {
            (Ok(code), _) => Ok((code, false)),
            (Err(_), Some(failure)) => {
                eprintln!("xtask rxe: the virtual machine: {failure}");
                Ok((outcome.code(), outcome.was_stopped()))
            }
            (Err(_), None) => bail!("the virtual machine ended before the program did; --verbose shows more"),
        }
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// The kernel as it starts fastest, taken out of its image once.
fn bare(checkout: &Path, kernel: &Kernel) -> Result<PathBuf> {
    let name = kernel.image.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let kept = target_dir(checkout).join("rxe").join(format!("bare-{name}"));
    if !kept.is_file() {
        let Some(bytes) = kernel.bare() else { return Ok(kernel.image.clone()) };
        // Another run may be doing the same.
        let fresh = kept.with_extension(std::process::id().to_string());
        std::fs::write(&fresh, bytes)
            .and_then(|()| std::fs::rename(&fresh, &kept))
            .context("cannot keep the kernel")?;
    }
    kept.canonicalize().with_context(|| format!("cannot find {}", kept.display()))
}

/// Variables of the machine's first process.
fn settings(options: &Options) -> String {
    let (spoil, corrupt) = (quoted(&options.wire.words()), options.wire.corrupt.as_deref().unwrap_or_default());
    let verbose = if options.verbose { "1" } else { "" };
    format!("DEVICES={}\nSPOIL={spoil}\nCORRUPT={corrupt}\nVERBOSE={verbose}\n", options.devices)
}

fn from_to(file: &str) -> (PathBuf, String) {
    let (from, to) = file.split_once(':').unwrap_or((file, file));
    (from.into(), format!("/{}", to.trim_start_matches('/')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spoiled_wire_is_told_in_netems_words() {
        let wire = Wire { loss: Some("1%".into()), reorder: Some("5%".into()), ..Wire::default() };
        assert_eq!(wire.words(), "delay 1ms loss 1% reorder 5%");
        assert_eq!(Wire::default().words(), "");
        assert_eq!(percent("0.5").unwrap(), "0.5%");
        assert!(percent("101%").is_err() && percent("much").is_err());
    }

    #[test]
    fn a_file_keeps_its_path_unless_another_is_named() {
        assert_eq!(from_to("/etc/x"), (PathBuf::from("/etc/x"), "/etc/x".to_string()));
        assert_eq!(from_to("here/x:there"), (PathBuf::from("here/x"), "/there".to_string()));
    }
}

//! `rxe`: runs a program over a real verbs stack, Linux' Soft-RoCE, in a temporary virtual machine.
//!
//! The task needs no NIC, no root and no kernel modules on this machine, because the virtual machine is emulated and
//! runs the kernel of a Debian package. The machine has two or more devices on a wire that loses and delays packets on
//! request and can be cut. Packets within one device never reach the wire.

mod image;
mod kernel;
mod script;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use clap::Args;
use oxshmem_raw::os::private::Scratch;

use crate::fetch::debian::{MACHINE, Unpacked};
use crate::place::{Place, target_dir};
use crate::programs::{self, Profile};
use crate::run::{self, Launch, Output};
use image::Cargo;
use kernel::Kernel;
use script::{quoted, script};

/// The options of `rxe`.
#[derive(Args, Clone, Debug)]
pub(crate) struct Options {
    /// Runs the program as this many PEs of a world, with the devices in turn (default: runs it once).
    #[arg(short, long = "pes", value_name = "PES", value_parser = clap::value_parser!(u32).range(1..=16))]
    pub n: Option<u32>,
    /// Number of Soft-RoCE devices: rxe0, rxe1 ...
    #[arg(long, value_name = "DEVICES", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=9))]
    pub devices: u32,
    #[command(flatten)]
    pub wire: Wire,
    /// Puts another program into the machine, by path or (one of ours) by name.
    #[arg(long, value_name = "PROGRAM")]
    pub with: Vec<String>,
    /// Puts a file into the machine, at the path after the colon or at the same path.
    #[arg(long, value_name = "FILE[:PATH]")]
    pub file: Vec<String>,
    /// Sets a variable of the program, in addition to this program's variables that begin with OXSHMEM_ or RUST_.
    #[arg(long, value_name = "NAME=VALUE")]
    pub env: Vec<String>,
    /// CPUs of the machine (programs that poll need 2 or more).
    #[arg(long, value_name = "CPUS", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=16))]
    pub cpus: u32,
    /// The least memory of the machine.
    #[arg(long, value_name = "MIB", default_value_t = 512)]
    pub memory: u64,
    /// Seconds from the start after which the machine is stopped.
    #[arg(long, value_name = "SECONDS", default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..))]
    pub limit: u64,
    /// Uses hardware virtualisation (/dev/kvm) in place of an emulated CPU.
    #[arg(long)]
    pub kvm: bool,
    /// Shows the kernel's messages and the time of each step.
    #[arg(short, long)]
    pub verbose: bool,
    /// Builds a program of ours in release mode.
    #[arg(long)]
    pub release: bool,
    /// Program, by path or (one of ours) by name, and its arguments.
    #[arg(trailing_var_arg = true, required = true, value_name = "PROGRAM [ARGS]")]
    pub command: Vec<String>,
}

/// The faults of the wire, drawn for each packet. Inside, `wire cut N`, `wire mend N` and `wire spoil ...` change
/// them.
#[derive(Args, Clone, Debug, Default)]
#[group(skip)]
pub(crate) struct Wire {
    /// The share of packets that are lost.
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    pub loss: Option<String>,
    /// The share of packets that are delivered twice.
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    pub duplicate: Option<String>,
    /// The share of packets that overtake others.
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    pub reorder: Option<String>,
    /// The share of packets with a wrong byte.
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    pub corrupt: Option<String>,
    /// The delay of every packet [default with --reorder: 1ms].
    #[arg(long, value_name = "TIME")]
    pub delay: Option<String>,
}

/// Parses `1%` or `1`.
fn percent(text: &str) -> Result<String> {
    let number: f64 = text.trim_end_matches('%').parse().context("it must be a number of percent, as 1%")?;
    if !(0.0..=100.0).contains(&number) {
        bail!("it must be 0% to 100%");
    }
    Ok(format!("{number}%"))
}

impl Wire {
    /// Returns the arguments of tc's netem, without corruption; an empty list for none.
    fn words(&self) -> String {
        // A packet can overtake others only if those are delayed.
        let delay = self.delay.clone().or_else(|| self.reorder.as_ref().map(|_| "1ms".to_string()));
        let all = [("delay", &delay), ("loss", &self.loss), ("duplicate", &self.duplicate), ("reorder", &self.reorder)];
        let words: Vec<String> =
            all.iter().filter_map(|(name, value)| value.as_ref().map(|value| format!("{name} {value}"))).collect();
        words.join(" ")
    }

    /// Returns the number of packets of which one is corrupted, as text; nothing for none. The kernel takes 10,000 at
    /// most.
    fn one_corrupted_in(&self) -> String {
        let share = self.corrupt.as_deref().and_then(|text| text.trim_end_matches('%').parse::<f64>().ok());
        let share = share.filter(|share| *share > 0.0);
        share.map(|share| (100.0 / share).round().min(10_000.0).to_string()).unwrap_or_default()
    }
}

impl Options {
    /// Returns the options for a program on such a wire.
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

    /// Returns the program's variables: those of the options, and this process's own whose names are ours.
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

/// The end of a run.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// The program ended with this exit code, or was stopped at its limit (124).
    Exit(i32),
    /// The machine's kernel crashed, for which no program is to blame. With its last words, if they were kept.
    KernelCrash(String),
}

/// Runs the task: makes the machine, runs the program in it, and returns its exit code, or 124 after the limit.
pub(crate) fn task(place: &Place, options: &Options) -> Result<i32> {
    fetch(place.checkout("rxe")?)?;
    match run(place, options, &Output::Inherited)? {
        Ending::Exit(code) => Ok(code),
        Ending::KernelCrash(_) => {
            bail!(
                "the virtual machine ended before the program did; the last lines above say why, --verbose shows more"
            )
        }
    }
}

/// Fetches the packages of the machine if they are missing.
///
/// # Errors
/// The reason why this system can't have a machine.
pub(crate) fn fetch(checkout: &Path) -> Result<()> {
    packages(checkout).context("there is no virtual machine for Soft-RoCE here").map(drop)
}

fn packages(checkout: &Path) -> Result<Unpacked> {
    if std::env::consts::ARCH != "x86_64" {
        bail!("the virtual machine is a PC, whose programs this {} can't build", std::env::consts::ARCH);
    }
    MACHINE.find(checkout).context(
        "the virtual machine is made of Debian's packages (qemu-system-x86, linux-image-amd64, busybox-static, iproute2, \
         ibverbs-providers)",
    )
}

/// Runs a program in a machine of its own.
///
/// # Errors
/// The machine can't be made or set up.
pub(crate) fn run(place: &Place, options: &Options, output: &Output) -> Result<Ending> {
    let root = place.checkout("rxe")?;
    let profile = if options.release { Profile::Release } else { Profile::Dev };
    let (name, args) = options.command.split_first().expect("clap wants at least one");
    let mut programs = Vec::new();
    for name in std::iter::once(name).chain(&options.with) {
        programs.push(programs::resolve(place, name, profile)?);
    }
    let packages = packages(root)?;
    let begun = Instant::now();
    let machine = Machine::make(root, &packages, &programs, args, options)?;
    let made = begun.elapsed();
    let (ending, stopped) = machine.run(&packages, options, output)?;
    drop(machine);
    if let (Ending::Exit(code), true) = (&ending, stopped) {
        // A signal that stops one machine of several ends the whole task.
        std::process::exit(*code);
    }
    if options.verbose {
        let took = begun.elapsed() - made;
        eprintln!("xtask rxe: made in {:.1} s, ran {:.1} s", made.as_secs_f32(), took.as_secs_f32());
    }
    Ok(ending)
}

/// A machine that can be started. Its files are removed when it is dropped.
struct Machine {
    folder: Scratch,
    kernel: PathBuf,
    memory: u64,
}

impl Machine {
    fn make(
        checkout: &Path,
        packages: &Unpacked,
        programs: &[PathBuf],
        args: &[String],
        options: &Options,
    ) -> Result<Self> {
        let kernel = Kernel::find(&packages.root)?;
        let folder = Scratch::new("rxe")?;
        let mut machine = Self { kernel: bare(checkout, &kernel)?, memory: options.memory, folder };
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
        // The kernel unpacks the file system into memory, beside the archive itself.
        let bytes = std::fs::metadata(machine.image()).map_or(0, |meta| meta.len());
        machine.memory = machine.memory.max(256 + 3 * (bytes >> 20));
        Ok(machine)
    }

    fn image(&self) -> PathBuf {
        self.folder.join("image")
    }

    /// Returns the end of the run, and whether a signal stopped the machine.
    fn run(&self, packages: &Unpacked, options: &Options, output: &Output) -> Result<(Ending, bool)> {
        let status = self.folder.join("status");
        let text = |path: &Path| path.to_string_lossy().into_owned();
        // Soft-RoCE copies received data by the kernel's `memcpy`. If that moves single bytes (`rep movsb`, which an
        // emulated processor executes one by one), a word of 8 bytes could be seen in part, which no NIC allows.
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
            limit: Some(Duration::from_secs(options.limit)),
            output: output.clone(),
            args: args.into_iter().map(OsString::from).collect(),
            env: vec![("LD_LIBRARY_PATH".to_string(), packages.library_path(None).to_string_lossy().into_owned())],
            ..Launch::of(packages.program("qemu-system-x86_64")?)
        };
        let outcome = run::start(&launch)?;
        let said = std::fs::read_to_string(status).unwrap_or_default();
        match (said.trim().parse(), outcome.failure()) {
            (Ok(code), _) => Ok((Ending::Exit(code), false)),
            (Err(_), Some(failure)) => {
                eprintln!("xtask rxe: the virtual machine: {failure}");
                Ok((Ending::Exit(outcome.code()), outcome.was_stopped()))
            }
            (Err(_), None) => {
                let kept = output.kept();
                match kept.lines().find(|line| line.contains(NOT_SET_UP)) {
                    Some(line) => bail!("{line}"),
                    None => Ok((Ending::KernelCrash(last_words(&kept)), false)),
                }
            }
        }
    }
}

/// The words of the machine's first process when it can't set the machine up.
const NOT_SET_UP: &str = "setting up the virtual machine failed";

/// Returns the lines in which a crashing kernel prints cause and place, without their times.
fn last_words(console: &str) -> String {
    let lines = console.lines().map(|line| line.split_once("] ").map_or(line, |(_, words)| words));
    let told = ["BUG: ", "Oops: ", "general protection fault", "RIP: 0010", "Kernel panic"];
    let lines: Vec<&str> = lines.filter(|line| told.iter().any(|word| line.starts_with(word))).collect();
    if lines.is_empty() { "it left no word".to_string() } else { lines.join("; ") }
}

/// Returns the kernel in the form that starts fastest. It is extracted from its image once.
fn bare(checkout: &Path, kernel: &Kernel) -> Result<PathBuf> {
    let name = kernel.image.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let kept = target_dir(checkout).join("rxe").join(format!("bare-{name}"));
    if !kept.is_file() {
        let Some(bytes) = kernel.bare() else { return Ok(kernel.image.clone()) };
        // Another run may do the same at this time.
        let fresh = kept.with_extension(std::process::id().to_string());
        std::fs::write(&fresh, bytes)
            .and_then(|()| std::fs::rename(&fresh, &kept))
            .context("cannot keep the kernel")?;
    }
    kept.canonicalize().with_context(|| format!("cannot find {}", kept.display()))
}

/// Returns the variables of the machine's first process.
fn settings(options: &Options) -> String {
    let (spoil, corrupt) = (quoted(&options.wire.words()), options.wire.one_corrupted_in());
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
        let corrupted = |share: &str| Wire { corrupt: Some(share.into()), ..Wire::default() }.one_corrupted_in();
        assert_eq!(["30%", "1%", "0.5%", "0.001%", "0%"].map(corrupted), ["3", "100", "200", "10000", ""]);
    }

    #[test]
    fn the_last_words_of_a_kernel_are_its_reason_and_its_place() {
        let console = "ok rma::a\n[   12.1] BUG: kernel NULL pointer dereference, address: 0\n[   12.1] #PF: error_code\n\
                       [   12.2] RIP: 0010:rxe_completer+0x1/0x2 [rdma_rxe]\n[   12.3] Kernel panic - not syncing: Fatal\n";
        assert_eq!(
            last_words(console),
            "BUG: kernel NULL pointer dereference, address: 0; RIP: 0010:rxe_completer+0x1/0x2 [rdma_rxe]; \
             Kernel panic - not syncing: Fatal"
        );
    }

    #[test]
    fn a_file_keeps_its_path_unless_another_is_named() {
        assert_eq!(from_to("/etc/x"), (PathBuf::from("/etc/x"), "/etc/x".to_string()));
        assert_eq!(from_to("here/x:there"), (PathBuf::from("here/x"), "/there".to_string()));
    }
}

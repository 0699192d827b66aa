//! Starts the PEs, waits for them, and kills those that remain.

use std::ffi::OsString;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use super::Launch;
use super::launcher::World;
use super::output::{Copiers, Output};
use super::signals::{Signals, name_of};
use crate::shell;
use crate::steps::Prints;

/// The time in which the other PEs can end by themselves, after one failed or a signal asked them to stop.
const GRACE: Duration = Duration::from_secs(8);
/// The interval at which the PEs are checked.
const PACE: Duration = Duration::from_millis(5);

/// The reason why a world ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// Every PE ended with exit code 0.
    Well,
    /// This PE was the first to end with a failure.
    Failed { pe: u32, status: ExitStatus },
    /// The limit was reached while this many PEs were running.
    TooLong { running: usize, limit: Duration },
    /// This signal asked the launcher to stop.
    Stopped { signal: i32 },
}

/// The end of a world, with the PEs that the launcher killed.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    /// The reason.
    pub ending: Ending,
    killed: Vec<u32>,
    /// Whether the processes were PEs of a world.
    of_pes: bool,
    /// The rules of the NIC that PEs broke, as text.
    pub broken_rules: Vec<String>,
}

impl Outcome {
    /// Returns the reason of a failure, as text.
    pub(crate) fn failure(&self) -> Option<String> {
        let who = |pe| if self.of_pes { format!("PE {pe} failed first, ") } else { String::new() };
        let mut text = match self.ending {
            Ending::Well => {
                let first = self.broken_rules.first()?;
                return Some(format!("{} rules of the NIC were broken, the first: {first}", self.broken_rules.len()));
            }
            Ending::Failed { pe, status } => match (status.code(), status.signal()) {
                (Some(code), _) if self.of_pes => format!("{}with exit code {code}", who(pe)),
                (Some(code), _) => format!("exit code {code}"),
                (None, Some(signal)) => format!("{}killed by signal {signal} ({})", who(pe), name_of(signal)),
                (None, None) => format!("{}{status}", who(pe)),
            },
            Ending::TooLong { running, limit } => {
                let who = if self.of_pes { format!("{running} PEs were") } else { "it was".to_string() };
                format!("{who} still running after the limit of {} s", limit.as_secs_f32())
            }
            Ending::Stopped { signal } => format!("stopped by signal {signal} ({})", name_of(signal)),
        };
        if self.of_pes && !self.killed.is_empty() {
            let pes: Vec<String> = self.killed.iter().map(u32::to_string).collect();
            let seconds = GRACE.as_secs();
            text.push_str(&format!("; killed PE {}, which had not ended {seconds} s later", pes.join(", ")));
        }
        Some(text)
    }

    /// Returns whether a signal asked the launcher to stop.
    pub(crate) fn was_stopped(&self) -> bool {
        matches!(self.ending, Ending::Stopped { .. })
    }

    /// Returns the exit code, by the conventions of a shell.
    pub(crate) fn code(&self) -> i32 {
        match self.ending {
            Ending::Well => i32::from(!self.broken_rules.is_empty()),
            Ending::Failed { status, .. } => status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0)),
            Ending::TooLong { .. } => 124,
            Ending::Stopped { signal } => 128 + signal,
        }
    }
}

/// A started PE.
struct Started {
    pe: u32,
    child: Child,
    status: Option<ExitStatus>,
}

impl Started {
    fn is_running(&self) -> bool {
        self.status.is_none()
    }

    /// Sends a signal to the PE and to the processes that it started.
    fn signal(&self, signal: i32) {
        let group = self.child.id() as libc::pid_t;
        // SAFETY: `kill` takes no pointer. The child has not been waited for, so the number still belongs to its own
        // group.
        unsafe { libc::kill(-group, signal) };
    }
}

/// Kills the PEs that still run when the launcher returns early.
struct Pes(Vec<Started>);

impl Drop for Pes {
    fn drop(&mut self) {
        for one in self.0.iter_mut().filter(|one| one.is_running()) {
            one.signal(libc::SIGKILL);
            let _ = one.child.wait();
        }
    }
}

/// Runs a world to its end. No PE outlives the launcher, even if the launcher is killed. `environment` is added to the
/// launch's own.
pub(crate) fn supervise(launch: &Launch, environment: &[(String, OsString)]) -> Result<Outcome> {
    let signals = Signals::listen()?;
    let mut copiers = Copiers::new();
    let started = start_all(launch, environment, &mut copiers);
    let outcome = started.map(|pes| wait_all(pes, launch, &signals));
    copiers.finish(Duration::from_secs(1));
    outcome
}

fn start_all(launch: &Launch, environment: &[(String, OsString)], copiers: &mut Copiers) -> Result<Pes> {
    let world = launch.world.map(|device| World::new(launch.n, device)).transpose()?;
    let mut pes = Pes(Vec::new());
    for pe in 0..launch.n {
        let mut command = Command::new(&launch.program);
        command.args(&launch.args).stdin(Stdio::null());
        shell::forget_this_package(&mut command);
        command.envs(launch.env.iter().map(|(key, value)| (key, value)));
        command.envs(environment.iter().map(|(key, value)| (key, value)));
        if let Some(folder) = &launch.folder {
            command.current_dir(folder);
        }
        if let Some(world) = &world {
            world.enlist(pe, &mut command);
        }
        if !matches!(launch.output, Output::Inherited) {
            command.stdout(Stdio::piped());
        }
        if matches!(launch.output, Output::Tagged) {
            command.stderr(Stdio::piped());
        }
        die_with_the_launcher(&mut command);
        let mut child = command
            .spawn()
            .with_context(|| format!("cannot start PE {pe} of {} as `{}`", launch.n, launch.program.display()))?;
        if let Some(out) = child.stdout.take() {
            match &launch.output {
                Output::Kept(kept) => copiers.keep(kept.clone(), out, std::io::stdout(), |_| true),
                Output::KeptOfTests(kept) => {
                    let mut prints = Prints::default();
                    copiers.keep(kept.clone(), out, std::io::stdout(), move |line| !prints.of_a_success(line));
                }
                _ => copiers.tag(pe, out, std::io::stdout()),
            }
        }
        if let Some(err) = child.stderr.take() {
            copiers.tag(pe, err, std::io::stderr());
        }
        pes.0.push(Started { pe, child, status: None });
    }
    Ok(pes)
}

/// Gives the PE a process group of its own, so that a signal also reaches the processes that it starts, and asks the
/// kernel to kill the PE when the launcher dies.
pub fn die_with_the_launcher(command: &mut Command) {
    command.process_group(0);
    let launcher = std::process::id() as libc::pid_t;
    let ask = move || {
        // SAFETY: only async-signal-safe calls are made between fork and exec; this one takes no pointer.
        let asked = unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) };
        if asked != 0 {
            return Err(std::io::Error::last_os_error());
        }
        // The launcher may have died before the call above.
        // SAFETY: the call is async-signal-safe and takes no argument.
        let parent = unsafe { libc::getppid() };
        if parent != launcher {
            return Err(std::io::Error::from_raw_os_error(libc::ESRCH));
        }
        Ok(())
    };
    // SAFETY: `ask` runs between fork and exec, and makes only async-signal-safe calls.
    unsafe { command.pre_exec(ask) };
}

fn wait_all(mut pes: Pes, launch: &Launch, signals: &Signals) -> Outcome {
    let start = Instant::now();
    let of_pes = launch.world.is_some();
    let mut outcome = Outcome { ending: Ending::Well, killed: Vec::new(), of_pes, broken_rules: Vec::new() };
    let limit = launch.limit;
    let mut kill_at: Option<Instant> = None;
    loop {
        let ended = reap(&mut pes.0);
        let asked = signals.take().unwrap_or(0);
        let running = pes.0.iter().filter(|one| one.is_running()).count();
        if outcome.ending == Ending::Well {
            outcome.ending = if let Some((pe, status)) = ended {
                Ending::Failed { pe, status }
            } else if asked != 0 {
                Ending::Stopped { signal: asked }
            } else if limit.is_some_and(|limit| running > 0 && start.elapsed() >= limit) {
                Ending::TooLong { running, limit: limit.unwrap_or_default() }
            } else {
                Ending::Well
            };
            if outcome.ending != Ending::Well {
                kill_at = Some(Instant::now() + GRACE);
                if matches!(outcome.ending, Ending::TooLong { .. }) {
                    pes.0.iter().filter(|one| one.is_running()).for_each(|one| one.signal(libc::SIGTERM));
                }
            }
        } else if asked != 0 {
            // A second request ends the grace period.
            kill_at = Some(Instant::now());
        }
        if asked != 0 {
            pes.0.iter().filter(|one| one.is_running()).for_each(|one| one.signal(asked));
        }
        if running == 0 {
            return outcome;
        }
        if kill_at.is_some_and(|at| Instant::now() >= at) {
            for one in pes.0.iter_mut().filter(|one| one.is_running()) {
                one.signal(libc::SIGKILL);
                one.status = one.child.wait().ok();
                outcome.killed.push(one.pe);
            }
            return outcome;
        }
        thread::sleep(PACE);
    }
}

/// Records which PEs have ended, and returns the first failure. If several PEs failed between two checks, one that a
/// signal killed is the cause, and the others only noticed.
fn reap(pes: &mut [Started]) -> Option<(u32, ExitStatus)> {
    let mut failed = Vec::new();
    for one in pes.iter_mut().filter(|one| one.is_running()) {
        if let Ok(Some(status)) = one.child.try_wait() {
            one.status = Some(status);
            if !status.success() {
                failed.push((one.pe, status));
            }
        }
    }
    failed.into_iter().min_by_key(|(pe, status)| (status.signal().is_none(), *pe))
}

#[cfg(test)]
mod tests {
    use oxshmem_raw::os::private::Scratch;

    use super::*;
    use crate::run::Device;

    fn launch(n: u32, script: &str) -> Launch {
        Launch {
            n,
            world: Some(Device::Host),
            limit: Some(Duration::from_secs(30)),
            args: vec!["-c".into(), script.into()],
            ..Launch::of("/bin/sh")
        }
    }

    #[test]
    fn a_world_whose_pes_all_succeed_succeeds() {
        let outcome = supervise(&launch(3, "test $OXSHMEM_N_PES = 3 && test $OXSHMEM_PE -lt 3"), &[]).unwrap();
        assert_eq!((outcome.code(), outcome.failure()), (0, None));
    }

    #[test]
    fn the_first_pe_that_fails_is_named_with_its_exit_code() {
        let outcome = supervise(&launch(3, "test $OXSHMEM_PE != 1 || exit 7"), &[]).unwrap();
        assert_eq!(outcome.code(), 7);
        assert_eq!(outcome.failure().unwrap(), "PE 1 failed first, with exit code 7");
    }

    #[test]
    fn a_world_that_ends_well_and_broke_a_rule_of_its_nic_has_failed() {
        let mut outcome = supervise(&launch(1, "true"), &[]).unwrap();
        outcome.broken_rules.push("mlx5_0: QP 0x41 breaks the rule wqe-index".into());
        assert_eq!(outcome.code(), 1);
        assert!(outcome.failure().unwrap().contains("wqe-index"));
    }

    #[test]
    fn a_pe_that_is_killed_is_named_with_its_signal() {
        let outcome = supervise(&launch(2, "test $OXSHMEM_PE = 0 || kill -SEGV $$"), &[]).unwrap();
        assert_eq!(outcome.code(), 128 + libc::SIGSEGV);
        assert!(outcome.failure().unwrap().contains("PE 1 failed first, killed by signal 11 (SIGSEGV)"));
    }

    #[test]
    fn a_limit_ends_the_world_and_what_its_pes_started() {
        let folder = Scratch::new("supervise").unwrap();
        let pid = folder.join("grandchild");
        let mut endless = launch(1, "sleep 60 & echo $! > \"$PID_FILE\"; wait");
        endless.limit = Some(Duration::from_millis(300));
        endless.env.push(("PID_FILE".into(), pid.display().to_string()));
        let outcome = supervise(&endless, &[]).unwrap();
        assert_eq!(outcome.code(), 124);
        assert!(outcome.failure().unwrap().contains("1 PEs were still running"), "{outcome:?}");
        let grandchild = std::fs::read_to_string(&pid).unwrap();
        let until = Instant::now() + Duration::from_secs(5);
        while is_alive(grandchild.trim()) {
            assert!(Instant::now() < until, "process {grandchild} outlived its world");
            thread::sleep(PACE);
        }
    }

    /// Reports whether a process is alive. One that is dead and not yet collected by its parent counts as dead.
    fn is_alive(pid: &str) -> bool {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        !matches!(stat.rsplit(") ").next().and_then(|rest| rest.chars().next()), None | Some('Z' | 'X'))
    }

    #[test]
    fn what_the_pes_print_can_be_kept() {
        let kept = std::sync::Arc::default();
        let outcome = supervise(
            &Launch { output: Output::Kept(std::sync::Arc::clone(&kept)), ..launch(2, "echo PE $OXSHMEM_PE") },
            &[],
        );
        assert_eq!(outcome.unwrap().code(), 0);
        let mut lines: Vec<u8> = kept.lock().unwrap().clone();
        lines.sort();
        assert_eq!(lines, b"\n\n  01EEPP");
    }

    #[test]
    fn a_program_that_cannot_start_is_an_error_and_leaves_nobody() {
        let mut missing = launch(2, "");
        missing.program = "/nowhere/program".into();
        let error = supervise(&missing, &[]).unwrap_err();
        assert!(format!("{error:#}").contains("cannot start PE 0 of 2 as `/nowhere/program`"), "{error:#}");
    }
}

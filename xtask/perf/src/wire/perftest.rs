//! The same rows by perftest's programs, between two processes of this host over the world's verbs device.

use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use xtask::run::die_with_the_launcher;
use xtask::shell;

use super::tables::Kind;

/// The time limit of one row.
const LIMIT: Duration = Duration::from_secs(60);
/// The time that the server has to listen before the client starts.
const LISTENS: Duration = Duration::from_secs(5);
/// The interval of checks.
const PACE: Duration = Duration::from_millis(10);
/// The fewest iterations that the programs take.
const LEAST: u32 = 5;

/// A row of ours that perftest has, too.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Beside {
    /// The name of our operation.
    pub op: &'static str,
    pub kind: Kind,
    pub bytes: u64,
    pub iterations: u32,
    pub qps: u64,
}

impl Beside {
    /// Returns the name of perftest's program.
    pub(super) fn program(&self) -> String {
        let op = if self.is_atomic() { "atomic" } else { self.op };
        format!("ib_{op}_{}", if self.kind == Kind::Bandwidth { "bw" } else { "lat" })
    }

    fn is_atomic(&self) -> bool {
        matches!(self.op, "fetch_add" | "compare_swap")
    }

    fn args(&self, device: &str, port: u16) -> Vec<String> {
        let mut args = vec!["-F".into(), "-d".into(), device.into(), "-p".into(), port.to_string()];
        args.extend(["-n".into(), self.iterations.max(LEAST).to_string()]);
        match self.op {
            "fetch_add" => args.extend(["-A", "FETCH_AND_ADD"].map(String::from)),
            "compare_swap" => args.extend(["-A", "CMP_AND_SWAP"].map(String::from)),
            _ => args.extend(["-s".into(), self.bytes.to_string()]),
        }
        if self.kind == Kind::Bandwidth && self.qps > 1 {
            args.extend(["-q".into(), self.qps.to_string()]);
        }
        args
    }
}

/// Perftest's programs on the PATH.
#[derive(Debug)]
pub(super) struct Perftest {
    pub device: String,
    environment: Vec<(String, String)>,
}

impl Perftest {
    /// Finds them, for a device that needs these variables. The error is the reason why they are not run.
    pub(super) fn find(device: String, environment: &[(String, String)]) -> Result<Self, String> {
        match shell::on_path("ib_write_bw") {
            Some(_) => Ok(Self { device, environment: environment.to_vec() }),
            None => Err(format!("ib_write_bw is not on the PATH; install perftest to see its rows over {device}")),
        }
    }

    /// Measures a row and returns its cells. The error is the reason why there are none.
    pub(super) fn row(&self, one: &Beside) -> Result<Vec<String>, String> {
        let name = one.program();
        let program = shell::on_path(&name).ok_or("it is not on the PATH")?;
        let port = TcpListener::bind("127.0.0.1:0").and_then(|at| at.local_addr()).map_err(|why| why.to_string())?;
        let args = one.args(&self.device, port.port());
        let until = Instant::now() + LIMIT;
        let mut server = self.start(&program, &args, &[])?;
        wait_until_it_listens(port.port(), &mut server);
        let client = self.start(&program, &args, &["127.0.0.1"])?;
        let said = client.end(until)?;
        server.end(until)?;
        parse(&said, one.bytes, one.kind.titles().len())
            .ok_or_else(|| format!("it printed no row of {} bytes", one.bytes))
    }

    fn start(&self, program: &PathBuf, args: &[String], more: &[&str]) -> Result<Running, String> {
        let mut command = Command::new(program);
        command.args(args).args(more).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        die_with_the_launcher(&mut command);
        let child = command.spawn().map_err(|why| format!("cannot start {}: {why}", program.display()))?;
        Ok(Running(Some(child)))
    }
}

/// A process that is killed when this is dropped.
struct Running(Option<Child>);

impl Running {
    fn has_ended(&mut self) -> bool {
        self.0.as_mut().is_none_or(|child| !matches!(child.try_wait(), Ok(None)))
    }

    /// Waits for its end and returns its standard output, which is shorter than a pipe holds.
    fn end(mut self, until: Instant) -> Result<String, String> {
        while !self.has_ended() {
            if Instant::now() >= until {
                return Err(format!("it did not end within {} s", LIMIT.as_secs()));
            }
            thread::sleep(PACE);
        }
        let child = self.0.take().ok_or("it has ended before")?;
        let output = child.wait_with_output().map_err(|why| why.to_string())?;
        match output.status.success() {
            true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
            false => {
                let said = String::from_utf8_lossy(&output.stderr).into_owned();
                Err(format!("it ended with {}: {}", output.status, said.trim().lines().last().unwrap_or_default()))
            }
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(child) = &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Waits until the server listens, without a connection, which would be its client's.
fn wait_until_it_listens(port: u16, server: &mut Running) {
    let until = Instant::now() + LISTENS;
    while !listens(port) && !server.has_ended() && Instant::now() < until {
        thread::sleep(PACE);
    }
}

/// Returns whether a socket of this host listens at the port.
fn listens(port: u16) -> bool {
    const LISTEN: &str = "0A";
    ["/proc/net/tcp", "/proc/net/tcp6"].iter().any(|file| {
        let sockets = std::fs::read_to_string(file).unwrap_or_default();
        sockets.lines().skip(1).any(|line| {
            let words: Vec<&str> = line.split_whitespace().collect();
            words.get(1).is_some_and(|local| local.ends_with(&format!(":{port:04X}"))) && words.get(3) == Some(&LISTEN)
        })
    })
}

/// Returns the cells of the row of this size: the last line that begins with the size and has as many numbers.
fn parse(said: &str, bytes: u64, columns: usize) -> Option<Vec<String>> {
    let rows = said.lines().map(|line| line.split_whitespace().map(str::to_string).collect::<Vec<_>>());
    let is_row = |cells: &Vec<String>| {
        let numbers = cells.iter().all(|cell| cell.parse::<f64>().is_ok());
        numbers && cells.len() == columns && cells.first() == Some(&bytes.to_string())
    };
    rows.rev().find(is_row)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAID: &str = "\
---------------------------------------------------------------------------------------
 #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]   99% percentile[usec]
 2       200          6.34           33.70        7.01     \t       7.44        \t0.90\t\t9.02\t\t33.70  
---------------------------------------------------------------------------------------
";

    #[test]
    fn a_row_is_found_by_its_size_and_its_columns() {
        let row = ["2", "200", "6.34", "33.70", "7.01", "7.44", "0.90", "9.02", "33.70"].map(str::to_string);
        assert_eq!(parse(SAID, 2, 9), Some(row.to_vec()));
        assert_eq!((parse(SAID, 4, 9), parse(SAID, 2, 5), parse("", 2, 9)), (None, None, None));
    }

    #[test]
    fn a_program_is_asked_for_our_row() {
        let write = Beside { op: "write", kind: Kind::Bandwidth, bytes: 64, iterations: 3, qps: 4 };
        assert_eq!(write.program(), "ib_write_bw");
        assert_eq!(write.args("mlx5_0", 1234).join(" "), "-F -d mlx5_0 -p 1234 -n 5 -s 64 -q 4");
        let swap = Beside { op: "compare_swap", kind: Kind::Latency, bytes: 8, iterations: 100, qps: 1 };
        assert_eq!(swap.program(), "ib_atomic_lat");
        assert_eq!(swap.args("mlx5_0", 1234).join(" "), "-F -d mlx5_0 -p 1234 -n 100 -A CMP_AND_SWAP");
    }
}

//! Hosts that are network namespaces of this machine, each with a name and an address, connected by one switch.
//!
//! They share files and processes, and reach each other only through their network. A namespace lives as long as a
//! process that waits for the end of its input, so that no namespace remains after this program, even if it is killed.
//! The switch is a namespace, too, so that the machine's own network is not touched.

use std::ffi::OsString;
use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail};
use oxshmem_raw::os::private::Scratch;

use crate::shell;

/// The programs that make the hosts.
const TOOLS: [(&str, &str); 4] =
    [("unshare", "util-linux"), ("nsenter", "util-linux"), ("ip", "iproute2"), ("hostname", "hostname")];
/// The network of their addresses. It has no other hosts.
const NETWORK: &str = "10.115.0";
const PREFIX_BITS: u32 = 24;
/// The most hosts that this network has addresses for.
const MOST: u32 = 64;

/// Returns whether this process runs as root.
pub(super) fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt;
    fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0)
}

/// A namespace's process, which ends when its input ends.
struct Holder {
    process: Child,
}

impl Holder {
    /// Starts a namespace by `unshare` with these options.
    fn start(mut command: Command, name: &str) -> Result<Self> {
        command.args(["--", "sh", "-c", &format!("hostname {name} && ip link set lo up && echo ready && exec cat")]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut process = command.spawn().with_context(|| format!("cannot start `{}`", shell::typed(&command)))?;
        let mut said = String::new();
        if let Some(out) = process.stdout.take() {
            BufReader::new(out).read_line(&mut said)?;
        }
        if said.trim() != "ready" {
            let output = process.wait_with_output()?;
            bail!("this machine makes no network namespace: {}", String::from_utf8_lossy(&output.stderr).trim());
        }
        Ok(Self { process })
    }

    fn id(&self) -> String {
        self.process.id().to_string()
    }
}

impl Drop for Holder {
    fn drop(&mut self) {
        drop(self.process.stdin.take());
        let _ = self.process.wait();
    }
}

/// Hosts on a switch.
pub(crate) struct Hosts {
    /// The switch: the hosts' links end here.
    switch: Holder,
    hosts: Vec<Holder>,
    /// Whether they are in a user namespace of their own, which a user other than root needs.
    of_their_own_user: bool,
    /// The path of the program that enters a namespace.
    folder: Scratch,
}

impl Hosts {
    /// Makes `n` hosts.
    ///
    /// # Errors
    /// A tool is missing, or the machine's policy forbids namespaces.
    pub(crate) fn make(n: u32) -> Result<Self> {
        if n == 0 || n > MOST {
            bail!("{n} hosts: 1 to {MOST} can be made");
        }
        for (tool, package) in TOOLS {
            if shell::on_path(tool).is_none() {
                bail!("`{tool}` is not on the PATH (Debian's package {package})");
            }
        }
        let of_their_own_user = !is_root();
        let mut switch = Command::new("unshare");
        if of_their_own_user {
            switch.args(["--user", "--map-root-user"]);
        }
        switch.args(["--net", "--uts"]);
        let switch = Holder::start(switch, "oxshmem-switch")?;
        let mut hosts = Self { switch, hosts: Vec::new(), of_their_own_user, folder: Scratch::new("hosts")? };
        hosts.connect(n)?;
        hosts.write_agent()?;
        Ok(hosts)
    }

    /// Returns a host's name.
    pub(crate) fn name(index: u32) -> String {
        format!("oxhost{index}")
    }

    /// Returns a host's address.
    fn address(index: u32) -> String {
        format!("{NETWORK}.{}", index + 1)
    }

    fn connect(&mut self, n: u32) -> Result<()> {
        self.ip(&self.switch, "link add br0 type bridge")?;
        self.ip(&self.switch, "link set br0 up")?;
        for index in 0..n {
            let mut unshare = self.entering(&self.switch, "unshare");
            unshare.args(["--net", "--uts"]);
            let host = Holder::start(unshare, &Self::name(index))?;
            self.ip(&self.switch, &format!("link add port{index} type veth peer name eth0 netns {}", host.id()))?;
            self.ip(&self.switch, &format!("link set port{index} master br0 up"))?;
            self.ip(&host, &format!("addr add {}/{PREFIX_BITS} dev eth0", Self::address(index)))?;
            self.ip(&host, "link set eth0 up")?;
            self.hosts.push(host);
        }
        Ok(())
    }

    fn ip(&self, within: &Holder, words: &str) -> Result<()> {
        shell::capture(self.entering(within, "ip").args(words.split(' '))).map(drop).context("cannot connect the hosts")
    }

    /// Returns `nsenter` with its options, for a process that is on one of the hosts.
    fn nsenter(within: &Holder) -> Vec<String> {
        ["nsenter", "--target", &within.id(), "--net", "--uts"].map(String::from).into()
    }

    /// Returns the same for a process outside. (A user namespace can't be entered from itself.)
    fn nsenter_from_outside(&self, within: &Holder) -> Vec<String> {
        let mut words = Self::nsenter(within);
        if self.of_their_own_user {
            words.extend(["--user", "--preserve-credentials"].map(String::from));
        }
        words
    }

    fn entering(&self, within: &Holder, program: &str) -> Command {
        let words = self.nsenter_from_outside(within);
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).arg(program);
        command
    }

    /// Returns the words that run a program on the first host, to be put before the program's own.
    pub(crate) fn on_the_first(&self) -> Vec<String> {
        self.nsenter_from_outside(&self.hosts[0])
    }

    /// Writes the script that a launcher calls in place of `ssh HOST COMMAND`.
    fn write_agent(&self) -> Result<()> {
        let mut text =
            "#!/bin/sh\n# ssh to hosts that are namespaces: HOST COMMAND\nhost=$1\nshift\ncase $host in\n".to_string();
        for (index, host) in (0..).zip(&self.hosts) {
            let (name, address) = (Self::name(index), Self::address(index));
            text.push_str(&format!("{name}|{address}) exec {} sh -c \"$*\" ;;\n", Self::nsenter(host).join(" ")));
        }
        text.push_str("esac\necho \"there is no host $host\" >&2\nexit 255\n");
        let file = fs::OpenOptions::new().write(true).create_new(true).mode(0o700).open(self.agent());
        file.and_then(|mut file| std::io::Write::write_all(&mut file, text.as_bytes()))
            .with_context(|| format!("cannot write {}", self.agent().display()))
    }

    /// Returns the program that, run on one host, runs another program on any host, with the arguments of `ssh`.
    pub(crate) fn agent(&self) -> PathBuf {
        self.folder.join("agent")
    }

    /// Returns a folder that is removed with the hosts.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the value of `--host` for this number of processes on each.
    pub(crate) fn slots(&self, each: u32) -> OsString {
        let hosts = 0..self.hosts.len() as u32;
        hosts.map(|index| format!("{}:{each}", Self::name(index))).collect::<Vec<_>>().join(",").into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on(hosts: &Hosts, host: &str, command: &str) -> Result<String> {
        let words = hosts.on_the_first();
        let mut first = Command::new(&words[0]);
        first.args(&words[1..]).arg(hosts.agent()).args([host, command]);
        shell::capture(&mut first).map(|said| said.trim().to_string())
    }

    #[test]
    fn hosts_have_names_and_reach_each_other_and_nobody_else() {
        let hosts = match Hosts::make(3) {
            Ok(hosts) => hosts,
            Err(why) => return println!("skipped: {why:#}"),
        };
        assert_eq!(on(&hosts, "oxhost1", "hostname").unwrap(), "oxhost1");
        assert_eq!(on(&hosts, "10.115.0.3", "hostname").unwrap(), "oxhost2", "by its address, too");
        assert_eq!(on(&hosts, "oxhost0", "echo one two; echo three").unwrap(), "one two\nthree");
        assert!(on(&hosts, "oxhost3", "true").unwrap_err().to_string().contains("there is no host oxhost3"));
        let way = on(&hosts, "oxhost2", "ip route get 10.115.0.1").unwrap();
        assert!(way.starts_with("10.115.0.1 dev eth0"), "{way}");
        assert!(on(&hosts, "oxhost2", "ip route get 192.0.2.1").is_err(), "there is no way out");
        let (agent, holder) = (hosts.agent(), hosts.switch.process.id());
        drop(hosts);
        assert!(!agent.exists() && !Path::new(&format!("/proc/{holder}/ns")).exists(), "nothing is left");
    }
}

//! Starts by a unique id that any process makes.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::programs::{End, build, command, end, folder};

/// Processes that meet by an id in a file.
struct Meeting {
    file: String,
    n: u32,
    maker: i32,
}

impl Meeting {
    /// `name` is for this test alone.
    fn new(name: &str, n: u32, maker: i32) -> Self {
        let file = folder().join(format!("unique-id.{name}.{n}.{maker}"));
        let _ = std::fs::remove_file(&file);
        Self { file: file.display().to_string(), n, maker }
    }

    fn command(&self, rank: i32) -> Command {
        let numbers = [rank, self.n as i32, self.maker].map(|number| number.to_string());
        command(&build("file"), &[&numbers[0], &numbers[1], &self.file, &numbers[2]])
    }

    fn start(&self, rank: i32) -> Child {
        self.command(rank).stdin(Stdio::piped()).spawn().unwrap()
    }

    /// Waits until the maker has written the id.
    fn await_id(&self) {
        let begun = Instant::now();
        while !std::path::Path::new(&self.file).exists() {
            assert!(begun.elapsed() < Duration::from_secs(20), "no id comes");
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

/// Checks that the ranks from 0 on have met.
fn have_met(ends: Vec<End>) {
    let n = ends.len();
    for (rank, ended) in ends.into_iter().enumerate() {
        assert!(ended.status.success() && ended.complained.is_empty(), "rank {rank}: {}", ended.complained);
        assert_eq!(ended.said, format!("rank {rank} of {n}\n"));
    }
}

#[test]
fn processes_that_share_a_file_alone_meet_by_the_id_of_any_of_them_and_starts_by_different_calls_nest() {
    for (n, maker) in [(1, 0), (2, 0), (4, 0), (2, 1), (4, 2), (20, 19)] {
        let meeting = Meeting::new("any", n, maker);
        let started: Vec<_> = (0..n as i32).map(|rank| meeting.start(rank)).collect();
        have_met(started.into_iter().map(end).collect());
    }
}

#[test]
fn the_maker_of_the_id_need_not_be_a_pe_and_pe_0_may_come_last() {
    let meeting = Meeting::new("beside", 3, -1);
    let maker = meeting.start(-1);
    meeting.await_id();
    let mut started: Vec<_> = [2, 1].map(|rank| meeting.start(rank)).into();
    // The others are connected to the maker meanwhile, or will be; both orders are right.
    std::thread::sleep(Duration::from_millis(300));
    started.push(meeting.start(0));
    started.reverse();
    have_met(started.into_iter().map(end).collect());
    let ended = end(maker);
    assert!(ended.status.success() && ended.complained.is_empty(), "{}", ended.complained);
}

#[test]
fn a_maker_that_ends_before_the_pes_meet_is_an_error_of_each_that_names_its_address() {
    let meeting = Meeting::new("gone", 2, -1);
    let mut maker = meeting.start(-1);
    meeting.await_id();
    // PE 1 waits at the maker when it ends, PE 0 comes afterwards.
    let start = |rank| meeting.command(rank).env("OXSHMEM_WAIT_LIMIT", "3s").spawn().unwrap();
    let begun = Instant::now();
    let waits = start(1);
    std::thread::sleep(Duration::from_millis(500));
    maker.kill().unwrap();
    maker.wait().unwrap();
    for ended in [start(0), waits].map(end) {
        assert_eq!(ended.status.code(), Some(3), "{}", ended.complained);
        let is_named = ended.complained.contains(", where the process that made the unique id listens, within 3s");
        assert!(is_named && ended.complained.lines().count() == 1, "{}", ended.complained);
    }
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
}

#[test]
fn pe_0_whose_start_failed_starts_again_by_the_id_that_it_made() {
    let meeting = Meeting::new("again", 2, 0);
    let mut first = meeting.command(0).arg("again").env("OXSHMEM_WAIT_LIMIT", "3s").spawn().unwrap();
    // The other PE comes when the first start of PE 0 has failed.
    let mut said = BufReader::new(first.stdout.take().unwrap());
    let mut line = String::new();
    said.read_line(&mut line).unwrap();
    assert_eq!(line, "again\n");
    let second = end(meeting.start(1));
    assert!(second.status.success(), "{}", second.complained);
    let ended = end(first);
    assert!(ended.status.success() && ended.complained.lines().count() == 1, "{}", ended.complained);
}

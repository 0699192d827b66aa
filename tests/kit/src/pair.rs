//! Checks of two processes, each on a device.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use oxshmem_rdma::fabric::{Operation, Status, WorkRequest};
use oxshmem_rdma::rc::{Atomics, RcProvider};

use crate::Options;
use crate::fetches::{self, Company, Fetch};
use crate::report::{Fine, Outcome, Report, ensure, noted, passed, skipped};
use crate::side::{Address, LIMIT, Link, RETRIES, Side};

/// Queue pairs between the two processes.
const LINKS: usize = 4;
/// Offset of the word to which all requests add.
const WORD: usize = 4096;
/// Offset and bytes of the data.
const DATA: usize = 65536;
const DATA_BYTES: usize = 400_000;
/// Offset and bytes of a copy of the data's beginning.
const COPY: usize = 524_288;
const COPY_BYTES: usize = 32_768;

/// The other process, and the connections with it.
struct Pair {
    side: Side,
    links: Vec<Link>,
    to: Vec<Address>,
    other: Other,
}

struct Other {
    child: Child,
    input: ChildStdin,
    output: Receiver<String>,
}

impl Other {
    fn start(options: &Options, far: &str) -> Fine<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(&options.peer).arg(far);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let input = child.stdin.take().ok_or("no pipe")?;
        let reader = BufReader::new(child.stdout.take().ok_or("no pipe")?);
        let (sender, output) = channel();
        std::thread::spawn(move || reader.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        Ok(Self { child, input, output })
    }

    fn line(&self) -> Fine<String> {
        Ok(self.output.recv_timeout(LIMIT).map_err(|_| "the other process says nothing")?)
    }

    fn ask(&mut self, line: &str) -> Fine<String> {
        writeln!(self.input, "{line}")?;
        self.line()
    }
}

impl Drop for Other {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

impl Pair {
    fn open(verbs: &dyn RcProvider, options: &Options, near: &str, far: &str, retries: u8) -> Fine<Self> {
        let other = Other::start(options, far)?;
        let mut side = Side::open(verbs, near)?;
        side.retries = retries;
        let mut pair = Self { side, links: Vec::new(), to: Vec::new(), other };
        pair.connect()?;
        Ok(pair)
    }

    /// Makes new queue pairs on both sides and connects them.
    fn connect(&mut self) -> Fine<()> {
        self.links = (0..LINKS).map(|_| self.side.link()).collect::<Fine<_>>()?;
        let own: Vec<String> = self.links.iter().map(|link| self.side.address(link).line()).collect();
        let answer = self.other.ask(&format!("connect {}", own.join(",")))?;
        self.to = answer.split(',').map(Address::parse).collect::<Fine<_>>()?;
        for (link, to) in self.links.iter().zip(&self.to) {
            self.side.connect(link, to)?;
        }
        Ok(())
    }

    fn expect(&mut self, ask: &str, answer: &str) -> Fine<()> {
        let said = self.other.ask(ask)?;
        ensure(said == answer, || format!("{ask}: {said}, and not {answer}"))
    }
}

/// Serves as the other process: executes requests line by line.
pub(crate) fn serve(verbs: &dyn RcProvider, device: &str) -> Fine<()> {
    let side = Side::open(verbs, device)?;
    let mut links: Vec<Link> = Vec::new();
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let served = answer_all(&side, &mut links, &stop, scope);
        stop.store(true, Ordering::Relaxed);
        served
    })
}

fn answer_all<'a>(
    side: &'a Side,
    links: &mut Vec<Link>,
    stop: &'a AtomicBool,
    scope: &'a std::thread::Scope<'a, '_>,
) -> Fine<()> {
    let mut adding = None;
    for line in std::io::stdin().lines() {
        let line = line?;
        let (word, rest) = line.split_once(' ').unwrap_or((&line, ""));
        let answer = match word {
            "connect" => {
                let mut own = Vec::new();
                for address in rest.split(',') {
                    let link = side.link()?;
                    side.connect(&link, &Address::parse(address)?)?;
                    own.push(side.address(&link).line());
                    links.push(link);
                }
                own.join(",")
            }
            "fill" => {
                side.memory.fill(DATA, DATA_BYTES, rest.parse()?);
                "filled".to_string()
            }
            "has" => side.memory.has(DATA, DATA_BYTES, rest.parse()?).to_string(),
            "copied" => side.memory.has(COPY, COPY_BYTES, rest.parse()?).to_string(),
            // The processor adds to the word until the request to stop.
            "add" => {
                stop.store(false, Ordering::Relaxed);
                adding = Some(scope.spawn(|| {
                    let mut added = 0u64;
                    while !stop.load(Ordering::Relaxed) {
                        side.memory.word(WORD).fetch_add(1, Ordering::Relaxed);
                        added += 1;
                    }
                    added
                }));
                "adding".to_string()
            }
            "stop" => {
                stop.store(true, Ordering::Relaxed);
                let added = adding.take().ok_or("nobody adds")?.join();
                added.map_err(|_| "who added has panicked")?.to_string()
            }
            "word" => side.memory.word(WORD).load(Ordering::Acquire).to_string(),
            _ => return Err(format!("what is {line:?}?").into()),
        };
        println!("{answer}");
    }
    Ok(())
}

type Step = fn(&mut Pair) -> Outcome;

const STEPS: [(&str, Step); 4] = [
    ("puts arrive", puts),
    ("gets bring what is there", gets),
    ("a fenced put has what the get before it brought", copies),
    ("atomics over several queue pairs add up", adds),
];

pub(crate) fn checks(report: &mut Report, verbs: &dyn RcProvider, options: &Options, near: &str, far: &str) {
    let (mut pair, ends) = (None, format!("{near} to {far}"));
    report.check(&ends, "two processes meet", || {
        pair = Some(Pair::open(verbs, options, near, far, RETRIES)?);
        passed()
    });
    let Some(mut pair) = pair else { return };
    for (name, step) in STEPS {
        report.check(&ends, name, || step(&mut pair));
    }
    report.check(&ends, "a wire that was cut fails what is under way, and a mended one works", || {
        if options.wire { cut(&mut pair, far) } else { skipped("--wire was not given") }
    });
    for (name, step) in STEPS.iter().filter(|_| options.wire) {
        report.check(&format!("{ends}, mended"), name, || step(&mut pair));
    }
}

/// Checks that fetches bring their data in every company. In the company of writes they may fail to, if the device
/// announces it.
pub(crate) fn fetches(report: &mut Report, verbs: &dyn RcProvider, options: &Options, near: &str, far: &str) {
    let time = options.fetches.unwrap_or(Duration::from_millis(300));
    for fetch in [Fetch::Atomic, Fetch::Read, Fetch::LongRead] {
        for (company, words) in fetches::COMPANIES {
            report.check(&format!("{near} to {far}"), &format!("{} {words} bring their data", fetch.words()), || {
                // A wire that loses many packets is not cut, so the device retries without limit.
                let pair = Pair::open(verbs, options, near, far, 7)?;
                let counts = fetches::count(&pair.side, &pair.links, &pair.to, company, fetch, time)?;
                // Fetches after complete writes lose their data only on a wire whose packets overtake each other.
                let may = company != Company::Alone && pair.side.device.caps()?.empty_fetches;
                ensure(may || counts.empty == 0, || counts.to_string())?;
                noted(format!("{counts}{}", if may { ", as the device says" } else { "" }))
            });
        }
    }
}

/// Counts the additions to a word that are lost while the peer's processor adds to it as well.
pub(crate) fn beside(report: &mut Report, verbs: &dyn RcProvider, options: &Options, near: &str, far: &str) {
    report.check(&format!("{near} to {far}"), "additions beside a processor's", || {
        let mut pair = Pair::open(verbs, options, near, far, 7)?;
        let before: u64 = pair.other.ask("word")?.parse()?;
        pair.expect("add", "adding")?;
        let (begun, time) = (Instant::now(), options.fetches.unwrap_or(Duration::from_millis(300)));
        let mut added = 0;
        let (side, link, to) = (&pair.side, &pair.links[0], &pair.to[0]);
        while begun.elapsed() < time {
            let one = |id| side.wr(id, Operation::add(1), side.local(DATA + 8 * id as usize, 8), to, WORD);
            let list: Vec<WorkRequest> = (0..16).map(one).collect();
            side.done(link, &list, list.len())?;
            added += list.len() as u64;
        }
        let by_processor: u64 = pair.other.ask("stop")?.parse()?;
        let sum = pair.other.ask("word")?.parse::<u64>()? - before;
        let lost = (added + by_processor).checked_sub(sum).ok_or("more was added than was options for")?;
        let counts = format!("{lost} lost, of {added} by the device and {by_processor} by the processor");
        // Additions may be lost only if the device does not promise atomicity with the processor.
        ensure(lost == 0 || pair.side.device.caps()?.atomics != Atomics::System, || counts.clone())?;
        noted(counts)
    });
}

fn puts(pair: &mut Pair) -> Outcome {
    let (side, link, to) = (&pair.side, &pair.links[0], &pair.to[0]);
    side.memory.fill(DATA, DATA_BYTES, 3);
    // Pieces of all sizes, 64 to a list; the last of a list is signalled.
    let mut at = 0;
    let mut list = Vec::new();
    while at < DATA_BYTES {
        let bytes = (1 + at % 30_011).min(DATA_BYTES - at);
        let mut wr = side.wr(at as u64, Operation::Write, side.local(DATA + at, bytes as u32), to, DATA + at);
        at += bytes;
        wr.signalled = list.len() == 63 || at == DATA_BYTES;
        list.push(wr);
        if wr.signalled {
            side.done(link, &list, 1)?;
            list.clear();
        }
    }
    pair.expect("has 3", "true")?;
    pair.expect("has 4", "false")?;
    passed()
}

fn gets(pair: &mut Pair) -> Outcome {
    pair.expect("fill 5", "filled")?;
    let (side, link, to) = (&pair.side, &pair.links[1], &pair.to[1]);
    let read = side.wr(1, Operation::Read, side.local(DATA, DATA_BYTES as u32), to, DATA);
    side.done(link, &[read], 1)?;
    ensure(side.memory.has(DATA, DATA_BYTES, 5), || "another was read".into())?;
    passed()
}

fn copies(pair: &mut Pair) -> Outcome {
    for round in 100..110 {
        pair.expect(&format!("fill {round}"), "filled")?;
        let (side, link, to) = (&pair.side, &pair.links[2], &pair.to[2]);
        let here = side.local(DATA, COPY_BYTES as u32);
        side.done(link, &[side.wr(1, Operation::Read, here, to, DATA)], 1)?;
        side.done(link, &[side.wr(2, Operation::Write, here, to, COPY)], 1)?;
        pair.expect(&format!("copied {round}"), "true")?;
    }
    passed()
}

fn adds(pair: &mut Pair) -> Outcome {
    const EACH: usize = 200;
    let before: u64 = pair.other.ask("word")?.parse()?;
    let side = &pair.side;
    // Each request fetches into a word of its own; no two may fetch the same value.
    for (number, (link, to)) in pair.links.iter().zip(&pair.to).enumerate() {
        let place = |i: usize| DATA + (number * EACH + i) * 8;
        let ask = |i: usize| side.wr(i as u64, Operation::add(1), side.local(place(i), 8), to, WORD);
        let list: Vec<_> = (0..EACH.min(100)).map(ask).collect();
        side.post(link, &list)?;
    }
    for (number, (link, to)) in pair.links.iter().zip(&pair.to).enumerate() {
        let place = |i: usize| DATA + (number * EACH + i) * 8;
        let ask = |i: usize| side.wr(i as u64, Operation::add(1), side.local(place(i), 8), to, WORD);
        side.done(link, &[], EACH.min(100))?;
        let list: Vec<_> = (100..EACH).map(ask).collect();
        side.done(link, &list, list.len())?;
    }
    let mut seen: Vec<u64> =
        (0..LINKS * EACH).map(|i| side.memory.word(DATA + i * 8).load(Ordering::Acquire)).collect();
    seen.sort_unstable();
    let all = before..before + (LINKS * EACH) as u64;
    ensure(seen.iter().copied().eq(all.clone()), || format!("not each of {all:?} was fetched once"))?;
    pair.expect("word", &all.end.to_string())?;
    passed()
}

fn cut(pair: &mut Pair, far: &str) -> Outcome {
    let number = far.trim_start_matches(|c: char| !c.is_ascii_digit());
    let wire = |what: &str| -> Fine<()> {
        let status = Command::new("wire").args([what, number]).status()?;
        ensure(status.success(), || format!("wire {what} {number}: {status}"))
    };
    let (side, link, to) = (&pair.side, &pair.links[0], &pair.to[0]);
    wire("cut")?;
    let begun = std::time::Instant::now();
    let mut list = [1, 2, 3].map(|id| side.wr(id, Operation::Write, side.local(0, 8), to, 0));
    list[1].signalled = false;
    side.post(link, &list)?;
    let seen: Vec<_> = side.wait(link, 3)?.iter().map(|wc| (wc.id, wc.status)).collect();
    let took = begun.elapsed();
    wire("mend")?;
    let expected = [(1, Status::PeerGone), (2, Status::Flushed), (3, Status::Flushed)];
    ensure(seen == expected, || format!("{seen:?}"))?;
    side.post(link, &[side.wr(4, Operation::Write, side.local(0, 8), to, 0)])?;
    let after = side.wait(link, 1)?[0];
    ensure((after.id, after.status) == (4, Status::Flushed), || format!("the queue pair goes on: {after:?}"))?;
    pair.connect()?;
    noted(format!("known after {} ms", took.as_millis()))
}

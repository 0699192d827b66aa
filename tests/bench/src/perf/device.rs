//! Kernels as rows, timed by the device's clock.

use oxshmem_core::Result;
use oxshmem_hal::{Launch, Pe, SymPtr};
use oxshmem_perf_kernels::data::CHAIN_HOP;
use oxshmem_perf_kernels::elements::{APART, FETCH, POISONED};
use oxshmem_perf_kernels::job::Job;

use super::answer::Answer;
use super::buffers::Place;
use super::data::{Data, Expected};
use super::plan::{Moves, Size, Test, atomic, places_apart};
use super::request::Request;
use super::session::{FLAG, FLAGS, LINE, PLACE, PLACES, Session};

/// The part of a row that is equal on every PE.
struct Row {
    test: &'static Test,
    size: Size,
    place: Place,
    launch: Launch,
    op: u32,
    lend: u32,
    skew: u64,
    both: bool,
    /// Whether hand-written kernels run: their copies are compared, their computations are not.
    by_limit: bool,
    iters: u32,
    /// The places at which the row is measured.
    places: usize,
    repeat: u32,
    corrupt: bool,
}

/// Measures the row. Collective.
pub(super) fn measure(session: &mut Session<'_>, test: &'static Test, request: &Request) -> Result<Answer> {
    if session.world.n_pes() < 2 && test.moves != Moves::Nothing {
        return Ok(Answer::skip("it takes two PEs"));
    }
    if request.lend > 0 && !test.lends {
        return Ok(Answer::skip("it has nothing to lend memory for"));
    }
    let (launch, groups) = test.launch(request);
    let size = match test.size(request, groups) {
        Ok(size) => size,
        Err(why) => return Ok(Answer::Skip(why)),
    };
    let op = match test.moves {
        Moves::Atomics => match atomic(request.op_or("add"), test.name == "shmem_atomic_latency") {
            Ok(op) => op,
            Err(why) => return Ok(Answer::Skip(why)),
        },
        _ => 0,
    };
    let places = if test.depends_on_place(size.bytes) { PLACES } else { 1 };
    let shifts = (places as u64 - 1) * places_apart(size.bytes);
    let (from, to) = (size.step() * size.window + 256 + shifts, size.bytes + 256 + shifts);
    let place = session.buffers.place(session.world, from, to)?;
    let (blocks, threads) = (u64::from(launch.grid[0]), u64::from(launch.grid[0]) * u64::from(launch.block[0]));
    session.times.ensure(session.world, 16 * blocks + 8 * threads)?;
    let row = Row {
        test,
        size,
        place,
        launch,
        op,
        lend: test.lent_each(request, &launch),
        skew: if matches!(test.moves, Moves::Put | Moves::Get | Moves::PutRounds) { request.skew } else { 0 },
        both: request.both,
        by_limit: session.limit.is_some(),
        // The iterations of all places are those of the row.
        iters: request.iters.div_ceil(places as u32),
        places,
        repeat: request.repeat,
        corrupt: request.corrupt,
    };
    let filled = row.fill(session);
    session.meet("fill the buffers of a row", filled)?;
    let timed = row.measure(session, request);
    let Some(timed) = session.meet("run the kernels of a row", timed)? else {
        return Ok(Answer::skip("there is no such kernel"));
    };
    let checked = row.check(session);
    // No PE fills the next row's buffers while this row's are compared.
    let wrong = session.meet("compare what arrived", checked)?;
    Ok(match (wrong, row.tells(session)) {
        (Some(what), _) => Answer::Wrong(what),
        (None, true) => Answer::Times(timed),
        (None, false) => Answer::Serves,
    })
}

impl Row {
    /// Returns the number of PEs that start together: 1 if this PE starts alone, 0 if it serves.
    fn meeting(&self, session: &Session<'_>) -> u32 {
        match (self.test.moves, session.me()) {
            (Moves::Nothing, _) => session.world.n_pes(),
            (_, 2..) => 0,
            _ if self.both || self.test.is_ping_pong() => 2,
            (_, 0) => 1,
            _ => 0,
        }
    }

    /// Reports whether this PE's times count.
    fn tells(&self, session: &Session<'_>) -> bool {
        self.meeting(session) > 0 && (session.me() == 0 || !self.test.is_ping_pong())
    }

    fn fill(&self, session: &Session<'_>) -> Result<()> {
        session.data.fill(self.place, Data::seed(session.me(), session.row))?;
        if self.test.moves == Moves::Chain {
            let start = if self.by_limit { 0 } else { self.place.source.addr().offset() };
            session.data.chain(self.place.source, self.size.elements, self.size.stride, start)?;
        }
        if self.counts_rounds() {
            for place in 0..self.places {
                session.world.write(self.flag(session, place), &[session.rounds; FLAGS])?;
            }
        }
        Ok(())
    }

    /// Times the row: the library's kernel, or the fastest of the hand-written ones. `None`: there is none.
    fn measure(&self, session: &mut Session<'_>, request: &Request) -> Result<Option<Vec<f64>>> {
        let (world, stream) = (session.world, session.stream.clone());
        let Some(limit) = session.limit.clone() else {
            let name = self.test.kernel(request.scope);
            let name = if request.lend > 0 { format!("{name}_lent") } else { name };
            let kernel = session.module.kernel(&name)?;
            let line_up = session.module.kernel("line_up")?;
            let run = |launch: Launch, job: &Job| {
                if job.meet != 0 {
                    world.own_stream().launch_kernel(&line_up, Launch::new(1, 32), (*job,))?;
                }
                world.own_stream().launch_kernel(&kernel, launch.shared_bytes(request.lend), (*job,))?;
                world.own_stream().synchronize()
            };
            return self.time(session, run).map(Some);
        };
        let mut best: Option<Vec<f64>> = None;
        for entry in limit.entries(self.test, request, &self.size)? {
            let times = self.time(session, |launch, job| limit.run(world, &stream, &entry, launch, job))?;
            if best.as_ref().is_none_or(|best| middle(&times) < middle(best)) {
                best = Some(times);
            }
        }
        Ok(best)
    }

    /// Times `repeat` launches after one without timing, the mean of all places: ns for an iteration, one way.
    fn time(&self, session: &mut Session<'_>, run: impl Fn(Launch, &Job) -> Result<()>) -> Result<Vec<f64>> {
        let rounds = session.rounds;
        let mut sums = Vec::new();
        for place in 0..self.places {
            session.rounds = rounds;
            let times = self.time_at(session, place, &run)?;
            sums.resize(times.len(), 0.0);
            sums.iter_mut().zip(times).for_each(|(sum, time)| *sum += time);
        }
        sums.iter_mut().for_each(|sum| *sum /= self.places as f64);
        Ok(sums)
    }

    /// Does the same at one place.
    fn time_at(
        &self,
        session: &mut Session<'_>,
        place: usize,
        run: &impl Fn(Launch, &Job) -> Result<()>,
    ) -> Result<Vec<f64>> {
        let meeting = self.meeting(session);
        let mut times = Vec::new();
        for launch in 0..=self.repeat {
            if self.counts_rounds() {
                session.rounds += self.rounds();
            }
            if meeting == 0 {
                continue;
            }
            let lines_up = meeting > 1 && (self.by_limit || !self.meets_itself());
            session.met += if lines_up { u64::from(meeting - 1) } else { 0 };
            let job = self.job(session, if lines_up { meeting } else { 0 }, launch, place);
            // PEs that wait for each other need every block resident.
            let shape = if meeting > 1 { self.launch.collective() } else { self.launch };
            run(shape, &job)?;
            let mut slots = vec![0u64; 2 * self.launch.grid[0] as usize];
            session.world.read(job.slots, &mut slots)?;
            let start = slots.iter().step_by(2).min().copied().unwrap_or(0);
            let end = slots.iter().skip(1).step_by(2).max().copied().unwrap_or(0);
            let ways = if self.test.is_ping_pong() { 2.0 } else { 1.0 };
            if launch > 0 {
                times.push(end.saturating_sub(start) as f64 / f64::from(self.iters) / ways);
            }
        }
        Ok(times)
    }

    /// Returns the flags at a place.
    fn flag(&self, session: &Session<'_>, place: usize) -> SymPtr<u64> {
        session.words.add(FLAG + place * PLACE)
    }

    fn job(&self, session: &Session<'_>, meeting: u32, launch: u32, place: usize) -> Job {
        let (slots, sums) = self.times(session);
        let (source, dest) = self.ends(place);
        Job {
            dest,
            source,
            flag: self.flag(session, place),
            line: session.words.add(LINE),
            slots,
            sums,
            bytes: self.size.group_bytes,
            elements: self.size.elements,
            stride: self.size.stride,
            step: self.size.step(),
            window: self.size.window as u32,
            base: match self.counts_rounds() {
                true => session.rounds - self.rounds(),
                false => u64::from(launch) * u64::from(self.iters),
            },
            meet: if meeting > 1 { session.met } else { 0 },
            iters: self.iters,
            pe: Pe::new(if session.me() == 0 { 1 } else { 0 }),
            op: self.op,
            meeting,
            zero: 0,
            lend: self.lend,
            unused: 0,
        }
    }

    /// Returns the number of rounds of a launch: the library's kernels play one without timing.
    fn rounds(&self) -> u64 {
        u64::from(self.iters) + u64::from(!self.by_limit)
    }

    /// Reports whether the library's kernels of different PEs meet before their timing starts.
    fn meets_itself(&self) -> bool {
        self.test.is_ping_pong() || self.test.moves == Moves::Nothing
    }

    /// Reports whether the row's launches continue the counts of earlier ones.
    fn counts_rounds(&self) -> bool {
        self.by_limit || self.test.is_ping_pong()
    }

    /// Returns the addresses for the blocks' times and the threads' sums.
    fn times(&self, session: &Session<'_>) -> (SymPtr<u64>, SymPtr<u64>) {
        let slots = session.times.at().unwrap_or(session.words.cast()).cast::<u64>();
        (slots, slots.add(2 * self.launch.grid[0] as usize))
    }

    /// Returns source and destination: the caller's side starts at the skew, the peer's at the place.
    fn ends(&self, place: usize) -> (SymPtr<u8>, SymPtr<u8>) {
        let (skew, shift) = (self.skew as usize, self.shift(place) as usize);
        match self.test.moves {
            Moves::Get => (self.place.source.add(shift), self.place.dest.add(skew)),
            _ => (self.place.source.add(skew), self.place.dest.add(shift)),
        }
    }

    /// Returns the distance of a place's data from the first place's.
    fn shift(&self, place: usize) -> u64 {
        place as u64 * places_apart(self.size.bytes)
    }

    /// Returns the difference that this PE finds at any place.
    fn check(&self, session: &Session<'_>) -> Result<Option<String>> {
        // A get leaves the data of the last place.
        let first = if self.test.moves == Moves::Get { self.places - 1 } else { 0 };
        for place in first..self.places {
            if let Some(wrong) = self.check_at(session, place)? {
                return Ok(Some(wrong));
            }
        }
        Ok(None)
    }

    /// Returns the difference that this PE finds at a place, if any.
    fn check_at(&self, session: &Session<'_>, place: usize) -> Result<Option<String>> {
        let me = session.me();
        let (other, launches) = (1 - me.min(1), u64::from(self.repeat) + 1);
        // The target of puts and the PE that fetched: with `both`, either.
        let (served, asked) = (me == 1 || (self.both && me == 0), me == 0 || (self.both && me == 1));
        let (_, dest) = self.ends(place);
        let iterations = launches * u64::from(self.iters);
        let (count, stride) = (self.size.elements, self.size.stride);
        let stream =
            |from| Expected::Stream { at: dest, bytes: self.size.bytes, seed: Data::seed(other, session.row), from };
        let expected = match self.test.moves {
            moves if self.by_limit && !matches!(moves, Moves::Put | Moves::Get | Moves::PutRounds) => return Ok(None),
            Moves::Put if served => stream(self.skew),
            Moves::Get if asked => stream(self.last_read() + self.shift(place)),
            Moves::PutRounds if me < 2 => stream(self.skew),
            Moves::Words if served => {
                let first = (iterations - u64::from(self.iters)) as u32;
                Expected::Words32 { at: dest, count, stride, first, step: APART }
            }
            Moves::Count if served => {
                Expected::Words32 { at: dest, count, stride, first: (iterations - 1) as u32, step: 0 }
            }
            Moves::Atomics if served => {
                let value = if self.op == FETCH { POISONED } else { POISONED + iterations };
                Expected::Words64 { at: dest, count, stride, value }
            }
            Moves::Sums | Moves::Chain if asked => return self.check_sums(session, other),
            Moves::Rounds if me < 2 => return self.check_rounds(session, place),
            _ => return Ok(None),
        };
        if self.corrupt {
            let at = dest.add((self.size.bytes / 2) as usize & !(stride as usize).saturating_sub(1));
            session.world.p(at, !session.world.g(at, session.world.my_pe())?, session.world.my_pe())?;
            session.world.quiet()?;
        }
        let wrong = match session.data.compare(expected)? {
            // Hand-written kernels move less than one of their accesses together with the bytes after it.
            None if !self.by_limit => session.data.compare_guards(dest, self.size.bytes)?,
            wrong => wrong,
        };
        match wrong {
            None if self.test.moves == Moves::PutRounds && !self.by_limit => self.check_rounds(session, place),
            wrong => Ok(wrong),
        }
    }

    /// Returns the distance of the last iteration's read from the first's.
    fn last_read(&self) -> u64 {
        u64::from(self.iters - 1) % self.size.window * self.size.step()
    }

    /// Returns the sum of all iterations' elements of a stream.
    fn sum(&self, seed: u64) -> u64 {
        let (iters, window) = (u64::from(self.iters), self.size.window);
        let element = |turn, k| Data::u32_at(seed, turn * self.size.step() + k * self.size.stride);
        let one = |turn| (0..self.size.elements).fold(0u64, |sum, k| sum.wrapping_add(element(turn, k)));
        // The first addresses are read once more than the others.
        let times = |turn| iters / window + u64::from(turn < iters % window);
        (0..window).fold(0u64, |sum, turn| sum.wrapping_add(one(turn).wrapping_mul(times(turn))))
    }

    /// Checks the last launch's sums of fetched values.
    fn check_sums(&self, session: &Session<'_>, other: u32) -> Result<Option<String>> {
        let mut sums = vec![0u64; (self.launch.grid[0] * self.launch.block[0]) as usize];
        session.world.read(self.times(session).1, &mut sums)?;
        let mut is = sums.iter().fold(0u64, |sum, one| sum.wrapping_add(*one));
        if self.corrupt {
            is ^= 1;
        }
        let should = match self.test.moves {
            Moves::Chain => {
                let place = u64::from(self.iters) * CHAIN_HOP % self.size.elements;
                self.place.source.addr().offset() + place * self.size.stride
            }
            _ => self.sum(Data::seed(other, session.row)),
        };
        let what = format!("1 of 1 sums of what was fetched: {is:#x} where {should:#x} was sent");
        Ok((is != should).then_some(what))
    }

    /// Checks the last round that the other PE announced at a place.
    fn check_rounds(&self, session: &Session<'_>, place: usize) -> Result<Option<String>> {
        let round = session.world.g(self.flag(session, place), session.world.my_pe())?;
        let round = if self.corrupt { round + 1 } else { round };
        let what = format!("1 of 1 words: the last round is {round} where {} was sent", session.rounds);
        Ok((round != session.rounds).then_some(what))
    }
}

/// Returns the median of the times; infinite for none.
fn middle(times: &[f64]) -> f64 {
    let mut sorted = times.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::INFINITY)
}

//! The heat equation on a rod that several PEs share, checked against a serial solution.

use heat_kernels::heat;
use oxshmem_hal::{Config, Error, ErrorKind, Launch, Result, World};

/// Cells of each PE.
const CELLS: usize = 200;
const STEPS: u64 = 500;
/// Time step times conductivity, over the square of a cell's length.
const RATE: f64 = 0.25;

fn main() -> Result<()> {
    // Under a launcher this process is one PE; alone, it runs three PEs as threads.
    World::run(3, &Config::from_env()?, solve)?;
    Ok(())
}

/// Solves this PE's part of the equation, and compares the whole on PE 0.
fn solve(world: &World) -> Result<()> {
    let (me, n_pes) = (world.my_pe().number() as usize, world.n_pes() as usize);

    // Two copies of this PE's cells, each with the neighbours' nearest cells (the halo) at its ends.
    let (even, odd) = (world.alloc::<f64>(CELLS + 2)?, world.alloc::<f64>(CELLS + 2)?);
    let (from_left, from_right) = (world.calloc::<u64>(1)?, world.calloc::<u64>(1)?);
    let start = rod(n_pes);
    let mine = &start[me * CELLS..][..CELLS + 2];
    world.write(even, mine)?;
    world.write(odd, mine)?;
    // No neighbour may write a PE's halo before that PE has initialised it.
    world.barrier_all()?;

    let steps = heat { even, odd, steps: STEPS, rate: RATE, from_left, from_right };
    world.own_stream().launch(Launch::new(1, 128).collective(), steps)?;
    world.barrier_all()?;

    if me == 0 {
        let mine = if STEPS.is_multiple_of(2) { even } else { odd }.try_range(1..=CELLS)?;
        let expected = serial(start);
        let mut all = Vec::new();
        for pe in world.pes() {
            all.extend(world.get_vec(mine, pe)?);
        }
        let differences = all.iter().zip(&expected[1..]).map(|(a, b)| (a - b).abs());
        // In the total order a NaN is more than any number.
        let worst = differences.max_by(f64::total_cmp).unwrap_or(f64::NAN);
        let (cells, on) = (n_pes * CELLS, world.machine());
        println!("heat: {cells} cells on {n_pes} PEs ({on}), {STEPS} steps, off by {worst:e} from the serial solution");
        if worst.total_cmp(&1e-12).is_gt() {
            return Err(Error::new(ErrorKind::Mismatch, "solve the heat equation").because("it is off by too much"));
        }
    }
    // The others' cells must stay until PE 0 has read them.
    world.barrier_all()
}

/// Returns the rod of `n_pes` PEs at the start, with a cell more at both ends: 1 at the left one, which stays hot, and
/// a warm stretch in the middle.
fn rod(n_pes: usize) -> Vec<f64> {
    let n = n_pes * CELLS;
    let mut cells: Vec<f64> = (0..n + 2).map(|i| if i > n / 3 && i < n / 2 { 0.5 } else { 0.0 }).collect();
    cells[0] = 1.0;
    cells
}

/// Returns the serial solution by one thread, without oxshmem.
fn serial(mut now: Vec<f64>) -> Vec<f64> {
    let mut next = now.clone();
    for _ in 0..STEPS {
        for i in 1..now.len() - 1 {
            next[i] = now[i] + RATE * (now[i - 1] - 2.0 * now[i] + now[i + 1]);
        }
        std::mem::swap(&mut now, &mut next);
    }
    now
}

//! Data of a trial, and the serial reference.

use oxshmem_example_kernels::fused_rmsnorm::Shape;
use oxshmem_hal::{Bf16, Error, ErrorKind, Result, Stream, World};

use crate::layer::{EPS, Layer};

/// The content of the sums and the results before a call: a NaN, which no result is.
const POISON: Bf16 = Bf16::from_bits(0x7fa5);

/// Enqueues one of the variants on a stream, once or several times.
pub(crate) type Call<'a> = &'a dyn Fn(&Stream<'_>) -> Result<()>;

/// Fills a layer's tensors with the data of a trial, makes the calls one after another, and compares every element that
/// each has stored with the reference, and with those of the first call bit by bit. Collective.
///
/// # Errors
/// An element (named) differs.
pub(crate) fn try_calls(
    world: &World,
    layer: &Layer<'_>,
    stream: &Stream<'_>,
    trial: u32,
    calls: &[Call<'_>],
) -> Result<()> {
    let reference = Reference::new(world.n_pes(), layer.shape(), trial);
    let mut first = None;
    for call in calls {
        reference.poison(world, layer)?;
        // Each PE fills its tensors when all have poisoned theirs. A call that does not wait for a PE reads poison.
        layer.meet(stream)?;
        stream.synchronize()?;
        reference.fill(world, layer)?;
        call(stream)?;
        stream.synchronize()?;
        let seen = reference.check(world, layer)?;
        if *first.get_or_insert_with(|| seen.clone()) != seen {
            return Err(differs(world, "two variants give different bits".into()));
        }
    }
    Ok(())
}

fn differs(world: &World, how: String) -> Error {
    Error::new(ErrorKind::Mismatch, "compare a fused RMSNorm with the reference").because(how).about(world.my_pe())
}

/// The data of all PEs, and the results that are expected of each.
#[derive(Debug)]
struct Reference {
    shape: Shape,
    trial: u32,
    out: Vec<f32>,
    residual: Vec<Bf16>,
}

/// The tensors that all PEs have alike, as numbers beside those of the PEs.
const RESIDUAL: u32 = u32::MAX;
const WEIGHT: u32 = u32::MAX - 1;

/// Returns element `index` of a tensor, that of a PE or one of the above: between -2 and 2, with all bits of a bf16 in
/// use.
fn element(trial: u32, of: u32, index: usize) -> Bf16 {
    // Mixes the bits, as in SplitMix64 by Steele, Lea and Flood.
    let mut bits = (u64::from(of) << 32 | index as u64).wrapping_add(u64::from(trial) << 40);
    bits = bits.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    Bf16::from_f32(((bits >> 40) as f32) / (1 << 22) as f32 - 2.0)
}

fn tensor(trial: u32, of: u32, elements: usize) -> Vec<Bf16> {
    (0..elements).map(|index| element(trial, of, index)).collect()
}

impl Reference {
    /// Computes the results of a shape on `n_pes` PEs. Each trial has data of its own.
    fn new(n_pes: u32, shape: Shape, trial: u32) -> Self {
        let hidden = shape.hidden as usize;
        let residual: Vec<Bf16> = (0..shape.elements())
            .map(|index| {
                let at = |of| element(trial, of, index).to_f32();
                let sum = (1..n_pes).fold(at(0), |sum, pe| sum + at(pe));
                Bf16::from_f32(Bf16::from_f32(sum).to_f32() + at(RESIDUAL))
            })
            .collect();
        let weight = tensor(trial, WEIGHT, hidden);
        let mut out = Vec::new();
        for row in residual.chunks(hidden) {
            let squares: f64 = row.iter().map(|value| f64::from(value.to_f32()).powi(2)).sum();
            let scale = 1.0 / (squares / hidden as f64 + f64::from(EPS)).sqrt();
            let each = row.iter().zip(&weight);
            out.extend(each.map(|(value, weight)| value.to_f32() * scale as f32 * weight.to_f32()));
        }
        Self { shape, trial, out, residual }
    }

    /// Writes this PE's tensors.
    fn fill(&self, world: &World, layer: &Layer<'_>) -> Result<()> {
        let (tensors, elements, trial) = (layer.tensors, self.shape.elements(), self.trial);
        world.write(tensors.partial, &tensor(trial, world.my_pe().number(), elements))?;
        world.write(tensors.residual, &tensor(trial, RESIDUAL, elements))?;
        world.write(tensors.weight, &tensor(trial, WEIGHT, self.shape.hidden as usize))
    }

    fn poison(&self, world: &World, layer: &Layer<'_>) -> Result<()> {
        let poison = vec![POISON; self.shape.elements()];
        [layer.tensors.partial, layer.tensors.out, layer.tensors.residual_out, layer.tensors.sums]
            .into_iter()
            .try_for_each(|tensor| world.write(tensor, &poison))
    }

    /// Compares every element, and returns out and residual. The residual has the expected bits. An element of out is
    /// the expected value or one next to it, since a block adds its squares in an order of its own.
    fn check(&self, world: &World, layer: &Layer<'_>) -> Result<[Vec<Bf16>; 2]> {
        let [mut out, mut residual] = [(); 2].map(|()| vec![Bf16::default(); self.shape.elements()]);
        world.read(layer.tensors.out, &mut out)?;
        world.read(layer.tensors.residual_out, &mut residual)?;
        let expected = self.out.iter().zip(&self.residual);
        let wrong = out.iter().zip(&residual).zip(expected).position(|((out, residual), (expected_out, expected))| {
            residual != expected || !is_near(*out, *expected_out)
        });
        let Some(index) = wrong else { return Ok([out, residual]) };
        let (token, element) = (index / self.shape.hidden as usize, index % self.shape.hidden as usize);
        let [out, residual, expected] = [out[index], residual[index], self.residual[index]].map(Bf16::to_f32);
        Err(differs(
            world,
            format!(
                "element {element} of token {token} is {out}, residual {residual}, where {}, residual {expected} is right",
                self.out[index]
            ),
        ))
    }
}

/// Reports whether a value is at most one bf16 step from the rounded one.
fn is_near(seen: Bf16, expected: f32) -> bool {
    let bits = Bf16::from_f32(expected).to_bits();
    [bits.wrapping_sub(1), bits, bits.wrapping_add(1)].contains(&seen.to_bits())
}

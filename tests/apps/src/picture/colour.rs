//! Numbers as colours, and the ticks of a scale.

use oxshmem_core::{Error, ErrorKind, Result};

use super::canvas::Rgb;

/// The colour map viridis, sampled at 20 even steps; it is by Nathaniel Smith and Stéfan van der Walt, and free of
/// rights (CC0). Equal steps look equal, its lightness only rises, and colour-blind readers can distinguish its ends.
const VIRIDIS: [u32; 20] = [
    0x440154, 0x481567, 0x482677, 0x453781, 0x404788, 0x39568c, 0x33638d, 0x2d708e, 0x287d8e, 0x238a8d, 0x1f968b,
    0x20a387, 0x29af7f, 0x3cbb75, 0x55c667, 0x73d055, 0x95d840, 0xb8de29, 0xdce319, 0xfde725,
];

/// Colours that readers with any colour vision can distinguish (Okabe and Ito), for the first PEs.
const DISTINCT: [u32; 7] = [0x0072b2, 0xe69f00, 0x009e73, 0xcc79a7, 0x56b4e9, 0xd55e00, 0xf0e442];

fn bytes(colour: u32) -> Rgb {
    let [_, red, green, blue] = colour.to_be_bytes();
    [red, green, blue]
}

/// Mixes two colours; `share` is 0 at the first and 1 at the second.
pub(super) fn mix(from: Rgb, to: Rgb, share: f64) -> Rgb {
    std::array::from_fn(|i| (f64::from(from[i]) + share * (f64::from(to[i]) - f64::from(from[i]))).round() as u8)
}

/// Returns the colour of a value between 0 (dark blue) and 1 (yellow); values outside take the nearer end.
pub fn viridis(value: f64) -> Rgb {
    let at = value.clamp(0.0, 1.0) * (VIRIDIS.len() - 1) as f64;
    let below = (at as usize).min(VIRIDIS.len() - 2);
    mix(bytes(VIRIDIS[below]), bytes(VIRIDIS[below + 1]), at - below as f64)
}

/// Returns the colour of a PE: chosen by hand for the first ones, by spreading hues for the others.
pub fn of_pe(pe: u32) -> Rgb {
    if let Some(&colour) = DISTINCT.get(pe as usize) {
        return bytes(colour);
    }
    // Steps of the golden ratio never return close to a recent hue.
    let hue = (f64::from(pe) * 0.618_033_988_75).fract() * 6.0;
    let (strong, weak) = if pe.is_multiple_of(2) { (0.85, 0.35) } else { (0.62, 0.15) };
    let channel = |shift: f64| {
        let distance = ((hue + shift).rem_euclid(6.0) - 3.0).abs() - 1.0;
        ((weak + (strong - weak) * distance.clamp(0.0, 1.0)) * 255.0).round() as u8
    };
    [channel(0.0), channel(4.0), channel(2.0)]
}

/// The values at the two ends of a colour scale.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Limits {
    /// The smallest and the largest value of the data.
    Data,
    /// These two, the smaller one first.
    Between(f64, f64),
}

impl Limits {
    /// Returns the two ends for these values, which are never equal.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidArgument`] if no value is finite, or if the ends given are not two rising numbers.
    pub(super) fn of(self, values: &[f64]) -> Result<(f64, f64)> {
        let refuse =
            |reason: String| Err(Error::new(ErrorKind::InvalidArgument, "draw a colour scale").because(reason));
        match self {
            Self::Between(low, high) if low < high && (high - low).is_finite() => Ok((low, high)),
            Self::Between(low, high) => refuse(format!("its ends {low} and {high} are not two rising finite numbers")),
            Self::Data => {
                let finite = || values.iter().copied().filter(|value| value.is_finite());
                let (low, high) = (finite().fold(f64::INFINITY, f64::min), finite().fold(f64::NEG_INFINITY, f64::max));
                match low.partial_cmp(&high) {
                    Some(std::cmp::Ordering::Less) => Ok((low, high)),
                    // The scale of a constant field has its value in the middle.
                    Some(std::cmp::Ordering::Equal) => {
                        let around = if low == 0.0 { 1.0 } else { low.abs() * 0.5 };
                        Ok((low - around, high + around))
                    }
                    _ => refuse("no value of the field is a finite number".into()),
                }
            }
        }
    }
}

/// Returns round values within `low` to `high`, about `wanted` of them, each with its text.
pub fn ticks(low: f64, high: f64, wanted: usize) -> Vec<(f64, String)> {
    let rough = (high - low) / wanted.max(1) as f64;
    let power = rough.log10().floor();
    let unit = 10f64.powf(power);
    let step = [1.0, 2.0, 5.0, 10.0].map(|times| times * unit).into_iter().find(|step| *step >= rough * 0.999);
    let step = step.unwrap_or(10.0 * unit);
    let decimals = (-(step.log10() + 1e-9).floor()).max(0.0) as usize;
    let tolerance = step * 1e-6;
    let (first, last) = (((low - tolerance) / step).ceil() as i64, ((high + tolerance) / step).floor() as i64);
    (first..=last)
        .map(|count| {
            let value = count as f64 * step;
            let plain = decimals <= 4 && value.abs() < 1e6;
            (value, if plain { format!("{value:.decimals$}") } else { format!("{value:.2e}") })
        })
        .collect()
}

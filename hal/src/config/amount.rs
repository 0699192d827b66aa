//! Decimal numbers with a unit, without rounding errors: the common part of sizes and durations.

/// The most digits after the point. A longer number is refused, not rounded.
const FRACTION_DIGITS: usize = 18;

/// Splits `1.5 GiB` into `1.5` and `gib`, in lower case.
pub(super) fn split_unit(text: &str) -> (&str, String) {
    let text = text.trim();
    let at = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    (text[..at].trim_end(), text[at..].trim().to_ascii_lowercase())
}

/// Returns the integer ceiling of a decimal number times `scale`, which is below 2^63.
///
/// # Errors
///
/// The text is not a number, or the product exceeds `u64::MAX`.
pub(super) fn scaled_ceiling(number: &str, scale: u64) -> Result<u64, Trouble> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    if (whole.is_empty() && fraction.is_empty()) || !digits(whole) || !digits(fraction) {
        return Err(Trouble::NotANumber);
    }
    let fraction = fraction.trim_end_matches('0');
    if fraction.len() > FRACTION_DIGITS {
        return Err(Trouble::TooFine);
    }
    let whole = integer(whole)?.checked_mul(u128::from(scale)).ok_or(Trouble::TooLarge)?;
    // Below 10^18 times 2^63: fits 128 bits.
    let part = integer(fraction)? * u128::from(scale);
    let rest = part.div_ceil(10_u128.pow(fraction.len() as u32));
    whole.checked_add(rest).and_then(|sum| u64::try_from(sum).ok()).ok_or(Trouble::TooLarge)
}

/// Returns the value of decimal digits; 0 if there are none.
fn integer(digits: &str) -> Result<u128, Trouble> {
    let digits = digits.trim_start_matches('0');
    if digits.is_empty() { Ok(0) } else { digits.parse().map_err(|_| Trouble::TooLarge) }
}

/// The reason for which a number is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trouble {
    NotANumber,
    TooLarge,
    TooFine,
}

impl Trouble {
    /// Returns the reason in words.
    pub(super) fn reason(self) -> String {
        match self {
            Self::NotANumber => "it does not start with a number".into(),
            Self::TooLarge => "it does not fit in 64 bits".into(),
            Self::TooFine => format!("it has more than {FRACTION_DIGITS} digits after the point"),
        }
    }
}

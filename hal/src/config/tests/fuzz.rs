//! Random texts as names and values.

use super::*;

/// SplitMix64.
struct Draw(u64);

impl Draw {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) as usize % n
    }

    fn text(&mut self) -> String {
        const PIECES: &[&str] = &[
            "OXSHMEM_",
            "NVSHMEM_",
            "SEED",
            "DEVICE",
            "SYMMETRIC_SIZE",
            "WAIT_LIMIT",
            "PTX_PATH",
            "=",
            " ",
            "#",
            "\n",
            "gpu:",
            "auto",
            "none",
            "0x",
            "1",
            "9999999999999999999",
            ".",
            "00000000000000000001",
            "k",
            "GiB",
            "ms",
            "-",
            "+",
            ":",
            "\0",
            "\r",
            "é",
            "\u{feff}",
            "\u{1f980}",
            "\u{661}",
            "ſ",
            "ı",
            "K",
        ];
        (0..self.below(9)).map(|_| PIECES[self.below(PIECES.len())]).collect()
    }
}

#[test]
fn nothing_that_is_written_makes_it_panic_and_what_is_taken_is_in_range() {
    let mut draw = Draw(0x0c5e);
    let (mut taken, mut refused) = (0, 0);
    for _ in 0..100_000 {
        let value = draw.text();
        let name = match draw.below(3) {
            0 => draw.text(),
            _ => table().nth(draw.below(table().count())).unwrap().name().to_string(),
        };
        let file = match draw.below(3) {
            0 => draw.text(),
            1 => format!("{name} = {value}\n{}", draw.text()),
            _ => String::new(),
        };
        match from(Some(&file), &[(&name, &value)]) {
            Ok(config) => {
                taken += 1;
                config.check().unwrap();
                config.notes().iter().for_each(|note| assert!(!note.to_string().contains(['\n', '\0'])));
            }
            Err(error) => {
                refused += 1;
                assert!(!error.to_string().contains(['\n', '\0']), "{error}");
            }
        }
        let _ = (parse_size(&value), parse_duration(&value));
    }
    assert!(taken > 10_000 && refused > 10_000, "the loop sees both: {taken} taken, {refused} refused");
}

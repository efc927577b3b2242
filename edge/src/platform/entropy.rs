//! Randomness as an argument, and random text.

/// A source of random bytes: the platform in the Worker, a seed in tests.
pub(crate) trait Entropy {
    fn fill(&mut self, bytes: &mut [u8]);
}

const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// Returns the character of a base62 digit. Digits above 61 wrap around.
pub(crate) fn base62_digit(digit: u32) -> u8 {
    let index = usize::try_from(digit % 62).unwrap_or_default();
    ALPHABET.get(index).copied().unwrap_or(b'0')
}

/// Returns uniformly random text. Bytes that would make some characters more likely than others are skipped.
pub(crate) fn random_base62<const LENGTH: usize>(entropy: &mut impl Entropy) -> String {
    const UNBIASED: u8 = 62 * 4;
    let mut text = String::with_capacity(LENGTH);
    let mut bytes = [0; 64];
    while text.len() < LENGTH {
        entropy.fill(&mut bytes);
        let unbiased = bytes.iter().filter(|byte| **byte < UNBIASED);
        let missing = LENGTH - text.len();
        text.extend(unbiased.take(missing).map(|byte| char::from(base62_digit(u32::from(*byte)))));
    }
    text
}

#[cfg(test)]
pub(crate) mod testing {
    //! Reproducible randomness for tests.

    use super::Entropy;

    /// SplitMix64: random enough for tests, and the same on every machine.
    pub(crate) struct Seeded(u64);

    impl Seeded {
        pub(crate) fn new(seed: u64) -> Self {
            Self(seed)
        }

        fn next(&mut self) -> u64 {
            self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mut mixed = self.0;
            mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            mixed ^ (mixed >> 31)
        }
    }

    impl Entropy for Seeded {
        fn fill(&mut self, bytes: &mut [u8]) {
            for chunk in bytes.chunks_mut(8) {
                let word = self.next().to_le_bytes();
                chunk.copy_from_slice(&word[..chunk.len()]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::testing::Seeded;
    use super::*;

    #[test]
    fn all_characters_are_about_equally_likely() {
        let mut entropy = Seeded::new(1);
        let mut counts = [0_u32; 128];
        for _ in 0..2_000 {
            for byte in random_base62::<62>(&mut entropy).bytes() {
                counts[usize::from(byte)] += 1;
            }
        }
        for character in ALPHABET {
            let count = counts[usize::from(*character)];
            assert!((1_750..2_250).contains(&count), "{}: {count}", char::from(*character));
        }
    }

    #[test]
    fn biased_bytes_are_skipped() {
        struct LateZeros(u32);
        impl Entropy for LateZeros {
            fn fill(&mut self, bytes: &mut [u8]) {
                bytes.fill(if self.0 == 0 { 0 } else { 255 });
                self.0 = self.0.saturating_sub(1);
            }
        }
        assert_eq!(random_base62::<5>(&mut LateZeros(3)), "00000");
    }
}
